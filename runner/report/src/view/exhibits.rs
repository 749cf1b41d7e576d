//! What citations point at: objects of the world and files, each once.

use std::collections::BTreeMap;

use cap_std::fs::Dir;
use proctor_types::bundle;
use proctor_types::citation::{Citation, Moment};
use serde::Serialize;
use serde_json::{Map, Value};

use super::purse::{Purse, Text};
use super::world::{Objects, items, line, text};
use crate::limits;
use crate::read::files;

/// Lines before and after a cited line of a long file.
const AROUND: usize = 80;
/// Files up to this length are shown whole.
const SHORT: usize = 24 << 10;

/// Objects and files that something points at.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Exhibits {
    /// By `MOMENT:KIND/ID`.
    objects: BTreeMap<String, Shown>,
    /// By `workspace:PATH`, `fixtures:PATH` or `MOMENT:github.file/ID` without
    /// the line.
    files: BTreeMap<String, FileText>,
    /// Everything cited, by the citation as it is written.
    cited: BTreeMap<String, Target>,
}

#[derive(Debug, Serialize)]
struct Shown {
    kind: String,
    id: String,
    at: &'static str,
    label: String,
    data: Value,
}

/// A file, or the lines around a cited one.
#[derive(Debug, Serialize)]
struct FileText {
    path: String,
    bytes: u64,
    /// Number of the first line that is here.
    first: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text>,
    /// Lines behind those that are here.
    more: usize,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Where a citation leads.
#[derive(Debug, Serialize)]
#[serde(tag = "to", rename_all = "snake_case")]
enum Target {
    Object {
        key: String,
        label: String,
        /// The object inside of it that was cited, and a line about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        focus: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
    },
    File {
        key: String,
        label: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
    },
    Journal {
        n: u64,
    },
    Transcript {
        n: u64,
    },
    Probe {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u64>,
    },
    Nowhere {
        why: String,
    },
}

/// Finds and collects exhibits of one trial.
pub(crate) struct Collector<'a> {
    /// `evidence/` of the trial.
    pub(crate) evidence: Option<&'a Dir>,
    pub(crate) before: &'a Objects<'a>,
    pub(crate) after: &'a Objects<'a>,
    pub(crate) exhibits: Exhibits,
}

impl Collector<'_> {
    /// Resolves a citation as it is written in a verdict.
    pub(crate) fn cite(&mut self, citation: &str, purse: &mut Purse) {
        if self.exhibits.cited.contains_key(citation) || !purse.pay(2 * citation.len() + 80) {
            return;
        }
        let target = match citation.parse::<Citation>() {
            Ok(parsed) => self.target(&parsed, purse),
            Err(error) => Target::Nowhere {
                why: error.to_string(),
            },
        };
        self.exhibits.cited.insert(citation.to_owned(), target);
    }

    fn target(&mut self, citation: &Citation, purse: &mut Purse) -> Target {
        match citation {
            Citation::Journal(n) => Target::Journal { n: *n },
            Citation::Transcript(n) => Target::Transcript { n: *n },
            Citation::Probe { name, line } => Target::Probe {
                name: name.clone(),
                line: *line,
            },
            Citation::Workspace { path, line } => {
                self.file("workspace", bundle::WORKSPACE_DIR, path, *line, purse)
            }
            Citation::Fixture { path, line } => {
                self.file("fixtures", bundle::FIXTURES_DIR, path, *line, purse)
            }
            Citation::Object { moment, kind, id } if kind == "github.file" => {
                self.blob(*moment, id, purse)
            }
            Citation::Object { moment, kind, id } => match self.object(*moment, kind, id, purse) {
                Some((key, label, whole)) => Target::Object {
                    key,
                    label,
                    focus: (!whole).then(|| id.clone()),
                    part: self.part(*moment, kind, id).filter(|_| !whole),
                },
                None => Target::Nowhere {
                    why: format!("the world {} the agent has no {kind} {id}", word(*moment)),
                },
            },
        }
    }

    /// Collects an object: its key, a line about it, and whether it is itself
    /// what is shown.
    pub(crate) fn object(
        &mut self,
        moment: Moment,
        kind: &str,
        id: &str,
        purse: &mut Purse,
    ) -> Option<(String, String, bool)> {
        let objects = match moment {
            Moment::Before => self.before,
            Moment::After => self.after,
        };
        let object = objects.get(kind, id)?;
        let (shown_kind, shown_id) = &object.shown;
        let key = format!("{}:{shown_kind}/{shown_id}", word(moment));
        let label = object.label.clone();
        let whole = shown_id == id;
        if !self.exhibits.objects.contains_key(&key) && purse.pay(2 * key.len() + label.len()) {
            let shown = Shown {
                kind: shown_kind.clone(),
                id: shown_id.clone(),
                at: word(moment),
                label: label.clone(),
                data: purse.value(&slim(shown_kind, object.value)),
            };
            self.exhibits.objects.insert(key.clone(), shown);
        }
        Some((key, label, whole))
    }

    /// A line about something inside of an object: the text of a block.
    fn part(&self, moment: Moment, kind: &str, id: &str) -> Option<String> {
        let value = self.objects(moment).get(kind, id)?.value;
        let lists = ["blocks", "comments", "reviews", "review_comments"];
        let mut inner = lists.into_iter().flat_map(|list| items(&value[list]));
        let found = inner.find(|one| match &one["id"] {
            Value::String(own) => own == id,
            Value::Number(own) => id.parse().is_ok_and(|id: u64| own.as_u64() == Some(id)),
            _ => false,
        })?;
        let cells: Vec<&str> = items(&found["cells"]).filter_map(Value::as_str).collect();
        [text(found, "text"), text(found, "body"), &cells.join(" | ")]
            .into_iter()
            .map(line)
            .find(|said| !said.is_empty())
    }

    fn objects(&self, moment: Moment) -> &Objects<'_> {
        match moment {
            Moment::Before => self.before,
            Moment::After => self.after,
        }
    }

    fn file(
        &mut self,
        scheme: &str,
        folder: &str,
        path: &str,
        line: Option<u64>,
        purse: &mut Purse,
    ) -> Target {
        let mut found = (path.to_owned(), line);
        let mut file = format!("{folder}/{path}");
        if let (Some(dir), Some(n)) = (self.evidence, line)
            // `a:1` may be a line of `a` or a file of that very name.
            && dir.symlink_metadata(&file).is_err()
            && dir.symlink_metadata(format!("{file}:{n}")).is_ok()
        {
            file = format!("{file}:{n}");
            found = (format!("{path}:{n}"), None);
        }
        let (path, line) = found;
        self.load(format!("{scheme}:{path}"), &path, &file, line, purse)
    }

    fn blob(&mut self, moment: Moment, id: &str, purse: &mut Purse) -> Target {
        let objects = match moment {
            Moment::Before => self.before,
            Moment::After => self.after,
        };
        let Some((entry, path, line)) = objects.file(id) else {
            return Target::Nowhere {
                why: format!("the repositories {} the agent have no {id}", word(moment)),
            };
        };
        let sha256 = text(entry, "sha256");
        if sha256.is_empty() || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Target::Nowhere {
                why: format!("the content of {path} was not kept"),
            };
        }
        let file = format!("{}/{sha256}", bundle::BLOBS_DIR);
        let bare = line.map_or(id, |line: u64| {
            id.strip_suffix(&format!(":{line}")).unwrap_or(id)
        });
        let key = format!("{}:github.file/{bare}", word(moment));
        let reference = id
            .split_once('@')
            .and_then(|(_, rest)| rest.split_once(':'));
        let reference = reference.map_or("", |(reference, _)| reference);
        let mut target = self.load(key, &path, &file, line, purse);
        if let Target::File { label, .. } = &mut target {
            let is_sha = reference.len() == 40 && reference.bytes().all(|b| b.is_ascii_hexdigit());
            let short = if is_sha { &reference[..7] } else { reference };
            *label = format!("{label} at {short}");
        }
        target
    }

    fn load(
        &mut self,
        key: String,
        path: &str,
        file: &str,
        line: Option<u64>,
        purse: &mut Purse,
    ) -> Target {
        let label = line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"));
        let known = self.exhibits.files.get(&key);
        if !known.is_some_and(|known| known.has(line)) && purse.pay(2 * key.len() + 80) {
            let loaded = self.evidence.map_or_else(
                || FileText::absent(path, "the trial has no evidence".to_owned()),
                |dir| FileText::read(dir, file, path, line, purse),
            );
            // A second window of a long file stands beside the first.
            let key = if known.is_some() {
                label.clone()
            } else {
                key.clone()
            };
            self.exhibits.files.insert(key.clone(), loaded);
            return Target::File { key, label, line };
        }
        Target::File { key, label, line }
    }
}

impl FileText {
    fn absent(path: &str, why: String) -> Self {
        Self {
            path: path.to_owned(),
            bytes: 0,
            first: 1,
            text: None,
            more: 0,
            why: Some(why),
        }
    }

    fn read(dir: &Dir, file: &str, path: &str, line: Option<u64>, purse: &mut Purse) -> Self {
        let head = match files::head(dir, file, limits::FILE_BYTES) {
            Ok(head) => head,
            Err(error) => return Self::absent(path, error.to_string()),
        };
        if head.bytes.iter().take(8192).any(|byte| *byte == 0) {
            return Self {
                bytes: head.length,
                ..Self::absent(path, "it is no text".to_owned())
            };
        }
        let content = String::from_utf8_lossy(&head.bytes);
        let cited = line
            .and_then(|line| usize::try_from(line).ok())
            .unwrap_or(1);
        let (first, shown, more) = window(&content, cited);
        Self {
            path: path.to_owned(),
            bytes: head.length,
            first,
            text: Some(purse.text_of(shown, SHORT)),
            more,
            why: None,
        }
    }

    fn has(&self, line: Option<u64>) -> bool {
        let Some(line) = line.and_then(|line| usize::try_from(line).ok()) else {
            return true;
        };
        let lines = match &self.text {
            Some(Text::Whole(text) | Text::Cut { t: text, .. }) => text.lines().count(),
            None => return true,
        };
        (self.first..self.first + lines).contains(&line)
    }
}

/// The part of `content` to show where line `cited` matters: number of its first
/// line, the part, and how many lines follow it.
fn window(content: &str, cited: usize) -> (usize, &str, usize) {
    if content.len() <= SHORT {
        return (1, content, 0);
    }
    let first = cited.saturating_sub(AROUND).max(1);
    let mut starts = std::iter::once(0).chain(content.match_indices('\n').map(|(at, _)| at + 1));
    let begin = starts.nth(first - 1).unwrap_or(0);
    let end = starts.nth(2 * AROUND - 1).unwrap_or(content.len());
    let shown = &content[begin..end];
    (first, shown, content[end..].lines().count())
}

/// An object without what only repeats other parts of it.
fn slim(kind: &str, value: &Value) -> Value {
    let drop: &[&str] = match kind {
        "notion.page" => &["markdown"],
        "github.repository" => &["trees", "commits", "pull_requests", "issues"],
        "tasks.tasklist" => &["tasks"],
        "gmail.message" | "gmail.draft" => &["html", "headers"],
        _ => &[],
    };
    let Some(fields) = value.as_object() else {
        return value.clone();
    };
    let kept = fields
        .iter()
        .filter(|(name, _)| !drop.contains(&name.as_str()));
    let kept = kept.map(|(name, value)| {
        let slimmer = match (kind, name.as_str()) {
            ("notion.page", "blocks") => without(value, &["content", "last_edited_time"]),
            ("notion.page", "properties") => {
                let properties = value.as_object().into_iter().flatten();
                let texts = properties.map(|(name, one)| (name.clone(), one["text"].clone()));
                Value::Object(texts.collect())
            }
            // Patches say it.
            ("github.pull_request" | "github.commit", "files") => {
                without(value, &["before", "after"])
            }
            _ => value.clone(),
        };
        (name.clone(), slimmer)
    });
    Value::Object(kept.collect::<Map<_, _>>())
}

fn without(list: &Value, names: &[&str]) -> Value {
    let Some(items) = list.as_array() else {
        return list.clone();
    };
    let each = items.iter().map(|item| match item {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .filter(|(name, _)| !names.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        ),
        other => other.clone(),
    });
    Value::Array(each.collect())
}

/// The moment as it stands in citations.
pub(crate) fn word(moment: Moment) -> &'static str {
    match moment {
        Moment::Before => "before",
        Moment::After => "after",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_shown_around_the_cited_line() {
        let lines: Vec<String> = (1..=5000).map(|n| format!("line {n}\n")).collect();
        let content = lines.concat();
        let (first, shown, more) = window(&content, 2500);
        assert_eq!(first, 2420);
        assert!(
            shown.starts_with("line 2420\n") && shown.ends_with("line 2579\n"),
            "{shown}"
        );
        assert_eq!(more, 5000 - 2579);
        let (first, shown, more) = window(&content, 4990);
        assert!(shown.ends_with("line 5000\n"));
        assert_eq!((first, more), (4910, 0));
        assert_eq!(window("short", 99), (1, "short", 0));
    }
}
