//! How a tool asks the fakes: with the requests that any client would make.

use bytes::Bytes;
use form_urlencoded::Serializer;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use proctor_types::journal::Via;
use serde_json::{Value, json};

use super::tool::{Problem, Toolkit};
use crate::github;
use crate::google;
use crate::notion;
use crate::service::{Answer, Request, Scheme, Service};
use crate::world::World;

/// Requests that a tool made, with their answers.
pub(crate) type Parts = Vec<(Request, Answer)>;

/// The token of a caller who has none: the world's account.
const TOKEN: &str = "world";
/// What a segment of a path leaves as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One call of a tool, which can ask the services of a world.
pub(crate) struct Caller<'a> {
    pub(crate) world: &'a mut World,
    token: String,
    via: Via,
    parts: Parts,
}

/// One request that a tool makes.
pub(crate) struct Ask {
    toolkit: Toolkit,
    method: Method,
    path: String,
    query: Serializer<'static, String>,
    body: Option<Value>,
    headers: HeaderMap,
}

impl Ask {
    pub(crate) fn new(toolkit: Toolkit, method: Method, path: impl Into<String>) -> Self {
        Self {
            toolkit,
            method,
            path: path.into(),
            query: Serializer::new(String::new()),
            body: None,
            headers: HeaderMap::new(),
        }
    }

    /// With a query parameter, where there is a value.
    pub(crate) fn query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.append_pair(name, &value.to_string());
        }
        self
    }

    /// With a JSON body.
    pub(crate) fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// With a header field.
    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        self
    }
}

impl<'a> Caller<'a> {
    pub(super) fn new(world: &'a mut World, outer: &Request, via: Via) -> Self {
        Self {
            world,
            token: token_of(outer).unwrap_or(TOKEN).to_owned(),
            via,
            parts: Vec::new(),
        }
    }

    pub(super) fn into_parts(self) -> Parts {
        self.parts
    }

    /// Makes a request; gives the JSON that it was answered with.
    pub(crate) fn ask(&mut self, ask: Ask) -> Result<Value, Problem> {
        let (status, value) = self.raw(ask);
        if (200..300).contains(&status) {
            Ok(value)
        } else {
            Err(refusal(status, value))
        }
    }

    /// Makes a request that may find nothing: `None` is a 404.
    pub(crate) fn find(&mut self, ask: Ask) -> Result<Option<Value>, Problem> {
        match self.ask(ask) {
            Ok(value) => Ok(Some(value)),
            Err(problem) if problem.status == Some(404) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    fn raw(&mut self, ask: Ask) -> (u16, Value) {
        let (service, host): (&dyn Service, _) = match ask.toolkit {
            Toolkit::Gmail => (&google::GoogleService, "gmail.googleapis.com"),
            Toolkit::GitHub => (&github::GitHubService, "api.github.com"),
            Toolkit::Notion => (&notion::NotionService, "api.notion.com"),
        };
        let request = self.request(ask, host);
        let mut answer = service.handle(self.world, &request);
        let value = serde_json::from_slice(&answer.body).unwrap_or_else(|_| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            if text.is_empty() {
                json!({})
            } else {
                json!({"text": text})
            }
        });
        answer.via = Some(self.via.clone());
        let status = answer.status;
        self.parts.push((request, answer));
        (status, value)
    }

    fn request(&self, ask: Ask, host: &str) -> Request {
        let Ask {
            method,
            path,
            mut query,
            body,
            mut headers,
            ..
        } = ask;
        if let Ok(value) = HeaderValue::try_from(format!("Bearer {}", self.token)) {
            headers.insert(header::AUTHORIZATION, value);
        }
        if let Ok(value) = HeaderValue::try_from(host) {
            headers.insert(header::HOST, value);
        }
        let body = body.map_or_else(Bytes::new, |body| {
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            );
            Bytes::from(body.to_string())
        });
        Request {
            method,
            scheme: Scheme::Https,
            host: host.to_owned(),
            port: 443,
            path,
            query: query.finish(),
            headers,
            body,
        }
    }
}

/// Who calls: the token of a caller, for those that stand for somebody else
/// than the account.
fn token_of(outer: &Request) -> Option<&str> {
    let key = outer.header("x-api-key").map(str::trim);
    outer
        .bearer()
        .or(key.filter(|key| !key.is_empty()))
        .filter(|token| token.bytes().all(|byte| byte.is_ascii_graphic()))
}

/// A text as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    // A segment of dots is no name but a place.
    match text {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        text => utf8_percent_encode(text, SEGMENT).to_string(),
    }
}

/// A path of several segments.
pub(crate) fn segments(path: &str) -> String {
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts.map(segment).collect::<Vec<_>>().join("/")
}

/// What a service's refusal tells a model.
fn refusal(status: u16, body: Value) -> Problem {
    let error = body.get("error").filter(|error| error.is_object());
    let message = error
        .unwrap_or(&body)
        .get("message")
        .and_then(Value::as_str);
    let reason = StatusCode::from_u16(status)
        .ok()
        .and_then(|it| it.canonical_reason())
        .unwrap_or_default();
    let mut text = match message.unwrap_or_default().trim_end_matches('.') {
        "" => format!("{status} {reason}."),
        message if message == reason => format!("{status} {reason}."),
        message => format!("{status} {reason}: {message}."),
    };
    // GitHub's details: [{resource, field, code, message}].
    let details = body.get("errors").and_then(Value::as_array);
    for detail in details.into_iter().flatten() {
        let part = |name| detail.get(name).and_then(Value::as_str);
        match (part("message"), part("field"), part("code")) {
            (Some(message), ..) => text = format!("{text} {message}."),
            (None, Some(field), Some(code)) => {
                text = format!("{text} `{field}`: {}.", code.replace('_', " "));
            }
            _ => {}
        }
    }
    Problem {
        text,
        data: body,
        status: Some(status),
    }
}
