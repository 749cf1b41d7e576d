//! What goes wrong between an agent and its model, and whose result it is.

use proctor_model::scripted::Fault;
use proctor_tests::{Desk, Trial};

use super::{KEY, NOTE, Service, note_task};

/// The loop writes a note, with a service as its model.
fn note(service: &Service, more: &[&str]) -> (Desk, Trial) {
    let desk = Desk::new();
    let task = note_task(&desk);
    let url = service.url();
    let given = ["--model", "openai-compatible/small", "--model-url", &url];
    let trial = desk.trial(&task, "loop", &[&given, more].concat());
    (desk, trial)
}

fn status(status: u16, headers: &[(&str, &str)]) -> Fault {
    Fault::Status {
        status,
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        body: format!("{{\"error\": {{\"message\": \"status {status}\"}}}}"),
    }
}

#[test]
fn a_model_behind_an_address_is_asked_with_nothing_of_the_agents() {
    let service = Service::start(NOTE, None);
    let (_desk, trial) = note(&service, &[]);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    assert_eq!(trial.points("note"), Some(1.0));
    assert_eq!(trial.record["model"]["name"], "openai-compatible/small");
    assert_eq!(service.server.seen().len(), 2);
}

#[test]
fn a_key_that_is_not_taken_is_nobodys_result() {
    let service = Service::start(NOTE, Some(KEY));
    let (_desk, trial) = note(&service, &[]);
    assert_eq!(trial.outcome(), "infrastructure", "{:#}", trial.record);
    let failure = &trial.record["failure"];
    assert_eq!(failure["kind"], "model", "{failure:#}");
    let hint = failure["hint"].to_string();
    assert!(hint.contains("did not take the key"), "{hint}");
    assert!(trial.record["score"].is_null());
    // What the agent left is kept all the same.
    assert!(!trial.evidence("model.jsonl").is_empty());
    assert_eq!(trial.ended.code, 6);
}

#[test]
fn a_busy_service_is_asked_again_and_the_agent_notices_nothing() {
    let service = Service::start(NOTE, None);
    service
        .server
        .fail(&status(429, &[("retry-after-ms", "10")]), 2);
    let (_desk, trial) = note(&service, &[]);
    assert_eq!(trial.outcome(), "scored", "{:#}", trial.record);
    assert_eq!(trial.record["model"]["retries"], 2);
}

#[test]
fn a_service_that_is_down_is_nobodys_result() {
    let service = Service::start(NOTE, None);
    service.server.fail(&status(500, &[]), 1000);
    let (_desk, trial) = note(&service, &[]);
    assert_eq!(trial.outcome(), "infrastructure", "{:#}", trial.record);
    let message = trial.record["failure"]["message"].to_string();
    assert!(message.contains("500"), "{message}");
}

#[test]
fn a_budget_that_is_used_up_is_the_agents_result() {
    let service = Service::start(NOTE, None);
    let (_desk, trial) = note(&service, &["--budget-requests", "1"]);
    assert_eq!(trial.outcome(), "agent_error", "{:#}", trial.record);
    // It had written the note by then, and that counts.
    assert_eq!(trial.points("note"), Some(1.0));
    let end = trial.record["agent_end"].to_string();
    assert!(end.contains("budget of 1 requests is used up"), "{end}");
    assert_eq!(trial.record["model"]["exceeded"]["of"], "requests");
}

/// A program that ends before it has asked its model once says nothing about
/// the model.
#[test]
fn an_agent_that_never_asks_is_nobodys_result() {
    use std::os::unix::fs::PermissionsExt as _;
    let service = Service::start(NOTE, None);
    let desk = Desk::new();
    let task = note_task(&desk);
    let program = desk.path("broken-agent");
    std::fs::write(&program, "#!/bin/sh\necho 'no such option' >&2\nexit 2\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let url = service.url();
    let given = ["--model", "openai-compatible/small", "--model-url", &url];
    let path = ["--agent-path", program.to_str().unwrap()];
    let trial = desk.trial(&task, "loop", &[&given[..], &path].concat());
    assert_eq!(trial.outcome(), "infrastructure", "{:#}", trial.record);
    let message = trial.record["failure"]["message"].to_string();
    assert!(message.contains("no such option"), "{message}");
}

#[test]
fn traffic_is_recorded_and_replayed_without_a_service() {
    let desk = Desk::new();
    let task = note_task(&desk);
    let cassette = desk.path("note.cassette");
    let cassette = cassette.to_str().unwrap();
    let model = ["--model", "openai-compatible/small", "--model-url"];
    {
        let service = Service::start(NOTE, None);
        let url = service.url();
        let more = [&model[..], &[&url, "--record", cassette]].concat();
        let recorded = desk.trial(&task, "loop", &more);
        assert_eq!(recorded.points("note"), Some(1.0), "{:#}", recorded.record);
    }
    let nowhere = "http://127.0.0.1:9/v1";
    let more = [&model[..], &[nowhere, "--replay", cassette]].concat();
    let replayed = desk.trial_into("again", &task, "loop", &more);
    assert_eq!(replayed.outcome(), "scored", "{:#}", replayed.record);
    assert_eq!(replayed.points("note"), Some(1.0));
}

/// What is refused leaves no file behind that the next try would stumble over.
#[test]
fn a_cassette_is_made_when_all_else_is_right() {
    let desk = Desk::new();
    let task = note_task(&desk);
    let cassette = desk.path("new.cassette");
    let record = ["--record", cassette.to_str().unwrap()];
    let run = ["run", task.to_str().unwrap(), "--agent", "loop", "--model"];
    let refused = desk.run([&run[..], &["openai-compatible/x"], &record].concat());
    refused.refused(2, &["--model-url"]);
    assert!(!cassette.exists());
    std::fs::write(&cassette, "mine").unwrap();
    let given = [
        "openai-compatible/x",
        "--model-url",
        "http://127.0.0.1:9/v1",
    ];
    let refused = desk.run([&run[..], &given, &record].concat());
    refused.refused(2, &["new.cassette", "name another"]);
    assert_eq!(std::fs::read(&cassette).unwrap(), b"mine");
}

#[test]
fn what_cannot_be_is_said_before_anything_runs() {
    let desk = Desk::new();
    let task = note_task(&desk);
    let task = task.to_str().unwrap();
    for (more, code, says) in [
        (
            &["--agent", "loop"][..],
            2,
            &["asks a model", "--model PROVIDER/NAME"][..],
        ),
        (
            &["--agent", "loop", "--model", "openai-compatible/x"],
            2,
            &["address of the server", "--model-url"],
        ),
        (
            &["--agent", "loop", "--model", "anthropic/claude-x"],
            2,
            &["no key for anthropic", "ANTHROPIC_API_KEY"],
        ),
        (
            &["--agent", "loop", "--model", "gpt-5"],
            2,
            &["expected PROVIDER/MODEL"],
        ),
        (
            &["--agent", "loop", "--model", "scripted/nowhere.yaml"],
            9,
            &["nowhere.yaml"],
        ),
        (
            &[
                "--agent",
                "loop",
                "--model",
                "openai-compatible/small",
                "--model-url",
                "http://127.0.0.1:9/v1",
                "--judge",
                "openai-compatible/small",
                "--judge-url",
                "http://127.0.0.1:9/v1",
            ],
            2,
            &["would judge its own work", "--judge-same-model"],
        ),
        (
            &[
                "--agent",
                "loop",
                "--model",
                "openai-compatible/unheard-of",
                "--model-url",
                "http://127.0.0.1:9/v1",
                "--budget-usd",
                "1",
            ],
            2,
            &["the price of unheard-of is not known"],
        ),
        (
            &["--agent", "nop", "--turns", "3"],
            2,
            &["--turns is for an agent that is a program"],
        ),
        (
            &["--agent", "claud-code", "--model", "anthropic/x"],
            2,
            &["did you mean `claude-code`"],
        ),
    ] {
        let mut command = desk.proctor();
        command.args(["run", task]).args(more);
        command.env_remove("ANTHROPIC_API_KEY");
        proctor_tests::Ended::of(&command.output().unwrap()).refused(code, says);
    }
}
