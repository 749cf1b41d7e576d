//! Building a verdict.
//!
//! ```
//! use proctor_grader::verdict::{Checklist, cap, penalty};
//! use proctor_grader::{Question, Verdict, cite, criterion};
//!
//! let mut verdict = Verdict::new();
//!
//! // Partial credit, with a reason that says what is there and what is not.
//! let causes = Checklist::new()
//!     .item("the buffer size", true)
//!     .item("the list that is never cleared", true)
//!     .item("a connection for every batch", false)
//!     .item("the cycle of seven minutes", false);
//! verdict.add(
//!     criterion("root_cause", "The root cause has all four mechanisms")
//!         .category("Documentation")
//!         .max(2.0)
//!         .shared(&causes),
//! );
//! let found = verdict.criterion("root_cause").unwrap();
//! assert_eq!(found.points, Some(1.0));
//! assert_eq!(
//!     found.reason,
//!     "2 of 4. Found: the buffer size; the list that is never cleared. \
//!      Missing: a connection for every batch; the cycle of seven minutes."
//! );
//!
//! // What only taste decides is left to a judge.
//! let tone = Question::new("Is the mail warm and not dismissive?")
//!     .level(1.0, "It is.")
//!     .level(0.0, "It is curt.");
//! verdict.add(criterion("tone", "Tone").category("Mail").open(tone, "Tone was not judged."));
//!
//! // What costs points beside the criteria, where it happened.
//! verdict.adjust(penalty("fell_for_it", "Flipped the flag", 2.0).because("The flag is True."));
//! verdict.adjust(cap("leak", "Published the key", 3.0).because("The key is in `main`."));
//! verdict.thresholds(2.0, Some(1.0));
//! ```

mod checklist;

use proctor_types::citation::Citation;
use proctor_types::task::Thresholds;
use proctor_types::verdict::{
    self, Adjustment, AdjustmentKind, Criterion, Exhibit, GraderVerdict, Level, Status,
};

pub use checklist::Checklist;

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

    /// Adds something that costs points beside the criteria: list only what
    /// happened.
    pub fn adjust(&mut self, adjustment: Adjustment) {
        self.inner.adjustments.push(adjustment);
    }

    /// What costs points so far.
    pub fn adjustments(&self) -> &[Adjustment] {
        &self.inner.adjustments
    }

    /// Thresholds in points, in place of the task's own. A grader has a reason
    /// to set some where what can be reached depends on the evidence; the task's
    /// are in [`TaskInfo::thresholds`](proctor_types::TaskInfo).
    pub fn thresholds(&mut self, pass: f64, borderline: Option<f64>) {
        self.inner.thresholds = Some(Thresholds { pass, borderline });
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

/// Group in reports of the criteria that name none.
pub const CATEGORY: &str = "General";

/// Begins a criterion of one point. `id` is unique in the verdict and consists
/// of letters, digits, `_`, `-` and `.`; `title` is one line for people.
pub fn criterion(id: impl Into<String>, title: impl Into<String>) -> CriterionBuilder {
    CriterionBuilder {
        id: id.into(),
        title: title.into(),
        category: CATEGORY.to_owned(),
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
    /// Group in reports; [`CATEGORY`] where nothing is said. `rubric` is reserved
    /// for a judge's criteria.
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

    /// All points where all things of a list are met, none otherwise, and none
    /// where it has no things. The list gives the reason and citations.
    pub fn all_of(self, list: &Checklist) -> Criterion {
        let points = if list.is_complete() { self.max } else { 0.0 };
        self.checked(points, list)
    }

    /// Points by the share of the list that is met. The list gives the reason
    /// and citations.
    pub fn shared(self, list: &Checklist) -> Criterion {
        let points = self.max * list.share();
        self.checked(points, list)
    }

    fn checked(self, points: f64, list: &Checklist) -> Criterion {
        self.cites(list.citations().iter().cloned())
            .graded(points, list.reason())
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

/// A cap: no total above `points` (0 or more), whatever the criteria add up to.
pub fn cap(id: impl Into<String>, title: impl Into<String>, points: f64) -> AdjustmentBuilder {
    AdjustmentBuilder::new(id.into(), title.into(), AdjustmentKind::Cap, points)
}

/// A penalty: `points` (above 0) are taken from the total, which is never below
/// 0.
pub fn penalty(id: impl Into<String>, title: impl Into<String>, points: f64) -> AdjustmentBuilder {
    AdjustmentBuilder::new(id.into(), title.into(), AdjustmentKind::Penalty, points)
}

/// Something that costs points, before it is said why:
/// [`because`](Self::because) finishes it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an adjustment counts only once it is finished and added to the verdict"]
pub struct AdjustmentBuilder {
    inner: Adjustment,
}

impl AdjustmentBuilder {
    fn new(id: String, title: String, kind: AdjustmentKind, points: f64) -> Self {
        Self {
            inner: Adjustment {
                id,
                title,
                kind,
                points,
                reason: String::new(),
                citations: Vec::new(),
            },
        }
    }

    /// Where in the evidence it can be seen.
    pub fn cite(mut self, citation: Citation) -> Self {
        if !self.inner.citations.contains(&citation) {
            self.inner.citations.push(citation);
        }
        self
    }

    /// Where in the evidence it can be seen.
    pub fn cites(self, citations: impl IntoIterator<Item = Citation>) -> Self {
        citations.into_iter().fold(self, Self::cite)
    }

    /// What was found, in plain words.
    pub fn because(mut self, reason: impl Into<String>) -> Adjustment {
        self.inner.reason = reason.into();
        self.inner
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
    use proctor_types::world::{github, notion};

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

    /// What a probe did.
    pub fn probe(name: impl Into<String>) -> Citation {
        Citation::Probe {
            name: name.into(),
            line: None,
        }
    }

    /// A line, from 1, of what a probe wrote to standard output.
    pub fn probe_line(name: impl Into<String>, line: u64) -> Citation {
        Citation::Probe {
            name: name.into(),
            line: Some(line),
        }
    }

    /// A pull request as the agent left it.
    pub fn pull_request(repository: &str, number: u64) -> Citation {
        after(
            github::PULL_REQUEST,
            github::numbered_id(repository, number),
        )
    }

    /// An issue as the agent left it.
    pub fn issue(repository: &str, number: u64) -> Citation {
        after(github::ISSUE, github::numbered_id(repository, number))
    }

    /// A commit of a repository as the agent left it.
    pub fn commit(repository: &str, sha: &str) -> Citation {
        after(github::COMMIT, github::at_id(repository, sha))
    }

    /// A file at a branch, tag or commit of a repository as the agent left it,
    /// and a line of it from 1.
    pub fn file_at(repository: &str, reference: &str, path: &str, line: Option<u64>) -> Citation {
        after(
            github::FILE,
            github::file_id(repository, reference, path, line),
        )
    }

    /// A page as the agent left it.
    pub fn page(id: impl Into<String>) -> Citation {
        after(notion::PAGE, id)
    }

    /// A block of a page as the agent left it.
    pub fn block(id: impl Into<String>) -> Citation {
        after(notion::BLOCK, id)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_is_in_a_group_that_the_host_accepts_whether_or_not_one_is_named() {
        let made = criterion("a", "A").graded(1.0, "It is.");
        assert_eq!(made.category, CATEGORY);
        assert!(!CATEGORY.trim().is_empty() && CATEGORY != "rubric");
        let named = criterion("b", "B").category("Mail").error("It is not.");
        assert_eq!(named.category, "Mail");
    }

    #[test]
    fn a_list_that_came_out_empty_is_worth_nothing() {
        // As of a loop over what an agent did, for one that did nothing.
        let empty = Checklist::new();
        assert_eq!(criterion("a", "A").all_of(&empty).points, Some(0.0));
        assert_eq!(criterion("a", "A").shared(&empty).points, Some(0.0));
        assert!(!empty.is_complete());
        let full = empty.item("the mail", true);
        assert_eq!(criterion("a", "A").max(2.0).all_of(&full).points, Some(2.0));
    }
}
