//! `proctor grader inspect`: what a module is, also one that is refused.

use std::path::PathBuf;

use clap::Args;
use proctor_engine::grader::{self, Inspection, ModuleReport};

use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor grader inspect`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The module. It is only looked at, never run
    #[arg(value_name = "FILE")]
    module: PathBuf,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// Shows the module. Ends with 4 where a runner would refuse it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let inspection = grader::inspect(&arguments.module)?;
    match arguments.format {
        Format::Json => {
            let mut value = serde_json::to_value(&inspection.module)?;
            value["schema"] = "proctor.inspection/1".into();
            value["build"] = serde_json::to_value(inspection.record.as_ref().ok())?;
            value["no_build"] = inspection.record.as_ref().err().cloned().into();
            output::exact(&serde_json::to_string(&value)?);
        }
        Format::Text => text(&arguments.module.display().to_string(), &inspection),
    }
    Ok(match inspection.module.refusal {
        Some(_) => Exit::Grader,
        None => Exit::Done,
    })
}

fn text(file: &str, inspection: &Inspection) {
    let module = &inspection.module;
    let row = |name: &str, value: &str| output::out(&format!("{name:<10} {value}"));
    row("file", file);
    row("sha256", &module.sha256);
    row("bytes", &module.bytes.to_string());
    row("contract", module.abi.as_deref().unwrap_or("none"));
    row(
        "parts",
        &format!(
            "{} modules, {} functions, the longest of {} bytes",
            module.modules, module.functions, module.longest_function
        ),
    );
    names(module);
    if module.unlisted > 0 {
        row("unlisted", &format!("{} further names", module.unlisted));
    }
    match &inspection.record {
        Ok(build) => {
            row("built by", &format!("{}, {}", build.rustc, build.cargo));
            let source = build.source.as_deref().unwrap_or("an unknown folder");
            row("from", &format!("{source} ({})", build.source_sha256));
        }
        Err(why) => row("built by", &format!("nothing says: {why}")),
    }
    if let Some(problem) = &module.malformed {
        row("broken", problem);
    }
    match &module.refusal {
        None => row("verdict", "a runner would load it"),
        Some(refusal) => {
            row(
                "verdict",
                &format!("REFUSED ({}): {}", refusal.kind, refusal.message),
            );
            if let Some(hint) = refusal.hint {
                row("", &format!("hint: {hint}"));
            }
        }
    }
}

fn names(module: &ModuleReport) {
    for import in &module.imports {
        let allowed = if import.is_allowed {
            "allowed"
        } else {
            "NOT ALLOWED"
        };
        output::out(&format!(
            "{:<10} {} ({allowed})",
            "import",
            one_line(&import.name)
        ));
    }
    for export in &module.exports {
        output::out(&format!(
            "{:<10} {} ({})",
            "export",
            one_line(&export.name),
            export.kind
        ));
    }
}

/// A name may hold line feeds, and must not look like a line of ours.
fn one_line(name: &str) -> String {
    name.replace('\n', "\\n").replace('\t', "\\t")
}
