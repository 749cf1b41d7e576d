//! What of a bundle a rubric's criteria are judged by.

use std::sync::Arc;

use proctor_grading::Bundle;
use proctor_judge::RUBRIC;
use proctor_judge::evidence::{Evidence, EvidenceLimits, File, exhibits};
use proctor_types::verdict::Exhibit;
use proctor_types::{Event, Probes, Verdict, WorldSnapshot, bundle};
use serde::de::DeserializeOwned;

use crate::EngineError;

/// Bytes of a file of the workspace that are looked at.
const FILE_BYTES: u32 = 64 << 10;

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
    let contents = workspace(bundle)?;
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
    Ok(exhibits(&evidence, &EvidenceLimits::default()))
}

struct Content {
    path: String,
    read: Arc<[u8]>,
    bytes: u64,
    untouched: bool,
}

fn workspace(bundle: &Bundle) -> Result<Vec<Content>, EngineError> {
    let prefix = format!("{}/", bundle::WORKSPACE_DIR);
    let mut contents = Vec::new();
    for (path, file) in bundle.list(bundle::WORKSPACE_DIR) {
        let Some(inside) = path.strip_prefix(&prefix) else {
            continue;
        };
        let given = bundle.stat(&format!("{}/{inside}", bundle::FIXTURES_DIR));
        let read = bundle
            .read_range(path, 0, FILE_BYTES)
            .map_err(|error| EngineError::Evidence(error.to_string()))?;
        contents.push(Content {
            path: inside.to_owned(),
            read: read.unwrap_or_default().into(),
            bytes: file.bytes,
            untouched: given.is_some_and(|given| given.sha256 == file.sha256),
        });
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
