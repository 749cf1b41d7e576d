//! `JUnit` XML and CSV, read back with other readers.

use proctor_report::{JUnitCases, Job};
use serde_json::json;

use super::builder::JobDir;

const EVIL: &str = "</testcase>]]>\u{1b}[31m\u{0}\u{b}\u{202e}<x a='\"'>&amp;";

fn job() -> (JobDir, Job) {
    let mut dir = JobDir::new();
    let full = [("c1", Some(1.0), 1.0), ("c2", Some(2.0), 2.0)];
    let lost = [("c1", Some(1.0), 1.0), ("c2", Some(0.5), 2.0)];
    let open = [("c1", Some(1.0), 1.0), ("c2", None, 2.0)];
    dir.trial("a", "x", 0).record(&full, &json!({}));
    dir.trial("a", "x", 1)
        .record(&lost, &json!({"agent_end": EVIL}));
    dir.trial("a", "x", 2).record(&open, &json!({}));
    // Above its threshold is a pass, whatever was lost.
    dir.trial("a", "x", 3)
        .record(&lost, &json!({"result": "pass"}));
    let failed = json!({"outcome": "infrastructure", "score": null, "points": null,
        "criteria": [], "failure": {"stage": "run", "kind": "disk", "message": EVIL}});
    dir.trial("a", "x", 4).record(&full, &failed);
    dir.plan("a", "x", 5);
    let adjusted = json!({"adjustments": [{"id": "took", "kind": "penalty", "points": 1,
        "title": EVIL, "reason": EVIL}]});
    dir.trial("a", "=y", 0).record(&full, &adjusted);
    dir.finish(EVIL);
    let job = Job::read(dir.path()).unwrap();
    (dir, job)
}

fn junit(cases: JUnitCases) -> String {
    let (_dir, job) = job();
    let mut xml = Vec::new();
    proctor_report::write_junit(&job, cases, &mut xml).unwrap();
    String::from_utf8(xml).unwrap()
}

/// How each case came out, by name.
fn outcomes(xml: &str) -> Vec<(String, &'static str)> {
    let document = roxmltree::Document::parse(xml).unwrap();
    let cases = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let each = cases.map(|case| {
        let is = |name| case.children().any(|child| child.has_tag_name(name));
        let kinds = ["failure", "error", "skipped"];
        let kind = kinds
            .into_iter()
            .find(|kind| is(*kind))
            .unwrap_or("success");
        (case.attribute("name").unwrap().to_owned(), kind)
    });
    each.collect()
}

#[test]
fn a_trial_is_a_case_and_what_was_not_measured_is_no_failure() {
    let xml = junit(JUnitCases::PerTrial);
    let found = outcomes(&xml);
    let kinds: Vec<&str> = found.iter().map(|(_, kind)| *kind).collect();
    assert_eq!(
        kinds,
        [
            "success", "failure", "skipped", "success", "error", "skipped", "success"
        ]
    );
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("tests"), Some("7"));
    assert_eq!(
        (root.attribute("failures"), root.attribute("errors")),
        (Some("1"), Some("1"))
    );
    let failure = document
        .descendants()
        .find(|node| node.has_tag_name("failure"))
        .unwrap();
    let message = failure.attribute("message").unwrap();
    assert!(
        message.starts_with("1.5 to 1.5 of 3 points. </testcase>]]>"),
        "{message}"
    );
}

#[test]
fn a_criterion_is_a_case() {
    let found = outcomes(&junit(JUnitCases::PerCriterion));
    let of = |name: &str| {
        found
            .iter()
            .filter(|(one, _)| one == name)
            .map(|(_, kind)| *kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("#1 c2"), ["failure"]);
    assert_eq!(of("#2 c2"), ["skipped"]);
    assert_eq!(of("#0 c1"), ["success", "success"]);
    // What costs points beside the criteria is not forgotten.
    assert_eq!(of("#0 took"), ["failure"]);
    // Trials without criteria are there as themselves.
    assert_eq!((of("#4"), of("#5")), (vec!["error"], vec!["skipped"]));
}

#[test]
fn the_table_has_every_criterion_and_every_trial() {
    let (_dir, job) = job();
    let mut bytes = Vec::new();
    proctor_report::write_criteria_csv(&job, &mut bytes).unwrap();
    // Python's reader is another one than the writer's.
    let script = "import csv, io, json, sys\n\
        text = io.TextIOWrapper(sys.stdin.buffer, 'utf-8', newline='')\n\
        print(json.dumps(list(csv.DictReader(text, strict=True))))";
    let mut child = std::process::Command::new("python3")
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    // Five graded trials with two criteria each, and two without any.
    assert_eq!(rows.len(), 12);
    let open = rows.iter().find(|row| row["status"] == "open").unwrap();
    assert_eq!((&open["points"], &open["max"]), (&json!(""), &json!("2")));
    assert_eq!(
        (&open["score_low"], &open["score_high"]),
        (&json!("0.3333333333333333"), &json!("1"))
    );
    let failed = rows
        .iter()
        .find(|row| row["outcome"] == "infrastructure")
        .unwrap();
    assert_eq!(
        (&failed["counts"], &failed["criterion"]),
        (&json!("0"), &json!(""))
    );
    assert!(rows.iter().any(|row| row["outcome"] == "not_started"));
    // No spreadsheet computes it.
    assert!(rows.iter().any(|row| row["agent"] == "'=y"));
}
