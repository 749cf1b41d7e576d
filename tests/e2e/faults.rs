//! Agents that break things, runners that are killed, disks that are full.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use proctor_tests::{Desk, GWS};

/// Most time that something may take that should happen at once.
const SOON: Duration = Duration::from_secs(20);

/// Whether a process has `marker` in its command line.
fn runs(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap();
    processes.flatten().any(|entry| {
        let name = entry.file_name();
        let is_process = name
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        is_process
            && fs::read(entry.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(marker))
    })
}

/// Waits until `done` says so.
fn eventually(what: &str, done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(
            started.elapsed() < SOON,
            "{what} did not happen within {SOON:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_agent_that_fails_is_graded_all_the_same() {
    let desk = Desk::new();
    let trial = desk.trial(GWS, "command:echo half done > task_summary.md; exit 1", &[]);
    assert_eq!(trial.outcome(), "agent_error");
    assert_eq!(trial.ended.code, 0);
    assert_eq!(trial.job["denominator"]["counted"], 1);
    assert!(trial.record["points"]["max"].is_number());
    assert!(
        trial.record["agent_end"]
            .as_str()
            .unwrap()
            .contains("exit code 1")
    );
    assert_eq!(trial.evidence("workspace/task_summary.md"), b"half done\n");
}

#[test]
fn an_agent_that_breaks_its_own_room_is_graded_all_the_same() {
    let desk = Desk::new();
    let agent = desk.steps(&["echo kept > kept.txt; chmod 000 /workspace", "echo hi"]);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "agent_error", "{}", trial.record);
    assert_eq!(trial.ended.code, 0);
    let end = trial.record["agent_end"].as_str().unwrap();
    assert!(end.contains("step 2: cannot start"), "{end}");
    assert_eq!(trial.evidence("workspace/kept.txt"), b"kept\n");
}

#[test]
fn an_agent_that_runs_out_of_time_is_killed_with_everything_it_started() {
    let desk = Desk::new();
    let task = desk.task(|text| text.replace("timeout_seconds: 300", "timeout_seconds: 2"));
    let marker = "86421.25";
    let agent = format!(
        "command:trap '' TERM INT HUP; echo early > kept.txt; \
         (trap '' TERM; setsid sleep {marker}) & (setsid sh -c 'trap \"\" TERM; sleep {marker} & sleep {marker}') & \
         sleep {marker}"
    );
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.outcome(), "timeout", "{}", trial.record);
    assert_eq!(trial.job["denominator"]["counted"], 1);
    assert_eq!(trial.evidence("workspace/kept.txt"), b"early\n");
    assert!(!runs(marker), "something of the agent is still running");
}

#[test]
fn an_agent_that_fills_its_workspace_fills_nothing_else() {
    let desk = Desk::new();
    let task =
        desk.task(|text| text.replace("proctor:\n", "proctor:\n  limits: {workspace: 1MiB}\n"));
    let agent = desk.steps(&["head -c 100M /dev/zero > big; echo \"exit $?\"; ls -l big | wc -l"]);
    let trial = desk.trial(&task, &agent, &[]);
    assert_eq!(trial.outcome(), "scored");
    assert!(
        trial.outputs()[0].contains("No space left on device"),
        "{:?}",
        trial.outputs()
    );
    assert!(trial.evidence("workspace/big").len() <= 1 << 20);
}

#[test]
fn a_workspace_made_to_hurt_its_collector_is_listed_and_survived() {
    let desk = Desk::new();
    let agent = desk.steps(&[
        "mkfifo pipe; ln -s /etc/passwd link; ln -s / rootlink; truncate -s 1T sparse; \
         mkdir locked; echo x > locked/in; chmod 000 locked; printf x > \"$(printf 'a\\377b')\"; \
         python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; \
         echo setuid > s; chmod 4755 s; ln s hard; echo fine > fine.txt",
    ]);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let listing = trial.evidence_json("workspace.json");
    let entry = |path: &str| {
        let entries = listing["entries"].as_array().unwrap();
        let found = entries.iter().find(|entry| entry["path"] == path);
        found
            .unwrap_or_else(|| panic!("{path} is not in {entries:?}"))
            .clone()
    };
    for (path, kind) in [
        ("pipe", "fifo"),
        ("link", "symlink"),
        ("sparse", "file"),
        ("sock", "socket"),
    ] {
        assert_eq!(entry(path)["kind"], kind, "{path}");
        assert!(entry(path)["sha256"].is_null(), "{path} was kept");
    }
    assert_eq!(entry("link")["target"], "/etc/passwd");
    assert!(entry("sparse")["refused"].is_string());
    assert_eq!(entry("sparse")["bytes"], 1_u64 << 40);
    assert_eq!(entry("s")["mode"], "4755");
    assert_eq!(entry(r"a\xffb")["kind"], "file");
    assert_eq!(trial.evidence("workspace/fine.txt"), b"fine\n");
    assert_eq!(trial.evidence("workspace/locked/in"), b"x\n");
    // Nothing of the host came along, and nothing odd lies in the bundle.
    let bundle = trial.dir.join("evidence/workspace");
    assert!(!bundle.join("link").exists() && !bundle.join("rootlink").exists());
    for file in fs::read_dir(&bundle).unwrap().flatten() {
        let kind = file.file_type().unwrap();
        assert!(kind.is_file() || kind.is_dir(), "{file:?}");
    }
}

#[test]
fn a_million_files_are_cut_off_and_said_so() {
    let desk = Desk::new();
    let agent = desk.steps(&[
        "echo found > task_summary.md; python3 -c '\nimport os\nos.mkdir(\"heap\")\nn = 0\ntry:\n  \
         while n < 1000000:\n    open(f\"heap/{n}\", \"w\").close(); n += 1\nexcept OSError as e: \
         print(e)\nprint(n)'",
    ]);
    let trial = desk.trial(GWS, &agent, &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let listing = trial.evidence_json("workspace.json");
    assert!(listing["truncated"].is_string());
    assert!(listing["entries"].as_array().unwrap().len() <= 20_000);
    assert_eq!(trial.evidence("workspace/task_summary.md"), b"found\n");
    assert!(
        trial.record["warnings"].to_string().contains("ends early"),
        "{}",
        trial.record
    );
}

/// Starts a run whose agent sleeps with `marker` on its command line, and
/// returns when the agent runs.
fn sleeping(desk: &Desk, marker: &str) -> Child {
    let runner = desk
        .proctor()
        .args([
            "run",
            GWS,
            "--agent",
            &format!("command:sleep {marker}"),
            "--out",
        ])
        .arg(desk.path("job"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The runner itself has the marker on its command line, too.
    let asleep = format!("sleep\0{marker}");
    eventually("the agent's start", || runs(&asleep));
    runner
}

#[test]
fn nothing_survives_a_runner_that_is_killed_and_the_next_run_says_so() {
    let desk = Desk::new();
    let marker = "86421.5";
    let mut runner = sleeping(&desk, marker);
    runner.kill().unwrap();
    runner.wait().unwrap();
    eventually("the end of the agent", || !runs(marker));
    let path = desk.path("job");
    let again = [
        "run",
        GWS,
        "--agent",
        "nop",
        "--out",
        path.to_str().unwrap(),
    ];
    let ended = desk.run(again);
    ended.refused(8, &["interrupted", "gws-task-management.command.0"]);
    let other = desk.path("other");
    let ended = desk.run([
        "run",
        GWS,
        "--agent",
        "nop",
        "--out",
        other.to_str().unwrap(),
    ]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.err.contains("was killed"), "{}", ended.err);
}

#[test]
fn an_interrupted_runner_ends_its_agent_and_says_130() {
    for (signal, marker) in [
        ("-INT", "86421.75"),
        ("-TERM", "86421.76"),
        ("-HUP", "86421.77"),
    ] {
        let desk = Desk::new();
        let mut runner = sleeping(&desk, marker);
        let pid = runner.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.unwrap().success());
        assert_eq!(runner.wait().unwrap().code(), Some(130), "{signal}");
        eventually("the end of the agent", || !runs(marker));
    }
}

#[test]
fn a_second_runner_in_the_same_directory_is_refused() {
    let desk = Desk::new();
    let mut runner = sleeping(&desk, "86421.875");
    let path = desk.path("job");
    let ended = desk.run([
        "run",
        GWS,
        "--agent",
        "nop",
        "--out",
        path.to_str().unwrap(),
    ]);
    ended.refused(8, &["in use", &runner.id().to_string(), "hint: "]);
    runner.kill().unwrap();
    runner.wait().unwrap();
}

#[test]
fn a_finished_job_is_not_written_over() {
    let desk = Desk::new();
    desk.trial(GWS, "nop", &[]);
    let before = fs::read(desk.path("job/summary.json")).unwrap();
    let path = desk.path("job");
    let ended = desk.run([
        "run",
        GWS,
        "--agent",
        "nop",
        "--out",
        path.to_str().unwrap(),
    ]);
    ended.refused(8, &["already holds a finished job with 1 finished trial"]);
    assert_eq!(fs::read(desk.path("job/summary.json")).unwrap(), before);
}

/// Needs root: only it can make a disk small enough to be full.
#[test]
fn a_disk_that_is_full_while_freezing_is_nobodys_zero() {
    let desk = Desk::new();
    let mount = desk.path("disk");
    fs::create_dir(&mount).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2M", "tmpfs"])
        .arg(&mount)
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("not root: no disk could be made that is small enough to be full");
        return;
    }
    let out = mount.join("job");
    let ended = desk.run([
        "run",
        GWS,
        "--agent",
        "command:head -c 8M /dev/urandom > big",
        "--format",
        "json",
        "--out",
        out.to_str().unwrap(),
    ]);
    let gone = Command::new("umount")
        .arg("-l")
        .arg(&mount)
        .status()
        .unwrap();
    assert!(gone.success());
    assert_eq!(ended.code, 6, "{ended:?}");
    let trial = &ended.json()["trials"][0];
    assert_eq!(trial["outcome"], "infrastructure");
    assert_eq!(trial["failure"]["stage"], "freeze");
    assert!(trial["score"].is_null());
    assert!(
        trial["failure"]["hint"]
            .as_str()
            .unwrap()
            .contains("disk is full"),
        "{trial}"
    );
}

#[test]
fn progress_goes_to_standard_error_and_the_result_to_standard_output() {
    let desk = Desk::new();
    let out = desk.path("job");
    let mut runner = desk
        .proctor()
        .args(["run", GWS, "--agent", "nop", "--out"])
        .arg(&out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let err = BufReader::new(runner.stderr.take().unwrap());
    let lines: Vec<String> = err.lines().map_while(Result::ok).collect();
    let output = runner.wait_with_output().unwrap();
    for told in [
        "mail seeded: 5 messages",
        "tasks seeded: 2 tasks in 1 list",
        "room ready in ",
        "inference done in ",
        "evidence frozen in ",
        "evaluation done in ",
    ] {
        let line = format!("nop #0: {told}");
        assert!(
            lines.iter().any(|it| it.contains(&line)),
            "{told} is not in {lines:?}"
        );
    }
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("0 to 4 of 10 points") && text.contains("1 of 1 trials count"),
        "{text}"
    );
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    let desk = Desk::new();
    let run = |arguments: &[&str], out: Stdio| {
        let mut command = desk.proctor();
        let child = command.args(arguments).stdout(out).stderr(Stdio::piped());
        let output = child.spawn().unwrap().wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), err)
    };
    for arguments in [
        &["task", "show", GWS][..],
        &["task", "show", GWS, "--format", "json"],
        &["serve", "--world", "google"],
        &["--help"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let (code, err) = run(arguments, full.unwrap().into());
        assert_eq!(code, Some(9), "{arguments:?}: {err}");
        assert!(err.contains("No space left"), "{arguments:?}: {err}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let (code, err) = run(&["task", "show", GWS], writer.into());
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn a_cache_that_cannot_be_used_is_a_warning_and_no_home_is_none() {
    let desk = Desk::new();
    let run = |name: &str, cache: Option<&str>| {
        let mut command = desk.proctor();
        command.env_remove("HOME").env_remove("XDG_CACHE_HOME");
        if let Some(cache) = cache {
            command.env("XDG_CACHE_HOME", cache);
        }
        let command = command.args(["run", GWS, "--agent", "nop", "--out"]);
        let output = command.arg(desk.path(name)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let err = run("one", Some("/proc/nowhere"));
    assert!(
        err.contains("cache cannot be used") && err.contains("XDG_CACHE_HOME"),
        "{err}"
    );
    let err = run("two", None);
    assert!(!err.contains("cache cannot be used"), "{err}");
}
