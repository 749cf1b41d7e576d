//! Running cargo so that only the sources and the tools decide the bytes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Message, Metadata, MetadataCommand};
use sha2::{Digest, Sha256};

use super::tools::Tools;
use super::{BuildError, BuildOptions, TARGET};

/// Runs the compiler so that it does not matter where the sources lie.
const WRAPPER: &str = include_str!("rustc.sh");

/// The SDK's package.
const SDK: &str = "proctor-grader";

/// Lines of a failed tool's output that its error keeps.
const KEPT_LINES: usize = 60;

/// One build of one crate.
pub(super) struct Build<'a> {
    pub(super) tools: &'a Tools,
    pub(super) crate_dir: &'a Path,
    pub(super) options: &'a BuildOptions,
}

/// A module, and what its build was made of besides the tools.
pub(super) struct Output {
    pub(super) module: Vec<u8>,
    pub(super) sdk: Option<String>,
    pub(super) scripts: Vec<String>,
}

impl Build<'_> {
    /// The compiled module.
    pub(super) fn run(&self) -> Result<Output, BuildError> {
        let metadata = self.metadata()?;
        let mut cargo = self.cargo("rustc");
        cargo
            .args([
                "--release",
                "--lib",
                "--crate-type",
                "cdylib",
                "--target",
                TARGET,
            ])
            .args(["--message-format", "json-render-diagnostics"])
            .envs(self.settings(&metadata)?);
        if self.tools.std_sources.is_some() {
            cargo
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC_BOOTSTRAP", "1");
        }
        let output = run(cargo, "cargo rustc")?;
        let path = module_path(&output)?;
        let module = std::fs::read(&path).map_err(|source| BuildError::File { path, source })?;
        Ok(Output {
            module,
            sdk: sdk(&metadata),
            scripts: scripts(&metadata),
        })
    }

    /// Cargo in the crate's directory, with the given subcommand.
    fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(&self.tools.cargo);
        cargo
            .current_dir(self.crate_dir)
            .env_clear()
            .envs(self.options.env.iter().map(|(name, value)| (name, value)))
            .env("RUSTC", &self.tools.rustc)
            .env("CARGO_TERM_COLOR", "never")
            .args([subcommand, "--locked"]);
        if self.options.is_offline {
            cargo.arg("--offline");
        }
        cargo
    }

    /// The packages of the build and where they lie.
    fn metadata(&self) -> Result<Metadata, BuildError> {
        let mut cargo = self.cargo("metadata");
        cargo.args(["--format-version", "1", "--filter-platform", TARGET]);
        let output = run(cargo, "cargo metadata")?;
        let problem = |problem: String| BuildError::Answer {
            program: "cargo metadata".to_owned(),
            problem,
        };
        let text = String::from_utf8(output).map_err(|error| problem(error.to_string()))?;
        MetadataCommand::parse(text).map_err(|error| problem(error.to_string()))
    }

    /// What makes the build reproducible, whatever the crate's own profile and
    /// the user's configuration say. `opt-level` is the crate's choice.
    fn settings(
        &self,
        metadata: &Metadata,
    ) -> Result<BTreeMap<&'static str, OsString>, BuildError> {
        let mut settings: BTreeMap<&'static str, OsString> = BTreeMap::new();
        for (name, value) in [
            ("CARGO_INCREMENTAL", "0"),
            ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
            ("CARGO_PROFILE_RELEASE_DEBUG", "false"),
            ("CARGO_PROFILE_RELEASE_LTO", "fat"),
            ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
            ("CARGO_PROFILE_RELEASE_STRIP", "symbols"),
        ] {
            settings.insert(name, value.into());
        }
        settings.insert("CARGO_TARGET_DIR", self.target_dir().into());
        settings.insert("CARGO_ENCODED_RUSTFLAGS", self.rustflags(metadata));
        settings.insert("RUSTC_WRAPPER", self.wrapper()?.into());
        settings.insert("PROCTOR_LOCAL_PACKAGES", local_packages(metadata));
        if let Some(linker) = &self.tools.linker {
            settings.insert("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker.into());
        }
        Ok(settings)
    }

    /// Where cargo keeps what it compiles. What another script compiled counts
    /// as fresh to cargo, so each version of the script has its own directory.
    fn target_dir(&self) -> PathBuf {
        let version = hex::encode(Sha256::digest(WRAPPER));
        self.options.target_dir.join(&version[..8])
    }

    /// The script that runs the compiler, put into the target directory.
    fn wrapper(&self) -> Result<PathBuf, BuildError> {
        let dir = self.target_dir();
        let path = dir.join("rustc.sh");
        let failed = |source| BuildError::File {
            path: path.clone(),
            source,
        };
        if std::fs::read(&path).is_ok_and(|content| content == WRAPPER.as_bytes()) {
            return Ok(path);
        }
        // Another build may be running it: the finished script takes its place
        // at once.
        std::fs::create_dir_all(&dir).map_err(failed)?;
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        std::fs::write(&draft, WRAPPER).map_err(failed)?;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&draft, executable).map_err(failed)?;
        std::fs::rename(&draft, &path).map_err(failed)?;
        Ok(path)
    }

    /// Flags that map the paths that end up in panic messages to names.
    fn rustflags(&self, metadata: &Metadata) -> OsString {
        let mut remaps: BTreeMap<PathBuf, String> = BTreeMap::new();
        for package in &metadata.packages {
            let Some(dir) = package.manifest_path.parent() else {
                continue;
            };
            if package.source.is_none() {
                remaps.insert(
                    dir.into(),
                    format!("/src/{}-{}", package.name, package.version),
                );
            } else if let Some(registry) = dir.parent() {
                remaps.insert(registry.into(), "/crates".to_owned());
            }
        }
        if let Some(sources) = &self.tools.std_sources {
            remaps.insert(sources.clone(), "/rust".to_owned());
        }
        // The last match wins: sorted by path, the inner one comes last.
        let mut flags = OsString::new();
        for (from, to) in remaps {
            if !flags.is_empty() {
                flags.push("\u{1f}");
            }
            flags.push("--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        flags
    }
}

/// Version of the SDK that the crate uses.
fn sdk(metadata: &Metadata) -> Option<String> {
    let sdk = metadata.packages.iter().find(|package| package.name == SDK);
    sdk.map(|package| package.version.to_string())
}

/// What the build runs of packages that come from no registry.
fn scripts(metadata: &Metadata) -> Vec<String> {
    let mut found = Vec::new();
    for package in metadata.packages.iter().filter(|p| p.source.is_none()) {
        for target in &package.targets {
            if target.is_custom_build() {
                found.push(format!("the build script of `{}`", package.name));
            } else if target.is_proc_macro() {
                found.push(format!("the procedural macros of `{}`", package.name));
            }
        }
    }
    found.sort();
    found
}

/// Directories of the packages that come from no registry, as the wrapper wants
/// them.
fn local_packages(metadata: &Metadata) -> OsString {
    let local = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_none());
    let dirs = local.filter_map(|package| package.manifest_path.parent());
    dirs.map(Utf8Path::as_str)
        .collect::<Vec<_>>()
        .join(":")
        .into()
}

/// The module among the files that cargo reports.
fn module_path(output: &[u8]) -> Result<PathBuf, BuildError> {
    let mut module = None;
    for message in Message::parse_stream(output) {
        let message = message.map_err(|error| BuildError::Answer {
            program: "cargo rustc".to_owned(),
            problem: error.to_string(),
        })?;
        if let Message::CompilerArtifact(artifact) = message {
            let is_module = |file: &&Utf8PathBuf| file.extension() == Some("wasm");
            if let Some(file) = artifact.filenames.iter().find(is_module) {
                module = Some(file.clone().into_std_path_buf());
            }
        }
    }
    module.ok_or_else(|| BuildError::Answer {
        program: "cargo rustc".to_owned(),
        problem: "it built no .wasm file".to_owned(),
    })
}

/// Runs a tool to its end. Its standard error goes to the log line by line.
fn run(mut command: Command, program: &str) -> Result<Vec<u8>, BuildError> {
    let spawn = |source| BuildError::Spawn {
        program: program.to_owned(),
        source,
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(spawn)?;
    let stderr = child.stderr.take();
    let log = std::thread::spawn(move || stderr.map(follow).unwrap_or_default());
    let mut output = Vec::new();
    let read = child
        .stdout
        .take()
        .map_or(Ok(0), |mut stdout| stdout.read_to_end(&mut output));
    let status = child.wait().map_err(spawn)?;
    let errors = log.join().unwrap_or_default();
    read.map_err(spawn)?;
    if !status.success() {
        let program = program.to_owned();
        return Err(BuildError::Tool {
            program,
            status,
            output: errors.join("\n"),
        });
    }
    Ok(output)
}

/// Logs a tool's lines and keeps the last ones.
fn follow(stderr: impl Read) -> Vec<String> {
    let mut kept = std::collections::VecDeque::new();
    for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        tracing::info!(target: "proctor::build", "{line}");
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
    kept.into()
}
