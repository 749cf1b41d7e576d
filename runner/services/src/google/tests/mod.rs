//! The frame as clients meet it: requests in, answers out.

mod batches;
mod documents;
mod quotas;
mod requests;
mod table;
mod uploads;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::Value;

use super::Google;
use super::GoogleService;
use crate::service::{Answer, Request, Scheme, Service};
use crate::world::{Account, SeedContext, World};

/// A world with an empty Google Workspace.
pub(crate) fn world() -> World {
    let mut world = World::empty("2026-03-02T09:00:00Z".parse().unwrap());
    world.account = Account {
        email: "ada@example.com".to_owned(),
        name: "Ada Lovelace".to_owned(),
        time_zone: "Europe/Berlin".to_owned(),
    };
    let mut context = SeedContext {
        dir: None,
        account: &world.account,
        people: &[],
        clock: &world.clock,
        ids: &mut world.ids,
        accounts: &crate::world::Accounts::default(),
    };
    world.google = Some(Google::seed(&mut context).unwrap());
    world
}

/// A request with a token, to the host that serves every API.
pub(crate) fn request(method: &str, target: &str) -> Request {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        scheme: Scheme::Https,
        host: "www.googleapis.com".to_owned(),
        port: 443,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: HeaderMap::new(),
        body: Bytes::new(),
    };
    with(request, "authorization", "Bearer t")
}

/// The same request with another header field.
pub(crate) fn with(mut request: Request, name: &'static str, value: &str) -> Request {
    request.headers.insert(
        HeaderName::from_static(name),
        HeaderValue::from_str(value).unwrap(),
    );
    request
}

/// The same request with a body.
pub(crate) fn body(mut request: Request, media_type: &str, body: impl Into<Bytes>) -> Request {
    request.body = body.into();
    with(request, "content-type", media_type)
}

/// Sends a request, a second after the one before.
pub(crate) fn send(world: &mut World, request: &Request) -> Answer {
    world.clock.tick();
    GoogleService.handle(world, request)
}

/// Sends a request, with a JSON body unless it is `null`; gives status and
/// JSON answer.
#[allow(clippy::needless_pass_by_value, reason = "callers write it in place")]
pub(crate) fn ask(world: &mut World, method: &str, target: &str, json: Value) -> (u16, Value) {
    let mut request = request(method, target);
    if !json.is_null() {
        request = body(request, "application/json", json.to_string());
    }
    let answer = send(world, &request);
    (answer.status, parsed(&answer))
}

/// The JSON body of an answer; `null` where it has none.
pub(crate) fn parsed(answer: &Answer) -> Value {
    if answer.body.is_empty() {
        return Value::Null;
    }
    assert_eq!(
        answer.headers["content-type"],
        "application/json; charset=UTF-8"
    );
    serde_json::from_slice(&answer.body).unwrap()
}

/// Message and reason of an error's body.
pub(crate) fn problem(body: &Value) -> (&str, &str) {
    let error = &body["error"];
    (
        error["message"].as_str().unwrap(),
        error["errors"][0]["reason"].as_str().unwrap(),
    )
}
