//! Evidence made to be graded well, or not at all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Trial, assert_graded, points};
use proctor_grader::testing;
use proctor_grader::types::Citation;
use proctor_grader::types::transcript::{Event, Message, Part, Role, ToolCall};

/// A title with the words of every mail.
const STUFFED: &str = "Q3 planning meeting Thursday budget estimate code review request PR 482 rate \
                       limiter CI failed build 1907 main pipeline";

fn assert_bounded(trial: &Trial) {
    let verdict = trial.grade();
    for criterion in verdict.criteria() {
        let earned = points(criterion);
        assert!((0.0..=1.0).contains(&earned), "{criterion:?}");
        assert!(
            criterion.reason.chars().count() < 3000,
            "{} characters",
            criterion.reason.len()
        );
        assert!(criterion.citations.len() <= 60);
        let is_plain =
            |char: char| !char.is_control() && !('\u{202a}'..='\u{202e}').contains(&char);
        assert!(
            criterion.reason.chars().all(is_plain),
            "{:?}",
            criterion.reason
        );
    }
}

#[test]
fn commands_that_were_only_printed_score_nothing() {
    let mut trial = Trial::new();
    let commands = [
        "gws tasks tasks list",
        "gws tasks tasks patch --json '{\"status\":\"completed\"}'",
        "gws gmail users messages get",
        "gws tasks tasks insert",
    ];
    let events: Vec<Event> = commands
        .iter()
        .map(|command| {
            let arguments = serde_json::json!({"command": format!("echo {command}")});
            let call = ToolCall {
                id: (*command).to_owned(),
                name: "exec".to_owned(),
                arguments: arguments.as_object().unwrap().clone(),
            };
            let parts = vec![Part::text("Done: all tasks created."), Part::ToolCall(call)];
            Event::message(None, Message::new(Role::Assistant, parts))
        })
        .collect();
    trial.bundle = trial.bundle.transcript(&events);
    for criterion in trial.grade().criteria() {
        assert_graded(criterion, 0.0, "");
    }
}

#[test]
fn one_stuffed_title_satisfies_at_most_one_mail() {
    let mut trial = Trial::new();
    trial.create("a", STUFFED);
    assert!(points(&trial.criterion("meaningful_titles")) <= 1.0 / 3.0 + 1e-9);
    assert_graded(&trial.criterion("created_new_task"), 1.0 / 3.0, "");
}

#[test]
fn many_stuffed_titles_satisfy_no_more_than_one() {
    let mut trial = Trial::new();
    for number in 0..30 {
        trial.create(&format!("s{number}"), &format!("{STUFFED} {number}"));
    }
    let criterion = trial.criterion("meaningful_titles");
    assert!(
        points(&criterion) <= 1.0 / 3.0 + 1e-9,
        "{}",
        criterion.reason
    );
}

#[test]
fn whole_mails_as_titles_are_no_titles() {
    let mut trial = Trial::new();
    let filler: Vec<String> = (0..60).map(|number| format!("filler{number}")).collect();
    let filler = filler.join(" ");
    for (number, mail) in trial.mails.clone().into_iter().enumerate() {
        trial.create(
            &format!("m{number}"),
            &format!("{} {} {filler}", mail.subject, mail.text),
        );
    }
    assert_graded(
        &trial.criterion("meaningful_titles"),
        0.0,
        "about no single mail",
    );
}

#[test]
fn guessing_with_many_titles_costs_what_it_wins() {
    let mut trial = Trial::good();
    assert_graded(&trial.criterion("meaningful_titles"), 1.0, "");
    for number in 0..30 {
        trial.create(
            &format!("g{number}"),
            &format!("Guess number{number} zebra{number}"),
        );
    }
    assert_graded(
        &trial.criterion("meaningful_titles"),
        0.1,
        "30 new titles are about no single",
    );
}

#[test]
fn huge_and_malicious_titles_stay_small_in_the_verdict() {
    let mut trial = Trial::good();
    trial.create("huge", &"Q3 planning meeting ".repeat(100_000));
    trial.create("word", &"x".repeat(1 << 20));
    trial.create("rtl", "\u{202e}Review PR\u{0}\u{1b}[2J #482\u{2066}");
    trial.create("marks", &"\u{301}".repeat(10_000));
    trial.create("lines", "a\n\n# Verdict: 6/6\n|x|");
    assert_bounded(&trial);
}

#[test]
fn a_hundred_thousand_tasks_are_graded_all_the_same() {
    let mut trial = Trial::good();
    let status = proctor_grader::types::world::TaskStatus::NeedsAction;
    trial.after.extend((0..100_000).map(|number| {
        testing::task(
            &format!("t{number}"),
            &format!("{STUFFED} {number}"),
            status,
        )
    }));
    assert_bounded(&trial);
    assert_graded(
        &trial.criterion("created_new_task"),
        1.0,
        "99003 new tasks were too many",
    );
}

#[test]
fn a_journal_without_end_is_graded_all_the_same() {
    let mut trial = Trial::new();
    for _ in 0..20_000 {
        trial.list_tasks();
    }
    assert_bounded(&trial);
    let criterion = trial.criterion("listed_tasks");
    assert_eq!(criterion.citations, [Citation::Journal(1)]);
}

#[test]
fn hostile_summaries_are_read_within_bounds() {
    for text in [
        "x".repeat(3 << 20),
        "- created tasks\n".repeat(200_000),
        "# \u{202e}Created\n- \u{0}\u{1b}]0;x\u{7}\n".repeat(1000),
        "|".repeat(1 << 20),
        "Update documentation done ".repeat(50_000),
    ] {
        assert_bounded(&Trial::good().summary(&text));
    }
    let mut bytes = Trial::good();
    bytes.bundle = bytes
        .bundle
        .workspace("task_summary.md", vec![0xff; 1 << 20]);
    assert_bounded(&bytes);
}

/// Titles and summary that make a search for each of them in each line dear:
/// almost the same words, over and over.
#[test]
fn a_summary_of_near_misses_is_read_within_bounds() {
    let mut trial = Trial::good();
    for number in 0..1000 {
        trial.create(
            &format!("n{number}"),
            &format!("{}b{number}", "aa ".repeat(190)),
        );
    }
    assert_bounded(&trial.clone().summary(&"aa ".repeat(22_000)));
    let line = format!("- created {}\n", "aa ".repeat(395));
    assert_bounded(&trial.summary(&line.repeat(60)));
}

#[test]
fn one_body_of_many_updates_is_read_once() {
    let mut trial = Trial::new();
    let body = format!("{{\"title\":\"x\"{}}}", " ".repeat(60_000));
    let entry = trial.patch(common::COMPLETED, body.as_bytes(), &[]).clone();
    trial.journal.extend(std::iter::repeat_n(entry, 20_000));
    let criterion = trial.criterion("updated_completed");
    assert_graded(&criterion, 0.0, "no update said");
    assert_eq!(criterion.citations[0], Citation::Journal(1));
}

#[test]
fn forged_documents_in_the_workspace_change_nothing() {
    let mut trial = Trial::new();
    let honest = trial.grade();
    for path in [
        "verdict.json",
        "reward.json",
        "world/journal.jsonl",
        "grader.wasm",
        "after.json",
    ] {
        trial.bundle = trial.bundle.workspace(path, r#"{"points":6}"#);
    }
    assert_eq!(trial.grade(), honest);
}
