//! A world for interactive use: the fakes on one plain port, and behind a
//! proxy that leads every host name to them.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use proctor_services::{Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle};
use serde_json::json;

use crate::EngineError;
use crate::host::HostConfig;
use crate::task;

/// Begin of the names of directories that are served from.
const PREFIX: &str = "serve-";

/// What to serve, and where.
#[derive(Debug, Clone)]
pub struct ServeRequest {
    /// The world.
    pub source: Source,
    /// Number of the attempt that the world is for, from 0. Only seeds tell.
    pub attempt: u32,
    /// Address of the plain, path-routed services and of `/__proctor/`.
    pub plain: SocketAddr,
    /// Address of the proxy.
    pub proxy: SocketAddr,
    /// Where things are on this machine.
    pub host: HostConfig,
}

/// Where a world comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A task's seed.
    Task(PathBuf),
    /// An empty world with this service.
    World(String),
}

/// A world that is being served until [`Served::stop`], or until it is dropped.
#[derive(Debug)]
pub struct Served {
    name: String,
    plain: SocketAddr,
    proxy: SocketAddr,
    environment: Vec<(String, String)>,
    gateway: Gateway,
    /// The certificate and the clients' own files; gone with this value.
    _files: tempfile::TempDir,
}

/// Starts to serve, on the runtime in whose context it is called.
///
/// # Errors
/// The task or its seed is not valid, or an address is not to be had.
pub fn start(request: &ServeRequest) -> Result<Served, EngineError> {
    let (name, world, services) = world(&request.source, request.attempt)?;
    let mut config = GatewayConfig::new(world.services());
    let mut environment = proctor_services::client_env(&services, &world.account);
    // People play for days: what is old makes way.
    let handle = WorldHandle::new(world, JournalCaps::rolling());
    config.control = true;
    let unavailable =
        |error: proctor_services::GatewayError| EngineError::Serve(crate::error::chain(&error));
    let gateway = Gateway::new(handle, config).map_err(unavailable)?;
    let plain = bind(request.plain)?;
    let proxy = bind(request.proxy)?;
    let (plain_at, proxy_at) = (address(&plain)?, address(&proxy)?);
    gateway.spawn_plain(plain).map_err(unavailable)?;
    gateway.spawn_proxy(proxy).map_err(unavailable)?;
    let scratch = crate::host::private_scratch(&request.host)?;
    sweep(scratch);
    let files = files(gateway.ca_pem(), scratch)?;
    let bundle = files.path().join("ca.pem").display().to_string();
    environment.extend(proctor_services::config_env(
        &services,
        &files.path().join("config").display().to_string(),
    ));
    environment.extend(proctor_services::trust_env(&bundle));
    environment.extend(proctor_services::proxy_env(proxy_at));
    Ok(Served {
        name,
        plain: plain_at,
        proxy: proxy_at,
        environment,
        gateway,
        _files: files,
    })
}

impl Served {
    /// What is served: a task's identifier or a world's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Address of the plain services.
    pub fn plain(&self) -> SocketAddr {
        self.plain
    }

    /// Address of the proxy.
    pub fn proxy(&self) -> SocketAddr {
        self.proxy
    }

    /// Variables that lead real clients into the world.
    pub fn environment(&self) -> &[(String, String)] {
        &self.environment
    }

    /// Everything about it, for scripts.
    pub fn describe(&self) -> serde_json::Value {
        let environment: serde_json::Map<_, _> = self
            .environment
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        json!({
            "name": self.name,
            "plain": format!("http://{}", self.plain),
            "proxy": format!("http://{}", self.proxy),
            "environment": environment,
        })
    }

    /// Ends it.
    pub async fn stop(self) {
        self.gateway.shutdown().await;
    }
}

fn world(source: &Source, attempt: u32) -> Result<(String, World, Vec<String>), EngineError> {
    match source {
        Source::Task(path) => {
            let task = task::load_task(path, crate::host::load_options())?;
            let world = crate::trial::world(&task, attempt)?;
            Ok((task.info.id, world, task.info.services))
        }
        Source::World(name) => {
            let known = proctor_services::world::SERVICES;
            if !known.contains(&name.as_str()) {
                return Err(EngineError::Usage {
                    message: format!(
                        "there is no world `{name}`; the worlds are {}",
                        known.join(", ")
                    ),
                    hint: None,
                });
            }
            let services = vec![name.clone()];
            let options = SeedOptions {
                services: services.clone(),
                attempt,
            };
            let world = crate::trial::unseeded(name, &options)?;
            Ok((name.clone(), world, services))
        }
    }
}

fn bind(at: SocketAddr) -> Result<TcpListener, EngineError> {
    TcpListener::bind(at)
        .map_err(|error| EngineError::Serve(format!("cannot listen on {at}: {error}")))
}

fn address(listener: &TcpListener) -> Result<SocketAddr, EngineError> {
    listener
        .local_addr()
        .map_err(|error| EngineError::Serve(error.to_string()))
}

/// Begin of the names of what the process `pid` serves from: with the moment of
/// its start, since numbers of processes are used again.
fn prefix(pid: u32) -> String {
    let started = started(pid).unwrap_or_default();
    format!("{PREFIX}{pid}-{started}-")
}

/// When the process `pid` started, in clock ticks since boot: field 22 of
/// `/proc/PID/stat`, `proc_pid_stat(5)`. The second field, the program's name in
/// parentheses, may hold anything.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

/// The process that left `name`, where it has ended.
fn dead(name: &str) -> Option<u32> {
    let mut parts = name.strip_prefix(PREFIX)?.split('-');
    let pid: u32 = parts.next()?.parse().ok()?;
    let start: u64 = parts.next()?.parse().ok()?;
    (parts.next().is_some() && started(pid) != Some(start)).then_some(pid)
}

/// Removes what servers left that were killed.
pub(crate) fn sweep(scratch: &Path) {
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in entries {
        let Some(pid) = entry.file_name().to_str().and_then(dead) else {
            continue;
        };
        let path = entry.path();
        match std::fs::remove_dir_all(&path) {
            Ok(()) => tracing::info!(pid, path = %path.display(), "removed what a server left"),
            Err(error) => tracing::warn!(%error, path = %path.display(), "cannot remove"),
        }
    }
}

fn files(ca_pem: &str, scratch: &Path) -> Result<tempfile::TempDir, EngineError> {
    let fail = |error| EngineError::io("cannot write into", scratch)(error);
    let dir = tempfile::Builder::new()
        .prefix(&prefix(std::process::id()))
        .tempdir_in(scratch)
        .map_err(fail)?;
    std::fs::write(dir.path().join("ca.pem"), ca_pem).map_err(fail)?;
    std::fs::create_dir(dir.path().join("config")).map_err(fail)?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dead_servers_left_is_removed_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = format!("{}x1", prefix(child.id()));
        child.wait().unwrap();
        let ours = format!("{}x2", prefix(std::process::id()));
        let reused = format!("serve-{}-1-x3", std::process::id());
        for name in [&gone, &ours, &reused, "serve-old", "trial-1-1-1"] {
            std::fs::create_dir(scratch.path().join(name)).unwrap();
        }
        sweep(scratch.path());
        let left = |name: &str| scratch.path().join(name).exists();
        assert!(!left(&gone) && !left(&reused));
        assert!(left(&ours) && left("serve-old") && left("trial-1-1-1"));
    }
}
