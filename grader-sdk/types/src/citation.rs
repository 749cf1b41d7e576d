//! Citations: where in the bundle a reader can see what a criterion says.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A pointer into the evidence, written as one string:
///
/// | form | points at |
/// | --- | --- |
/// | `journal:14` | entry 14 of the journal |
/// | `transcript:3` | event 3 of the transcript, from 1 |
/// | `workspace:notes/a.md` | a file that the agent left |
/// | `workspace:notes/a.md:12` | line 12 of it, from 1 |
/// | `fixtures:a.csv` | a file as it was seeded |
/// | `before:tasks.task/ID` | an object of the world as it was seeded |
/// | `after:tasks.task/ID` | an object of the world as the agent left it |
/// | `probe:unit-tests` | what a probe of the task did |
/// | `probe:unit-tests:3` | line 3 of its standard output, from 1 |
///
/// The host accepts only citations that resolve in the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Citation {
    /// An entry of the journal, by number.
    Journal(u64),
    /// An event of the transcript, by number from 1.
    Transcript(u64),
    /// A file of the workspace, and a line of it.
    Workspace {
        /// Path as in `workspace.json`.
        path: String,
        /// Line, from 1.
        line: Option<u64>,
    },
    /// A file as it was seeded, and a line of it.
    Fixture {
        /// Path relative to the workspace.
        path: String,
        /// Line, from 1.
        line: Option<u64>,
    },
    /// An object of one of the two snapshots.
    Object {
        /// Which snapshot.
        moment: Moment,
        /// Kind as in the journal: `gmail.message`, `tasks.task`, ...
        kind: String,
        /// Identifier.
        id: String,
    },
    /// What a probe did, and a line of its standard output.
    Probe {
        /// Name from the task.
        name: String,
        /// Line of standard output, from 1.
        line: Option<u64>,
    },
}

/// One of the two snapshots of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// Before the agent's first request.
    Before,
    /// After the agent stopped.
    After,
}

/// Why a string is no citation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no citation: {problem}")]
pub struct CitationError {
    text: String,
    problem: &'static str,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lined = |f: &mut fmt::Formatter<'_>, scheme: &str, path: &str, line: &Option<u64>| {
            write!(f, "{scheme}:{path}")?;
            line.map_or(Ok(()), |line| write!(f, ":{line}"))
        };
        match self {
            Self::Journal(n) => write!(f, "journal:{n}"),
            Self::Transcript(n) => write!(f, "transcript:{n}"),
            Self::Workspace { path, line } => lined(f, "workspace", path, line),
            Self::Fixture { path, line } => lined(f, "fixtures", path, line),
            Self::Object {
                moment: Moment::Before,
                kind,
                id,
            } => write!(f, "before:{kind}/{id}"),
            Self::Object {
                moment: Moment::After,
                kind,
                id,
            } => write!(f, "after:{kind}/{id}"),
            Self::Probe { name, line } => lined(f, "probe", name, line),
        }
    }
}

impl FromStr for Citation {
    type Err = CitationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |problem| CitationError {
            text: text.chars().take(120).collect(),
            problem,
        };
        let (scheme, rest) = text.split_once(':').ok_or_else(|| wrong("no `scheme:`"))?;
        let number = || {
            rest.parse()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(|| wrong("expected a number from 1"))
        };
        let file = || -> Result<(String, Option<u64>), CitationError> {
            let (path, line) = match rest.rsplit_once(':') {
                Some((path, line)) if line.parse::<u64>().is_ok_and(|n| n > 0) => {
                    (path, line.parse().ok())
                }
                _ => (rest, None),
            };
            if path.is_empty() {
                Err(wrong("no path"))
            } else {
                Ok((path.to_owned(), line))
            }
        };
        let object = |moment| -> Result<Self, CitationError> {
            let (kind, id) = rest
                .split_once('/')
                .ok_or_else(|| wrong("expected `KIND/ID`"))?;
            if kind.is_empty() || id.is_empty() {
                return Err(wrong("expected `KIND/ID`"));
            }
            Ok(Self::Object {
                moment,
                kind: kind.to_owned(),
                id: id.to_owned(),
            })
        };
        match scheme {
            "journal" => Ok(Self::Journal(number()?)),
            "transcript" => Ok(Self::Transcript(number()?)),
            "workspace" => file().map(|(path, line)| Self::Workspace { path, line }),
            "fixtures" => file().map(|(path, line)| Self::Fixture { path, line }),
            "before" => object(Moment::Before),
            "after" => object(Moment::After),
            "probe" => probe(rest).ok_or_else(|| wrong("expected `NAME` or `NAME:LINE`")),
            _ => Err(wrong(
                "known schemes are journal, transcript, workspace, fixtures, before, after and \
                 probe",
            )),
        }
    }
}

/// Names of probes have no colon, so what follows one has to be a line.
fn probe(text: &str) -> Option<Citation> {
    let (name, line) = match text.split_once(':') {
        Some((name, line)) => (name, Some(line.parse().ok().filter(|n| *n > 0)?)),
        None => (text, None),
    };
    (!name.is_empty()).then(|| Citation::Probe {
        name: name.to_owned(),
        line,
    })
}

impl TryFrom<String> for Citation {
    type Error = CitationError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Citation> for String {
    fn from(citation: Citation) -> Self {
        citation.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_survives_a_round_trip() {
        for text in [
            "journal:14",
            "transcript:3",
            "workspace:notes/a.md",
            "workspace:notes/a.md:12",
            "workspace:odd:name.md",
            "fixtures:a.csv:1",
            "before:tasks.task/abc",
            "after:gmail.message/18c/odd",
            "probe:unit-tests",
            "probe:unit-tests:12",
        ] {
            assert_eq!(text.parse::<Citation>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_reason() {
        for (text, problem) in [
            ("journal", "no `scheme:`"),
            ("journal:0", "expected a number from 1"),
            ("journal:-1", "expected a number from 1"),
            ("workspace:", "no path"),
            ("after:tasks.task", "expected `KIND/ID`"),
            ("probe:", "expected `NAME` or `NAME:LINE`"),
            ("probe::3", "expected `NAME` or `NAME:LINE`"),
            ("probe:a:0", "expected `NAME` or `NAME:LINE`"),
            ("probe:a:b", "expected `NAME` or `NAME:LINE`"),
            ("probe:a:1:2", "expected `NAME` or `NAME:LINE`"),
            ("https://example.com", "known schemes"),
        ] {
            let error = text.parse::<Citation>().unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
