//! Evidence bundles, honest and otherwise.

use std::collections::BTreeMap;
use std::path::Path;

use proctor_grading::{Bundle, BundleLimits};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A bundle in the making: a small but complete one to begin with.
pub(crate) struct Builder {
    files: BTreeMap<String, Vec<u8>>,
    manifest: Value,
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

impl Builder {
    pub(crate) fn new() -> Self {
        let manifest = json!({
            "schema": "proctor.evidence/1",
            "task": {"id": "little", "pack_sha256": "0".repeat(64)},
            "agent": {"name": "oracle", "transcript": "runner"},
            "attempt": 0,
            "isolation": "sandbox",
            "end": {"kind": "completed"},
            "clock": {"started_at": "2026-01-01T00:00:00Z", "seconds": 1.5},
            "clock_fields": [],
            "files": {},
        });
        Self {
            files: BTreeMap::new(),
            manifest,
        }
        .file("task.json", task().to_string())
        .file("prompt.md", "Do it.\n")
        .file(
            "transcript.jsonl",
            "{\"type\":\"message\"}\n{\"type\":\"message\"}\n",
        )
        .file("world/journal.jsonl", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
        .file("world/before.json", world(&json!([])).to_string())
        .file(
            "world/after.json",
            world(&json!([{"id": "t1"}])).to_string(),
        )
        .file("workspace/summary.md", "# Summary\n\n- one\n- two")
        .file("fixtures/data.csv", "a,b\n1,2\n")
    }

    pub(crate) fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        self.files.remove(path);
        self
    }

    /// Changes the manifest's fields, except `files`.
    pub(crate) fn manifest(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.manifest);
        self
    }

    /// Writes the bundle and returns its directory.
    pub(crate) fn write(self) -> TempDir {
        let directory = tempfile::tempdir().unwrap();
        self.write_to(directory.path());
        directory
    }

    pub(crate) fn write_to(mut self, directory: &Path) {
        for (path, content) in &self.files {
            let at = directory.join(path);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::write(at, content).unwrap();
            self.manifest["files"][path] =
                json!({"bytes": content.len(), "sha256": sha256(content)});
        }
        write_manifest(directory, &self.manifest);
    }

    /// Writes the bundle and opens it.
    pub(crate) fn open(self) -> (TempDir, Bundle) {
        let directory = self.write();
        let bundle = open(directory.path());
        (directory, bundle)
    }
}

pub(crate) fn open(directory: &Path) -> Bundle {
    Bundle::open(directory, BundleLimits::default()).unwrap()
}

pub(crate) fn read_manifest(directory: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(directory.join("manifest.json")).unwrap()).unwrap()
}

pub(crate) fn write_manifest(directory: &Path, manifest: &Value) {
    std::fs::write(directory.join("manifest.json"), manifest.to_string()).unwrap();
}

fn task() -> Value {
    json!({
        "schema": "proctor.task/1",
        "id": "little",
        "name": "Little",
        "category": "test",
        "grading_type": "hybrid",
        "weights": {"automated": 0.6, "llm_judge": 0.4},
        "timeout_seconds": 60,
        "services": [],
        "criteria": [],
        "rubric": [{
            "id": "rubric_quality",
            "name": "Quality",
            "weight": 1.0,
            "levels": [{"score": 1.0, "text": "good"}, {"score": 0.0, "text": "bad"}],
        }],
    })
}

/// A snapshot with a mailbox, a task list, and a service of another version.
fn world(tasks: &Value) -> Value {
    let mut list = json!({"id": "l1", "title": "My Tasks", "updated": "x", "tasks": []});
    for task in tasks.as_array().unwrap() {
        let mut full = json!({
            "id": "", "title": "T", "status": "needsAction", "position": "0", "updated": "x",
            "seeded": false,
        });
        full["id"] = task["id"].clone();
        list["tasks"].as_array_mut().unwrap().push(full);
    }
    json!({
        "schema": "proctor.world/1",
        "clock": "2026-01-01T00:00:00Z",
        "account": {"email": "a@example.com", "name": "A", "time_zone": "UTC"},
        "gmail": {
            "history_id": 1,
            "labels": [{"id": "INBOX", "name": "INBOX", "type": "system"}],
            "messages": [mail("m1", "th1")],
            "drafts": [{"id": "r1", "message": mail("m2", "th2")}],
        },
        "tasks": {"lists": [list]},
        "github": {"repositories": [repository()]},
        "notion": {
            "pages": [{
                "id": "p1", "path": ["P"], "title": "P", "seeded": true,
                "blocks": [{"id": "b1", "type": "to_do", "depth": 9, "seeded": true}],
                "comments": [{
                    "id": "c1", "parent": {"type": "block_id", "block_id": "b1"}, "text": "T",
                    "seeded": true,
                }],
            }],
            "databases": [{
                "id": "d1", "path": ["D"], "title": "D", "seeded": true,
                "data_sources": [{"id": "s1"}],
            }],
        },
        "gitlab": {"projects": [{"id": 7, "merges": [{"id": "mr/1"}]}]},
    })
}

/// A repository with one file, whose content is not in the bundle unless a test
/// puts it there.
fn repository() -> Value {
    let signature = json!({"name": "A", "email": "a@example.com", "date": "x"});
    let note = json!({"id": 41, "user": "a", "body": "B", "created_at": "x", "seeded": true});
    json!({
        "full_name": "acme/hydra", "default_branch": "main", "seeded": true,
        "branches": [{"name": "main", "sha": "c0ffee"}],
        "tags": [{"name": "v1", "sha": "c0ffee"}],
        "commits": [{
            "sha": "c0ffee", "tree": "beef", "message": "M", "author": signature,
            "committer": signature, "seeded": true,
        }],
        "trees": {"beef": [{
            "path": "src/app:1", "mode": "100644", "bytes": 4, "sha256": sha256(b"a\nb\n"),
        }]},
        "pull_requests": [{
            "number": 12, "title": "T", "user": "a", "state": "open",
            "head": {"ref": "main", "sha": "c0ffee"}, "base": {"ref": "main", "sha": "c0ffee"},
            "comments": [note], "created_at": "x", "updated_at": "x", "seeded": false,
        }],
        "issues": [{
            "number": 3, "title": "T", "user": "a", "state": "closed", "created_at": "x",
            "updated_at": "x", "seeded": true,
        }],
        "labels": [{"name": "bug"}],
    })
}

fn mail(id: &str, thread: &str) -> Value {
    json!({
        "id": id, "thread_id": thread, "label_ids": ["INBOX"], "internal_date_ms": 0,
        "seeded": true, "bytes": 1, "sha256": "00", "headers": [], "from": "b@example.com",
        "to": [], "cc": [], "bcc": [], "subject": "S", "text": "T",
    })
}
