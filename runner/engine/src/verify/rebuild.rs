//! Building graders again, to see whether their source gives their bytes.
//!
//! A build runs what the author wrote: build scripts, macros, a toolchain file,
//! cargo's configuration in the repository. So it happens in a room like an
//! agent's: no network, no files of this machine but the repository, the
//! compiler and cargo's own copies of registry packages, all read-only. Cargo
//! is not asked anything about the source outside of that room.
//!
//! The repository is in the room twice, at paths of different depth, and is
//! built at both: only bytes that depend on neither can be the locked ones.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proctor_grading::build::{BuildOptions, StdSource, Toolchain, toolchain};
use proctor_sandbox::{ExecRequest, ReadOnlyBind, Sandbox, TOOLS};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use serde::Serialize;

use super::Place;
use crate::choice::MODULE_BYTES;
use crate::evidence::sha256_hex;
use crate::grader::{repository, source_folder};
use crate::host::HostConfig;
use crate::task::lock::{BuildRecord, Lock, LockedGrader, LockedTask, PYTHON};

/// Where the repository is in the room: two places of different depth.
const PLACES: [&str; 2] = ["/opt/one", "/opt/another/and/deeper/two"];
/// Where the compiler is in the room.
const RUST: &str = "/opt/rust";
/// Where cargo's copies of packages are in the room.
const REGISTRY: &str = "/opt/cargo/registry";
/// Cargo's own configuration of this machine: it may name a mirror.
const CONFIG: &str = "/opt/cargo/config.toml";
/// Longest build.
const TIME: Duration = Duration::from_mins(20);
/// Most bytes of a build's output that are kept.
const OUTPUT_BYTES: usize = 256 << 10;

/// What building again needs to know of this machine.
pub struct Rebuilding<'a> {
    /// Where things are.
    pub host: HostConfig,
    /// The environment to take `PATH` and the like from.
    pub env: Vec<(OsString, OsString)>,
    /// Cargo's home.
    pub cargo_home: Option<PathBuf>,
    /// Rustup's home, where there may be other compilers.
    pub rustup_home: Option<PathBuf>,
    /// Is told what happens.
    pub say: &'a dyn Fn(&str),
}

/// What came of building a grader again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rebuilt {
    /// The task.
    pub task: String,
    /// How it came out.
    pub outcome: RebuildOutcome,
    /// In words.
    pub message: String,
    /// What was run that the author of the grader wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<String>,
}

/// How building again came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RebuildOutcome {
    /// Both builds gave the locked bytes.
    Identical,
    /// They did not.
    Differs,
    /// It was not built here: a tool is missing, or it is Proctor's Python
    /// component. That is no pass.
    NotRebuilt,
    /// The task has no module that could be built.
    NothingToBuild,
}

impl RebuildOutcome {
    /// The outcome as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Differs => "differs",
            Self::NotRebuilt => "not_rebuilt",
            Self::NothingToBuild => "nothing_to_build",
        }
    }
}

/// Why a grader was not built again.
type NotRebuilt = String;

/// What a build in the room came to.
struct RoomBuild {
    sha256: String,
    ran: Vec<String>,
}

impl Rebuilding<'_> {
    pub(super) fn all(&self, place: &Place, lock: &Lock) -> Vec<Rebuilt> {
        let tasks = place.suite.tasks.iter().filter_map(|task| {
            let id = task.info.id.as_str();
            Some((id, lock.tasks.get(id)?))
        });
        tasks
            .map(|(id, locked)| self.one(place, id, locked))
            .collect()
    }

    fn one(&self, place: &Place, id: &str, locked: &LockedTask) -> Rebuilt {
        let rebuilt = |outcome, message: String, ran| Rebuilt {
            task: id.to_owned(),
            outcome,
            message,
            ran,
        };
        let grader = match &locked.grader {
            Some(grader) if grader.is_module() => grader,
            Some(grader) if grader.module == PYTHON => {
                return rebuilt(RebuildOutcome::NotRebuilt, of_python(grader), Vec::new());
            }
            _ => {
                let message = "there is no module to build".to_owned();
                return rebuilt(RebuildOutcome::NothingToBuild, message, Vec::new());
            }
        };
        match self.twice(place, id, locked) {
            Err(why) => rebuilt(RebuildOutcome::NotRebuilt, why, Vec::new()),
            Ok([one, two]) if one.sha256 != two.sha256 => {
                let message = format!(
                    "its source gives other bytes in another folder ({} and {})",
                    short(&one.sha256),
                    short(&two.sha256)
                );
                rebuilt(RebuildOutcome::Differs, message, one.ran)
            }
            Ok([one, _]) if one.sha256 != grader.sha256 => {
                let message = format!(
                    "its source gives other bytes with the recorded tools (its SHA-256 is {} and \
                     would be {})",
                    short(&grader.sha256),
                    short(&one.sha256)
                );
                rebuilt(RebuildOutcome::Differs, message, one.ran)
            }
            Ok([one, _]) => {
                let message = "its source gives the locked bytes, in two folders".to_owned();
                rebuilt(RebuildOutcome::Identical, message, one.ran)
            }
        }
    }

    fn twice(
        &self,
        place: &Place,
        id: &str,
        locked: &LockedTask,
    ) -> Result<[RoomBuild; 2], NotRebuilt> {
        let record = locked.build.as_ref().ok_or(
            "nothing says how it was built; build it with `proctor grader build` and lock it again",
        )?;
        let source = record
            .source
            .as_ref()
            .ok_or("its build record does not say where its source is")?;
        let krate = source_folder(&place.folder, source)?;
        let root = repository(&place.folder);
        let inside = krate
            .strip_prefix(&root)
            .map_err(|error| error.to_string())?
            .to_str()
            .ok_or("the path of its source is not UTF-8")?
            .to_owned();
        let sysroot = self.sysroot(&record.toolchain())?;
        crate::host::private_scratch(&self.host).map_err(|error| error.to_string())?;
        crate::room::probe(&self.host).map_err(|error| {
            format!("a build runs what its author wrote, and needs a room: {error}")
        })?;
        (self.say)(&format!(
            "{id}: building {source} twice, in a room without network; this runs what its author \
             wrote"
        ));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start the runtime: {error}"))?;
        let built = runtime.block_on(self.in_room(&root, &inside, &sysroot, record));
        runtime.shutdown_background();
        built
    }

    async fn in_room(
        &self,
        root: &Path,
        inside: &str,
        sysroot: &Path,
        record: &BuildRecord,
    ) -> Result<[RoomBuild; 2], NotRebuilt> {
        let failed = |error: proctor_sandbox::SandboxError| {
            format!("the room: {}", crate::error::chain(&error))
        };
        // Nobody answers on the sockets: whatever connects is refused.
        let (sandbox, sockets) = Sandbox::start(self.room(root, sysroot))
            .await
            .map_err(failed)?;
        drop(sockets);
        let prepare = format!(
            "mkdir cargo && cd cargo && for part in {REGISTRY} {CONFIG}; do \
             if [ -e $part ]; then ln -s $part .; fi; done"
        );
        sandbox
            .exec(ExecRequest::shell(prepare))
            .await
            .map_err(failed)?;
        let mut builds = Vec::new();
        for (at, place) in PLACES.iter().enumerate() {
            let output = format!("{at}.wasm");
            let request = request(&format!("{place}/{inside}"), &output, at, record.std);
            let ended = sandbox.exec(request).await.map_err(failed)?;
            // Whatever the build left running must not touch what it made.
            sandbox.kill_all().await.map_err(failed)?;
            if ended.timed_out {
                return Err(format!(
                    "its build took more than {} minutes",
                    TIME.as_secs() / 60
                ));
            }
            if !ended.status.success() {
                return Err(said(&ended.stderr));
            }
            let wasm = read(&sandbox, &output)
                .map_err(|error| format!("its build left no module: {error}"))?;
            builds.push(RoomBuild {
                sha256: sha256_hex(&wasm),
                ran: ran(&ended.stdout),
            });
            let clean = ExecRequest::shell(format!("rm -rf target-{at}"));
            sandbox.exec(clean).await.map_err(failed)?;
        }
        sandbox.stop().await.map_err(failed)?;
        builds
            .try_into()
            .map_err(|_| "it was not built twice".to_owned())
    }

    fn room(&self, root: &Path, sysroot: &Path) -> proctor_sandbox::SandboxConfig {
        let mut config = crate::room::config(&self.host, "");
        let mut bind = |source: PathBuf, target: String| {
            config.binds.push(ReadOnlyBind { source, target });
        };
        for place in PLACES {
            bind(root.to_owned(), place.to_owned());
        }
        bind(sysroot.to_owned(), RUST.to_owned());
        bind(
            self.host.compiler.program.clone(),
            format!("{TOOLS}/proctor"),
        );
        if let Some(home) = &self.cargo_home {
            for (name, target) in [("registry", REGISTRY), ("config.toml", CONFIG)] {
                let source = home.join(name);
                if source.exists() {
                    bind(source, target.to_owned());
                }
            }
        }
        config.limits.workspace_bytes = 6 << 30;
        config.limits.workspace_entries = 1 << 20;
        config.limits.scratch_bytes = 1 << 30;
        config.limits.memory_bytes = Some(6 << 30);
        config
    }

    /// The compiler of this machine whose tools are the recorded ones. It is
    /// looked for in an empty folder, where no toolchain file can name another.
    fn sysroot(&self, recorded: &Toolchain) -> Result<PathBuf, NotRebuilt> {
        let empty = tempfile::Builder::new()
            .prefix("verify-")
            .tempdir_in(&self.host.scratch)
            .or_else(|_| tempfile::tempdir())
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let mut why = String::new();
        for sysroot in self.sysroots(empty.path()) {
            let path = format!("{}/bin:/usr/bin:/bin", sysroot.display());
            let options = BuildOptions::new(empty.path())
                .env([("PATH".into(), path.into())])
                .std(recorded.std);
            let why_not = match toolchain(empty.path(), &options) {
                Ok(found) if found == *recorded => return Ok(sysroot),
                Ok(found) => differing(recorded, &found),
                Err(error) => error.to_string(),
            };
            // The first is the one that whoever asks would use.
            if why.is_empty() {
                why = why_not;
            }
        }
        if why.is_empty() {
            "there is no Rust toolchain on this machine".clone_into(&mut why);
        }
        Err(format!("the tools that built it are not here: {why}"))
    }

    /// Compilers of this machine: the one on the `PATH`, then rustup's.
    fn sysroots(&self, dir: &Path) -> Vec<PathBuf> {
        let on_path = std::process::Command::new("rustc")
            .args(["--print", "sysroot"])
            .current_dir(dir)
            .env_clear()
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(std::process::Stdio::null())
            .output();
        let on_path = on_path
            .ok()
            .filter(|output| output.status.success())
            .and_then(|output| String::from_utf8(output.stdout).ok())
            .map(|line| PathBuf::from(line.trim()));
        let mut found: Vec<PathBuf> = on_path.into_iter().collect();
        let others = self
            .rustup_home
            .as_ref()
            .map(|home| home.join("toolchains"));
        let others = others.and_then(|folder| std::fs::read_dir(folder).ok());
        let mut others: Vec<PathBuf> = others
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        others.sort();
        for other in others {
            if other.is_dir() && !found.contains(&other) {
                found.push(other);
            }
        }
        found
    }
}

/// Why Proctor's Python grader is not built again: its source is in no suite,
/// and its build needs a machine of its own (`tools/python.sh`).
fn of_python(grader: &LockedGrader) -> String {
    format!(
        "its grader is Proctor's Python component (SHA-256 {}), whose source is not in the suite; \
         in Proctor's checkout, `tools/python.sh --check` builds it twice and compares",
        grader.sha256
    )
}

/// The build, as the room's own `proctor` does it.
fn request(krate: &str, output: &str, at: usize, std: StdSource) -> ExecRequest {
    let std = match std {
        StdSource::Installed => "installed",
        StdSource::Source => "source",
    };
    let mut request = ExecRequest::new([
        "proctor",
        "grader",
        "build",
        krate,
        "--output",
        output,
        "--target-dir",
        &format!("target-{at}"),
        "--std",
        std,
        "--offline",
        "--format",
        "json",
    ])
    .timeout(TIME);
    request.output_cap_bytes = OUTPUT_BYTES;
    request.env = vec![
        (
            "PATH".to_owned(),
            format!("{TOOLS}:{RUST}/bin:/usr/bin:/bin"),
        ),
        (
            "CARGO_HOME".to_owned(),
            format!("{}/cargo", proctor_sandbox::WORKSPACE),
        ),
    ];
    request
}

/// A file of the room's workspace, which what was built may have made anything.
fn read(sandbox: &Sandbox, name: &str) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    let workspace = sandbox.workspace();
    let file = openat2(workspace.as_fd(), name, flags, Mode::empty(), how)?;
    let mut file = File::from(file);
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.by_ref().take(MODULE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The error of the room's own `proctor`, and what to do where packages are
/// missing.
fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let error = text.lines().rev().find_map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(value["error"]["message"].as_str()?.to_owned())
    });
    let message = error.unwrap_or_else(|| text.trim().to_owned());
    let advice = if message.contains("--offline") || message.contains("offline was specified") {
        "\nget the packages first: cargo fetch --locked, in the folder of its source"
    } else if message.contains("No such file or directory") {
        "\nthe room has the repository around the suite and nothing besides: what the build reads, \
         the SDK for instance, has to be part of it (docs/writing-graders.md, \"For others\")"
    } else {
        ""
    };
    let start = message.len().saturating_sub(4000);
    let start = (start..=message.len())
        .find(|at| message.is_char_boundary(*at))
        .unwrap_or_default();
    format!("it does not build here: {}{advice}", &message[start..])
}

/// What the build ran of its author's, by its own account.
fn ran(stdout: &[u8]) -> Vec<String> {
    let value: Option<serde_json::Value> = serde_json::from_slice(stdout).ok();
    let scripts = value.as_ref().and_then(|value| value["scripts"].as_array());
    scripts
        .into_iter()
        .flatten()
        .filter_map(|script| Some(script.as_str()?.to_owned()))
        .take(20)
        .collect()
}

/// In what two sets of tools differ.
fn differing(recorded: &Toolchain, found: &Toolchain) -> String {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "its own".to_owned());
    let pairs = [
        ("the compiler", recorded.rustc.clone(), found.rustc.clone()),
        ("cargo", recorded.cargo.clone(), found.cargo.clone()),
        (
            "the linker",
            or_none(&recorded.linker),
            or_none(&found.linker),
        ),
        (
            "wit-component",
            recorded.wit_component.clone(),
            found.wit_component.clone(),
        ),
    ];
    let lines: Vec<String> = pairs
        .into_iter()
        .filter(|(_, recorded, found)| recorded != found)
        .map(|(what, recorded, found)| format!("{what} was `{recorded}` and is `{found}`"))
        .collect();
    lines.join("; ")
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
