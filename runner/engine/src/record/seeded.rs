//! What a world had in it when the agent came.

use std::fmt;

use proctor_types::WorldSnapshot;
use proctor_types::world::github::Repository;
use proctor_types::world::notion::{Notion, Parent};
use serde::{Deserialize, Serialize};

/// How much each service of a world was seeded with. A service that the world
/// does not have is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededRecord {
    /// The account's mailbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mail: Option<SeededMail>,
    /// Task lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<SeededTasks>,
    /// Pages and databases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<SeededPages>,
    /// Repositories in order of name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<SeededRepository>>,
}

/// What a mailbox was seeded with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededMail {
    /// Messages without drafts.
    pub messages: u64,
    /// Drafts.
    pub drafts: u64,
}

/// What task lists were seeded with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededTasks {
    /// Lists.
    pub lists: u64,
    /// Tasks in all lists.
    pub tasks: u64,
}

/// What a workspace of pages was seeded with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededPages {
    /// Pages that are no rows, those that only hold others included.
    pub pages: u64,
    /// Databases.
    pub databases: u64,
    /// Rows of databases.
    pub rows: u64,
}

/// What a repository was seeded with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeededRepository {
    /// Owner and name.
    pub name: String,
    /// Files of the default branch.
    pub files: u64,
    /// Commits.
    pub commits: u64,
    /// Issues.
    pub issues: u64,
    /// Pull requests.
    pub pull_requests: u64,
}

impl SeededRecord {
    /// Counts what is in `world`.
    pub fn of(world: &WorldSnapshot) -> Self {
        Self {
            mail: world.gmail.as_ref().map(|gmail| SeededMail {
                messages: gmail.messages.len() as u64,
                drafts: gmail.drafts.len() as u64,
            }),
            tasks: world.tasks.as_ref().map(|tasks| SeededTasks {
                lists: tasks.lists.len() as u64,
                tasks: tasks.lists.iter().map(|list| list.tasks.len() as u64).sum(),
            }),
            pages: world.notion.as_ref().map(pages),
            repositories: world
                .github
                .as_ref()
                .map(|github| github.repositories.iter().map(repository).collect()),
        }
    }

    /// One line for each service of the world: what it is, and how much is in
    /// it. Task lists without a task have none.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(mail) = self.mail {
            lines.push(("mail", mail.to_string()));
        }
        // Every account has an empty list.
        if let Some(tasks) = self.tasks.filter(|tasks| tasks.tasks > 0) {
            lines.push(("tasks", tasks.to_string()));
        }
        if let Some(pages) = self.pages {
            lines.push(("pages", pages.to_string()));
        }
        match self.repositories.as_deref() {
            Some([]) => lines.push(("repositories", "none".to_owned())),
            Some([one]) => lines.push(("repository", one.to_string())),
            Some(several) => {
                let all: Vec<String> = several.iter().map(ToString::to_string).collect();
                lines.push(("repositories", all.join("; ")));
            }
            None => {}
        }
        lines
    }
}

fn pages(notion: &Notion) -> SeededPages {
    let rows = notion.pages.iter().filter(|page| {
        matches!(
            page.parent,
            Parent::DatabaseId { .. } | Parent::DataSourceId { .. }
        )
    });
    let rows = rows.count() as u64;
    SeededPages {
        pages: notion.pages.len() as u64 - rows,
        databases: notion.databases.len() as u64,
        rows,
    }
}

fn repository(repository: &Repository) -> SeededRepository {
    let head = repository
        .branches
        .iter()
        .find(|branch| branch.name == repository.default_branch);
    let tree = head
        .and_then(|head| repository.commits.iter().find(|one| one.sha == head.sha))
        .and_then(|commit| repository.trees.get(&commit.tree));
    SeededRepository {
        name: repository.full_name.clone(),
        files: tree.map_or(0, |entries| entries.len() as u64),
        commits: repository.commits.len() as u64,
        issues: repository.issues.len() as u64,
        pull_requests: repository.pull_requests.len() as u64,
    }
}

/// `12 messages`, `1 message`.
fn count(number: u64, one: &str, several: &str) -> String {
    let word = if number == 1 { one } else { several };
    format!("{number} {word}")
}

impl fmt::Display for SeededMail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&count(self.messages, "message", "messages"))?;
        if self.drafts > 0 {
            write!(f, ", {}", count(self.drafts, "draft", "drafts"))?;
        }
        Ok(())
    }
}

impl fmt::Display for SeededTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks = count(self.tasks, "task", "tasks");
        write!(f, "{tasks} in {}", count(self.lists, "list", "lists"))
    }
}

impl fmt::Display for SeededPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&count(self.pages, "page", "pages"))?;
        if self.databases > 0 {
            let rows = count(self.rows, "row", "rows");
            let databases = count(self.databases, "database", "databases");
            write!(f, ", {databases} with {rows}")?;
        }
        Ok(())
    }
}

impl fmt::Display for SeededRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = count(self.files, "file", "files");
        let commits = count(self.commits, "commit", "commits");
        write!(f, "{} ({files}, {commits}", self.name)?;
        if self.issues > 0 {
            write!(f, ", {}", count(self.issues, "issue", "issues"))?;
        }
        if self.pull_requests > 0 {
            let word = count(self.pull_requests, "pull request", "pull requests");
            write!(f, ", {word}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_service_is_a_line_in_plain_words() {
        let seeded = SeededRecord {
            mail: Some(SeededMail {
                messages: 12,
                drafts: 1,
            }),
            tasks: Some(SeededTasks { lists: 1, tasks: 3 }),
            pages: Some(SeededPages {
                pages: 5,
                databases: 1,
                rows: 6,
            }),
            repositories: Some(vec![SeededRepository {
                name: "acme/hydra-0".to_owned(),
                files: 12,
                commits: 1,
                issues: 2,
                pull_requests: 0,
            }]),
        };
        let lines = seeded.lines();
        let lines: Vec<(&str, &str)> = lines
            .iter()
            .map(|(what, much)| (*what, much.as_str()))
            .collect();
        let expected = [
            ("mail", "12 messages, 1 draft"),
            ("tasks", "3 tasks in 1 list"),
            ("pages", "5 pages, 1 database with 6 rows"),
            ("repository", "acme/hydra-0 (12 files, 1 commit, 2 issues)"),
        ];
        assert_eq!(lines, expected);
        assert_eq!(SeededRecord::default().lines(), []);
        let empty = SeededRecord {
            tasks: Some(SeededTasks { lists: 1, tasks: 0 }),
            ..SeededRecord::default()
        };
        assert_eq!(empty.lines(), []);
    }
}
