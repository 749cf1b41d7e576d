//! What Proctor understands of a task, for `proctor task show`.

use std::fmt::Write as _;

use proctor_types::TaskInfo;
use proctor_types::task::GradingType;
use serde::Serialize;

use super::{GraderSource, Task};

/// A task for people and scripts: everything but the bytes of its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// What graders and reports know.
    #[serde(flatten)]
    pub info: TaskInfo,
    /// The task file.
    pub file: String,
    /// SHA-256 of the pack.
    pub pack_sha256: String,
    /// The prompt.
    pub prompt: String,
    /// How many prompts the agent gets, one after the other.
    pub sessions: usize,
    /// What grades: a path in the pack, an `oci://` reference, `python`, or
    /// `none`.
    pub grader: String,
    /// SHA-256 of the grader module, where the pack has one.
    pub grader_sha256: Option<String>,
    /// The oracle's steps file.
    pub oracle: Option<String>,
    /// The seed's folder.
    pub seed: Option<String>,
    /// Files put into the workspace.
    pub workspace_files: Vec<String>,
    /// What has to be installed.
    pub prerequisites: Vec<String>,
    /// Names of the probes.
    pub probes: Vec<String>,
    /// Hosts that the agent may reach for real.
    pub network_allow: Vec<String>,
    /// Attempts unless the operator says otherwise.
    pub attempts: u32,
    /// What is odd.
    pub warnings: Vec<String>,
}

impl Task {
    /// The task for people and scripts.
    pub fn describe(&self) -> Description {
        let (grader, grader_sha256) = match &self.grader {
            GraderSource::Component(module) => (
                module.path.clone(),
                module.file.as_ref().map(|file| file.sha256.clone()),
            ),
            GraderSource::Oci(reference) => (reference.to_string(), None),
            GraderSource::Python => ("python".to_owned(), None),
            GraderSource::None => ("none".to_owned(), None),
        };
        Description {
            info: self.info.clone(),
            file: self.file().to_owned(),
            pack_sha256: self.pack_sha256.clone(),
            prompt: self.prompt.clone(),
            sessions: self.sessions.len().max(1),
            grader,
            grader_sha256,
            oracle: self.oracle.clone(),
            seed: self.seed.as_ref().map(|seed| seed.path.clone()),
            workspace_files: self.fixtures.iter().map(|file| file.dest.clone()).collect(),
            prerequisites: self.prerequisites.clone(),
            probes: self.probes.iter().map(|probe| probe.name.clone()).collect(),
            network_allow: self.network_allow.clone(),
            attempts: self.attempts.unwrap_or(1),
            warnings: self.warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Description {
    /// The description as lines for a terminal, without an end of line.
    pub fn to_text(&self) -> String {
        let info = &self.info;
        let share = |weight: f64| format!("{} %", (weight * 1000.0).round() / 10.0);
        let grading = match info.grading_type {
            GradingType::Automated => "automated".to_owned(),
            GradingType::LlmJudge => "by a judge".to_owned(),
            GradingType::Hybrid => format!(
                "hybrid: {} automated, {} by a judge",
                share(info.weights.automated),
                share(info.weights.llm_judge)
            ),
        };
        let grader = match (&self.grader_sha256, self.grader.as_str()) {
            (Some(sha256), path) => format!("{path} (sha256 {sha256})"),
            (None, path) => path.to_owned(),
        };
        let mut text = format!("{}: {}\n", info.id, info.name);
        let mut line = |name: &str, value: &str| {
            if !value.is_empty() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "  {name:<16}{value}");
            }
        };
        line("file", &self.file);
        line("pack sha256", &self.pack_sha256);
        line("category", &info.category);
        line("grading", &grading);
        line("grader", &grader);
        line("time limit", &format!("{} s", info.timeout_seconds));
        line("attempts", &self.attempts.to_string());
        line("services", &info.services.join(", "));
        line("seed", self.seed.as_deref().unwrap_or_default());
        line("workspace files", &self.workspace_files.join(", "));
        line("needs", &self.prerequisites.join(", "));
        line("probes", &self.probes.join(", "));
        line("may reach", &self.network_allow.join(", "));
        line("oracle", self.oracle.as_deref().unwrap_or_default());
        for (number, criterion) in info.criteria.iter().enumerate() {
            line(if number == 0 { "criteria" } else { "" }, criterion);
        }
        for (number, criterion) in info.rubric.iter().enumerate() {
            let value = format!("{} ({})", criterion.name, share(criterion.weight));
            line(if number == 0 { "rubric" } else { "" }, &value);
        }
        let _ = write!(text, "\n{}", self.prompt);
        // A task file must not be able to steer the terminal.
        crate::printable(&text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::task::testing::{OPTIONS, load_pack, real_task};

    #[test]
    fn a_description_has_what_people_ask_for() {
        let task = crate::task::load_task(&real_task(), OPTIONS).unwrap();
        let text = task.describe().to_text();
        for line in [
            "gws-task-management: Task management with Google Workspace",
            "  grading         hybrid: 60 % automated, 40 % by a judge",
            "  time limit      300 s",
            "  services        google",
            "  criteria        Agent listed existing tasks using gws",
            "  rubric          Information Extraction (40 %)",
            "                  Task List Management (30 %)",
            "You have access to a Google Workspace account through the `gws` CLI tool (`gws --help` for usage).",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let json = serde_json::to_value(task.describe()).unwrap();
        assert_eq!(json["id"], "gws-task-management");
        assert_eq!(json["grader"], "grader.wasm");
        assert_eq!(json["pack_sha256"], task.pack_sha256);
    }

    #[test]
    fn a_task_cannot_steer_the_terminal() {
        let extra = "workspace_files: [{path: a, content: x}]";
        let mut task = load_pack(extra, &[]).unwrap();
        task.prompt = "a\u{1b}[2Jb\r\nc\u{202e}".to_owned();
        let text = task.describe().to_text();
        assert!(
            text.ends_with("\n\na\\u{1b}[2Jb\\u{d}\nc\\u{202e}"),
            "{text}"
        );
    }
}
