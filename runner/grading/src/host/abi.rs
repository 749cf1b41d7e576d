//! The contract as the host sees it, and what comes back over it.

use proctor_types::Citation;
use proctor_types::task::Thresholds;
use proctor_types::verdict::{
    Adjustment, AdjustmentKind, Criterion, Exhibit, GraderVerdict, Level as QuestionLevel,
    Question, Status,
};

use crate::log::LogLevel;
use crate::validate::{Part, Problems};

mod bindings {
    #![allow(
        missing_docs,
        unreachable_pub,
        clippy::pedantic,
        reason = "generated from the contract"
    )]
    wasmtime::component::bindgen!({
        path: "../../grader-sdk/wit",
        world: "grader",
        imports: { default: trappable },
        exports: { default: async },
    });
}

pub(super) use bindings::Grader as Exports;
pub(super) use bindings::GraderPre;
pub(super) use bindings::proctor::grader::evidence::{self, File};
pub(super) use bindings::proctor::grader::log::{self, Level};
pub(super) use bindings::proctor::grader::types;

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Error => Self::Error,
        }
    }
}

/// Turns the guest's verdict into ours. Citations are the only part that can
/// fail: they come as text.
pub(super) fn verdict(verdict: types::Verdict, problems: &mut Problems) -> GraderVerdict {
    let criteria = verdict
        .criteria
        .into_iter()
        .map(|one| criterion(one, problems))
        .collect();
    let adjustments = verdict
        .adjustments
        .into_iter()
        .map(|one| adjustment(one, problems))
        .collect();
    GraderVerdict {
        criteria,
        adjustments,
        notes: verdict.notes,
        thresholds: verdict.thresholds.map(|thresholds| Thresholds {
            pass: thresholds.pass,
            borderline: thresholds.borderline,
        }),
    }
}

fn adjustment(adjustment: types::Adjustment, problems: &mut Problems) -> Adjustment {
    let id = adjustment.id;
    let citations = adjustment
        .citations
        .iter()
        .filter_map(|text| citation(Part::Adjustment(&id), text, problems))
        .collect();
    Adjustment {
        title: adjustment.title,
        kind: match adjustment.kind {
            types::AdjustmentKind::Cap => AdjustmentKind::Cap,
            types::AdjustmentKind::Penalty => AdjustmentKind::Penalty,
        },
        points: adjustment.points,
        reason: adjustment.reason,
        citations,
        id,
    }
}

fn criterion(criterion: types::Criterion, problems: &mut Problems) -> Criterion {
    let id = criterion.id;
    let mut cite = |text: &str| citation(Part::Criterion(&id), text, problems);
    let citations = criterion
        .citations
        .iter()
        .filter_map(|text| cite(text))
        .collect();
    let question = criterion.question.map(|question| Question {
        text: question.text,
        levels: question
            .levels
            .into_iter()
            .map(|level| QuestionLevel {
                score: level.score,
                text: level.text,
            })
            .collect(),
        exhibits: question
            .exhibits
            .into_iter()
            .filter_map(|exhibit| {
                let citation = cite(&exhibit.citation)?;
                Some(Exhibit {
                    title: exhibit.title,
                    citation,
                    text: exhibit.text,
                })
            })
            .collect(),
    });
    Criterion {
        title: criterion.title,
        category: criterion.category,
        status: match criterion.status {
            types::Status::Graded => Status::Graded,
            types::Status::Open => Status::Open,
            types::Status::Error => Status::Error,
        },
        points: criterion.points,
        max: criterion.max,
        reason: criterion.reason,
        citations,
        question,
        id,
    }
}

fn citation(part: Part<'_>, text: &str, problems: &mut Problems) -> Option<Citation> {
    match text.parse() {
        Ok(citation) => Some(citation),
        Err(error) => {
            problems.add(part, format_args!("{error}"));
            None
        }
    }
}
