//! What a snapshot holds, by kind and identifier: what `before:` and `after:`
//! can point at.

use std::collections::HashSet;

use proctor_types::WorldSnapshot;
use proctor_types::world::github::{self, GitHub, Repository, TreeEntry};
use proctor_types::world::notion::{self, Notion};
use proctor_types::world::{Gmail, Mail, Tasks};
use serde_json::Value;

/// What a snapshot holds: `(kind, id)`; for services that the types do not
/// know, `(service, id)`.
pub(super) type Objects = HashSet<(String, String)>;

/// Services whose objects are indexed by their exact kind.
pub(super) const TYPED: &[&str] = &["gmail", "tasks", "github", "notion"];

pub(super) fn index(world: &WorldSnapshot) -> Objects {
    let mut objects = Objects::new();
    let mut add = |kind: &str, id: &str| {
        objects.insert((kind.to_owned(), id.to_owned()));
    };
    for gmail in world.gmail.iter().chain(world.mailboxes.values()) {
        mailbox(gmail, &mut add);
    }
    if let Some(tasks) = &world.tasks {
        task_lists(tasks, &mut add);
    }
    if let Some(github) = &world.github {
        github
            .repositories
            .iter()
            .for_each(|one| repository(one, &mut add));
    }
    if let Some(notion) = &world.notion {
        pages(notion, &mut add);
    }
    for (service, state) in &world.other {
        ids(state, &mut |id| add(service, id));
    }
    objects
}

type Add<'a> = dyn FnMut(&str, &str) + 'a;

fn mailbox(gmail: &Gmail, add: &mut Add<'_>) {
    let drafts = gmail.drafts.iter();
    for draft in drafts.clone() {
        add("gmail.draft", &draft.id);
    }
    let mails = gmail.messages.iter();
    for Mail { id, thread_id, .. } in mails.chain(drafts.map(|draft| &draft.message)) {
        add("gmail.message", id);
        add("gmail.thread", thread_id);
    }
    for label in &gmail.labels {
        add("gmail.label", &label.id);
    }
}

fn task_lists(tasks: &Tasks, add: &mut Add<'_>) {
    for list in &tasks.lists {
        add("tasks.tasklist", &list.id);
        list.tasks
            .iter()
            .for_each(|task| add("tasks.task", &task.id));
    }
}

fn repository(repository: &Repository, add: &mut Add<'_>) {
    let Repository { full_name, .. } = repository;
    add(github::REPOSITORY, full_name);
    let mut at = |kind, name: &str| add(kind, &github::at_id(full_name, name));
    for branch in &repository.branches {
        at(github::BRANCH, &branch.name);
    }
    for tag in &repository.tags {
        at(github::TAG, &tag.name);
    }
    for commit in &repository.commits {
        at(github::COMMIT, &commit.sha);
    }
    for label in &repository.labels {
        at(github::LABEL, &label.name);
    }
    for pull in &repository.pull_requests {
        add(
            github::PULL_REQUEST,
            &github::numbered_id(full_name, pull.number),
        );
        for review in &pull.reviews {
            add(github::REVIEW, &review.id.to_string());
        }
        for comment in &pull.comments {
            add(github::COMMENT, &comment.id.to_string());
        }
        for comment in &pull.review_comments {
            add(github::COMMENT, &comment.id.to_string());
        }
    }
    for issue in &repository.issues {
        add(github::ISSUE, &github::numbered_id(full_name, issue.number));
        for comment in &issue.comments {
            add(github::COMMENT, &comment.id.to_string());
        }
    }
}

fn pages(notion: &Notion, add: &mut Add<'_>) {
    for page in &notion.pages {
        add(notion::PAGE, &page.id);
        for block in &page.blocks {
            add(notion::BLOCK, &block.id);
        }
        for comment in &page.comments {
            add(notion::COMMENT, &comment.id);
        }
    }
    for database in &notion.databases {
        add(notion::DATABASE, &database.id);
        for source in &database.data_sources {
            add(notion::DATA_SOURCE, &source.id);
        }
    }
}

/// Every `id` anywhere in a value. The recursion is as deep as the parser let
/// the value be.
fn ids(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(id) if name == "id" => found(id),
                    Value::Number(id) if name == "id" => found(&id.to_string()),
                    other => ids(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| ids(item, found)),
        _ => {}
    }
}

/// A file at a ref, and the line of it that the identifier names: one that
/// [`github::file_id`] made.
pub(super) fn file_at<'g>(github: &'g GitHub, id: &str) -> Option<(&'g TreeEntry, Option<u64>)> {
    let (repository, rest) = id.split_once('@')?;
    // No ref has a colon in its name.
    let (reference, path) = rest.split_once(':')?;
    let repository = github
        .repositories
        .iter()
        .find(|one| one.full_name == repository)?;
    let tree = repository.trees.get(tree_of(repository, reference)?)?;
    let entry = |path: &str| tree.iter().find(|entry| entry.path == path);
    // `a:1` may be a line of `a` or a file of that very name.
    if let Some(whole) = entry(path) {
        return Some((whole, None));
    }
    let (path, line) = path.rsplit_once(':')?;
    Some((entry(path)?, Some(line.parse().ok()?)))
}

/// The tree of a branch, tag or commit.
fn tree_of<'g>(repository: &'g Repository, reference: &str) -> Option<&'g str> {
    let refs = repository.branches.iter().chain(&repository.tags);
    let sha = refs
        .clone()
        .find(|one| one.name == reference)
        .map_or(reference, |one| &one.sha);
    let commit = repository.commits.iter().find(|commit| commit.sha == sha)?;
    Some(&commit.tree)
}
