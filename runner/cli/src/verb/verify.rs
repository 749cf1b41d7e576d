//! `proctor verify`: is a suite what was locked?

use std::env;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use proctor_engine::verify::{self, Level, RebuildOutcome, Rebuilding, Verified};

use crate::exit::Exit;
use crate::github;
use crate::output;
use crate::reporter;

/// Arguments of `proctor verify`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Suite, or one of its tasks
    #[arg(value_name = "SUITE", default_value = "tasks")]
    suite: PathBuf,

    /// Also build every grader again from its source, and compare the bytes.
    /// This runs what its author wrote, in a room without network
    #[arg(long)]
    rebuild: bool,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What `proctor verify` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// Workflow commands, which GitHub shows at the lines of a change.
    Github,
}

impl Arguments {
    /// Format of an error.
    pub(crate) fn format(&self) -> reporter::Format {
        match self.format {
            Format::Json => reporter::Format::Json,
            Format::Text | Format::Github => reporter::Format::Text,
        }
    }
}

/// Compares the suite with its lock file.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let say = |line: &str| output::err(line);
    let rebuilding = if arguments.rebuild {
        Some(Rebuilding {
            host: super::host()?,
            env: env::vars_os().collect(),
            cargo_home: home("CARGO_HOME", ".cargo"),
            rustup_home: home("RUSTUP_HOME", ".rustup"),
            say: &say,
        })
    } else {
        None
    };
    let verified = verify::verify(&arguments.suite, rebuilding.as_ref())?;
    match arguments.format {
        Format::Json => json(&verified)?,
        Format::Text => text(&verified),
        Format::Github => annotate(&verified),
    }
    Ok(if !verified.fits() {
        Exit::CheckFailed
    } else if verified.is_incomplete() {
        Exit::Task
    } else {
        Exit::Done
    })
}

/// Where cargo or rustup keep their things.
fn home(variable: &str, usual: &str) -> Option<PathBuf> {
    let absolute = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(usual)))
}

fn json(verified: &Verified) -> anyhow::Result<()> {
    let mut value = serde_json::to_value(verified)?;
    value["schema"] = "proctor.verify/1".into();
    value["fits"] = verified.fits().into();
    value["incomplete"] = verified.is_incomplete().into();
    output::exact(&serde_json::to_string(&value)?);
    Ok(())
}

fn text(verified: &Verified) {
    for finding in &verified.findings {
        let level = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        output::out(&format!("{level}: {}", finding.message));
        let line = finding
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        output::out(&format!("  {}{line}", finding.file));
    }
    for rebuilt in &verified.rebuilds {
        output::out(&format!(
            "{}: {}: {}",
            rebuilt.task,
            word(rebuilt.outcome),
            rebuilt.message
        ));
        if !rebuilt.ran.is_empty() {
            output::out(&format!("  the build ran {}", rebuilt.ran.join(", ")));
        }
    }
    output::out(&summary(verified));
}

fn annotate(verified: &Verified) {
    for finding in &verified.findings {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let place = github::Place {
            file: Some(&finding.file),
            line: finding.line,
        };
        output::exact(&github::command(
            command,
            &place,
            "proctor verify",
            &finding.message,
        ));
    }
    for rebuilt in &verified.rebuilds {
        let command = match rebuilt.outcome {
            // An error of its own stands for it.
            RebuildOutcome::Differs => continue,
            RebuildOutcome::NotRebuilt => "error",
            RebuildOutcome::Identical | RebuildOutcome::NothingToBuild => "notice",
        };
        let place = github::Place {
            file: Some(&verified.lock),
            line: None,
        };
        let message = format!(
            "{}: {}: {}",
            rebuilt.task,
            word(rebuilt.outcome),
            rebuilt.message
        );
        output::exact(&github::command(
            command,
            &place,
            "proctor verify",
            &message,
        ));
    }
    output::out(&summary(verified));
}

fn word(outcome: RebuildOutcome) -> &'static str {
    match outcome {
        RebuildOutcome::Identical => "rebuilt, identical",
        RebuildOutcome::Differs => "rebuilt, and DIFFERS",
        RebuildOutcome::NotRebuilt => "NOT REBUILT",
        RebuildOutcome::NothingToBuild => "nothing to build",
    }
}

/// One line that begins with Proctor's own words, so that nothing of a pack can
/// stand at its start.
fn summary(verified: &Verified) -> String {
    let count = |level| {
        verified
            .findings
            .iter()
            .filter(|one| one.level == level)
            .count()
    };
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    let tasks = plural(verified.tasks, "task");
    let mut line = if errors == 0 {
        format!("proctor.lock fits the suite: {tasks}")
    } else {
        format!(
            "proctor.lock does not fit the suite: {} in {tasks}",
            plural(errors, "error")
        )
    };
    if warnings > 0 {
        line = format!("{line}; {}", plural(warnings, "warning"));
    }
    let rebuilt = |outcome| {
        verified
            .rebuilds
            .iter()
            .filter(|one| one.outcome == outcome)
            .count()
    };
    if !verified.rebuilds.is_empty() {
        line = format!(
            "{line}; rebuilt: {} identical, {} different, {} not rebuilt",
            rebuilt(RebuildOutcome::Identical),
            rebuilt(RebuildOutcome::Differs),
            rebuilt(RebuildOutcome::NotRebuilt),
        );
    }
    line
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
