//! Where builds of graders keep their intermediate files.

use std::io;
use std::path::{Path, PathBuf};

/// The folder that was asked for, or `target/graders` in the current folder.
/// Where that lies in a task, the folder around the task takes its place:
/// everything in a task counts for its digest.
pub(super) fn folder(asked: Option<&Path>) -> io::Result<PathBuf> {
    match asked {
        Some(asked) => std::path::absolute(asked),
        None => Ok(outside(&std::env::current_dir()?).join("target/graders")),
    }
}

/// `folder`, or the folder around the outermost task that it lies in.
fn outside(folder: &Path) -> &Path {
    let tasks = folder
        .ancestors()
        .filter(|above| above.join("task.md").is_file());
    tasks.last().and_then(Path::parent).unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_does_not_go_into_a_task() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("suite/task/grader/src");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(outside(&inner), inner);
        std::fs::write(dir.path().join("suite/task/task.md"), "").unwrap();
        let suite = dir.path().join("suite");
        for folder in [&inner, &suite.join("task"), &suite] {
            assert_eq!(outside(folder), suite);
        }
    }
}
