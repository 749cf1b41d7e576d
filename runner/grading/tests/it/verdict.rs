//! Verdicts that break the rules, one at a time.

use proctor_grading::{Fault, Limits, score};
use proctor_types::verdict::{AdjustmentKind, Status};

use crate::kit::bundle::Builder;
use crate::kit::component::Core;
use crate::kit::memory::{RawAdjustment, RawCriterion, RawQuestion, RawVerdict};
use crate::kit::{grade, grade_bundle};

fn criterion(change: impl FnOnce(&mut RawCriterion)) -> RawVerdict {
    let mut criterion = RawCriterion::default();
    change(&mut criterion);
    RawVerdict {
        criteria: vec![criterion],
        ..RawVerdict::default()
    }
}

fn open(change: impl FnOnce(&mut RawQuestion)) -> RawVerdict {
    let mut question = RawQuestion::default();
    change(&mut question);
    criterion(|criterion| {
        criterion.status = 1;
        criterion.points = None;
        criterion.question = Some(question);
    })
}

fn problems(verdict: &RawVerdict) -> Vec<String> {
    let error = grade(&Core::returning(verdict).build(), &Limits::default()).unwrap_err();
    match error.fault() {
        Fault::InvalidVerdict { problems, .. } => problems.clone(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(verdict: &RawVerdict, expected: &str) {
    let problems = problems(verdict);
    assert!(
        problems.iter().any(|problem| problem.contains(expected)),
        "{problems:?}"
    );
    assert!(problems.len() <= 2, "{problems:?}");
}

#[test]
fn points_are_finite_and_between_zero_and_a_sensible_maximum() {
    for points in [f64::NAN, f64::INFINITY, -0.5, 1.5, 1.000_000_1] {
        refused(&criterion(|c| c.points = Some(points)), "points are");
    }
    for max in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e7] {
        refused(&criterion(|c| c.max = max), "max is");
    }
}

#[test]
fn negative_zero_is_zero() {
    let wasm = Core::returning(&criterion(|c| c.points = Some(-0.0))).build();
    let graded = grade(&wasm, &Limits::default()).unwrap();
    let points = graded.verdict.criteria[0].points.unwrap();
    assert!(points == 0.0 && points.is_sign_positive());
}

#[test]
fn ids_are_unique_and_plain() {
    let twice = RawVerdict {
        criteria: vec![RawCriterion::default(), RawCriterion::default()],
        ..RawVerdict::default()
    };
    refused(&twice, "taken by another criterion");
    // The rubric of the task has a criterion of this id.
    refused(
        &criterion(|c| c.id = "rubric_quality".to_owned()),
        "taken by another criterion",
    );
    for id in ["", "with space", "ümlaut", "a/b", "a\nb", &"x".repeat(101)] {
        refused(&criterion(|c| c.id = id.to_owned()), "the id must be");
    }
}

#[test]
fn points_belong_to_graded_criteria_and_questions_to_open_ones() {
    refused(&criterion(|c| c.points = None), "graded but has no points");
    refused(
        &criterion(|c| c.question = Some(RawQuestion::default())),
        "it has a question",
    );
    refused(&criterion(|c| c.status = 2), "it has points");
    let open_without = criterion(|c| {
        c.status = 1;
        c.points = None;
    });
    refused(&open_without, "it is open but has no question");
    let open_with_points = criterion(|c| {
        c.status = 1;
        c.question = Some(RawQuestion::default());
    });
    refused(&open_with_points, "it has points");
    // A verdict cannot claim that a judge decided: the contract has no word
    // for it, so the most it can do is break the calling convention.
    let judged = Core::returning(&criterion(|c| c.status = 3)).build();
    assert_eq!(
        grade(&judged, &Limits::default()).unwrap_err().kind(),
        "abi_violation"
    );
}

#[test]
fn the_judges_category_is_the_judges() {
    refused(
        &criterion(|c| c.category = "rubric".to_owned()),
        "is the judge's",
    );
}

#[test]
fn texts_are_bounded_and_titles_are_lines() {
    refused(
        &criterion(|c| c.title = "x".repeat(301)),
        "the title is 301 bytes long",
    );
    refused(
        &criterion(|c| c.title = "a\nb".to_owned()),
        "more than one line",
    );
    refused(
        &criterion(|c| c.title = "  ".to_owned()),
        "the title is empty",
    );
    refused(
        &criterion(|c| c.category = String::new()),
        "the category is empty",
    );
    refused(
        &criterion(|c| c.reason = "x".repeat(16_385)),
        "the reason is 16385 bytes long",
    );
    let notes = |notes: Vec<String>| RawVerdict {
        criteria: vec![RawCriterion::default()],
        notes,
        ..RawVerdict::default()
    };
    refused(
        &notes(vec!["x".repeat(16_385)]),
        "a note is 16385 bytes long",
    );
    refused(&notes(vec![String::new(); 101]), "it has 101 notes");
}

#[test]
fn questions_can_be_answered() {
    refused(&open(|q| q.text = String::new()), "the question is empty");
    refused(&open(|q| q.levels.truncate(1)), "it has 1 levels");
    refused(&open(|q| q.levels[0].0 = 1.5), "a level is worth 1.5");
    refused(&open(|q| q.levels[0].0 = f64::NAN), "a level is worth NaN");
    refused(
        &open(|q| q.levels = vec![(0.0, "x".to_owned()); 21]),
        "it has 21 levels",
    );
    let exhibit = (
        "E".to_owned(),
        "workspace:summary.md:2".to_owned(),
        "text".to_owned(),
    );
    refused(
        &open(|q| q.exhibits = vec![exhibit.clone(); 51]),
        "it has 51 exhibits",
    );
    let nowhere = (
        "E".to_owned(),
        "workspace:other.md".to_owned(),
        "text".to_owned(),
    );
    refused(&open(|q| q.exhibits = vec![nowhere]), "points at nothing");

    let fine = open(|q| q.exhibits = vec![exhibit]);
    let graded = grade(&Core::returning(&fine).build(), &Limits::default()).unwrap();
    assert_eq!(graded.verdict.criteria[0].status, Status::Open);
}

#[test]
fn there_are_criteria_but_not_a_million() {
    let count = |count: usize| RawVerdict {
        criteria: (0..count)
            .map(|n| RawCriterion {
                id: format!("c{n}"),
                ..RawCriterion::default()
            })
            .collect(),
        ..RawVerdict::default()
    };
    refused(&count(0), "it has 0 criteria");
    refused(&count(201), "it has 201 criteria");
    assert!(grade(&Core::returning(&count(200)).build(), &Limits::default()).is_ok());
}

#[test]
fn many_problems_are_listed_up_to_a_point_and_counted_beyond() {
    let verdict = RawVerdict {
        criteria: (0..50)
            .map(|n| RawCriterion {
                id: format!("c {n}"),
                ..RawCriterion::default()
            })
            .collect(),
        ..RawVerdict::default()
    };
    let error = grade(&Core::returning(&verdict).build(), &Limits::default()).unwrap_err();
    assert!(error.to_string().ends_with("; and 40 more"), "{error}");
}

#[test]
fn citations_point_at_something_in_the_bundle() {
    for good in [
        "journal:1",
        "journal:3",
        "transcript:2",
        "workspace:summary.md",
        "workspace:summary.md:4",
        "fixtures:data.csv:2",
        "after:tasks.task/t1",
        "before:tasks.tasklist/l1",
        "after:gmail.message/m1",
        "after:gmail.message/m2",
        "after:gmail.thread/th1",
        "before:gmail.draft/r1",
        "before:gmail.label/INBOX",
        "after:github.repository/acme/hydra",
        "after:github.branch/acme/hydra@main",
        "after:github.tag/acme/hydra@v1",
        "after:github.commit/acme/hydra@c0ffee",
        "after:github.pull_request/acme/hydra#12",
        "after:github.issue/acme/hydra#3",
        "after:github.comment/41",
        "after:github.label/acme/hydra@bug",
        "after:github.file/acme/hydra@main:src/app:1",
        "before:github.file/acme/hydra@v1:src/app:1",
        "after:github.file/acme/hydra@c0ffee:src/app:1",
        "after:notion.page/p1",
        "after:notion.block/b1",
        "after:notion.comment/c1",
        "after:notion.database/d1",
        "after:notion.data_source/s1",
        "after:gitlab.merge/mr/1",
        "after:gitlab.project/7",
    ] {
        let wasm = Core::returning(&criterion(|c| c.citations = vec![good.to_owned()])).build();
        let graded = grade(&wasm, &Limits::default()).map_err(|error| error.to_string());
        let graded = graded.unwrap_or_else(|error| panic!("{good}: {error}"));
        assert_eq!(graded.verdict.criteria[0].citations[0].to_string(), good);
    }
    for (bad, why) in [
        ("journal:4", "has 3 lines"),
        ("transcript:3", "has 2 lines"),
        ("workspace:other.md", "has no file"),
        ("workspace:../task.json", "has no file"),
        ("workspace:summary.md:5", "has 4 lines"),
        ("fixtures:summary.md", "has no file"),
        (
            "before:tasks.task/t1",
            "has no `tasks.task` with the id `t1`",
        ),
        ("after:gmail.message/l1", "has no `gmail.message`"),
        ("after:gitlab.merge/99", "has no `gitlab.merge`"),
        ("after:notion.page/7", "has no `notion.page`"),
        ("after:notion.page/b1", "has no `notion.page`"),
        (
            "after:github.pull_request/acme/hydra#3",
            "has no `github.pull_request`",
        ),
        (
            "after:github.file/acme/hydra@other:src/app:1",
            "has no file",
        ),
        ("after:github.file/acme/hydra@main:src/app", "has no file"),
        (
            "after:github.file/acme/hydra@main",
            "expected `OWNER/NAME@REF:PATH`",
        ),
        // The content is not in the bundle, so it has no lines.
        (
            "after:github.file/acme/hydra@main:src/app:1:1",
            "has 0 lines",
        ),
        ("somewhere:7", "is no citation"),
        ("journal:0", "expected a number from 1"),
    ] {
        refused(&criterion(|c| c.citations = vec![bad.to_owned()]), why);
    }
    refused(
        &criterion(|c| c.citations = vec!["journal:1".to_owned(); 201]),
        "it has 201 citations",
    );
}

#[test]
fn lines_of_a_file_in_a_repository_can_be_cited() {
    let content = b"a\nb\n";
    let blob = format!("world/blobs/{}", crate::kit::bundle::sha256(content));
    let (_directory, bundle) = Builder::new().file(&blob, content).open();
    let grade_citing = |line: u64| {
        let citation = format!("after:github.file/acme/hydra@main:src/app:1:{line}");
        let wasm = Core::returning(&criterion(|c| c.citations = vec![citation])).build();
        grade_bundle(&wasm, &bundle, &Limits::default())
    };
    assert!(grade_citing(1).is_ok() && grade_citing(2).is_ok());
    assert!(grade_citing(0).is_err() && grade_citing(3).is_err());
}

#[test]
fn a_file_whose_name_ends_like_a_line_number_can_be_cited() {
    let (_directory, bundle) = Builder::new().file("workspace/odd:7", "x").open();
    let verdict = criterion(|c| c.citations = vec!["workspace:odd:7".to_owned()]);
    let wasm = Core::returning(&verdict).build();
    assert!(grade_bundle(&wasm, &bundle, &Limits::default()).is_ok());
}

#[test]
fn what_an_agent_wrote_cannot_spoil_the_verdict_or_the_terminal() {
    let verdict = criterion(|c| {
        c.reason = "it says \u{1b}[2J\u{202e}".to_owned();
        c.title = "bell \u{7}".to_owned();
    });
    let graded = grade(&Core::returning(&verdict).build(), &Limits::default()).unwrap();
    assert_eq!(
        graded.verdict.criteria[0].reason,
        "it says \\u{1b}[2J\\u{202e}"
    );
    assert_eq!(graded.verdict.criteria[0].title, "bell \\u{7}");
}

#[test]
fn a_graded_bundle_becomes_a_verdict_with_the_rubric_open() {
    let (_directory, bundle) = Builder::new().open();
    let wasm = Core::new().build();
    let graded = grade_bundle(&wasm, &bundle, &Limits::default()).unwrap();
    let verdict = score(
        bundle.task().unwrap(),
        bundle.sha256(),
        graded.grader,
        graded.verdict,
    );
    assert_eq!(verdict.criteria.len(), 2);
    assert_eq!(verdict.criteria[1].id, "rubric_quality");
    assert_eq!((verdict.score.low, verdict.score.high), (0.6, 1.0));
    assert_eq!(verdict.evidence_sha256, bundle.sha256());
    assert_eq!(verdict.grader.sha256, crate::kit::bundle::sha256(&wasm));
}

fn adjusted(change: impl FnOnce(&mut RawAdjustment)) -> RawVerdict {
    let mut adjustment = RawAdjustment::default();
    change(&mut adjustment);
    RawVerdict {
        criteria: vec![RawCriterion::default()],
        adjustments: vec![adjustment],
        ..RawVerdict::default()
    }
}

#[test]
fn adjustments_are_finite_bounded_unique_and_cite_what_is_there() {
    for points in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e7] {
        refused(&adjusted(|a| a.points = points), "points are");
    }
    for points in [f64::NAN, -0.5, 1e7] {
        refused(
            &adjusted(|a| {
                a.kind = 0;
                a.points = points;
            }),
            "they must be 0 or more",
        );
    }
    refused(
        &adjusted(|a| "listed_tasks".clone_into(&mut a.id)),
        "adjustment `listed_tasks`: the id is taken",
    );
    refused(
        &adjusted(|a| "rubric_quality".clone_into(&mut a.id)),
        "the id is taken",
    );
    refused(&adjusted(|a| "a b".clone_into(&mut a.id)), "the id must be");
    refused(&adjusted(|a| a.title.clear()), "the title is empty");
    refused(
        &adjusted(|a| a.reason = "x".repeat(16_385)),
        "the reason is 16385 bytes long",
    );
    refused(
        &adjusted(|a| a.citations = vec!["journal:99".to_owned()]),
        "points at nothing",
    );
    refused(
        &adjusted(|a| a.citations = vec!["nowhere".to_owned()]),
        "adjustment `fell_for_it`: `nowhere` is no citation",
    );
    let many = RawVerdict {
        adjustments: (0..51)
            .map(|n| RawAdjustment {
                id: format!("a{n}"),
                ..RawAdjustment::default()
            })
            .collect(),
        ..adjusted(|_| {})
    };
    refused(&many, "it has 51 adjustments; at most 50 may be");
}

#[test]
fn adjustments_and_thresholds_come_through_as_they_are() {
    let mut verdict = adjusted(|a| a.citations = vec!["journal:1".to_owned()]);
    verdict.adjustments.push(RawAdjustment {
        id: "capped".to_owned(),
        kind: 0,
        points: -0.0,
        ..RawAdjustment::default()
    });
    verdict.thresholds = Some((18.0, Some(14.0)));
    let graded = grade(&Core::returning(&verdict).build(), &Limits::default()).unwrap();
    let [penalty, cap] = &graded.verdict.adjustments[..] else {
        panic!("{:?}", graded.verdict.adjustments)
    };
    assert_eq!(
        (penalty.kind, penalty.points),
        (AdjustmentKind::Penalty, 0.5)
    );
    assert_eq!(penalty.citations.len(), 1);
    assert_eq!(cap.kind, AdjustmentKind::Cap);
    assert!(cap.points == 0.0 && cap.points.is_sign_positive());
    let thresholds = graded.verdict.thresholds.unwrap();
    assert_eq!((thresholds.pass, thresholds.borderline), (18.0, Some(14.0)));
}

#[test]
fn thresholds_can_be_met_in_order() {
    for (thresholds, expected) in [
        ((0.0, None), "the threshold `pass` is 0"),
        ((f64::NAN, None), "the threshold `pass` is NaN"),
        ((f64::INFINITY, None), "the threshold `pass` is inf"),
        ((2.0, Some(3.0)), "the threshold `borderline` is 3"),
        ((2.0, Some(-1.0)), "the threshold `borderline` is -1"),
        ((2.0, Some(f64::NAN)), "the threshold `borderline` is NaN"),
    ] {
        let verdict = RawVerdict {
            criteria: vec![RawCriterion::default()],
            thresholds: Some(thresholds),
            ..RawVerdict::default()
        };
        refused(&verdict, expected);
    }
}
