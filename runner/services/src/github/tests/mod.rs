//! The service as a whole: requests and what they lead to.

#![allow(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "tests are to be read"
)]

mod bounds;
mod pulls;
mod rest;
mod seeding;
mod worlds;

use bytes::Bytes;
use cap_std::ambient_authority;
use cap_tempfile::TempDir;
use http::{HeaderMap, HeaderValue, Method};
use serde_json::Value;

use super::GitHubService;
use crate::service::{Answer, Request, Scheme, Service as _};
use crate::world::{SeedOptions, World};

pub(super) const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@example.com, name: Agent Ode, github: agent}
people:
  - {email: ada@example.com, name: Ada Byron, github: ada}
  - {email: kim@example.com, name: Kim Lee}
tokens: {ada-token: ada@example.com}
";
pub(super) const HYDRA: &str = "\
description: A pipeline
date: 2026-02-01T10:00:00Z
author: ada@example.com
history:
  - {message: Tune it, author: ada, date: 2026-02-02T10:00:00Z, files: {src/app.py: \"SIZE = 512\\n\"}}
  - {message: Try more, branch: more, author: \"Eve <eve@example.com>\", files: {src/app.py: \"SIZE = 1024\\n\", NOTES.md: \"Notes\\n\"}}
tags: {v1: main}
milestones: [{title: Demo}]
labels: [{name: bug, color: d73a4a}]
issues:
  - {title: It leaks, body: Memory grows., author: ada, labels: [bug], assignees: [agent], milestone: Demo, comments: [{author: kim@example.com, body: Confirmed.}]}
pulls:
  - {title: More, head: more, author: ada, body: \"Fixes #1\", reviewers: [kim-less]}
";

/// A seed folder with these files besides the world's own.
pub(super) fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = cap_tempfile::tempdir(ambient_authority()).unwrap();
    for (path, text) in [("world.yaml", WORLD)].iter().chain(files) {
        if let Some((parent, _)) = path.rsplit_once('/') {
            dir.create_dir_all(parent).unwrap();
        }
        dir.write(path, text).unwrap();
    }
    dir
}

pub(super) fn seed(files: &[(&str, &str)]) -> Result<World, String> {
    let services = vec!["github".to_owned()];
    World::seed(
        &folder(files),
        &SeedOptions {
            services,
            ..SeedOptions::default()
        },
    )
    .map_err(|error| error.to_string())
}

/// `acme/hydra`: three files, a branch, an issue (1) and a pull request (2).
pub(super) fn world() -> World {
    let yaml = HYDRA.replace("[kim-less]", "[kim]");
    seed(&[
        ("github/acme/hydra.yaml", &yaml),
        ("github/acme/hydra/README.md", "# Hydra\n"),
        ("github/acme/hydra/.env.example", ""),
        ("github/acme/hydra/src/app.py", "SIZE = 256\n"),
    ])
    .unwrap()
}

pub(super) fn request(method: &str, target: &str, body: &Value) -> Request {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static("token any"));
    Request {
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        scheme: Scheme::Https,
        host: "api.github.com".to_owned(),
        port: 443,
        path: path.to_owned(),
        query: query.to_owned(),
        headers,
        body: if body.is_null() {
            Bytes::new()
        } else {
            body.to_string().into()
        },
    }
}

pub(super) fn send(world: &mut World, request: &Request) -> Answer {
    world.clock.tick();
    GitHubService.handle(world, request)
}

pub(super) fn ask(world: &mut World, method: &str, target: &str, body: Value) -> (u16, Value) {
    let answer = send(world, &request(method, target, &body));
    let value = serde_json::from_slice(&answer.body).unwrap_or_default();
    (answer.status, value)
}

pub(super) fn get(world: &mut World, target: &str) -> Value {
    let (status, value) = ask(world, "GET", target, Value::Null);
    assert_eq!(status, 200, "{target}: {value}");
    value
}

/// Sends a request as somebody else.
pub(super) fn ask_as(
    world: &mut World,
    token: &str,
    method: &str,
    target: &str,
    body: Value,
) -> (u16, Value) {
    let mut request = request(method, target, &body);
    let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
    request.headers.insert("authorization", value);
    let answer = send(world, &request);
    (
        answer.status,
        serde_json::from_slice(&answer.body).unwrap_or_default(),
    )
}

/// Commits a file by the web API.
pub(super) fn put_file(world: &mut World, branch: &str, path: &str, text: &str) -> Value {
    use base64::Engine as _;
    let target = format!("/repos/acme/hydra/contents/{path}");
    let there = ask(world, "GET", &format!("{target}?ref={branch}"), Value::Null).1;
    let content = base64::engine::general_purpose::STANDARD.encode(text);
    let mut body = serde_json::json!({"message": format!("Change {path}"), "branch": branch, "content": content});
    if there["sha"].is_string() {
        body["sha"] = there["sha"].clone();
    }
    let (status, value) = ask(world, "PUT", &target, body);
    assert!(status == 200 || status == 201, "{value}");
    value
}
