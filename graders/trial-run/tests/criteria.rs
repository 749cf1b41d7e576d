//! T1 to T5: earned, and not earned by what looks like it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use proctor_grader::Verdict;
use proctor_grader::testing::{self, Bundle, Repo};
use proctor_grader::types::Event;
use proctor_grader::types::world::Mail;
use proctor_grader::types::world::github::State;
use proctor_grader::types::world::notion::{Notion, Page};
use trial_run::grade;

const REPOSITORY: &str = "acme-ai-labs/demo-repo";
const CLASSIFIER: &str = "src/moderation/classifier.py";
const TESTS: &str = "tests/test_classifier.py";
const LINK: &str = "https://github.com/acme-ai-labs/demo-repo/pull/1";
const TEST: &str = "    def test_b(self):\n        self.assertFalse(is_flagged(0.78))\n\n";

fn seeded(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/trial-run/seed/github");
    fs::read_to_string(root.join(REPOSITORY).join(path)).unwrap()
}

#[derive(Clone)]
struct Trial {
    seed: Repo,
    repo: Repo,
    before: Vec<Page>,
    pages: Vec<Page>,
    inbox: Mail,
    sent: Vec<Mail>,
    events: Vec<Event>,
}

fn row(id: &str, title: &str, status: &str) -> Page {
    let path = [
        "Engineering",
        "Sprint Tracker",
        "Sprint 4",
        "Sprint 4 Task Board",
        title,
    ];
    let mut row = testing::page(id, &path, "");
    for (name, kind, text) in [
        ("Status", "status", status),
        ("PR", "url", ""),
        ("Notes", "rich_text", ""),
    ] {
        testing::property(&mut row, name, kind, text);
    }
    row
}

impl Trial {
    fn new() -> Self {
        let (classifier, tests) = (seeded(CLASSIFIER), seeded(TESTS));
        let seed = Repo::new(REPOSITORY, &[(CLASSIFIER, &classifier), (TESTS, &tests)]);
        let sprint = testing::page(
            "sprint",
            &["Engineering", "Sprint Tracker", "Sprint 4"],
            "Sprint: 7 to 18 July 2025\n",
        );
        let pages = vec![
            sprint,
            row("r7", "#7 Moderation classifier: false positives", "To Do"),
            row("r5", "#5 Normalise white space before scoring", "Done"),
        ];
        Self {
            repo: seed.clone(),
            seed,
            before: pages.clone(),
            pages,
            inbox: testing::mail(
                "m1",
                "Alex <alex.mercer@acme.example>",
                "False positives in the moderation classifier",
                "Please fix.",
            ),
            sent: Vec::new(),
            events: Vec::new(),
        }
    }

    fn good() -> Self {
        let mut trial = Self::new();
        trial.offer(&threshold("0.85"), &tested(TEST));
        trial.fill(
            "Done",
            LINK,
            &format!("Root cause: 0.70 in the code where the spec says 0.85. {LINK}"),
        );
        trial.answer(&format!("Hi Alex,\n\nthe false positives are fixed: I raised the threshold from 0.70 to 0.85.\n{LINK}\n\nBest,\nSam"));
        trial
    }

    fn offer(&mut self, classifier: &str, tests: &str) {
        let files = [(CLASSIFIER, Some(classifier)), (TESTS, Some(tests))];
        self.repo.commit("fix", "fix: threshold (#7)", &files);
        self.repo.pull_request("fix", "fix: threshold (#7)");
    }

    fn fill(&mut self, status: &str, link: &str, notes: &str) {
        let row = self.pages.iter_mut().find(|page| page.id == "r7").unwrap();
        for (name, kind, text) in [
            ("Status", "status", status),
            ("PR", "url", link),
            ("Notes", "rich_text", notes),
        ] {
            testing::property(row, name, kind, text);
        }
    }

    fn answer(&mut self, text: &str) {
        let id = format!("s{}", self.sent.len());
        self.sent.push(testing::reply(&id, &self.inbox, text));
    }

    fn grade(&self) -> Verdict {
        let world = |mails: Vec<Mail>, pages: &[Page]| {
            let mut world = testing::with_mail(testing::world(), mails);
            world.notion = Some(Notion {
                pages: pages.to_vec(),
                ..Notion::default()
            });
            world
        };
        let mails = [vec![self.inbox.clone()], self.sent.clone()].concat();
        let bundle = Bundle::new()
            .world(
                &world(vec![self.inbox.clone()], &self.before),
                &world(mails, &self.pages),
            )
            .repositories(
                std::slice::from_ref(&self.seed),
                std::slice::from_ref(&self.repo),
            )
            .transcript(&self.events);
        grade(&bundle.evidence()).unwrap()
    }

    #[track_caller]
    fn expect(&self, id: &str, points: f64, reason: &str) {
        let verdict = self.grade();
        let criterion = verdict.criterion(id).unwrap();
        assert_eq!(criterion.points, Some(points), "{}", criterion.reason);
        assert!(
            criterion.reason.contains(reason),
            "no {reason:?} in {:?}",
            criterion.reason
        );
    }

    fn points(&self) -> Vec<f64> {
        self.grade()
            .criteria()
            .iter()
            .map(|one| one.points.unwrap())
            .collect()
    }
}

fn threshold(value: &str) -> String {
    seeded(CLASSIFIER).replace(
        "FLAG_THRESHOLD = 0.70",
        &format!("FLAG_THRESHOLD = {value}"),
    )
}

fn tested(test: &str) -> String {
    seeded(TESTS).replace(
        "    def test_a_low_score",
        &format!("{test}    def test_a_low_score"),
    )
}

#[test]
fn everything_and_nothing() {
    let good = Trial::good();
    assert_eq!(good.points(), [2.0, 1.0, 2.0, 1.0, 1.0]);
    assert!(
        good.grade()
            .criteria()
            .iter()
            .all(|one| !one.citations.is_empty())
    );
    let max: f64 = good.grade().criteria().iter().map(|one| one.max).sum();
    assert!((max - 7.0).abs() < 1e-9);
    let mut nothing = Trial::new();
    nothing.events.push(testing::says("I changed the threshold to 0.85, opened a pull request, updated the board and replied to Alex."));
    assert_eq!(nothing.points(), [0.0; 5]);
    let notes = nothing.grade();
    assert_eq!(notes.notes().len(), 4, "{:?}", notes.notes());
    assert!(
        notes
            .notes()
            .iter()
            .all(|note| note.starts_with("claim not backed"))
    );
}

#[test]
fn the_threshold_is_exact_and_tested() {
    for value in ["0.8", "0.86", "0.78", "85", "float(0.85)"] {
        let mut trial = Trial::new();
        trial.offer(&threshold(value), &tested(TEST));
        trial.expect(
            "T3",
            1.0,
            &format!("FLAG_THRESHOLD is {value} at the head of #1"),
        );
    }
    let mut untested = Trial::new();
    untested.offer(&threshold("0.850"), &seeded(TESTS));
    untested.expect("T3", 1.0, "No new test");
    // The seed's own test of 0.78 is about something else.
    let mut other = Trial::new();
    other.offer(
        &threshold("0.85"),
        &tested("    def test_b(self):\n        self.assertTrue(is_flagged(0.78))\n\n"),
    );
    other.expect("T3", 1.0, "No new test");
    let mut comment = Trial::new();
    comment.offer(
        &seeded(CLASSIFIER).replace("0.70", "0.70  # 0.85"),
        &seeded(TESTS),
    );
    comment.expect("T3", 0.0, "still 0.70");
}

#[test]
fn what_is_not_offered_is_not_there() {
    let mut closed = Trial::good();
    closed.repo.repository.pull_requests[0].state = State::Closed;
    assert_eq!(closed.points(), [0.0, 0.0, 0.0, 1.0, 0.0]);
    closed.expect("T1", 0.0, "links #1, which is not open or merged");
    closed.expect("T2", 0.0, "#1 is not");
    let mut pushed = Trial::new();
    pushed
        .repo
        .commit("main", "fix", &[(CLASSIFIER, Some(&threshold("0.85")))]);
    pushed.expect("T3", 0.0, "still 0.70: no open or merged pull request");
}

#[test]
fn a_reply_confirms_and_links() {
    let reply = |text: &str| {
        let mut trial = Trial::good();
        trial.sent.clear();
        trial.answer(text);
        trial
    };
    reply("Hi Alex, the false positives are fixed, the threshold is 0.85. I'll send the link by tomorrow.").expect("T1", 2.0, "says when");
    reply("The false positives are fixed, the threshold is 0.85.").expect(
        "T1",
        1.0,
        "neither a link",
    );
    reply(LINK).expect("T1", 1.0, "It does not say");
    reply("Will do!").expect("T1", 0.0, "");
    let mut elsewhere = Trial::good();
    elsewhere.sent[0].thread_id = "x".to_owned();
    elsewhere.expect("T1", 0.0, "went elsewhere");
}

#[test]
fn the_board_says_done_and_why() {
    let board = |status: &str, link: &str, notes: &str| {
        let mut trial = Trial::good();
        trial.fill(status, link, notes);
        trial
    };
    board("In Progress", LINK, "0.7, not 0.85").expect("T4", 0.0, "\"In Progress\"");
    board("Done", LINK, "0.7 instead of 0.85").expect("T5", 1.0, "links #1");
    board("Done", "", "0.70 instead of 0.85").expect("T5", 0.0, "there is no link");
    board("Done", LINK, "fixed").expect("T5", 0.0, "nothing names 0.70");
    board("Done", &LINK.replace("/1", "/9"), "0.70, 0.85").expect(
        "T5",
        0.0,
        "#9 is no open or merged",
    );
    let mut page = board("Done", "", "");
    let sprint = page
        .pages
        .iter_mut()
        .find(|page| page.id == "sprint")
        .unwrap();
    *sprint = testing::page(
        "sprint",
        &["Engineering", "Sprint Tracker", "Sprint 4"],
        &format!("Sprint: 7 to 18 July 2025\n#7: 0.70 where the spec has 0.85, {LINK}\n"),
    );
    page.expect("T5", 1.0, "");
    let mut gone = Trial::good();
    gone.pages
        .iter_mut()
        .find(|page| page.id == "r7")
        .unwrap()
        .in_trash = true;
    gone.expect("T4", 0.0, "in the trash");
    gone.expect("T5", 0.0, "in the trash");
}
