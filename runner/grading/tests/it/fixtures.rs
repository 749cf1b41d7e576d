//! The hostile graders that are kept as files, built with the real SDK, under
//! the limits that users get.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proctor_grading::{Limits, score, to_canonical_json};

use crate::kit::bundle::{Builder, open};
use crate::kit::host;
use crate::kit::trial::trial;

/// What has to come of each.
const EXPECTED: &[(&str, &str, &str)] = &[
    (
        "citation-to-nowhere",
        "invalid_verdict",
        "`journal:4000000000` points at nothing",
    ),
    ("core-module", "not_a_component", "a core module"),
    ("duplicate-ids", "invalid_verdict", "the id is taken"),
    ("endless-loop", "out_of_fuel", "2000000000"),
    ("huge-string", "output_too_large", "8388608 bytes"),
    ("imports-wasi", "forbidden_import", "`wasi:clocks/"),
    ("log-flood", "log_quota", "16777216 bytes"),
    ("memory-bomb", "out_of_memory", "268435456 bytes"),
    ("nan-points", "invalid_verdict", "points are NaN"),
    ("negative-max", "invalid_verdict", "max is -1"),
    ("points-above-max", "invalid_verdict", "points are 1.5"),
    ("trap", "trapped", "the grader's own last words"),
    ("wrong-abi", "wrong_abi", "`proctor:grader@2.0.0`"),
];

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Modules by name.
fn modules() -> BTreeMap<String, Vec<u8>> {
    let directory = repository().join("tests/hostile/graders");
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn every_hostile_grader_comes_to_its_own_end() {
    let modules = modules();
    let names: Vec<&str> = modules.keys().map(String::as_str).collect();
    let expected: Vec<&str> = EXPECTED.iter().map(|(name, ..)| *name).collect();
    assert_eq!(
        names, expected,
        "a module without an expectation, or the other way round"
    );

    let (_directory, bundle) = Builder::new().open();
    let host = host();
    for (name, kind, text) in EXPECTED {
        let graded = host
            .load(&modules[*name], None)
            .and_then(|grader| grader.grade_blocking(&bundle, &Limits::default()));
        let error = graded.expect_err(name);
        assert_eq!(error.kind(), *kind, "{name}: {error}");
        assert!(error.to_string().contains(text), "{name}: {error}");
    }
}

#[test]
fn the_last_words_of_a_panic_come_first() {
    let (_directory, bundle) = Builder::new().open();
    let grader = host().load(&modules()["trap"], None).unwrap();
    let error = grader
        .grade_blocking(&bundle, &Limits::default())
        .unwrap_err();
    assert!(error.to_string().starts_with("panicked at "), "{error}");
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
