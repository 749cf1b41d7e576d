//! `proctor agent`: looks after one agent.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use proctor_agents::AgentSpec;
use proctor_agents::adapter::Adapter;
use proctor_agents::install::npm::{Install, InstallError, Installed, Progress, install};
use proctor_engine::EngineError;
use serde_json::json;

use super::agents::unusable;
use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor agent`.
#[derive(Debug, Subcommand)]
pub(crate) enum Arguments {
    /// Install an agent from its registry into Proctor's cache
    Install(InstallArguments),
}

/// Arguments of `proctor agent install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArguments {
    /// The agent (`proctor agents` lists them), or the file of an adapter
    #[arg(value_name = "NAME")]
    name: String,

    /// Version of its package, or a tag like `latest`, instead of the one that
    /// Proctor was tried with
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    /// Format of the result.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Install(arguments) => arguments.format,
        }
    }
}

/// Does it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Arguments::Install(arguments) = arguments;
    let adapter = adapter(&arguments.name)?;
    let places = super::host::agent_places()?;
    let npm = npm(&places.path)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let started = Instant::now();
    let bar = bar(arguments.format);
    let progress = |step: Progress| {
        let text = match step {
            Progress::Fetching(packages) => format!("npm fetches {}", packages.join(", ")),
            Progress::Checking => "looking at what was fetched".to_owned(),
        };
        match &bar {
            Some(bar) => bar.set_message(text),
            None if arguments.format == Format::Text => output::err(&text),
            None => {}
        }
    };
    let what = Install {
        adapter: &adapter,
        version: arguments.version.as_deref(),
        cache: &places.cache,
        npm: &npm,
    };
    let installed = runtime.block_on(async {
        tokio::select! {
            installed = install(what, &progress) => installed.map(Some),
            // Dropping it ends npm.
            _ = super::interrupted() => Ok(None),
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    match installed.map_err(|error| told(&error))? {
        None => Ok(Exit::Interrupted),
        Some(installed) => {
            tell(&adapter, &installed, arguments.format, started.elapsed());
            Ok(Exit::Done)
        }
    }
}

/// The adapter called `name`.
fn adapter(name: &str) -> anyhow::Result<Adapter> {
    let spec = name
        .parse::<AgentSpec>()
        .map_err(|error| unusable(&error))?;
    let adapter = spec.adapter().map_err(|error| unusable(&error))?;
    let adapter = adapter.ok_or_else(|| EngineError::Usage {
        message: format!(
            "the agent `{name}` is played by Proctor itself: there is nothing to install"
        ),
        hint: None,
    })?;
    Ok(adapter)
}

/// The first npm on the `PATH`.
fn npm(path: &[PathBuf]) -> Result<PathBuf, EngineError> {
    let found = path
        .iter()
        .map(|dir| dir.join("npm"))
        .find(|path| path.is_file());
    found.ok_or_else(|| EngineError::Host {
        kind: "npm".to_owned(),
        message: "agents are installed by npm, which is not on the PATH".to_owned(),
        hint: Some("install Node.js 18 or newer, which brings npm".to_owned()),
    })
}

/// Something that moves while npm works, on a terminal.
fn bar(format: Format) -> Option<ProgressBar> {
    let wanted = format == Format::Text && std::io::stderr().is_terminal();
    wanted.then(|| {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    })
}

/// An error as the rest of the program tells it.
fn told(error: &InstallError) -> EngineError {
    let message = error.to_string();
    let (kind, hint) = match error {
        InstallError::NoPackage(_) | InstallError::Version(_) => {
            return EngineError::Usage {
                message,
                hint: None,
            };
        }
        InstallError::Io { .. } => (
            "cache",
            "XDG_CACHE_HOME says where agents are installed".to_owned(),
        ),
        InstallError::Npm {
            package, reason, ..
        } if reason.contains("ETARGET") || reason.contains("E404") => {
            // Without the version: `@scope/name@1.2.3`.
            let name = package.rsplit_once('@').map_or(package.as_str(), |it| it.0);
            let hint =
                format!("the registry has no such version: `npm view {name} versions` lists them");
            ("npm", hint)
        }
        InstallError::Npm { .. } => (
            "npm",
            "npm reads where its registry is from ~/.npmrc and npm_config_registry".to_owned(),
        ),
        InstallError::Unexpected { .. } => (
            "npm",
            "try the version that Proctor was tried with, without --version".to_owned(),
        ),
        InstallError::Start { .. } => (
            "npm",
            "install Node.js 18 or newer, which brings npm".to_owned(),
        ),
    };
    EngineError::Host {
        kind: kind.to_owned(),
        message,
        hint: Some(hint),
    }
}

fn tell(adapter: &Adapter, installed: &Installed, format: Format, took: Duration) {
    let name = adapter.name();
    let Installed {
        root,
        version,
        was_there,
    } = installed;
    match format {
        Format::Json => {
            let object = json!({
                "name": name,
                "version": version,
                "path": root,
                "was_there": was_there,
            });
            output::exact(&object.to_string());
        }
        Format::Text if *was_there => {
            output::out(&format!(
                "{name} {version} is installed already ({})",
                shown(root)
            ));
        }
        Format::Text => {
            let seconds = took.as_secs_f64();
            output::out(&format!(
                "installed {name} {version} in {seconds:.1} s ({})",
                shown(root)
            ));
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_not_there_is_told_with_the_package_to_look_at() {
        for (package, name) in [("made-up@9.9.9", "made-up"), ("@made/up@9", "@made/up")] {
            let error = told(&InstallError::Npm {
                package: package.to_owned(),
                code: 1,
                reason: "code ETARGET".to_owned(),
            });
            let EngineError::Host { hint, message, .. } = error else {
                panic!("{error:?}");
            };
            assert!(message.contains(package), "{message}");
            assert_eq!(
                hint.unwrap(),
                format!("the registry has no such version: `npm view {name} versions` lists them")
            );
        }
    }
}
