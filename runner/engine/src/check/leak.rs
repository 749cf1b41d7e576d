//! Is the agent handed the answer?
//!
//! What an agent is given are its prompts and the files of its workspace. None
//! of them may be, contain or point to what only the author's side has: the
//! files of the solution's folder, the grader and its record, and what the
//! solution leaves in the workspace.

use std::collections::BTreeMap;

use super::{Gate, Row};
use crate::task::lock::record_path;
use crate::task::{GraderSource, Task};

/// Shortest text that is looked for in a prompt, in bytes without blank space:
/// shorter ones are words that any prompt may have.
const LEAST_BYTES: usize = 40;
/// Largest file that is looked for in a prompt.
const MOST_BYTES: u64 = 1 << 20;

/// Looks at what the task says and gives.
pub(super) fn in_files(task: &Task) -> Row {
    let kept = kept_back(task);
    let mut found = Vec::new();
    for (what, prompt) in prompts(task) {
        for path in &kept {
            if mentions(&prompt, path) {
                found.push(format!("{what} names `{path}`"));
            }
            let file = task.pack.listing().get(path);
            let is_small = file.is_some_and(|file| file.bytes <= MOST_BYTES);
            if is_small
                && task
                    .pack
                    .read(path)
                    .is_ok_and(|bytes| contains(&prompt, &bytes))
            {
                found.push(format!("{what} contains `{path}`"));
            }
        }
    }
    found.extend(given(task, &kept));
    row(&found)
}

/// Looks for what the solution left in the prompts; `outputs` are its new files.
pub(super) fn in_outputs(task: &Task, outputs: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut found = Vec::new();
    for (what, prompt) in prompts(task) {
        for (path, bytes) in outputs {
            if contains(&prompt, bytes) {
                found.push(format!(
                    "{what} contains what the solution writes to `{path}`"
                ));
            }
        }
    }
    found
}

pub(super) fn row(found: &[String]) -> Row {
    if found.is_empty() {
        return Row::pass(
            Gate::Prompt,
            "neither prompt nor workspace holds the answer",
        );
    }
    Row::fail(Gate::Prompt, found.join("\n"))
        .hint("keep solution and grader out of what the agent gets")
}

/// Paths of the pack that are not for the agent.
fn kept_back(task: &Task) -> Vec<String> {
    let mut exact: Vec<String> = Vec::new();
    if let GraderSource::Component(module) = &task.grader {
        let record = record_path(module.path.as_ref());
        exact.push(module.path.clone());
        exact.push(record.to_string_lossy().into_owned());
    }
    let oracle = task.oracle.as_deref().unwrap_or_default();
    let folder = oracle
        .rsplit_once('/')
        .map(|(folder, _)| format!("{folder}/"));
    task.pack
        .listing()
        .iter()
        .map(|(path, _)| path)
        .filter(|path| {
            *path == oracle
                || exact.iter().any(|other| other == path)
                || folder
                    .as_ref()
                    .is_some_and(|folder| path.starts_with(folder))
        })
        .map(str::to_owned)
        .collect()
}

/// Everything that the agent is told, with a name for it.
fn prompts(task: &Task) -> Vec<(String, String)> {
    let mut prompts = vec![("the prompt".to_owned(), task.prompt.clone())];
    if let Some(system) = &task.system_prompt {
        prompts.push(("the system prompt".to_owned(), system.text.clone()));
    }
    for session in &task.sessions {
        let name = format!("the prompt of `{}`", session.id);
        prompts.push((name, session.prompt.clone()));
    }
    prompts
}

/// Whether `text` has `path` as a word of its own: `a/b.md` is in `see a/b.md.`
/// and not in `data/b.md`.
fn mentions(text: &str, path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].strip_suffix("./").unwrap_or(&text[..at]);
        let after = &text[at + path.len()..];
        !before.ends_with(part) && !after.starts_with(part)
    })
}

/// Whether `text` has all that stands in a file, however it is wrapped.
fn contains(text: &str, bytes: &[u8]) -> bool {
    let Ok(content) = std::str::from_utf8(bytes) else {
        return false;
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let content = squeezed(content);
    content.len() >= LEAST_BYTES && squeezed(text).contains(&content)
}

/// Workspace files and files of the seed that are kept back.
fn given(task: &Task, kept: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let listing = task.pack.listing();
    let digests: BTreeMap<&str, &str> = kept
        .iter()
        .filter_map(|path| Some((path.as_str(), listing.get(path)?)))
        .filter(|(_, file)| file.bytes >= LEAST_BYTES as u64)
        .map(|(path, file)| (file.sha256.as_str(), path))
        .collect();
    for fixture in &task.fixtures {
        let digest = crate::evidence::sha256_hex(&fixture.bytes);
        if let Some(path) = digests.get(digest.as_str()) {
            found.push(format!("the workspace file `{}` is `{path}`", fixture.dest));
        }
    }
    let Some(seed) = &task.seed else {
        return found;
    };
    let folder = format!("{}/", seed.path);
    for (path, file) in listing.iter().filter(|(path, _)| path.starts_with(&folder)) {
        if kept.iter().any(|other| other == path) {
            found.push(format!("`{path}` lies in the seed of the world"));
        } else if let Some(kept) = digests.get(file.sha256.as_str()) {
            found.push(format!("`{path}`, in the seed of the world, is `{kept}`"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_as_words_of_their_own() {
        for text in [
            "see solution/a.md.",
            "`solution/a.md`",
            "./solution/a.md",
            "solution/a.md",
            "(solution/a.md)",
        ] {
            assert!(mentions(text, "solution/a.md"), "{text}");
        }
        for text in [
            "my-solution/a.md",
            "x/solution/a.md",
            "solution/a.md5",
            "a.md",
            "",
        ] {
            assert!(!mentions(text, "solution/a.md"), "{text}");
        }
    }

    #[test]
    fn contents_are_found_however_they_are_wrapped_and_not_when_they_are_words() {
        let answer = "The total of all invoices of March\nis 4,711.30 euros.\n";
        let prompt =
            "Say: the total. The total of all invoices\n  of March is 4,711.30 euros. Done.";
        assert!(contains(prompt, answer.as_bytes()));
        assert!(!contains("The total of all invoices", answer.as_bytes()));
        assert!(!contains("yes no yes", b"yes"), "a short text is no answer");
        assert!(!contains("\u{fffd}", b"\xff"));
    }
}
