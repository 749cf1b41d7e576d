//! What can go wrong, and what to do about it.

use std::io;
use std::path::PathBuf;

use crate::unsupported::Unsupported;

/// A room that could not be opened or used.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The configuration is wrong.
    #[error("the room's configuration: {0}")]
    Config(#[from] ConfigError),
    /// This machine does not let the runner open rooms.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// A step of opening the room failed.
    #[error("cannot open the room: {stage} ({subject}): {source}")]
    Open {
        /// What was being done.
        stage: Stage,
        /// With what.
        subject: String,
        /// What the system said.
        source: io::Error,
    },
    /// The room's first process ended before the room was ready.
    #[error("the room ended before it was ready; bubblewrap said: {said}")]
    EndedEarly {
        /// Standard error of bubblewrap, without the final newline.
        said: String,
    },
    /// The room did not get ready, or did not do what it was told, in time.
    #[error("the room did not answer within {seconds} s while {doing}; it was destroyed")]
    Unresponsive {
        /// How long was waited.
        seconds: u64,
        /// For what.
        doing: &'static str,
    },
    /// The room is not there any more.
    #[error("the room is gone: it was stopped, or its init ended")]
    Gone,
    /// A command could not be started.
    #[error("cannot start `{program}` in the room: {step}: {source}")]
    Exec {
        /// First element of the command.
        program: String,
        /// Which preparation failed.
        step: ExecStep,
        /// What the system said.
        source: io::Error,
    },
    /// A request that makes no sense.
    #[error("{0}")]
    Request(String),
    /// Something of the host failed.
    #[error("{doing}: {source}")]
    Host {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl SandboxError {
    pub(crate) fn host(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Host { doing, source }
    }
}

/// A step of opening a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Stage {
    /// Reading what the runner wants.
    Plan,
    /// Making host files reachable for the room's user.
    Staging,
    /// Becoming the room's user.
    Identity,
    /// Looking whether a host file can be read by the room's user.
    Source,
    /// Starting bubblewrap.
    Bubblewrap,
    /// Entering the room's network.
    Enter,
    /// Routing every address to the gateway.
    Route,
    /// Listening on a port of the room.
    Listen,
    /// Bounding the number of files.
    Entries,
    /// The first process of the room.
    Init,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plan => "reading the plan",
            Self::Staging => "making a host path reachable for the room's user",
            Self::Identity => "becoming the room's user",
            Self::Source => "reading a host path as the room's user",
            Self::Bubblewrap => "starting bubblewrap",
            Self::Enter => "entering the room's network",
            Self::Route => "routing every address to the gateway",
            Self::Listen => "listening inside the room",
            Self::Entries => "bounding the number of files",
            Self::Init => "preparing the room's init",
        })
    }
}

/// A preparation between fork and exec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ExecStep {
    /// Making a process.
    Fork,
    /// Starting a session and connecting standard input and output.
    Session,
    /// Setting limits.
    Limits,
    /// Closing what the command must not inherit.
    Descriptors,
    /// Giving up every privilege.
    Privileges,
    /// Entering the working directory.
    Directory,
    /// Loading the system call filter.
    Filter,
    /// Running the program.
    Exec,
}

impl ExecStep {
    pub(crate) const ALL: [Self; 8] = [
        Self::Fork,
        Self::Session,
        Self::Limits,
        Self::Descriptors,
        Self::Privileges,
        Self::Directory,
        Self::Filter,
        Self::Exec,
    ];
}

impl std::fmt::Display for ExecStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fork => "making a process",
            Self::Session => "starting a session",
            Self::Limits => "setting limits",
            Self::Descriptors => "closing descriptors",
            Self::Privileges => "giving up privileges",
            Self::Directory => "entering the working directory",
            Self::Filter => "loading the system call filter",
            Self::Exec => "running the program",
        })
    }
}

/// A configuration that cannot work.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A path inside the room that must not be used.
    #[error("the guest path `{path}` {problem}")]
    Target {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A host path that is not there.
    #[error("the host path `{}` cannot be used: {source}", path.display())]
    Source {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The agent would be root of the host.
    #[error(
        "the agent must not run as user or group 0 of the host; choose an identity that owns \
         nothing (the default is 64321:64321)"
    )]
    RootIdentity,
    /// Not a host name.
    #[error("`{0}` is no host name: 1 to 63 letters, digits and `-`")]
    HostName(String),
    /// Not a variable.
    #[error("the variable `{0}` has a `=` or NUL where none may be, or no name")]
    Variable(String),
    /// A port that is taken or does not exist.
    #[error("port {0} is 0, given twice, or one of 443, 80 and 53, which are always there")]
    Port(u16),
    /// More than there may be.
    #[error("more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A limit under which nothing works.
    #[error("the limit `{name}` is {value}; it must be from {least} to 2^62")]
    Limit {
        /// Field of [`crate::Limits`].
        name: &'static str,
        /// What was asked for.
        value: u64,
        /// Least that makes sense.
        least: u64,
    },
    /// Something that only namespaces can do.
    #[error("without isolation {0}")]
    OnHost(String),
}

impl ConfigError {
    pub(crate) fn target(path: &str, problem: &'static str) -> Self {
        Self::Target {
            path: path.chars().take(200).collect(),
            problem,
        }
    }
}

/// A file that could not be put into the workspace.
#[derive(Debug, thiserror::Error)]
#[error("cannot put `{path}` into the workspace: {problem}")]
pub struct SeedError {
    /// Path as it was given.
    pub path: String,
    /// Why not.
    #[source]
    pub problem: SeedProblem,
}

/// Why a file could not be put into the workspace.
#[derive(Debug, thiserror::Error)]
pub enum SeedProblem {
    /// Not a path of a file in the workspace.
    #[error("a path must be relative, without empty, `.` or `..` parts and without NUL")]
    Path,
    /// There is something of that name.
    #[error("it exists already")]
    Exists,
    /// A part of the path is a symbolic link or not a directory.
    #[error("a part of the path is a symbolic link or not a directory")]
    NotADirectory,
    /// No space.
    #[error("the workspace is full; raise its size")]
    Full,
    /// Something else.
    #[error("{0}")]
    Io(io::Error),
}

/// A workspace that could not be collected.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// The workspace itself could not be read.
    #[error("cannot read the workspace: {0}")]
    Workspace(io::Error),
    /// A file could not be read to its end.
    #[error("cannot read `{path}` of the workspace: {source}")]
    Read {
        /// Path in the notation of `workspace.json`.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The receiver of the files gave up.
    #[error("cannot keep `{path}` of the workspace: {source}")]
    Sink {
        /// Path in the notation of `workspace.json`.
        path: String,
        /// What it said.
        source: io::Error,
    },
}
