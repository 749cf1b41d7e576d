//! Enormous things: a page has its bounds and says where it cut.

use proctor_report::limits;
use serde_json::json;

use super::builder::{JobDir, mail, world};
use super::element;

#[test]
fn a_huge_trial_is_cut_where_one_sees_it_and_keeps_its_verdict() {
    let mut dir = JobDir::new();
    let trial = dir.trial("a", "x", 0);
    let criteria = [("c1", Some(1.0), 1.0), ("c2", None, 2.0)];
    trial.record(&criteria, &json!({}));
    trial.verdict(
        &criteria,
        &["after:gmail.message/m1", "workspace:big.txt:70000"],
    );
    let huge = "word ".repeat(2 << 20);
    trial.json(
        "world/after.json",
        &world(&[mail("m1", "Hello", &huge[..4 << 20])]),
    );
    trial.evidence("workspace/big.txt", "line\n".repeat(400_000));
    let event =
        json!({"type": "message", "message": {"role": "assistant", "content": &huge[..100_000]}});
    trial.lines("transcript.jsonl", &vec![event; 100]);
    let entry = json!({"n": 1, "path": &huge[..10_000], "kind": "request"});
    trial.lines("world/journal.jsonl", &vec![entry; 3000]);
    dir.finish("job");
    let html = dir.html();
    let details = element(&html, "t0");
    let size = details.to_string().len();
    assert!(size < limits::TRIAL_PAGE_BYTES * 3 / 2, "{size}");
    assert_eq!(details["verdict"]["criteria"].as_array().unwrap().len(), 2);
    assert_eq!(details["cut"], true);
    let mail = &details["exhibits"]["objects"]["after:gmail.message/m1"]["data"]["text"];
    assert_eq!(
        mail["t"].as_str().unwrap().len() + length(&mail["cut"]),
        4 << 20
    );
    // The file is shown around the line.
    let file = &details["exhibits"]["files"]["workspace:big.txt"];
    assert_eq!(file["first"], 69_920);
    let journal = &details["journal"];
    let shown = journal["items"]["items"].as_array().unwrap().len();
    let cut = length(&journal["items"]["cut"]);
    assert!(shown > 0 && cut > 0);
    assert!(journal["unread"].as_u64().unwrap() > 0);
}

#[test]
fn what_is_too_long_to_read_is_said() {
    let mut dir = JobDir::new();
    let trial = dir.trial("a", "x", 0);
    trial.record(&[("c1", Some(1.0), 1.0)], &json!({}));
    trial.evidence(
        "world/after.json",
        vec![b' '; usize::try_from(limits::WORLD_BYTES + 1).unwrap()],
    );
    // As deep as no reader goes.
    trial.evidence("world/before.json", "[".repeat(100_000));
    dir.finish("job");
    let problems = element(&dir.html(), "t0")["problems"].to_string();
    assert!(
        problems.contains("world/after.json: it has 16777217 bytes"),
        "{problems}"
    );
    assert!(problems.contains("recursion limit"), "{problems}");
}

#[test]
fn of_many_trials_each_gets_less() {
    assert_eq!(limits::per_trial(1), limits::TRIAL_PAGE_BYTES);
    assert!(limits::per_trial(2_000) * 2_000 <= limits::PAGE_BYTES);
    assert_eq!(limits::per_trial(100_000), limits::TRIAL_PAGE_BYTES_MIN);
}

fn length(value: &serde_json::Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}
