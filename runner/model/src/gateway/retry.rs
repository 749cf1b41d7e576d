//! When to ask again, and when not.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::Value;

use crate::reply::ApiError;

/// Longest wait without a hint.
const LONGEST: Duration = Duration::from_secs(30);

/// Whether an answer may be another one later: 429 (too many requests), 503 and
/// Anthropic's 529 (too many requests of everybody), unless it says that there
/// is no money.
pub(crate) fn is_worth(status: StatusCode, error: &ApiError) -> bool {
    matches!(status.as_u16(), 429 | 503 | 529) && !error.is_final()
}

/// How long the provider says to wait. In order: `retry-after-ms`,
/// `retry-after` (seconds or a date), Google's `RetryInfo` in the body, and the
/// `reset` of every limit that has nothing left (`x-ratelimit-reset-*` as
/// OpenAI writes it, `1m3.5s`; `anthropic-ratelimit-*-reset`, a time).
pub(crate) fn hint(headers: &HeaderMap, body: &[u8]) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|it| seconds(it, 1e-3)) {
        return Some(wait);
    }
    if let Some(value) = text("retry-after") {
        let wait = seconds(value, 1.0).or_else(|| {
            let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
            Some(Duration::try_from(at.duration_since(Timestamp::now())).unwrap_or_default())
        });
        if wait.is_some() {
            return wait;
        }
    }
    retry_info(body).or_else(|| resets(headers))
}

/// How long to wait without a hint after the given attempt, from 1: half a
/// second, doubled each time, and up to half as much more, so that trials that
/// failed together do not come back together.
pub(crate) fn backoff(attempt: u32) -> Duration {
    let base = Duration::from_millis(500)
        .saturating_mul(1 << attempt.saturating_sub(1).min(16))
        .min(LONGEST);
    let nanos = Timestamp::now().subsec_nanosecond().unsigned_abs();
    base + base / 2 * (nanos % 1000) / 1000
}

fn seconds(text: &str, factor: f64) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value * factor).ok()
}

fn retry_info(body: &[u8]) -> Option<Duration> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let error = value.get(0).unwrap_or(&value).get("error")?;
    let details = error.get("details")?.as_array()?;
    let info = details.iter().find(|detail| {
        let kind = detail.get("@type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.ends_with("google.rpc.RetryInfo"))
    })?;
    go_duration(info.get("retryDelay")?.as_str()?)
}

fn resets(headers: &HeaderMap) -> Option<Duration> {
    let spent = |name: &str| {
        let value = headers.get(name).and_then(|it| it.to_str().ok());
        value.is_some_and(|it| it.trim() == "0")
    };
    let waits = headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?.trim();
        if let Some(of) = name.as_str().strip_prefix("x-ratelimit-reset-") {
            return go_duration(value).filter(|_| spent(&format!("x-ratelimit-remaining-{of}")));
        }
        let of = name
            .as_str()
            .strip_prefix("anthropic-ratelimit-")?
            .strip_suffix("-reset")?;
        let at: Timestamp = value.parse().ok()?;
        let wait = Duration::try_from(at.duration_since(Timestamp::now())).unwrap_or_default();
        spent(&format!("anthropic-ratelimit-{of}-remaining")).then_some(wait)
    });
    waits.max()
}

/// `1h2m3.5s`, `120ms`, `34s`; a plain number is seconds.
fn go_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest
            .find(|it: char| !it.is_ascii_digit() && it != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let unit = tail
            .find(|it: char| it.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit);
        let factor = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" | "" => 1.0,
            "ms" => 1e-3,
            "us" | "\u{b5}s" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        sum = sum.checked_add(seconds(number, factor)?)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn hint_of(fields: &[(&'static str, &'static str)], body: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        hint(&headers, body.as_bytes())
    }

    #[test]
    fn hints_of_all_providers_are_read() {
        let ms = Duration::from_millis;
        let google = r#"{"error":{"details":[{"@type":"x"},
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
        for (fields, body, expected) in [
            (&[("retry-after", "3")][..], "", Some(ms(3000))),
            (&[("retry-after", "0")], "", Some(ms(0))),
            (
                &[("retry-after", "3"), ("retry-after-ms", "120")],
                "",
                Some(ms(120)),
            ),
            (
                &[("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT")],
                "",
                Some(ms(0)),
            ),
            (&[], google, Some(ms(34_500))),
            (
                &[
                    ("x-ratelimit-reset-tokens", "1m3.5s"),
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-requests", "2h"),
                    ("x-ratelimit-remaining-requests", "9"),
                ],
                "",
                Some(ms(63_500)),
            ),
            (
                &[
                    ("anthropic-ratelimit-tokens-reset", "1970-01-01T00:00:00Z"),
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                ],
                "",
                Some(ms(0)),
            ),
            (&[("retry-after", "soon")], "", None),
            (&[("retry-after", "-1")], "", None),
            (&[("retry-after", "1e300")], "", None),
            (&[], "{", None),
        ] {
            assert_eq!(hint_of(fields, body), expected, "{fields:?}");
        }
    }

    #[test]
    fn backoff_grows_and_is_bounded() {
        assert!(backoff(1) >= Duration::from_millis(500));
        assert!(backoff(1) < Duration::from_millis(751));
        assert!(backoff(3) >= Duration::from_secs(2));
        assert!(backoff(u32::MAX) <= LONGEST + LONGEST / 2);
    }

    #[test]
    fn what_cannot_change_is_not_asked_again() {
        let busy = ApiError::read(br#"{"error":{"message":"slow down","code":"rate_limit"}}"#);
        let broke = ApiError::read(br#"{"error":{"message":"no","code":"insufficient_quota"}}"#);
        assert!(is_worth(StatusCode::TOO_MANY_REQUESTS, &busy));
        assert!(!is_worth(StatusCode::TOO_MANY_REQUESTS, &broke));
        assert!(!is_worth(StatusCode::INTERNAL_SERVER_ERROR, &busy));
    }
}
