//! Builds a grader: `build_grader CRATE -o FILE [--module | --unchecked]`.
//!
//! Writes the component and prints how it came to be, as JSON. `--unchecked`
//! leaves out the check that the component is a grader, and `--module` stops
//! before it becomes a component: the hostile graders of the tests need that.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example is a program"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use proctor_grading::build::{self, BuildOptions, StdSource};
use proctor_types::verdict::ABI;
use serde_json::json;
use sha2::{Digest, Sha256};

const USAGE: &str =
    "usage: build_grader CRATE -o FILE [--target-dir DIR] [--build-std] [--module | --unchecked]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("build_grader: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut crate_dir = None;
    let mut output = None;
    let mut target_dir = std::env::temp_dir().join("proctor-grader-build");
    let (mut is_module, mut is_unchecked, mut builds_std) = (false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-o" => output = arguments.next().map(PathBuf::from),
            "--target-dir" => target_dir = arguments.next().ok_or(USAGE)?.into(),
            "--build-std" => builds_std = true,
            "--module" => is_module = true,
            "--unchecked" => is_unchecked = true,
            _ => crate_dir = Some(PathBuf::from(argument)),
        }
    }
    let (crate_dir, output) = (crate_dir.ok_or(USAGE)?, output.ok_or(USAGE)?);
    let mut options = BuildOptions::new(target_dir).env(std::env::vars_os());
    if builds_std {
        options = options.std(StdSource::Source);
    }
    let (bytes, mut record) = if is_module || is_unchecked {
        unchecked(&crate_dir, &options, is_module)?
    } else {
        let built = build::build_grader(&crate_dir, &options)?;
        (
            built.component,
            json!({"abi": ABI, "toolchain": built.toolchain}),
        )
    };
    std::fs::write(&output, &bytes)?;
    record["bytes"] = bytes.len().into();
    record["sha256"] = hex::encode(Sha256::digest(&bytes)).into();
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

fn unchecked(
    crate_dir: &Path,
    options: &BuildOptions,
    is_module: bool,
) -> Result<(Vec<u8>, serde_json::Value), Box<dyn Error>> {
    let compiled = build::compile(crate_dir, options)?;
    if is_module {
        return Ok((compiled.module, json!({"toolchain": compiled.toolchain})));
    }
    let encoded = build::encode(&compiled.module)?;
    let imports = build::interface(&encoded.component)?.imports;
    Ok((
        encoded.component,
        json!({"imports": imports, "toolchain": compiled.toolchain}),
    ))
}
