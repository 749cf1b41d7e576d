//! The component's boundary: bindings made from the WIT contract, and the
//! translation between them and this crate's types. Only [`crate::export!`]
//! uses it.

use std::mem::ManuallyDrop;

use proctor_types::verdict::{Adjustment, AdjustmentKind, Criterion, Question, Status};

use crate::source::{File, Source};
use crate::{Error, Evidence, Verdict};

pub use bindings::{Guest, export_component, proctor::grader::types::Verdict as ExportedVerdict};
pub use std::string::String;

pub(crate) use bindings::proctor::grader::log::{Level, log};
use bindings::proctor::grader::{evidence, types};

/// Generated from the contract: its lints are not ours to fix.
#[allow(missing_docs, unreachable_pub, rust_2018_idioms, clippy::pedantic)]
#[allow(
    unsafe_code,
    reason = "wit-bindgen lowers and lifts values through raw pointers into this module's own memory, as the canonical ABI asks"
)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../wit",
        world: "grader",
        pub_export_macro: true,
        export_macro_name: "export_component",
    });
}

/// Runs a grader on the host's bundle.
pub fn run(grade: fn(&Evidence) -> Result<Verdict, Error>) -> Result<types::Verdict, String> {
    // A trap carries no message: hand it to the host first.
    std::panic::set_hook(Box::new(|panic| log(Level::Error, &panic.to_string())));
    // The instance ends with this call. What frees every shape of evidence would
    // only make the module larger.
    let evidence = ManuallyDrop::new(Evidence::from_source(Box::new(Host)));
    match grade(&evidence) {
        Ok(verdict) => Ok(verdict.into()),
        Err(error) => Err(error.to_string()),
    }
}

/// The host's imports as a source of files.
struct Host;

impl Source for Host {
    fn stat(&self, path: &str) -> Option<File> {
        evidence::stat(path).map(File::from)
    }

    fn list(&self, prefix: &str) -> Vec<File> {
        evidence::list(prefix).into_iter().map(File::from).collect()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        evidence::read(path).map_err(|problem| unreadable(path, problem))
    }

    fn read_range(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        evidence::read_range(path, offset, length).map_err(|problem| unreadable(path, problem))
    }
}

fn unreadable(path: &str, problem: String) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        problem,
    }
}

impl From<evidence::File> for File {
    fn from(file: evidence::File) -> Self {
        Self {
            path: file.path,
            bytes: file.bytes,
            sha256: file.sha256,
        }
    }
}

impl From<Verdict> for types::Verdict {
    fn from(verdict: Verdict) -> Self {
        let verdict = verdict.into_inner();
        Self {
            criteria: verdict
                .criteria
                .into_iter()
                .map(types::Criterion::from)
                .collect(),
            adjustments: verdict
                .adjustments
                .into_iter()
                .map(types::Adjustment::from)
                .collect(),
            notes: verdict.notes,
            thresholds: verdict.thresholds.map(|thresholds| types::Thresholds {
                pass: thresholds.pass,
                borderline: thresholds.borderline,
            }),
        }
    }
}

impl From<Adjustment> for types::Adjustment {
    fn from(adjustment: Adjustment) -> Self {
        Self {
            id: adjustment.id,
            title: adjustment.title,
            kind: match adjustment.kind {
                AdjustmentKind::Cap => types::AdjustmentKind::Cap,
                AdjustmentKind::Penalty => types::AdjustmentKind::Penalty,
            },
            points: adjustment.points,
            reason: adjustment.reason,
            citations: adjustment
                .citations
                .iter()
                .map(ToString::to_string)
                .collect(),
        }
    }
}

impl From<Criterion> for types::Criterion {
    fn from(criterion: Criterion) -> Self {
        Self {
            id: criterion.id,
            title: criterion.title,
            category: criterion.category,
            status: match criterion.status {
                Status::Graded => types::Status::Graded,
                // A grader cannot speak for a judge.
                Status::Open | Status::Judged => types::Status::Open,
                Status::Error => types::Status::Error,
            },
            points: criterion.points,
            max: criterion.max,
            reason: criterion.reason,
            citations: criterion
                .citations
                .iter()
                .map(ToString::to_string)
                .collect(),
            question: criterion.question.map(types::Question::from),
        }
    }
}

impl From<Question> for types::Question {
    fn from(question: Question) -> Self {
        Self {
            text: question.text,
            levels: question
                .levels
                .into_iter()
                .map(|level| types::Level {
                    score: level.score,
                    text: level.text,
                })
                .collect(),
            exhibits: question
                .exhibits
                .into_iter()
                .map(|exhibit| types::Exhibit {
                    title: exhibit.title,
                    citation: exhibit.citation.to_string(),
                    text: exhibit.text,
                })
                .collect(),
        }
    }
}
