//! The one configuration under which graders are compiled and run.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, WasmBacktraceDetails, WasmFeatures};

/// Native stack of a grader in bytes. An interpreter needs some of it to find
/// out by itself that what an agent nested is nested too deeply.
const STACK_BYTES: usize = 64 << 20;
/// What is left of the stack for the host's own functions, in bytes.
const HOST_STACK_BYTES: usize = 1 << 20;

/// Longest image of a memory that is made whatever part of it is zeros.
const DENSE_IMAGE_BYTES: u64 = 64 << 20;

/// Makes an engine. The process that compiles and the process that runs must
/// agree on it, so nothing here depends on a setting.
pub(super) fn engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(STACK_BYTES)
        .async_stack_size(STACK_BYTES + HOST_STACK_BYTES)
        // Everything that could differ between two machines is off or fixed.
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .wasm_features(WasmFeatures::THREADS, false)
        .shared_memory(false)
        .wasm_memory64(false)
        // A grader is one call at a time, and starts faster this way.
        .concurrency_support(false)
        .wasm_component_model(true)
        // Memories that are mapped instead of copied, up to this size: that of
        // an interpreter with all its modules is some forty megabytes.
        .memory_guaranteed_dense_image_size(DENSE_IMAGE_BYTES)
        // A trap is told by the name of its function. Offsets within it, and
        // what native debuggers want, would only make the code longer to load.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .generate_address_map(false)
        .native_unwind_info(false);
    Engine::new(&config)
}

/// Identifies what the engine compiles to: its version, its settings and the
/// processor's features. Part of a cache key.
pub(super) fn compatibility(engine: &Engine) -> String {
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hex::encode(hasher.0.finalize())
}

/// Feeds SHA-256 with what a `Hash` implementation writes. The standard
/// library's hasher may change with the compiler, and 64 bits are few.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest
            .iter()
            .take(8)
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_engines_agree_on_what_they_compile_to() {
        let (one, other) = (engine().unwrap(), engine().unwrap());
        assert_eq!(compatibility(&one), compatibility(&other));
        let different = Engine::new(&Config::new()).unwrap();
        assert_ne!(compatibility(&one), compatibility(&different));
    }
}
