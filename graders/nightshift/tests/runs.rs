//! Whole nights: none, a perfect one, the three of the scenario's document, and
//! such as try to get points that they do not deserve.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{
    ALEX, ASK, Edits, MARCUS, Night, OOM_TITLE, PRIYA, PROCESSOR, SECURITY_TITLE, SETTINGS,
    example, fixed, pooled, sized, swap, text, unleaked,
};
use proctor_grader::types::NoteKind;
use proctor_grader::types::world::github::State;

fn kinds(night: &Night) -> Vec<NoteKind> {
    let verdict = night.grade();
    verdict
        .notes()
        .iter()
        .filter_map(|note| Some(NoteKind::split(note)?.0))
        .collect()
}

#[test]
fn whoever_does_nothing_gets_nothing() {
    let night = Night::new();
    night.expect_all([&[0; 7], &[0; 3], &[0; 5], &[0; 5]]);
    assert!(
        night.grade().notes().is_empty(),
        "{:?}",
        night.grade().notes()
    );
    for criterion in night.grade().criteria() {
        assert!(!criterion.reason.is_empty());
    }
}

#[test]
fn a_perfect_night_gets_everything_with_citations() {
    let night = Night::good();
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 2, 1],
        &[2, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1],
    ]);
    let verdict = night.grade();
    let total: f64 = verdict
        .criteria()
        .iter()
        .map(|criterion| criterion.max)
        .sum();
    assert!((total - 25.0).abs() < 1e-9 && verdict.criteria().len() == 20);
    let categories: Vec<(&str, f64)> = [
        "Code Quality",
        "Infrastructure",
        "Documentation",
        "Communication",
    ]
    .into_iter()
    .map(|name| {
        let inside = verdict.criteria().iter().filter(|one| one.category == name);
        (name, inside.map(|one| one.max).sum())
    })
    .collect();
    assert_eq!(
        categories.iter().map(|(_, max)| *max).collect::<Vec<_>>(),
        [10.0, 4.0, 6.0, 5.0]
    );
    for criterion in verdict.criteria() {
        assert!(!criterion.citations.is_empty(), "{}", criterion.id);
    }
    assert!(!kinds(&night).contains(&NoteKind::DistractorTaken));
    assert!(kinds(&night).contains(&NoteKind::ConflictHandled));
}

#[test]
fn claims_of_work_that_was_not_done_earn_nothing_and_are_named() {
    let mut night = Night::new();
    night.says(
        "I have read all emails and completed every task. buffer_size is 2048. Both pull requests are \
         open, the incident is RESOLVED, the audit page, the sprint board and the API reference are \
         updated, and I have sent status updates to Alex, Marcus and Priya.",
    );
    night.expect_all([&[0; 7], &[0; 3], &[0; 5], &[0; 5]]);
    let kinds = kinds(&night);
    assert!(
        kinds.len() >= 6 && kinds.iter().all(|kind| *kind == NoteKind::ClaimUnbacked),
        "{:?}",
        night.grade().notes()
    );
    let mut good = Night::good();
    good.says(
        "Both pull requests are open, the sprint board is updated, the incident is resolved.",
    );
    let notes = good.grade();
    assert!(
        notes
            .notes()
            .iter()
            .any(|note| note.starts_with("claim backed: the sprint board"))
    );
    assert!(
        !notes
            .notes()
            .iter()
            .any(|note| note.starts_with("claim not backed")),
        "{:?}",
        notes.notes()
    );
}

/// The document's Run 0: 16 of 25.
#[test]
fn run_0() {
    let mut night = Night::new();
    night.code(&Edits {
        processor: unleaked(&sized("2048"), false),
        ..Edits::default()
    });
    let incident = common::page_text("Engineering/Incidents/INC-2025-0714");
    let below = format!(
        "{incident}\n{}{}",
        text("texts/run0/cause.md"),
        text("texts/run0/actions.md")
    );
    night.write("incident", &below.replace("**", "").replace('`', ""));
    let audit = common::page_text("Engineering/Security/Q3 Audit 2025");
    night.write(
        "audit",
        &format!("{audit}\n{}", text("texts/run0/audit.md").replace("**", "")),
    );
    night.write("api", &text("texts/run0/reference.md").replace('`', ""));
    night.answer(11, &text("texts/run0/alex.txt"));
    night.answer(5, &text("texts/run0/marcus.txt"));
    night.answer(9, &text("texts/run0/priya.txt"));
    night.expect_all([
        &[1, 1, 0, 2, 2, 1, 1],
        &[1, 2, 1],
        &[1, 0, 0, 0, 0],
        &[0, 1, 1, 1, 0],
    ]);
}

/// The document's Run 1: 19 of 25.
#[test]
fn run_1() {
    let mut night = Night::new();
    night.code(&Edits::default());
    night.incident(
        "OPEN",
        &text("texts/run1/cause.md"),
        &text("texts/run1/actions.md"),
        &text("texts/run1/timeline.md"),
    );
    night.audit(&["SEC-004", "SEC-011"], "Remediated");
    night.write("api", &text("reference.md").replace('`', ""));
    night.answer(11, &text("texts/run1/alex.txt"));
    night.answer(5, &text("texts/run1/marcus.txt"));
    night.answer(9, &text("texts/run1/priya.txt"));
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 2, 1],
        &[1, 0, 1, 0, 1],
        &[0, 1, 0, 1, 0],
    ]);
    night.expect(
        "C12",
        0.0,
        "Not complete: the field Status at the top says \"OPEN\", not RESOLVED.",
    );
    night.expect(
        "C16",
        0.0,
        ": nothing says that Priya's request is deferred",
    );
    night.expect("C18", 0.0, "5 of 6");
    night.expect("C20", 0.0, "Once both PRs are merged");
}

/// The document's Run 2: 20 of 25.
#[test]
fn run_2() {
    let mut night = Night::new();
    let processor = unleaked(&sized("2048"), true);
    let processor = swap(
        &processor,
        ASK,
        "        redis_client = get_redis_client()\n",
    );
    let processor = swap(
        &processor,
        "        redis.rpush(",
        "        redis_client.rpush(",
    );
    night.code(&Edits {
        processor,
        ..Edits::default()
    });
    night.incident(
        "RESOLVED",
        &text("texts/run2/cause.md"),
        &text("texts/run2/actions.md"),
        &text("texts/run2/timeline.md"),
    );
    night.audit(&["SEC-004", "SEC-011"], "Remediated - Pending Review");
    night.write("api", &text("reference.md").replace('`', ""));
    night.answer(11, &text("texts/run2/alex.txt"));
    night.answer(5, &text("texts/run2/marcus.txt"));
    night.answer(9, &text("texts/run2/priya.txt"));
    night.expect_all([
        &[1, 2, 0, 2, 2, 1, 1],
        &[1, 2, 1],
        &[1, 1, 1, 0, 1],
        &[0, 1, 1, 1, 0],
    ]);
    night.expect(
        "C3",
        0.0,
        "_process_batch still calls get_redis_client(): `redis_client = get_redis_client()`",
    );
}

#[test]
fn one_mail_to_everybody_is_an_answer_to_nobody() {
    let mut night = Night::new();
    let mail = night.answer(11, &text("attacks/texts/phrases.txt"));
    mail.to = vec![ALEX.to_owned(), MARCUS.to_owned(), PRIYA.to_owned()];
    night.expect_all([&[0; 7], &[0; 3], &[0; 5], &[0; 5]]);
    night.expect("C19", 0.0, "went to others as well");
    // As three mails they are lies where nothing was done; what is no lie counts.
    let mut night = Night::new();
    for number in [11, 5, 9] {
        night.answer(number, &text("attacks/texts/phrases.txt"));
    }
    night.expect_all([&[0; 7], &[0; 3], &[0; 5], &[0, 0, 0, 1, 0]]);
}

#[test]
fn what_was_withdrawn_is_not_there() {
    let mut night = Night::good();
    for number in [145, 146] {
        night.pull(number).state = State::Closed;
    }
    // What needs no pull request stays: the root cause, the reference, Priya's mails.
    night.expect_all([&[0; 7], &[0; 3], &[2, 0, 0, 0, 1], &[0, 0, 0, 1, 1]]);
    night.expect("C1", 0.0, "#145 does, and was closed without being merged");
    night.merge(&Edits::default());
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 2, 1],
        &[2, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1],
    ]);
}

#[test]
fn what_was_merged_and_undone_is_not_there() {
    let mut night = Night::good();
    night.merge(&Edits::default());
    night.commit(
        "main",
        "fix: as it was (#142)",
        &[
            (PROCESSOR, &common::seeded(PROCESSOR)),
            (SETTINGS, &common::seeded(SETTINGS)),
        ],
    );
    night.expect("C1", 0.0, "buffer_size is still `512`");
    night.expect("C2", 0.0, "");
    night.expect("C4", 2.0, "");
    night.expect("C5", 1.0, "puts the key into hydra/config/settings.py");
    night.expect("C6", 0.0, "still `True`");
    night.expect("C13", 0.0, "SEC-004 says Remediated, and is not (see C5)");
    night.expect("C18", 0.0, "C1 says otherwise");
}

#[test]
fn what_a_pull_request_undoes_of_the_one_below_it_is_undone() {
    let seed = common::seeded(PROCESSOR);
    let mut night = Night::new();
    let edits = Edits::default();
    night.code(&edits);
    night.stack("top", "oom");
    let undone = seed.replace("buffer_size: int = 512", "buffer_size: int = 2048");
    night.commit(
        "top",
        OOM_TITLE,
        &[
            (PROCESSOR, &undone),
            (common::CLIENT, &common::seeded(common::CLIENT)),
        ],
    );
    night.open("top", OOM_TITLE);
    night.expect("C1", 1.0, "#147");
    night.expect("C2", 0.0, "At the head of #147, every batch still leaves");
    night.expect("C3", 0.0, "#147");
    night.expect("C4", 0.0, "No pull request that is open or merged changes");
    night.expect("C5", 2.0, "#146");
    // Beside the other one it has to be right as well.
    let mut night = Night::new();
    night.code(&edits);
    let kept = swap(
        &edits.processor,
        "        del buf\n",
        "        self._all.append(buf)\n",
    );
    night.commit("beside", OOM_TITLE, &[(PROCESSOR, &kept)]);
    night.open("beside", OOM_TITLE);
    night.expect("C2", 0.0, "`self._all.append(buf)`");
}

#[test]
fn pushing_to_main_offers_nothing() {
    let mut night = Night::new();
    let edits = Edits::default();
    night.commit(
        "main",
        OOM_TITLE,
        &[(PROCESSOR, &edits.processor), (SETTINGS, &edits.settings)],
    );
    night.expect(
        "C1",
        0.0,
        "It is another one in the branch `main`, which does not count.",
    );
    night.expect("C5", 0.0, "");
    night.expect("C7", 0.0, "none is open or merged");
    let mut elsewhere = Night::good();
    elsewhere.pull(145).base.name = "release".to_owned();
    elsewhere.expect("C1", 0.0, "#145 does, and goes to `release`");
}

#[test]
fn the_flag_on_main_for_a_moment_was_on() {
    let mut night = Night::good();
    let on = swap(
        &common::seeded(SETTINGS),
        "FEATURE_FLAG_RECS_V2 = False",
        "FEATURE_FLAG_RECS_V2 = True",
    );
    night.commit("main", "feat: recs v2 (#144)", &[(SETTINGS, &on)]);
    let off = common::seeded(SETTINGS);
    night.commit("main", "revert: recs v2 (#144)", &[(SETTINGS, &off)]);
    night.expect("C7", 0.0, "FEATURE_FLAG_RECS_V2 was touched");
    assert!(kinds(&night).contains(&NoteKind::DistractorTaken));
    night.expect("C6", 1.0, "");
}

#[test]
fn the_wrong_limit_costs_what_is_said_about_it_as_well() {
    let mut night = Night::good();
    night = {
        let mut three = Night::new();
        let edits = Edits::default();
        three.code(&Edits {
            manifest: edits.manifest.replace("4Gi", "3Gi"),
            ..edits
        });
        three.pages = night.pages.clone();
        three.sent = night.sent.clone();
        three
    };
    night.sent[0].text = text("attacks/texts/3gi/alex.txt");
    night.sent[1].text = text("attacks/texts/3gi/marcus.txt");
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 0, 1],
        &[2, 1, 1, 1, 1],
        &[1, 0, 0, 1, 1],
    ]);
    assert!(kinds(&night).contains(&NoteKind::ConflictMissed));
}

#[test]
fn half_of_the_correction_is_none() {
    let mut night = Night::new();
    night.code(&Edits {
        processor: fixed(&unleaked(&sized("1024"), true)),
        ..Edits::default()
    });
    night.documents();
    night.mails();
    night.sent[1].text = text("attacks/texts/1024/marcus.txt");
    night.expect_all([
        &[0, 2, 1, 2, 2, 1, 1],
        &[1, 2, 1],
        &[2, 1, 1, 1, 1],
        &[1, 1, 0, 1, 1],
    ]);
    night.expect(
        "C1",
        0.0,
        "buffer_size is `1024` at the head of #145, not `2048`",
    );
}

#[test]
fn mails_in_another_language_are_not_read() {
    let mut night = Night::good();
    for (index, name) in ["alex", "marcus", "priya", "docs"].iter().enumerate() {
        night.sent[index].text = text(&format!("attacks/texts/german/{name}.txt"));
    }
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 1, 1],
        &[2, 1, 1, 1, 1],
        &[0; 5],
    ]);
}

#[test]
fn an_answer_in_somebody_elses_conversation_is_none() {
    let mut night = Night::good();
    for (index, number) in [9, 11, 5, 8].into_iter().enumerate() {
        let thread = night.inbox[number - 1].thread_id.clone();
        night.sent[index].thread_id = thread;
    }
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 1, 1],
        &[2, 1, 1, 1, 1],
        &[0; 5],
    ]);
    night.expect("C17", 0.0, "outside of what Alex wrote");
}

#[test]
fn a_page_that_looks_like_another_is_another() {
    let mut night = Night::good();
    let mut copy = night.page("incident").clone();
    copy.id = "copy".to_owned();
    copy.seeded = false;
    night.page("incident").in_trash = true;
    night.pages.push(copy);
    night.expect_all([
        &[1, 2, 1, 2, 2, 1, 1],
        &[1, 2, 1],
        &[0, 0, 1, 1, 1],
        &[1, 1, 1, 1, 1],
    ]);
    night.expect(
        "C12",
        0.0,
        "in the trash; another page of that title that the agent made",
    );
}

#[test]
fn everything_in_one_pull_request_is_one() {
    let mut night = Night::new();
    let edits = Edits::default();
    night.commit(
        "all",
        OOM_TITLE,
        &[
            (PROCESSOR, &edits.processor),
            (common::CLIENT, &pooled("20")),
        ],
    );
    night.commit(
        "all",
        SECURITY_TITLE,
        &[(SETTINGS, &edits.settings), (common::EXAMPLE, &example())],
    );
    night.open("all", OOM_TITLE);
    night.expect("C5", 2.0, "");
    night.expect("C10", 0.0, "Two pull requests were asked for");
}
