//! Graders that are a task's own Python.
//!
//! One component, the Python grader, is an interpreter that was started when it
//! was built; the task's source is an input beside the bundle. What is said of
//! graders elsewhere holds for it too: the component is the one whose digest is
//! compiled into this crate, the source is what the lock's pack digest covers,
//! and both stand in the verdict.

mod marshal;

use std::sync::Arc;

use proctor_types::bundle::TRANSCRIPT;
use proctor_types::verdict::GraderKind;
use serde_json::json;

use crate::bundle::{Bundle, sha256};
use crate::error::GradeError;
use crate::host::{Graded, Grader, GraderHost, Inputs};
use crate::limits::Limits;

/// Where the component sees the workspace, and what `grade` gets as its path.
pub const WORKSPACE: &str = "/workspace";
/// Longest transcript that the host reads for Python, in bytes: no fuel pays for
/// it.
const MARSHAL_BYTES: u64 = 4 << 20;
/// Text of the lock file that `tools/python.sh` writes.
const LOCK: &str = include_str!("../../../../graders/python/python.lock");

/// SHA-256 of the component that this version runs as its Python, lower-case
/// hex.
pub fn component_sha256() -> &'static str {
    LOCK.lines()
        .find_map(|line| line.strip_prefix("sha256 = \"")?.strip_suffix('"'))
        .unwrap_or_default()
}

/// A task's own grader: Python that defines `grade(transcript,
/// workspace_path)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    source: Arc<str>,
    file: String,
    line: u64,
    sha256: String,
}

impl Script {
    /// `source` begins in line `line` (from 1) of `file`: that is how messages
    /// name places in it.
    pub fn new(source: impl Into<Arc<str>>, file: impl Into<String>, line: u64) -> Self {
        let source = source.into();
        Self {
            sha256: sha256(source.as_bytes()),
            source,
            file: file.into(),
            line: line.max(1),
        }
    }

    /// SHA-256 of the source, lower-case hex.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Line of `file` in which it begins, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The file that it is part of.
    pub fn file(&self) -> &str {
        &self.file
    }
}

/// The Python grader with a script.
#[derive(Debug, Clone)]
pub struct PythonGrader {
    python: Grader,
    sha256: String,
    inputs: Inputs,
}

impl PythonGrader {
    /// Loads the component, which must be the one of
    /// [`component_sha256`]; compiling it takes seconds, once.
    pub fn load(host: &GraderHost, wasm: &[u8], script: &Script) -> Result<Self, GradeError> {
        let python = host.load(wasm, Some(component_sha256()))?;
        let place = json!({
            "file": script.file,
            "line": script.line,
            "workspace": WORKSPACE,
        });
        Ok(Self {
            python,
            sha256: script.sha256.clone(),
            inputs: Inputs(vec![
                ("grader.py", Arc::from(script.source.as_bytes())),
                ("place.json", Arc::from(place.to_string().into_bytes())),
            ]),
        })
    }

    /// Grades a bundle ([`Grader::grade`]).
    pub async fn grade(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        let inputs = self.inputs(bundle)?;
        self.named(self.python.grade_with(&inputs, bundle, limits).await)
    }

    /// Grades a bundle on the calling thread ([`Grader::grade_blocking`]).
    pub fn grade_blocking(&self, bundle: &Bundle, limits: &Limits) -> Result<Graded, GradeError> {
        let inputs = self.inputs(bundle)?;
        self.named(self.python.grade_blocking_with(&inputs, bundle, limits))
    }

    /// The script, and the transcript where Python need not read it by itself.
    fn inputs(&self, bundle: &Bundle) -> Result<Inputs, GradeError> {
        let mut inputs = self.inputs.clone();
        let short = bundle
            .stat(TRANSCRIPT)
            .filter(|file| file.bytes <= MARSHAL_BYTES);
        if short.is_some()
            && let Some(lines) = bundle.read(TRANSCRIPT)?
            && let Some(events) = marshal::events(&lines)
        {
            inputs.0.push(("events.marshal", events.into()));
        }
        Ok(inputs)
    }

    fn named(&self, graded: Result<Graded, GradeError>) -> Result<Graded, GradeError> {
        let mut graded = graded?;
        graded.grader.kind = GraderKind::Python;
        graded.grader.source_sha256 = Some(self.sha256.clone());
        Ok(graded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_names_a_digest() {
        assert_eq!(component_sha256().len(), 64);
        assert!(component_sha256().bytes().all(|b| b.is_ascii_hexdigit()));
    }
}
