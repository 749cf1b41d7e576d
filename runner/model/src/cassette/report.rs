//! What to say when a request is not on the cassette.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Key, Recorded};

/// Characters shown before and after a difference.
const BEFORE: usize = 30;
const AFTER: usize = 90;

/// The report: what was asked, what is nearest, and where they differ.
pub(super) fn report<'a>(
    key: &Key,
    body: &Value,
    recorded: usize,
    left: impl Iterator<Item = &'a Recorded>,
) -> String {
    let Key {
        method, host, path, ..
    } = key;
    let mut report = format!("asked {method} https://{host}{path}");
    if recorded > 0 {
        let _ = write!(
            report,
            "; this request is recorded {recorded} times and was asked once more"
        );
        return report;
    }
    let same_place =
        |it: &&Recorded| (&it.key.method, &it.key.host, &it.key.path) == (method, host, path);
    let left: Vec<_> = left.collect();
    let nearest = left
        .iter()
        .copied()
        .filter(same_place)
        .filter_map(|it| Some((it, difference(body, &it.body)?)))
        // The one that goes along with the request the farthest; of several,
        // the first.
        .rev()
        .max_by_key(|(_, difference)| difference.common);
    match nearest {
        Some((recorded, difference)) => {
            let _ = write!(
                report,
                "; nearest recorded: line {}; first difference at {}: asked {}, recorded {}",
                recorded.line, difference.at, difference.asked, difference.recorded
            );
        }
        None => match left.first() {
            Some(next) => {
                let Key {
                    method, host, path, ..
                } = &next.key;
                let _ = write!(
                    report,
                    "; nothing that is left is for that address; next recorded: line {}, \
                     {method} https://{host}{path}",
                    next.line
                );
            }
            None => report.push_str("; everything that is recorded was played"),
        },
    }
    report
}

/// Where two bodies first differ.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// JSON pointer.
    at: String,
    /// What the one has there.
    asked: String,
    /// What the other has there.
    recorded: String,
    /// How much of the bodies before it is the same, in bytes of text.
    common: usize,
}

fn difference(asked: &Value, recorded: &Value) -> Option<Difference> {
    let mut common = 0;
    differ(asked, recorded, &mut String::new(), &mut common)
}

fn differ(
    asked: &Value,
    recorded: &Value,
    at: &mut String,
    common: &mut usize,
) -> Option<Difference> {
    match (asked, recorded) {
        (Value::Object(one), Value::Object(other)) => {
            // In the order of a conversation: names in both first, in order.
            for (name, value) in one {
                let length = at.len();
                let _ = write!(at, "/{name}");
                let found = match other.get(name) {
                    Some(counterpart) => differ(value, counterpart, at, common),
                    None => Some(found(at, &brief(value), "nothing", *common)),
                };
                if found.is_some() {
                    return found;
                }
                at.truncate(length);
            }
            let missing = other.iter().find(|(name, _)| !one.contains_key(*name))?;
            let at = format!("{at}/{}", missing.0);
            Some(found(&at, "nothing", &brief(missing.1), *common))
        }
        (Value::Array(one), Value::Array(other)) => {
            for (index, (value, counterpart)) in one.iter().zip(other).enumerate() {
                let length = at.len();
                let _ = write!(at, "/{index}");
                let found = differ(value, counterpart, at, common);
                if found.is_some() {
                    return found;
                }
                at.truncate(length);
            }
            let shorter = one.len().min(other.len());
            let next = |all: &[Value]| all.get(shorter).map_or("nothing".to_owned(), brief);
            (one.len() != other.len()).then(|| {
                let at = format!("{at}/{shorter}");
                found(&at, &next(one), &next(other), *common)
            })
        }
        (Value::String(one), Value::String(other)) if one != other => {
            let same = one
                .char_indices()
                .zip(other.chars())
                .find(|((_, a), b)| a != b)
                .map_or(one.len().min(other.len()), |((at, _), _)| at);
            let common = *common + same;
            Some(found(at, &around(one, same), &around(other, same), common))
        }
        _ if asked == recorded => {
            *common += asked.as_str().map_or(1, str::len);
            None
        }
        _ => Some(found(at, &brief(asked), &brief(recorded), *common)),
    }
}

fn found(at: &str, asked: &str, recorded: &str, common: usize) -> Difference {
    Difference {
        at: if at.is_empty() { "/" } else { at }.to_owned(),
        asked: asked.to_owned(),
        recorded: recorded.to_owned(),
        common,
    }
}

/// A value in short.
fn brief(value: &Value) -> String {
    let text = value.to_string();
    let mut short: String = text.chars().take(AFTER).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// A text around one of its places, quoted.
fn around(text: &str, at: usize) -> String {
    let before: Vec<char> = text[..at].chars().rev().take(BEFORE).collect();
    let cut = before.iter().map(|it| it.len_utf8()).sum::<usize>() < at;
    let after: String = text[at..].chars().take(AFTER).collect();
    let more = after.len() < text.len() - at;
    let before: String = before.into_iter().rev().collect();
    let quoted = format!("{before}{after}");
    format!(
        "{}{:?}{}",
        if cut { "..." } else { "" },
        quoted,
        if more { "..." } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_found_and_shown() {
        let long = "x".repeat(200);
        let asked = json!({"messages": [{"content": format!("{long}hello")}], "model": "m"});
        let recorded = json!({"messages": [{"content": format!("{long}hallo")}], "model": "m"});
        let found = difference(&asked, &recorded).unwrap();
        assert_eq!(found.at, "/messages/0/content");
        assert_eq!(found.asked, format!("...\"{}hello\"", "x".repeat(29)));
        assert!(found.recorded.ends_with("hallo\""), "{}", found.recorded);
        assert_eq!(found.common, 201);

        for (one, other, at) in [
            (json!({"a": 1}), json!({"a": 1, "b": 2}), "/b"),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), "/b"),
            (json!([1, 2]), json!([1]), "/1"),
            (json!([1]), json!([1, 2]), "/1"),
            (json!(1), json!("1"), "/"),
            (json!("\u{e4}b"), json!("\u{e4}c"), "/"),
        ] {
            assert_eq!(difference(&one, &other).unwrap().at, at);
            assert_eq!(difference(&one, &one), None);
        }
    }
}
