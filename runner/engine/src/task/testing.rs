//! Tasks for tests.

use std::fs;
use std::path::{Path, PathBuf};

use super::pack::{LoadOptions, Task, load_task};
use super::{FormatError, TaskError};

/// Services that the tests know.
pub(super) const SERVICES: &[&str] = &["google", "github", "notion"];
/// How tests load.
pub(super) const OPTIONS: LoadOptions<'static> = LoadOptions {
    known_services: SERVICES,
};

/// A Python grader that every automated task may have.
pub(super) const CHECKS: &str = "## Automated Checks\n\n```python\ndef grade(transcript, workspace_path):\n    return {}\n```\n";

/// The task that this repository holds.
pub(super) fn real_task() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/gws-task-management")
}

/// A valid automated task with these lines in its front matter besides the
/// required ones.
pub(super) fn task_text(id: &str, extra: &str) -> String {
    format!(
        "---\nid: {id}\nname: A task\ncategory: test\ngrading_type: automated\n\
         timeout_seconds: 60\n{extra}\n---\n\n## Prompt\n\nDo it.\n\n{CHECKS}"
    )
}

/// Parses a text as `t.md`.
pub(super) fn parse(text: &str) -> Result<super::format::Document, FormatError> {
    super::format::parse("t.md", text.as_bytes(), SERVICES)
}

/// The message of the error that `text` gives.
pub(super) fn parse_error(text: &str) -> String {
    parse(text).expect_err("the text is wrong").to_string()
}

/// The messages of the warnings that `text` gives.
pub(super) fn parse_warnings(text: &str) -> Vec<String> {
    parse(text)
        .unwrap()
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Writes files below `root`, with the folders that they need.
pub(super) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// A pack with this front matter and these further files, loaded.
pub(super) fn load_pack(extra: &str, files: &[(&str, &str)]) -> Result<Task, TaskError> {
    let dir = tempfile::tempdir().unwrap();
    let pack = dir.path().join("a-task");
    write(&pack, &[("task.md", &task_text("a-task", extra))]);
    write(&pack, files);
    load_task(&pack, OPTIONS)
}
