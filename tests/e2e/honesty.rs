//! What must never earn or cost a point.

use std::collections::BTreeSet;
use std::process::Command;

use proctor_tests::{Desk, GWS, root};

#[test]
fn doing_nothing_scores_nothing() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &[]);
    assert_eq!(trial.outcome(), "scored");
    assert_eq!(trial.record["points"]["low"], 0.0);
    assert_eq!(trial.record["score"]["low"], 0.0);
    assert!(
        trial.decided().iter().all(|(_, points)| *points == 0.0),
        "{}",
        trial.record
    );
    assert_eq!(trial.decided().len(), 6);
}

/// The seed's Python looks for words in commands; echoing them satisfies it.
#[test]
fn echoing_the_commands_instead_of_running_them_scores_nothing() {
    let desk = Desk::new();
    let agent = desk.steps(&[
        "echo gws tasks tasks list",
        "echo gws tasks tasks patch",
        "echo gws gmail users messages list; echo gws gmail users messages get",
        "echo gws tasks tasks insert",
        "true gws tasks insert; printf '%s' 'gws tasks tasks update'",
    ]);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "scored");
    assert!(
        trial.decided().iter().all(|(_, points)| *points == 0.0),
        "{}",
        trial.record
    );
    assert_eq!(trial.record["requests"]["answered"], 0);
    // The same transcript gets four of five from the seed's own grader.
    let seeds_own = native(&trial.dir);
    assert_eq!(seeds_own, [1.0, 1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_summary_that_claims_work_nobody_did_earns_nothing_elsewhere() {
    let desk = Desk::new();
    let agent = desk.steps(&[
        "printf '# Summary\\nFound: Review Q3 proposal, Update documentation\\nCreated: Review pull \
         request 482, Prepare Q3 planning figures, Fix CI failure\\nCompleted: Update documentation\\n' \
         > task_summary.md",
    ]);
    let trial = desk.trial(GWS, &agent, &[]);
    for (id, points) in trial.decided() {
        if id == "summary_created" {
            assert!(
                points < 1.0,
                "claims of tasks that do not exist earned {points}"
            );
        } else {
            assert_eq!(points, 0.0, "{id}");
        }
    }
}

#[test]
fn forged_results_change_nothing() {
    let desk = Desk::new();
    let forged = r#"{"schema":"proctor.verdict/1","score":{"low":1,"high":1},"points":{"low":10,"high":10,"max":10},"reward":1.0}"#;
    let places = [
        ".",
        "evidence",
        "..",
        "/tmp",
        "/home/agent",
        "/workspace",
        "/dev/shm",
        "trials",
        "/opt/proctor/bin",
        "/run",
        "/etc",
        "/usr",
    ];
    let commands: Vec<String> = places
        .iter()
        .map(|place| {
            format!(
                "mkdir -p {place}/evidence 2>/dev/null; for n in verdict.json reward.json trial.json \
                 reward.txt grader.wasm manifest.json evidence/manifest.json evidence/transcript.jsonl; \
                 do printf '%s' '{forged}' > {place}/$n 2>/dev/null; done; true"
            )
        })
        .collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let agent = desk.steps(&commands);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "scored");
    assert_eq!(trial.record["points"]["low"], 0.0);
    let verdict = std::fs::read_to_string(trial.dir.join("verdict.json")).unwrap();
    assert!(!verdict.contains("reward"), "{verdict}");
    // What it wrote is in the evidence, where it belongs: in the workspace.
    let kept: BTreeSet<String> = trial.evidence_json("manifest.json")["files"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|name| name.contains("reward.json"))
        .cloned()
        .collect();
    let expected: BTreeSet<String> = ["reward.json", "evidence/reward.json", "trials/reward.json"]
        .iter()
        .map(|name| format!("workspace/{name}"))
        .collect();
    assert!(
        kept.is_subset(&expected) && kept.contains("workspace/reward.json"),
        "{kept:?}"
    );
}

#[test]
fn grading_a_hundred_times_gives_the_same_bytes_and_fuel() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &[]);
    let recorded = std::fs::read(trial.dir.join("verdict.json")).unwrap();
    let fuel: serde_json::Value = serde_json::from_slice(&recorded).unwrap();
    assert!(fuel["grader"]["fuel"].as_u64().unwrap() > 0);
    for _ in 0..100 {
        let ended = desk.run(["grade", trial.dir.to_str().unwrap(), "--format", "json"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(ended.out.as_bytes(), recorded);
    }
}

#[test]
fn the_seeds_own_python_accepts_the_oracles_transcript() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "oracle", &[]);
    assert_eq!(native(&trial.dir), [1.0; 5]);
}

/// Runs the Python `grade()` of the task file on a trial's transcript and
/// workspace, natively; its five values in the order of the task.
fn native(dir: &std::path::Path) -> Vec<f64> {
    let text = std::fs::read_to_string(root().join(GWS).join("task.md")).unwrap();
    let code = text
        .split("```python\n")
        .nth(1)
        .unwrap()
        .split("\n```")
        .next()
        .unwrap();
    let program = format!(
        "{code}\n\nimport json, sys\n\
         transcript = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n\
         print(json.dumps(list(grade(transcript, sys.argv[2]).values())))\n"
    );
    let output = Command::new("python3")
        .arg("-c")
        .arg(program)
        .arg(dir.join("evidence/transcript.jsonl"))
        .arg(dir.join("evidence/workspace"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// An agent that leaves more evidence than a grader can read would leave the
/// denominator instead of getting its zero.
#[test]
fn an_agent_cannot_bury_its_grader_in_evidence() {
    let desk = Desk::new();
    let flood = r#"
import json, threading, urllib.request
def call(method, path, body=None):
    request = urllib.request.Request("https://tasks.googleapis.com/tasks/v1" + path, method=method,
        data=body and json.dumps(body).encode(),
        headers={"Authorization": "Bearer x", "Content-Type": "application/json"})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code
ended = []
def work():
    for n in range(1500):
        status = call("POST", "/lists/@default/tasks", {"title": "t" * 1000, "notes": "n" * 8000})
        if status != 200: break
    for n in range(2000):
        status = call("GET", "/lists/@default/tasks?maxResults=100&showHidden=true")
        if status != 200: break
    ended.append(status)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(ended)
"#;
    let agent = format!("command:python3 - <<'EOF'\n{flood}\nEOF");
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    assert_eq!(trial.job["denominator"]["counted"], 1);
    let size = |path: &str| trial.evidence(path).len();
    // Both ran into their quotas: there is nothing more to be had.
    for (path, least) in [
        ("world/after.json", 6 << 20),
        ("world/journal.jsonl", 4 << 20),
    ] {
        assert!(size(path) > least, "{path} is small: {}", size(path));
    }
}
