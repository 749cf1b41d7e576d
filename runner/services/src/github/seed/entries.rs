//! What the file beside a repository's folder says, as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::super::state::Protection;

/// `NAME.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RepoFile {
    pub(super) description: Option<String>,
    pub(super) homepage: Option<String>,
    pub(super) private: bool,
    pub(super) archived: bool,
    pub(super) default_branch: Option<String>,
    /// Message, author and date of the first commit.
    pub(super) message: Option<String>,
    pub(super) author: Option<Spanned<String>>,
    pub(super) date: Option<Spanned<String>>,
    pub(super) history: Vec<Spanned<CommitEntry>>,
    pub(super) tags: BTreeMap<String, Spanned<String>>,
    pub(super) labels: Option<Vec<LabelEntry>>,
    pub(super) milestones: Vec<MilestoneEntry>,
    pub(super) issues: Vec<Spanned<IssueEntry>>,
    pub(super) pulls: Vec<Spanned<PullEntry>>,
    pub(super) protection: BTreeMap<String, Protection>,
    pub(super) collaborators: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommitEntry {
    pub(super) message: String,
    pub(super) author: Option<Spanned<String>>,
    pub(super) date: Option<Spanned<String>>,
    /// Branch that it goes to: the default one, or one that begins at `from`.
    pub(super) branch: Option<String>,
    pub(super) from: Option<String>,
    /// Text by path; nothing removes the file.
    #[serde(default)]
    pub(super) files: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelEntry {
    pub(super) name: String,
    pub(super) color: Option<String>,
    pub(super) description: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MilestoneEntry {
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) due_on: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentEntry {
    pub(super) author: Spanned<String>,
    pub(super) body: String,
    pub(super) date: Option<Spanned<String>>,
    /// For reviews: `APPROVED`, `CHANGES_REQUESTED` or `COMMENTED`.
    pub(super) state: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IssueEntry {
    pub(super) number: Option<u64>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) body: String,
    pub(super) author: Option<Spanned<String>>,
    pub(super) date: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) closed: bool,
    #[serde(default)]
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) assignees: Vec<Spanned<String>>,
    pub(super) milestone: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) comments: Vec<CommentEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PullEntry {
    pub(super) number: Option<u64>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) body: String,
    pub(super) author: Option<Spanned<String>>,
    pub(super) date: Option<Spanned<String>>,
    pub(super) head: Spanned<String>,
    pub(super) base: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) draft: bool,
    #[serde(default)]
    pub(super) closed: bool,
    /// Whether the head was merged: it must be part of the base then.
    #[serde(default)]
    pub(super) merged: bool,
    #[serde(default)]
    pub(super) labels: Vec<String>,
    #[serde(default)]
    pub(super) assignees: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) reviewers: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) comments: Vec<CommentEntry>,
    #[serde(default)]
    pub(super) reviews: Vec<CommentEntry>,
}

impl PullEntry {
    /// What it has in common with an issue.
    pub(super) fn as_issue(&self) -> IssueEntry {
        IssueEntry {
            number: self.number,
            title: self.title.clone(),
            body: self.body.clone(),
            author: self.author.clone(),
            date: self.date.clone(),
            closed: self.closed || self.merged,
            labels: self.labels.clone(),
            assignees: self.assignees.clone(),
            milestone: None,
            comments: self.comments.clone(),
        }
    }
}
