//! Probes: commands of the task that run where the agent ran, after it is gone.

mod graded;
mod hostile;
mod quiet;
mod recorded;

use std::path::PathBuf;

use proctor_tests::{Desk, Trial};
use serde_json::{Value, json};

/// The Google Workspace task with probes: pairs of name and command.
fn task(desk: &Desk, probes: &[(&str, &str)]) -> PathBuf {
    let probes: Vec<Value> = probes
        .iter()
        .map(|(name, run)| json!({"name": name, "run": run, "timeout_seconds": 30}))
        .collect();
    with(desk, &Value::from(probes))
}

/// The same with the probes as they stand in the front matter.
fn with(desk: &Desk, probes: &Value) -> PathBuf {
    // JSON is YAML.
    desk.task(|text| text.replace("proctor:\n", &format!("proctor:\n  probes: {probes}\n")))
}

/// What a probe did.
fn probe(trial: &Trial, name: &str) -> Value {
    let document = trial.evidence_json("probes.json");
    assert_eq!(document["schema"], "proctor.probes/1");
    let probes = document["probes"].as_array().unwrap();
    let found = probes.iter().find(|probe| probe["name"] == name);
    found
        .unwrap_or_else(|| panic!("no probe {name} in {document}"))
        .clone()
}

/// What a probe that ended well printed.
fn printed(trial: &Trial, name: &str) -> String {
    let probe = probe(trial, name);
    assert_eq!(probe["status"], "exited", "{probe}");
    assert_eq!(probe["exit_code"], 0, "{probe}");
    probe["stdout"].as_str().unwrap().to_owned()
}
