//! Workflow commands of GitHub Actions: lines of standard output that the
//! runner of a workflow turns into annotations.
//!
//! A text that a stranger wrote must not become a command of its own. The
//! escapes are those of GitHub's own toolkit (`packages/core/src/command.ts` in
//! `actions/toolkit`): `%`, CR and LF in a message, `:` and `,` too in a value.

use std::fmt::Write as _;

use proctor_engine::printable;

/// Where an annotation stands.
#[derive(Debug, Default)]
pub(crate) struct Place<'a> {
    /// File, relative to the checkout.
    pub(crate) file: Option<&'a str>,
    /// Line in it, from 1.
    pub(crate) line: Option<u64>,
}

/// A workflow command: `error`, `warning` or `notice`.
pub(crate) fn command(name: &str, place: &Place<'_>, title: &str, message: &str) -> String {
    let mut line = format!("::{name} ");
    // Writing to a string cannot fail.
    if let Some(file) = place.file {
        let _ = write!(line, "file={},", value(file));
    }
    if let Some(number) = place.line {
        let _ = write!(line, "line={number},");
    }
    let _ = write!(line, "title={}::{}", value(title), escaped(message));
    line
}

fn escaped(text: &str) -> String {
    // `printable` leaves the line feed, and makes the rest visible.
    printable(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn value(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_become_commands() {
        let place = Place {
            file: Some("tasks/a,b:c/100%.md\n::set-env::"),
            line: Some(7),
        };
        assert_eq!(
            command(
                "error",
                &place,
                "x: y",
                "50% of it\r\n::error::more\u{1b}[2J"
            ),
            "::error file=tasks/a%2Cb%3Ac/100%25.md%0A%3A%3Aset-env%3A%3A,line=7,\
             title=x%3A y::50%25 of it\\u{d}%0A::error::more\\u{1b}[2J"
        );
        let nowhere = command("notice", &Place::default(), "t", "m");
        assert_eq!(nowhere, "::notice title=t::m");
    }
}
