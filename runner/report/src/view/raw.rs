//! The files of a trial's directory.

use cap_std::fs::Dir;
use serde::Serialize;

use super::purse::{List, Purse};
use crate::limits;

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct RawFile {
    /// Path relative to the trial's directory; what is not UTF-8 is replaced.
    path: String,
    bytes: u64,
    /// Whether the page may link to it: see [`is_safe`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    link: bool,
    /// Whether it is no regular file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    odd: bool,
}

/// Files that Proctor itself wrote as JSON or Markdown: a browser shows them as
/// text.
const OURS: [&str; 13] = [
    "trial.json",
    "verdict.json",
    "verdict.graded.json",
    "judge.jsonl",
    "evidence/manifest.json",
    "evidence/task.json",
    "evidence/workspace.json",
    "evidence/probes.json",
    "evidence/model.jsonl",
    "evidence/transcript.jsonl",
    "evidence/world/before.json",
    "evidence/world/after.json",
    "evidence/world/journal.jsonl",
];
/// Endings that every browser shows without running anything.
const INERT: [&str; 7] = ["txt", "json", "csv", "png", "jpg", "jpeg", "gif"];

/// Whether opening the file in a browser runs nothing that is in it. A page that
/// an agent left in its workspace would be run as a page of this machine; and of
/// a name that says nothing a browser guesses from the content what it is.
fn is_safe(path: &str) -> bool {
    let ending = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, ending)| ending.to_ascii_lowercase());
    OURS.contains(&path) || ending.is_some_and(|ending| INERT.contains(&ending.as_str()))
}

/// Lists the regular files below `trial`, sorted, as many as there is room for.
pub(crate) fn list(trial: &Dir, purse: &mut Purse) -> List<RawFile> {
    let mut found = Vec::new();
    let mut more = 0;
    walk(trial, "", 0, &mut found, &mut more);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    let mut list = purse.list(found, 48, |purse, file| {
        purse.pay(file.path.len());
        file
    });
    list.cut += more;
    list
}

fn walk(dir: &Dir, prefix: &str, depth: usize, found: &mut Vec<RawFile>, more: &mut usize) {
    let Ok(entries) = dir.entries() else {
        return;
    };
    for entry in entries.flatten() {
        if found.len() >= limits::LISTED_FILES {
            *more += 1;
            return;
        }
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if metadata.is_dir() {
            if depth >= limits::LISTED_DEPTH {
                *more += 1;
            } else if let Ok(inner) = entry.open_dir() {
                walk(&inner, &format!("{path}/"), depth + 1, found, more);
            }
            continue;
        }
        found.push(RawFile {
            bytes: metadata.len(),
            link: metadata.is_file() && name.to_str().is_some() && is_safe(&path),
            odd: !metadata.is_file(),
            path,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn only_what_a_browser_shows_as_text_or_picture_is_linked() {
        for path in [
            "trial.json",
            "evidence/transcript.jsonl",
            "evidence/workspace/notes.TXT",
            "evidence/workspace/a.b/shot.png",
        ] {
            assert!(is_safe(path), "{path}");
        }
        for path in [
            "evidence/workspace/page.html",
            "evidence/workspace/picture.svg",
            "evidence/workspace/README.md",
            "evidence/workspace/txt",
            "evidence/workspace/transcript.jsonl",
            "evidence/world/bodies/44f3d3",
            "evidence/workspace/odd.txt/file",
        ] {
            assert!(!is_safe(path), "{path}");
        }
    }
}
