//! The one configuration under which graders are compiled and run.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use wasmtime::{
    Config, Enabled, Engine, PoolingAllocationConfig, WasmBacktraceDetails, WasmFeatures,
};

/// Native stack of a grader in bytes. An interpreter needs some of it to find
/// out by itself that what an agent nested is nested too deeply.
const STACK_BYTES: usize = 64 << 20;
/// What is left of the stack for the host's own functions, in bytes.
const HOST_STACK_BYTES: usize = 1 << 20;

/// Longest image of a memory that is made whatever part of it is zeros.
const DENSE_IMAGE_BYTES: u64 = 64 << 20;

/// What a grader of the pool may have, more than what an interpreter has; what
/// needs more is run outside of the pool. Tables and memories take no more than
/// addresses until they are used.
const POOL_INSTANCES: u32 = 64;
const POOL_INSTANCE_BYTES: usize = 2 << 20;
const POOL_MEMORIES: u32 = 2;
const POOL_TABLES: u32 = 4;
/// Elements that a table of the pool can grow to: more than what all tables of a
/// grader may have, so that it meets the same limit as outside of the pool.
pub(super) const POOL_TABLE_ELEMENTS: usize = 400_000;
/// What a place in the pool keeps from one grade to the next, in bytes: pages
/// that are written over again instead of being given back and faulted in.
const KEPT_MEMORY_BYTES: usize = 8 << 20;
const KEPT_TABLE_BYTES: usize = 256 << 10;
const KEPT_STACK_BYTES: usize = 256 << 10;

/// Makes an engine that gives every grader memory of its own. The process that
/// compiles and the process that runs must agree on it, so nothing here depends
/// on a setting.
pub(super) fn engine() -> wasmtime::Result<Engine> {
    Engine::new(&config())
}

/// Makes an engine with places for `graders` graders at once, which are cleaned
/// and used again. It runs what [`engine`] compiles.
pub(super) fn pooled(graders: u32) -> wasmtime::Result<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(graders)
        .total_core_instances(graders * POOL_INSTANCES)
        .max_core_instances_per_component(POOL_INSTANCES)
        .max_core_instance_size(POOL_INSTANCE_BYTES)
        .max_component_instance_size(POOL_INSTANCE_BYTES)
        .total_memories(graders * POOL_MEMORIES)
        .max_memories_per_component(POOL_MEMORIES)
        .max_memories_per_module(POOL_MEMORIES)
        .total_tables(graders * POOL_TABLES)
        .max_tables_per_component(POOL_TABLES)
        .max_tables_per_module(POOL_TABLES)
        .table_elements(POOL_TABLE_ELEMENTS)
        .total_stacks(graders)
        .linear_memory_keep_resident(KEPT_MEMORY_BYTES)
        .table_keep_resident(KEPT_TABLE_BYTES)
        .async_stack_keep_resident(KEPT_STACK_BYTES)
        .max_unused_warm_slots(graders)
        // The kernel says which pages were written to, where it can.
        .pagemap_scan(Enabled::Auto);
    Engine::new(config().allocation_strategy(pool))
}

fn config() -> Config {
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
    config
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

    #[test]
    fn a_pool_runs_what_is_compiled_without_one() {
        let (alone, pooled) = (engine().unwrap(), pooled(2).unwrap());
        assert_eq!(compatibility(&alone), compatibility(&pooled));
    }
}
