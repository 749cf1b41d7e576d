//! Paths as they stand in a task file: relative, inside, portable.

use super::PathProblem;

/// Longest path of a task, in bytes.
pub(in crate::task) const MAX_BYTES: usize = 512;
/// Longest part of a path: what Linux file systems take.
const MAX_PART_BYTES: usize = 255;

/// The path with `.` parts and doubled slashes removed. `base` says in words
/// what it is relative to.
pub(super) fn relative(path: &str, base: &'static str) -> Result<String, PathProblem> {
    if path.is_empty() {
        return Err(PathProblem::Empty);
    }
    if path.starts_with('/') || path.as_bytes().get(1..3) == Some(b":/") {
        return Err(PathProblem::Absolute { base });
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(PathProblem::Parent { base }),
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Err(PathProblem::Empty);
    }
    let path = parts.join("/");
    if portable(&path) {
        Ok(path)
    } else {
        Err(PathProblem::Unportable { max: MAX_BYTES })
    }
}

/// Whether every machine can have a file of this relative path.
pub(in crate::task) fn portable(path: &str) -> bool {
    path.len() <= MAX_BYTES
        && !path.contains(|c: char| c.is_control() || c == '\\')
        && path.split('/').all(|part| part.len() <= MAX_PART_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        for (path, tidy) in [
            ("a.csv", "a.csv"),
            ("./a.csv", "a.csv"),
            ("data//b/./c.txt", "data/b/c.txt"),
            ("seed/", "seed"),
            ("..hidden", "..hidden"),
            ("ü/a b", "ü/a b"),
        ] {
            assert_eq!(relative(path, "here").as_deref(), Ok(tidy), "{path}");
        }
    }

    #[test]
    fn each_way_out_has_its_own_error() {
        let base = "here";
        for (path, problem) in [
            ("", PathProblem::Empty),
            (".", PathProblem::Empty),
            ("./", PathProblem::Empty),
            ("/etc/passwd", PathProblem::Absolute { base }),
            ("c:/windows", PathProblem::Absolute { base }),
            ("..", PathProblem::Parent { base }),
            ("a/../../b", PathProblem::Parent { base }),
            ("a\\..\\b", PathProblem::Unportable { max: MAX_BYTES }),
            ("a\nb", PathProblem::Unportable { max: MAX_BYTES }),
            ("a\0", PathProblem::Unportable { max: MAX_BYTES }),
        ] {
            assert_eq!(relative(path, base), Err(problem), "{path:?}");
        }
        assert!(
            relative(&"x".repeat(256), base).is_err(),
            "one part too long for a file name"
        );
        assert!(
            relative(&"x/".repeat(257), base).is_err(),
            "too long altogether"
        );
    }
}
