//! What people look at: `report.html` and its neighbours.

use std::fs;

use proctor_tests::{Desk, GWS};

#[test]
fn a_job_ends_with_a_page_and_can_have_it_made_anew() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "nop", &["--attempts", "2"]);
    assert_eq!(trial.outcome(), "scored");
    let job = desk.path("job");
    let page = fs::read_to_string(job.join("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>"), "{}", &page[..200]);
    assert!(page.contains("Content-Security-Policy"));
    let cases = |text: &str| text.matches("<testcase ").count();
    let junit = || fs::read_to_string(job.join("junit.xml")).unwrap();
    assert_eq!(cases(&junit()), 2);
    let rows = fs::read_to_string(job.join("criteria.csv")).unwrap();
    let criteria = trial.record["criteria"].as_array().unwrap().len();
    assert_eq!(rows.lines().count(), 1 + 2 * criteria);

    fs::remove_file(job.join("report.html")).unwrap();
    let dir = job.to_str().unwrap();
    let made = desk
        .run(["report", dir, "--junit", "criterion", "--format", "json"])
        .json();
    let named = made["html"].as_str().unwrap();
    assert_eq!(fs::read_to_string(named).unwrap(), page);
    assert_eq!(cases(&junit()), 2 * criteria);
}

#[test]
fn what_is_no_job_has_no_report() {
    let desk = Desk::new();
    fs::create_dir(desk.path("empty")).unwrap();
    desk.run(["report", desk.path("empty").to_str().unwrap()])
        .refused(2, &["is no job's directory", "proctor run --out"]);
    desk.run(["report", desk.path("none").to_str().unwrap()])
        .refused(9, &["cannot be opened"]);
    assert_eq!(fs::read_dir(desk.path("empty")).unwrap().count(), 0);
}
