//! What is otherwise in a world after the agent than before it.

use std::collections::BTreeMap;

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
use serde::Serialize;
use serde_json::Value;

use super::purse::{List, Purse, Text};
use super::world::{Key, Object, Objects};

/// Fields that say nothing that another one does not say too.
const NOISE: [&str; 10] = [
    "last_edited_time",
    "updated",
    "updated_at",
    "history_id",
    "blocks",
    "trees",
    "etag",
    "position",
    "sequence",
    "before",
];
/// Most fields of one object that are listed.
const FIELDS: usize = 40;
/// Texts of more lines, or longer than this, are shown as a difference.
const INLINE: usize = 80;
/// Texts longer than this together are not compared.
const COMPARED: usize = 1 << 20;

/// What changed in one service.
#[derive(Debug, Serialize)]
pub(crate) struct ServiceChanges {
    service: String,
    created: usize,
    updated: usize,
    deleted: usize,
    changes: List<Change>,
}

/// One object that changed.
#[derive(Debug, Serialize)]
pub(crate) struct Change {
    /// `created`, `updated` or `deleted`.
    what: &'static str,
    kind: String,
    id: String,
    label: String,
    #[serde(skip_serializing_if = "List::is_empty")]
    fields: List<Field>,
}

/// One field that has another value.
#[derive(Debug, Serialize)]
pub(crate) struct Field {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Text>,
    /// A unified difference in place of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<Text>,
}

impl<T> List<T> {
    fn is_empty(&self) -> bool {
        self.items.is_empty() && self.cut == 0
    }
}

/// One object that is not the same before and after.
pub(crate) struct Pair<'o, 'w> {
    pub(crate) key: &'o Key,
    before: Option<&'o Object<'w>>,
    after: Option<&'o Object<'w>>,
}

impl Pair<'_, '_> {
    /// Whether it is there after the agent.
    pub(crate) fn is_after(&self) -> bool {
        self.after.is_some()
    }
}

/// All objects that are not the same before and after.
pub(crate) fn pairs<'o, 'w>(before: &'o Objects<'w>, after: &'o Objects<'w>) -> Vec<Pair<'o, 'w>> {
    let mut all: BTreeMap<&Key, (Option<&Object<'w>>, Option<&Object<'w>>)> = BTreeMap::new();
    for (key, object) in before.whole_ones() {
        all.entry(key).or_default().0 = Some(object);
    }
    for (key, object) in after.whole_ones() {
        all.entry(key).or_default().1 = Some(object);
    }
    let changed = all.into_iter().filter(|(_, (before, after))| {
        before.map(|object| object.value) != after.map(|object| object.value)
    });
    changed
        .map(|(key, (before, after))| Pair { key, before, after })
        .collect()
}

/// What changed, by service.
pub(crate) fn view(pairs: &[Pair<'_, '_>], purse: &mut Purse) -> Vec<ServiceChanges> {
    let mut services: BTreeMap<&str, Vec<&Pair<'_, '_>>> = BTreeMap::new();
    for pair in pairs {
        // Of what holds other things, only that it came or went: they have their
        // own places.
        let holds = matches!(pair.key.0.as_str(), "github.repository" | "tasks.tasklist");
        let updated = pair.before.is_some() && pair.after.is_some();
        if let Some(object) = pair.after.or(pair.before)
            && !(holds && updated)
        {
            services.entry(&object.service).or_default().push(pair);
        }
    }
    let count =
        |pairs: &[&Pair<'_, '_>], what| pairs.iter().filter(|pair| pair.what() == what).count();
    services
        .into_iter()
        .map(|(service, pairs)| ServiceChanges {
            service: service.to_owned(),
            created: count(&pairs, "created"),
            updated: count(&pairs, "updated"),
            deleted: count(&pairs, "deleted"),
            changes: purse.list(pairs, 160, |purse, pair| pair.view(purse)),
        })
        .collect()
}

impl Pair<'_, '_> {
    fn what(&self) -> &'static str {
        match (self.before, self.after) {
            (None, _) => "created",
            (_, None) => "deleted",
            _ => "updated",
        }
    }

    fn view(&self, purse: &mut Purse) -> Change {
        let (kind, id) = self.key;
        let object = self.after.or(self.before);
        Change {
            what: self.what(),
            kind: kind.clone(),
            id: id.clone(),
            label: object
                .map(|object| object.label.clone())
                .unwrap_or_default(),
            fields: match (self.before, self.after) {
                (Some(before), Some(after)) => fields(before.value, after.value, purse),
                _ => List::default(),
            },
        }
    }
}

fn fields(before: &Value, after: &Value, purse: &mut Purse) -> List<Field> {
    let mut found = Vec::new();
    differences(before, after, String::new(), &mut found);
    let listed = found.len().min(FIELDS);
    let mut list = purse.list(found.drain(..listed), 24, |purse, (name, before, after)| {
        field(name, before, after, purse)
    });
    list.cut += found.len();
    list
}

type Difference<'v> = (String, Option<&'v Value>, Option<&'v Value>);

/// Fields that differ. Lists are compared as a whole, objects field by field.
fn differences<'v>(
    before: &'v Value,
    after: &'v Value,
    name: String,
    found: &mut Vec<Difference<'v>>,
) {
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else {
        if before != after {
            found.push((name, Some(before), Some(after)));
        }
        return;
    };
    let below = |field: &str| {
        if name.is_empty() {
            field.to_owned()
        } else {
            format!("{name}.{field}")
        }
    };
    for (field, value) in old {
        if NOISE.contains(&field.as_str()) {
            continue;
        }
        match new.get(field) {
            Some(other) => differences(value, other, below(field), found),
            None => found.push((below(field), Some(value), None)),
        }
    }
    for (field, value) in new {
        if !NOISE.contains(&field.as_str()) && !old.contains_key(field) {
            found.push((below(field), None, Some(value)));
        }
    }
}

fn field(name: String, before: Option<&Value>, after: Option<&Value>, purse: &mut Purse) -> Field {
    let (old, new) = (before.map(written), after.map(written));
    if let (Some(old), Some(new)) = (&old, &new)
        && (old.len() > INLINE || new.len() > INLINE || old.contains('\n') || new.contains('\n'))
        && old.len() + new.len() <= COMPARED
    {
        return Field {
            name,
            before: None,
            after: None,
            patch: Some(purse.text(&patch(old, new))),
        };
    }
    Field {
        name,
        before: old.map(|text| purse.text(&text)),
        after: new.map(|text| purse.text(&text)),
        patch: None,
    }
}

/// A value as people read it: texts as they are, lists an item a line.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => items
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n"),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// A unified difference of two texts by lines.
fn patch(before: &str, after: &str) -> String {
    // A missing last line feed is no difference that a reader asks for.
    let (before, after) = (format!("{before}\n"), format!("{after}\n"));
    let input = InternedInput::new(before.as_str(), after.as_str());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let printer = BasicLineDiffPrinter(&input.interner);
    diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input)
        .to_string()
}
