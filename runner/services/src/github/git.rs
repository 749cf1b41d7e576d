//! What is done with objects: trees, commits, differences, merges.

use git2::{
    Commit, Delta, DiffFindOptions, DiffOptions, FileMode, Oid, Patch, Repository, Signature, Time,
    Tree, TreeWalkMode, TreeWalkResult,
};
use jiff::Timestamp;

use super::error::{Error, Result};

/// Most bytes of a patch that is shown or kept.
pub(crate) const PATCH_CAP: usize = 1 << 20;
/// Most bytes of one file (GitHub refuses larger ones: 100 MB by push, 50 MB
/// with a warning).
pub(crate) const BLOB_CAP: usize = 50 << 20;
/// Most entries of a tree that are looked at.
const ENTRIES_CAP: usize = 50_000;

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: String,
    pub(crate) mode: i32,
    pub(crate) id: Oid,
    pub(crate) kind: git2::ObjectType,
}

/// What a change does to one file.
#[derive(Debug, Clone)]
pub(crate) struct FileDiff {
    pub(crate) filename: String,
    pub(crate) previous: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) additions: usize,
    pub(crate) deletions: usize,
    pub(crate) patch: Option<String>,
    pub(crate) old: Option<Oid>,
    pub(crate) new: Option<Oid>,
}

/// Why a path cannot be one of a repository; `None` where it can.
pub(crate) fn bad_path(path: &str) -> Option<&'static str> {
    if path.is_empty() || path.starts_with('/') || path.ends_with('/') {
        return Some("a path is relative and names a file");
    }
    if path.len() > 4096 || path.contains('\0') {
        return Some("the path is too long or has a NUL");
    }
    for part in path.split('/') {
        match part {
            "" => return Some("the path has an empty part"),
            "." | ".." => return Some("the path must not have `.` or `..`"),
            _ if part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1") => {
                return Some("the path must not have `.git`");
            }
            _ => {}
        }
    }
    None
}

/// Files of a tree in order of path; with `folders`, also the trees.
pub(crate) fn entries(tree: &Tree<'_>, folders: bool) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    tree.walk(TreeWalkMode::PreOrder, |parent, entry| {
        let kind = entry.kind().unwrap_or(git2::ObjectType::Commit);
        if folders || kind != git2::ObjectType::Tree {
            let name = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            found.push(Entry {
                path: format!("{parent}{name}"),
                mode: entry.filemode(),
                id: entry.id(),
                kind,
            });
        }
        if found.len() > ENTRIES_CAP {
            return TreeWalkResult::Abort;
        }
        TreeWalkResult::Ok
    })?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// A tree like `base`, with files written (`Some`: object and mode) and removed
/// (`None`).
pub(crate) fn edit_tree(
    repository: &Repository,
    base: Option<&Tree<'_>>,
    changes: &[(String, Option<(Oid, FileMode)>)],
) -> Result<Oid> {
    let empty;
    let base = if let Some(base) = base {
        base
    } else {
        empty = repository.find_tree(repository.treebuilder(None)?.write()?)?;
        &empty
    };
    let mut update = git2::build::TreeUpdateBuilder::new();
    for (path, change) in changes {
        if let Some(problem) = bad_path(path) {
            return Err(Error::new(422, format!("path `{path}`: {problem}")));
        }
        match change {
            Some((id, mode)) => update.upsert(path.as_str(), *id, *mode),
            None => update.remove(path.as_str()),
        };
    }
    Ok(update.create_updated(repository, base)?)
}

/// A signature at a moment of the world.
pub(crate) fn signature(name: &str, email: &str, at: Timestamp) -> Result<Signature<'static>> {
    Ok(Signature::new(name, email, &Time::new(at.as_second(), 0))?)
}

/// When somebody signed, RFC 3339.
pub(crate) fn date(signature: &Signature<'_>) -> String {
    Timestamp::from_second(signature.when().seconds())
        .unwrap_or_default()
        .to_string()
}

/// A message as text.
pub(crate) fn message(commit: &Commit<'_>) -> String {
    String::from_utf8_lossy(commit.message_bytes()).into_owned()
}

/// Differences between two trees, in order of path.
pub(crate) fn diff(
    repository: &Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
) -> Result<Vec<FileDiff>> {
    let diff = raw_diff(repository, old, new)?;
    let mut files = Vec::new();
    for index in 0..diff.deltas().len() {
        files.extend(file_diff(&diff, index)?);
    }
    files.sort_by(|a, b| a.filename.cmp(&b.filename));
    Ok(files)
}

/// The unified diff between two trees, with file headers.
pub(crate) fn diff_text(
    repository: &Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
) -> Result<Vec<u8>> {
    let diff = raw_diff(repository, old, new)?;
    let mut text = Vec::new();
    diff.print(git2::DiffFormat::Patch, |_, _, line| {
        if matches!(line.origin(), '+' | '-' | ' ') {
            text.push(line.origin() as u8);
        }
        text.extend_from_slice(line.content());
        true
    })?;
    Ok(text)
}

fn raw_diff<'r>(
    repository: &'r Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
) -> Result<git2::Diff<'r>> {
    let mut options = DiffOptions::new();
    options.context_lines(3).id_abbrev(7);
    let mut diff = repository.diff_tree_to_tree(old, new, Some(&mut options))?;
    diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(400)))?;
    Ok(diff)
}

fn file_diff(diff: &git2::Diff<'_>, index: usize) -> Result<Option<FileDiff>> {
    let Some(delta) = diff.get_delta(index) else {
        return Ok(None);
    };
    let path = |file: &git2::DiffFile<'_>| {
        file.path_bytes()
            .map(|path| String::from_utf8_lossy(path).into_owned())
    };
    let status = match delta.status() {
        Delta::Added => "added",
        Delta::Deleted => "removed",
        Delta::Renamed => "renamed",
        Delta::Copied => "copied",
        _ => "modified",
    };
    let (before, after) = (path(&delta.old_file()), path(&delta.new_file()));
    let id = |file: &git2::DiffFile<'_>| Some(file.id()).filter(|id| !id.is_zero());
    let mut file = FileDiff {
        filename: after.or_else(|| before.clone()).unwrap_or_default(),
        previous: before.filter(|_| matches!(status, "renamed" | "copied")),
        status,
        additions: 0,
        deletions: 0,
        patch: None,
        old: id(&delta.old_file()),
        new: id(&delta.new_file()),
    };
    if let Some(mut patch) = Patch::from_diff(diff, index)? {
        let (_, additions, deletions) = patch.line_stats()?;
        file.additions = additions;
        file.deletions = deletions;
        file.patch = hunks(&patch.to_buf()?);
    }
    Ok(Some(file))
}

/// The hunks of a patch, without its file headers and the final line feed.
fn hunks(patch: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(patch).ok()?;
    let start = if text.starts_with("@@") {
        0
    } else {
        text.find("\n@@")? + 1
    };
    let hunks = text.get(start..)?.trim_end_matches('\n');
    (hunks.len() <= PATCH_CAP).then(|| hunks.to_owned())
}

/// Commits that `head` reaches and `base` does not, newest first.
pub(crate) fn between(repository: &Repository, base: Option<Oid>, head: Oid) -> Result<Vec<Oid>> {
    let mut walk = repository.revwalk()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)?;
    walk.push(head)?;
    if let Some(base) = base {
        walk.hide(base)?;
    }
    Ok(walk.collect::<Result<Vec<_>, _>>()?)
}

/// The best common ancestor.
pub(crate) fn merge_base(repository: &Repository, one: Oid, other: Oid) -> Option<Oid> {
    repository.merge_base(one, other).ok()
}

/// The tree that merging `head` into `base` gives; `None` where they conflict.
pub(crate) fn merged_tree(repository: &Repository, base: Oid, head: Oid) -> Result<Option<Oid>> {
    let (base, head) = (repository.find_commit(base)?, repository.find_commit(head)?);
    let mut index = repository.merge_commits(&base, &head, None)?;
    if index.has_conflicts() {
        return Ok(None);
    }
    Ok(Some(index.write_tree_to(repository)?))
}

/// The text of a blob; `None` where it is binary or too long.
pub(crate) fn text_of(repository: &Repository, id: Oid) -> Option<String> {
    let blob = repository.find_blob(id).ok()?;
    if blob.is_binary() || blob.size() > PATCH_CAP {
        return None;
    }
    String::from_utf8(blob.content().to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_git_or_a_file_system_would_misread_are_refused() {
        for path in [
            "",
            "/etc/passwd",
            "a/",
            "a//b",
            "../a",
            "a/../b",
            "./a",
            ".git/config",
            "a/.GIT/x",
            "git~1/x",
            "a\0b",
        ] {
            assert!(bad_path(path).is_some(), "{path:?}");
        }
        for path in [
            "a",
            ".env.example",
            "a/b.c",
            ".github/workflows/x.yml",
            "...",
            "a b/ü",
        ] {
            assert_eq!(bad_path(path), None, "{path:?}");
        }
    }

    #[test]
    fn hunks_come_without_file_headers() {
        let patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(hunks(patch).as_deref(), Some("@@ -1 +1 @@\n-a\n+b"));
        assert_eq!(hunks(b"Binary files differ\n"), None);
    }
}
