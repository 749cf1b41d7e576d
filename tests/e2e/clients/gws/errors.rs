//! What goes wrong, in Google's words and with the exit codes of gws; and its
//! help, which is made from the documents that the world serves.

use proctor_tests::Desk;
use serde_json::json;

use super::me;
use crate::clients::mail::{NONE, OFFER};
use crate::clients::play::{Call, gws, play, run};
use crate::clients::{journal, operations};

pub(super) fn calls() -> Vec<Call> {
    let list = || gws("gmail users messages list");
    let get = || gws("gmail users messages get");
    let work = json!({"tasklist": "@default"});
    vec![
        get().params(me(json!({"id": NONE}))).refused(404, "notFound", "Requested entity was not found."),
        get().params(me(json!({"id": "no-id"}))).refused(400, "invalidArgument", "Invalid id value"),
        get().params(me(json!({"id": OFFER, "format": "wrong"})))
            .refused(400, "invalid", "Invalid value at 'format' (TYPE_ENUM), \"wrong\""),
        list().params(me(json!({"labelIds": ["Nope"]}))).refused(400, "invalidArgument", "Invalid label: Nope"),
        list().params(me(json!({"pageToken": "zzz"}))).refused(400, "invalidArgument", "Invalid pageToken"),
        list().params(me(json!({"bogus": 1}))).fails(1).has("/error/code", 400)
            .says("Unknown name \\\"bogus\\\""),
        list().params(json!({"userId": "ada@example.com"}))
            .refused(403, "forbidden", "Delegation denied for sam.ode@example.com"),
        gws("gmail users history list").params(me(json!({"startHistoryId": "1"})))
            .refused(404, "notFound", "Requested entity was not found."),
        gws("gmail users labels create").params(me(json!({}))).body(json!({"name": "clients"}))
            .refused(409, "aborted", "Label name exists or conflicts"),
        gws("gmail users labels delete").params(me(json!({"id": "INBOX"})))
            .fails(1).has("/error/code", 400),
        gws("gmail users messages modify").params(me(json!({"id": OFFER})))
            .body(json!({"addLabelIds": ["Label_99"]}))
            .fails(1).has("/error/code", 400),
        gws("gmail users messages send").params(me(json!({}))).body(json!({"raw": "!!!"}))
            .fails(1).has("/error/code", 400).has("/error/reason", "invalid"),
        gws("gmail users messages send").params(me(json!({}))).body(json!({}))
            .fails(1).has("/error/code", 400).has("/error/reason", "invalidArgument"),
        gws("tasks tasks get").params(json!({"tasklist": "@default", "task": "nope_-.x"}))
            .refused(404, "notFound", "Task not found."),
        gws("tasks tasks list").params(json!({"tasklist": "list-nope"}))
            .refused(404, "notFound", "Task list not found."),
        gws("tasks tasks insert").params(work.clone()).body(json!({"title": "x", "due": "soon"}))
            .refused(400, "invalid", "Invalid Value"),
        gws("tasks tasks patch").params(json!({"tasklist": "@default", "task": "task-call"}))
            .body(json!({"status": "done"})).refused(400, "invalid", "Invalid Value"),
        gws(&format!("gmail +read --id {NONE}")).fails(1).has("/error/code", 404),
        // Refused before anything is sent.
        get().params(me(json!({}))).fails(3).has("/error/reason", "validationError")
            .says("Required path parameter id is missing"),
        run("gws gmail users messages list --params '{broken'").fails(3).says("Invalid --params JSON"),
        gws("gmail users messages frobnicate").fails(3).says("unrecognized subcommand"),
        gws("gmail users labels create").params(me(json!({}))).body(json!({"nam": "x"}))
            .fails(3).says("nam: Unknown property"),
        gws("tasks tasks insert").params(work).body(json!({"title": 5}))
            .fails(3).says("Expected type 'string'"),
        // Not in this world.
        gws("drive files list").fails(4).says("Discovery Document for drive/v3"),
        run("GOOGLE_WORKSPACE_CLI_TOKEN= gws gmail users getProfile --params '{\"userId\": \"me\"}'")
            .fails(2).has("/error/code", 401),
        // Help and schemas.
        gws("gmail users --help").says("getProfile").says("threads"),
        gws("gmail users messages --help").says("batchModify").says("attachments"),
        gws("gmail users messages send --help").says("--upload"),
        gws("tasks tasks --help").says("clear").says("move"),
        gws("schema tasks.tasks.insert")
            .has("/requestBody/schema/properties/title/type", "string")
            .has("/parameters/tasklist/required", true),
        gws("schema gmail.users.messages.list")
            .has("/parameters/labelIds/repeated", true)
            .has("/httpMethod", "GET"),
        gws("gmail users messages list --dry-run").params(me(json!({"q": "x"})))
            .has("/method", "GET")
            .has("/url", "https://gmail.googleapis.com/gmail/v1/users/me/messages"),
    ]
}

#[test]
fn errors_are_googles_and_help_comes_from_the_documents() {
    let desk = Desk::new();
    let trial = play(&desk, &calls(), &[]).trial;
    let (before, after) = (
        trial.evidence_json("world/before.json"),
        trial.evidence_json("world/after.json"),
    );
    assert_eq!(
        before["gmail"], after["gmail"],
        "what was refused has changed nothing"
    );
    assert_eq!(before["tasks"], after["tasks"]);
    assert!(
        journal(&trial)
            .iter()
            .all(|entry| entry.get("changed").is_none())
    );
    // Whatever gws refused by itself was never asked.
    let asked = operations(&trial);
    assert_eq!(
        asked
            .iter()
            .filter(|(operation, _)| operation == "gmail.users.messages.get")
            .count(),
        4
    );
}
