//! What of a bundle a rubric's criteria are judged by.

use std::sync::Arc;

use proctor_grading::Bundle;
use proctor_judge::RUBRIC;
use proctor_judge::evidence::{Allowance, Evidence, EvidenceLimits, File, exhibits};
use proctor_types::verdict::Exhibit;
use proctor_types::{Event, Probes, Verdict, WorldSnapshot, bundle};
use serde::de::DeserializeOwned;

use crate::EngineError;

/// The exhibits for a rubric; none where `verdict` has no criterion of one.
pub(super) fn of_rubric(bundle: &Bundle, verdict: &Verdict) -> Result<Vec<Exhibit>, EngineError> {
    let has_rubric = verdict
        .criteria
        .iter()
        .any(|criterion| criterion.category == RUBRIC && criterion.question.is_some());
    if !has_rubric {
        return Ok(Vec::new());
    }
    let transcript = events(bundle)?;
    let before: Option<WorldSnapshot> = document(bundle, bundle::WORLD_BEFORE)?;
    let after: Option<WorldSnapshot> = document(bundle, bundle::WORLD_AFTER)?;
    let probes: Option<Probes> = document(bundle, bundle::PROBES)?;
    let limits = EvidenceLimits::default();
    let contents = workspace(bundle, &limits.files)?;
    let files: Vec<File<'_>> = contents
        .iter()
        .map(|file| File {
            path: &file.path,
            content: &file.read,
            bytes: file.bytes,
            untouched: file.untouched,
        })
        .collect();
    let evidence = Evidence {
        transcript: &transcript,
        files: &files,
        before: before.as_ref(),
        after: after.as_ref(),
        probes: probes.as_ref(),
    };
    Ok(exhibits(&evidence, &limits))
}

struct Content {
    path: String,
    /// The beginning.
    read: Vec<u8>,
    bytes: u64,
    untouched: bool,
}

/// The files of the workspace, in the order in which they are shown. Those that
/// can be shown are read; of the others there is only the title.
fn workspace(bundle: &Bundle, shown: &Allowance) -> Result<Vec<Content>, EngineError> {
    let prefix = format!("{}/", bundle::WORKSPACE_DIR);
    let mut contents: Vec<Content> = bundle
        .list(bundle::WORKSPACE_DIR)
        .filter_map(|(path, file)| {
            let inside = path.strip_prefix(&prefix)?;
            let given = bundle.stat(&format!("{}/{inside}", bundle::FIXTURES_DIR));
            Some(Content {
                path: inside.to_owned(),
                read: Vec::new(),
                bytes: file.bytes,
                untouched: given.is_some_and(|given| given.sha256 == file.sha256),
            })
        })
        .collect();
    contents.sort_by(|one, other| (one.untouched, &one.path).cmp(&(other.untouched, &other.path)));
    let length = u32::try_from(shown.each_bytes).unwrap_or(u32::MAX);
    for content in contents.iter_mut().take(shown.count) {
        let path = format!("{prefix}{}", content.path);
        let read = bundle.read_range(&path, 0, length);
        let read = read.map_err(|error| EngineError::Evidence(error.to_string()))?;
        content.read = read.unwrap_or_default();
    }
    Ok(contents)
}

/// The events of a transcript. A line that cannot be read would be a fault of
/// ours: the bundle is what was frozen.
pub(crate) fn events(bundle: &Bundle) -> Result<Vec<Event>, EngineError> {
    let bytes = read(bundle, bundle::TRANSCRIPT)?.unwrap_or_default();
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| wrong(bundle::TRANSCRIPT, serde_json::from_slice(line)))
        .collect()
}

fn document<T: DeserializeOwned>(bundle: &Bundle, path: &str) -> Result<Option<T>, EngineError> {
    let bytes = read(bundle, path)?;
    bytes
        .map(|bytes| wrong(path, serde_json::from_slice(&bytes)))
        .transpose()
}

fn read(bundle: &Bundle, path: &str) -> Result<Option<Arc<[u8]>>, EngineError> {
    bundle
        .read(path)
        .map_err(|error| EngineError::Evidence(error.to_string()))
}

fn wrong<T>(path: &str, result: serde_json::Result<T>) -> Result<T, EngineError> {
    result.map_err(|error| EngineError::Evidence(format!("evidence invalid: `{path}`: {error}")))
}
