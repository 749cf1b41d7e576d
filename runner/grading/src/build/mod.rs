//! Building a grader: a crate in, a component out.
//!
//! The component's bytes are what a task is locked to, so they have to be a
//! function of the sources, the lock file and the versions of the tools, and of
//! nothing else: not of the directory, the user, or the machine's settings. The
//! environment of the build tools is therefore complete and fixed (see
//! [`BuildOptions::env`]), paths are mapped to names, and nothing that only
//! says which tool was used is left in the module; that goes into the
//! [`Toolchain`] record instead.
//!
//! Building runs the author's build scripts and macros with the rights of
//! whoever builds. It belongs on the author's machine or into a sandbox, not
//! into a run.

mod cargo;
mod component;
mod describe;
mod error;
#[cfg(test)]
mod tests;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use component::{Interface, encode, interface};
pub use describe::{Export, Import, ModuleReport, Refusal, abi, describe};
pub use error::BuildError;

/// What a grader crate is compiled for. It has no system interface at all.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The cargo profile that graders are built with. Of its settings only
/// `opt-level` is the crate's choice.
pub const PROFILE: &str = "release";

/// How to build.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    target_dir: PathBuf,
    env: Vec<(OsString, OsString)>,
    is_offline: bool,
    std: Option<StdSource>,
}

/// Variables that the build tools may have from outside: where they are, and
/// how they reach a registry. Anything else could change the bytes.
const PASSED: [&str; 17] = [
    "ALL_PROXY",
    "CARGO_HOME",
    "CARGO_HTTP_CAINFO",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PATH",
    "RUSTUP_AUTO_INSTALL",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "USERPROFILE",
    "http_proxy",
    "https_proxy",
];

impl BuildOptions {
    /// Builds below `target_dir`, which should lie outside of the crate's
    /// sources. It may be used for many builds, one after the other or at once.
    pub fn new(target_dir: impl Into<PathBuf>) -> Self {
        Self {
            target_dir: target_dir.into(),
            env: Vec::new(),
            is_offline: false,
            std: None,
        }
    }

    /// The environment to take `PATH`, `HOME`, `CARGO_HOME`, proxies and the
    /// like from. Variables that could change the component are left out, so a
    /// caller may hand in all it has.
    #[must_use]
    pub fn env(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let passed = |(name, _): &(OsString, OsString)| PASSED.iter().any(|known| name == known);
        self.env = variables.into_iter().filter(passed).collect();
        self
    }

    /// Whether the build must do without the registry.
    #[must_use]
    pub fn offline(mut self, is_offline: bool) -> Self {
        self.is_offline = is_offline;
        self
    }

    /// Builds only with a standard library from there: to build again what was
    /// built so before ([`Toolchain::std`]).
    #[must_use]
    pub fn std(mut self, source: StdSource) -> Self {
        self.std = Some(source);
        self
    }
}

/// A grader component and how it came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltGrader {
    /// The component.
    pub component: Vec<u8>,
    /// SHA-256 of the component, lower-case hex.
    pub sha256: String,
    /// Contract that it implements, as its own imports name it.
    pub abi: String,
    /// What built it.
    pub toolchain: Toolchain,
    /// Version of the SDK; absent where the crate does without.
    pub sdk: Option<String>,
    /// What the build ran that is not from a registry: build scripts and
    /// procedural macros, in words.
    pub scripts: Vec<String>,
}

/// The tools whose versions decide the component's bytes. The same sources
/// with the same tools give the same bytes; with other tools they may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// Where the standard library came from.
    pub std: StdSource,
    /// The compiler, as it names itself.
    pub rustc: String,
    /// Cargo, as it names itself.
    pub cargo: String,
    /// The linker, as it names itself; absent where it is the compiler's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linker: Option<String>,
    /// Version of `wit-component`, which wraps the module as a component.
    pub wit_component: String,
}

/// Where the standard library came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdSource {
    /// Compiled, with the toolchain's `wasm32-unknown-unknown` target.
    Installed,
    /// Built from the sources that the compiler's package comes with.
    Source,
}

/// A compiled module that is not a component yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledModule {
    /// The module.
    pub module: Vec<u8>,
    /// What compiled it; `wit_component` is empty.
    pub toolchain: Toolchain,
    /// Version of the SDK; absent where the crate does without.
    pub sdk: Option<String>,
    /// What the build ran that is not from a registry.
    pub scripts: Vec<String>,
}

/// Builds the grader in `crate_dir` as a component of the contract
/// `proctor:grader`, and checks that it imports nothing else.
///
/// The crate is an ordinary library with a `Cargo.lock` (its own or its
/// workspace's) that calls `proctor_grader::export!`.
///
/// # Errors
/// When there is no toolchain for [`TARGET`] (the error says what to install),
/// the crate does not compile, or what comes out is no grader.
pub fn build_grader(crate_dir: &Path, options: &BuildOptions) -> Result<BuiltGrader, BuildError> {
    let CompiledModule {
        module,
        mut toolchain,
        sdk,
        scripts,
    } = compile(crate_dir, options)?;
    let encoded = encode(&module)?;
    let abi = interface(&encoded.component)?.expect_grader()?;
    toolchain.wit_component = encoded.wit_component;
    let sha256 = hex::encode(Sha256::digest(&encoded.component));
    Ok(BuiltGrader {
        component: encoded.component,
        sha256,
        abi,
        toolchain,
        sdk,
        scripts,
    })
}

/// The tools that a build in `dir` would use. Nothing is built.
///
/// # Errors
/// When there is no toolchain for [`TARGET`].
pub fn toolchain(dir: &Path, options: &BuildOptions) -> Result<Toolchain, BuildError> {
    let mut toolchain = tools::Tools::find(dir, options)?.record();
    toolchain.wit_component = encode(&EMPTY_MODULE)?.wit_component;
    Ok(toolchain)
}

/// The smallest module there is.
const EMPTY_MODULE: [u8; 8] = *b"\0asm\x01\0\0\0";

/// Compiles the library in `crate_dir` to a WebAssembly module, without making
/// a component of it.
///
/// # Errors
/// When there is no toolchain for [`TARGET`], or the crate does not compile.
pub fn compile(crate_dir: &Path, options: &BuildOptions) -> Result<CompiledModule, BuildError> {
    let manifest = crate_dir.join("Cargo.toml");
    if !manifest.is_file() {
        return Err(BuildError::NoCrate {
            dir: crate_dir.to_owned(),
        });
    }
    // The tools run in the crate's directory.
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|source| BuildError::File {
            path: path.to_owned(),
            source,
        })
    };
    let crate_dir = absolute(crate_dir)?;
    let options = BuildOptions {
        target_dir: absolute(&options.target_dir)?,
        ..options.clone()
    };
    let tools = tools::Tools::find(&crate_dir, &options)?;
    let built = cargo::Build {
        tools: &tools,
        crate_dir: &crate_dir,
        options: &options,
    }
    .run()?;
    Ok(CompiledModule {
        module: built.module,
        toolchain: tools.record(),
        sdk: built.sdk,
        scripts: built.scripts,
    })
}
