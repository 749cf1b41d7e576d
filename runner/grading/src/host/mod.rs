//! Running grader components that nobody has to trust.
//!
//! A module is looked at before it is compiled, compiled in a process of its
//! own, kept as native code where nobody else can write, given nothing but the
//! contract's imports, and run under limits on fuel, time, memory, stack, and
//! everything that passes between it and the host.

mod abi;
mod cache;
mod compile;
mod compiler;
mod engine;
mod executor;
mod fault;
mod growth;
mod imports;
mod inspect;
mod link;
mod place;
mod run;
mod state;
mod ticker;
mod wasi;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use wasmtime::Engine;
use wasmtime::component::Component;

use cache::{Entry, Key, ModuleCache};
pub use compile::{Compiler, CompilerCommand};
pub use compiler::compiler_main;
pub(crate) use inspect::import_fault;
pub use inspect::{ModuleInfo, inspect};
use place::{Loaded, Places};
pub use run::{Graded, Grader};
pub(crate) use wasi::Inputs;

use crate::bundle::sha256;
use crate::error::{Blame, Fault, GradeError};
use crate::limits::{CompileLimits, ModuleLimits};

/// How a host is set up.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// Where modules are compiled.
    pub compiler: Compiler,
    /// Directory of compiled modules, made with mode 0700 where it is missing.
    /// Without one, every process compiles anew. Nothing untrusted may be able
    /// to write there.
    pub cache: Option<PathBuf>,
    /// How many bytes of compiled modules are kept. What was not used for
    /// longest goes first.
    pub cache_bytes: u64,
    /// Limits of a module, checked before it is compiled.
    pub modules: ModuleLimits,
    /// Limits of the process that compiles.
    pub compile: CompileLimits,
}

impl HostConfig {
    /// Default limits, no cache.
    pub fn new(compiler: Compiler) -> Self {
        Self {
            compiler,
            cache: None,
            cache_bytes: 2 << 30,
            modules: ModuleLimits::default(),
            compile: CompileLimits::default(),
        }
    }

    /// The same with a cache directory.
    #[must_use]
    pub fn cache(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cache = Some(directory.into());
        self
    }
}

/// Loads and runs graders. Made at once; the engine, its clock and the cache
/// are set up when they are first needed.
#[derive(Debug)]
pub struct GraderHost {
    places: Arc<Places>,
    /// Graders that are in use, by digest.
    loaded: Mutex<HashMap<String, Weak<Loaded>>>,
    cache: OnceLock<Option<Result<ModuleCache, Fault>>>,
    /// One module is compiled at a time: a second trial that needs the same
    /// one finds it in the cache, or among those that were refused.
    compiling: Mutex<()>,
    /// What the compiler refused, by digest: to find out again would take as
    /// long again, in every trial that needs it.
    refused: Mutex<HashMap<String, Fault>>,
    config: HostConfig,
}

/// Modules that are remembered as refused. Nobody has more tasks that are
/// broken.
const REFUSED: usize = 100;

impl GraderHost {
    /// A host with this configuration. Nothing is started yet.
    pub fn new(config: HostConfig) -> Self {
        Self {
            places: Arc::default(),
            loaded: Mutex::default(),
            cache: OnceLock::new(),
            compiling: Mutex::default(),
            refused: Mutex::default(),
            config,
        }
    }

    /// Loads a component: from the cache where it is there, compiling it
    /// otherwise, which can take seconds and blocks. With `expected_sha256`
    /// (hex) it must be that very module.
    pub fn load(&self, wasm: &[u8], expected_sha256: Option<&str>) -> Result<Grader, GradeError> {
        let digest = sha256(wasm);
        if let Some(expected) = expected_sha256.filter(|expected| *expected != digest) {
            let expected = expected.to_owned();
            return Err(Fault::DigestMismatch {
                expected,
                found: digest,
            }
            .into());
        }
        if let Some(loaded) = self.loaded().get(&digest).and_then(Weak::upgrade) {
            return Ok(Grader(loaded));
        }
        let info = inspect::inspect_hashed(wasm, digest, &self.config.modules)?;
        let (component, entry) = self.component(wasm, &info)?;
        let loaded = Loaded::new(Arc::clone(&self.places), &component, entry, info)?;
        let loaded = Arc::new(loaded);
        let mut all = self.loaded();
        all.retain(|_, loaded| loaded.strong_count() > 0);
        all.insert(loaded.info().sha256.clone(), Arc::downgrade(&loaded));
        Ok(Grader(loaded))
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<String, Weak<Loaded>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> Result<Option<&ModuleCache>, Fault> {
        let open = || {
            let path = self.config.cache.as_ref()?;
            Some(ModuleCache::open(path, self.config.cache_bytes))
        };
        match self.cache.get_or_init(open) {
            None => Ok(None),
            Some(opened) => opened.as_ref().map(Some).map_err(Clone::clone),
        }
    }

    /// Opens the cache, so that one that cannot be used shows before it is
    /// needed. Nothing happens where there is none.
    pub fn check_cache(&self) -> Result<(), GradeError> {
        Ok(self.cache().map(drop)?)
    }

    /// Whether the module of this digest is compiled already, as far as the
    /// cache knows.
    pub fn is_compiled(&self, sha256: &str) -> bool {
        let (Ok(engine), Ok(Some(cache))) = (self.places.engine(), self.cache()) else {
            return false;
        };
        cache.has(&Key::new(sha256, &engine::compatibility(engine)))
    }

    /// The module as native code, and the cache's entry of it where it has one.
    fn component(
        &self,
        wasm: &[u8],
        info: &ModuleInfo,
    ) -> Result<(Component, Option<Entry>), Fault> {
        let engine = self.places.engine()?;
        let cache = self.cache()?;
        let key = Key::new(&info.sha256, &engine::compatibility(engine));
        let known = || -> Result<Option<(Component, Option<Entry>)>, Fault> {
            let refused = self.refused().get(&info.sha256).cloned();
            refused.map_or_else(
                || Ok(cache.and_then(|cache| from_cache(engine, cache, &key))),
                Err,
            )
        };
        if let Some(found) = known()? {
            return Ok(found);
        }
        let _one_at_a_time = self
            .compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let _nor_elsewhere = cache.and_then(ModuleCache::one_at_a_time);
        if let Some(found) = known()? {
            return Ok(found);
        }
        tracing::info!(
            grader = info.sha256,
            bytes = info.bytes,
            "compiling a grader"
        );
        let code = self
            .compile(wasm)
            .inspect_err(|fault| self.refuse(&info.sha256, fault))?;
        if let Some(Err(error)) = cache.map(|cache| cache.store(&key, &code)) {
            tracing::warn!(%error, "a compiled grader cannot be kept; it will be compiled again");
        } else if let Some(found) = cache.and_then(|cache| from_cache(engine, cache, &key)) {
            return Ok(found);
        }
        Ok((native(engine, &code)?, None))
    }

    fn refused(&self) -> MutexGuard<'_, HashMap<String, Fault>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers why a module does not compile, where that is the module's own
    /// doing. What the machine failed at may work the next time.
    fn refuse(&self, sha256: &str, fault: &Fault) {
        if fault.blame() != Blame::Grader {
            return;
        }
        let mut refused = self.refused();
        if refused.len() >= REFUSED {
            refused.clear();
        }
        refused.insert(sha256.to_owned(), fault.clone());
    }

    fn compile(&self, wasm: &[u8]) -> Result<Vec<u8>, Fault> {
        match &self.config.compiler {
            Compiler::Child(command) => compile::compile(command, &self.config.compile, wasm),
            Compiler::InProcess => {
                self.places
                    .engine()?
                    .precompile_component(wasm)
                    .map_err(|error| Fault::CompileFailed {
                        detail: format!("{error:#}"),
                    })
            }
        }
    }
}

fn from_cache(
    engine: &Engine,
    cache: &ModuleCache,
    key: &Key,
) -> Option<(Component, Option<Entry>)> {
    let entry = cache.load(key)?;
    match mapped(engine, &entry) {
        Ok(component) => Some((component, Some(entry))),
        Err(fault) => {
            tracing::warn!(%fault, "a compiled grader in the cache does not load");
            cache.remove(key);
            None
        }
    }
}

/// Makes compiled code runnable that was just compiled.
#[expect(
    unsafe_code,
    reason = "the engine cannot tell whether native code is what it compiled"
)]
fn native(engine: &Engine, code: &[u8]) -> Result<Component, Fault> {
    // SAFETY: the bytes are the output of `Engine::precompile_component` under
    // this configuration, straight from the compiler; the engine checks version
    // and settings itself.
    unsafe { Component::deserialize(engine, code) }.map_err(|error| broken(&error))
}

/// Makes compiled code runnable that was compiled before.
#[expect(
    unsafe_code,
    reason = "the engine cannot tell whether native code is what it compiled"
)]
fn mapped(engine: &Engine, entry: &Entry) -> Result<Component, Fault> {
    // SAFETY: the file is the output of `Engine::precompile_component` under
    // this configuration, and a record behind it that the engine does not look
    // at. It is in a cache directory that only we can write to, where files are
    // replaced and never changed, and its digest was compared with the record
    // made when it was stored; the path leads to that very file, which `entry`
    // keeps open. The engine checks version and settings itself.
    unsafe { Component::deserialize_file(engine, entry.path()) }.map_err(|error| broken(&error))
}

fn broken(error: &wasmtime::Error) -> Fault {
    Fault::Internal {
        detail: format!("compiled grader: {error:#}"),
    }
}
