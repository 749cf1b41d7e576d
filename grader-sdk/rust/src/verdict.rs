//! Building a verdict.

use proctor_types::citation::Citation;
use proctor_types::verdict::{self, Criterion, Exhibit, GraderVerdict, Level, Status};

/// What a grader answers with: criteria in the order of the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    inner: GraderVerdict,
}

impl Verdict {
    /// A verdict without criteria.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a criterion.
    pub fn add(&mut self, criterion: Criterion) {
        self.inner.criteria.push(criterion);
    }

    /// Adds a remark that belongs to no criterion.
    pub fn note(&mut self, note: impl Into<String>) {
        self.inner.notes.push(note.into());
    }

    /// Criteria so far.
    pub fn criteria(&self) -> &[Criterion] {
        &self.inner.criteria
    }

    /// The criterion with this id.
    pub fn criterion(&self, id: &str) -> Option<&Criterion> {
        self.inner
            .criteria
            .iter()
            .find(|criterion| criterion.id == id)
    }

    /// Remarks so far.
    pub fn notes(&self) -> &[String] {
        &self.inner.notes
    }

    /// The verdict in the shape that passes to the host.
    pub fn into_inner(self) -> GraderVerdict {
        self.inner
    }
}

/// Begins a criterion of one point. `id` is unique in the verdict and consists
/// of letters, digits, `_`, `-` and `.`; `title` is one line for people.
pub fn criterion(id: impl Into<String>, title: impl Into<String>) -> CriterionBuilder {
    CriterionBuilder {
        id: id.into(),
        title: title.into(),
        category: String::new(),
        max: 1.0,
        citations: Vec::new(),
    }
}

/// A criterion before its outcome is known: [`graded`](Self::graded),
/// [`open`](Self::open) and [`error`](Self::error) finish it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a criterion counts only once it is finished and added to the verdict"]
pub struct CriterionBuilder {
    id: String,
    title: String,
    category: String,
    max: f64,
    citations: Vec<Citation>,
}

impl CriterionBuilder {
    /// Group in reports. `rubric` is reserved for a judge's criteria.
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.category = category.into();
        self
    }

    /// Most points there are; above 0. One where nothing is said.
    pub fn max(mut self, max: f64) -> Self {
        self.max = max;
        self
    }

    /// Where in the evidence it can be seen.
    pub fn cite(mut self, citation: Citation) -> Self {
        if !self.citations.contains(&citation) {
            self.citations.push(citation);
        }
        self
    }

    /// Where in the evidence it can be seen.
    pub fn cites(self, citations: impl IntoIterator<Item = Citation>) -> Self {
        citations.into_iter().fold(self, Self::cite)
    }

    /// Decided: `points` from 0 to the maximum, and what was found (or found
    /// instead) in plain words.
    pub fn graded(self, points: f64, reason: impl Into<String>) -> Criterion {
        self.finish(Status::Graded, Some(points), reason.into(), None)
    }

    /// Decided as a share of the maximum: `found` of `wanted` things, none
    /// where nothing is wanted. More than wanted is not worth more.
    #[allow(
        clippy::cast_precision_loss,
        reason = "counts of things, far below 2^52"
    )]
    pub fn share(self, found: usize, wanted: usize, reason: impl Into<String>) -> Criterion {
        let points = if wanted == 0 {
            0.0
        } else {
            self.max * (found.min(wanted) as f64) / (wanted as f64)
        };
        self.graded(points, reason)
    }

    /// Left to a judge, with what it needs to decide.
    pub fn open(self, question: Question, reason: impl Into<String>) -> Criterion {
        self.finish(Status::Open, None, reason.into(), Some(question.inner))
    }

    /// Nobody can decide it, and why. Not a zero of the agent.
    pub fn error(self, reason: impl Into<String>) -> Criterion {
        self.finish(Status::Error, None, reason.into(), None)
    }

    fn finish(
        self,
        status: Status,
        points: Option<f64>,
        reason: String,
        question: Option<verdict::Question>,
    ) -> Criterion {
        Criterion {
            id: self.id,
            title: self.title,
            category: self.category,
            status,
            points,
            max: self.max,
            reason,
            citations: self.citations,
            question,
        }
    }
}

/// What a judge is asked about an open criterion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    inner: verdict::Question,
}

impl Question {
    /// A question.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            inner: verdict::Question {
                text: text.into(),
                ..verdict::Question::default()
            },
        }
    }

    /// Adds a level to choose from, best first: what it is worth, 0 to 1, and
    /// what has to be true.
    #[must_use]
    pub fn level(mut self, score: f64, text: impl Into<String>) -> Self {
        self.inner.levels.push(Level {
            score,
            text: text.into(),
        });
        self
    }

    /// Adds a piece of evidence to judge by.
    #[must_use]
    pub fn exhibit(
        mut self,
        title: impl Into<String>,
        citation: Citation,
        text: impl Into<String>,
    ) -> Self {
        self.inner.exhibits.push(Exhibit {
            title: title.into(),
            citation,
            text: text.into(),
        });
        self
    }
}

/// Citations in short.
pub mod cite {
    use proctor_types::citation::{Citation, Moment};

    /// An entry of the journal.
    pub fn journal(n: u64) -> Citation {
        Citation::Journal(n)
    }

    /// An event of the transcript, from 1.
    pub fn transcript(event: u64) -> Citation {
        Citation::Transcript(event)
    }

    /// A file that the agent left.
    pub fn workspace(path: impl Into<String>) -> Citation {
        Citation::Workspace {
            path: path.into(),
            line: None,
        }
    }

    /// A line, from 1, of a file that the agent left.
    pub fn line(path: impl Into<String>, line: u64) -> Citation {
        Citation::Workspace {
            path: path.into(),
            line: Some(line),
        }
    }

    /// A file as it was seeded.
    pub fn fixture(path: impl Into<String>) -> Citation {
        Citation::Fixture {
            path: path.into(),
            line: None,
        }
    }

    /// An object of the world as it was seeded.
    pub fn before(kind: impl Into<String>, id: impl Into<String>) -> Citation {
        Citation::Object {
            moment: Moment::Before,
            kind: kind.into(),
            id: id.into(),
        }
    }

    /// An object of the world as the agent left it.
    pub fn after(kind: impl Into<String>, id: impl Into<String>) -> Citation {
        Citation::Object {
            moment: Moment::After,
            kind: kind.into(),
            id: id.into(),
        }
    }
}
