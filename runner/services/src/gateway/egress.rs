//! What leads nowhere: refused at once, in words that tell the agent why, and
//! listed in the journal.

use ::http::{HeaderMap, header};
use bytes::Bytes;
use proctor_types::journal::{EntryKind, Payload};
use serde_json::json;

use super::Shared;
use crate::journal::Attempt;

/// Bytes of a protocol we do not speak that the journal shows.
const SHOWN_BYTES: usize = 64;

/// Why a host is refused.
pub(super) fn no_such_service(host: &str) -> String {
    format!(
        "{host} cannot be reached from here: this world has no such service. \
         The attempt was recorded."
    )
}

/// The body of a refusal: JSON in the shape that Google's clients print, or
/// plain text for those who ask for text, and for git, which shows nothing else
/// to its user.
pub(crate) fn refusal_body(headers: &HeaderMap, status: u16, text: &str) -> (&'static str, Bytes) {
    let field = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let wants_text = field(header::ACCEPT).is_some_and(|accept| {
        let accept = accept.to_ascii_lowercase();
        accept.contains("text/") && !accept.contains("json")
    });
    let is_git = field(header::USER_AGENT).is_some_and(|agent| agent.starts_with("git/"));
    if wants_text || is_git {
        return (
            "text/plain; charset=utf-8",
            Bytes::from(format!("{text}\n")),
        );
    }
    let (code, reason) = match status {
        400 => ("INVALID_ARGUMENT", "badRequest"),
        403 => ("PERMISSION_DENIED", "noSuchService"),
        404 => ("NOT_FOUND", "notFound"),
        405 => ("UNIMPLEMENTED", "methodNotAllowed"),
        408 => ("DEADLINE_EXCEEDED", "requestTimeout"),
        413 => ("INVALID_ARGUMENT", "uploadTooLarge"),
        421 => ("INVALID_ARGUMENT", "misdirectedRequest"),
        429 => ("RESOURCE_EXHAUSTED", "rateLimitExceeded"),
        503 => ("UNAVAILABLE", "backendError"),
        _ => ("INTERNAL", "backendError"),
    };
    let body = json!({"error": {
        "code": status,
        "message": text,
        "errors": [{"message": text, "domain": "global", "reason": reason}],
        "status": code,
    }});
    (
        "application/json; charset=UTF-8",
        Bytes::from(format!("{body:#}\n")),
    )
}

/// Where a connection wanted to go.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    /// Host name as far as it is known, else the address.
    pub(super) host: String,
    /// Port.
    pub(super) port: Port,
}

/// The port of a destination, by what is spoken there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Port {
    /// 443: TLS, and services behind it.
    Https,
    /// 80: HTTP in the clear, and services behind it.
    Http,
    /// Another one. No service is there.
    Other(u16),
}

impl Port {
    pub(super) fn number(self) -> u16 {
        match self {
            Self::Https => 443,
            Self::Http => 80,
            Self::Other(number) => number,
        }
    }
}

impl From<u16> for Port {
    fn from(number: u16) -> Self {
        match number {
            443 => Self::Https,
            80 => Self::Http,
            other => Self::Other(other),
        }
    }
}

impl Shared {
    /// Lists a connection on which nothing was asked, where it was meant for
    /// something that no service owns. To services, clients open more
    /// connections than they use and let go of the rest: how many, and how far
    /// they get, is a matter of luck and says nothing about the agent.
    pub(super) fn unused(&self, transport: &str, to: &Destination, note: impl Into<String>) {
        let served = !matches!(to.port, Port::Other(_));
        let upstream = self.upstream_of(&to.host).is_some();
        if served && (upstream || self.service_of(&to.host).is_some()) {
            tracing::debug!(transport, host = to.host, note = note.into(), "unused");
        } else {
            self.no_http(transport, to, note);
        }
    }

    /// Lists a connection that never became HTTP. Where it was meant for a
    /// service of the world it is no egress, but a request that failed.
    pub(super) fn no_http(&self, transport: &str, to: &Destination, note: impl Into<String>) {
        let served = !matches!(to.port, Port::Other(_));
        let owner = self.service_of(&to.host).filter(|_| served);
        let (kind, service) = match owner {
            Some(service) => (EntryKind::Request, service.name()),
            None => (EntryKind::Egress, transport),
        };
        self.world.refused(Attempt {
            kind,
            service,
            host: &to.host,
            port: to.port.number(),
            method: "",
            path: "",
            query: "",
            status: 0,
            request: Payload::default(),
            body: Bytes::new(),
            answered: 0,
            note: note.into(),
        });
    }
}

/// The beginning of what a client said, for people.
pub(super) fn shown(bytes: &[u8]) -> String {
    let start = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
    format!("\"{}\"", start.escape_ascii())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn clients_get_the_shape_they_ask_for() {
        let ask = |accept: Option<&'static str>| {
            let accept = accept.map(|it| (header::ACCEPT, HeaderValue::from_static(it)));
            refusal_body(&accept.into_iter().collect(), 403, "no \"way\"")
        };
        assert_eq!(ask(Some("text/html,*/*;q=0.8")).1, "no \"way\"\n");
        let git = (header::USER_AGENT, HeaderValue::from_static("git/2.39.5"));
        let git = refusal_body(&[git].into_iter().collect(), 403, "no way");
        assert_eq!(git, ("text/plain; charset=utf-8", "no way\n".into()));
        for json in [None, Some("*/*"), Some("application/json, text/plain, */*")] {
            let (media_type, body) = ask(json);
            assert_eq!(media_type, "application/json; charset=UTF-8");
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(body["error"]["message"], "no \"way\"");
            assert_eq!(body["error"]["code"], 403);
        }
    }
}
