//! Why a grader cannot grade.

use std::fmt;

/// Something is wrong with the bundle or with the grader. The trial becomes
/// `ungraded`: no error is ever counted as the agent's zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bundle has no such file.
    #[error("the bundle has no `{path}`")]
    Missing {
        /// Path in the bundle.
        path: String,
    },
    /// The file is there and cannot be read.
    #[error("`{path}` cannot be read: {problem}")]
    Unreadable {
        /// Path in the bundle.
        path: String,
        /// What went wrong.
        problem: String,
    },
    /// The file is not the one that the manifest names.
    #[error(
        "`{path}` is not what `manifest.json` says: its SHA-256 is {found} instead of {expected}"
    )]
    Altered {
        /// Path in the bundle.
        path: String,
        /// Digest in the manifest.
        expected: String,
        /// Digest of the content.
        found: String,
    },
    /// The content does not have the expected shape.
    #[error("`{path}`{} is malformed: {problem}", Line(*line))]
    Malformed {
        /// Path in the bundle.
        path: String,
        /// Line from 1, for files of one document a line.
        line: Option<u64>,
        /// What was expected.
        problem: String,
    },
    /// The document has a version that this SDK does not know.
    #[error(
        "`{path}` has the schema `{found}`; this grader reads `{expected}`: build it with an SDK of that version"
    )]
    Schema {
        /// Path in the bundle.
        path: String,
        /// Schema in the document.
        found: String,
        /// Schema that this SDK reads.
        expected: &'static str,
    },
    /// The world does not have the service that the grader asks about.
    #[error("the world in `{path}` has no `{service}`: add it to the task's services")]
    NoService {
        /// Path in the bundle.
        path: &'static str,
        /// The service.
        service: String,
    },
    /// The grader's own reason.
    #[error("{0}")]
    Unfit(String),
}

impl Error {
    /// A reason of the grader's own: the task is not one that it can grade.
    pub fn unfit(reason: impl Into<String>) -> Self {
        Self::Unfit(reason.into())
    }

    pub(crate) fn malformed(path: &str, line: Option<u64>, problem: &impl fmt::Display) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            line,
            problem: problem.to_string(),
        }
    }
}

struct Line(Option<u64>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, " line {line}"))
    }
}
