//! `proctor serve`: a task's world for interactive use.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proctor_engine::serve::{self, ServeRequest, Source};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor serve`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Task whose world is served
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with = "world",
        required_unless_present = "world"
    )]
    pub task: Option<PathBuf>,

    /// World to serve without a task: `google` (an empty Google Workspace)
    #[arg(long, value_name = "NAME")]
    pub world: Option<String>,

    /// Number of the attempt whose world is served, from 0: it stands where the
    /// seed says {attempt}
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "world")]
    pub attempt: u32,

    /// Port of the plain, path-routed services and of /__proctor/; 0 picks one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,

    /// Port of the HTTP proxy that leads every host into the world; 0 picks one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub proxy_port: u16,

    /// What to print on standard output: lines for a shell, or one JSON object
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Serves until interrupted.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let source = match (&arguments.task, &arguments.world) {
        (Some(path), _) => Source::Task(path.clone()),
        (None, Some(name)) => Source::World(name.clone()),
        (None, None) => anyhow::bail!("give --task or --world"),
    };
    let loopback = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    runtime.block_on(async {
        let served = serve::start(&ServeRequest {
            source,
            attempt: arguments.attempt,
            plain: loopback(arguments.port),
            proxy: loopback(arguments.proxy_port),
            host: super::host()?,
        })?;
        match arguments.format {
            Format::Json => output::exact(&serde_json::to_string(&served.describe())?),
            Format::Text => {
                for (name, value) in served.environment() {
                    output::exact(&format!("export {name}={}", quoted(value)));
                }
            }
        }
        // Nobody could use a world whose address is not known.
        if output::lost().is_some() {
            served.stop().await;
            return Ok(Exit::Io);
        }
        output::err(&format!(
            "serving {} on http://{} and through the proxy http://{}; control: http://{}/__proctor/state; Ctrl-C ends it",
            served.name(),
            served.plain(),
            served.proxy(),
            served.plain(),
        ));
        super::interrupted().await.context("cannot wait for Ctrl-C")?;
        served.stop().await;
        Ok(Exit::Done)
    })
}

/// `value` as one word of a POSIX shell.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}
