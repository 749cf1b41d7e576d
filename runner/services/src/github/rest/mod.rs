//! The REST interface, version 3.
//!
//! One table leads from method and path to a handler; operations are called as
//! in GitHub's own description of the interface.

mod call;
mod contents;
mod issues;
mod objects;
mod pulls;
pub(crate) mod render;
mod repos;
pub(crate) mod search;
mod users;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest as _, Sha256};

pub(crate) use call::{Call, Reply};

use super::error::{Error, Result};
use super::room::Matter;
use super::session::Session;
use crate::service::{Answer, Request};

/// What a path leads to.
pub(crate) struct Route {
    method: &'static str,
    /// `*` stands for one segment, `**` at the end for all that are left.
    path: &'static str,
    operation: &'static str,
    handler: fn(&mut Call<'_>) -> Result<Reply>,
}

pub(crate) const fn route(
    method: &'static str,
    path: &'static str,
    operation: &'static str,
    handler: fn(&mut Call<'_>) -> Result<Reply>,
) -> Route {
    Route {
        method,
        path,
        operation,
        handler,
    }
}

/// The first route that fits is taken: what names a segment stands before what
/// leaves it open.
static TABLES: &[&[Route]] = &[
    users::ROUTES,
    repos::absent::ROUTES,
    repos::statuses::ROUTES,
    repos::commits::ROUTES,
    repos::branches::ROUTES,
    repos::collaborators::ROUTES,
    repos::forks::ROUTES,
    repos::ROUTES,
    contents::ROUTES,
    objects::ROUTES,
    issues::comments::ROUTES,
    issues::labels::ROUTES,
    issues::assignees::ROUTES,
    issues::milestones::ROUTES,
    issues::ROUTES,
    pulls::ROUTES,
    search::ROUTES,
];

const JSON: &str = "application/json; charset=utf-8";

/// Answers a request.
pub(crate) fn answer(session: &mut Session, request: &Request) -> Answer {
    if request.host == "raw.githubusercontent.com" {
        let mut answer = finish(request, contents::raw(session, request));
        answer.operation = Some("repos/get-raw-content");
        return answer;
    }
    let path = request
        .path
        .strip_prefix("/api/v3")
        .unwrap_or(&request.path);
    let segments: Option<Vec<String>> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| {
            let decoded = percent_encoding::percent_decode_str(segment).decode_utf8();
            Some(decoded.ok()?.into_owned())
        })
        .collect();
    let Some(segments) = segments else {
        return refuse(&Error::new(400, "the path is no UTF-8"));
    };
    let method = match request.method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    let mut routes = TABLES.iter().flat_map(|table| table.iter());
    let found = routes.find_map(|route| {
        let fits = route.method == method;
        Some((route, fits.then(|| args(route.path, &segments)).flatten()?))
    });
    let Some((route, args)) = found else {
        return refuse(&Error::not_found());
    };
    let size = request.body.len();
    let run = |s: &mut Session| (route.handler)(&mut Call::new(s, request, args));
    let reply = match method {
        "GET" => run(session),
        _ => session.attempt((Matter::of(request), size), run),
    };
    let mut answer = finish(request, reply);
    answer.operation = Some(route.operation);
    answer
}

/// The segments that a template leaves open; `None` where it does not fit.
fn args(template: &str, segments: &[String]) -> Option<Vec<String>> {
    let mut args = Vec::new();
    let mut rest = segments.iter();
    for part in template.split('/').filter(|part| !part.is_empty()) {
        match part {
            "**" => {
                let all: Vec<&str> = rest.by_ref().map(String::as_str).collect();
                args.push(all.join("/"));
            }
            "*" => args.push(rest.next()?.clone()),
            literal if rest.next()? == literal => {}
            _ => return None,
        }
    }
    rest.next().is_none().then_some(args)
}

/// The answer that an error is.
pub(crate) fn refuse(error: &Error) -> Answer {
    let body = serde_json::to_vec(&error.json()).unwrap_or_default();
    let mut answer = Answer::new("github", error.status).body(JSON, body);
    common(&mut answer.headers);
    answer
}

/// JSON as the whole answer.
pub(crate) fn json_answer(status: u16, value: &serde_json::Value) -> Answer {
    let body = serde_json::to_vec(value).unwrap_or_default();
    let mut answer = Answer::new("github", status).body(JSON, body);
    common(&mut answer.headers);
    answer
}

fn finish(request: &Request, reply: Result<Reply>) -> Answer {
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => return refuse(&error),
    };
    let mut answer = Answer::new("github", reply.status);
    if let Some(media) = HeaderValue::from_str(&reply.media)
        .ok()
        .filter(|_| !reply.body.is_empty())
    {
        answer.headers.insert(header::CONTENT_TYPE, media);
    }
    answer.body = reply.body;
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.headers.insert(name, value);
        }
    }
    common(&mut answer.headers);
    let safe = matches!(request.method.as_str(), "GET" | "HEAD");
    if safe && answer.status == 200 {
        let tag = format!("W/\"{}\"", hex::encode(Sha256::digest(&answer.body)));
        let known = request.header("if-none-match");
        if known.is_some_and(|known| {
            known
                .split(',')
                .any(|it| it.trim().trim_start_matches("W/") == tag.trim_start_matches("W/"))
        }) {
            answer.status = 304;
            answer.body = Bytes::new();
        }
        answer.headers.extend(
            HeaderValue::from_str(&tag)
                .ok()
                .map(|tag| (header::ETAG, tag)),
        );
    }
    answer
}

/// What every answer carries. The scopes are those that `gh` asks for.
fn common(headers: &mut HeaderMap) {
    for (name, value) in [
        ("x-oauth-scopes", "gist, read:org, repo, user, workflow"),
        ("x-accepted-oauth-scopes", ""),
        ("x-github-media-type", "github.v3; format=json"),
        ("x-ratelimit-limit", "5000"),
        ("x-ratelimit-remaining", "4999"),
        ("x-ratelimit-reset", "4102444800"),
        ("x-ratelimit-used", "1"),
        ("x-ratelimit-resource", "core"),
        ("cache-control", "private, max-age=60, s-maxage=60"),
        ("vary", "Accept, Authorization, Cookie, X-GitHub-OTP"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::args;

    #[test]
    fn templates_leave_segments_open() {
        let segments = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let it = args(
            "/repos/*/*/contents/**",
            &segments("repos/a/b/contents/x/y.z"),
        )
        .unwrap();
        assert_eq!(it, ["a", "b", "x/y.z"]);
        assert!(args("/repos/*/*", &segments("repos/a")).is_none());
        assert!(args("/repos/*/*", &segments("repos/a/b/c")).is_none());
        assert!(args("/user", &segments("users")).is_none());
    }
}
