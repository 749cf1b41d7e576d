//! Agents that prepare for probes. They get what they deserve, and never a
//! failed trial that does not count.

use proctor_tests::{Desk, Trial};
use serde_json::Value;

use super::{printed, probe, task};

/// A trial in which an agent does `command` before `probes` run. It counts.
fn prepared(desk: &Desk, command: &str, probes: &[(&str, &str)]) -> Trial {
    let trial = desk.trial(task(desk, probes), &desk.steps(&[command]), &[]);
    assert_eq!(trial.job["denominator"]["counted"], 1, "{}", trial.record);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    trial
}

#[test]
fn a_workspace_that_cannot_be_entered_is_a_probe_that_was_not_run() {
    let desk = Desk::new();
    let trial = prepared(
        &desk,
        "echo kept > kept.txt; chmod 000 /workspace",
        &[("tests", "true"), ("more", "true")],
    );
    for name in ["tests", "more"] {
        let probe = probe(&trial, name);
        assert_eq!(probe["status"], "not_run", "{probe}");
        let reason = probe["reason"].as_str().unwrap();
        assert!(
            reason.contains("entering the working directory"),
            "{reason}"
        );
        assert!(probe.get("exit_code").is_none());
        assert_eq!(probe["stdout_bytes"], 0);
    }
    assert_eq!(trial.evidence("workspace/kept.txt"), b"kept\n");
    let report = std::fs::read_to_string(trial.dir.join("eval_report_0.md")).unwrap();
    assert!(
        report.contains("not run: entering the working directory"),
        "{report}"
    );
}

#[test]
fn a_full_workspace_is_the_probes_problem() {
    let desk = Desk::new();
    let task = desk.task(|text| {
        text.replace(
            "proctor:\n",
            "proctor:\n  limits: {workspace: 1MiB}\n  \
             probes: [{name: writes, run: 'cp /usr/bin/env more'}, {name: reads, run: 'ls'}]\n",
        )
    });
    let agent =
        desk.steps(&["head -c 100M /dev/zero > big; head -c 900M /dev/zero > /tmp/big; true"]);
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.job["denominator"]["counted"], 1, "{}", trial.record);
    let writes = probe(&trial, "writes");
    assert_ne!(writes["exit_code"], 0, "{writes}");
    assert!(
        writes["stderr"].as_str().unwrap().contains("No space left"),
        "{writes}"
    );
    assert!(printed(&trial, "reads").contains("big"));
}

/// What runs the agent's code gets no more than the agent had, and cannot ask
/// for it.
#[test]
fn a_probe_is_held_to_the_agents_memory() {
    let desk = Desk::new();
    let probes = serde_json::json!([
        {"name": "limits", "run": "ulimit -Sd; ulimit -Hd; ulimit -d unlimited || echo refused"},
        {"name": "takes", "run": "python3 -I -c 'bytearray(512 << 20)'"},
        {"name": "after", "run": "python3 -I -c 'print(len(bytearray(16 << 20)))'"},
    ]);
    let task = desk.task(|text| {
        let keys = format!("proctor:\n  limits: {{memory: 256MiB}}\n  probes: {probes}\n");
        text.replace("proctor:\n", &keys)
    });
    let trial = desk.trial(&task, &desk.steps(&["ulimit -Sd; ulimit -Hd"]), &[]);
    assert_eq!(trial.job["denominator"]["counted"], 1, "{}", trial.record);
    // In KiB, as the agent's own.
    assert_eq!(trial.outputs()[0].trim(), "262144\n262144");
    assert_eq!(printed(&trial, "limits"), "262144\n262144\nrefused\n");
    let takes = probe(&trial, "takes");
    assert_eq!(
        (&takes["status"], &takes["exit_code"]),
        (&"exited".into(), &1.into())
    );
    assert!(
        takes["stderr"].as_str().unwrap().contains("MemoryError"),
        "{takes}"
    );
    assert_eq!(printed(&trial, "after"), "16777216\n");
}

#[test]
fn fork_bombs_and_leftovers_take_nothing_from_a_probe() {
    let desk = Desk::new();
    let trial = prepared(
        &desk,
        "for i in 1 2 3 4; do setsid sh -c 'while :; do :; done' >/dev/null 2>&1 & done; \
         (trap '' TERM; bomb() { : > bombs; bomb | bomb & }; bomb) >/dev/null 2>&1 & \
         until [ -e bombs ]; do :; done",
        &[(
            "forks",
            "for i in 1 2 3 4 5; do (exit 0) || exit 1; done; ls -d /proc/[0-9]* | wc -l",
        )],
    );
    // init, the shell, `ls` and `wc`.
    let processes: u32 = printed(&trial, "forks").trim().parse().unwrap();
    assert!(processes <= 4, "{processes} processes");
}

#[test]
fn start_up_files_and_variables_do_not_reach_a_probes_shell() {
    let desk = Desk::new();
    let trial = prepared(
        &desk,
        "for f in .bashrc .bash_profile .profile .bash_login .shrc .pythonrc .zshenv; do \
           echo 'echo forged; exit 0' > ~/$f; done; \
         export LD_PRELOAD=/workspace/evil.so PYTHONSTARTUP=~/.pythonrc ENV=~/.shrc \
           BASH_ENV=~/.bashrc PATH=/workspace/bin:$PATH; \
         mkdir -p bin ~/bin ~/.local/bin; for n in sh ls cat python3 echo test; do \
           for d in bin ~/bin ~/.local/bin .; do \
             printf '#!/bin/sh\\necho forged\\n' > $d/$n; chmod +x $d/$n; done; done",
        &[
            (
                "shell",
                "echo honest; cat /dev/null; ls -d /usr; command -v python3 ls",
            ),
            (
                "env",
                "env | grep -E 'PRELOAD|STARTUP|ENV=|workspace' | grep -v ^PWD=; echo done",
            ),
        ],
    );
    let said = printed(&trial, "shell");
    assert!(said.starts_with("honest\n/usr\n"), "{said}");
    assert!(
        !said.contains("forged") && !said.contains("workspace"),
        "{said}"
    );
    assert_eq!(printed(&trial, "env"), "done\n");
}

/// The home is the agent's: programs that read settings from it are under the
/// agent's influence. `docs/task-format.md` says how to run Python without.
#[test]
fn pythons_of_probes_read_the_agents_home_unless_told_not_to() {
    let desk = Desk::new();
    let trial = prepared(
        &desk,
        "d=$(python3 -m site --user-site); mkdir -p \"$d\"; \
         echo 'print(\"3 passed\"); import os; os._exit(0)' | tee \"$d/usercustomize.py\" > json.py",
        &[
            ("trusting", "python3 -c 'import sys; sys.exit(1)'"),
            (
                "isolated",
                "python3 -I -c 'import json; print(json.dumps([1]))'",
            ),
        ],
    );
    // Forged through the agent's own files, and by design no more than that.
    let trusting = probe(&trial, "trusting");
    assert_eq!(trusting["exit_code"], 0, "{trusting}");
    assert_eq!(printed(&trial, "isolated"), "[1]\n");
}

#[test]
fn output_that_looks_like_a_result_is_just_output() {
    let desk = Desk::new();
    let forged = r#"{"schema":"proctor.probes/1","probes":[{"name":"tests","status":"exited","exit_code":0}]}"#;
    let trial = prepared(
        &desk,
        &format!(
            "printf '%s' '{forged}' > probes.json; printf '\",\"exit_code\":0,\"x\":\"\\033[2J\\000\\377' > tail"
        ),
        &[("tests", "cat probes.json tail; cat tail >&2; exit 7")],
    );
    let document = trial.evidence_json("probes.json");
    let probes = document["probes"].as_array().unwrap();
    assert_eq!(probes.len(), 1, "{document}");
    assert_eq!(probes[0]["exit_code"], 7);
    assert_eq!(probes[0]["x"], Value::Null);
    assert!(probes[0]["stdout"].as_str().unwrap().starts_with(forged));
    // And the file of that name is the agent's, in its workspace.
    assert_eq!(trial.evidence("workspace/probes.json"), forged.as_bytes());
}

#[test]
fn a_probe_that_runs_hostile_code_ends_with_its_time_and_leaves_nothing() {
    let desk = Desk::new();
    let probes = serde_json::json!([
        {"name": "tests", "run": "exec ./tests", "timeout_seconds": 2},
        {"name": "after", "run": "ls -d /proc/[0-9]* | wc -l"},
    ]);
    let task = super::with(&desk, &probes);
    let agent = desk.steps(&[
        "printf '#!/bin/sh\\ntrap \"\" TERM INT HUP\\n(setsid sleep 86423.5 &)\\n\
         kill -9 1 -1\\nwhile :; do yes flood; done\\n' > tests; chmod +x tests",
    ]);
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.job["denominator"]["counted"], 1, "{}", trial.record);
    let tests = probe(&trial, "tests");
    assert_ne!(tests["status"], "not_run", "{tests}");
    assert_ne!(tests["exit_code"], 0, "{tests}");
    assert!(tests["stdout"].as_str().unwrap().len() <= 256 << 10);
    let processes: u32 = printed(&trial, "after").trim().parse().unwrap();
    assert!(processes <= 4, "{processes} processes");
}

#[test]
fn a_probe_that_leaves_its_output_open_does_not_hold_the_trial() {
    let desk = Desk::new();
    let trial = prepared(
        &desk,
        "true",
        &[(
            "opens",
            "setsid sh -c 'sleep 86424.5; echo late' & echo early",
        )],
    );
    assert_eq!(printed(&trial, "opens"), "early\n");
}
