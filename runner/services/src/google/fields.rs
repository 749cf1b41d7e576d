//! The `fields` parameter: partial answers.
//!
//! The grammar, as <https://developers.google.com/workspace/tasks/performance#partial-response>
//! describes it:
//!
//! ```text
//! selection = field { "," field }
//! field     = name { "/" name } [ "(" selection ")" ]
//! name      = "*" | letters, digits, "_", "-", "$", "@", "."
//! ```
//!
//! Every name must be one that the answer's schema has; `*` stands for all of
//! them.

use serde_json::Value;
use winnow::ascii::space0;
use winnow::combinator::{alt, delimited, opt, separated};
use winnow::prelude::*;
use winnow::token::take_while;

use crate::google::error::{ApiError, violation};
use crate::google::method::{Api, Style};
use crate::google::schema::{Field, Shape};

/// Longest selection in bytes.
const MAX_TEXT: usize = 8192;
/// Deepest nesting of a selection. No schema of Google's needs more.
const MAX_DEPTH: usize = 24;

/// A parsed `fields` selection.
///
/// No members: everything below is selected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mask {
    members: Vec<(String, Mask)>,
}

/// What is wrong with a selection: the part of it that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMask(pub String);

impl BadMask {
    /// The error as the API renders it.
    pub(crate) fn into_error(self, style: Style) -> ApiError {
        let Self(part) = self;
        match style {
            Style::Lenient => ApiError::bad_request(
                "invalidParameter",
                format!("Invalid field selection {part}"),
            )
            .at("parameter", "fields")
            .without_status(),
            Style::Strict => {
                let why = format!(
                    "Error expanding 'fields' parameter. Cannot find matching fields for path \
                     '{part}'."
                );
                ApiError::bad_request("badRequest", "Request contains an invalid argument.")
                    .detail(violation(&part, &why))
            }
        }
    }
}

impl Mask {
    /// Reads a selection. Blanks around names are allowed: clients write
    /// `items(id, title)`.
    pub fn parse(text: &str) -> Result<Self, BadMask> {
        let bad = || BadMask(shortened(text));
        if text.len() > MAX_TEXT {
            return Err(bad());
        }
        let mut mask = Self::default();
        let selected = whole_selection.parse(text).map_err(|_| bad())?;
        for Selected { names, below } in selected {
            mask.add(&names, below);
        }
        if mask.depth() > MAX_DEPTH {
            return Err(bad());
        }
        Ok(mask)
    }

    /// Whether everything is selected.
    fn is_all(&self) -> bool {
        self.members.is_empty()
    }

    fn depth(&self) -> usize {
        self.members
            .iter()
            .map(|(_, below)| 1 + below.depth())
            .max()
            .unwrap_or(0)
    }

    /// Adds `names[0]/names[1]/...(below)`.
    fn add(&mut self, names: &[&str], below: Vec<Selected<'_>>) {
        let Some((first, rest)) = names.split_first() else {
            for Selected { names, below } in below {
                self.add(&names, below);
            }
            return;
        };
        let known = self.members.iter().position(|(name, _)| name == first);
        let leaf = rest.is_empty() && below.is_empty();
        match known.and_then(|at| self.members.get_mut(at)) {
            // `a,a/b`: all of `a` was asked for already, or is now.
            Some((_, mask)) if mask.is_all() => {}
            Some((_, mask)) if leaf => *mask = Self::default(),
            Some((_, mask)) => mask.add(rest, below),
            None => {
                let mut mask = Self::default();
                mask.add(rest, below);
                self.members.push(((*first).to_owned(), mask));
            }
        }
    }

    /// Refuses names that `schema` does not have.
    pub(crate) fn check(&self, api: &Api, schema: &str) -> Result<(), BadMask> {
        match api.schema(schema) {
            Some(schema) => self.check_fields(api, schema.fields, ""),
            None => Ok(()),
        }
    }

    fn check_fields(&self, api: &Api, fields: &[Field], at: &str) -> Result<(), BadMask> {
        for (name, below) in &self.members {
            let path = if at.is_empty() {
                name.clone()
            } else {
                format!("{at}/{name}")
            };
            let mut found = false;
            for field in fields
                .iter()
                .filter(|field| name == "*" || field.name == name)
            {
                // What `*` does not fit is not in the selection, and no error.
                let fits = below.check_shape(api, field.shape, &path);
                if name != "*" {
                    fits?;
                }
                found = true;
            }
            if !found {
                return Err(BadMask(path));
            }
        }
        Ok(())
    }

    fn check_shape(&self, api: &Api, shape: Shape, at: &str) -> Result<(), BadMask> {
        match shape {
            _ if self.is_all() => Ok(()),
            Shape::Any | Shape::Map(_) => Ok(()),
            Shape::List(item) => self.check_shape(api, *item, at),
            Shape::Object(fields) => self.check_fields(api, fields, at),
            Shape::Ref(id) => match api.schema(id) {
                Some(schema) => self.check_fields(api, schema.fields, at),
                None => Ok(()),
            },
            _ => Err(BadMask(match self.members.first() {
                Some((name, _)) => format!("{at}/{name}"),
                None => at.to_owned(),
            })),
        }
    }

    /// Leaves in `value` only what is selected. Lists are gone through; their
    /// elements stay, even where nothing is left in them.
    pub fn apply(&self, value: &mut Value) {
        if self.is_all() {
            return;
        }
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.apply(item)),
            Value::Object(map) => map.retain(|name, member| {
                let Some(below) = self.below(name) else {
                    return false;
                };
                // `a/b` where `a` is no object: the schema said it could be.
                if !below.is_all() && !member.is_object() && !member.is_array() {
                    return false;
                }
                below.apply(member);
                true
            }),
            _ => {}
        }
    }

    fn below(&self, name: &str) -> Option<&Self> {
        let find = |wanted| self.members.iter().find(|(member, _)| member == wanted);
        let star = find("*").map(|(_, below)| below);
        match star {
            Some(all) if all.is_all() => star,
            _ => find(name).map(|(_, below)| below).or(star),
        }
    }
}

/// `a/b/c(...)` as it was written.
struct Selected<'a> {
    names: Vec<&'a str>,
    below: Vec<Self>,
}

fn whole_selection<'a>(input: &mut &'a str) -> winnow::Result<Vec<Selected<'a>>> {
    selection(input, MAX_DEPTH)
}

/// `a,b/c,d(e)`, with at most `depth` pairs of parentheses inside each other.
fn selection<'a>(input: &mut &'a str, depth: usize) -> winnow::Result<Vec<Selected<'a>>> {
    separated(1.., |input: &mut &'a str| field(input, depth), ',').parse_next(input)
}

fn field<'a>(input: &mut &'a str, depth: usize) -> winnow::Result<Selected<'a>> {
    let names = separated(1..=MAX_DEPTH, name, '/').parse_next(input)?;
    let Some(depth) = depth.checked_sub(1) else {
        return Ok(Selected {
            names,
            below: Vec::new(),
        });
    };
    let inner = |input: &mut &'a str| selection(input, depth);
    let below = opt(delimited('(', inner, (')', space0))).parse_next(input)?;
    Ok(Selected {
        names,
        below: below.unwrap_or_default(),
    })
}

fn name<'a>(input: &mut &'a str) -> winnow::Result<&'a str> {
    let word = take_while(1.., |c: char| {
        c.is_ascii_alphanumeric() || "_-$@.".contains(c)
    });
    delimited(space0, alt(("*", word)), space0).parse_next(input)
}

/// A selection as an error quotes it.
fn shortened(text: &str) -> String {
    if text.chars().nth(80).is_none() {
        return text.to_owned();
    }
    text.chars().take(80).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::google::tasks;

    fn masked(text: &str, mut value: Value) -> Value {
        Mask::parse(text).unwrap().apply(&mut value);
        value
    }

    fn answer() -> Value {
        json!({
            "kind": "tasks#tasks",
            "items": [
                {"id": "1", "title": "a", "links": [{"type": "email", "link": "l"}]},
                {"id": "2", "links": []},
            ],
            "nextPageToken": "t",
        })
    }

    #[test]
    fn names_paths_and_parentheses_select() {
        for (mask, wanted) in [
            ("nextPageToken", json!({"nextPageToken": "t"})),
            (
                "items(id,title),kind",
                json!({
                    "kind": "tasks#tasks",
                    "items": [{"id": "1", "title": "a"}, {"id": "2"}],
                }),
            ),
            ("items/id", json!({"items": [{"id": "1"}, {"id": "2"}]})),
            (
                "items/links/type",
                json!({"items": [{"links": [{"type": "email"}]}, {"links": []}]}),
            ),
            (
                "items(links(link))",
                json!({"items": [{"links": [{"link": "l"}]}, {"links": []}]}),
            ),
            (
                "items/links(type),items/id",
                json!({
                    "items": [{"id": "1", "links": [{"type": "email"}]}, {"id": "2", "links": []}],
                }),
            ),
            ("etag", json!({})),
            ("items/title", json!({"items": [{"title": "a"}, {}]})),
            ("*", answer()),
            ("*,items(id)", answer()),
            ("items,items(id)", json!({"items": answer()["items"]})),
            ("items(id),items", json!({"items": answer()["items"]})),
            (
                " items ( id , title ) , kind ",
                json!({
                    "kind": "tasks#tasks",
                    "items": [{"id": "1", "title": "a"}, {"id": "2"}],
                }),
            ),
            ("*/id", json!({"items": [{"id": "1"}, {"id": "2"}]})),
        ] {
            assert_eq!(masked(mask, answer()), wanted, "{mask}");
        }
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        for text in [
            "", " ", ",", "a,", ",a", "a,,b", "a/", "/a", "a//b", "a(", "a()", "a(b", "a)b",
            "a(b))", "(a)", "a(b)c", "a(b)/c", "a b", "a;b", "a[0]", "é", "a\0", "**",
        ] {
            assert_eq!(Mask::parse(text), Err(BadMask(text.to_owned())), "{text:?}");
        }
    }

    #[test]
    fn bombs_are_refused_without_effort() {
        let deep = format!("{}a{}", "a(".repeat(4000), ")".repeat(4000));
        let open = "a(".repeat(4000);
        let path = vec!["a"; 4000].join("/");
        let wide = vec!["a"; 100_000].join(",");
        for text in [deep, open, path, wide] {
            let BadMask(part) = Mask::parse(&text).unwrap_err();
            assert!(part.len() < 100, "{}", part.len());
        }
        // Many different names are only many.
        let names: Vec<_> = (0..1000).map(|n| format!("a{n}")).collect();
        Mask::parse(&names.join(",")).unwrap();
    }

    #[test]
    fn a_selection_is_checked_against_the_schema() {
        let check = |text: &str| Mask::parse(text).unwrap().check(&tasks::API, "Tasks");
        for good in [
            "items(id,links(type)),nextPageToken",
            "*",
            "items/*",
            "items/assignmentInfo/*",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, part) in [
            ("bogus", "bogus"),
            ("items(id,bogus)", "items/bogus"),
            ("items/links/bogus", "items/links/bogus"),
            ("kind/x", "kind/x"),
            ("pagetoken,items(id)", "pagetoken"),
            ("*/bogus/x,nope", "nope"),
        ] {
            assert_eq!(check(bad), Err(BadMask(part.to_owned())), "{bad}");
        }
    }

    #[test]
    fn both_generations_have_their_error() {
        let lenient = BadMask("x".to_owned()).into_error(Style::Lenient).to_json();
        assert_eq!(lenient["error"]["message"], "Invalid field selection x");
        assert_eq!(lenient["error"]["errors"][0]["reason"], "invalidParameter");
        let strict = BadMask("x".to_owned()).into_error(Style::Strict).to_json();
        assert_eq!(
            strict["error"]["details"][0]["fieldViolations"][0]["field"],
            "x"
        );
    }
}
