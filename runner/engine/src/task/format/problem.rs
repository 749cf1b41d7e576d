//! What can be wrong with a task file, and where.

use std::fmt;

/// A place in a file of a task: `tasks/a/task.md:12`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the caller named it.
    pub file: String,
    /// Line from 1; `None` where the whole file is meant.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

/// A task file that is not in the format.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct FormatError {
    /// Where.
    pub place: Place,
    /// What, and what was expected.
    pub problem: Problem,
}

/// What is wrong with a task file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// More bytes than a task file may have.
    #[error("the file has more than {limit} bytes; move long texts into files of the pack")]
    TooLarge {
        /// Most bytes.
        limit: usize,
    },
    /// Bytes that are not UTF-8.
    #[error("the text is not UTF-8; expected a Markdown file saved as UTF-8")]
    NotUtf8,
    /// A NUL character: no prompt can be handed over with one.
    #[error("the text has a NUL character; expected plain text")]
    Nul,
    /// The file does not begin with `---`.
    #[error(
        "expected `---` on the first line, found {found}: a task file begins with YAML front \
         matter between two `---` lines"
    )]
    NoFrontMatter {
        /// What stands there.
        found: String,
    },
    /// The front matter has no end.
    #[error("the front matter that begins here has no end; expected a second line `---`")]
    FrontMatterNotClosed,
    /// The front matter is no YAML, or too much of it.
    #[error("the front matter is not valid YAML: {0}")]
    Yaml(String),
    /// A key that every task file has is not there.
    #[error("`{key}` is missing; expected {expected}")]
    MissingKey {
        /// The key, with the keys above it: `proctor.verdict.pass`.
        key: String,
        /// What it holds.
        expected: String,
    },
    /// A value of the wrong type, or out of its range.
    #[error("`{key}` is {found}; expected {expected}")]
    Value {
        /// The key, with the keys above it.
        key: String,
        /// What stands there.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// A file named by the task cannot be used.
    #[error("`{key}` names `{path}`, which {problem}")]
    Path {
        /// The key, with the keys above it.
        key: String,
        /// The path as written.
        path: String,
        /// Why not.
        problem: PathProblem,
    },
    /// Two entries of a list that must differ.
    #[error("{what} `{name}` is there twice, first in line {first}; {advice}")]
    Twice {
        /// What: `section`, `workspace file`, `probe`.
        what: &'static str,
        /// Its name.
        name: String,
        /// Line of the first one.
        first: u64,
        /// What to do.
        advice: &'static str,
    },
    /// A section that the task needs is not there.
    #[error("the section `## {section}` is missing{hint}; {why}")]
    MissingSection {
        /// Title.
        section: &'static str,
        /// Where something like it was seen.
        hint: String,
        /// Why it is needed.
        why: &'static str,
    },
    /// A section that the task needs has no text.
    #[error("the section `## {section}` is empty; {why}")]
    EmptySection {
        /// Title.
        section: &'static str,
        /// Why text is needed.
        why: &'static str,
    },
    /// A fence without an end swallows everything after it.
    #[error("the code fence that begins here is never closed; expected a closing line {fence}")]
    OpenFence {
        /// What closes it.
        fence: String,
    },
    /// `def grade` where no reader will find it.
    #[error(
        "`def grade` stands {where_}; expected it inside a fence that begins with ```python and \
         ends with a line of backticks"
    )]
    UnfencedGrader {
        /// Where it was found.
        where_: String,
    },
    /// A Python fence without the function.
    #[error(
        "the ```python block has no `def grade`; expected `def grade(transcript, workspace_path)`"
    )]
    NoGradeFunction,
    /// The task is to be graded automatically, and nothing can do it.
    #[error(
        "grading_type is `{grading_type}` and there is no grader; expected a ```python block with \
         `def grade` under `## Automated Checks`, or the key `proctor.grader`"
    )]
    NoGrader {
        /// The grading type as written.
        grading_type: &'static str,
    },
    /// The rubric is not in the form of one.
    #[error("the rubric {what}; expected {expected}")]
    Rubric {
        /// What is wrong.
        what: String,
        /// What was expected.
        expected: &'static str,
    },
}

/// Why a path in a task cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathProblem {
    /// An empty path.
    #[error("is empty; expected a relative path")]
    Empty,
    /// It begins with `/`, or with a drive.
    #[error("is absolute; expected a path relative to {base}")]
    Absolute {
        /// What paths of this key are relative to.
        base: &'static str,
    },
    /// It has a `..`.
    #[error("goes up with `..`; expected a path that stays inside {base}")]
    Parent {
        /// What paths of this key are relative to.
        base: &'static str,
    },
    /// Too long, or with characters that no file name of a task may have.
    #[error(
        "is not a portable path; expected at most {max} bytes, `/` between the parts, and no control characters or backslashes"
    )]
    Unportable {
        /// Most bytes.
        max: usize,
    },
    /// Nothing is there.
    #[error("does not exist; expected it at {expected}")]
    Missing {
        /// Where it was looked for.
        expected: String,
    },
    /// It, or a folder on the way to it, is a symbolic link.
    #[error("goes through the symbolic link `{link}`; task packs hold files, not links")]
    Symlink {
        /// Which part of the path.
        link: String,
    },
    /// Something else than a regular file.
    #[error("is {found}; expected a regular file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// Something else than a folder.
    #[error("is {found}; expected a folder")]
    NotAFolder {
        /// What it is.
        found: &'static str,
    },
    /// More bytes than the runner takes.
    #[error("has {bytes} bytes; at most {limit} are allowed")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// Most bytes.
        limit: u64,
    },
    /// A text file whose bytes are no text.
    #[error("is not UTF-8 text")]
    NotText,
    /// A task that is one bare file has no folder that is its own.
    #[error("needs a folder of the task's own; make one and put this file into it as `task.md`")]
    BareFile,
}
