//! `report.html` for two thousand trials: `cargo bench -p proctor-report`.
//!
//! The trials are like those of the Google Workspace task: some thirty events and
//! requests, two small snapshots, nine criteria that cite them. Where
//! `PROCTOR_BENCH_KEEP` names a directory, job and page are left there, for a look at
//! them in a browser.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

/// The runner's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TRIALS: u32 = 2_000;

fn words(count: u32, seed: u32) -> String {
    let list = [
        "review", "pull", "request", "budget", "figures", "meeting", "task", "done", "mail",
        "please",
    ];
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut text = String::new();
    for _ in 0..count {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push_str(list[state as usize >> 8 & 0x7]);
        text.push_str(&(state >> 26).to_string());
        text.push(' ');
    }
    text
}

fn world(trial: u32, tasks: u32) -> Value {
    let mails: Vec<Value> = (0..10)
        .map(|n| {
            json!({"id": format!("m{n}"), "thread_id": format!("m{n}"), "label_ids": ["INBOX"],
                "internal_date_ms": 1_764_600_000_000_i64, "seeded": true, "from": "a@acme.example",
                "to": ["b@acme.example"], "subject": words(6, n), "text": words(120, n)})
        })
        .collect();
    let tasks: Vec<Value> = (0..tasks)
        .map(|n| json!({"id": format!("t{n}"), "title": words(8, trial + n), "status": "needsAction"}))
        .collect();
    json!({"schema": "proctor.world/1", "gmail": {"messages": mails, "drafts": [], "labels": []},
        "tasks": {"lists": [{"id": "l", "title": "List", "tasks": tasks}]}})
}

fn lines(values: impl Iterator<Item = Value>) -> String {
    values.map(|value| value.to_string() + "\n").collect()
}

fn trial(dir: &Path, number: u32) -> std::io::Result<Value> {
    let (task, agent, attempt) = (number % 20, number / 20 % 5, number / 100);
    let (task, agent) = (format!("task-{task}"), format!("agent-{agent}"));
    let dir = dir.join("trials").join(format!("{task}.{agent}.{attempt}"));
    fs::create_dir_all(dir.join("evidence/world"))?;
    let criteria: Vec<Value> = (0..9)
        .map(|n| {
            json!({"id": format!("c{n}"), "title": words(6, n), "category": format!("part {}", n / 3),
                "status": "graded", "points": f64::from((number + n) % 3) / 2.0, "max": 1,
                "reason": words(20, number + n), "citations": [format!("journal:{}", n + 1), format!("after:tasks.task/t{n}")]})
        })
        .collect();
    let sum: f64 = criteria
        .iter()
        .filter_map(|one| one["points"].as_f64())
        .sum();
    let record = json!({"task": task, "agent": agent, "attempt": attempt, "outcome": "scored",
        "score": {"low": sum / 9.0, "high": sum / 9.0}, "points": {"low": sum, "high": sum, "max": 9},
        "criteria": criteria, "seconds": {"run": 1.0, "total": 2.0}, "isolation": "sandbox",
        "requests": {"answered": 30, "egress": 0}});
    fs::write(dir.join("trial.json"), record.to_string())?;
    fs::write(
        dir.join("verdict.json"),
        json!({"criteria": criteria, "notes": []}).to_string(),
    )?;
    let evidence =
        |name: &str, content: String| fs::write(dir.join("evidence").join(name), content);
    evidence("world/before.json", world(number, 3).to_string())?;
    evidence("world/after.json", world(number, 9).to_string())?;
    evidence(
        "transcript.jsonl",
        lines((0..30_u32).map(|n| {
            json!({"type": "message", "timestamp": format!("2025-07-15T00:00:{n:02}Z"),
            "message": {"role": if n % 2 == 0 { "assistant" } else { "toolResult" },
                "content": [{"type": "text", "text": words(100, number + n)}]}})
        })),
    )?;
    evidence("world/journal.jsonl", lines((1..=30_u32).map(|n| {
        json!({"n": n, "t_us": u64::from(n) * 900_000, "kind": "request", "service": "gmail",
            "operation": "gmail.users.messages.get", "host": "gmail.googleapis.com", "port": 443,
            "method": "GET", "path": format!("/gmail/v1/users/me/messages/m{n}"), "query": "", "status": 200,
            "read": [{"type": "gmail.message", "id": format!("m{}", n % 10), "view": "full"}],
            "request": {"bytes": 0}, "response": {"bytes": 1200}})
    })))?;
    evidence(
        "manifest.json",
        json!({"clock": {"started_at": "2025-07-15T00:00:00Z"}}).to_string(),
    )?;
    Ok(json!({"task": task, "agent": agent, "name": agent, "attempt": attempt}))
}

fn many(bench: &mut Criterion) {
    let temporary = tempfile::tempdir().expect("a directory");
    let kept = std::env::var_os("PROCTOR_BENCH_KEEP");
    let dir = kept.as_ref().map_or(temporary.path(), Path::new);
    let planned = (0..TRIALS).map(|number| trial(dir, number).expect("a trial"));
    let planned: Vec<Value> = planned.collect();
    let plan = json!({"job": "two thousand", "isolation": "sandbox", "trials": planned});
    fs::write(dir.join("job.json"), plan.to_string()).expect("a plan");
    let page = || {
        let job = proctor_report::Job::read(dir).expect("a job");
        let mut html = Vec::new();
        proctor_report::write_html(&job, &mut html).expect("a page");
        html
    };
    if kept.is_some() {
        fs::write(dir.join(proctor_report::HTML_FILE), page()).expect("a page");
    }
    bench.bench_function("report.html of 2,000 trials", |bencher| {
        bencher.iter(|| black_box(page()).len());
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = many
}
criterion_main!(benches);
