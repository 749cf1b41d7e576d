//! Grading what is there: a workspace and a transcript, without a trial.
//!
//! What is given becomes an evidence bundle first, with the same rules as one
//! that was frozen: regular files only, no link followed, everything under
//! caps. The grader sees no difference, except that there is no world.

use std::collections::BTreeMap;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use proctor_grading::{Bundle, BundleLimits};
use proctor_sandbox::{CollectCaps, collect};
use proctor_types::manifest::{
    AgentEnd, AgentRef, CLOCK_FIELDS, Clock, Isolation, Manifest, SCHEMA, TaskRef, TranscriptSource,
};
use proctor_types::verdict::{Adjustment, GraderRef};
use proctor_types::{Status, Verdict, WorkspaceListing, bundle};
use rustix::fs::{Mode, OFlags};
use serde::Serialize;
use serde_json::Value;

use crate::EngineError;
use crate::choice::GraderChoice;
use crate::events::Stage;
use crate::evidence::{BundleWriter, EVIDENCE_DIR};
use crate::host::HostConfig;
use crate::read::{self, Links};
use crate::record::{CriterionRecord, Failure, Outcome};
use crate::task::Task;
use crate::task::lock::Policy;
use crate::trial::{self, Module, NoVerdict, StageError};

/// Longest transcript that is read, in bytes.
const TRANSCRIPT_BYTES: u64 = 64 << 20;
/// Names that graders look for the arguments of a tool call under.
const ARGUMENTS: [&str; 3] = ["arguments", "input", "params"];

/// What to grade, and with what.
#[derive(Debug, Clone)]
pub struct DirectRequest {
    /// Task folder or Markdown file.
    pub task: PathBuf,
    /// The workspace as an agent left it. Nothing in it is trusted.
    pub workspace: PathBuf,
    /// Events: one JSON object a line, or one JSON array of objects.
    pub transcript: PathBuf,
    /// The workspace as it was before; the task's own files where `None`.
    pub fixtures: Option<PathBuf>,
    /// Which grader grades.
    pub grader: GraderChoice,
    /// Where things are on this machine.
    pub host: HostConfig,
    /// Is told what takes its time.
    pub notice: fn(&str),
}

/// What came out, as `proctor grade --format json` prints it.
#[derive(Debug, Clone, Serialize)]
pub struct Direct {
    /// `scored` or `ungraded`.
    pub outcome: Outcome,
    /// Share of the points that the grader gave, 0 to 1; `null` while a criterion is open
    /// or where nothing was graded.
    pub automated: Option<f64>,
    /// The grader's criteria.
    pub criteria: Vec<CriterionRecord>,
    /// What the grader made cost points besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adjustments: Vec<Adjustment>,
    /// Remarks of the grader.
    pub notes: Vec<String>,
    /// What graded.
    pub grader: Option<GraderRef>,
    /// Why nothing was graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// What the operator should know.
    pub warnings: Vec<String>,
    /// What the grader logged, in lines.
    #[serde(skip)]
    pub log: String,
}

/// Grades. Nothing that was given is changed.
///
/// # Errors
/// Something that was given cannot be read or is not what it has to be, or the
/// grader cannot be had. A grader that fails is no error but an outcome.
pub fn grade(request: &DirectRequest) -> Result<Direct, EngineError> {
    let task = task(&request.task)?;
    let mut warnings: Vec<String> = task.warnings.iter().map(ToString::to_string).collect();
    let module = Module::of(
        &task,
        Policy::Unlocked,
        &request.grader,
        &request.host,
        &mut warnings,
    )?;
    if matches!(module, Module::Judge) {
        return Err(EngineError::Usage {
            message: format!("{}: a judge alone decides this task", task.file()),
            hint: Some("give a grader with --grader FILE".to_owned()),
        });
    }
    let scratch = crate::host::private_scratch(&request.host)?;
    let place = tempfile::Builder::new()
        .prefix("grade-")
        .tempdir_in(scratch)
        .map_err(EngineError::io("cannot create a directory in", scratch))?;
    write(request, &task, place.path(), &mut warnings)?;
    let evidence = place.path().join(EVIDENCE_DIR);
    let bundle = Bundle::open(&evidence, BundleLimits::default())
        .map_err(|error| EngineError::Evidence(error.to_string()))?;
    let (host, warning) = crate::host::grading(&request.host);
    warnings.extend(warning);
    if let Some(wait) = module.wait(&host) {
        (request.notice)(wait);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(EngineError::io(
            "cannot start the runtime for",
            &request.task,
        ))?;
    match runtime.block_on(trial::grade_bundle(&host, &module, &bundle)) {
        Ok(graded) => Ok(scored(&graded.verdict, graded.log, warnings)),
        Err(error) => ungraded(&error, warnings),
    }
}

fn task(path: &Path) -> Result<Task, EngineError> {
    let mut tasks = crate::suite::load(&[path.to_owned()])?;
    match (tasks.pop(), tasks.len()) {
        (Some(task), 0) => Ok(task),
        _ => Err(EngineError::Usage {
            message: format!("{} is not one task", path.display()),
            hint: Some("name the folder or the Markdown file of a task".to_owned()),
        }),
    }
}

fn scored(verdict: &Verdict, log: String, warnings: Vec<String>) -> Direct {
    // The rubric's criteria are the judge's; its half of the score is not known.
    let criteria: Vec<_> = verdict
        .criteria
        .iter()
        .filter(|criterion| criterion.category != proctor_grading::RUBRIC)
        .cloned()
        .collect();
    let (_, score) = proctor_grading::totals(&criteria, &verdict.adjustments);
    let decided = criteria.iter().all(|one| one.status == Status::Graded);
    Direct {
        outcome: Outcome::Scored,
        automated: (decided && !criteria.is_empty()).then_some(score.low),
        criteria: criteria.iter().map(CriterionRecord::from).collect(),
        adjustments: verdict.adjustments.clone(),
        notes: verdict.notes.clone(),
        grader: Some(verdict.grader.clone()),
        failure: None,
        warnings,
        log,
    }
}

fn ungraded(failed: &NoVerdict, warnings: Vec<String>) -> Result<Direct, EngineError> {
    let StageError {
        outcome,
        kind,
        message,
        hint,
    } = StageError::from(&failed.error);
    if outcome != Outcome::Ungraded {
        return Err(EngineError::from(&failed.error));
    }
    Ok(Direct {
        outcome,
        automated: None,
        criteria: Vec::new(),
        adjustments: Vec::new(),
        notes: Vec::new(),
        grader: None,
        failure: Some(Failure {
            stage: Stage::Grade,
            kind,
            message,
            hint,
        }),
        warnings,
        log: failed.log.clone(),
    })
}

/// Writes what was given as a bundle in the directory `place`.
fn write(
    request: &DirectRequest,
    task: &Task,
    place: &Path,
    warnings: &mut Vec<String>,
) -> Result<(), EngineError> {
    let open = |path: &Path| {
        Dir::open_ambient_dir(path, ambient_authority())
            .map_err(EngineError::io("cannot open", path))
    };
    let mut to = BundleWriter::create(&open(place)?, place)?;
    to.bytes(bundle::PROMPT, task.prompt.as_bytes())?;
    to.json(bundle::TASK, &task.info)?;
    let (events, mut last) = transcript(&request.transcript)?;
    to.bytes(bundle::TRANSCRIPT, &events)?;
    let listing = copy(
        &mut to,
        bundle::WORKSPACE_DIR,
        &request.workspace,
        &mut last,
    )?;
    let refused = listing.entries.iter().filter(|one| one.refused.is_some());
    for entry in refused.take(10) {
        warnings.push(format!(
            "{}/{}: the grader does not see it: {}",
            request.workspace.display(),
            entry.path,
            entry.refused.as_deref().unwrap_or_default()
        ));
    }
    if let Some(cap) = &listing.truncated {
        warnings.push(format!("the workspace is not seen to its end: {cap}"));
    }
    to.json(bundle::WORKSPACE_LISTING, &listing)?;
    match &request.fixtures {
        Some(fixtures) => {
            copy(&mut to, bundle::FIXTURES_DIR, fixtures, &mut last)?;
        }
        None => {
            for fixture in &task.fixtures {
                let path = format!("{}/{}", bundle::FIXTURES_DIR, fixture.dest);
                to.bytes(&path, &fixture.bytes)?;
            }
        }
    }
    to.finish(manifest(task, last))?;
    Ok(())
}

/// Copies the regular files of a directory that anybody may have made.
fn copy(
    to: &mut BundleWriter,
    name: &str,
    from: &Path,
    last: &mut SystemTime,
) -> Result<WorkspaceListing, EngineError> {
    let dir = directory(from).map_err(EngineError::io("cannot open", from))?;
    let caps = CollectCaps::default();
    let listing = collect(
        dir.as_fd(),
        &caps,
        &mut |path, content: &mut dyn std::io::Read| to.stream(&format!("{name}/{path}"), content),
    )
    .map_err(|error| EngineError::io("cannot read", from)(std::io::Error::other(error)))?;
    for entry in &listing.entries {
        // For the clock alone; what cannot be looked at does not move it.
        let changed = from.join(&entry.path).symlink_metadata();
        if let Ok(changed) = changed.and_then(|data| data.modified()) {
            *last = changed.max(*last);
        }
    }
    Ok(listing)
}

/// Opens a directory, and nothing else: opening a pipe would wait for its writer.
fn directory(path: &Path) -> std::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// The events as JSON lines, with their fields as they are and the arguments of
/// tool calls under all of [`ARGUMENTS`], and when the file was written.
fn transcript(path: &Path) -> Result<(Vec<u8>, SystemTime), EngineError> {
    let bytes = read::regular(path, TRANSCRIPT_BYTES, Links::Follow)
        .map_err(EngineError::io("cannot read", path))?;
    let changed = std::fs::metadata(path)
        .and_then(|data| data.modified())
        .map_err(EngineError::io("cannot read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let malformed = |what: String| EngineError::Usage {
        message: format!("{}: {what}", path.display()),
        hint: Some(
            "expected one JSON object a line, or one JSON array of objects (docs/agents.md \
             describes the events)"
                .to_owned(),
        ),
    };
    let mut lines = Vec::with_capacity(bytes.len());
    let mut add = |mut event: Value, at: &str| {
        if !event.is_object() {
            return Err(malformed(format!("{at} is no JSON object")));
        }
        complete(&mut event);
        // A value that was read can be written.
        lines.extend(serde_json::to_vec(&event).unwrap_or_default());
        lines.push(b'\n');
        if lines.len() as u64 > TRANSCRIPT_BYTES {
            return Err(malformed(format!(
                "with the arguments of each call under three names it has more than \
                 {TRANSCRIPT_BYTES} bytes ({at})"
            )));
        }
        Ok(())
    };
    if text.trim_start().starts_with('[') {
        let events: Vec<Value> =
            serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
        for (index, event) in events.into_iter().enumerate() {
            add(event, &format!("element {index}"))?;
        }
    } else {
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let at = format!("line {}", index + 1);
            let event =
                serde_json::from_str(line).map_err(|error| malformed(format!("{at}: {error}")))?;
            add(event, &at)?;
        }
    }
    Ok((lines, changed))
}

/// Puts the arguments of every tool call of an event under all three names, as
/// a trial's own transcript has them: of an event that is a call, and of the
/// parts of a message.
fn complete(event: &mut Value) {
    complete_call(event);
    for at in ["/content", "/message/content"] {
        let parts = event.pointer_mut(at).and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(complete_call);
    }
}

/// The same of one part, where that is a call. What is there stays.
fn complete_call(part: &mut Value) {
    let Some(fields) = part.as_object_mut() else {
        return;
    };
    let kind = fields.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("toolCall" | "tool_use")) {
        return;
    }
    let given = ARGUMENTS.iter().find_map(|name| fields.get(*name)).cloned();
    if let Some(given) = given {
        for name in ARGUMENTS {
            fields.entry(name).or_insert_with(|| given.clone());
        }
    }
}

/// The grader's clock stands where the last file was written: the same input
/// has the same time in every grade.
fn manifest(task: &Task, last: SystemTime) -> Manifest {
    let since = last.duration_since(UNIX_EPOCH).unwrap_or_default();
    let started_at = i64::try_from(since.as_secs())
        .ok()
        .and_then(|seconds| jiff::Timestamp::from_second(seconds).ok())
        .unwrap_or_default();
    Manifest {
        schema: SCHEMA.to_owned(),
        task: TaskRef {
            id: task.info.id.clone(),
            pack_sha256: task.pack_sha256.clone(),
        },
        agent: AgentRef {
            name: "unknown".to_owned(),
            version: None,
            transcript: TranscriptSource::Output,
        },
        attempt: 0,
        isolation: Isolation::None,
        end: AgentEnd::Completed,
        clock: Clock {
            started_at: started_at.to_string(),
            seconds: 0.0,
        },
        clock_fields: CLOCK_FIELDS.iter().map(ToString::to_string).collect(),
        files: BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Result<String, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t");
        std::fs::write(&path, text).unwrap();
        transcript(&path)
            .map(|(lines, _)| String::from_utf8(lines).unwrap())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn transcripts_are_lines_or_an_array_and_keep_their_fields() {
        let lines = "{\"z\":1,\"a\":[1.0]}\n{\"type\":\"text\"}\n";
        assert_eq!(events(lines).unwrap(), lines);
        let array = "\u{feff} [ {\"z\": 1, \"a\": [1.0]},\n {\"type\": \"text\"} ]";
        assert_eq!(events(array).unwrap(), lines);
        assert_eq!(events("\n\n").unwrap(), "");
        assert_eq!(events("[]").unwrap(), "");
    }

    #[test]
    fn calls_get_their_arguments_under_the_names_that_are_missing() {
        let all = r#""arguments":{"a":1},"input":{"a":1},"params":{"a":1}"#;
        for name in ARGUMENTS {
            let call = format!(r#"{{"type":"tool_use","{name}":{{"a":1}}}}"#);
            let full: Value =
                serde_json::from_str(&format!(r#"{{"type":"tool_use",{all}}}"#)).unwrap();
            let parts = call.replace("tool_use", "toolCall");
            let lines = events(&format!(
                "{call}\n{{\"message\":{{\"content\":[{parts}]}}}}\n{{\"content\":[{call}]}}\n"
            ));
            let lines = lines.unwrap();
            let read: Vec<Value> = lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            assert_eq!(read[0], full, "{name}");
            assert_eq!(read[2]["content"][0], full, "{name}");
            let part = &read[1]["message"]["content"][0];
            assert_eq!(part["type"], "toolCall");
            assert!(
                ARGUMENTS.iter().all(|key| part[*key] == full[*key]),
                "{part}"
            );
        }
        // What has them all, or is no call, or has none, keeps what it has.
        for line in [
            r#"{"type":"tool_use","params":1,"input":2,"arguments":3}"#,
            r#"{"type":"text","input":{"a":1}}"#,
            r#"{"type":"toolCall","name":"x"}"#,
            r#"{"type":"message","message":{"content":"toolCall"}}"#,
            r#"{"content":["toolCall",{"type":7,"input":1}]}"#,
        ] {
            assert_eq!(events(line).unwrap(), format!("{line}\n"));
        }
    }

    #[test]
    fn a_pipe_in_place_of_a_directory_is_refused_and_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
        let error = directory(&pipe).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotADirectory);
        directory(dir.path()).unwrap();
    }

    #[test]
    fn what_is_no_transcript_is_said_with_its_place() {
        for (text, expected) in [
            ("{}\n7\n", "line 2 is no JSON object"),
            ("{}\n{\n", "line 2: "),
            ("[{}, \"x\"]", "element 1 is no JSON object"),
            ("[{}", "EOF"),
            ("hello", "line 1: "),
        ] {
            let error = events(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
