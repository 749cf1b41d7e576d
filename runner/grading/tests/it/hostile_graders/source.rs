//! Where the hostile graders are: crates built into modules, text, generators.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wit_component::StringEncoding;
use wit_parser::Resolve;

use crate::kit::component::{WIT, assemble, encode, encode_world};

#[path = "../../../../../tests/hostile/graders/generated/mod.rs"]
mod generated;

pub(super) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn directory() -> PathBuf {
    repository().join("tests/hostile/graders")
}

/// Names of the files with an extension in a directory.
fn stems(directory: PathBuf, extension: &str) -> impl Iterator<Item = String> {
    let files = std::fs::read_dir(directory).unwrap();
    files
        .map(|entry| entry.unwrap().path())
        .filter(move |path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
}

/// Names of all there are.
pub(super) fn names() -> BTreeSet<String> {
    stems(directory(), "wasm")
        .chain(stems(directory().join("wat"), "wat"))
        .chain(generated::names())
        .collect()
}

/// The component, or what pretends to be one.
pub(super) fn component(name: &str) -> Vec<u8> {
    if let Ok(module) = std::fs::read(directory().join(format!("{name}.wasm"))) {
        return module;
    }
    let text = directory().join("wat").join(format!("{name}.wat"));
    if let Ok(text) = std::fs::read_to_string(text) {
        return from_text(&text);
    }
    generated::build(name).unwrap_or_else(|| panic!("there is no hostile grader `{name}`"))
}

/// A module becomes a grader by the contract, and WASI where it imports that; a
/// component `$beside` stands beside an honest grader in one component; what
/// else there is stays as it is.
fn from_text(text: &str) -> Vec<u8> {
    let code = text
        .lines()
        .find(|line| !line.trim_start().starts_with(";;"))
        .unwrap();
    if code == "(module" && text.contains("\"wasi:") {
        with_wasi(text)
    } else if code == "(module" {
        encode(text, WIT)
    } else if code.starts_with("(component $beside") {
        generated::beside_component(&assemble(text))
    } else {
        assemble(text)
    }
}

/// Makes a grader of a module that imports WASI.
fn with_wasi(core: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let wasi = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("wit/wasi");
    resolve.push_dir(wasi).unwrap();
    resolve.push_str("grader.wit", WIT).unwrap();
    let world = "package hostile:graders; world grader {
        include proctor:grader/grader@1.0.0;
        include proctor:wasi/imports;
    }";
    let package = resolve.push_str("hostile.wit", world).unwrap();
    encode_world(core, &resolve, package, StringEncoding::UTF8)
}
