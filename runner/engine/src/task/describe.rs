//! What Proctor understands of a task, for people and scripts.

use std::fmt::Write as _;

use serde::Serialize;

use super::{GraderSource, Task};

/// A task in short.
#[derive(Debug, Clone, Serialize)]
pub struct Description {
    /// The task file.
    pub file: String,
    /// What graders and reports may know about it.
    #[serde(flatten)]
    pub info: proctor_types::TaskInfo,
    /// What grades it.
    pub grader: String,
    /// Files that are put into the workspace.
    pub fixtures: Vec<String>,
    /// Programs that have to be installed.
    pub prerequisites: Vec<String>,
    /// The oracle's steps file, where there is one.
    pub oracle: Option<String>,
    /// Attempts unless the operator says otherwise.
    pub attempts: u32,
    /// SHA-256 of the pack.
    pub pack_sha256: String,
    /// The prompt.
    pub prompt: String,
    /// What is odd about it.
    pub warnings: Vec<String>,
}

impl Task {
    /// The task in short.
    pub fn describe(&self) -> Description {
        Description {
            file: self.file().to_owned(),
            info: self.info.clone(),
            grader: match &self.grader {
                GraderSource::Component(module) => module.path.clone(),
                GraderSource::Oci(reference) => reference.to_string(),
                GraderSource::Python => "the Python block of the task file".to_owned(),
                GraderSource::None => "none; a judge alone decides".to_owned(),
            },
            fixtures: self.fixtures.iter().map(|fixture| fixture.dest.clone()).collect(),
            prerequisites: self.prerequisites.clone(),
            oracle: self.oracle.clone(),
            attempts: self.attempts.unwrap_or(1),
            pack_sha256: self.pack_sha256.clone(),
            prompt: self.prompt.clone(),
            warnings: self.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Description {
    /// The description in lines for a terminal.
    pub fn to_text(&self) -> String {
        let info = &self.info;
        let mut out = format!("{} ({})\n", info.name, info.id);
        let mut row = |name: &str, value: &str| _ = writeln!(out, "  {name:<14}{value}");
        row("file", &self.file);
        row("category", &info.category);
        row("timeout", &format!("{} s", info.timeout_seconds));
        row("services", &list(&info.services));
        row("grader", &self.grader);
        row(
            "weights",
            &format!("automated {}, judge {}", info.weights.automated, info.weights.llm_judge),
        );
        row("fixtures", &list(&self.fixtures));
        row("needs", &list(&self.prerequisites));
        row("oracle", self.oracle.as_deref().unwrap_or("-"));
        row("attempts", &self.attempts.to_string());
        row("pack", &self.pack_sha256);
        section(&mut out, "criteria", &info.criteria);
        let rubric: Vec<String> = info
            .rubric
            .iter()
            .map(|one| format!("{} ({:.0} %), {} levels", one.name, one.weight * 100.0, one.levels.len()))
            .collect();
        section(&mut out, "rubric", &rubric);
        let prompt: Vec<String> = self.prompt.lines().map(str::to_owned).collect();
        section(&mut out, "prompt", &prompt);
        out.trim_end().to_owned()
    }
}

fn section(out: &mut String, name: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    _ = writeln!(out, "\n  {name}");
    for line in lines {
        // A task file must not be able to steer the terminal.
        let line: String =
            line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        _ = writeln!(out, "    {line}");
    }
}

fn list(items: &[String]) -> String {
    if items.is_empty() { "-".to_owned() } else { items.join(", ") }
}
