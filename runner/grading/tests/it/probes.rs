//! Citations that point at what a probe did.

use proctor_grading::EvidenceError;
use proctor_types::Citation;
use serde_json::{Value, json};

use crate::kit::bundle::Builder;

fn probe(name: &str, stdout: &str) -> Value {
    json!({
        "name": name, "run": "true", "timeout_seconds": 60, "status": "exited", "exit_code": 0,
        "stdout": stdout, "stderr": "one\ntwo\nthree\n", "stdout_bytes": stdout.len(),
        "stderr_bytes": 14, "stdout_truncated": false, "stderr_truncated": false,
    })
}

fn document(schema: &str) -> String {
    let probes = [probe("unit-tests", "a\nb\nc"), probe("silent", "")];
    json!({"schema": schema, "probes": probes}).to_string()
}

fn citation(text: &str) -> Citation {
    text.parse().unwrap()
}

#[test]
fn a_probe_and_a_line_of_its_output_can_be_cited() {
    let probes = document("proctor.probes/1");
    let (_dir, bundle) = Builder::new().file("probes.json", probes).open();
    for text in [
        "probe:unit-tests",
        "probe:unit-tests:1",
        "probe:unit-tests:3",
        "probe:silent",
    ] {
        assert_eq!(bundle.unresolved(&citation(text)).unwrap(), None, "{text}");
    }
    for (text, problem) in [
        (
            "probe:unit-tests:4",
            "the output of probe `unit-tests` has 3 lines",
        ),
        ("probe:silent:1", "the output of probe `silent` has 0 lines"),
        ("probe:unit", "probes.json has no probe `unit`"),
    ] {
        let found = bundle.unresolved(&citation(text)).unwrap();
        assert_eq!(found.as_deref(), Some(problem), "{text}");
    }
}

#[test]
fn without_probes_there_is_nothing_to_cite() {
    let (_dir, bundle) = Builder::new().open();
    let found = bundle.unresolved(&citation("probe:unit-tests")).unwrap();
    assert_eq!(found.as_deref(), Some("the bundle has no probes.json"));
}

#[test]
fn a_document_that_is_no_list_of_probes_is_an_error_of_the_bundle() {
    for text in [
        "",
        "[]",
        "{\"schema\":\"proctor.probes/1\"}",
        &document("proctor.probes/2"),
    ] {
        let (_dir, bundle) = Builder::new().file("probes.json", text).open();
        let error: EvidenceError = bundle.unresolved(&citation("probe:a")).unwrap_err();
        assert!(error.to_string().contains("probes.json"), "{text}: {error}");
    }
}
