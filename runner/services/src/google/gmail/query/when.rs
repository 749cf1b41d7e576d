//! Moments and sizes as queries write them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// The moment that `after:` and `before:` mean: a day (its first moment in the
/// account's time zone) or seconds since 1970. In milliseconds since 1970.
pub(super) fn moment(text: &str, zone: &TimeZone) -> Option<i64> {
    if text.len() > 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<i64>().ok()?.checked_mul(1000);
    }
    let day = day(text)?;
    Some(
        day.to_zoned_datetime(zone.clone())
            .ok()?
            .timestamp()
            .as_millisecond(),
    )
}

/// `2026/3/2`, `3/2/2026`, `2026-03-02`, `2026/3`, `2026`.
fn day(text: &str) -> Option<Date> {
    let mut numbers = [None; 3];
    let mut parts = text.split(['/', '-', '.']);
    for slot in &mut numbers {
        let Some(part) = parts.next() else { break };
        if part.is_empty() || part.len() > 4 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *slot = Some((part.parse::<i16>().ok()?, part.len()));
    }
    let small = |number: i16| i8::try_from(number).ok();
    let (year, month, day) = match (parts.next(), numbers) {
        (None, [Some((year, 4)), month, day]) => {
            (year, month.map_or(1, |it| it.0), day.map_or(1, |it| it.0))
        }
        (None, [Some((month, 1..=2)), Some((day, 1..=2)), Some((year, 4))]) => (year, month, day),
        _ => return None,
    };
    Date::new(year, small(month)?, small(day)?).ok()
}

/// The moment that lies `2d`, `3m`, `1y` (or `5h`, `1w`) before now, in
/// milliseconds since 1970. Days are 24 hours; months and years go by the
/// calendar.
pub(super) fn before(text: &str, now: Timestamp, zone: &TimeZone) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    let hours = |each: i64| Span::new().try_hours(number.checked_mul(each)?).ok();
    let span = match unit.to_ascii_lowercase() {
        'h' => hours(1)?,
        'd' => hours(24)?,
        'w' => hours(24 * 7)?,
        'm' => Span::new().try_months(number).ok()?,
        'y' => Span::new().try_years(number).ok()?,
        _ => return None,
    };
    // Before the beginning of time lies everything.
    let then = now.to_zoned_datetime(zone.clone()).checked_sub(span);
    Some(then.map_or(i64::MIN, |then| then.timestamp().as_millisecond()))
}

/// `1000`, `10K`, `2M`, `1.5m`, `3MB`: bytes.
pub(super) fn size(text: &str) -> Option<u64> {
    let upper = text.to_ascii_uppercase();
    let plain = upper.strip_suffix('B').unwrap_or(&upper);
    let (number, unit) = match plain.chars().next_back()? {
        'K' => (plain.strip_suffix('K')?, 1 << 10),
        'M' => (plain.strip_suffix('M')?, 1 << 20),
        'G' => (plain.strip_suffix('G')?, 1 << 30),
        _ => (plain, 1_u64),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    let places = part.get(..part.len().min(6))?;
    let part = places.parse::<u64>().ok()? * unit / 10_u64.pow(u32::try_from(places.len()).ok()?);
    whole.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").unwrap()
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_account() {
        let moment = |text| moment(text, &berlin());
        let first = Some(1_772_406_000_000); // 2026-03-01T23:00:00Z
        for text in [
            "2026/3/2",
            "2026/03/02",
            "2026-03-02",
            "03/02/2026",
            "3/2/2026",
            "1772406000",
        ] {
            assert_eq!(moment(text), first, "{text}");
        }
        assert_eq!(moment("2026/3"), moment("2026/3/1"));
        assert_eq!(moment("2026"), moment("2026/1/1"));
        for text in [
            "",
            "x",
            "2026/13/1",
            "2026/2/30",
            "2/2",
            "26/3/2",
            "2026/3/2/1",
            "2026//2",
            "-5",
            "9223372036854775807",
            "99999999999999999999",
            "١٢/٣/٢٠٢٦",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }

    #[test]
    fn spans_before_now() {
        let now: Timestamp = "2026-03-31T10:00:00Z".parse().unwrap();
        let at = |text| {
            before(text, now, &berlin())
                .map(|ms| Timestamp::from_millisecond(ms).unwrap().to_string())
        };
        assert_eq!(at("2d"), Some("2026-03-29T10:00:00Z".into()));
        assert_eq!(at("3h"), Some("2026-03-31T07:00:00Z".into()));
        assert_eq!(at("1W"), Some("2026-03-24T10:00:00Z".into()));
        assert_eq!(at("1m"), Some("2026-02-28T11:00:00Z".into()));
        assert_eq!(at("1y"), Some("2025-03-31T10:00:00Z".into()));
        for text in [
            "",
            "d",
            "2",
            "2x",
            "-2d",
            "2 d",
            "٢d",
            "99999999999999999999d",
        ] {
            assert_eq!(before(text, now, &berlin()), None, "{text}");
        }
        assert_eq!(before("19000y", now, &berlin()), Some(i64::MIN));
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("1000", Some(1000)),
            ("10k", Some(10_240)),
            ("1.5M", Some(1_572_864)),
            ("2MB", Some(2 << 20)),
            ("1g", Some(1 << 30)),
            ("5B", Some(5)),
            ("", None),
            ("M", None),
            ("1.M", None),
            ("-1", None),
            ("1e3", None),
            ("99999999999999999999", None),
            ("99999999999999999G", None),
        ] {
            assert_eq!(size(text), bytes, "{text}");
        }
    }
}
