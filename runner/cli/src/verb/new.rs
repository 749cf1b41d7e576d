//! `proctor new`: begin a task.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use proctor_engine::scaffold::{self, Language, Made, NewTask};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor new`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The task's id, and the name of its folder: lower-case letters, digits,
    /// `-` and `_`
    name: String,

    /// What the grader is written in
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,

    /// Folder to make the task in
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,

    /// Proctor's checkout, or the SDK in it, for a grader in Rust; by default
    /// that around DIR, else that of this program
    #[arg(long, value_name = "PATH")]
    sdk: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// What a grader can be written in.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Lang {
    /// A crate that becomes one WebAssembly file
    #[default]
    Rust,
    /// A block of the task's Markdown file
    Python,
}

/// Makes the task and says what comes next.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let language = match arguments.lang {
        Lang::Rust => Language::Rust,
        Lang::Python => Language::Python,
    };
    let made = scaffold::make(&NewTask {
        name: arguments.name.clone(),
        dir: arguments.dir.clone(),
        language,
        sdk: arguments.sdk.clone(),
        beside: std::env::current_exe().into_iter().collect(),
    })?;
    let warning = made.sdk.as_ref().filter(|sdk| !sdk.is_beside).map(|sdk| {
        format!(
            "grader/Cargo.toml names the SDK at {}, outside of the task's own repository: on another \
             machine that line has to be changed",
            sdk.path
        )
    });
    let next = next(language, &made, &arguments.dir);
    match arguments.format {
        Format::Json => output::exact(&serde_json::to_string(&serde_json::json!({
            "task": arguments.name,
            "dir": made.dir,
            "files": made.files,
            "sdk": made.sdk.as_ref().map(|sdk| &sdk.path),
            "warnings": warning.as_slice(),
            "next": next,
        }))?),
        Format::Text => {
            output::out(&format!(
                "{}: {} files",
                quoted(&made.dir),
                made.files.len()
            ));
            output::out("\nnext:");
            for command in &next {
                output::out(&format!("  {command}"));
            }
            output::out("\ndocs/writing-graders.md goes through it.");
            if let Some(warning) = &warning {
                output::err(&format!("warning: {warning}"));
            }
        }
    }
    Ok(Exit::Done)
}

/// The way to a locked task, as shell commands.
fn next(language: Language, made: &Made, suite: &Path) -> Vec<String> {
    let task = quoted(&made.dir);
    let suite = quoted(suite);
    let mut commands = Vec::new();
    if language == Language::Rust {
        commands.push(format!("(cd {task}/grader && cargo test)"));
        commands.push(format!(
            "proctor grader build {task}/grader -o {task}/grader.wasm"
        ));
    }
    commands.push(format!("proctor run {task} --agent oracle --agent nop"));
    commands.push(format!("proctor check {suite}"));
    commands.push(format!("proctor lock {suite}"));
    commands.push(format!("proctor verify {suite}"));
    commands
}

/// A path as one word of a shell command.
fn quoted(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    let text = if path.as_os_str().is_empty() {
        ".".into()
    } else {
        path.to_string_lossy()
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@".contains(c);
    if text.chars().all(plain) && !text.starts_with('-') {
        return text.into_owned();
    }
    let text = text.replace('\'', "'\\''");
    if text.starts_with('-') {
        format!("'./{text}'")
    } else {
        format!("'{text}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_of_a_command() {
        for (path, word) in [
            (".", "."),
            ("./hello", "hello"),
            ("tasks/a", "tasks/a"),
            ("my tasks/a", "'my tasks/a'"),
            ("it's", "'it'\\''s'"),
            ("-x", "'./-x'"),
            ("$(rm)", "'$(rm)'"),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
        }
    }
}
