//! Several attempts at one task: each has a world of its own with the number of
//! the attempt in it, and the job says what they have in common.

mod refused;

use std::path::Path;

use proctor_tests::{Desk, Ended};
use serde_json::{Value, json};

/// The task whose repository is named after the attempt.
const PACK: &str = "tests/e2e/attempts/pack";

/// `proctor run` of `task` into the folder `job`, told as for people.
fn run(desk: &Desk, task: &str, agent: &str, more: &[&str]) -> Ended {
    let out = desk.path("job");
    let arguments = [
        "run",
        task,
        "--agent",
        agent,
        "--out",
        out.to_str().unwrap(),
    ];
    desk.run(arguments.iter().chain(more))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn document(path: &Path) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

#[test]
fn each_attempt_has_a_world_of_its_own_and_the_job_compares_them() {
    let desk = Desk::new();
    let ended = run(&desk, PACK, "oracle", &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    for attempt in 0..3 {
        let dir = desk.path(&format!("job/trials/attempts.oracle.{attempt}"));
        own_world(&dir, attempt);
        progress(&ended, attempt);
        report(&dir, attempt);
    }
    // Said on the terminal, in summary.md and in summary.json alike.
    for line in [
        "  0     4/6        4/6    PASS (66.7 %)",
        "  1     5/6        5/6    PASS (83.3 %)",
        "  mean  4.333/6    4.333/6  (72.2 %)",
        "  3 runs of oracle",
        "  always right  own_repository, pull_request, to_do, answer",
        "  never right   never (0, 0, 0 of 1)",
        "  unstable      odd (0, 1, 0 of 1)",
        "  not judged    none",
        "Proctor's own time: ",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = ended
            .out
            .lines()
            .any(|found| squeezed(found).starts_with(&squeezed(line)));
        assert!(found, "no `{line}` in\n{}", ended.out);
    }
    let summary = document(&desk.path("job/summary.json"));
    let group = &summary["groups"][0];
    assert_eq!(group["runs"].as_array().unwrap().len(), 3);
    let ids = |kind: &str| -> Vec<&str> {
        let patterns = group[kind].as_array().unwrap().iter();
        patterns.map(|one| one["id"].as_str().unwrap()).collect()
    };
    assert_eq!(ids("unstable"), ["odd"]);
    assert_eq!(group["unstable"][0]["points"], json!([0.0, 1.0, 0.0]));
    assert_eq!(ids("never"), ["never"]);
    assert_eq!(group["total"]["lowest"], 4.0);
    assert_eq!(group["total"]["highest"], 5.0);
    let time = &summary["time"];
    let of = |name: &str| time[name].as_f64().unwrap();
    assert!(
        (of("own") + of("agent") - of("total")).abs() < 1e-6,
        "{time}"
    );
    let markdown = text(&desk.path("job/summary.md"));
    for part in [
        "| [1](trials/attempts.oracle.1/eval_report_1.md) | 5/6 | 5/6 | PASS (83.3 %) |",
        "**Always right** (full points in every run)\n\n- `own_repository`",
        "| 0, 1, 0 | 1 |",
        "Proctor's own time: ",
    ] {
        assert!(markdown.contains(part), "{part} is not in {markdown}");
    }
}

/// The number of the attempt is in the prompts, in the world, and in what the
/// steps are told.
fn own_world(dir: &Path, attempt: u32) {
    let evidence = |path: &str| text(&dir.join("evidence").join(path));
    let prompt = format!("Read the mail and do what it says. This is attempt {attempt}.");
    assert_eq!(evidence("prompt.md"), prompt);
    let system = format!("You are a software engineer. The repository is acme/hydra-{attempt}.\n");
    assert_eq!(evidence("system_prompt.md"), system);
    let transcript = evidence("transcript.jsonl");
    let messages: Vec<Value> = transcript
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["message"].clone())
        .collect();
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(messages[0]["content"][0]["text"], system);
    assert_eq!(messages[1]["content"][0]["text"], prompt);
    let said = messages.last().unwrap();
    assert_eq!(
        said["content"][0]["text"],
        format!("Attempt {attempt} is done.")
    );
    let before = document(&dir.join("evidence/world/before.json"));
    let repositories = before["github"]["repositories"].as_array().unwrap();
    let names: Vec<&Value> = repositories.iter().map(|one| &one["full_name"]).collect();
    assert_eq!(names, [&format!("acme/hydra-{attempt}")]);
    assert_eq!(
        repositories[0]["description"],
        format!("Pipeline {attempt}")
    );
    let mail = before["gmail"]["messages"][0]["text"].as_str().unwrap();
    assert!(mail.contains(&format!("5 in hydra-{attempt},")), "{mail}");
    // What the steps brought along is part of the evidence.
    assert_eq!(
        evidence("agent/files/kit/answer.txt"),
        "This was attempt NUMBER.\n"
    );
    let record = document(&dir.join("trial.json"));
    assert_eq!(
        record["seeded"],
        json!({
            "mail": {"messages": 1, "drafts": 0},
            "pages": {"pages": 1, "databases": 0, "rows": 0},
            "repositories": [{
                "name": format!("acme/hydra-{attempt}"),
                "files": 1, "commits": 1, "issues": 0, "pull_requests": 0,
            }],
            "tasks": record["seeded"]["tasks"],
        })
    );
}

/// The five lines that people wait for, in their order.
fn progress(ended: &Ended, attempt: u32) {
    let trial = format!("attempts / oracle #{attempt}: ");
    let own: Vec<&str> = ended
        .err
        .lines()
        .filter_map(|line| line.strip_prefix(&trial))
        .collect();
    let mut rest = own.iter();
    for begin in [
        "mail seeded: 1 message",
        "pages seeded: 1 page",
        &format!("repository seeded: acme/hydra-{attempt} (1 file, 1 commit)"),
        "inference done in ",
        "evaluation done in ",
        "scored, ",
    ] {
        let found = rest.any(|line| line.starts_with(begin));
        assert!(found, "no `{begin}` in its place in {own:?}");
    }
}

fn report(dir: &Path, attempt: u32) {
    let report = text(&dir.join(format!("eval_report_{attempt}.md")));
    let odd = attempt % 2 == 1;
    let verdict = if odd {
        "**PASS, 83.3 %: 5 of 6 points** (outcome: scored; PASS from 4 points, BORDERLINE from 3)"
    } else {
        "**PASS, 66.7 %: 4 of 6 points** (outcome: scored; PASS from 4 points, BORDERLINE from 3)"
    };
    for part in [
        verdict,
        "## What went right",
        "## What went wrong",
        "- `never` ",
        "**Found instead:** ",
        "Proctor's own time: ",
        "| run (the agent) | ",
        &format!("- seeded repository: acme/hydra-{attempt} (1 file, 1 commit)"),
    ] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
}

#[test]
fn a_command_gets_its_attempt_and_the_system_prompt_of_it() {
    let desk = Desk::new();
    let agent = "command:cat \"$PROCTOR_SYSTEM_PROMPT_FILE\"; echo \"$PROCTOR_ATTEMPT\" {prompt}";
    let ended = run(&desk, PACK, agent, &["--attempts", "2", "--format", "json"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    for attempt in 0..2 {
        let dir = desk.path(&format!("job/trials/attempts.command.{attempt}"));
        let printed = text(&dir.join("evidence/agent/stdout"));
        let expected = format!(
            "You are a software engineer. The repository is acme/hydra-{attempt}.\n{attempt} Read \
             the mail and do what it says. This is attempt {attempt}.\n"
        );
        assert_eq!(printed, expected);
    }
}

#[test]
fn the_world_of_any_attempt_can_be_served() {
    use std::io::BufRead as _;
    for (more, expected) in [
        (&[][..], "acme/hydra-0"),
        (&["--attempt", "7"], "acme/hydra-7"),
    ] {
        let desk = Desk::new();
        let mut server = desk
            .proctor()
            .args(["serve", "--task", PACK, "--format", "json"])
            .args(more)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = server.stdout.take().unwrap();
        let read = std::io::BufReader::new(stdout).read_line(&mut line);
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = format!("{}/__proctor/state", told["plain"].as_str().unwrap_or(""));
        let got = std::process::Command::new("curl")
            .args(["-sS", "--noproxy", "*", &url])
            .output();
        server.kill().unwrap();
        server.wait().unwrap();
        read.unwrap();
        let state: Value = serde_json::from_slice(&got.unwrap().stdout).unwrap();
        let repository = &state["github"]["repositories"][0];
        assert_eq!(repository["full_name"], expected);
    }
}

#[test]
fn a_script_of_the_operators_brings_what_lies_beside_it() {
    let desk = Desk::new();
    let folder = desk.path("mine");
    std::fs::create_dir_all(folder.join("texts")).unwrap();
    std::fs::write(folder.join("texts/one.txt"), "one\n").unwrap();
    std::fs::write(folder.join("private.txt"), "not named\n").unwrap();
    let steps = "files: [texts]\nsteps:\n- run: cat $PROCTOR_STEPS/texts/one.txt; ls $PROCTOR_STEPS; \
                 echo two > $PROCTOR_STEPS/texts/one.txt\n";
    std::fs::write(folder.join("steps.yaml"), steps).unwrap();
    let agent = format!("scripted:{}", folder.join("steps.yaml").display());
    for isolation in ["auto", "none"] {
        let more = ["--isolation", isolation, "--attempts", "1"];
        let trial = desk.trial_into(isolation, PACK, &agent, &more);
        let output = &trial.results()[0];
        assert!(output.text.starts_with("one\ntexts\n"), "{output:?}");
        assert_ne!(output.exit, 0, "it is read-only: {output:?}");
        assert_eq!(trial.evidence("agent/files/texts/one.txt"), b"one\n");
    }
    let kept = std::fs::read(folder.join("texts/one.txt")).unwrap();
    assert_eq!(kept, b"one\n");
}
