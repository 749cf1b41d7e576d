//! A grader as it is shipped, built with the real SDK.

use std::path::PathBuf;

use proctor_grading::{Limits, score, to_canonical_json};

use crate::kit::bundle::open;
use crate::kit::host;
use crate::kit::trial::trial;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_google_workspace_grader_gives_the_same_bytes_a_hundred_times() {
    let wasm = std::fs::read(repository().join("tasks/gws-task-management/grader.wasm")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    trial().write(directory.path()).unwrap();
    let grader = host().load(&wasm, None).unwrap();
    let verdict = || {
        // A fresh bundle each time: nothing is remembered from the last grade.
        let bundle = open(directory.path());
        let result = grader.grade_blocking(&bundle, &Limits::default()).unwrap();
        score(
            bundle.task().unwrap(),
            bundle.sha256(),
            result.grader,
            result.verdict,
        )
    };
    let first = verdict();
    assert_eq!(first.criteria.len(), 6);
    assert!(first.grader.fuel > 0 && first.points.low > 0.0, "{first:?}");
    let bytes = to_canonical_json(&first).unwrap();
    for _ in 0..100 {
        assert_eq!(to_canonical_json(&verdict()).unwrap(), bytes);
    }
}
