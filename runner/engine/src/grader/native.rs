//! Running a grader's own code on a bundle, without WebAssembly, to compare its
//! verdict with the module's: they are one source, so they have to agree.
//!
//! The crate is a library. A small program that calls its `grade` is written
//! beside the build's other intermediate files, compiled with the crate's own
//! lock file, and run. That is the author's code on the author's machine, as
//! with `cargo test`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proctor_types::Verdict;
use proctor_types::verdict::GraderVerdict;
use serde::Deserialize;
use serde_json::Value;

use crate::evidence::{EVIDENCE_DIR, sha256_hex};

/// The SDK's package.
const SDK: &str = "proctor-grader";
/// The program. `grader` is the crate under test.
const MAIN: &str = r#"//! Written by `proctor grader test`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bundle = std::env::args_os().nth(1).ok_or("no bundle")?;
    let evidence = proctor_grader::Evidence::open(bundle)?;
    let answer = match grader::grade(&evidence) {
        Ok(verdict) => serde_json::json!({"verdict": verdict.into_inner()}),
        Err(error) => serde_json::json!({"error": error.to_string()}),
    };
    println!("\n{answer}");
    Ok(())
}
"#;

/// What a grader's own code says of a bundle.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NativeAnswer {
    /// Its verdict.
    Verdict(GraderVerdict),
    /// It could not grade, and says why.
    Error(String),
}

/// A grader's own code, compiled for this machine.
#[derive(Debug)]
pub struct Native {
    program: PathBuf,
}

/// What `cargo metadata` says, as far as it matters here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

impl Native {
    /// Compiles the grader crate in `krate` with the small program. Intermediate
    /// files go below `target_dir`.
    ///
    /// # Errors
    /// In words, why it cannot be compared natively.
    pub fn build(krate: &Path, target_dir: &Path) -> Result<Self, String> {
        let metadata = metadata(krate)?;
        let manifest = krate.join("Cargo.toml");
        let manifest = manifest
            .canonicalize()
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        let is_ours = |package: &&Package| {
            let path = package.manifest_path.canonicalize();
            path.is_ok_and(|path| path == manifest)
        };
        let package = metadata.packages.iter().find(is_ours);
        let package = package.ok_or("cargo does not know the crate's own package")?;
        let is_library = |target: &Target| {
            let mut kinds = target.crate_types.iter();
            kinds.any(|kind| kind == "lib" || kind == "rlib")
        };
        if !package.targets.iter().any(is_library) {
            return Err("the crate is no ordinary library: leave `crate-type` out".to_owned());
        }
        let sdk = metadata.packages.iter().find(|one| one.name == SDK);
        let sdk = sdk.ok_or("the crate does not use the SDK `proctor-grader`")?;
        let name = &sha256_hex(manifest.as_os_str().as_encoded_bytes())[..12];
        let folder = target_dir.join("native").join(name);
        let written = (|| {
            fs::create_dir_all(folder.join("src"))?;
            fs::write(folder.join("src/main.rs"), MAIN)?;
            fs::write(folder.join("Cargo.toml"), program(package, sdk))?;
            let lock = metadata.workspace_root.join("Cargo.lock");
            fs::copy(lock, folder.join("Cargo.lock"))
        })();
        written.map_err(|error| format!("{}: {error}", folder.display()))?;
        let target = target_dir.join("native").join("target");
        let output = Command::new("cargo")
            .args(["build", "--quiet", "--offline", "--manifest-path"])
            .arg(folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &target)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("`cargo` could not be run: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "it does not compile with a program that calls `grade`, which has to be `pub`:\n{}",
                last_lines(&output.stderr, 15)
            ));
        }
        Ok(Self {
            program: target.join("debug").join("proctor-native"),
        })
    }

    /// What the grader says of the trial, or the bundle, in `dir`.
    ///
    /// # Errors
    /// The program breaks, or says nothing that can be read.
    pub fn grade(&self, dir: &Path) -> Result<NativeAnswer, String> {
        let inside = dir.join(EVIDENCE_DIR);
        let bundle = if inside.is_dir() { &inside } else { dir };
        let output = Command::new(&self.program)
            .arg(bundle)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        if !output.status.success() {
            let said = last_lines(&output.stderr, 5);
            return Err(format!("it broke ({}): {said}", output.status));
        }
        // The grader may print what it likes before.
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().last().unwrap_or_default();
        serde_json::from_str(line).map_err(|error| format!("its answer cannot be read: {error}"))
    }
}

impl NativeAnswer {
    /// In what it differs from the verdict of the module, in words; empty where
    /// it does not.
    pub fn differs_from(&self, module: &Verdict) -> Vec<String> {
        let native = match self {
            Self::Verdict(verdict) => verdict,
            Self::Error(error) => return vec![format!("natively it says: {error}")],
        };
        let json = |value: serde_json::Result<Value>| value.unwrap_or_default();
        let mut differences = Vec::new();
        let theirs = module
            .criteria
            .iter()
            .filter(|one| one.category != proctor_grading::RUBRIC);
        let theirs: Vec<_> = theirs.collect();
        for (at, one) in native.criteria.iter().enumerate() {
            let other = theirs.get(at).map(serde_json::to_value);
            if other.map(json) != Some(json(serde_json::to_value(one))) {
                differences.push(format!("criterion `{}`", one.id));
            }
        }
        for one in theirs.iter().skip(native.criteria.len()) {
            differences.push(format!("criterion `{}` is the module's alone", one.id));
        }
        if native.notes != module.notes {
            differences.push("the notes".to_owned());
        }
        let adjustments = json(serde_json::to_value(&module.adjustments));
        if json(serde_json::to_value(&native.adjustments)) != adjustments {
            differences.push("the adjustments".to_owned());
        }
        differences
    }
}

fn metadata(krate: &Path) -> Result<Metadata, String> {
    let output = Command::new("cargo")
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--manifest-path",
        ])
        .arg(krate.join("Cargo.toml"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`cargo` could not be run: {error}"))?;
    if !output.status.success() {
        return Err(last_lines(&output.stderr, 5));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The manifest of the program. Paths are written as JSON strings, which are
/// TOML strings too.
fn program(krate: &Package, sdk: &Package) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let folder = |package: &Package| {
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        quoted(&folder.to_string_lossy())
    };
    let mut text = String::from(
        "[package]\nname = \"proctor-native\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         publish = false\n\n[workspace]\n\n[dependencies]\nserde_json = \"1\"\n",
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "grader = {{ package = {}, path = {} }}",
        quoted(&krate.name),
        folder(krate)
    );
    let _ = match &sdk.source {
        None => writeln!(text, "{SDK} = {{ path = {} }}", folder(sdk)),
        Some(_) => writeln!(text, "{SDK} = {}", quoted(&format!("={}", sdk.version))),
    };
    text
}

fn last_lines(bytes: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(most)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_names_the_crate_and_its_sdk() {
        let package = |name: &str, source: Option<&str>| Package {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            source: source.map(str::to_owned),
            manifest_path: format!("/a \"b\"/{name}/Cargo.toml").into(),
            targets: Vec::new(),
        };
        let own = program(&package("mail", None), &package(SDK, None));
        let parsed: toml::Table = own.parse().unwrap();
        let dependencies = &parsed["dependencies"];
        assert_eq!(
            dependencies["grader"]["path"].as_str(),
            Some("/a \"b\"/mail")
        );
        assert_eq!(dependencies["grader"]["package"].as_str(), Some("mail"));
        assert_eq!(
            dependencies[SDK]["path"].as_str(),
            Some("/a \"b\"/proctor-grader")
        );
        let registry = program(&package("mail", None), &package(SDK, Some("registry+x")));
        let parsed: toml::Table = registry.parse().unwrap();
        assert_eq!(parsed["dependencies"][SDK].as_str(), Some("=1.2.3"));
    }

    #[test]
    fn a_crate_that_is_none_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let error = Native::build(dir.path(), dir.path()).unwrap_err();
        assert!(error.contains("Cargo.toml"), "{error}");
    }
}
