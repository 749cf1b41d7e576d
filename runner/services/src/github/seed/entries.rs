//! What the file beside a repository's folder says, as it is written.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::super::state::Protection;
use crate::world::{SeedError, SeedFile};

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
    pub(super) files: IndexMap<String, Option<String>>,
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

/// What a commit of the history says of files, and nothing else.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Contents {
    history: Vec<Content>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Content {
    files: IndexMap<String, Option<String>>,
}

impl RepoFile {
    /// Has the history's files say what `as_is` (the YAML with every `{attempt}`
    /// that it has) says: they are a repository's files like any other, and an
    /// `{attempt}` in them is theirs.
    pub(super) fn keep_contents(&mut self, as_is: &SeedFile) -> Result<(), SeedError> {
        // Outside of quotes, braces are a map to YAML. A word is none, and this
        // one stands in no text.
        const WORD: &str = "\u{E000}attempt\u{E000}";
        let text = as_is.text()?.replace("{attempt}", WORD);
        let marked = SeedFile {
            bytes: text.into_bytes(),
            ..as_is.clone()
        };
        let Contents { history } = marked.yaml()?;
        for (entry, content) in self.history.iter_mut().zip(history) {
            let files = entry.value.files.values_mut();
            for (text, as_is) in files.zip(content.files.into_values()) {
                *text = as_is.map(|text| text.replace(WORD, "{attempt}"));
            }
        }
        Ok(())
    }
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
