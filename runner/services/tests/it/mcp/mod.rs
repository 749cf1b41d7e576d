//! The server of tools: what models see, and what is left of their calls in the
//! world and the journal. Clients of the protocol itself are in
//! `tests/e2e/clients/mcp`.

mod attacks;
mod composio;
mod github;
mod gmail;
mod notion;
mod protocol;

use std::net::{SocketAddr, TcpListener};

use cap_std::ambient_authority;
use proctor_services::{Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle};
use proctor_types::JournalEntry;
use serde_json::{Value, json};

use crate::rig::say;

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@example.com, name: Agent Ode, github: agent}
people:
  - {email: ada@example.com, name: Ada Byron, github: ada}
tokens: {ada-token: ada@example.com}
";
const MAIL: &str = "\
From: Ada Byron <ada@example.com>\r
To: agent@example.com\r
Subject: The leak\r
Date: Mon, 02 Mar 2026 08:00:00 +0000\r
Message-ID: <leak@example.com>\r
\r
Please fix the leak. Grüße\r
";
const HYDRA: &str = "\
author: ada
history: [{message: Try more, branch: more, author: ada, files: {src/app.py: \"SIZE = 1024\\n\"}}]
pulls: [{title: More, head: more, author: ada}]
";
const AUDIT: &str = "\
Status: OPEN
- [ ] SEC-004: hardcoded key
| Finding | Status |
| --- | --- |
| SEC-004 | Open |
";
const SPRINT: &str = "\
title: Sprint 4
properties:
  Task: title
  Status: {type: status, options: [To Do, Done]}
  PR: url
rows: [{Task: \"#142 OOM fix\", Status: To Do}]
";
const FILES: &[(&str, &str)] = &[
    ("world.yaml", WORLD),
    ("google/mail/01.eml", MAIL),
    ("github/acme/hydra.yaml", HYDRA),
    ("github/acme/hydra/README.md", "# Hydra\n"),
    ("github/acme/hydra/src/app.py", "SIZE = 512\n"),
    ("notion/Engineering/Audit.md", AUDIT),
    ("notion/Engineering/Sprint 4/_database.yaml", SPRINT),
];

/// A world behind a plain port.
struct Bench {
    world: WorldHandle,
    plain: SocketAddr,
    /// The token that calls come with, where they come with one.
    token: Option<&'static str>,
    _gateway: Gateway,
}

fn world(services: &[&str]) -> World {
    let seed = cap_tempfile::tempdir(ambient_authority()).unwrap();
    for (path, text) in FILES {
        let service = path.split('/').next().unwrap();
        if service != "world.yaml" && !services.contains(&service) {
            continue;
        }
        if let Some((folder, _)) = path.rsplit_once('/') {
            seed.create_dir_all(folder).unwrap();
        }
        seed.write(path, text).unwrap();
    }
    let options = SeedOptions {
        services: services.iter().map(|it| (*it).to_owned()).collect(),
        ..SeedOptions::default()
    };
    World::seed(&seed, &options).unwrap()
}

impl Bench {
    fn new() -> Self {
        Self::with(&["google", "github", "notion"], JournalCaps::default())
    }

    fn with(services: &[&str], caps: JournalCaps) -> Self {
        let world = world(services);
        let config = GatewayConfig::new(world.services());
        let world = WorldHandle::new(world, caps);
        let gateway = Gateway::new(world.clone(), config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let plain = listener.local_addr().unwrap();
        gateway.spawn_plain(listener).unwrap();
        Self {
            world,
            plain,
            token: None,
            _gateway: gateway,
        }
    }

    /// Sends a request; gives status, header fields and body.
    async fn send(
        &self,
        method: &str,
        path: &str,
        more: &str,
        body: &str,
    ) -> (u16, String, String) {
        let token = self.token.map_or_else(String::new, |token| {
            format!("Authorization: Bearer {token}\r\n")
        });
        let host = if more.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.plain)
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             {token}{more}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let reply = say(self.plain, &[head.as_bytes(), body.as_bytes()].concat()).await;
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    /// Sends a message of the protocol; gives the answer.
    async fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let (status, _, body) = self.send("POST", "/mcp", "", &message.to_string()).await;
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Calls a tool; gives its result.
    async fn call(&self, slug: &str, arguments: Value) -> Value {
        let answer = self
            .ask("tools/call", json!({"name": slug, "arguments": arguments}))
            .await;
        let result = &answer["result"];
        let outcome = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), outcome);
        assert_eq!(result["isError"], !outcome["successful"].as_bool().unwrap());
        outcome
    }

    /// Calls a tool that must do what it is asked; gives its data.
    async fn ok(&self, slug: &str, arguments: Value) -> Value {
        let outcome = self.call(slug, arguments).await;
        assert_eq!(outcome["successful"], true, "{slug}: {outcome}");
        assert_eq!(outcome["error"], Value::Null);
        outcome["data"].clone()
    }

    /// Calls a tool that must refuse; gives what it says.
    async fn problem(&self, slug: &str, arguments: Value) -> String {
        let outcome = self.call(slug, arguments).await;
        assert_eq!(outcome["successful"], false, "{slug}: {outcome}");
        outcome["error"].as_str().unwrap().to_owned()
    }

    /// The entries since the `n`th.
    fn since(&self, n: usize) -> Vec<JournalEntry> {
        self.world.journal().split_off(n)
    }
}
