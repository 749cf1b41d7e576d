//! Made-up records for tests.

use std::collections::BTreeMap;

use proctor_types::Status;
use proctor_types::manifest::Isolation;
use proctor_types::verdict::{GraderKind, Interval, Points};

use super::{
    CategoryRecord, CriterionRecord, GradersRecord, Outcome, Requests, TRIAL_SCHEMA, TrialRecord,
};

/// Id, category, points (open where `None`) and most points of a criterion.
pub(crate) type Row<'a> = (&'a str, &'a str, Option<f64>, f64);

/// A graded trial of the agent `agent` with these criteria.
pub(crate) fn record(attempt: u32, rows: &[Row<'_>]) -> TrialRecord {
    let criteria: Vec<CriterionRecord> = rows.iter().map(criterion).collect();
    let mut points = Points::default();
    for one in &criteria {
        points.low += one.points.unwrap_or(0.0);
        points.high += one.points.unwrap_or(one.max);
        points.max += one.max;
    }
    TrialRecord {
        schema: TRIAL_SCHEMA.to_owned(),
        task: "task".to_owned(),
        agent: "agent".to_owned(),
        attempt,
        outcome: Outcome::Scored,
        score: Some(Interval {
            low: points.low / points.max.max(1.0),
            high: points.high / points.max.max(1.0),
        }),
        points: Some(points),
        result: None,
        categories: CategoryRecord::all(&criteria),
        criteria,
        adjustments: Vec::new(),
        seeded: None,
        seconds: BTreeMap::new(),
        dir: format!("trials/task.agent.{attempt}"),
        isolation: Isolation::Sandbox,
        requests: Requests::default(),
        agent_end: None,
        model: None,
        claimed: None,
        failure: None,
        grader: GraderKind::Component,
        grader_sha256: None,
        source_sha256: None,
        graders: GradersRecord::default(),
        warnings: Vec::new(),
    }
}

fn criterion((id, category, points, max): &Row<'_>) -> CriterionRecord {
    CriterionRecord {
        id: (*id).to_owned(),
        title: format!("Title of {id}"),
        category: (*category).to_owned(),
        status: if points.is_some() {
            Status::Graded
        } else {
            Status::Open
        },
        points: *points,
        max: *max,
        reason: format!("Reason of {id}."),
        citations: Vec::new(),
    }
}
