//! Jobs that are not whole: what is missing or damaged is shown as such.

use proctor_report::{Job, ReportError, State};
use serde_json::json;

use super::builder::{JobDir, mail, world, write};
use super::element;

#[test]
fn every_trial_is_somewhere_in_the_counts() {
    let mut dir = JobDir::new();
    let criteria = [("c1", Some(1.0), 1.0), ("c2", Some(0.0), 1.0)];
    dir.trial("a", "x", 0).record(&criteria, &json!({}));
    dir.trial("a", "x", 1)
        .record(&[("c1", None, 1.0)], &json!({}));
    let failed = json!({"outcome": "ungraded", "score": null, "points": null});
    dir.trial("a", "x", 2).record(&criteria, &failed);
    let failed = json!({"outcome": "infrastructure", "score": null, "points": null});
    dir.trial("a", "x", 3).record(&criteria, &failed);
    dir.trial("a", "x", 4)
        .record(&criteria, &json!({"outcome": "from the future"}));
    dir.trial("a", "x", 5);
    dir.plan("a", "x", 6);
    std::fs::write(
        dir.trial("a", "x", 7).path.join("trial.json"),
        b"{\"task\": \xff",
    )
    .unwrap();
    // The record of another trial, put here by hand.
    let moved = dir.trial("a", "x", 8);
    moved.record(&criteria, &json!({"attempt": 1}));
    dir.unplanned("b", "y", 0).record(&criteria, &json!({}));
    dir.finish("job");
    let job = Job::read(dir.path()).unwrap();
    let counts = job.counts();
    assert_eq!((counts.planned, counts.unplanned), (9, 1));
    assert_eq!((counts.graded, counts.open), (3, 1));
    assert_eq!(
        (counts.ungraded, counts.infrastructure, counts.other),
        (1, 1, 1)
    );
    assert_eq!(
        (counts.unfinished, counts.not_started, counts.damaged),
        (1, 1, 2)
    );
    assert_eq!(job.trials().len(), 10);
    let State::Damaged(why) = &job.trials()[8].state else {
        panic!("{:?}", job.trials()[8].state)
    };
    assert_eq!(why, "its trial.json is that of a / x #1");
    let overview = element(&dir.html(), "overview");
    assert_eq!(overview["trials"].as_array().unwrap().len(), 10);
    assert_eq!(overview["counts"]["finished"], 6);
    // Only what is graded is in a mean: 0.5, and 0 to 1.
    let row = &overview["rows"].as_array().unwrap().iter();
    let row = row.clone().find(|row| row["task"] == 0).unwrap();
    assert_eq!((&row["trials"], &row["counted"]), (&json!(9), &json!(2)));
    assert_eq!(row["mean"], json!([0.25, 0.75]));
}

#[test]
fn figures_that_cannot_be_are_damage_and_no_figures() {
    let criteria = [("c1", Some(1.0), 1.0)];
    for (more, why) in [
        (json!({"score": {"low": 0.5, "high": 1.5}}), "is no share"),
        (json!({"score": {"low": 0.7, "high": 0.5}}), "is no share"),
        (
            json!({"points": {"low": -1, "high": 1, "max": 1}}),
            "between 0 and 1",
        ),
        (
            json!({"criteria": [{"id": "c1", "status": "graded", "points": 3, "max": 1}]}),
            "its criterion `c1` are not between 0 and 1",
        ),
        (json!({"score": "high"}), "cannot be used"),
    ] {
        let mut dir = JobDir::new();
        dir.trial("a", "x", 0).record(&criteria, &more);
        dir.finish("job");
        let job = Job::read(dir.path()).unwrap();
        let State::Damaged(found) = &job.trials()[0].state else {
            panic!("{more}")
        };
        assert!(found.contains(why), "{found}");
        assert_eq!(job.counts().graded, 0);
    }
}

#[test]
fn a_job_without_its_plan_is_what_is_on_the_disk() {
    let mut dir = JobDir::new();
    dir.trial("a", "x", 0)
        .record(&[("c1", Some(1.0), 1.0)], &json!({}));
    std::fs::write(dir.path().join("job.json"), "{").unwrap();
    let job = Job::read(dir.path()).unwrap();
    assert!(
        job.problems()[0].contains("job.json cannot be used"),
        "{:?}",
        job.problems()
    );
    assert_eq!((job.counts().planned, job.counts().unplanned), (0, 1));
    assert!(!dir.html().is_empty());
}

#[test]
fn what_is_no_job_is_no_report() {
    let dir = tempfile::tempdir().unwrap();
    let error = Job::read(dir.path()).unwrap_err();
    assert!(matches!(error, ReportError::NoJob { .. }), "{error}");
    let missing = Job::read(&dir.path().join("missing")).unwrap_err();
    assert!(matches!(missing, ReportError::Open { .. }), "{missing}");
}

#[test]
fn names_of_trials_lead_nowhere_else() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("trial.json"), "SECRET").unwrap();
    let mut dir = JobDir::new();
    dir.plan("../../../../../../../../etc/", "x", 0);
    let linked = dir.trial("a", "x", 1);
    linked.record(&[("c1", Some(1.0), 1.0)], &json!({}));
    std::os::unix::fs::symlink(
        outside.path().join("trial.json"),
        linked.path.join("verdict.json"),
    )
    .unwrap();
    std::fs::remove_dir_all(linked.path.join("evidence")).unwrap();
    std::os::unix::fs::symlink("/etc", linked.path.join("evidence")).unwrap();
    dir.finish("job");
    let html = dir.html();
    assert_ne!(element(&html, "overview")["trials"][0]["o"], "scored");
    let details = element(&html, "t1");
    assert!(!details.to_string().contains("SECRET"));
    assert!(!details.to_string().contains("passwd"), "{details}");
    assert!(
        details["problems"][0]
            .as_str()
            .unwrap()
            .contains("verdict.json"),
        "{details}"
    );
}

#[test]
fn a_broken_part_of_the_evidence_hides_no_other() {
    let mut dir = JobDir::new();
    let trial = dir.trial("a", "x", 0);
    let criteria = [("c1", Some(1.0), 1.0)];
    trial.record(&criteria, &json!({}));
    trial.verdict(
        &criteria,
        &["after:gmail.message/m1", "nonsense", "workspace:gone.txt:3"],
    );
    trial.json(
        "world/after.json",
        &world(&[mail("m1", "Hello", "Text"), json!(7), json!({"id": 3})]),
    );
    trial.evidence("world/before.json", "[[[");
    trial.evidence(
        "transcript.jsonl",
        b"{\"type\":\"message\"}\nnot json \xff\n{\"cut",
    );
    dir.finish("job");
    let details = element(&dir.html(), "t0");
    let problems = details["problems"].to_string();
    assert!(problems.contains("world/before.json"), "{problems}");
    let cited = &details["exhibits"]["cited"];
    assert_eq!(cited["after:gmail.message/m1"]["to"], "object");
    assert_eq!(cited["nonsense"]["to"], "nowhere");
    let file = &details["exhibits"]["files"]["workspace:gone.txt"];
    assert!(file["why"].is_string(), "{file}");
    let events = details["transcript"]["items"]["items"].as_array().unwrap();
    assert_eq!(events.len(), 3);
    assert_eq!(events[1]["broken"], "not json \u{fffd}");
}

#[test]
fn the_same_job_gives_the_same_page() {
    let mut dir = JobDir::new();
    for attempt in 0..5 {
        let trial = dir.trial("a", "x", attempt);
        trial.record(&[("c1", Some(1.0), 1.0)], &json!({}));
        trial.json("world/after.json", &world(&[mail("m1", "Hello", "Text")]));
    }
    dir.finish("job");
    assert_eq!(dir.html(), dir.html());
    // The job's name is nowhere as markup.
    write(
        &dir.path().join("job.json"),
        &json!({"job": "<b>name</b>", "trials": []}),
    );
    assert!(!dir.html().contains("<b>name"));
}
