//! Agents that are programs of their own: started as their adapter says, and
//! read from what they leave behind.
//!
//! The program runs in the room like any command of an agent's. Its session
//! files are collected afterwards, also when its time was up; everything that
//! comes out of the room is untrusted and bounded.

mod collect;
mod outcome;
mod read;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use proctor_transcripts::Format;
use proctor_types::manifest::{AgentEnd, TranscriptSource};
use proctor_types::{ModelApi, Usage};

use crate::adapter::{Adapter, Rendered, Values};
use crate::agent::{Agent, AgentError, AgentRun, Assignment, Deadline};
use crate::files;
use crate::install::Installation;
use crate::room::{BASH, ExecOutput, ExecRequest, MAX_ARGUMENT_BYTES, Shell, ShellError};
use crate::steps::ENV_ATTEMPT;
use crate::text;
use crate::transcript::{TranscriptError, TranscriptWriter};

/// Bytes that an argument or the value of a variable may have: a variable is
/// `NAME=VALUE` to the system, and what the room adds has to fit, too.
const ARGUMENT_BYTES: usize = MAX_ARGUMENT_BYTES - 256;
/// Bytes of each output that are kept.
const OUTPUT_CAP_BYTES: usize = 32 << 20;
/// Time for a command of the runner's own in the room.
const OWN_TIME_LIMIT: Duration = Duration::from_secs(20);
/// What reading a transcript may take on top of collecting it.
const READ_TIME: Duration = Duration::from_secs(40);

/// The model that an agent is to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTarget {
    /// Protocol that it is asked in.
    pub api: ModelApi,
    /// Its name, as the provider calls it: `claude-sonnet-4-5`.
    pub model: String,
    /// Address in the room without a path: `https://api.anthropic.com`.
    pub base_url: String,
    /// The provider by its name on the command line: `anthropic`.
    pub provider: String,
}

/// What a [`CliAgent`] is made of besides its adapter.
#[derive(Debug, Clone)]
pub struct CliSetup {
    /// The program ([`crate::install::find`]).
    pub installation: Installation,
    /// The model, for agents that ask one.
    pub model: Option<ModelTarget>,
    /// Address in the room of the world's tools over MCP, where it has some.
    pub mcp_url: Option<String>,
    /// Most turns that the agent may take.
    pub turns: Option<u32>,
}

/// Why an agent cannot be set up like that. All of these are to be told before
/// a trial starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Nobody said which model.
    #[error("the agent `{0}` asks a model: say which with --model PROVIDER/NAME")]
    NoModel(String),
    /// Not in that protocol.
    #[error("the agent `{agent}` cannot ask a model over {api}: it speaks {spoken}")]
    Api {
        /// The agent.
        agent: String,
        /// What was asked for.
        api: ModelApi,
        /// What it can do, as prose.
        spoken: String,
    },
    /// It has no such limit.
    #[error("the agent `{0}` has no limit of turns: leave out --turns, and bound it by requests")]
    Turns(String),
}

/// An agent that is a program of its own.
#[derive(Debug)]
pub struct CliAgent {
    adapter: Arc<Adapter>,
    setup: CliSetup,
    /// What its transcript says, where no file does.
    version: OnceLock<String>,
}

/// The run by the agent's own account: claims, which the gateway's record of
/// the model's traffic can be held against.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// Tokens of the whole run, each reply once.
    pub usage: Option<Usage>,
    /// Models, as they call themselves.
    pub models: Vec<String>,
    /// The agent's own identifier of the session.
    pub session_id: Option<String>,
    /// What the agent believes the run cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// How many turns it counted.
    pub turns: Option<u64>,
    /// Events that were not understood and are in the transcript as they came.
    pub unknown: u64,
    /// The first of them, escaped.
    pub unknown_samples: Vec<String>,
    /// What a reader of the transcript should know.
    pub warnings: Vec<String>,
}

impl CliAgent {
    /// The agent of `adapter`, set up as `setup` says.
    ///
    /// # Errors
    /// When the agent cannot do what is asked of it.
    pub fn new(adapter: Arc<Adapter>, setup: CliSetup) -> Result<Self, SetupError> {
        let name = || adapter.name().to_owned();
        let supports = adapter.supports();
        match &setup.model {
            None if adapter.asks_models() => return Err(SetupError::NoModel(name())),
            Some(model) if adapter.asks_models() && !supports.apis.contains(&model.api) => {
                let spoken: Vec<&str> = supports.apis.iter().map(|api| api.name()).collect();
                return Err(SetupError::Api {
                    agent: name(),
                    api: model.api,
                    spoken: spoken.join(", "),
                });
            }
            _ => {}
        }
        if setup.turns.is_some() && !supports.turns {
            return Err(SetupError::Turns(name()));
        }
        Ok(Self {
            adapter,
            setup,
            version: OnceLock::new(),
        })
    }

    fn values(&self, assignment: &Assignment<'_>, place: Place) -> Values {
        let model = self.setup.model.as_ref();
        Values {
            agent_dir: self.setup.installation.guest_dir.clone(),
            attempt: assignment.attempt,
            home: place.home,
            mcp_url: self.setup.mcp_url.clone(),
            model: model.and_then(|model| {
                let ModelTarget {
                    api,
                    model,
                    base_url,
                    provider,
                } = model;
                self.adapter.model_values(*api, base_url, provider, model)
            }),
            prompt: assignment.prompt.to_owned(),
            system_prompt: assignment.system_prompt.map(str::to_owned),
            timeout_seconds: assignment.timeout.as_secs(),
            turns: self.setup.turns,
            workspace: place.workspace,
        }
    }

    fn request(&self, rendered: Rendered, attempt: u32, timeout: Duration) -> ExecRequest {
        let mut argv = self.setup.installation.command.clone();
        argv.extend(rendered.args);
        let mut env = vec![(ENV_ATTEMPT.to_owned(), attempt.to_string())];
        env.extend(rendered.env);
        ExecRequest {
            argv,
            env,
            cwd: None,
            stdin: rendered.stdin.map(String::into_bytes),
            timeout,
            output_cap_bytes: OUTPUT_CAP_BYTES,
        }
    }

    /// Reads what the agent left, writes it down, and says what it came to.
    async fn account(
        &self,
        room: &dyn Shell,
        run: Run<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        let Run {
            assignment,
            deadline,
            home,
            output,
        } = run;
        let mut warnings = Vec::new();
        let sessions =
            collect::collect(room, self.adapter.transcript(), &home, &mut warnings).await?;
        if output.stdout_cut_bytes > 0 {
            warnings.push(format!(
                "{} bytes of standard output beyond {OUTPUT_CAP_BYTES} were cut",
                output.stdout_cut_bytes
            ));
        }
        let raw = raw_files(&output, &sessions);
        let reading = read::read(self.adapter.transcript(), sessions, &output, &mut warnings).await;
        let ended = outcome::Ended {
            adapter: &self.adapter,
            output: &output,
            deadline,
        };
        let native = match reading {
            Ok(native) => native,
            Err(error) => {
                let end = ended.without_transcript(error)?;
                return Ok(AgentRun {
                    end,
                    raw,
                    account: Some(Account {
                        warnings,
                        ..Account::default()
                    }),
                });
            }
        };
        if let Some(version) = &native.version {
            // The first account stays; there is only one.
            drop(self.version.set(text::plain(version, 64)));
        }
        let end = match read::write(&native, assignment, transcript) {
            Ok(()) => ended.of(&native),
            Err(error @ TranscriptError::Full { .. }) => AgentEnd::Failed {
                exit_code: Some(output.exit_code),
                reason: error.to_string(),
                failure: None,
            },
            Err(error) => return Err(error.into()),
        };
        warnings.extend(native.warnings);
        let account = Account {
            usage: native.usage,
            models: native.models,
            session_id: native.session_id,
            cost_usd: native.cost_usd,
            turns: native.turns,
            unknown: native.unknown.count,
            unknown_samples: native.unknown.samples,
            warnings,
        };
        Ok(AgentRun {
            end,
            raw,
            account: Some(account),
        })
    }
}

/// Where an agent is in its room.
struct Place {
    home: String,
    workspace: String,
}

/// A run of the program that is over.
struct Run<'a> {
    assignment: &'a Assignment<'a>,
    deadline: Deadline,
    home: String,
    output: ExecOutput,
}

#[async_trait]
impl Agent for CliAgent {
    fn name(&self) -> &str {
        self.adapter.name()
    }

    fn version(&self) -> Option<String> {
        let installed = self.setup.installation.version.clone();
        installed.or_else(|| self.version.get().cloned())
    }

    fn transcript_source(&self) -> TranscriptSource {
        match self.adapter.transcript().format {
            Format::Text => TranscriptSource::Output,
            _ => TranscriptSource::Agent,
        }
    }

    fn grace(&self) -> Duration {
        OWN_TIME_LIMIT + READ_TIME
    }

    async fn run(
        &self,
        room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        let deadline = Deadline::after(assignment.timeout);
        transcript.open(assignment)?;
        let place = place(room).await?;
        let home = place.home.clone();
        let api = self.setup.model.as_ref().map(|model| model.api);
        let rendered = self
            .adapter
            .render(self.values(assignment, place), api)
            .map_err(|problem| AgentError::Adapter {
                agent: self.adapter.name().to_owned(),
                problem,
            })?;
        if let Some(reason) = unfit(&rendered) {
            return Ok(AgentRun::ended(AgentEnd::Failed {
                exit_code: None,
                reason,
                failure: None,
            }));
        }
        for file in &rendered.files {
            files::put(room, &home, file).await?;
        }
        let Some(left) = deadline.left() else {
            return Ok(AgentRun::ended(deadline.met()));
        };
        // A program that cannot be started is the installation's fault.
        let output = room
            .exec(self.request(rendered, assignment.attempt, left))
            .await?;
        let run = Run {
            assignment,
            deadline,
            home,
            output,
        };
        self.account(room, run, transcript).await
    }
}

/// Asks the room where home and workspace are.
async fn place(room: &dyn Shell) -> Result<Place, AgentError> {
    let output = room
        .exec(ExecRequest {
            argv: [BASH, "-c", r#"printf '%s\n%s' "$HOME" "$PWD""#]
                .map(str::to_owned)
                .to_vec(),
            env: Vec::new(),
            cwd: None,
            stdin: None,
            timeout: OWN_TIME_LIMIT,
            output_cap_bytes: 8192,
        })
        .await?;
    let text = String::from_utf8(output.stdout).unwrap_or_default();
    match text.split_once('\n') {
        Some((home, workspace)) if home.starts_with('/') && workspace.starts_with('/') => {
            Ok(Place {
                home: home.to_owned(),
                workspace: workspace.to_owned(),
            })
        }
        _ => Err(ShellError::Room("it does not say where the agent's home is".into()).into()),
    }
}

/// Why the system would not take the arguments, where it would not.
fn unfit(rendered: &Rendered) -> Option<String> {
    let env = rendered.env.iter();
    let env = env.map(|(name, value)| (format!("the variable {name}"), value));
    let args = rendered.args.iter();
    let mut args = args
        .map(|value| ("an argument".to_owned(), value))
        .chain(env);
    args.find_map(|(what, value)| {
        let bytes = value.len();
        if value.contains('\0') {
            Some(format!(
                "{what} of the agent would have a NUL character, which none can hold"
            ))
        } else if bytes > ARGUMENT_BYTES {
            Some(format!(
                "{what} of the agent would have {bytes} bytes, and may have \
                 {ARGUMENT_BYTES}: the task's prompt or system prompt is too long for it"
            ))
        } else {
            None
        }
    })
}

/// What is kept for the bundle's `agent/` folder. Files of the agent's get names
/// of ours, since theirs could lead anywhere.
fn raw_files(
    output: &ExecOutput,
    sessions: &[proctor_transcripts::NativeFile],
) -> Vec<(String, Vec<u8>)> {
    let mut raw = vec![
        ("stdout".to_owned(), output.stdout.clone()),
        ("stderr".to_owned(), output.stderr.clone()),
    ];
    for (number, file) in sessions.iter().enumerate() {
        let base = file.name.rsplit('/').next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let base: String = base.chars().filter(|c| plain(*c)).take(100).collect();
        raw.push((format!("session-{number}-{base}"), file.bytes.clone()));
    }
    raw
}
