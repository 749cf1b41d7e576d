//! The tool `list_files`.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirEntry, FileType};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::Workspace;

pub(super) const DESCRIPTION: &str = "Lists a folder of the workspace and the folders in it, a \
    path and a size in bytes a line; folders end with `/`, links show where they lead.";

/// Levels where the model does not say how many.
const USUAL_DEPTH: usize = 2;
/// Most levels.
const MAX_DEPTH: usize = 10;
/// Most lines.
const MAX_LINES: usize = 1000;
/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// Arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Folder in the workspace; the workspace itself where not given.
    path: Option<String>,
    /// Levels of folders, from 1 to 10; 2 where not given.
    depth: Option<usize>,
}

impl Workspace {
    /// `list_files`.
    pub(super) fn list(&self, arguments: &Arguments) -> Result<String, String> {
        let path = arguments.path.as_deref().unwrap_or(".");
        let depth = arguments.depth.unwrap_or(USUAL_DEPTH).clamp(1, MAX_DEPTH);
        let top = self.below(path)?;
        let dir = self.dir().open_dir(&top);
        let dir = dir.map_err(|error| self.problem(path, &error))?;
        let mut list = List::default();
        let prefix = if top == Path::new(".") {
            PathBuf::new()
        } else {
            top
        };
        list.add(&dir, &prefix, depth)
            .map_err(|error| self.problem(path, &error))?;
        Ok(list.finish())
    }
}

#[derive(Debug, Default)]
struct List {
    lines: Vec<String>,
    /// Whether something is missing.
    cut: bool,
}

impl List {
    fn add(&mut self, dir: &Dir, prefix: &Path, depth: usize) -> io::Result<()> {
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            if entries.len() == MAX_ENTRIES {
                self.cut = true;
                break;
            }
            entries.push(entry?);
        }
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            if self.lines.len() == MAX_LINES {
                self.cut = true;
                return Ok(());
            }
            self.entry(dir, &entry, prefix, depth);
        }
        Ok(())
    }

    fn entry(&mut self, dir: &Dir, entry: &DirEntry, prefix: &Path, depth: usize) {
        let name = entry.file_name();
        let path = prefix.join(&name);
        // Control characters are the name's own; they do not make lines of theirs.
        let shown = path.to_string_lossy().replace(char::is_control, "\u{fffd}");
        let kind = entry.file_type().ok();
        if kind.is_some_and(|kind| FileType::is_dir(&kind)) {
            self.lines.push(format!("{shown}/"));
            if depth > 1
                && let Ok(inner) = entry.open_dir()
                && self.add(&inner, &path, depth - 1).is_err()
            {
                self.lines
                    .push(format!("{shown}/ (cannot be read to its end)"));
            }
        } else if kind.is_some_and(|kind| kind.is_symlink()) {
            let target = dir.read_link_contents(&name).unwrap_or_default();
            let target = target
                .to_string_lossy()
                .replace(char::is_control, "\u{fffd}");
            self.lines.push(format!("{shown} -> {target}"));
        } else if kind.is_some_and(|kind| kind.is_file()) {
            let size = entry.metadata().map(|it| it.len()).unwrap_or_default();
            self.lines.push(format!("{shown} {size}"));
        } else {
            self.lines.push(format!("{shown} (no file)"));
        }
    }

    fn finish(self) -> String {
        if self.lines.is_empty() {
            return "(empty)".to_owned();
        }
        let mut text = self.lines.join("\n");
        if self.cut {
            text.push_str("\n[there is more; list a folder of it, or fewer levels]");
        }
        text
    }
}
