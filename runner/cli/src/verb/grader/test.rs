//! `proctor grader test`: the crate's own tests, then its module on recorded
//! trials, compared with what its code says natively.

use std::io::stderr;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;
use clap::Args;
use proctor_engine::grader::{self, BuildError, BuildOptions, Native};
use proctor_engine::regrade::{self, RegradeRequest, Regraded};
use proctor_engine::{EngineError, GraderChoice};
use serde_json::json;

use crate::exit::Exit;
use crate::output;
use crate::reporter::{Format, terminal};

/// Arguments of `proctor grader test`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folder of the grader's crate
    #[arg(value_name = "CRATE")]
    krate: PathBuf,

    /// A recorded trial, or its evidence, to grade with the module and natively.
    /// Repeat for several
    #[arg(long = "bundle", value_name = "DIR")]
    bundles: Vec<PathBuf>,

    /// Module to grade with; built from the crate otherwise
    #[arg(long, value_name = "FILE")]
    grader: Option<PathBuf>,

    /// Where builds keep their intermediate files; `target/graders` by default,
    /// never inside of a task
    #[arg(long, value_name = "DIR")]
    target_dir: Option<PathBuf>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// How the two verdicts on one bundle compare.
enum Compared {
    Same,
    Differs(Vec<String>),
    Not(String),
}

/// Tests the grader. Ends with 1 where a test fails or the verdicts differ.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let passed = cargo_test(&arguments.krate)?;
    let mut graded = Vec::new();
    if !arguments.bundles.is_empty() {
        let target = super::target::folder(arguments.target_dir.as_deref())
            .context("cannot find the current folder")?;
        let module = match &arguments.grader {
            Some(module) if !module.exists() => {
                return Err(EngineError::Usage {
                    message: format!("--grader {}: there is no such file", module.display()),
                    hint: Some("without --grader, the module is built from the crate".to_owned()),
                }
                .into());
            }
            Some(module) => module.clone(),
            None => build(&arguments.krate, &target)?,
        };
        let native = Native::build(&arguments.krate, &target);
        for bundle in &arguments.bundles {
            let regraded = regrade::grade(&RegradeRequest {
                dir: bundle.clone(),
                grader: GraderChoice::File(module.clone()),
                notice: |line| output::err(line),
                host: super::super::host()?,
            })?;
            let compared = compare(&native, bundle, &regraded);
            graded.push((bundle, regraded, compared));
        }
    }
    let differs = |one: &(_, _, Compared)| matches!(one.2, Compared::Differs(_));
    let exit = if passed && !graded.iter().any(differs) {
        Exit::Done
    } else {
        Exit::CheckFailed
    };
    match arguments.format {
        Format::Text => text(passed, &graded),
        Format::Json => {
            let graded: Vec<_> = graded.iter().map(as_json).collect::<Result<_, _>>()?;
            let value = json!({"schema": "proctor.grader_test/1", "tests_passed": passed, "graded": graded});
            output::exact(&value.to_string());
        }
    }
    Ok(exit)
}

/// `cargo test` in the crate. What it prints goes to standard error: standard
/// output is for the result.
fn cargo_test(krate: &Path) -> anyhow::Result<bool> {
    if !krate.join("Cargo.toml").is_file() {
        let dir = krate.to_owned();
        return Err(EngineError::from(BuildError::NoCrate { dir }).into());
    }
    let out = stderr().as_fd().try_clone_to_owned()?;
    // In the crate's folder, where cargo finds the crate's own settings.
    let status = Command::new("cargo")
        .arg("test")
        .current_dir(krate)
        .stdin(Stdio::null())
        .stdout(out)
        .status()
        .context("`cargo` could not be run")?;
    Ok(status.success())
}

fn build(krate: &Path, target: &Path) -> anyhow::Result<PathBuf> {
    let folder = target.join("test");
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let module = folder.join("grader.wasm");
    let options = BuildOptions::new(target).env(std::env::vars_os());
    grader::build(krate, &module, &options)?;
    Ok(module)
}

fn compare(native: &Result<Native, String>, bundle: &Path, module: &Regraded) -> Compared {
    let native = match native {
        Ok(native) => native.grade(bundle),
        Err(why) => return Compared::Not(why.clone()),
    };
    match native {
        Err(why) => Compared::Differs(vec![format!("natively {why}")]),
        Ok(answer) => {
            let differences = answer.differs_from(&module.verdict);
            if differences.is_empty() {
                Compared::Same
            } else {
                Compared::Differs(differences)
            }
        }
    }
}

fn as_json(one: &(&PathBuf, Regraded, Compared)) -> anyhow::Result<serde_json::Value> {
    let (bundle, graded, compared) = one;
    let (natively, reasons) = match compared {
        Compared::Same => ("same", Vec::new()),
        Compared::Differs(reasons) => ("differs", reasons.clone()),
        Compared::Not(why) => ("not_compared", vec![why.clone()]),
    };
    Ok(json!({
        "bundle": bundle,
        "score": graded.verdict.score,
        "points": graded.verdict.points,
        "criteria": serde_json::to_value(graded.criteria())?,
        "missing": graded.missing,
        "natively": natively,
        "reasons": reasons,
    }))
}

fn text(passed: bool, graded: &[(&PathBuf, Regraded, Compared)]) {
    output::out(if passed {
        "the crate's tests pass"
    } else {
        "the crate's tests FAIL"
    });
    for (bundle, graded, compared) in graded {
        let verdict = &graded.verdict;
        output::out(&format!(
            "{}: {} of {} points, score {}",
            bundle.display(),
            terminal::range(verdict.points.low, verdict.points.high),
            terminal::number(verdict.points.max),
            terminal::range(verdict.score.low, verdict.score.high),
        ));
        for criterion in &graded.criteria() {
            output::out(&terminal::criterion(criterion));
        }
        for path in &graded.missing {
            output::out(&format!("  it asked for `{path}`, which is not there"));
        }
        match compared {
            Compared::Same => output::out("  natively the same"),
            Compared::Differs(reasons) => {
                output::out("  natively it DIFFERS:");
                for reason in reasons {
                    output::out(&format!("    {reason}"));
                }
            }
            Compared::Not(why) => output::out(&format!("  not compared natively: {why}")),
        }
    }
}
