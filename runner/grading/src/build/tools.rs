//! Finding a compiler that can build for WebAssembly.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{BuildError, BuildOptions, StdSource, TARGET, Toolchain};

/// A toolchain that can build for [`TARGET`].
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) cargo: PathBuf,
    pub(super) rustc: PathBuf,
    /// The linker, where the compiler brings none.
    pub(super) linker: Option<PathBuf>,
    /// Directory of the standard library's sources, where it has to be built.
    pub(super) std_sources: Option<PathBuf>,
    rustc_version: String,
    cargo_version: String,
    linker_version: Option<String>,
}

/// One way to find a toolchain, or why there is none.
type Finder = fn(&Ask<'_>) -> Result<Tools, String>;

impl Tools {
    /// The first toolchain that can: the one on the `PATH` with the target
    /// installed, then Debian's with the standard library's sources.
    pub(super) fn find(crate_dir: &Path, options: &BuildOptions) -> Result<Self, BuildError> {
        let ask = Ask {
            dir: crate_dir,
            options,
        };
        let mut tried = Vec::new();
        let finders: [(StdSource, Finder); 2] = [
            (StdSource::Installed, installed),
            (StdSource::Source, debian),
        ];
        for (source, find) in finders {
            if options.std.is_some_and(|wanted| wanted != source) {
                continue;
            }
            match find(&ask) {
                Ok(tools) => return Ok(tools),
                Err(why_not) => tried.push(why_not),
            }
        }
        Err(BuildError::NoToolchain { tried })
    }

    /// The record for the component that these tools build.
    pub(super) fn record(&self) -> Toolchain {
        Toolchain {
            std: match self.std_sources {
                None => StdSource::Installed,
                Some(_) => StdSource::Source,
            },
            rustc: self.rustc_version.clone(),
            cargo: self.cargo_version.clone(),
            linker: self.linker_version.clone(),
            wit_component: String::new(),
        }
    }
}

/// The toolchain on the `PATH`, with the target installed.
fn installed(ask: &Ask<'_>) -> Result<Tools, String> {
    let rustc = Path::new("rustc");
    let libraries = ask.line(rustc, &["--print", "target-libdir", "--target", TARGET])?;
    let has_core = std::fs::read_dir(&libraries).is_ok_and(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
        })
    });
    if !has_core {
        let version = ask.line(rustc, &["--version"])?;
        return Err(format!(
            "the toolchain on the PATH ({version}) does not have the target"
        ));
    }
    Ok(Tools {
        rustc_version: compiler_version(ask, rustc)?,
        cargo_version: ask.line(Path::new("cargo"), &["--version"])?,
        cargo: "cargo".into(),
        rustc: rustc.to_owned(),
        linker: None,
        std_sources: None,
        linker_version: None,
    })
}

/// Debian's packages `rustc-web`, `cargo-web` and `rust-web-src`: a compiler in
/// `/usr/bin` whose sysroot holds the standard library's sources, with the
/// registry packages that it needs. They bring no linker for WebAssembly.
fn debian(ask: &Ask<'_>) -> Result<Tools, String> {
    let (cargo, rustc) = (
        PathBuf::from("/usr/bin/cargo"),
        PathBuf::from("/usr/bin/rustc"),
    );
    for program in [&cargo, &rustc] {
        if !program.is_file() {
            return Err(format!("there is no {}", program.display()));
        }
    }
    let sysroot = PathBuf::from(ask.line(&rustc, &["--print", "sysroot"])?);
    let sources = sysroot.join("lib/rustlib/src/rust");
    if !sources.join("library/std/Cargo.toml").is_file() {
        let sources = sources.display();
        return Err(format!(
            "{} has no standard library in {sources}",
            rustc.display()
        ));
    }
    let (linker, linker_version) = linker(ask, &sysroot)?;
    Ok(Tools {
        rustc_version: compiler_version(ask, &rustc)?,
        cargo_version: ask.line(&cargo, &["--version"])?,
        cargo,
        rustc,
        linker: Some(linker),
        std_sources: Some(sources),
        linker_version: Some(linker_version),
    })
}

/// LLD for WebAssembly: the copy in the toolchain on the `PATH`, the one in the
/// sysroot, or the `lld` package's.
fn linker(ask: &Ask<'_>, sysroot: &Path) -> Result<(PathBuf, String), String> {
    let mut roots = vec![sysroot.to_owned()];
    if let Ok(on_path) = ask.line(Path::new("rustc"), &["--print", "sysroot"]) {
        roots.insert(0, on_path.into());
    }
    let mut candidates: Vec<PathBuf> = Vec::new();
    for root in roots {
        let hosts = std::fs::read_dir(root.join("lib/rustlib"))
            .into_iter()
            .flatten()
            .flatten();
        candidates.extend(hosts.map(|host| host.path().join("bin/rust-lld")));
    }
    candidates.retain(|candidate| candidate.is_file());
    candidates.push("wasm-ld".into());
    for candidate in candidates {
        // `rust-lld` is one program for all formats and has to be told which.
        let is_generic = candidate.ends_with("rust-lld");
        let arguments: &[&str] = if is_generic {
            &["-flavor", "wasm", "--version"]
        } else {
            &["--version"]
        };
        if let Ok(version) = ask.line(&candidate, arguments) {
            return Ok((candidate, version));
        }
    }
    Err("there is no linker for WebAssembly: neither rust-lld nor wasm-ld (package lld)".to_owned())
}

/// `rustc 1.95.0 (59807616e 2026-04-14), LLVM 22.1.2`: the compiler's version
/// and that of its code generator.
fn compiler_version(ask: &Ask<'_>, rustc: &Path) -> Result<String, String> {
    let verbose = ask.run(rustc, &["--version", "--verbose"])?;
    let first = verbose.lines().next().unwrap_or_default();
    let llvm = verbose
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "));
    Ok(llvm.map_or_else(|| first.to_owned(), |llvm| format!("{first}, LLVM {llvm}")))
}

/// Short questions to build tools.
struct Ask<'a> {
    /// Where a `rust-toolchain.toml` may choose the toolchain.
    dir: &'a Path,
    options: &'a BuildOptions,
}

impl Ask<'_> {
    fn line(&self, program: &Path, arguments: &[&str]) -> Result<String, String> {
        let output = self.run(program, arguments)?;
        Ok(output.lines().next().unwrap_or_default().trim().to_owned())
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Result<String, String> {
        let name = program.display();
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.dir)
            .env_clear()
            .envs(self.options.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`{name}` could not be run: {error}"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let first = errors.lines().next().unwrap_or_default().to_owned();
            return Err(format!("`{name} {}` failed: {first}", arguments.join(" ")));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| format!("`{name} {}` did not answer in UTF-8", arguments.join(" ")))
    }
}
