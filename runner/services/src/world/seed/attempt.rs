//! `{attempt}` in seeds: worlds of one seed that differ by a number.

/// What stands for the number.
const PLACEHOLDER: &str = "{attempt}";

/// The number of the attempt that a world is for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attempt(pub(super) u32);

impl Attempt {
    /// The text with the number in it.
    pub(super) fn in_text(self, text: &str) -> String {
        text.replace(PLACEHOLDER, &self.0.to_string())
    }

    /// The bytes with the number in them.
    pub(super) fn in_bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        let mut places = memchr::memmem::find_iter(&bytes, PLACEHOLDER).peekable();
        if places.peek().is_none() {
            return bytes;
        }
        let number = self.0.to_string();
        let mut made = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for place in places {
            made.extend_from_slice(bytes.get(done..place).unwrap_or_default());
            made.extend_from_slice(number.as_bytes());
            done = place + PLACEHOLDER.len();
        }
        made.extend_from_slice(bytes.get(done..).unwrap_or_default());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_replaced_and_nothing_else() {
        for (text, expected) in [
            ("", ""),
            ("{attempt}", "12"),
            ("a{attempt}b{attempt}", "a12b12"),
            ("{{attempt}}", "{12}"),
            (
                "{Attempt} {attempt } ${attempts}",
                "{Attempt} {attempt } ${attempts}",
            ),
            ("{att{attempt}empt}", "{att12empt}"),
        ] {
            assert_eq!(Attempt(12).in_text(text), expected);
            let bytes = Attempt(12).in_bytes(text.as_bytes().to_vec());
            assert_eq!(bytes, expected.as_bytes());
        }
        let bytes = Attempt(0).in_bytes(b"\xff{attempt}\xfe".to_vec());
        assert_eq!(bytes, b"\xff0\xfe");
    }
}
