//! What changed between the two snapshots of the world.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use proctor_types::citation::Moment;
use proctor_types::verdict::Exhibit;
use proctor_types::{Citation, WorldSnapshot};

use super::exhibit;
use super::objects::{Object, objects};

/// What is new, changed or gone: new and changed objects in the order of the
/// later snapshot, then those that are gone.
pub(super) fn changes(
    before: Option<&WorldSnapshot>,
    after: Option<&WorldSnapshot>,
) -> Vec<Exhibit> {
    let Some(after) = after else {
        return Vec::new();
    };
    let (then, now) = (before.map(objects).unwrap_or_default(), objects(after));
    let key = |object: &Object| (object.kind.clone(), object.id.clone());
    let earlier: BTreeMap<_, _> = then.iter().map(|object| (key(object), object)).collect();
    let there: BTreeSet<_> = now.iter().map(key).collect();
    let mut out = Vec::new();
    for object in &now {
        match earlier.get(&key(object)) {
            None => out.push(shown("New", object, Moment::After, whole(object))),
            Some(earlier) if earlier.fields != object.fields => {
                let text = changed(earlier, object);
                out.push(shown("Changed", object, Moment::After, text));
            }
            Some(_) => {}
        }
    }
    for object in then.iter().filter(|object| !there.contains(&key(object))) {
        out.push(shown("Gone", object, Moment::Before, whole(object)));
    }
    out
}

fn shown(how: &str, object: &Object, moment: Moment, text: String) -> Exhibit {
    let Object {
        kind, id, title, ..
    } = object;
    exhibit(
        &format!("{how} in the world: {kind} \"{title}\""),
        Citation::Object {
            moment,
            kind: kind.clone(),
            id: id.clone(),
        },
        text,
    )
}

fn whole(object: &Object) -> String {
    let mut out = String::new();
    for (name, value) in &object.fields {
        field(&mut out, name, value);
    }
    out
}

/// All fields as they are, and what the changed ones were before.
fn changed(then: &Object, now: &Object) -> String {
    let mut out = String::new();
    let earlier = |name: &str| then.fields.iter().find(|(found, _)| found == name);
    for (name, value) in &now.fields {
        match earlier(name) {
            Some((_, earlier)) if earlier == value => field(&mut out, name, value),
            Some((_, earlier)) => {
                field(&mut out, &format!("{name} (now)"), value);
                field(&mut out, &format!("{name} (before)"), earlier);
            }
            None => field(&mut out, &format!("{name} (new)"), value),
        }
    }
    for (name, value) in &then.fields {
        if !now.fields.iter().any(|(found, _)| found == name) {
            field(&mut out, &format!("{name} (gone, before)"), value);
        }
    }
    out
}

fn field(out: &mut String, name: &str, value: &str) {
    // Writing into a String cannot fail.
    _ = if value.contains('\n') {
        writeln!(out, "{name}:\n{}", value.trim_end())
    } else {
        writeln!(out, "{name}: {value}")
    };
}
