//! The objects of a snapshot, as fields that a reader understands. What only a
//! machine reads (digests, positions, times of change) is left out, so that
//! nothing counts as changed for it.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use proctor_types::WorldSnapshot;
use proctor_types::world::github::{self, ChangedFile, Comment, GitHub, Issue, PullRequest};
use proctor_types::world::notion::{self, Notion};
use proctor_types::world::{Gmail, Mail, Tasks};
use serde_json::Value;

/// An object that a citation can point at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Object {
    pub(super) kind: String,
    pub(super) id: String,
    /// For people.
    pub(super) title: String,
    /// Names and values; empty values are not there.
    pub(super) fields: Vec<(String, String)>,
}

impl Object {
    fn new(kind: &str, id: impl Display, title: impl Display) -> Self {
        Self {
            kind: kind.to_owned(),
            id: id.to_string(),
            title: title.to_string(),
            fields: Vec::new(),
        }
    }

    fn with(mut self, name: &str, value: impl Display) -> Self {
        let value = value.to_string();
        if !value.is_empty() {
            self.fields.push((name.to_owned(), value));
        }
        self
    }

    fn flag(self, name: &str, set: bool) -> Self {
        self.with(name, if set { "yes" } else { "" })
    }
}

/// All objects of a snapshot that a reader would look at, in its order.
/// Mailboxes beside the account's have what the account sent a second time.
pub(super) fn objects(world: &WorldSnapshot) -> Vec<Object> {
    let mut out = Vec::new();
    if let Some(gmail) = &world.gmail {
        mailbox(gmail, &mut out);
    }
    if let Some(tasks) = &world.tasks {
        task_lists(tasks, &mut out);
    }
    if let Some(github) = &world.github {
        repositories(github, &mut out);
    }
    if let Some(notion) = &world.notion {
        pages(notion, &mut out);
    }
    for (service, state) in &world.other {
        let mut seen = BTreeSet::new();
        unknown(service, state, &mut seen, &mut out);
    }
    out
}

fn mailbox(gmail: &Gmail, out: &mut Vec<Object>) {
    let label = |id: &String| {
        let label = gmail.labels.iter().find(|label| label.id == *id);
        label.map_or_else(|| id.clone(), |label| label.name.clone())
    };
    let mail = |object: Object, mail: &Mail| {
        let labels: Vec<_> = mail.label_ids.iter().map(label).collect();
        let files: Vec<_> = mail
            .attachments
            .iter()
            .map(|file| file.filename.clone())
            .collect();
        object
            .with("From", &mail.from)
            .with("To", mail.to.join(", "))
            .with("Cc", mail.cc.join(", "))
            .with("Bcc", mail.bcc.join(", "))
            .with("Subject", &mail.subject)
            .with("Labels", labels.join(", "))
            .with("Attachments", files.join(", "))
            .with("Text", &mail.text)
    };
    for one in &gmail.messages {
        let object = Object::new("gmail.message", &one.id, &one.subject);
        out.push(mail(object, one));
    }
    for draft in &gmail.drafts {
        let object = Object::new("gmail.draft", &draft.id, &draft.message.subject);
        out.push(mail(object, &draft.message));
    }
}

fn task_lists(tasks: &Tasks, out: &mut Vec<Object>) {
    for list in &tasks.lists {
        let object = Object::new("tasks.tasklist", &list.id, &list.title);
        out.push(object.with("Title", &list.title));
        for task in &list.tasks {
            let status = match task.status {
                proctor_types::world::TaskStatus::NeedsAction => "to do",
                proctor_types::world::TaskStatus::Completed => "completed",
            };
            let object = Object::new("tasks.task", &task.id, &task.title)
                .with("List", &list.title)
                .with("Title", &task.title)
                .with("Status", status)
                .with("Due", task.due.as_deref().unwrap_or_default())
                .with("Notes", &task.notes)
                .flag("Deleted", task.deleted);
            out.push(object);
        }
    }
}

fn repositories(github: &GitHub, out: &mut Vec<Object>) {
    for repository in &github.repositories {
        let name = &repository.full_name;
        let object = Object::new(github::REPOSITORY, name, name)
            .with("Name", name)
            .with(
                "Description",
                repository.description.as_deref().unwrap_or_default(),
            )
            .with("Default branch", &repository.default_branch)
            .flag("Archived", repository.archived);
        out.push(object);
        for (kind, refs) in [
            (github::BRANCH, &repository.branches),
            (github::TAG, &repository.tags),
        ] {
            for one in refs {
                let title = github::at_id(name, &one.name);
                let commit = repository.commits.iter().find(|it| it.sha == one.sha);
                let message = commit.map_or("", |commit| first_line(&commit.message));
                let object = Object::new(kind, &title, &title);
                out.push(object.with("At", format!("{} {message}", one.sha)));
            }
        }
        for commit in &repository.commits {
            let id = github::at_id(name, &commit.sha);
            let object = Object::new(github::COMMIT, id, first_line(&commit.message))
                .with("Repository", name)
                .with("Message", &commit.message)
                .with("Author", &commit.author.name)
                .with("Files", files(&commit.files, false));
            out.push(object);
        }
        for pull in &repository.pull_requests {
            out.push(pull_request(name, pull));
        }
        for one in &repository.issues {
            out.push(issue(name, one));
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn files(files: &[ChangedFile], patches: bool) -> String {
    let mut out = String::new();
    for file in files {
        let ChangedFile {
            filename,
            additions,
            deletions,
            patch,
            ..
        } = file;
        // Writing into a String cannot fail.
        _ = writeln!(out, "{filename} (+{additions} -{deletions})");
        if let Some(patch) = patch.as_deref().filter(|_| patches) {
            out.push_str(patch);
            out.push('\n');
        }
    }
    out
}

fn comments(comments: &[Comment]) -> String {
    let lines: Vec<_> = comments
        .iter()
        .map(|comment| format!("{}: {}", comment.user, comment.body))
        .collect();
    lines.join("\n")
}

fn state(state: github::State) -> &'static str {
    match state {
        github::State::Open => "open",
        github::State::Closed => "closed",
    }
}

fn pull_request(repository: &str, pull: &PullRequest) -> Object {
    let reviews: Vec<_> = pull
        .reviews
        .iter()
        .map(|review| format!("{} {}: {}", review.user, review.state, review.body))
        .collect();
    let on_lines: Vec<_> = pull
        .review_comments
        .iter()
        .map(|comment| format!("{} on {}: {}", comment.user, comment.path, comment.body))
        .collect();
    let id = github::numbered_id(repository, pull.number);
    let merged = if pull.merged {
        "merged"
    } else {
        state(pull.state)
    };
    Object::new(github::PULL_REQUEST, &id, format!("{id} {}", pull.title))
        .with("Title", &pull.title)
        .with("By", &pull.user)
        .with("State", merged)
        .flag("Draft", pull.draft)
        .with("From", &pull.head.name)
        .with("Into", &pull.base.name)
        .with("Labels", pull.labels.join(", "))
        .with("Assignees", pull.assignees.join(", "))
        .with("Asked for a review", pull.requested_reviewers.join(", "))
        .with("Body", &pull.body)
        .with("Reviews", reviews.join("\n"))
        .with("Comments", comments(&pull.comments))
        .with("Comments on lines", on_lines.join("\n"))
        .with("Files", files(&pull.files, true))
}

fn issue(repository: &str, issue: &Issue) -> Object {
    let id = github::numbered_id(repository, issue.number);
    let reason = issue.state_reason.as_deref().unwrap_or_default();
    Object::new(github::ISSUE, &id, format!("{id} {}", issue.title))
        .with("Title", &issue.title)
        .with("By", &issue.user)
        .with(
            "State",
            format!("{} {reason}", state(issue.state)).trim_end(),
        )
        .with("Labels", issue.labels.join(", "))
        .with("Assignees", issue.assignees.join(", "))
        .with("Milestone", issue.milestone.as_deref().unwrap_or_default())
        .with("Body", &issue.body)
        .with("Comments", comments(&issue.comments))
}

fn pages(notion: &Notion, out: &mut Vec<Object>) {
    let name = |id: &str| {
        let user = notion.users.iter().find(|user| user.id == id);
        user.map_or_else(|| id.to_owned(), |user| user.name.clone())
    };
    for page in &notion.pages {
        let mut object = Object::new(notion::PAGE, &page.id, &page.title)
            .with("Path", page.path.join(" / "))
            .flag("In the trash", page.in_trash);
        for (name, property) in &page.properties {
            object = object.with(&format!("Property {name}"), &property.text);
        }
        let comments: Vec<_> = page
            .comments
            .iter()
            .map(|comment| format!("{}: {}", name(&comment.created_by), comment.text))
            .collect();
        out.push(
            object
                .with("Text", &page.markdown)
                .with("Comments", comments.join("\n")),
        );
    }
    for database in &notion.databases {
        let columns: BTreeSet<&str> = database
            .data_sources
            .iter()
            .flat_map(|source| source.properties.keys().map(String::as_str))
            .collect();
        let columns: Vec<_> = columns.into_iter().collect();
        let object = Object::new(notion::DATABASE, &database.id, &database.title)
            .with("Path", database.path.join(" / "))
            .with("Columns", columns.join(", "))
            .flag("In the trash", database.in_trash);
        out.push(object);
    }
}

/// Objects of a service that the types do not know: the outermost values that
/// have an identifier. The recursion is as deep as the parser let the value be.
fn unknown(service: &str, value: &Value, seen: &mut BTreeSet<String>, out: &mut Vec<Object>) {
    match value {
        Value::Object(fields) => {
            let id = match fields.get("id") {
                Some(Value::String(id)) if !id.is_empty() => id.clone(),
                Some(Value::Number(id)) => id.to_string(),
                _ => {
                    for value in fields.values() {
                        unknown(service, value, seen, out);
                    }
                    return;
                }
            };
            if !seen.insert(id.clone()) {
                return;
            }
            let title = ["title", "name", "summary", "subject"]
                .iter()
                .find_map(|name| fields.get(*name).and_then(Value::as_str))
                .unwrap_or(&id);
            let mut object = Object::new(service, &id, title);
            for (name, value) in fields {
                object = match value {
                    Value::Null => object,
                    Value::String(text) => object.with(name, text),
                    other => object.with(name, other),
                };
            }
            out.push(object);
        }
        Value::Array(items) => {
            for item in items {
                unknown(service, item, seen, out);
            }
        }
        _ => {}
    }
}
