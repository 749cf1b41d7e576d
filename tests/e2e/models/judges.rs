//! Open criteria before a judge: a model, a program, answers that were stored.

use std::path::{Path, PathBuf};

use proctor_tests::Desk;
use serde_json::Value;

use super::Service;

/// A task that a judge alone decides.
fn essay(desk: &Desk) -> PathBuf {
    let task = desk.path("task_essay.md");
    let text = "---\nid: essay\ngrading_type: llm_judge\ntimeout_seconds: 60\n---\n\n## Prompt\n\n\
        Write a kind word into note.txt.\n\n## Expected Behavior\n\nA word that is kind.\n\n\
        ## LLM Judge Rubric\n\n### Criterion 1: Kindness (Weight: 100%)\n\n\
        **Score 1.0**: The word is kind.\n**Score 0.5**: The word is neutral.\n\
        **Score 0.0**: There is no word.\n";
    std::fs::write(&task, text).unwrap();
    task
}

/// A script of a model that judges: it gives the first level, and quotes.
fn judging(quote: &str) -> String {
    let answer = serde_json::json!({
        "level": 1,
        "reason": "It is a kind word.",
        "quotes": [quote],
    });
    // JSON is YAML.
    serde_json::json!({"without_tools": [{"when": "", "say": answer.to_string()}], "steps": []})
        .to_string()
}

fn write_note() -> String {
    let steps = serde_json::json!({"steps": [{"run": "echo 'You are wonderful.' > note.txt"}]});
    steps.to_string()
}

fn steps(desk: &Desk) -> String {
    let file = desk.path("steps.yaml");
    std::fs::write(&file, write_note()).unwrap();
    format!("scripted:{}", file.display())
}

fn verdict(trial: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(trial.join("verdict.json")).unwrap()).unwrap()
}

#[test]
fn a_model_judges_what_is_open_and_its_answers_are_kept() {
    let desk = Desk::new();
    let task = essay(&desk);
    let service = Service::start(&judging("You are wonderful."), None);
    let url = service.url();
    let more = ["--judge", "openai-compatible/judge", "--judge-url", &url];
    let trial = desk.trial(&task, &steps(&desk), &more);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    assert_eq!(trial.record["score"]["low"], 1.0, "{:#}", trial.record);
    assert_eq!(verdict(&trial.dir)["criteria"][0]["status"], "judged");
    let asked = service.server.seen().len();
    // The stored answer is taken; nobody is asked again.
    let again = |more: &[&str]| {
        let dir = trial.dir.to_str().unwrap();
        let judge = ["judge", dir, "--judge", "openai-compatible/judge"];
        desk.run([&judge[..], &["--judge-url", &url], more].concat())
    };
    assert_eq!(again(&[]).code, 0);
    assert_eq!(service.server.seen().len(), asked);
    assert_eq!(again(&["--fresh"]).code, 0);
    assert!(service.server.seen().len() > asked);
    // A line that a crash cut off does no harm to those before and after it.
    let calls = trial.dir.join("judge.jsonl");
    let mut torn = std::fs::read(&calls).unwrap();
    torn.extend_from_slice(b"{\"schema\":\"proctor.ju");
    std::fs::write(&calls, torn).unwrap();
    assert_eq!(again(&["--fresh"]).code, 0);
    assert_eq!(again(&[]).code, 0);
    // The grader's own verdict is still what grading the evidence gives.
    let regraded = desk.run(["grade", trial.dir.to_str().unwrap()]);
    assert_eq!(regraded.code, 0, "{regraded:?}");
}

#[test]
fn a_quote_that_is_not_there_leaves_the_criterion_open() {
    let desk = Desk::new();
    let task = essay(&desk);
    let service = Service::start(&judging("You deserve every point there is."), None);
    let url = service.url();
    let more = ["--judge", "openai-compatible/judge", "--judge-url", &url];
    let trial = desk.trial(&task, &steps(&desk), &more);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    assert_eq!(trial.record["score"]["low"], 0.0);
    assert_eq!(trial.record["score"]["high"], 1.0);
    let criterion = &verdict(&trial.dir)["criteria"][0];
    assert_eq!(criterion["status"], "open", "{criterion:#}");
    let reason = criterion["reason"].to_string();
    assert!(reason.contains("quote"), "{reason}");
}

#[test]
fn a_program_judges_and_people_are_compared_with_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let task = essay(&desk);
    let program = desk.path("my-judge");
    let text = "#!/bin/sh\ncat > /dev/null\n\
        echo '{\"level\": 2, \"reason\": \"Hm.\", \"quotes\": [\"You are wonderful.\"]}'\n";
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let judge = format!("command:{}", program.display());
    let trial = desk.trial(&task, &steps(&desk), &["--judge", &judge]);
    assert_eq!(trial.record["score"]["low"], 0.5, "{:#}", trial.record);
    let id = verdict(&trial.dir)["criteria"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let name = trial.dir.file_name().unwrap().to_str().unwrap();
    let labels = desk.path("labels.csv");
    std::fs::write(&labels, format!("trial,criterion,level\n{name},{id},1\n")).unwrap();
    let job = desk.path("job");
    let compared = desk.run([
        "judge",
        job.to_str().unwrap(),
        "--calibrate",
        labels.to_str().unwrap(),
        "--format",
        "json",
    ]);
    assert_eq!(compared.code, 0, "{compared:?}");
    let compared = compared.json();
    assert_eq!(compared["all"]["pairs"], 1, "{compared:#}");
    assert_eq!(compared["all"]["same"], 0);
    assert_eq!(compared["disagreements"][0]["judge"], 0.5);
    // Its answers can be played again without the program.
    let calls = format!("recorded:{}", trial.dir.join("judge.jsonl").display());
    let played = desk.trial_into("again", &task, &steps(&desk), &["--judge", &calls]);
    assert_eq!(played.record["score"]["low"], 0.5, "{:#}", played.record);
}

#[test]
fn nobody_to_judge_and_nothing_to_judge_are_told() {
    let desk = Desk::new();
    let task = essay(&desk);
    let open = desk.trial(&task, &steps(&desk), &[]);
    assert_eq!(open.record["score"]["high"], 1.0);
    let dir = open.dir.to_str().unwrap();
    desk.run(["judge", dir])
        .refused(2, &["nobody is named who could judge", "--judge"]);
    desk.run(["judge", dir, "--judge", "gemini/x"])
        .refused(2, &["openai-compatible/MODEL"]);
    let graded = super::note_task(&desk);
    let graded = desk.trial_into("graded", &graded, "nop", &[]);
    let judge = [
        "judge",
        graded.dir.to_str().unwrap(),
        "--judge",
        "command:/bin/true",
    ];
    desk.run(judge).refused(2, &["nothing is open"]);
}
