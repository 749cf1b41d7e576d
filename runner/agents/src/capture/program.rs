//! The body of the program `proctor-capture`.
//!
//! `proctor-capture FILTER` reads one JSON document from standard input and
//! writes the filter's one value to standard output. It exits with 0, or with
//! [`REFUSED`] and one line on standard error. Anything else means that it ran
//! into a limit, which it sets itself before it looks at its input.

use std::io::{Read, Write};

use jaq_core::load::{Arena, File, Loader, lex, parse};
use jaq_core::{Compiler, Ctx, Vars, data, load};
use jaq_json::Val;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{MAX_FILTER_BYTES, MAX_VALUE_BYTES};

/// Exit code for a filter or a document that is wrong.
pub const REFUSED: i32 = 1;
/// Address space in bytes.
pub const MEMORY_LIMIT_BYTES: u64 = 512 << 20;
/// Processor time in seconds.
pub const CPU_LIMIT_SECONDS: u64 = 2;
/// Bytes that a document may have.
pub const MAX_DOCUMENT_BYTES: usize = 16 << 20;

/// Runs the program with its command line, and gives its exit code.
///
/// # Errors
/// With the line for standard error.
pub fn main(
    mut arguments: impl Iterator<Item = String>,
    input: impl Read,
    output: &mut impl Write,
) -> Result<(), String> {
    let (Some(filter), None) = (arguments.next(), arguments.next()) else {
        return Err("usage: proctor-capture FILTER < document.json".to_owned());
    };
    limit()?;
    let mut document = Vec::new();
    input
        .take(MAX_DOCUMENT_BYTES as u64 + 1)
        .read_to_end(&mut document)
        .map_err(|error| format!("cannot read the document: {error}"))?;
    let value = evaluate(&filter, &document)?;
    output
        .write_all(value.as_bytes())
        .and_then(|()| output.flush())
        .map_err(|error| format!("cannot write the value: {error}"))
}

/// Bounds memory, processor time and core dumps of this process.
fn limit() -> Result<(), String> {
    let limits = [
        (Resource::As, MEMORY_LIMIT_BYTES),
        (Resource::Cpu, CPU_LIMIT_SECONDS),
        (Resource::Core, 0),
    ];
    for (resource, wanted) in limits {
        // The room may be stricter already, and a limit is not to be raised.
        let hard = getrlimit(resource)
            .maximum
            .map_or(wanted, |hard| hard.min(wanted));
        setrlimit(
            resource,
            Rlimit {
                current: Some(hard),
                maximum: Some(hard),
            },
        )
        .map_err(|error| format!("cannot limit this process: {error}"))?;
    }
    Ok(())
}

/// The one value of `filter` over `document`. Nothing here bounds the time or
/// the memory that the filter takes; see [`main`].
///
/// # Errors
/// With one line that says what is wrong with the document or the filter.
pub fn evaluate(filter: &str, document: &[u8]) -> Result<String, String> {
    if filter.len() > MAX_FILTER_BYTES {
        return Err(format!("the filter has more than {MAX_FILTER_BYTES} bytes"));
    }
    if document.len() > MAX_DOCUMENT_BYTES {
        return Err(format!(
            "the output has more than {MAX_DOCUMENT_BYTES} bytes"
        ));
    }
    let input = read(document)?;
    let arena = Arena::default();
    let defs = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs());
    let modules = Loader::new(defs)
        .load(
            &arena,
            File {
                code: filter,
                path: (),
            },
        )
        .map_err(|errors| format!("the filter is not jq: {}", load_problem(errors)))?;
    let funs = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs());
    let compiled = Compiler::default()
        .with_funs(funs)
        .compile(modules)
        .map_err(|errors| format!("the filter is not jq: {}", undefined(&errors)))?;
    let ctx = Ctx::<data::JustLut<Val>>::new(&compiled.lut, Vars::new([]));
    let mut values = compiled.id.run((ctx, input));
    let mut next = || {
        values
            .next()
            .map(|value| value.map_err(|exception| failed(exception)))
    };
    let value = next().ok_or("the filter gave no value")??;
    if next().is_some() {
        return Err(
            "the filter gave more than one value: take one with `first(...)`, or put them in `[...]`"
                .to_owned(),
        );
    }
    text(&value)
}

fn read(document: &[u8]) -> Result<Val, String> {
    if document.trim_ascii().is_empty() {
        return Err("the command printed nothing on standard output: expected JSON".to_owned());
    }
    serde_json::from_slice(document)
        .map_err(|error| format!("the command's standard output is not one JSON document: {error}"))
}

fn text(value: &Val) -> Result<String, String> {
    let text = match value {
        Val::Null => {
            return Err("the filter gave null: the document has no such value".to_owned());
        }
        Val::TStr(bytes) | Val::BStr(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => other.to_string(),
    };
    if text.len() > MAX_VALUE_BYTES {
        return Err(format!("the value has more than {MAX_VALUE_BYTES} bytes"));
    }
    if text.contains('\0') {
        return Err("the value has a NUL character, which no command line can hold".to_owned());
    }
    Ok(text)
}

fn failed(exception: jaq_core::Exn<'_, Val>) -> String {
    match exception.get_err() {
        Ok(error) => format!("the filter failed: {error}"),
        Err(_) => "the filter stopped itself with `halt`".to_owned(),
    }
}

fn load_problem(errors: load::Errors<&str, ()>) -> String {
    let first = errors.into_iter().next().map(|(_, error)| error);
    match first {
        Some(load::Error::Lex(errors)) => errors.first().map_or_else(String::new, lexed),
        Some(load::Error::Parse(errors)) => errors.first().map_or_else(String::new, parsed),
        Some(load::Error::Io(_)) => "modules cannot be imported".to_owned(),
        None => "it cannot be loaded".to_owned(),
    }
}

fn lexed((expected, found): &lex::Error<&str>) -> String {
    format!("expected {}, found {}", expected.as_str(), quoted(found))
}

fn parsed((expected, found): &parse::Error<&str>) -> String {
    format!("expected {}, found {}", expected.as_str(), quoted(found))
}

fn undefined(errors: &jaq_core::compile::Errors<&str, ()>) -> String {
    errors
        .iter()
        .flat_map(|(_, errors)| errors)
        .next()
        .map_or_else(
            || "it cannot be compiled".to_owned(),
            |(name, kind)| format!("there is no {} `{name}`", kind.as_str()),
        )
}

fn quoted(found: &str) -> String {
    if found.is_empty() {
        "its end".to_owned()
    } else {
        format!("`{found}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(filter: &str, document: &str) -> Result<String, String> {
        evaluate(filter, document.as_bytes())
    }

    #[test]
    fn strings_are_plain_and_everything_else_is_compact_json() {
        let document = r#"{"messages": [{"id": "18f0", "n": 7, "big": 12345678901234567890, "on": true}], "q": "a \"b\"\n"}"#;
        for (filter, expected) in [
            (".messages[0].id", "18f0"),
            (".messages[0].n", "7"),
            (".messages[0].big", "12345678901234567890"),
            (".messages[0].on", "true"),
            (".q", "a \"b\"\n"),
            ("[.messages[] | {id, n}]", r#"[{"id":"18f0","n":7}]"#),
            (".messages | map(.id) | join(\",\")", "18f0"),
            (".messages | length", "1"),
            (
                "first(.messages[] | select(.id | startswith(\"18\")) | .id)",
                "18f0",
            ),
            (".absent // \"none\"", "none"),
        ] {
            assert_eq!(value(filter, document).as_deref(), Ok(expected), "{filter}");
        }
    }

    #[test]
    fn every_refusal_says_what_is_wrong() {
        for (filter, document, expected) in [
            (".a", "{}", "gave null"),
            (".[]", "[]", "gave no value"),
            (".[]", "[1, 2]", "more than one value"),
            (".a.b", r#"{"a": 1}"#, "the filter failed: "),
            (".a |", "{}", "is not jq: expected"),
            ("(.a", "{}", "is not jq: expected closing parenthesis"),
            ("nosuch", "{}", "there is no filter `nosuch`"),
            ("$x", "{}", "there is no variable `$x`"),
            ("include \"x\"; .", "{}", "is not jq"),
            ("error(\"no\")", "{}", "the filter failed: \"no\""),
            ("halt", "{}", "stopped itself"),
            (".", "", "printed nothing"),
            (".", "hello", "not one JSON document"),
            (".", "{} {}", "not one JSON document"),
            (".", "{\"a\": nan}", "not one JSON document"),
            (".", "\"\\u0000\"", "NUL"),
            ("\"x\" * 70000", "{}", "more than 65536 bytes"),
        ] {
            let error = value(filter, document).unwrap_err();
            assert!(
                error.contains(expected),
                "{filter} over {document} gave {error}"
            );
        }
        assert!(
            evaluate(".", b"\"\xff\"")
                .unwrap_err()
                .contains("not one JSON document")
        );
        assert!(value(&" ".repeat(MAX_FILTER_BYTES + 1), "1").is_err());
        assert!(
            value(".", &"[".repeat(1_000_000))
                .unwrap_err()
                .contains("recursion limit")
        );
    }
}
