//! Why an agent's program cannot be used.

use std::path::{Path, PathBuf};

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
        /// What `proctor agent install` takes, where it can change that.
        install: Option<String>,
    },
    /// A program of Proctor's own is not where those are.
    #[error(
        "the agent `{agent}` is not installed: {programs}, which comes with Proctor, is not {}",
        beside(own.as_deref())
    )]
    OwnMissing {
        /// Name of the adapter.
        agent: String,
        /// Names of the program, as prose.
        programs: String,
        /// The folder of the runner's own programs, where there is one.
        own: Option<PathBuf>,
    },
    /// What Proctor has installed does not have the program any more.
    #[error(
        "the agent `{agent}` is installed in {}, but {programs} is not there any more",
        root.display()
    )]
    Damaged {
        /// Name of the adapter.
        agent: String,
        /// Names of the program, as prose.
        programs: String,
        /// The installation.
        root: PathBuf,
        /// What `proctor agent install` takes, where it brings another.
        install: Option<String>,
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
        /// What `proctor agent install` takes, where it would bring one that can.
        install: Option<String>,
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
        /// What `proctor agent install` takes, where it brings one.
        install: Option<String>,
    },
}

impl FindError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let command = |spec: &str| format!("proctor agent install {}", word(spec));
        match self {
            // What is there is not installed over.
            Self::Damaged { root, install, .. } => {
                let remove = format!("remove {}", root.display());
                Some(match install {
                    Some(spec) => format!("{remove}, then: {}", command(spec)),
                    None => remove,
                })
            }
            Self::Missing {
                install: Some(spec),
                ..
            }
            | Self::Unfit {
                install: Some(spec),
                ..
            }
            | Self::Node {
                install: Some(spec),
                ..
            } => Some(command(spec)),
            Self::Missing { .. } | Self::Unfit { .. } => Some(
                "name the program, or the folder that it is installed in, with --agent-path"
                    .to_owned(),
            ),
            Self::OwnMissing { .. } => Some(
                "keep Proctor's programs in one folder, or name this one with --agent-path"
                    .to_owned(),
            ),
            Self::Node { .. } => Some("put a newer node first on the PATH".to_owned()),
            Self::Given { .. } => None,
        }
    }
}

fn beside(own: Option<&Path>) -> String {
    match own {
        Some(own) => format!("beside it in {}", own.display()),
        None => "beside it".to_owned(),
    }
}

/// `text` as one word of a command line.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_what_was_written_as_a_shell_reads_it() {
        let hint = |install: Option<&str>| {
            FindError::Node {
                agent: "x".to_owned(),
                needed: "24.0.0".to_owned(),
                found: "there is none".to_owned(),
                install: install.map(str::to_owned),
            }
            .hint()
            .unwrap()
        };
        assert_eq!(hint(Some("pi")), "proctor agent install pi");
        assert_eq!(
            hint(Some("my agents/it's.toml")),
            r"proctor agent install 'my agents/it'\''s.toml'"
        );
        assert_eq!(hint(None), "put a newer node first on the PATH");
    }
}
