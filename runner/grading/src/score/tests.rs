use proctor_types::task::{RubricLevel, Weights};

use proctor_types::verdict::GraderKind;

use super::*;
use crate::validate::ValidVerdict;

fn task(grading_type: GradingType, automated: f64) -> TaskInfo {
    let level = |score: f64, text: &str| RubricLevel {
        score,
        text: text.to_owned(),
    };
    let criterion = |id: &str, weight: f64| RubricCriterion {
        id: id.to_owned(),
        name: format!("Name of {id}"),
        weight,
        levels: vec![level(1.0, "all of it"), level(0.0, "none of it")],
    };
    TaskInfo {
        schema: proctor_types::task::SCHEMA.to_owned(),
        id: "t".to_owned(),
        name: "T".to_owned(),
        category: "c".to_owned(),
        grading_type,
        weights: Weights {
            automated,
            llm_judge: 1.0 - automated,
        },
        timeout_seconds: 60,
        services: Vec::new(),
        criteria: Vec::new(),
        expected: String::new(),
        rubric: vec![
            criterion("rubric_extraction", 0.4),
            criterion("rubric_management", 0.3),
            criterion("rubric_summary", 0.3),
        ],
        thresholds: None,
    }
}

fn graded(points: &[f64]) -> ValidVerdict {
    let criterion = |(n, points): (usize, &f64)| Criterion {
        id: format!("c{n}"),
        title: "C".to_owned(),
        category: "automated".to_owned(),
        status: Status::Graded,
        points: Some(*points),
        max: 1.0,
        reason: "r".to_owned(),
        citations: Vec::new(),
        question: None,
    };
    let verdict = proctor_types::GraderVerdict {
        criteria: points.iter().enumerate().map(criterion).collect(),
        ..proctor_types::GraderVerdict::default()
    };
    ValidVerdict::unchecked(verdict)
}

fn grader() -> GraderRef {
    GraderRef {
        kind: GraderKind::Component,
        source_sha256: None,
        sha256: "0".repeat(64),
        abi: "abi".to_owned(),
        fuel: 1,
    }
}

fn scored(task: &TaskInfo, points: &[f64]) -> Verdict {
    score(task, "e", grader(), graded(points))
}

#[test]
fn a_hybrid_verdict_without_a_judge_is_an_interval() {
    let task = task(GradingType::Hybrid, 0.6);
    let full = scored(&task, &[1.0; 6]);
    assert_eq!(
        full.points,
        Points {
            low: 6.0,
            high: 10.0,
            max: 10.0
        }
    );
    assert_eq!(
        full.score,
        Interval {
            low: 0.6,
            high: 1.0
        }
    );
    let maxima: Vec<f64> = full
        .criteria
        .iter()
        .map(|criterion| criterion.max)
        .collect();
    assert_eq!(maxima, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.6, 1.2, 1.2]);
    for open in &full.criteria[6..] {
        assert_eq!(
            (open.status, open.points, open.category.as_str()),
            (Status::Open, None, RUBRIC)
        );
        assert_eq!(open.question.as_ref().unwrap().levels.len(), 2);
    }

    let nothing = scored(&task, &[0.0; 6]);
    assert_eq!(
        nothing.points,
        Points {
            low: 0.0,
            high: 4.0,
            max: 10.0
        }
    );
    assert_eq!(
        nothing.score,
        Interval {
            low: 0.0,
            high: 0.4
        }
    );
}

#[test]
fn shares_that_are_not_round_add_up() {
    let mut task = task(GradingType::Hybrid, 0.7);
    for criterion in &mut task.rubric {
        criterion.weight = 1.0 / 3.0;
    }
    let verdict = scored(&task, &[0.1, 0.2, 0.7]);
    assert_eq!(
        verdict.points.low.to_string(),
        "1",
        "0.1 + 0.2 + 0.7 is one"
    );
    assert!((verdict.points.max - 3.0 / 0.7).abs() < 1e-8);
    assert!((verdict.score.high - (1.0 + 3.0 * 0.3 / 0.7) / (3.0 / 0.7)).abs() < 1e-8);
}

#[test]
fn an_automated_verdict_has_no_rubric_and_a_judged_one_has_nothing_else() {
    let automated = scored(&task(GradingType::Automated, 1.0), &[1.0, 0.5]);
    assert_eq!(
        automated.points,
        Points {
            low: 1.5,
            high: 1.5,
            max: 2.0
        }
    );
    assert_eq!(
        automated.score,
        Interval {
            low: 0.75,
            high: 0.75
        }
    );
    assert!(automated.notes.is_empty());

    let judged = scored(&task(GradingType::LlmJudge, 0.0), &[1.0, 0.5]);
    assert_eq!(
        judged.points,
        Points {
            low: 0.0,
            high: 100.0,
            max: 100.0
        }
    );
    let maxima: Vec<f64> = judged
        .criteria
        .iter()
        .map(|criterion| criterion.max)
        .collect();
    assert_eq!(maxima, [40.0, 30.0, 30.0]);
    assert!(judged.notes[0].contains("2 criteria"), "{:?}", judged.notes);
}

#[test]
fn a_weight_of_nothing_leaves_no_question_and_no_division_by_zero() {
    let all_automated = scored(&task(GradingType::Hybrid, 1.0), &[1.0]);
    assert_eq!(all_automated.criteria.len(), 1);
    assert_eq!(
        all_automated.score,
        Interval {
            low: 1.0,
            high: 1.0
        }
    );
    let all_judged = scored(&task(GradingType::Hybrid, 0.0), &[1.0]);
    let all = Points {
        low: 0.0,
        high: 100.0,
        max: 100.0,
    };
    assert_eq!(all_judged.points, all);
    let mut empty = task(GradingType::LlmJudge, 0.0);
    empty.rubric.clear();
    assert_eq!(
        scored(&empty, &[]).score,
        Interval {
            low: 0.0,
            high: 0.0
        }
    );
}

#[test]
fn a_criterion_that_nobody_could_decide_is_not_a_zero() {
    let mut verdict = graded(&[1.0, 1.0]).into_inner();
    verdict.criteria[1].status = Status::Error;
    verdict.criteria[1].points = None;
    let (points, score) = totals(&verdict.criteria, &[]);
    assert_eq!(
        points,
        Points {
            low: 1.0,
            high: 2.0,
            max: 2.0
        }
    );
    assert_eq!(
        score,
        Interval {
            low: 0.5,
            high: 1.0
        }
    );
}

#[test]
fn the_standing_is_only_said_when_no_judge_could_change_it() {
    let both = Thresholds {
        pass: 18.0,
        borderline: Some(14.0),
    };
    let one = Thresholds {
        pass: 18.0,
        borderline: None,
    };
    let stand = |low, high, thresholds| {
        standing(
            Points {
                low,
                high,
                max: 20.0,
            },
            thresholds,
        )
    };
    for (low, high, with_borderline, without) in [
        (18.0, 20.0, Standing::Pass, Standing::Pass),
        (14.0, 17.9, Standing::Borderline, Standing::Fail),
        (0.0, 13.9, Standing::Fail, Standing::Fail),
        (14.0, 18.0, Standing::Undecided, Standing::Undecided),
        (13.9, 17.0, Standing::Undecided, Standing::Fail),
    ] {
        assert_eq!(stand(low, high, both), with_borderline, "{low}..{high}");
        assert_eq!(stand(low, high, one), without, "{low}..{high}");
    }
}

#[test]
fn canonical_json_keeps_the_order_of_the_fields_and_ends_with_a_line_feed() {
    let verdict = scored(&task(GradingType::Automated, 1.0), &[1.0, 1.0 / 3.0]);
    let text = String::from_utf8(crate::to_canonical_json(&verdict).unwrap()).unwrap();
    assert!(text.starts_with("{\n  \"schema\": \"proctor.verdict/1\",\n  \"task\": \"t\",\n"));
    assert!(text.ends_with("}\n"));
    assert!(
        text.contains("\"points\": 1.0,") && text.contains("0.3333333333333333"),
        "{text}"
    );
    let back: Verdict = serde_json::from_str(&text).unwrap();
    assert_eq!(back, verdict);
    assert_eq!(crate::to_canonical_json(&back).unwrap(), text.as_bytes());
}

fn adjustment(kind: AdjustmentKind, points: f64) -> Adjustment {
    Adjustment {
        id: format!("{kind:?}-{points}"),
        title: "A".to_owned(),
        kind,
        points,
        reason: "r".to_owned(),
        citations: Vec::new(),
    }
}

fn adjusted_verdict(
    task: &TaskInfo,
    points: &[f64],
    adjustments: Vec<Adjustment>,
    thresholds: Option<Thresholds>,
) -> Verdict {
    let verdict = proctor_types::GraderVerdict {
        adjustments,
        thresholds,
        ..graded(points).into_inner()
    };
    score(task, "e", grader(), ValidVerdict::unchecked(verdict))
}

#[test]
fn penalties_are_taken_before_caps_hold_and_nothing_goes_below_zero() {
    use AdjustmentKind::{Cap, Penalty};
    let task = task(GradingType::Automated, 1.0);
    for (adjustments, expected) in [
        (vec![], 3.0),
        (vec![(Penalty, 0.5), (Penalty, 1.0)], 1.5),
        (vec![(Cap, 2.0)], 2.0),
        (vec![(Cap, 2.0), (Cap, 1.0), (Cap, 5.0)], 1.0),
        // The cap is for the total, not for what the penalty is taken from.
        (vec![(Cap, 2.0), (Penalty, 0.5)], 2.0),
        (vec![(Cap, 2.0), (Penalty, 1.5)], 1.5),
        (vec![(Penalty, 4.0)], 0.0),
        (vec![(Cap, 0.0)], 0.0),
    ] {
        let made = adjustments
            .iter()
            .map(|(kind, points)| adjustment(*kind, *points));
        let verdict = adjusted_verdict(&task, &[1.0; 3], made.collect(), None);
        let points = Points {
            low: expected,
            high: expected,
            max: 3.0,
        };
        assert_eq!(verdict.points, points, "{adjustments:?}");
        assert_eq!(verdict.adjustments.len(), adjustments.len());
        assert!((verdict.score.low - expected / 3.0).abs() < 1e-8);
    }
}

#[test]
fn a_judge_cannot_lift_a_total_over_a_cap() {
    let hybrid = task(GradingType::Hybrid, 0.6);
    let capped = adjusted_verdict(
        &hybrid,
        &[1.0; 6],
        vec![adjustment(AdjustmentKind::Cap, 7.0)],
        None,
    );
    let points = Points {
        low: 6.0,
        high: 7.0,
        max: 10.0,
    };
    assert_eq!(capped.points, points);
    let fined = adjusted_verdict(
        &hybrid,
        &[1.0; 6],
        vec![adjustment(AdjustmentKind::Penalty, 2.0)],
        None,
    );
    assert_eq!((fined.points.low, fined.points.high), (4.0, 8.0));

    // Where the judge alone decides, the grader's words have no scale.
    let judged = adjusted_verdict(
        &task(GradingType::LlmJudge, 0.0),
        &[1.0],
        vec![adjustment(AdjustmentKind::Cap, 1.0)],
        Some(Thresholds {
            pass: 1.0,
            borderline: None,
        }),
    );
    assert_eq!((judged.points.high, judged.adjustments.len()), (100.0, 0));
    assert_eq!((judged.thresholds, judged.result), (None, None));
}

#[test]
fn thresholds_of_the_grader_take_the_place_of_the_tasks() {
    let mut task = task(GradingType::Automated, 1.0);
    task.thresholds = Some(Thresholds {
        pass: 3.0,
        borderline: None,
    });
    let own = Thresholds {
        pass: 2.0,
        borderline: Some(1.0),
    };
    let verdict = adjusted_verdict(&task, &[1.0, 1.0, 0.0], Vec::new(), None);
    assert_eq!(
        (verdict.result, verdict.thresholds),
        (Some(Standing::Fail), None)
    );
    let verdict = adjusted_verdict(&task, &[1.0, 1.0, 0.0], Vec::new(), Some(own));
    assert_eq!(
        (verdict.result, verdict.thresholds),
        (Some(Standing::Pass), Some(own))
    );
    let fined = vec![adjustment(AdjustmentKind::Penalty, 1.0)];
    let verdict = adjusted_verdict(&task, &[1.0, 1.0, 0.0], fined, Some(own));
    assert_eq!(verdict.result, Some(Standing::Borderline));
}
