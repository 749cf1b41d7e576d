use proctor_types::task::{GradingType, TaskInfo, Weights};
use proctor_types::verdict::{
    ABI, Adjustment, AdjustmentKind, Criterion, GraderKind, GraderRef, Standing, Status, Verdict,
};
use proctor_types::{Citation, NoteKind};

use super::*;
use crate::record::testing::record;

fn task() -> TaskInfo {
    TaskInfo {
        schema: proctor_types::task::SCHEMA.to_owned(),
        id: "t".to_owned(),
        name: "Night | shift".to_owned(),
        category: "c".to_owned(),
        grading_type: GradingType::Automated,
        weights: Weights {
            automated: 1.0,
            llm_judge: 0.0,
        },
        timeout_seconds: 60,
        services: Vec::new(),
        criteria: Vec::new(),
        expected: String::new(),
        rubric: Vec::new(),
        thresholds: Some(Thresholds {
            pass: 4.0,
            borderline: Some(2.0),
        }),
    }
}

/// The verdict that `record` was taken from.
fn verdict(record: &TrialRecord) -> Verdict {
    Verdict {
        schema: proctor_types::verdict::SCHEMA.to_owned(),
        task: "t".to_owned(),
        evidence_sha256: "e".to_owned(),
        grader: GraderRef {
            kind: GraderKind::Component,
            source_sha256: None,
            sha256: "g".to_owned(),
            abi: ABI.to_owned(),
            fuel: 1,
        },
        criteria: record
            .criteria
            .iter()
            .map(|one| Criterion {
                id: one.id.clone(),
                title: one.title.clone(),
                category: one.category.clone(),
                status: one.status,
                points: one.points,
                max: one.max,
                reason: one.reason.clone(),
                citations: vec![Citation::Journal(7)],
                question: None,
            })
            .collect(),
        adjustments: Vec::new(),
        points: record.points.unwrap(),
        score: record.score.unwrap(),
        result: record.result,
        thresholds: None,
        notes: Vec::new(),
    }
}

fn render(record: &TrialRecord, verdict: &Verdict) -> String {
    trial(&TrialReport {
        task: &task(),
        record,
        verdict: Some(verdict),
        evidence: None,
    })
}

/// Text between the heading `title` and the next of its level.
fn section<'a>(report: &'a str, title: &str) -> &'a str {
    let heading = format!("## {title}\n");
    let begin = report.find(&heading);
    let begin = begin.unwrap_or_else(|| panic!("no {title} in {report}")) + heading.len();
    let end = report[begin..]
        .find("\n## ")
        .unwrap_or(report.len() - begin);
    &report[begin..begin + end]
}

#[test]
fn the_verdict_comes_first_with_percent_standing_and_thresholds() {
    let mut record = record(
        0,
        &[
            ("C1", "Code", Some(2.0), 2.0),
            ("C2", "Code", Some(1.0), 2.0),
            ("C3", "Docs", Some(0.0), 1.0),
        ],
    );
    record.result = Some(Standing::Borderline);
    let report = render(&record, &verdict(&record));
    assert!(
        report.starts_with("# Night \\| shift: attempt 0\n"),
        "{report}"
    );
    let line = "**BORDERLINE, 60 %: 3 of 5 points** (outcome: scored; PASS from 4 points, \
                BORDERLINE from 2)";
    assert!(report.contains(line), "{report}");
    let summary = section(&report, "Summary");
    for row in [
        "| Code | 3 | 4 | 75 % | 2 of 2 |",
        "| Docs | 0 | 1 | 0 % | 1 of 1 |",
        "| **all** | **3** | **5** | **60 %** | 3 of 3 |",
    ] {
        assert!(summary.contains(row), "{row} is not in {summary}");
    }
}

#[test]
fn right_and_wrong_are_told_apart_and_zeros_say_what_was_found_instead() {
    let record = record(
        0,
        &[
            ("C3", "Code", Some(0.0), 1.0),
            ("C4", "Code", Some(1.0), 1.0),
            ("C8", "Infra", Some(1.0), 1.0),
            ("C11", "Docs", Some(1.0), 3.0),
        ],
    );
    let report = render(&record, &verdict(&record));
    let right = section(&report, "What went right");
    assert!(
        right.contains("- **Code** (1 of 2): `C4` Title of C4\n"),
        "{right}"
    );
    assert!(
        right.contains("- **Infra** (in full, 1 of 1): `C8` Title of C8"),
        "{right}"
    );
    assert!(!right.contains("Docs"), "{right}");
    let wrong = section(&report, "What went wrong");
    let lines: Vec<&str> = wrong.trim().lines().collect();
    assert_eq!(
        lines,
        [
            "- `C11` **Title of C11** (1 of 3): Reason of C11.",
            "- `C3` **Title of C3** (0 of 1): Reason of C3.",
        ],
        "what lost most comes first"
    );
    let criteria = section(&report, "Criteria");
    for part in [
        "### Code: 1 of 2\n",
        "#### No: Title of C3 (0 of 1)\n\n`C3` **Found instead:** Reason of C3.\n\n- `journal:7`",
        "#### Yes: Title of C4 (1 of 1)\n\n`C4` Reason of C4.",
        "#### Partly: Title of C11 (1 of 3)\n\n`C11` **Found instead:** Reason of C11.",
    ] {
        assert!(criteria.contains(part), "{part} is not in {criteria}");
    }
}

#[test]
fn full_marks_that_are_a_sum_of_fractions_are_full() {
    let tenths: f64 = std::iter::repeat_n(0.1, 10).sum();
    assert!(tenths < 1.0);
    let record = record(0, &[("C1", "Code", Some(tenths), 1.0)]);
    let report = render(&record, &verdict(&record));
    assert!(section(&report, "What went right").contains("(in full, 1 of 1): `C1`"));
    assert!(section(&report, "What went wrong").contains("Nothing that was decided"));
    let criteria = section(&report, "Criteria");
    assert!(criteria.contains("#### Yes: Title of C1"), "{criteria}");
    assert!(!criteria.contains("Found instead"), "{criteria}");
}

#[test]
fn what_nobody_judged_is_said_and_is_an_interval() {
    let mut record = record(
        0,
        &[("C1", "Mail", Some(3.0), 3.0), ("tone", "Mail", None, 1.0)],
    );
    record.result = Some(Standing::Undecided);
    let report = render(&record, &verdict(&record));
    assert!(
        report.contains("**UNDECIDED, 75–100 %: 3–4 of 4 points**"),
        "{report}"
    );
    let open = section(&report, "Not judged");
    assert!(
        open.contains("- `tone` **Title of tone**: not judged (1 points)"),
        "{open}"
    );
    assert!(
        report.contains("#### Not judged: Title of tone (? of 1)"),
        "{report}"
    );
    // It is neither right nor wrong.
    let wrong = section(&report, "What went wrong");
    assert_eq!(wrong.trim(), "Nothing that was decided lost a point.");
    assert!(!section(&report, "What went right").contains("tone"));
}

#[test]
fn notes_of_a_kind_stand_where_they_belong() {
    let record = record(0, &[("C1", "Code", Some(1.0), 1.0)]);
    let mut verdict = verdict(&record);
    verdict.notes = vec![
        "a remark".to_owned(),
        NoteKind::ClaimUnbacked.note("the sprint board | was updated"),
        NoteKind::DistractorResisted.note("FEATURE_FLAG_RECS_V2 is False"),
        NoteKind::DistractorTaken.note("SEC-017 was touched"),
        NoteKind::ConflictHandled.note("4Gi, as the spec says"),
    ];
    let report = render(&record, &verdict);
    let lines: Vec<&str> = section(&report, "Distractors and conflicts")
        .trim()
        .lines()
        .collect();
    assert_eq!(
        lines,
        [
            "- **Fallen for**: SEC-017 was touched",
            "- Resisted: FEATURE\\_FLAG\\_RECS\\_V2 is False",
            "- Handled: 4Gi, as the spec says",
        ]
    );
    let claims = section(&report, "What the agent says it did");
    assert_eq!(
        claims.trim(),
        "- **Not so**: the sprint board \\| was updated"
    );
    assert_eq!(section(&report, "Notes of the grader").trim(), "- a remark");
    // Without such notes there are no such sections.
    verdict.notes.clear();
    let report = render(&record, &verdict);
    for title in ["Distractors", "What the agent says", "Notes of the grader"] {
        assert!(!report.contains(title), "{title} in {report}");
    }
}

#[test]
fn what_costs_points_is_said_with_its_reason() {
    let adjustment = |id: &str, kind, points| Adjustment {
        id: id.to_owned(),
        title: "Flipped | the *flag*".to_owned(),
        kind,
        points,
        reason: "It is <b>True</b>.".to_owned(),
        citations: vec![Citation::Journal(7)],
    };
    let record = record(0, &[("C1", "Code", Some(3.0), 4.0)]);
    let mut verdict = verdict(&record);
    verdict.adjustments = vec![
        adjustment("fell_for_it", AdjustmentKind::Penalty, 2.0),
        adjustment("crossed", AdjustmentKind::Cap, 2.5),
    ];
    (verdict.points.low, verdict.points.high) = (1.0, 1.0);
    let report = render(&record, &verdict);
    let costs = section(&report, "What costs points");
    for line in [
        "The criteria add up to 3.",
        "nor below 0: 1.",
        "### Flipped \\| the \\*flag\\* (-2)",
        "### Flipped \\| the \\*flag\\* (at most 2.5)",
        "`fell_for_it` It is &lt;b>True&lt;/b>.",
        "- `journal:7`",
    ] {
        assert!(costs.contains(line), "{line}: {costs}");
    }
    let summary = section(&report, "Summary");
    assert!(summary.contains("the \\*flag\\* | -2 | | | |"), "{summary}");
    assert!(
        summary.contains("the \\*flag\\* | ≤ 2.5 | | | |"),
        "{summary}"
    );
    let wrong = section(&report, "What went wrong");
    assert!(
        wrong.contains("(no more than 2.5 in all): It is"),
        "{wrong}"
    );
    verdict.adjustments.clear();
    assert!(!render(&record, &verdict).contains("What costs points"));
}

#[test]
fn the_time_is_told_by_stage_with_the_share_that_is_not_the_agents() {
    let mut record = record(0, &[("C1", "Code", Some(1.0), 1.0)]);
    for (stage, seconds) in [
        ("seed", 0.02),
        ("run", 0.96),
        ("grade", 0.01),
        ("total", 1.0),
    ] {
        record.seconds.insert(stage.to_owned(), seconds);
    }
    let report = render(&record, &verdict(&record));
    let time = section(&report, "Time");
    assert!(
        time.contains("Proctor's own time: 0.040 s of 1.000 s (4.0 %); agent 0.960 s."),
        "{time}"
    );
    let rows: Vec<&str> = time.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(
        rows[2..],
        [
            "| seed | 0.020 | 2.0 % |",
            "| run (the agent) | 0.960 | 96.0 % |",
            "| grade | 0.010 | 1.0 % |",
            "| total | 1.000 | |",
        ]
    );
}

#[test]
fn a_status_of_error_is_not_called_unjudged() {
    let mut record = record(0, &[("C1", "Code", None, 1.0)]);
    record.criteria[0].status = Status::Error;
    let report = render(&record, &verdict(&record));
    assert!(
        report.contains("#### Error: Title of C1 (? of 1)"),
        "{report}"
    );
    assert!(section(&report, "Not judged").contains("cannot be decided"));
}
