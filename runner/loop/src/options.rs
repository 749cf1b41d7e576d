//! The command line, and what is read because of it.

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use proctor_model::client::{ChatClient, ClientConfig};
use proctor_model::{ModelApi, Roots};
use proctor_types::manifest::FailureKind;

use crate::failure::Failure;

/// Longest task or system prompt, in bytes.
const MAX_PROMPT: u64 = 4 << 20;
/// Longest file of certificates, in bytes.
const MAX_CERTIFICATES: u64 = 8 << 20;
/// Longest reply of a model, in bytes. A call's arguments go into the transcript
/// three times, and a line there has at most 16 MiB.
const MAX_REPLY: usize = 4 << 20;
/// Most of a server's instructions that goes into the system prompt, in bytes.
const MAX_INSTRUCTIONS: usize = 8 << 10;
/// What the model is told where nobody gave a system prompt.
const SYSTEM: &str = "You are an agent that works on its own: nobody answers questions while \
    you work. Do the task with the tools that you have, look at what you have done before you \
    call it done, and end with a short account of it, without calling a tool.";

/// The protocols that are spoken.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Api {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's chat completions, and all servers that speak them.
    OpenaiChat,
}

/// A small agent: a model, a shell, files, and the tools of an MCP server.
///
/// Prints the transcript on standard output, an event a line. Exit codes: 0 done, 1 failed
/// otherwise, 2 wrong command line, 10 authentication, 11 rate limit, 12 upstream, 13 context,
/// 14 refusal, 15 budget, 16 turns, 17 time.
#[derive(Debug, Parser)]
#[command(name = "proctor-loop", version, args_override_self = true)]
pub(crate) struct Options {
    /// The model, by its provider's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: String,
    /// The protocol to ask it in.
    #[arg(long, value_enum)]
    api: Api,
    /// Base address of the API; the provider's own where it is not given.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Address of an MCP server with further tools (http, streamable).
    #[arg(long, value_name = "URL")]
    pub(crate) mcp: Option<String>,
    /// Do not offer a shell.
    #[arg(long)]
    pub(crate) no_shell: bool,
    /// File with the task; standard input where it is not given.
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// File with the system prompt.
    #[arg(long, value_name = "FILE")]
    system_prompt_file: Option<PathBuf>,
    /// Most replies of the model.
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) turns: u32,
    /// Longest time altogether, in seconds; none where it is 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) timeout_seconds: u64,
    /// Most tokens of a reply.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: u32,
    /// How often a model that is busy is asked.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    attempts: u32,
}

impl Options {
    /// What is to be done.
    pub(crate) fn task(&self) -> Result<String, Failure> {
        let task = match &self.prompt_file {
            Some(path) => prompt(path, "prompt file")?,
            None => text(std::io::stdin(), "standard input")?,
        };
        if task.trim().is_empty() {
            return Err(Failure::other("there is no task: it is empty".to_owned()));
        }
        Ok(task)
    }

    /// The system prompt, with what the server of tools says of itself.
    pub(crate) fn system(&self, instructions: Option<String>) -> Result<String, Failure> {
        let mut system = match &self.system_prompt_file {
            Some(path) => prompt(path, "system prompt file")?,
            None => SYSTEM.to_owned(),
        };
        if let Some(instructions) = instructions {
            let (text, _) = crate::cut::middle(&instructions, MAX_INSTRUCTIONS);
            system.push_str("\n\n");
            system.push_str(&text);
        }
        Ok(system)
    }

    /// Who asks the model.
    pub(crate) fn client(&self) -> Result<ChatClient, Failure> {
        let mut config = ClientConfig::new(match self.api {
            Api::Anthropic => ModelApi::Anthropic,
            Api::OpenaiChat => ModelApi::OpenaiChat,
        });
        config.base_url.clone_from(&self.base_url);
        config.attempts = self.attempts;
        config.reply_bytes = MAX_REPLY;
        config.roots = roots()?;
        let https = self
            .base_url
            .as_deref()
            .is_none_or(|it| it.starts_with("https:"));
        if https && crate::variable(["https_proxy", "HTTPS_PROXY"]).is_some() {
            // Past the proxy is the real provider and not the trial's gateway.
            return Err(Failure::new(
                FailureKind::Upstream,
                "https_proxy is set, and models are asked without a proxy: this agent needs a \
                 room with a network of its own, or a base address with http"
                    .to_owned(),
            ));
        }
        ChatClient::new(config)
            .map_err(|error| Failure::other(format!("the model cannot be asked: {error}")))
    }

    /// The longest time.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        (self.timeout_seconds > 0).then(|| Duration::from_secs(self.timeout_seconds))
    }
}

/// In a room the trial's own authority vouches for every host, and the room says
/// in which file it is.
fn roots() -> Result<Roots, Failure> {
    let Some(path) = env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) else {
        return Ok(Roots::System);
    };
    let path = Path::new(&path);
    let bytes = File::open(path).and_then(|file| bounded(file, MAX_CERTIFICATES));
    match bytes {
        Ok(bytes) => Ok(Roots::Only(bytes)),
        Err(error) => Err(Failure::other(format!(
            "SSL_CERT_FILE names {}, which cannot be read: {error}",
            path.display()
        ))),
    }
}

fn prompt(path: &Path, what: &str) -> Result<String, Failure> {
    let what = format!("the {what} {}", path.display());
    match File::open(path) {
        Ok(file) => text(file, &what),
        Err(error) => Err(Failure::other(format!("{what} cannot be read: {error}"))),
    }
}

fn text(from: impl Read, what: &str) -> Result<String, Failure> {
    let cannot = |why: &str| Failure::other(format!("{what} cannot be read: {why}"));
    let bytes = bounded(from, MAX_PROMPT).map_err(|error| cannot(&error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8"))
}

fn bounded(from: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let problem = format!("it is longer than {limit} bytes");
        return Err(std::io::Error::other(problem));
    }
    Ok(bytes)
}
