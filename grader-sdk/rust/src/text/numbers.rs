//! Numbers and their units in prose and configuration.

/// A number that stands in a text, and the unit behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity<'t> {
    /// The number.
    pub value: f64,
    /// The letters right behind it, or the word after one blank; empty where
    /// something else follows. Not every word is a unit: of "4 replicas" it is
    /// `replicas`.
    pub unit: &'t str,
    /// Where the number begins, in bytes.
    pub at: usize,
}

impl Quantity<'_> {
    /// Whether it is this number of one of these units, whatever their case.
    /// Without units, whatever follows the number.
    pub fn is(&self, value: f64, units: &[&str]) -> bool {
        let same = (self.value - value).abs() <= value.abs() * f64::EPSILON * 4.0;
        same && (units.is_empty()
            || units
                .iter()
                .any(|unit| unit.eq_ignore_ascii_case(self.unit)))
    }
}

/// The numbers of a text in order.
///
/// A number is a whole one: `2048` does not stand in `12048`, `2048.5`,
/// `v2048` or `1.2.2048`. Thousands may be grouped by commas or underscores
/// (`1,024`, `10_000`), decimals follow a full stop.
///
/// ```
/// use proctor_grader::text::quantities;
///
/// let found: Vec<_> = quantities("memory: \"4 Gi\", buffer 2,048, not 14Gi")
///     .map(|quantity| (quantity.value, quantity.unit))
///     .collect();
/// assert_eq!(found, [(4.0, "Gi"), (2048.0, ""), (14.0, "Gi")]);
/// ```
pub fn quantities(text: &str) -> impl Iterator<Item = Quantity<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        while at < bytes.len() {
            if !bytes[at].is_ascii_digit() {
                at += 1;
                continue;
            }
            let start = at;
            let found = begins_alone(text, start)
                .then(|| number(&bytes[start..]))
                .flatten();
            let Some((value, length)) = found else {
                at = end_of_run(bytes, start);
                continue;
            };
            at = start + length;
            return Some(Quantity {
                value: if is_negative(text, start) {
                    -value
                } else {
                    value
                },
                unit: unit(&text[at..]),
                at: start,
            });
        }
        None
    })
}

/// Whether the text names this number of one of these units; without units, the
/// number whatever follows it.
///
/// ```
/// use proctor_grader::text::mentions;
///
/// assert!(mentions("limits are 4Gi now", 4.0, &["Gi", "GiB"]));
/// assert!(mentions("limits are 4 GiB now", 4.0, &["Gi", "GiB"]));
/// assert!(!mentions("limits are 14Gi now", 4.0, &["Gi", "GiB"]));
/// assert!(mentions("buffer_size=2048", 2048.0, &[]));
/// ```
pub fn mentions(text: &str, value: f64, units: &[&str]) -> bool {
    quantities(text).any(|quantity| quantity.is(value, units))
}

/// End of what can belong to a number that begins at `start`: digits, and
/// separators between digits.
fn end_of_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        let separates = matches!(bytes[at], b'.' | b',' | b'_')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !bytes[at].is_ascii_digit() && !separates {
            break;
        }
        at += 1;
    }
    at
}

fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

fn begins_alone(text: &str, start: usize) -> bool {
    before(text, start).is_none_or(|char| !(char.is_alphanumeric() || matches!(char, '_' | '.')))
}

/// A hyphen makes it negative where it stands for itself: not in `3-5`.
fn is_negative(text: &str, start: usize) -> bool {
    let Some(sign @ ('-' | '\u{2212}')) = before(text, start) else {
        return false;
    };
    let rest = start - sign.len_utf8();
    before(text, rest).is_none_or(|char| char.is_whitespace() || matches!(char, '(' | '=' | ':'))
}

/// The number at the beginning of a text, and its length. A comma that groups
/// nothing ends it; what has two full stops is no number.
fn number(text: &[u8]) -> Option<(f64, usize)> {
    let mut digits = String::new();
    let (mut point, mut grouped) = (false, false);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let following = text[at + 1..].iter().take(4);
        let following = following.take_while(|byte| byte.is_ascii_digit()).count();
        match byte {
            b'0'..=b'9' => digits.push(char::from(byte)),
            b'.' if following > 0 && point => return None,
            b'.' if following > 0 => {
                point = true;
                digits.push('.');
            }
            b',' if following == 3 && !point && (at <= 3 || grouped) => grouped = true,
            b'_' if following > 0 => {}
            _ => break,
        }
        at += 1;
    }
    Some((digits.parse().ok()?, at))
}

/// The letters at the beginning of a text, after at most one blank.
fn unit(text: &str) -> &str {
    let rest = text
        .strip_prefix([' ', '\u{a0}', '\u{202f}'])
        .unwrap_or(text);
    let is_unit = |char: char| char.is_alphabetic() || matches!(char, '%' | '°');
    let end = rest.find(|char| !is_unit(char)).unwrap_or(rest.len());
    &rest[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<(f64, &str)> {
        quantities(text)
            .map(|found| (found.value, found.unit))
            .collect()
    }

    #[test]
    fn only_whole_numbers_count() {
        assert_eq!(list("v2 x12048 1.2.2048 a_5 .5"), []);
        assert_eq!(
            list("2048.5 2048. 0.85,"),
            [(2048.5, ""), (2048.0, ""), (0.85, "")]
        );
        assert_eq!(
            list("1,024 and 1,2 and 12,345,678"),
            [(1024.0, "and"), (1.0, ""), (2.0, "and"), (12_345_678.0, "")]
        );
        assert_eq!(
            list("3-5 -7 =-8"),
            [(3.0, ""), (5.0, ""), (-7.0, ""), (-8.0, "")]
        );
        assert_eq!(
            list("10_000 2025-07-14"),
            [(10_000.0, ""), (2025.0, ""), (7.0, ""), (14.0, "")]
        );
    }

    #[test]
    fn units_are_close_and_compared_whatever_their_case() {
        assert_eq!(
            list("4Gi 4 Gi 4  Gi 50% 21°C"),
            [
                (4.0, "Gi"),
                (4.0, "Gi"),
                (4.0, ""),
                (50.0, "%"),
                (21.0, "°C")
            ]
        );
        assert!(mentions("4GIB", 4.0, &["gib"]));
        assert!(!mentions("4 Gigs", 4.0, &["Gi"]));
        assert!(mentions("threshold 0.85", 0.85, &[]));
    }

    #[test]
    fn any_text_is_survived() {
        let digits = "9".repeat(100_000);
        assert_eq!(quantities(&digits).count(), 1);
        assert!(quantities(&digits).all(|found| found.value.is_infinite()));
        assert_eq!(list("é5ü 1,,2 1._2"), [(1.0, ""), (2.0, ""), (1.0, "")]);
    }
}
