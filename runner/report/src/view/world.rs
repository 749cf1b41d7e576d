//! Objects of a world's snapshot, by kind and identifier: what citations and the
//! journal point at.
//!
//! Snapshots are read as plain JSON and not by their types: one field that this
//! version does not know, or that somebody broke, must not hide all others.

use std::collections::BTreeMap;

use serde_json::Value;

/// A kind and an identifier, as in citations: `gmail.message`, `18c...`.
pub(crate) type Key = (String, String);

/// One object.
#[derive(Debug, Clone)]
pub(crate) struct Object<'w> {
    /// The object itself, or what holds it and is shown in its place.
    pub(crate) value: &'w Value,
    /// Kind and identifier of what is shown.
    pub(crate) shown: Key,
    /// A line about it.
    pub(crate) label: String,
    /// Service, or mailbox, that it is of.
    pub(crate) service: String,
    /// Whether it stands by itself among the changes of its service.
    pub(crate) is_whole: bool,
}

/// The objects of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct Objects<'w> {
    all: BTreeMap<Key, Object<'w>>,
    world: Option<&'w Value>,
}

/// Names of services that have code of their own below.
const KNOWN: [&str; 9] = [
    "schema",
    "clock",
    "account",
    "gmail",
    "mailboxes",
    "tasks",
    "github",
    "notion",
    "other",
];

impl<'w> Objects<'w> {
    /// Finds the objects of `world`.
    pub(crate) fn of(world: &'w Value) -> Self {
        let mut found = Self {
            all: BTreeMap::new(),
            world: Some(world),
        };
        found.mailbox(&world["gmail"], "gmail");
        for (address, mailbox) in entries(&world["mailboxes"]) {
            found.mailbox(mailbox, &format!("mailbox of {address}"));
        }
        for list in items(&world["tasks"]["lists"]) {
            found.whole("tasks", "tasks.tasklist", id(list), list, "title");
            for task in items(&list["tasks"]) {
                found.whole("tasks", "tasks.task", id(task), task, "title");
            }
        }
        for repository in items(&world["github"]["repositories"]) {
            found.repository(repository);
        }
        found.notion(&world["notion"]);
        for (service, state) in entries(world) {
            if !KNOWN.contains(&service.as_str()) {
                found.unknown(service, state);
            }
        }
        found
    }

    /// The object that a citation or the journal calls `kind` and `id`.
    pub(crate) fn get(&self, kind: &str, id: &str) -> Option<&Object<'w>> {
        self.all.get(&(kind.to_owned(), id.to_owned())).or_else(|| {
            // Services that the types do not know are cited as `SERVICE/ID`,
            // and named in the journal as `SERVICE.KIND`.
            let (service, _) = kind.split_once('.')?;
            self.all.get(&(service.to_owned(), id.to_owned()))
        })
    }

    /// All that stand by themselves, by kind and identifier.
    pub(crate) fn whole_ones(&self) -> impl Iterator<Item = (&Key, &Object<'w>)> {
        self.all.iter().filter(|(_, object)| object.is_whole)
    }

    /// The entry of a tree that `github.file` with this `id` names
    /// (`REPOSITORY@REF:PATH`, and `:LINE` behind it), with path and line.
    pub(crate) fn file(&self, id: &str) -> Option<(&'w Value, String, Option<u64>)> {
        let (repository, rest) = id.split_once('@')?;
        let (reference, path) = rest.split_once(':')?;
        let repository = items(&self.world?["github"]["repositories"])
            .find(|one| text(one, "full_name") == repository)?;
        let refs = items(&repository["branches"]).chain(items(&repository["tags"]));
        let sha = refs
            .filter(|one| text(one, "name") == reference)
            .map(|one| text(one, "sha"))
            .next()
            .unwrap_or(reference);
        let commit = items(&repository["commits"]).find(|one| text(one, "sha") == sha)?;
        let tree = &repository["trees"][text(commit, "tree")];
        let entry = |path: &str| items(tree).find(|one| text(one, "path") == path);
        if let Some(entry) = entry(path) {
            return Some((entry, path.to_owned(), None));
        }
        let (path, line) = path.rsplit_once(':')?;
        Some((entry(path)?, path.to_owned(), line.parse().ok()))
    }

    fn add(&mut self, kind: &str, id: impl Into<String>, object: Object<'w>) {
        let id = id.into();
        if !id.is_empty() {
            self.all.entry((kind.to_owned(), id)).or_insert(object);
        }
    }

    fn whole(&mut self, service: &str, kind: &str, id: String, value: &'w Value, title: &str) {
        let object = Object {
            value,
            shown: (kind.to_owned(), id.clone()),
            label: line(value[title].as_str().unwrap_or(&id)),
            service: service.to_owned(),
            is_whole: true,
        };
        self.add(kind, id, object);
    }

    /// An object that is shown inside of another.
    fn within(&mut self, kind: &str, id: String, holder: &Object<'w>) {
        let object = Object {
            is_whole: false,
            ..holder.clone()
        };
        self.add(kind, id, object);
    }

    fn mailbox(&mut self, mailbox: &'w Value, service: &str) {
        for mail in items(&mailbox["messages"]) {
            self.whole(service, "gmail.message", id(mail), mail, "subject");
            self.thread(mail);
        }
        for draft in items(&mailbox["drafts"]) {
            let mail = &draft["message"];
            let object = Object {
                value: mail,
                shown: ("gmail.draft".to_owned(), id(draft)),
                label: line(text(mail, "subject")),
                service: service.to_owned(),
                is_whole: true,
            };
            self.within("gmail.message", id(mail), &object);
            self.add("gmail.draft", id(draft), object);
            self.thread(mail);
        }
        for label in items(&mailbox["labels"]) {
            self.whole(service, "gmail.label", id(label), label, "name");
        }
    }

    /// A thread is shown by its first mail.
    fn thread(&mut self, mail: &'w Value) {
        if let Some(first) = self.get("gmail.message", text(mail, "id")).cloned() {
            self.within("gmail.thread", text(mail, "thread_id").to_owned(), &first);
        }
    }

    fn repository(&mut self, repository: &'w Value) {
        let name = text(repository, "full_name");
        let service = "github";
        self.whole(
            service,
            "github.repository",
            name.to_owned(),
            repository,
            "full_name",
        );
        for (list, kind, title) in [
            ("branches", "github.branch", "name"),
            ("tags", "github.tag", "name"),
            ("commits", "github.commit", "message"),
            ("labels", "github.label", "name"),
        ] {
            let called = if kind == "github.commit" {
                "sha"
            } else {
                "name"
            };
            for one in items(&repository[list]) {
                let id = format!("{name}@{}", text(one, called));
                self.whole(service, kind, id, one, title);
            }
        }
        for (list, kind) in [
            ("pull_requests", "github.pull_request"),
            ("issues", "github.issue"),
        ] {
            for one in items(&repository[list]) {
                let id = format!("{name}#{}", one["number"]);
                self.whole(service, kind, id.clone(), one, "title");
                let Some(holder) = self.get(kind, &id).cloned() else {
                    continue;
                };
                for (list, kind) in [
                    ("comments", "github.comment"),
                    ("review_comments", "github.comment"),
                    ("reviews", "github.review"),
                ] {
                    for inner in items(&one[list]) {
                        self.within(kind, inner["id"].to_string(), &holder);
                    }
                }
            }
        }
    }

    fn notion(&mut self, notion: &'w Value) {
        for page in items(&notion["pages"]) {
            let object = Object {
                value: page,
                shown: ("notion.page".to_owned(), id(page)),
                label: path(page),
                service: "notion".to_owned(),
                is_whole: true,
            };
            for (list, kind) in [("blocks", "notion.block"), ("comments", "notion.comment")] {
                for inner in items(&page[list]) {
                    self.within(kind, id(inner), &object);
                }
            }
            self.add("notion.page", id(page), object);
        }
        for database in items(&notion["databases"]) {
            let object = Object {
                value: database,
                shown: ("notion.database".to_owned(), id(database)),
                label: path(database),
                service: "notion".to_owned(),
                is_whole: true,
            };
            for source in items(&database["data_sources"]) {
                self.within("notion.data_source", id(source), &object);
            }
            self.add("notion.database", id(database), object);
        }
    }

    /// Everything with an `id`, of a service without code of its own. The
    /// recursion is as deep as the parser let the value be.
    fn unknown(&mut self, service: &str, value: &'w Value) {
        match value {
            Value::Object(fields) => {
                let own = match &value["id"] {
                    Value::String(id) => id.clone(),
                    Value::Number(id) => id.to_string(),
                    _ => String::new(),
                };
                if !own.is_empty() {
                    let title = ["title", "name", "summary", "subject", "text"]
                        .into_iter()
                        .find(|name| value[*name].is_string())
                        .unwrap_or("id");
                    self.whole(service, service, own, value, title);
                }
                for (_, inner) in fields {
                    self.unknown(service, inner);
                }
            }
            Value::Array(list) => list.iter().for_each(|one| self.unknown(service, one)),
            _ => {}
        }
    }
}

/// The items of a list; none where it is no list.
pub(crate) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A text field; empty where it is none.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn id(value: &Value) -> String {
    text(value, "id").to_owned()
}

fn path(value: &Value) -> String {
    let path: Vec<&str> = items(&value["path"]).filter_map(Value::as_str).collect();
    if path.is_empty() {
        line(text(value, "title"))
    } else {
        line(&path.join(" / "))
    }
}

/// The first line of `text`, of at most 160 bytes.
pub(crate) fn line(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first[..first.floor_char_boundary(160)].to_owned()
}
