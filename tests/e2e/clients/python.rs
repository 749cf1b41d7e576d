//! google-api-python-client, with the documents it brings along and with those
//! that the world serves. What it must see is in
//! `tests/clients/scripts/google_api.py`.

use proctor_tests::{Desk, Trial, root, tool};
use serde_json::{Value, json};

use super::play::{play, run};
use super::{entries, journal, list_of, mail, mail_of, new_mails, operations};

const PYTHON: &str = "/opt/proctor/tools/venv/bin/python";
const SCRIPTS: &str = "/opt/proctor/tools/scripts";

/// Runs the script; gives the trial and what it printed.
fn script(desk: &Desk, discovery: &str) -> (Trial, Value) {
    let venv = tool("venv/bin/python");
    let venv = venv.ancestors().nth(2).unwrap();
    let scripts = root().join("tests/clients/scripts");
    let calls = [run(&format!(
        "{PYTHON} {SCRIPTS}/google_api.py {discovery}"
    ))];
    let tools = [
        "--tool",
        venv.to_str().unwrap(),
        "--tool",
        scripts.to_str().unwrap(),
    ];
    let trial = play(desk, &calls, &tools).trial;
    let printed = serde_json::from_str(&trial.outputs()[0]).unwrap();
    (trial, printed)
}

/// The world and the journal must show what the script says it did.
fn check(trial: &Trial, printed: &Value) {
    let after = trial.evidence_json("world/after.json");
    let data: Vec<u8> = (0..=255).cycle().take(1024).collect();
    for (name, times) in [
        ("raw", 1),
        ("multipart", 1),
        ("resumable", 1),
        ("chunks", 600),
    ] {
        let sent = mail_of(&after, printed["sent"][name].as_str().unwrap()).unwrap();
        let attachment = &sent["attachments"][0];
        assert_eq!(attachment["filename"], "däta.bin", "{name}");
        assert_eq!(
            attachment["sha256"],
            super::digest(&data.repeat(times)),
            "{name}"
        );
        assert_eq!(sent["to"], json!(["ada@example.com"]));
    }
    let draft = mail_of(&after, printed["draft"].as_str().unwrap()).unwrap();
    assert_eq!(draft["text"].as_str().unwrap().trim(), "two");
    assert_eq!(new_mails(&after).len(), 5);
    let labelled = mail_of(&after, mail::OFFER).unwrap()["label_ids"]
        .as_array()
        .unwrap();
    assert!(labelled.contains(&printed["label"]), "{labelled:?}");
    let list = list_of(&after, printed["list"].as_str().unwrap()).unwrap();
    assert_eq!(list["title"], "Python");
    let cleared = list["tasks"].as_array().unwrap().iter();
    let cleared: Vec<&Value> = cleared
        .filter(|task| task["hidden"] == true)
        .map(|task| &task["id"])
        .collect();
    assert_eq!(cleared, [&printed["task"]]);

    let journal = journal(trial);
    let batch = entries(&journal, "google.batch")[0];
    let parts: Vec<(&Value, &Value)> = journal
        .iter()
        .filter(|entry| entry["part_of"] == batch["n"])
        .map(|entry| (&entry["operation"], &entry["status"]))
        .collect();
    let get = json!("gmail.users.messages.get");
    let modify = json!("gmail.users.messages.modify");
    let [ok, gone] = [json!(200), json!(404)];
    assert_eq!(
        parts,
        [
            (&get, &ok),
            (&get, &ok),
            (&get, &ok),
            (&get, &gone),
            (&modify, &ok)
        ]
    );
    // The long search came as a POST and is a list all the same.
    let searches = entries(&journal, "gmail.users.messages.list");
    let long = searches.iter().filter(|entry| entry["method"] == "POST");
    assert_eq!(long.count(), 1);
    let tokens = entries(&journal, "oauth.token");
    assert!(!tokens.is_empty() && tokens.iter().all(|entry| entry["status"] == 200));
    // Chunks of a resumable upload are no mail until the last one.
    let sends = entries(&journal, "gmail.users.messages.send");
    let made = sends.iter().filter(|entry| entry.get("changed").is_some());
    assert_eq!(made.count(), 4);
    let unauthorised = journal.iter().filter(|entry| entry["status"] == 401);
    assert_eq!(unauthorised.count(), 1);
}

#[test]
fn the_python_client_works_with_its_own_and_with_our_documents() {
    let (bundled, dynamic) = (Desk::new(), Desk::new());
    let (own, printed) = script(&bundled, "bundled");
    check(&own, &printed);
    let (ours, again) = script(&dynamic, "dynamic");
    check(&ours, &again);
    let asked = |trial: &Trial| -> Vec<(String, u64)> {
        let all = operations(trial).into_iter();
        all.filter(|(operation, _)| operation != "discovery.apis.getRest")
            .collect()
    };
    // Our documents lead the client to the same requests as Google's do.
    assert_eq!(asked(&own), asked(&ours));
    assert_eq!(operations(&own).len(), asked(&own).len());
    assert_eq!(operations(&ours).len(), asked(&ours).len() + 3);
}
