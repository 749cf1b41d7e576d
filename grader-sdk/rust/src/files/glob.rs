//! Simple patterns of paths.

/// A piece of a pattern.
#[derive(Clone, Copy)]
enum Piece {
    Char(char),
    /// `?`
    One,
    /// `*`
    Name,
    /// `**`
    Anything,
    /// `**/`: directories, or none.
    Directories,
}

/// Whether a path fits a pattern ([`Files::glob`](super::Files::glob)). Takes at
/// most the product of the two lengths.
pub(crate) fn fits(path: &str, pattern: &str) -> bool {
    let pieces = pieces(pattern);
    // `reached[n]`: the path so far can be what the first n pieces stand for.
    let mut reached = vec![false; pieces.len() + 1];
    reach(&mut reached, &pieces, 0);
    for char in path.chars() {
        let mut next = vec![false; reached.len()];
        for (index, piece) in pieces
            .iter()
            .enumerate()
            .filter(|(index, _)| reached[*index])
        {
            match piece {
                Piece::Char(wanted) if *wanted == char => reach(&mut next, &pieces, index + 1),
                Piece::One if char != '/' => reach(&mut next, &pieces, index + 1),
                // Leaving it out was reached with it.
                Piece::Name if char != '/' => reach(&mut next, &pieces, index),
                Piece::Anything => reach(&mut next, &pieces, index),
                Piece::Directories if char == '/' => reach(&mut next, &pieces, index),
                // Inside the name of a directory.
                Piece::Directories => next[index] = true,
                _ => {}
            }
        }
        reached = next;
    }
    reached[pieces.len()]
}

/// Marks what is reached with `index`: whatever can be left out behind it too.
fn reach(reached: &mut [bool], pieces: &[Piece], index: usize) {
    for (index, reached) in reached.iter_mut().enumerate().skip(index) {
        if std::mem::replace(reached, true) {
            return;
        }
        match pieces.get(index) {
            Some(Piece::Name | Piece::Anything | Piece::Directories) => {}
            _ => return,
        }
    }
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    let mut begins_name = true;
    while let Some(char) = rest.chars().next() {
        let (piece, length) = if begins_name && rest.starts_with("**/") {
            (Piece::Directories, 3)
        } else if rest.starts_with("**") {
            (Piece::Anything, 2)
        } else {
            let piece = match char {
                '*' => Piece::Name,
                '?' => Piece::One,
                other => Piece::Char(other),
            };
            (piece, char.len_utf8())
        };
        begins_name = rest[..length].ends_with('/');
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn wildcards_stay_inside_a_name_unless_doubled() {
        for (pattern, path) in [
            ("a.md", "a.md"),
            ("*.md", "a.md"),
            ("*.md", ".md"),
            ("**/*.md", "a.md"),
            ("**/*.md", "x/y/a.md"),
            ("x/**", "x/y/z"),
            ("x/**/z", "x/z"),
            ("x/**/z", "x/y/y/z"),
            ("**", "any/thing"),
            ("?.t?t", "ä.txt"),
            ("a*b*c", "aXbYbZc"),
            ("", ""),
        ] {
            assert!(fits(path, pattern), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("*.md", "x/a.md"),
            ("?", "/"),
            ("**/a.md", "xa.md"),
            ("x/**/z", "x/yz"),
            ("x/*", "x/y/z"),
            ("a", "ab"),
            ("A", "a"),
            ("", "a"),
            ("a*", "b"),
        ] {
            assert!(!fits(path, pattern), "{pattern} {path}");
        }
    }

    #[test]
    fn a_hostile_path_takes_no_longer_than_its_length() {
        let path = "a".repeat(20_000);
        assert!(!fits(&path, "*a*a*a*a*a*a*a*a*a*a*a*a*b"));
        assert!(!fits(&path, "**a**a**a**a**a**a**b"));
    }
}
