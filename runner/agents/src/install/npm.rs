//! Installing agents from the npm registry into Proctor's cache.
//!
//! A version is installed into a folder that nothing looks at, and gets its name
//! when it is complete: `CACHE/NAME/VERSION`. Install scripts of packages do not
//! run: none of the known agents needs them, and they would run on the
//! operator's machine with everything that belongs to the operator.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

use super::{executable, is_version, package_version};
use crate::adapter::{Adapter, Package};
use crate::text;

/// Written last: what has it is a complete installation.
const MARKER: &str = ".proctor-installed";
/// Begin of the names of folders in which something is being installed.
const STAGE: &str = ".stage-";
/// Bytes of npm's messages that are kept.
const OUTPUT_BYTES: u64 = 64 << 10;
/// Variables with keys of the operator's that npm has no use for.
const KEYS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
];

/// What to install, and where.
#[derive(Debug, Clone, Copy)]
pub struct Install<'a> {
    /// Whose program.
    pub adapter: &'a Adapter,
    /// Another version than the one that the adapter was measured with, or a tag.
    pub version: Option<&'a str>,
    /// The folder of installed agents.
    pub cache: &'a Path,
    /// The program `npm`. It runs with the environment of this process, since
    /// that says where the registry is, but for keys of model APIs.
    pub npm: &'a Path,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The folder.
    pub root: PathBuf,
    /// The version.
    pub version: String,
    /// Whether it was there already.
    pub was_there: bool,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// npm fetches the packages, each as `name@version`.
    Fetching(Vec<String>),
    /// What was fetched is looked at.
    Checking,
}

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Not an agent of the registry.
    #[error("the agent `{0}` cannot be installed by Proctor: its adapter names no npm package")]
    NoPackage(String),
    /// Not a version.
    #[error(
        "{0:?} is no version of a package: expected something like 1.2.3, or a tag like `latest`"
    )]
    Version(String),
    /// A file or folder could not be made.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// npm could not be started.
    #[error("cannot start {}: {source}", npm.display())]
    Start {
        /// The program.
        npm: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// npm failed.
    #[error("npm could not install {package} (exit code {code}): {reason}")]
    Npm {
        /// The package with its version.
        package: String,
        /// npm's exit code.
        code: i32,
        /// The gist of what it printed.
        reason: String,
    },
    /// The package is not what the adapter says.
    #[error("{package} was fetched, but {problem}")]
    Unexpected {
        /// The package with its version.
        package: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// The complete installation of `adapter` that was made last.
pub fn installed(cache: &Path, adapter: &Adapter) -> Option<PathBuf> {
    let entries = std::fs::read_dir(cache.join(adapter.name())).ok()?;
    let complete = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_str()?;
        if !is_version(name) {
            return None;
        }
        let made = path.join(MARKER).metadata().ok()?.modified().ok()?;
        Some((made, path))
    });
    complete.max().map(|(_, path)| path)
}

/// Installs an agent. Where the version is there already, it is only made the
/// one that is used.
///
/// Dropping the future ends npm and leaves nothing behind but an empty folder.
///
/// # Errors
/// When npm fails or the package does not hold what the adapter says. Nothing is
/// changed then.
pub async fn install(
    what: Install<'_>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Installed, InstallError> {
    let adapter = what.adapter;
    let package = adapter
        .package()
        .ok_or_else(|| InstallError::NoPackage(adapter.name().to_owned()))?;
    let version = what.version.unwrap_or(&package.version);
    if !is_version(version) {
        return Err(InstallError::Version(version.chars().take(64).collect()));
    }
    let home = what.cache.join(adapter.name());
    let there = home.join(version);
    if there.join(MARKER).is_file() {
        mark(&there)?;
        return Ok(Installed {
            root: there,
            version: version.to_owned(),
            was_there: true,
        });
    }
    std::fs::create_dir_all(&home).map_err(failed("create", &home))?;
    let stage = Stage::make(&home)?;
    let wanted = format!("{}@{version}", package.npm);
    let mut packages = vec![wanted.clone()];
    packages.extend(package.with.iter().cloned());
    progress(Progress::Fetching(packages.clone()));
    fetch(what.npm, &stage.0, &packages, &wanted).await?;
    progress(Progress::Checking);
    let version = checked(adapter, package, &stage.0, &wanted)?;
    remove(package, &stage.0)?;
    mark(&stage.0)?;
    let root = home.join(&version);
    match std::fs::rename(&stage.0, &root) {
        // Somebody else was faster, or a tag has led to what was there.
        Err(_) if root.join(MARKER).is_file() => {
            mark(&root)?;
        }
        result => result.map_err(failed("name", &root))?,
    }
    Ok(Installed {
        root,
        version,
        was_there: false,
    })
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
    let path = path.to_owned();
    move |source| InstallError::Io {
        action,
        path,
        source,
    }
}

/// Makes an installation the one that was made last.
fn mark(root: &Path) -> Result<(), InstallError> {
    let path = root.join(MARKER);
    std::fs::write(&path, b"").map_err(failed("write", &path))?;
    // Writing nothing to a file that is empty does not change its time.
    let file = std::fs::File::options().write(true).open(&path);
    file.and_then(|file| file.set_modified(std::time::SystemTime::now()))
        .map_err(failed("write", &path))
}

/// A folder that goes away unless it was renamed.
struct Stage(PathBuf);

impl Stage {
    fn make(home: &Path) -> Result<Self, InstallError> {
        let mut number = 0_u32;
        loop {
            let path = home.join(format!("{STAGE}{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {
                    number += 1;
                }
                Err(error) => return Err(failed("create", &path)(error)),
                Ok(()) => return Ok(Self(path)),
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What was renamed is not there any more.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

async fn fetch(
    npm: &Path,
    stage: &Path,
    packages: &[String],
    wanted: &str,
) -> Result<(), InstallError> {
    let mut command = Command::new(npm);
    command
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args([
            "--no-update-notifier",
            "--no-package-lock",
            "--loglevel=error",
        ])
        .arg("--prefix")
        .arg(stage)
        .arg("--")
        .args(packages)
        .current_dir(stage)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for key in KEYS {
        command.env_remove(key);
    }
    let cannot_start = |source| InstallError::Start {
        npm: npm.to_owned(),
        source,
    };
    let mut child = command.spawn().map_err(cannot_start)?;
    let mut said = Vec::new();
    if let Some(mut stderr) = child.stderr.take() {
        let mut first = (&mut stderr).take(OUTPUT_BYTES);
        drop(first.read_to_end(&mut said).await);
        // The rest is read and forgotten, so that npm can go on.
        drop(tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await);
    }
    let status = child.wait().await.map_err(cannot_start)?;
    if status.success() {
        return Ok(());
    }
    Err(InstallError::Npm {
        package: wanted.to_owned(),
        code: status.code().unwrap_or(-1),
        reason: gist(&said),
    })
}

/// What of npm's messages says what is wrong: its lines about the error, without
/// the ones that only name log files. They begin with `npm error`, those of
/// an older npm (Debian 12 has 9.2) with `npm ERR!`.
fn gist(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines = text
        .lines()
        .filter_map(|line| {
            let words = line.strip_prefix("npm error");
            words.or_else(|| line.strip_prefix("npm ERR!"))
        })
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.contains("complete log"));
    let lines: Vec<String> = lines.take(4).map(|line| text::plain(line, 200)).collect();
    if lines.is_empty() {
        text::last_line(said).unwrap_or_else(|| "it said nothing".to_owned())
    } else {
        lines.join("; ")
    }
}

/// Takes away what the adapter says. A package could have a link on the way, out
/// of the installation: nothing behind one is touched.
fn remove(package: &Package, root: &Path) -> Result<(), InstallError> {
    for file in &package.remove {
        let path = root.join("node_modules").join(&package.npm).join(file);
        let inside = path
            .parent()
            .and_then(|folder| folder.canonicalize().ok())
            .zip(root.canonicalize().ok())
            .is_some_and(|(folder, root)| folder.starts_with(root));
        if !inside {
            continue;
        }
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("remove", &path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The version that was installed, where the program is there.
fn checked(
    adapter: &Adapter,
    package: &Package,
    root: &Path,
    wanted: &str,
) -> Result<String, InstallError> {
    let unexpected = |problem: String| InstallError::Unexpected {
        package: wanted.to_owned(),
        problem,
    };
    let version = package_version(&root.join("node_modules").join(&package.npm))
        .ok_or_else(|| unexpected("its package.json names no version".to_owned()))?;
    let program = adapter.program();
    let named = program
        .names
        .iter()
        .map(|name| format!("node_modules/.bin/{name}"));
    // Where paths are known, what npm links may be a stand-in that an install
    // script would have replaced (claude 2.1).
    let places: Vec<String> = if program.paths.is_empty() {
        named.collect()
    } else {
        program.paths.clone()
    };
    if places.iter().any(|place| executable(&root.join(place))) {
        return Ok(version);
    }
    Err(unexpected(format!(
        "it has no program for this machine: expected {}",
        places.join(" or ")
    )))
}
