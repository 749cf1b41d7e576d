//! What the journal must not remember.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::service::Request;

/// Query parameters that carry credentials in Google's APIs
/// (<https://cloud.google.com/apis/docs/system-parameters>) and in OAuth 2.0.
const SECRET_PARAMETERS: &[&str] = &["access_token", "oauth_token", "key", "client_secret"];

/// Form fields of an OAuth 2.0 token request that carry credentials
/// (RFC 6749, RFC 7523).
const SECRET_FIELDS: &[&str] = &[
    "access_token",
    "refresh_token",
    "client_secret",
    "assertion",
    "code",
    "code_verifier",
    "password",
    "token",
];

/// What stands in place of a secret.
const REDACTED: &str = "REDACTED";

/// A query string with its secrets replaced; everything else byte for byte as
/// it came.
pub(crate) fn query(query: &str) -> String {
    if !query.split('&').any(|pair| names(pair, SECRET_PARAMETERS)) {
        return query.to_owned();
    }
    let pairs = query.split('&').map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        if names(pair, SECRET_PARAMETERS) {
            Cow::Owned(format!("{name}={REDACTED}"))
        } else {
            Cow::Borrowed(pair)
        }
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// Whether the body is a form with a credential in it.
pub(crate) fn is_secret(request: &Request) -> bool {
    if request.body.is_empty() || request.media_type() != "application/x-www-form-urlencoded" {
        return false;
    }
    let form = String::from_utf8_lossy(&request.body);
    form.split('&').any(|pair| names(pair, SECRET_FIELDS))
}

/// Whether a pair's name, decoded, is one of `secrets`.
fn names(pair: &str, secrets: &[&str]) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    let decoded = percent_decode_str(name).decode_utf8_lossy();
    secrets
        .iter()
        .any(|secret| decoded.eq_ignore_ascii_case(secret))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, Method};

    use super::*;
    use crate::service::Scheme;

    #[test]
    fn secrets_are_replaced_however_they_are_written() {
        for (given, kept) in [
            ("", ""),
            ("q=is%3Aunread&maxResults=2", "q=is%3Aunread&maxResults=2"),
            ("access_token=abc", "access_token=REDACTED"),
            ("a=1&KEY=abc&b=2", "a=1&KEY=REDACTED&b=2"),
            ("access%5Ftoken=abc&a", "access%5Ftoken=REDACTED&a"),
            ("key", "key=REDACTED"),
            ("key=a=b", "key=REDACTED"),
            ("monkey=1&keys=2", "monkey=1&keys=2"),
        ] {
            assert_eq!(query(given), kept, "{given}");
        }
    }

    #[test]
    fn forms_with_credentials_are_secret() {
        let request = |media_type: &'static str, body: &'static str| Request {
            method: Method::POST,
            scheme: Scheme::Https,
            host: "oauth2.googleapis.com".into(),
            port: 443,
            path: "/token".into(),
            query: String::new(),
            headers: HeaderMap::from_iter([(
                http::header::CONTENT_TYPE,
                HeaderValue::from_static(media_type),
            )]),
            body: Bytes::from_static(body.as_bytes()),
        };
        let form = "application/x-www-form-urlencoded; charset=utf-8";
        assert!(is_secret(&request(
            form,
            "grant_type=refresh_token&refresh_token=1"
        )));
        assert!(is_secret(&request(form, "%61ssertion=1")));
        assert!(!is_secret(&request(form, "q=refresh_token")));
        assert!(!is_secret(&request("application/json", "refresh_token=1")));
    }
}
