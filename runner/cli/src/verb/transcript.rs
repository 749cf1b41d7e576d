//! `proctor transcript`: what an agent said and did.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use proctor_engine::transcript::{self, NativeFormat, UnknownFormat};
use proctor_types::transcript::{Event, Part, Role};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Characters of one text that are shown to people.
const SHOWN: usize = 2000;

/// Arguments of `proctor transcript`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Directory of a trial (it holds `evidence/`); with --from, files that an
    /// agent wrote
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Read an agent's own files: claude-code, codex, gemini, opencode,
    /// openclaw, pi, canonical, text or atif
    #[arg(long, value_name = "FORMAT", value_parser = native)]
    pub from: Option<NativeFormat>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Written,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Written {
    /// Text for people.
    #[default]
    Text,
    /// The canonical events as one JSON array, which `grade --transcript` reads.
    Json,
    /// One trajectory of ATIF 1.7.
    Atif,
}

impl Arguments {
    /// Format of an error.
    pub(crate) fn format(&self) -> Format {
        match self.format {
            Written::Text => Format::Text,
            Written::Json | Written::Atif => Format::Json,
        }
    }
}

fn native(name: &str) -> Result<NativeFormat, UnknownFormat> {
    name.parse()
}

/// Prints the transcript.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let told = match (arguments.from, arguments.paths.as_slice()) {
        (Some(format), files) => transcript::of_files(format, files)?,
        (None, [dir]) => transcript::of_trial(dir)?,
        (None, _) => {
            return Err(proctor_engine::EngineError::Usage {
                message: "one trial at a time".to_owned(),
                hint: Some("several files are read with --from FORMAT".to_owned()),
            }
            .into());
        }
    };
    for warning in told.warnings() {
        output::warning(arguments.format(), &warning);
    }
    match arguments.format {
        Written::Text => told.events().iter().for_each(show),
        Written::Json => output::exact(&serde_json::to_string(told.events())?),
        Written::Atif => output::exact(&serde_json::to_string_pretty(&told.atif()?)?),
    }
    Ok(Exit::Done)
}

fn show(event: &Event) {
    let Some(message) = &event.message else {
        output::out(&format!("[{}]", event.kind));
        return;
    };
    let speaker = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "agent",
        Role::ToolResult => message.tool_name.as_deref().unwrap_or("tool"),
    };
    for part in &message.content {
        let text = match part {
            Part::Text { text } => text.clone(),
            Part::ToolCall(call) => match call.command() {
                Some(command) => format!("{}: $ {command}", call.name),
                None => format!(
                    "{}: {}",
                    call.name,
                    serde_json::Value::Object(call.arguments.clone())
                ),
            },
            Part::Other(fields) => match fields.get("thinking").and_then(|text| text.as_str()) {
                Some(thinking) => format!("({thinking})"),
                None => continue,
            },
        };
        for (index, line) in cut(&text).lines().enumerate() {
            let before = if index == 0 { speaker } else { "" };
            output::out(&format!("{before:>8} | {line}"));
        }
    }
}

/// The beginning of `text`, and how much is left out.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}\n... {} bytes more", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}
