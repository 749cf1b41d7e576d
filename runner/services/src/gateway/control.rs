//! `/__proctor/...`: reading, resetting and replacing a world from outside.
//!
//! Only the plain port answers these, and only where its operator asked for
//! it. Nothing here is listed in the journal.

use ::http::request::Parts;
use ::http::{HeaderMap, Method, StatusCode, header};
use hyper::body::Incoming;
use serde::Serialize;
use serde_json::json;

use super::Shared;
use super::body;
use super::egress::refusal_body;
use super::http::{Reply, reply_of};
use crate::service::Answer;
use crate::world::World;

const PREFIX: &str = "/__proctor";

/// Whether a path of the plain port belongs here. True also where the
/// endpoints are off, so that no service ever sees such a path.
pub(super) fn owns(path: &str) -> bool {
    path.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) async fn respond(
    shared: &Shared,
    parts: Parts,
    host: Result<Option<String>, &'static str>,
    body: Incoming,
) -> Reply {
    let answer = if !shared.control {
        refusal(&parts.headers, 404, "the control endpoints are off")
    } else if is_foreign(&parts.headers, host.ok().flatten().as_deref()) {
        refusal(
            &parts.headers,
            403,
            "web pages cannot use the control endpoints",
        )
    } else {
        act(shared, &parts, body).await
    };
    reply_of(shared, &parts.method, answer)
}

async fn act(shared: &Shared, parts: &Parts, body: Incoming) -> Answer {
    let world = &shared.world;
    let name = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default();
    match (&parts.method, name) {
        (&Method::GET, "/state") => json_of(&world.snapshot()),
        (&Method::GET, "/journal") => json_of(&world.journal()),
        (&Method::GET, "/snapshot") => json_of(&world.world()),
        (&Method::POST, "/reset") => {
            world.reset();
            epoch(shared)
        }
        (&Method::POST, "/journal") => {
            world.clear_journal();
            epoch(shared)
        }
        (&Method::POST, "/snapshot") => restore(shared, parts, body).await,
        (_, "/state" | "/journal" | "/snapshot" | "/reset") => refusal(
            &parts.headers,
            405,
            "GET state, journal or snapshot; POST reset, journal or snapshot",
        ),
        _ => refusal(
            &parts.headers,
            404,
            "known here: state, reset, journal, snapshot",
        ),
    }
}

async fn restore(shared: &Shared, parts: &Parts, body: Incoming) -> Answer {
    let cap = shared.limits.in_flight_bytes;
    let body = match body::read(shared, &parts.headers, body, cap).await {
        Ok(body) => body,
        Err(error) => {
            let problem = error.refusal(cap);
            return refusal(&parts.headers, problem.status, &problem.text);
        }
    };
    match serde_json::from_slice::<World>(&body.bytes) {
        Ok(world) => {
            shared.world.restore(world);
            epoch(shared)
        }
        Err(error) => refusal(
            &parts.headers,
            400,
            &format!("the body is no snapshot of a world: {error}"),
        ),
    }
}

/// Whether a request may come from a web page that the operator looks at.
/// Browsers say so with `Origin`; a page that had its own name point at this
/// machine does not get past the `Host` field.
fn is_foreign(headers: &HeaderMap, host: Option<&str>) -> bool {
    let named =
        host.is_some_and(|host| host != "localhost" && host.parse::<std::net::IpAddr>().is_err());
    named || headers.contains_key(header::ORIGIN) || headers.contains_key("sec-fetch-site")
}

fn epoch(shared: &Shared) -> Answer {
    json_of(&json!({ "epoch": shared.world.epoch() }))
}

fn json_of(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(body) => Answer::new("", StatusCode::OK.as_u16()).body("application/json", body),
        Err(error) => refusal(&HeaderMap::new(), 500, &error.to_string()),
    }
}

fn refusal(headers: &HeaderMap, status: u16, text: &str) -> Answer {
    let (media_type, body) = refusal_body(headers, status, text);
    Answer::new("", status).body(media_type, body)
}
