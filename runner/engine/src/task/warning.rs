//! What is odd about a task without making it invalid.

use std::fmt;

use super::format::Place;

/// One remark, for the caller to show. This crate prints nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: WarningKind,
}

/// What is odd.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WarningKind {
    /// A key that Proctor does not know. It is kept and has no effect.
    UnknownKey {
        /// The key, with the keys above it.
        key: String,
        /// The known key that looks most like it.
        nearest: Option<String>,
        /// How many more files of the suite have it.
        more: usize,
    },
    /// A level-2 heading that is no section of the format. It ends the section
    /// above it.
    UnknownSection {
        /// Its title.
        title: String,
        /// The section that it ends.
        ends: Option<String>,
        /// The section whose title looks most like it.
        nearest: Option<String>,
    },
    /// The weights of the rubric do not sum to 100 %. They are scaled.
    RubricWeights {
        /// What they sum to, in percent.
        sum: f64,
    },
    /// No criterion of the rubric has a weight. All count the same.
    RubricWithoutWeights,
    /// A rubric criterion cannot earn full marks.
    RubricCeiling {
        /// Its name.
        criterion: String,
        /// Its best level.
        best: f64,
    },
    /// A rubric that the grading type leaves without effect.
    RubricUnused,
    /// `grading_weights` of a task that is not hybrid.
    WeightsUnused,
    /// Code blocks after the first one with a grader.
    ExtraPythonBlock {
        /// Line of the one that counts.
        used: u64,
    },
    /// `sessions` without `multi_session: true`.
    SessionsWithoutSwitch,
    /// A prerequisite that is not `KIND:NAME`.
    Prerequisite {
        /// As written.
        text: String,
    },
    /// `proctor.grader` names a file that is not there (yet).
    GraderMissing {
        /// The path.
        path: String,
    },
    /// A file or folder that looks left over from an editor, a build or an
    /// operating system. It is part of the pack's digest like every other file.
    Leftover {
        /// Its path in the pack.
        path: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

impl fmt::Display for WarningKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, nearest, more } => {
                write!(
                    f,
                    "`{key}` is not a key that Proctor knows; it has no effect"
                )?;
                suggest(f, nearest.as_deref())?;
                match more {
                    0 => Ok(()),
                    1 => f.write_str(" (so it is in 1 more file)"),
                    more => write!(f, " (so it is in {more} more files)"),
                }
            }
            Self::UnknownSection {
                title,
                ends,
                nearest,
            } => {
                write!(f, "`## {title}` is not a section of the task format")?;
                if let Some(ends) = ends {
                    write!(
                        f,
                        "; the section `{ends}` ends here (use `###` or a code fence if it should \
                         not)"
                    )?;
                }
                suggest(f, nearest.as_deref())
            }
            Self::RubricWeights { sum } => {
                write!(
                    f,
                    "the weights of the rubric sum to {sum} %, not to 100 %; they are scaled"
                )
            }
            Self::RubricWithoutWeights => {
                f.write_str("no criterion of the rubric has a weight; all count the same")
            }
            Self::RubricCeiling { criterion, best } => write!(
                f,
                "the best level of the rubric criterion `{criterion}` is {best}: nobody can earn \
                 full marks"
            ),
            Self::RubricUnused => {
                f.write_str("the rubric has no effect: grading_type is `automated`")
            }
            Self::WeightsUnused => {
                f.write_str("`grading_weights` has no effect: grading_type is not `hybrid`")
            }
            Self::ExtraPythonBlock { used } => write!(
                f,
                "only the first ```python block counts (line {used}); this one has no effect"
            ),
            Self::SessionsWithoutSwitch => f.write_str(
                "`sessions` is set and `multi_session` is not true; the sessions are used",
            ),
            Self::Prerequisite { text } => write!(
                f,
                "the prerequisite `{text}` is not of the form KIND:NAME (`cli:gws`); nothing checks \
                 it"
            ),
            Self::GraderMissing { path } => write!(
                f,
                "the grader `{path}` is not there yet; the task cannot be graded until it is built"
            ),
            Self::Leftover { path } => write!(
                f,
                "`{path}` looks left over from an editor, a build or the system; it counts for \
                 the pack's digest like every other file"
            ),
        }
    }
}

fn suggest(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    nearest.map_or(Ok(()), |nearest| write!(f, "; did you mean `{nearest}`?"))
}

/// The candidate that looks like a misspelling of `word`, if one does.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // A hostile key may be long, and the comparison is quadratic.
    if word.len() > 64 {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&word, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(word.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word_and_strangers_do_not() {
        let known = ["timeout_seconds", "prerequisites", "id", "name", "seed"];
        let near = |word| nearest(word, known);
        assert_eq!(near("timeout_second"), Some("timeout_seconds"));
        assert_eq!(near("Timeout-Seconds"), Some("timeout_seconds"));
        assert_eq!(near("prerequisits"), Some("prerequisites"));
        assert_eq!(near("sede"), Some("seed"));
        assert_eq!(near("difficulty"), None);
        assert_eq!(near("xy"), None);
        assert_eq!(near(&"seed".repeat(100_000)), None);
    }
}
