//! Gates that need no run: what is written is looked at.

use proctor_grading::{ModuleLimits, build};

use super::{Gate, Row, TaskRef, leak};
use crate::record::SeededRecord;
use crate::task::lock::LockedTask;
use crate::task::{GraderSource, Task, Warning, WarningKind};
use crate::trial;

/// Shortest time limit that an agent can do anything in, in seconds.
const LEAST_SECONDS: u64 = 10;
/// Longest time limit that anybody waits for: four hours, in seconds.
const MOST_SECONDS: u64 = 4 * 3_600;

pub(super) fn gates(task: &TaskRef) -> Vec<Row> {
    let mut rows = vec![
        format(task),
        fixtures(task),
        rubric(task),
        timeout(task),
        seed(task),
        leak::in_files(task),
    ];
    rows.extend(grader(task));
    rows
}

fn format(task: &Task) -> Row {
    let notes: Vec<String> = task.warnings.iter().map(ToString::to_string).collect();
    let reason = match notes.len() {
        0 => "no warnings".to_owned(),
        1 => "1 warning".to_owned(),
        several => format!("{several} warnings"),
    };
    Row::pass(Gate::Format, reason).notes(notes)
}

fn fixtures(task: &Task) -> Row {
    // A task is loaded with its files or not at all.
    let bytes: usize = task.fixtures.iter().map(|file| file.bytes.len()).sum();
    match task.fixtures.len() {
        0 => Row::skipped(Gate::Fixtures, "the task has no workspace files"),
        files => Row::pass(Gate::Fixtures, format!("{files} files, {bytes} bytes")),
    }
}

fn rubric(task: &Task) -> Row {
    let is = |kind: fn(&WarningKind) -> bool| move |warning: &&Warning| kind(&warning.kind);
    let said = |warning: &Warning| warning.to_string();
    if task.info.rubric.is_empty() {
        return Row::skipped(Gate::Rubric, "the task has no rubric");
    }
    let weights = is(|kind| {
        matches!(
            kind,
            WarningKind::RubricWeights { .. } | WarningKind::RubricCeiling { .. }
        )
    });
    let wrong: Vec<String> = task.warnings.iter().filter(weights).map(said).collect();
    if !wrong.is_empty() {
        return Row::fail(Gate::Rubric, wrong.join("\n"))
            .hint("give the criteria weights that sum to 100 %, and each a level worth 1.0");
    }
    let odd = is(|kind| {
        matches!(
            kind,
            WarningKind::RubricWithoutWeights | WarningKind::RubricUnused
        )
    });
    let notes = task.warnings.iter().filter(odd).map(said).collect();
    let criteria = task.info.rubric.len();
    Row::pass(Gate::Rubric, format!("{criteria} criteria")).notes(notes)
}

fn timeout(task: &Task) -> Row {
    let seconds = task.info.timeout_seconds;
    let hint = format!("give `timeout_seconds` between {LEAST_SECONDS} and {MOST_SECONDS}");
    if seconds < LEAST_SECONDS {
        let reason = format!("in {seconds} s no agent can do anything");
        return Row::fail(Gate::Timeout, reason).hint(hint);
    }
    if seconds > MOST_SECONDS {
        let reason = format!("nobody waits {seconds} s for a trial");
        return Row::fail(Gate::Timeout, reason).hint(hint);
    }
    Row::pass(Gate::Timeout, format!("{seconds} s"))
}

fn seed(task: &Task) -> Row {
    if task.info.services.is_empty() && task.seed.is_none() {
        return Row::skipped(Gate::Seed, "the task has no world");
    }
    match trial::world(task, 0) {
        Ok(world) => {
            let lines = SeededRecord::of(&world.snapshot()).lines();
            let lines = lines.iter().map(|(what, much)| format!("{what}: {much}"));
            Row::pass(Gate::Seed, lines.collect::<Vec<_>>().join("; "))
        }
        Err(error) => {
            let mut row = Row::fail(Gate::Seed, error.to_string());
            row.hint = error.hint();
            row
        }
    }
}

/// A word about a module that is older than its source: the module is what is
/// checked and locked.
fn stale(task: &Task) -> Option<String> {
    let record = LockedTask::record_beside(task)?;
    crate::grader::stale(task.pack.suite_dir(), &record)
}

fn grader(task: &Task) -> [Row; 2] {
    let both = |reason: &str| [Gate::Module, Gate::Imports].map(|gate| Row::skipped(gate, reason));
    let module = match &task.grader {
        GraderSource::Component(module) => module,
        GraderSource::Python => return both("the task is graded by its Python block"),
        GraderSource::Oci(_) => return both("the module is in a registry"),
        GraderSource::None => return both("a judge alone grades the task"),
    };
    let shown = task.pack.shown(&module.path);
    let wasm = match task.read_grader() {
        Ok(wasm) => wasm.unwrap_or_default(),
        Err(error) => {
            let hint = format!("build it: proctor grader build CRATE --output {shown}");
            return [
                Row::fail(Gate::Module, error.to_string()).hint(hint),
                Row::skipped(Gate::Imports, "there is no module"),
            ];
        }
    };
    let limits = ModuleLimits::default();
    let report = build::describe(&wasm, &limits);
    let look = format!("`proctor grader inspect {shown}` lists all of it");
    let refused: Vec<String> = report
        .imports
        .iter()
        .filter(|import| !import.is_allowed)
        .map(|import| import.name.clone())
        .collect();
    let imports = if refused.is_empty() {
        Row::pass(Gate::Imports, format!("{} imports", report.imports.len()))
    } else {
        let reason = format!("it asks for {}", refused.join(", "));
        Row::fail(Gate::Imports, reason).hint(look.clone())
    };
    let row = match report.refusal {
        // That is the other gate's.
        Some(refusal) if refusal.kind != "forbidden_import" => {
            let hint = refusal.hint.map_or(look, str::to_owned);
            Row::fail(Gate::Module, refusal.message).hint(hint)
        }
        _ => Row::pass(
            Gate::Module,
            format!(
                "{} bytes, {} functions, contract {}",
                report.bytes,
                report.functions,
                report.abi.as_deref().unwrap_or("none")
            ),
        )
        .notes(stale(task).into_iter().collect()),
    };
    [row, imports]
}
