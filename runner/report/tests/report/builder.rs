//! Job directories made by code.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A job's directory that goes away with it.
pub(crate) struct JobDir {
    dir: tempfile::TempDir,
    plan: Vec<Value>,
}

/// A trial's directory.
pub(crate) struct TrialDir {
    pub(crate) path: PathBuf,
    task: String,
    agent: String,
    attempt: u32,
}

impl JobDir {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("trials")).unwrap();
        Self {
            dir,
            plan: Vec::new(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Plans a trial that leaves nothing.
    pub(crate) fn plan(&mut self, task: &str, agent: &str, attempt: u32) {
        self.plan.push(json!({
            "task": task, "agent": agent, "name": agent, "attempt": attempt,
            "pack_sha256": "0".repeat(64),
        }));
    }

    /// Plans a trial and makes its directory.
    pub(crate) fn trial(&mut self, task: &str, agent: &str, attempt: u32) -> TrialDir {
        self.plan(task, agent, attempt);
        self.unplanned(task, agent, attempt)
    }

    /// Makes the directory of a trial that the plan does not know.
    pub(crate) fn unplanned(&self, task: &str, agent: &str, attempt: u32) -> TrialDir {
        let path = self
            .path()
            .join("trials")
            .join(format!("{task}.{agent}.{attempt}"));
        fs::create_dir_all(path.join("evidence/world/bodies")).unwrap();
        TrialDir {
            path,
            task: task.to_owned(),
            agent: agent.to_owned(),
            attempt,
        }
    }

    /// Writes the plan, called `name`.
    pub(crate) fn finish(&self, name: &str) {
        let plan = json!({
            "schema": "proctor.job/1", "job": name, "proctor": "0.1.0", "isolation": "sandbox",
            "model": null, "judge": null, "trials": self.plan,
        });
        write(&self.path().join("job.json"), &plan);
    }

    /// The page of it.
    pub(crate) fn html(&self) -> String {
        let job = proctor_report::Job::read(self.path()).unwrap();
        let mut html = Vec::new();
        proctor_report::write_html(&job, &mut html).unwrap();
        String::from_utf8(html).unwrap()
    }
}

impl TrialDir {
    /// Writes `trial.json` with these criteria (`id`, points, most points) and
    /// whatever else `more` has.
    pub(crate) fn record(&self, criteria: &[(&str, Option<f64>, f64)], more: &Value) {
        let mut record = json!({
            "schema": "proctor.trial/1", "task": self.task, "agent": self.agent,
            "attempt": self.attempt, "outcome": "scored", "dir": "trials/x",
            "criteria": criteria_of(criteria, &[]),
            "seconds": {"run": 1.5, "total": 2.0}, "isolation": "sandbox",
            "requests": {"answered": 3, "egress": 1},
        });
        let (mut low, mut high, mut max) = (0.0, 0.0, 0.0);
        for (_, points, most) in criteria {
            low += points.unwrap_or(0.0);
            high += points.unwrap_or(*most);
            max += most;
        }
        record["points"] = json!({"low": low, "high": high, "max": max});
        record["score"] = json!({"low": low / max, "high": high / max});
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        write(&self.path.join("trial.json"), &record);
    }

    /// Writes `verdict.json`; every criterion cites `citations`.
    pub(crate) fn verdict(&self, criteria: &[(&str, Option<f64>, f64)], citations: &[&str]) {
        let verdict = json!({
            "schema": "proctor.verdict/1", "task": self.task,
            "grader": {"kind": "component", "sha256": "ab".repeat(32), "abi": "x", "fuel": 12},
            "criteria": criteria_of(criteria, citations), "notes": [],
        });
        write(&self.path.join("verdict.json"), &verdict);
    }

    /// Writes a file of the evidence.
    pub(crate) fn evidence(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join("evidence").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn json(&self, name: &str, value: &Value) {
        self.evidence(name, value.to_string());
    }

    pub(crate) fn lines(&self, name: &str, values: &[Value]) {
        let lines: Vec<String> = values.iter().map(Value::to_string).collect();
        self.evidence(name, lines.join("\n") + "\n");
    }

    /// Keeps the body of a request: its digest.
    pub(crate) fn body(&self, content: &str) -> String {
        let digest = Sha256::digest(content.as_bytes());
        let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let sha256 = hex.concat();
        self.evidence(&format!("world/bodies/{sha256}"), content);
        sha256
    }
}

fn criteria_of(criteria: &[(&str, Option<f64>, f64)], citations: &[&str]) -> Value {
    let each = criteria.iter().map(|(id, points, max)| {
        json!({
            "id": id, "title": format!("Title of {id}"), "category": "Work",
            "status": if points.is_some() { "graded" } else { "open" },
            "points": points, "max": max, "reason": format!("Reason of {id}."),
            "citations": citations,
        })
    });
    Value::Array(each.collect())
}

pub(crate) fn write(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).unwrap();
}

/// A mail as a snapshot has it.
pub(crate) fn mail(id: &str, subject: &str, text: &str) -> Value {
    json!({
        "id": id, "thread_id": id, "label_ids": ["INBOX"], "internal_date_ms": 1_764_600_000_000_i64,
        "seeded": true, "bytes": text.len(), "sha256": "", "headers": [], "from": "alex@acme.example",
        "to": ["sam@acme.example"], "cc": [], "bcc": [], "subject": subject, "text": text,
    })
}

/// A snapshot with these mails.
pub(crate) fn world(mails: &[Value]) -> Value {
    json!({
        "schema": "proctor.world/1", "clock": "2025-07-15T00:00:00Z",
        "account": {"email": "sam@acme.example", "name": "Sam", "time_zone": "UTC"},
        "gmail": {"history_id": 1, "labels": [], "messages": mails, "drafts": []},
    })
}
