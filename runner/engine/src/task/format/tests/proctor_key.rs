//! The key `proctor`.

use crate::task::format::{At, GraderName, Limits, PROBE_SECONDS};
use crate::task::testing::{parse, parse_error, task_text};

#[test]
fn everything_under_proctor_is_read() {
    let extra = "proctor:\n  services: [google, github]\n  seed: seed/\n  grader: grader.wasm\n  system_prompt: sys.md\n  verdict: {pass: 18, borderline: 14.5}\n  attempts: 5\n  network: {allow: [API.example.com]}\n  limits: {workspace: 256MiB, memory: 4GiB, processes: 512}\n  probes: [{name: unit-tests, run: python -m pytest -q, timeout_seconds: 90}, {name: b, run: 'true'}]\n  oracle: solution/steps.yaml\n  floor: 1.5";
    let proctor = parse(&task_text("a", extra)).unwrap().front.proctor;
    assert_eq!(proctor.services, ["google", "github"]);
    assert_eq!(
        proctor.seed,
        Some(At {
            value: "seed".to_owned(),
            line: 9
        })
    );
    let grader = GraderName::File("grader.wasm".to_owned());
    assert_eq!(
        proctor.grader,
        Some(At {
            value: grader,
            line: 10
        })
    );
    assert_eq!(proctor.system_prompt.unwrap().value, "sys.md");
    let thresholds = proctor.thresholds.unwrap();
    assert_eq!((thresholds.pass, thresholds.borderline), (18.0, Some(14.5)));
    assert_eq!(proctor.attempts, Some(5));
    assert_eq!(proctor.floor, Some(1.5));
    assert_eq!(proctor.network_allow, ["api.example.com"]);
    assert_eq!(
        proctor.limits,
        Limits {
            workspace_bytes: Some(256 << 20),
            memory_bytes: Some(4 << 30),
            processes: Some(512)
        }
    );
    assert_eq!(proctor.probes[0].timeout_seconds, 90);
    assert_eq!(proctor.probes[1].timeout_seconds, PROBE_SECONDS);
    assert_eq!(proctor.oracle.unwrap().value, "solution/steps.yaml");
}

/// Lines of a front matter from its seventh on (`DIGEST` for 64 digits), and
/// the beginning of the error.
const WRONG: &[(&str, &str)] = &[
    (
        "proctor: yes please",
        "t.md:7: `proctor` is the text `yes please`; expected a mapping of Proctor's own keys",
    ),
    (
        "proctor:\n  services: google",
        "t.md:8: `proctor.services` is the text `google`; expected a list of services (`google`, `github`, `notion`)",
    ),
    (
        "proctor:\n  services:\n    - gogle",
        "t.md:9: `proctor.services[1]` is the text `gogle`; expected one of `google`, `github`, `notion`; did you mean `google`?",
    ),
    (
        "proctor:\n  services: [google, google]",
        "t.md:8: `proctor.services[2]` is the text `google`; expected each service once",
    ),
    (
        "proctor:\n  seed: /srv/seed",
        "t.md:8: `proctor.seed` names `/srv/seed`, which is absolute; expected a path relative to the task's folder",
    ),
    (
        "proctor:\n  seed: ../other/seed",
        "t.md:8: `proctor.seed` names `../other/seed`, which goes up with `..`",
    ),
    (
        "proctor:\n  grader: https://example.com/g.wasm",
        "t.md:8: `proctor.grader` is the text `https://example.com/g.wasm`; expected a file of the task's folder, or `oci://",
    ),
    (
        "proctor:\n  grader: oci://ghcr.io/a/b:latest",
        "t.md:8: `proctor.grader` is the text `oci://ghcr.io/a/b:latest`; expected `oci://REGISTRY/NAME@sha256:DIGEST` with all 64",
    ),
    (
        "proctor:\n  grader: oci://ghcr.io/a/b@sha256:00",
        "t.md:8: `proctor.grader` is the text",
    ),
    (
        "proctor:\n  grader: oci://ghcr.io/../b@sha256:DIGEST",
        "t.md:8: `proctor.grader` is the text",
    ),
    (
        "proctor:\n  verdict: {borderline: 14}",
        "t.md:8: `proctor.verdict.pass` is missing; expected a number of points",
    ),
    (
        "proctor:\n  verdict: {pass: 14, borderline: 18}",
        "t.md:8: `proctor.verdict.borderline` is the number 18; expected at most `pass`, which is 14",
    ),
    (
        "proctor:\n  floor: -1",
        "t.md:8: `proctor.floor` is the number -1; expected a number of points",
    ),
    (
        "proctor:\n  attempts: 0",
        "t.md:8: `proctor.attempts` is the number 0; expected a number of attempts, 1 to 1000",
    ),
    (
        "proctor:\n  attempts: many",
        "t.md:8: `proctor.attempts` is the text `many`;",
    ),
    (
        "proctor:\n  network: {allow: ['https://api.example.com']}",
        "t.md:8: `proctor.network.allow[1]` is the text `https://api.example.com`; expected a full host name",
    ),
    (
        "proctor:\n  network: {allow: ['*.example.com']}",
        "t.md:8: `proctor.network.allow[1]`",
    ),
    (
        "proctor:\n  network: {allow: [127.0.0.1]}",
        "t.md:8: `proctor.network.allow[1]`",
    ),
    (
        "proctor:\n  network: {allow: [localhost]}",
        "t.md:8: `proctor.network.allow[1]`",
    ),
    (
        "proctor:\n  limits: {workspace: 256}",
        "t.md:8: `proctor.limits.workspace` is the number 256; expected a size such as `256MiB`",
    ),
    (
        "proctor:\n  limits: {memory: lots}",
        "t.md:8: `proctor.limits.memory` is the text `lots`;",
    ),
    (
        "proctor:\n  limits: {workspace: 5GiB}",
        "t.md:8: `proctor.limits.workspace` is the text `5GiB`; expected a size from 64KiB to 4GiB",
    ),
    (
        "proctor:\n  limits: {workspace: 4KiB}",
        "t.md:8: `proctor.limits.workspace` is the text `4KiB`; expected a size from 64KiB to 4GiB",
    ),
    (
        "proctor:\n  limits: {memory: 1TiB}",
        "t.md:8: `proctor.limits.memory` is the text `1TiB`; expected a size from 64MiB to 16GiB",
    ),
    (
        "proctor:\n  limits: {processes: 4097}",
        "t.md:8: `proctor.limits.processes` is the number 4097;",
    ),
    (
        "proctor:\n  limits: {processes: 0}",
        "t.md:8: `proctor.limits.processes` is the number 0; expected a number of processes, 16 to 4096",
    ),
    (
        "proctor:\n  probes: [{name: a}]",
        "t.md:8: `proctor.probes[1].run` is missing; expected a shell command",
    ),
    (
        "proctor:\n  probes: [{name: a b, run: x}]",
        "t.md:8: `proctor.probes[1].name` is the text `a b`;",
    ),
    (
        "proctor:\n  probes: [{name: a, run: x, timeout_seconds: 1e9}]",
        "t.md:8: `proctor.probes[1].timeout_seconds` is the number 1000000000;",
    ),
    (
        "proctor:\n  probes:\n    - {name: a, run: x}\n    - {name: a, run: y}",
        "t.md:10: probe `a` is there twice, first in line 9;",
    ),
];

#[test]
fn wrong_values_under_proctor_name_key_and_line() {
    let digest = "0".repeat(64);
    for (line, message) in WRONG {
        let error = parse_error(&task_text("a", &line.replace("DIGEST", &digest)));
        assert!(error.starts_with(*message), "{error}\n{message}");
    }
    let text = task_text(
        "a",
        &format!("proctor:\n  grader: oci://ghcr.io/a/b@sha256:{digest}"),
    );
    let grader = parse(&text).unwrap().front.proctor.grader.unwrap().value;
    let GraderName::Oci(reference) = grader else {
        panic!("a reference")
    };
    assert_eq!(
        reference.to_string(),
        format!("oci://ghcr.io/a/b@sha256:{digest}")
    );
}
