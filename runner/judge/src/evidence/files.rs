//! Files of the workspace as exhibits.

use proctor_types::Citation;
use proctor_types::verdict::Exhibit;

use super::exhibit;

/// A regular file that the agent left.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Path relative to the workspace.
    pub path: &'a str,
    /// Its content, or the beginning of it: more than
    /// [`each_bytes`](super::Allowance::each_bytes) is never shown.
    pub content: &'a [u8],
    /// Length of the whole in bytes.
    pub bytes: u64,
    /// Whether the task had put it there with the same content.
    pub untouched: bool,
}

/// Files that the agent made or changed, then those that it left as they were;
/// both in order of path.
pub(super) fn shown(files: &[File<'_>]) -> Vec<Exhibit> {
    let mut files: Vec<&File<'_>> = files.iter().collect();
    files.sort_by_key(|file| (file.untouched, file.path));
    files.into_iter().map(|file| shown_file(file)).collect()
}

fn shown_file(file: &File<'_>) -> Exhibit {
    let File {
        path,
        content,
        bytes,
        untouched,
    } = *file;
    let how = if untouched { ", as it was given" } else { "" };
    let text = match text(content) {
        Some(text) if (content.len() as u64) < bytes => {
            let more = bytes - content.len() as u64;
            format!("{text}\n{}", crate::text::omission(more))
        }
        Some(text) => text.to_owned(),
        None => "(This file is no text.)".to_owned(),
    };
    exhibit(
        &format!("File {path} ({bytes} bytes{how})"),
        Citation::Workspace {
            path: path.to_owned(),
            line: None,
        },
        text,
    )
}

/// The content as text, if it is one. A character that the end of what is there
/// has cut in two is left out.
fn text(content: &[u8]) -> Option<&str> {
    if content.contains(&0) {
        return None;
    }
    match std::str::from_utf8(content) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&content[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}
