//! The API over a seeded workspace.

mod blocks;
mod databases;
mod frame;
mod markdown;
mod pages;
mod seeds;

use bytes::Bytes;
use cap_std::ambient_authority;
use http::{HeaderMap, HeaderValue, Method};
use proctor_types::JournalEntry;
use proctor_types::world::notion as shape;
use serde_json::{Value, json};

use crate::journal::JournalCaps;
use crate::service::{Request, Scheme};
use crate::world::{SeedOptions, World};
use crate::{SeedError, WorldHandle};

pub(super) const WORLD: &str = "\
clock: 2025-07-14T22:00:00Z
seed: 4
account: {email: agent@example.com, name: Agent}
people:
  - {email: alex@example.com, name: Alex Mercer}
  - {email: marcus@example.com, name: Marcus Okonkwo, notion: Marcus}
tokens: {marcus-token: marcus@example.com}
";

/// The audit page of the tests.
pub(super) const AUDIT: &str = "\
---
icon: \u{1f512}
created_by: alex@example.com
created: 2025-07-01T09:30:00Z
comments:
  - {by: marcus@example.com, text: 'Who takes **SEC-004**?', at: 2025-07-02T10:00:00Z}
---
# Findings
- [ ] SEC-004: hardcoded API key in `settings.py`
- [ ] SEC-011: `DEBUG=True` in production
- [x] SEC-001: done long ago
<callout icon=\"\u{26a0}\u{fe0f}\" color=\"yellow_bg\">
\tTouch nothing that is deferred.
\t- SEC-017
\t- SEC-022
</callout>
| Finding | Status | Owner |
| --- | --- | --- |
| SEC-004 | Open | <mention-user url=\"marcus@example.com\"/> |
| SEC-017 | Deferred | |
";

pub(super) const SPRINT: &str = "\
icon: \u{1f3c3}
properties:
  Task: title
  Status: {type: status, options: [Backlog, To Do, In Progress, Done]}
  Points: number
  Due: date
  Owner: people
  Tags: {type: multi_select, options: [backend, security]}
  Urgent: checkbox
  PR: url
rows:
  - {Task: '#142 OOM fix', Status: To Do, Points: 5, Due: 2025-07-15, Owner: agent@example.com, Tags: [backend], Urgent: true}
  - {Task: '#143 Security', Status: To Do, Points: 3, Due: 2025-07-16, Tags: [backend, security]}
  - {Task: '#140 Alerts', Status: Done, Owner: [marcus@example.com], PR: 'https://example.com/pull/1'}
";

pub(super) fn seeded(files: &[(&str, &str)]) -> Result<World, SeedError> {
    let dir = cap_tempfile::TempDir::new(ambient_authority()).unwrap();
    dir.write("world.yaml", WORLD).unwrap();
    for (path, text) in files {
        let path = format!("notion/{path}");
        if let Some((folder, _)) = path.rsplit_once('/') {
            dir.create_dir_all(folder).unwrap();
        }
        dir.write(&path, text).unwrap();
    }
    let options = SeedOptions {
        services: vec!["notion".to_owned()],
        ..SeedOptions::default()
    };
    World::seed(&dir, &options)
}

pub(super) struct Rig {
    pub(super) handle: WorldHandle,
    pub(super) version: &'static str,
}

pub(super) fn rig() -> Rig {
    let files = [
        ("_workspace.yaml", "name: Acme Internal Knowledge Base\n"),
        ("Engineering/Security/Q3 Audit 2025.md", AUDIT),
        ("Engineering/Sprint Tracker/Sprint 4/_database.yaml", SPRINT),
        (
            "Engineering/Sprint Tracker/Sprint 4/#144 Recommendations.md",
            "---\nproperties: {Status: Backlog}\n---\nSee <mention-page url=\"Engineering/Security/Q3 Audit 2025\"/>.\n",
        ),
        ("Product/API Reference.md", ""),
    ];
    Rig {
        handle: WorldHandle::new(seeded(&files).unwrap(), JournalCaps::default()),
        version: "2025-09-03",
    }
}

impl Rig {
    pub(super) fn version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    pub(super) fn request(&self, method: &str, target: &str, body: &Value) -> Request {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Bearer ntn_x"));
        headers.insert("notion-version", HeaderValue::from_static(self.version));
        Request {
            method: Method::from_bytes(method.as_bytes()).unwrap(),
            scheme: Scheme::Https,
            host: "api.notion.com".to_owned(),
            port: 443,
            path: format!("/v1/{path}"),
            query: query.to_owned(),
            headers,
            body: if body.is_null() {
                Bytes::new()
            } else {
                body.to_string().into()
            },
        }
    }

    pub(super) fn send(&self, request: &Request) -> (u16, Value) {
        let service = self.handle.world().services().remove(0);
        let answer = self.handle.answer(service.as_ref(), request);
        (answer.status, serde_json::from_slice(&answer.body).unwrap())
    }

    pub(super) fn try_(&self, method: &str, target: &str, body: &Value) -> (u16, Value) {
        self.send(&self.request(method, target, body))
    }

    /// A request that must be accepted.
    pub(super) fn ok(&self, method: &str, target: &str, body: &Value) -> Value {
        let (status, value) = self.try_(method, target, body);
        assert_eq!(status, 200, "{method} {target}: {value}");
        value
    }

    pub(super) fn get(&self, target: &str) -> Value {
        self.ok("GET", target, &Value::Null)
    }

    /// A request that must be refused as invalid; the message.
    pub(super) fn invalid(&self, method: &str, target: &str, body: &Value) -> String {
        let (status, value) = self.try_(method, target, body);
        assert_eq!(
            (status, value["code"].as_str()),
            (400, Some("validation_error")),
            "{method} {target}: {value}"
        );
        value["message"].as_str().unwrap().to_owned()
    }

    pub(super) fn snapshot(&self) -> shape::Notion {
        self.handle.snapshot().notion.unwrap()
    }

    pub(super) fn page(&self, title: &str) -> shape::Page {
        let pages = self.snapshot().pages;
        let found = pages.into_iter().find(|page| page.title == title);
        found.unwrap_or_else(|| panic!("no page {title}"))
    }

    pub(super) fn id(&self, title: &str) -> String {
        self.page(title).id
    }

    pub(super) fn database(&self) -> shape::Database {
        self.snapshot().databases.remove(0)
    }

    pub(super) fn last(&self) -> JournalEntry {
        self.handle.journal().pop().unwrap()
    }

    /// The block of the audit page with this text.
    pub(super) fn block(&self, text: &str) -> shape::Block {
        let blocks = self.page("Q3 Audit 2025").blocks;
        let found = blocks.into_iter().find(|block| {
            block.text.contains(text) || block.cells.iter().any(|cell| cell.contains(text))
        });
        found.unwrap_or_else(|| panic!("no block {text}"))
    }
}

pub(super) fn paragraph(text: &str) -> Value {
    json!({"object": "block", "type": "paragraph", "paragraph": {"rich_text": rich(text)}})
}

pub(super) fn rich(text: &str) -> Value {
    json!([{"type": "text", "text": {"content": text}}])
}

#[test]
fn a_world_goes_on_from_its_json() {
    let rig = rig();
    let audit = rig.id("Q3 Audit 2025");
    let append = json!({"children": [paragraph("one")]});
    rig.ok("PATCH", &format!("blocks/{audit}/children"), &append);
    let saved = serde_json::to_vec(&rig.handle.world()).unwrap();
    let other = self::rig();
    other
        .handle
        .restore(serde_json::from_slice(&saved).unwrap());
    assert_eq!(serde_json::to_vec(&other.handle.world()).unwrap(), saved);
    for rig in [&rig, &other] {
        rig.ok("PATCH", &format!("blocks/{audit}/children"), &append);
    }
    assert_eq!(rig.snapshot(), other.snapshot());
    rig.handle.reset();
    assert_eq!(
        rig.snapshot(),
        self::rig().snapshot(),
        "a reset is the seed again"
    );
}
