//! Building crates for real, with whatever toolchain there is.

use std::fs;
use std::path::Path;

use super::*;

/// A crate with a dependency beside it, outside of its workspace. Its module
/// holds what depends on where that lies: the identity of a type of it, and the
/// path in a panic message.
const FILES: [(&str, &str); 5] = [
    (
        "graders/Cargo.toml",
        "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [dependencies]\nbeside = { path = \"../beside\" }\n[workspace]\n",
    ),
    (
        "graders/Cargo.lock",
        "version = 4\n[[package]]\nname = \"beside\"\nversion = \"0.2.0\"\n\
         [[package]]\nname = \"sample\"\nversion = \"0.1.0\"\ndependencies = [\"beside\"]\n",
    ),
    (
        "graders/src/lib.rs",
        "#[unsafe(no_mangle)] pub extern \"C\" fn sample(given: u32) -> usize {\n\
             let id = format!(\"{:?}\", std::any::TypeId::of::<beside::Thing>());\n\
             id.len() + beside::checked(given)\n\
         }\n",
    ),
    (
        "beside/Cargo.toml",
        "[package]\nname = \"beside\"\nversion = \"0.2.0\"\nedition = \"2024\"\n[workspace]\n",
    ),
    (
        "beside/src/lib.rs",
        "pub struct Thing;\npub fn checked(given: u32) -> usize {\n\
             given.checked_sub(7).expect(\"at least seven\") as usize\n\
         }\n",
    ),
];

fn lay_out(dir: &Path) {
    for (path, content) in FILES {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn options(target_dir: &Path) -> BuildOptions {
    BuildOptions::new(target_dir)
        .env(std::env::vars_os())
        .offline(true)
}

#[test]
fn the_same_sources_give_the_same_bytes_wherever_they_lie() {
    let modules = ["one", "another/and/deeper"].map(|place| {
        let (sources, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = sources.path().join(place);
        lay_out(&dir);
        let compiled = compile(&dir.join("graders"), &options(target.path())).unwrap();
        assert!(!dir.join("graders/target").exists());
        let leaks = |text: &Path| {
            let text = text.to_str().unwrap().as_bytes();
            compiled
                .module
                .windows(text.len())
                .any(|window| window == text)
        };
        assert!(!leaks(sources.path()) && !leaks(target.path()));
        compiled
    });
    assert_eq!(modules[0].toolchain, modules[1].toolchain);
    assert!(
        modules[0].toolchain.rustc.starts_with("rustc "),
        "{:?}",
        modules[0].toolchain
    );
    assert!(modules[0].module == modules[1].module, "the modules differ");
}

#[test]
fn a_crate_that_does_not_compile_says_why() {
    let (sources, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    lay_out(sources.path());
    let crate_dir = sources.path().join("graders");
    fs::write(
        crate_dir.join("src/lib.rs"),
        "pub fn grade() -> u8 { \"no\" }\n",
    )
    .unwrap();
    let error = build_grader(&crate_dir, &options(target.path())).unwrap_err();
    assert!(matches!(error, BuildError::Tool { .. }));
    assert!(error.to_string().contains("mismatched types"), "{error}");
}

#[test]
fn a_lock_file_has_to_be_there() {
    let (sources, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    lay_out(sources.path());
    let crate_dir = sources.path().join("graders");
    fs::remove_file(crate_dir.join("Cargo.lock")).unwrap();
    let error = build_grader(&crate_dir, &options(target.path()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("--locked"), "{error}");
}

#[test]
fn a_directory_without_a_crate_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = build_grader(dir.path(), &options(dir.path())).unwrap_err();
    assert!(matches!(error, BuildError::NoCrate { .. }), "{error}");
}

#[test]
fn without_a_toolchain_the_error_says_what_to_install() {
    let dir = tempfile::tempdir().unwrap();
    lay_out(dir.path());
    let nothing = BuildOptions::new(dir.path())
        .env([("PATH".into(), dir.path().into())])
        .std(StdSource::Installed);
    let error = build_grader(&dir.path().join("graders"), &nothing)
        .unwrap_err()
        .to_string();
    for part in [
        "`rustc` could not be run",
        "rustup target add wasm32-unknown-unknown",
        "apt-get",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn variables_that_could_change_the_bytes_are_left_out() {
    let set = [
        "PATH",
        "CARGO_HOME",
        "RUSTFLAGS",
        "CARGO_PROFILE_RELEASE_LTO",
        "RUSTC_WRAPPER",
    ];
    let options = BuildOptions::new("target").env(set.map(|name| (name.into(), "x".into())));
    let kept: Vec<_> = options
        .env
        .iter()
        .filter_map(|(name, _)| name.to_str())
        .collect();
    assert_eq!(kept, ["PATH", "CARGO_HOME"]);
}
