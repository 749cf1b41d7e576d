//! Moments as Google writes and reads them.

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;

const MILLIS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// `2026-03-02T09:00:00.000Z`.
pub(crate) fn millis(moment: Timestamp) -> String {
    MILLIS.timestamp_to_string(&moment)
}

/// Reads a moment of RFC 3339: full date, full time, and a zone. Much of what
/// ISO 8601 allows besides is refused, as Google does.
pub(crate) fn rfc3339(text: &str) -> Option<Timestamp> {
    let shape = b"0000-00-00T00:00:00";
    let (head, zone) = (
        text.as_bytes().get(..shape.len())?,
        text.get(shape.len()..)?,
    );
    let fits = head.iter().zip(shape).all(|(byte, wanted)| match wanted {
        b'0' => byte.is_ascii_digit(),
        b'T' => byte.eq_ignore_ascii_case(&b'T'),
        _ => byte == wanted,
    });
    let zone = match zone.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            Some(zone).filter(|zone| zone.len() < fraction.len())?
        }
        None => zone,
    };
    let offset = |text: &str| {
        let bytes = text.as_bytes();
        bytes.len() == 6
            && matches!(bytes.first(), Some(b'+' | b'-'))
            && bytes.get(3) == Some(&b':')
            && bytes
                .iter()
                .enumerate()
                .all(|(n, byte)| n == 0 || n == 3 || byte.is_ascii_digit())
    };
    if !fits || !(zone.eq_ignore_ascii_case("z") || offset(zone)) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_with_milliseconds() {
        let moment: Timestamp = "2026-03-02T09:00:00.0304Z".parse().unwrap();
        assert_eq!(millis(moment), "2026-03-02T09:00:00.030Z");
    }

    #[test]
    fn only_complete_moments_are_read() {
        for (text, wanted) in [
            ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00Z"),
            ("2026-03-02t09:00:00.123456z", "2026-03-02T09:00:00.123456Z"),
            ("2026-03-02T09:00:00-05:00", "2026-03-02T14:00:00Z"),
        ] {
            assert_eq!(rfc3339(text).unwrap().to_string(), wanted);
        }
        for text in [
            "",
            "2026-03-02",
            "2026-03-02T09:00Z",
            "2026-03-02T09:00:00",
            "2026-03-02 09:00:00Z",
            "2026-13-02T09:00:00Z",
            "2026-03-02T25:00:00Z",
            "2026-03-02T09:00:00.Z",
            "tomorrow",
            "2026-03-02T09:00:00Z[UTC]",
            "2026-03-02T09:00:00+0500",
            "2026-03-02T09:00:00+05:00:00",
            "２026-03-02T09:00:00Z",
            "+002026-03-02T09:00:00Z",
            "2026-03-02T09:00:00Z ",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }
}
