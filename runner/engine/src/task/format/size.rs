//! Sizes as people write them: `256MiB`.

/// Largest size that can be written.
const MAX: u64 = 1 << 40;
/// For messages: what a size looks like.
pub(super) const EXPECTED: &str =
    "a size such as `256MiB` or `4GiB` (units B, KiB, MiB, GiB, or kB, MB, GB in tens)";

/// Bytes of a size with a unit, 1 byte to 1 TiB.
pub(super) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let scale: u64 = match unit.trim_start() {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    let bytes = number.parse::<u64>().ok()?.checked_mul(scale)?;
    (1..=MAX).contains(&bytes).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_have_a_number_and_a_unit() {
        assert_eq!(parse("256MiB"), Some(256 << 20));
        assert_eq!(parse("4 GiB"), Some(4 << 30));
        assert_eq!(parse("10MB"), Some(10_000_000));
        assert_eq!(parse("1B"), Some(1));
        assert_eq!(parse("1TiB"), Some(1 << 40));
    }

    #[test]
    fn anything_else_is_no_size() {
        for text in [
            "",
            "256",
            "MiB",
            "0MiB",
            "-1MiB",
            "1.5GiB",
            "2TiB",
            "1 M",
            "1mib",
            "99999999999999999999GiB",
            "18014398509481984KiB",
            "1MiB x",
            "½MiB",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
