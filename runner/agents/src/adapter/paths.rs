//! Paths of files in the room, and patterns of them.

/// Longest path of a room, in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// Whether `path` is a plain path below something: parts without `.`, `..`,
/// control characters, and not too long.
pub(crate) fn is_plain(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// `path`, where it is one of the room below `root`.
pub(crate) fn room_path<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let below = path.strip_prefix(root.trim_end_matches('/'))?;
    let below = below.strip_prefix('/')?;
    is_plain(below).then_some(path)
}

/// Whether `path` is of the form `pattern`, part by part: `*` is any characters
/// but `/`, `?` is one of them.
pub(crate) fn pattern_matches(pattern: &str, path: &str) -> bool {
    let (mut parts, mut names) = (pattern.split('/'), path.split('/'));
    loop {
        match (parts.next(), names.next()) {
            (None, None) => return true,
            (Some(part), Some(name)) if part_matches(part, name) => {}
            _ => return false,
        }
    }
}

/// The classic walk with one point to return to: linear in practice, at worst
/// the product of both lengths.
fn part_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut pos) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while pos < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, pos));
            at += 1;
        } else if pattern
            .get(at)
            .is_some_and(|&char| char == '?' || char == name[pos])
        {
            at += 1;
            pos += 1;
        } else if let Some((star_at, star_pos)) = star {
            star = Some((star_at, star_pos + 1));
            at = star_at + 1;
            pos = star_pos + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&char| char == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_within_their_folder() {
        for (pattern, path, expected) in [
            (
                ".claude/projects/*/*.jsonl",
                ".claude/projects/-w/a.jsonl",
                true,
            ),
            (
                ".claude/projects/*/*.jsonl",
                ".claude/projects/-w/b/a.jsonl",
                false,
            ),
            ("a/*", "a/", true),
            ("a*b*c", "axxbxxc", true),
            ("a*b*c", "axxbxx", false),
            ("opencode.db*", "opencode.db-wal", true),
            ("?", "é", true),
            ("?", "", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(pattern_matches(pattern, path), expected, "{pattern} {path}");
        }
        // A pattern that would take a backtracking matcher for ever.
        let name = "a".repeat(200);
        assert!(!pattern_matches(&format!("{}b", "a*".repeat(60)), &name));
    }

    #[test]
    fn paths_lead_nowhere_else() {
        assert_eq!(room_path("/h/.x/y", "/h"), Some("/h/.x/y"));
        for path in [
            "/h", "/h/", "/h/../x", "/h/a//b", "/hx/a", "/h/./a", "/h/a\nb", "x/a",
        ] {
            assert_eq!(room_path(path, "/h"), None, "{path}");
        }
    }
}
