//! Reading unified diffs.

use super::{FileDiff, Hunk, Kind, Line};

/// The files of a diff as `git diff`, `diff -u` and the REST API's `.diff` media
/// type write them, in order.
pub fn files(diff: &str) -> Vec<FileDiff> {
    let mut reader = Reader::default();
    let mut lines = diff.split('\n').map(without_return).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        reader.line(line, next);
    }
    reader.end()
}

/// The hunks of one file's diff, as the `patch` of a changed file carries them.
pub fn hunks(patch: &str) -> Vec<Hunk> {
    let mut reader = Reader {
        file: Some(FileDiff::default()),
        ..Reader::default()
    };
    for line in patch.split('\n').map(without_return) {
        if reader.open.is_some() || line.starts_with("@@") {
            reader.line(line, "");
        }
    }
    reader
        .end()
        .into_iter()
        .flat_map(|file| file.hunks)
        .collect()
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// What is left of a hunk, by its head.
#[derive(Default)]
struct Open {
    hunk: Hunk,
    old: u64,
    new: u64,
    old_left: u64,
    new_left: u64,
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDiff>,
    file: Option<FileDiff>,
    open: Option<Open>,
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        if let Some(open) = &mut self.open {
            if open.take(line) {
                return;
            }
            self.close();
        }
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.begin(from_command(paths));
        } else if let Some(path) = line
            .strip_prefix("--- ")
            .filter(|_| next.starts_with("+++ "))
        {
            // Without a line of git's before it, this is where a file begins.
            if self.file.as_ref().is_none_or(|file| !file.hunks.is_empty()) {
                self.begin(FileDiff::default());
            }
            self.file.get_or_insert_default().old = path_of(path);
        } else if let Some(open) = head(line) {
            self.file.get_or_insert_default();
            self.open = Some(open);
        } else if let Some(file) = &mut self.file {
            property(file, line);
        }
    }

    fn begin(&mut self, file: FileDiff) {
        self.files.extend(self.file.replace(file));
    }

    fn close(&mut self) {
        if let (Some(open), Some(file)) = (self.open.take(), &mut self.file) {
            file.hunks.push(open.hunk);
        }
    }

    fn end(mut self) -> Vec<FileDiff> {
        self.close();
        self.files.extend(self.file.take());
        self.files
    }
}

impl Open {
    /// Takes the line, where it belongs to the hunk. The head counts the lines:
    /// so a removed line `-- a/x` is not taken for the head of a file.
    fn take(&mut self, line: &str) -> bool {
        let kind = match line.as_bytes().first() {
            // "\ No newline at end of file"
            Some(b'\\') => return true,
            Some(b'+') if self.new_left > 0 => Kind::Added,
            Some(b'-') if self.old_left > 0 => Kind::Removed,
            // Some tools strip the blank of an empty line.
            Some(b' ') | None if self.old_left > 0 && self.new_left > 0 => Kind::Context,
            _ => return false,
        };
        let number = if kind == Kind::Removed {
            self.old
        } else {
            self.new
        };
        if kind != Kind::Added {
            self.old = self.old.saturating_add(1);
            self.old_left -= 1;
        }
        if kind != Kind::Removed {
            self.new = self.new.saturating_add(1);
            self.new_left -= 1;
        }
        self.hunk.lines.push(Line {
            kind,
            number,
            text: line.get(1..).unwrap_or_default().to_owned(),
        });
        true
    }
}

/// `@@ -1,2 +3,4 @@ section`; without a count it is 1.
fn head(line: &str) -> Option<Open> {
    let (ranges, section) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(u64, u64)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old, old_left), (new, new_left)) = (range(old)?, range(new)?);
    Some(Open {
        hunk: Hunk {
            section: section.trim().to_owned(),
            lines: Vec::new(),
        },
        old,
        new,
        old_left,
        new_left,
    })
}

/// What stands between the head of a file and its first hunk.
fn property(file: &mut FileDiff, line: &str) {
    if let Some(path) = line.strip_prefix("+++ ") {
        file.new = path_of(path);
    } else if line.starts_with("new file mode ") {
        file.old = None;
    } else if line.starts_with("deleted file mode ") {
        file.new = None;
    } else if let Some(path) = after(line, ["rename from ", "copy from "]) {
        file.old = Some(unquoted(path));
    } else if let Some(path) = after(line, ["rename to ", "copy to "]) {
        file.new = Some(unquoted(path));
    } else if line == "GIT binary patch"
        || (line.starts_with("Binary files ") && line.ends_with(" differ"))
    {
        file.binary = true;
    }
}

fn after<'l>(line: &'l str, prefixes: [&str; 2]) -> Option<&'l str> {
    prefixes.iter().find_map(|prefix| line.strip_prefix(prefix))
}

/// Paths of `a/OLD b/NEW`. Where a blank in a path makes that ambiguous, the two
/// are the same path.
fn from_command(paths: &str) -> FileDiff {
    let same = || {
        let (one, other) = (
            paths.get(..paths.len() / 2)?,
            paths.get(paths.len() / 2 + 1..)?,
        );
        (one.get(2..)? == other.get(2..)?).then_some((one, other))
    };
    let quoted = || {
        paths
            .split_once("\" \"")
            .or_else(|| paths.split_once(" \"b/"))
    };
    let (old, new) = same()
        .or_else(|| paths.split_once(" b/"))
        .or_else(quoted)
        .unwrap_or((paths, paths));
    FileDiff {
        old: path_of(old),
        // What separated them took its prefix with it.
        new: path_of(new),
        ..FileDiff::default()
    }
}

/// A path without the prefix that git puts before it and the time that `diff`
/// puts behind it.
fn path_of(text: &str) -> Option<String> {
    let path = text.split_once('\t').map_or(text, |(path, _)| path);
    let path = unquoted(path);
    if path == "/dev/null" {
        return None;
    }
    let stripped = ["a/", "b/"]
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix));
    Some(stripped.map_or_else(|| path.clone(), str::to_owned))
}

/// A path as it is called: git puts one with bytes beyond ASCII between
/// quotation marks and escapes them.
fn unquoted(text: &str) -> String {
    if !text.starts_with('"') && !text.ends_with('"') {
        return text.to_owned();
    }
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|next| matches!(next, b'0'..=b'7')) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(value.to_le_bytes()[0]);
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_of_git_with_everything_in_it() {
        let diff = "\
From 1 Mon Sep 17 00:00:00 2001
Subject: [PATCH] words

diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..ce01362
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-one
--- a/fake.txt
diff --git a/from here.txt b/to there.txt
similarity index 90%
rename from from here.txt
rename to to there.txt
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/run me.sh b/run me.sh
old mode 100644
new mode 100755
diff --git \"a/h\\303\\244user.txt\" \"b/h\\303\\244user.txt\"
--- \"a/h\\303\\244user.txt\"
+++ \"b/h\\303\\244user.txt\"
@@ -3,2 +3,3 @@ fn main() {
 context

+added
";
        let files = files(diff);
        let paths: Vec<&str> = files.iter().map(FileDiff::path).collect();
        assert_eq!(
            paths,
            [
                "new.txt",
                "old.txt",
                "to there.txt",
                "logo.png",
                "run me.sh",
                "häuser.txt"
            ]
        );
        assert_eq!(files[0].old, None);
        assert!(files[0].added().eq([(1, "hello")]));
        assert_eq!(files[1].new, None);
        assert!(files[1].removed().eq([(1, "one"), (2, "-- a/fake.txt")]));
        assert!(files[2].is_renamed() && files[2].hunks.is_empty());
        assert!(files[3].binary && !files[4].binary && !files[4].is_renamed());
        assert_eq!(files[5].hunks[0].section, "fn main() {");
        assert!(files[5].added().eq([(5, "added")]));
        assert_eq!(files[5].hunks[0].lines[1].kind, Kind::Context);
    }

    #[test]
    fn a_plain_diff_of_two_files() {
        let diff = "--- one.txt\t2026-01-01\n+++ one.txt\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- two.txt\n+++ two.txt\n@@ -1,0 +2,1 @@\n+c\n";
        let files = files(diff);
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].path(), files[1].path()), ("one.txt", "two.txt"));
        assert!(files[1].added().eq([(2, "c")]));
    }

    #[test]
    fn a_patch_has_only_hunks() {
        let patch = "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n@@ -10 +10 @@ def f():\n-x\n+y";
        let hunks = hunks(patch);
        assert_eq!(hunks.len(), 2);
        assert!(hunks[0].added().eq([(2, "c")]));
        assert!(hunks[1].removed().eq([(10, "x")]));
        assert!(super::hunks("no diff at all").is_empty());
    }

    #[test]
    fn a_head_that_lies_costs_nothing() {
        let max = u64::MAX;
        let patch = format!("@@ -{max},{max} +{max},{max} @@\n+a\n-b\n c\nrest\n@@ -x +1 @@\n@@");
        let hunks = hunks(&patch);
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].lines.len(), 3);
        assert_eq!(hunks[0].lines[2].number, max);
        for diff in [
            "",
            "\n",
            "diff --git ",
            "diff --git a",
            "--- ",
            "+++ b/x",
            "\"\\",
            "é\" é",
        ] {
            files(diff);
            files(&format!(
                "diff --git {diff}\n--- {diff}\n+++ {diff}\n@@ -1 +1 @@\né"
            ));
        }
    }
}
