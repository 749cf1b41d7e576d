//! Compiling in a child process, and the cache of what came out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use proctor_grading::{
    CompileLimits, Compiler, CompilerCommand, Fault, GraderHost, HostConfig, Limits,
};

use crate::kit::bundle::Builder;
use crate::kit::compiler;
use crate::kit::component::Core;

/// A compiler that only ever fails: what is loaded with it is from the cache.
fn no_compiler() -> Compiler {
    Compiler::Child(CompilerCommand {
        program: PathBuf::from("/bin/false"),
        args: Vec::new(),
    })
}

fn child() -> Compiler {
    Compiler::Child(compiler())
}

fn host(compiler: Compiler, cache: &Path) -> GraderHost {
    GraderHost::new(HostConfig::new(compiler).cache(cache))
}

fn grades(host: &GraderHost, wasm: &[u8]) {
    let (_directory, bundle) = Builder::new().open();
    let grader = host.load(wasm, None).unwrap();
    grader.grade_blocking(&bundle, &Limits::default()).unwrap();
}

/// A directory for a cache, private whatever the temporary directory is.
fn cache_directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("modules");
    (directory, path)
}

/// The entries of a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(cache).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn a_module_is_compiled_once_and_never_again() {
    let (_directory, cache) = cache_directory();
    let cache = cache.join("deep");
    let wasm = Core::new().build();
    grades(&host(child(), &cache), &wasm);
    assert_eq!(entries(&cache).len(), 1);
    grades(&host(no_compiler(), &cache), &wasm);
}

#[test]
fn without_the_cache_the_child_is_asked_every_time() {
    let (_directory, cache) = cache_directory();
    let wasm = Core::new().build();
    let error = host(no_compiler(), &cache).load(&wasm, None).unwrap_err();
    assert_eq!(error.kind(), "internal");
    assert!(error.to_string().contains("status 1"), "{error}");
    grades(&GraderHost::new(HostConfig::new(child())), &wasm);
}

#[test]
fn a_flipped_byte_in_the_cache_means_compiling_again_and_never_loading() {
    let (_directory, cache) = cache_directory();
    let wasm = Core::new().build();
    grades(&host(child(), &cache), &wasm);
    let [entry] = entries(&cache).try_into().unwrap();
    let good = std::fs::read(&entry).unwrap();
    for at in [0, 100, 300, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(&entry, bad).unwrap();
        let error = host(no_compiler(), &cache).load(&wasm, None).unwrap_err();
        assert!(
            error.to_string().contains("compiler"),
            "byte {at} was loaded: {error}"
        );
        grades(&host(child(), &cache), &wasm);
        assert_eq!(
            std::fs::read(&entry).unwrap(),
            good,
            "byte {at} was not repaired"
        );
    }
}

#[test]
fn an_entry_of_another_module_is_not_loaded() {
    let (_directory, cache) = cache_directory();
    let one = Core::new().build();
    let other = Core::new().first("(drop (i32.const 7))").build();
    grades(&host(child(), &cache), &one);
    let [entry] = entries(&cache).try_into().unwrap();
    grades(&host(child(), &cache), &other);
    let swapped = entries(&cache)
        .into_iter()
        .find(|path| *path != entry)
        .unwrap();
    std::fs::copy(&entry, &swapped).unwrap();
    assert!(host(no_compiler(), &cache).load(&other, None).is_err());
    grades(&host(no_compiler(), &cache), &one);
}

#[test]
fn a_cache_that_others_may_use_is_refused_even_when_the_module_is_there() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, cache) = cache_directory();
    let wasm = Core::new().build();
    grades(&host(child(), &cache), &wasm);
    std::fs::set_permissions(&cache, PermissionsExt::from_mode(0o755)).unwrap();
    let error = host(child(), &cache).load(&wasm, None).unwrap_err();
    assert_eq!(error.kind(), "cache_refused");
    assert_eq!(error.blame(), proctor_grading::Blame::Host);
    assert!(error.hint().unwrap().contains("0700"));
}

#[test]
fn many_hosts_may_fill_one_cache_at_once() {
    let (_directory, cache) = cache_directory();
    let wasm = Core::new().build();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| grades(&host(child(), &cache), &wasm));
        }
    });
    assert_eq!(entries(&cache).len(), 1);
    grades(&host(no_compiler(), &cache), &wasm);
}

#[test]
fn a_module_in_use_is_shared_within_a_host() {
    let (_directory, cache) = cache_directory();
    let wasm = Core::new().build();
    let host = host(child(), &cache);
    let grader = host.load(&wasm, None).unwrap();
    for entry in entries(&cache) {
        std::fs::remove_file(entry).unwrap();
    }
    host.load(&wasm, None).unwrap();
    assert!(entries(&cache).is_empty(), "it was compiled again");
    drop(grader);
    host.load(&wasm, None).unwrap();
    assert_eq!(entries(&cache).len(), 1);
}

/// Compiles with limits and without a cache.
fn limited(compile: CompileLimits, compiler: Compiler, wasm: &[u8]) -> Fault {
    let config = HostConfig {
        compile,
        ..HostConfig::new(compiler)
    };
    GraderHost::new(config)
        .load(wasm, None)
        .unwrap_err()
        .fault()
        .clone()
}

/// A compiler that is a script.
fn shell(script: &str) -> Compiler {
    Compiler::Child(CompilerCommand {
        program: PathBuf::from("/bin/sh"),
        args: vec!["-c".into(), script.into()],
    })
}

#[test]
fn a_module_that_was_refused_is_not_compiled_again() {
    let wasm = Core::new().build();
    let tried = |end: &str, cached: bool| {
        let (directory, cache) = cache_directory();
        let log = directory.path().join("tried");
        let script = format!("echo x >>{}; echo no >&2; {end}", log.display());
        let mut config = HostConfig::new(shell(&script));
        config.cache = cached.then_some(cache);
        let host = GraderHost::new(config);
        let fails = || host.load(&wasm, None).unwrap_err().to_string();
        let first = fails();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(fails(), first));
            }
        });
        // Another module is another matter, and a new host has forgotten.
        let other = Core::new().first("(drop (i32.const 7))").build();
        host.load(&other, None).unwrap_err();
        let tries = || std::fs::read_to_string(&log).unwrap().lines().count();
        let here = tries();
        GraderHost::new(HostConfig::new(shell(&script)))
            .load(&wasm, None)
            .unwrap_err();
        assert_eq!(tries(), here + 1);
        here
    };
    for cached in [false, true] {
        assert_eq!(tried("exit 65", cached), 2, "it is invalid");
        assert_eq!(tried("kill -XCPU $$", cached), 2, "it met a limit");
        assert_eq!(tried("exit 3", cached), 5, "the compiler is broken");
        assert_eq!(tried("kill -KILL $$", cached), 5, "somebody killed it");
    }
}

/// A small module that takes the compiler long: every value is alive around
/// every loop.
fn bomb() -> Vec<u8> {
    let (loops, values) = (800, 800);
    let change: Vec<String> = (0..values)
        .map(|n| format!("(local.set {n} (i32.add (local.get {n}) (local.get 0)))"))
        .collect();
    let function = format!(
        "(func (param {}) {}{}{})",
        "i32 ".repeat(values),
        "(loop ".repeat(loops),
        change.concat(),
        "(br_if 0 (local.get 1)))".repeat(loops)
    );
    Core::new().items(&function).build()
}

#[test]
fn compiling_is_limited_in_memory_processor_time_and_time() {
    let wasm = bomb();
    let defaults = CompileLimits::default;
    let memory = CompileLimits {
        memory_bytes: 100 << 20,
        ..defaults()
    };
    let found = limited(memory, child(), &wasm);
    assert_eq!(found.kind(), "compile_limits", "{found}");
    assert!(found.to_string().contains("memory"), "{found}");

    let output = CompileLimits {
        output_bytes: 1000,
        ..defaults()
    };
    let found = limited(output, child(), &Core::new().build());
    assert!(
        found.to_string().contains("longer than 1000 bytes"),
        "{found}"
    );

    let time = CompileLimits {
        time: Duration::from_millis(1),
        ..defaults()
    };
    let found = limited(time, child(), &wasm);
    assert!(found.to_string().contains("took longer than"), "{found}");

    // No processor time at all: the kernel ends it at once.
    let cpu = CompileLimits {
        cpu_seconds: 0,
        ..defaults()
    };
    let found = limited(cpu, child(), &wasm);
    assert_eq!(found.kind(), "compile_limits", "{found}");
    assert!(found.to_string().contains("processor time"), "{found}");
}

#[test]
fn a_compiler_that_hangs_floods_or_lies_is_an_error() {
    let wasm = Core::new().build();
    let short = CompileLimits {
        time: Duration::from_millis(200),
        output_bytes: 1 << 20,
        ..CompileLimits::default()
    };
    let found = limited(short.clone(), shell("exec /bin/sleep 600"), &wasm);
    assert!(found.to_string().contains("took longer than"), "{found}");
    let long = CompileLimits {
        output_bytes: 1 << 20,
        ..CompileLimits::default()
    };
    let found = limited(long.clone(), shell("exec /usr/bin/yes"), &wasm);
    assert!(
        found.to_string().contains("the result is longer"),
        "{found}"
    );
    let found = limited(long.clone(), shell("exec /usr/bin/yes >&2"), &wasm);
    assert_ne!(found.kind(), "compile_failed", "{found}");
    let found = limited(long.clone(), shell("echo surprise >&2; exit 3"), &wasm);
    assert!(found.to_string().contains("status 3: surprise"), "{found}");
    let found = limited(long.clone(), shell("echo native code, honestly"), &wasm);
    assert_eq!(found.kind(), "internal", "{found}");
    let missing = CompilerCommand {
        program: PathBuf::from("/nowhere/at/all"),
        args: Vec::new(),
    };
    let found = limited(long, Compiler::Child(missing), &wasm);
    assert!(found.to_string().contains("/nowhere/at/all"), "{found}");
}

#[test]
fn the_compilers_complaint_comes_through_from_the_child() {
    let wasm = crate::kit::component::assemble(
        "(component
           (core module $m (memory i64 1) (func (export \"grade\") (result i32) (i32.const 7)))
           (core instance $i (instantiate $m))
           (func (export \"grade\") (result u32) (canon lift (core func $i \"grade\"))))",
    );
    let found = limited(CompileLimits::default(), child(), &wasm);
    assert_eq!(found.kind(), "compile_failed");
    assert!(found.to_string().contains("memory64"), "{found}");
}

#[test]
fn the_child_refuses_to_run_without_its_protocol() {
    let output = std::process::Command::new(compiler().program)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected a line"));
}
