//! Why an agent's program cannot be used.

use std::path::PathBuf;

/// Why an agent's program was not found, or cannot be in a room.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// It is nowhere.
    #[error(
        "the agent `{agent}` is not installed: {programs} is neither in {} nor on the PATH",
        cache.display()
    )]
    Missing {
        /// Name of the adapter.
        agent: String,
        /// Names of the program, as prose.
        programs: String,
        /// Where installed agents are.
        cache: PathBuf,
        /// Whether `proctor agent install` can change that.
        installable: bool,
    },
    /// What the operator named is not it.
    #[error("--agent-path {}: {problem}", path.display())]
    Given {
        /// What was named.
        path: PathBuf,
        /// Why it cannot be used.
        problem: String,
    },
    /// What is on the `PATH` would need more than a room may see.
    #[error("{} cannot be used as the agent `{agent}`: {problem}", path.display())]
    Unfit {
        /// Name of the adapter.
        agent: String,
        /// The program.
        path: PathBuf,
        /// Why it cannot be used.
        problem: String,
        /// Whether `proctor agent install` would bring one that can.
        installable: bool,
    },
    /// There is no Node.js for it.
    #[error("the agent `{agent}` needs Node.js {needed} or newer, and {found}")]
    Node {
        /// Name of the adapter.
        agent: String,
        /// The oldest that would do.
        needed: String,
        /// What there is instead, as `/usr/bin/node is 18.19.0`.
        found: String,
        /// Whether `proctor agent install` brings one.
        installable: bool,
    },
}

impl FindError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let install = |agent: &str| format!("proctor agent install {agent}");
        match self {
            Self::Missing {
                agent,
                installable: true,
                ..
            }
            | Self::Unfit {
                agent,
                installable: true,
                ..
            }
            | Self::Node {
                agent,
                installable: true,
                ..
            } => Some(install(agent)),
            Self::Missing { .. } | Self::Unfit { .. } => Some(
                "name the program, or the folder that it is installed in, with --agent-path"
                    .to_owned(),
            ),
            Self::Node { .. } => Some("put a newer node first on the PATH".to_owned()),
            Self::Given { .. } => None,
        }
    }
}
