//! Drafts.

use super::*;

fn create(world: &mut World, source: &str) -> Value {
    post(world, "drafts", json!({"message": {"raw": raw(source)}}))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn a_draft_has_an_id_of_its_own() {
    let mut world = world();
    let draft = create(&mut world, "To: bob@example.com\nSubject: Plan\n\nlater");
    let (id, message) = (text(&draft["id"]), text(&draft["message"]["id"]));
    assert!(
        id.starts_with('r') && id[1..].bytes().all(|it| it.is_ascii_digit()),
        "{id}"
    );
    assert_eq!(draft["message"]["labelIds"], json!(["DRAFT"]));
    let list = get(&mut world, "drafts");
    assert_eq!(
        list["drafts"],
        json!([{"id": id, "message": {"id": message, "threadId": message}}])
    );
    assert_eq!(list["resultSizeEstimate"], 1);
    let full = get(&mut world, &format!("drafts/{id}"));
    assert_eq!(unraw(&full["message"]["payload"]["body"]["data"]), "later");
    assert!(
        get(&mut world, &format!("drafts/{id}?format=raw"))["message"]
            .get("raw")
            .is_some()
    );
    assert_eq!(
        ids(&get(&mut world, "messages?q=in:drafts"), "messages"),
        [message]
    );
    assert_eq!(
        ids(&get(&mut world, "drafts?q=subject:plan"), "drafts"),
        [id]
    );
    assert_eq!(
        ids(&get(&mut world, "drafts?q=subject:other"), "drafts"),
        [""; 0]
    );
}

#[test]
fn a_draft_may_be_unfinished() {
    let mut world = world();
    let id = text(&create(&mut world, "Subject: to whom?\n\nx")["id"]);
    let send = json!({ "id": id });
    assert_eq!(
        refused(&mut world, "POST", "drafts/send", send),
        (400, "Recipient address required".into())
    );
    assert_eq!(ids(&get(&mut world, "drafts"), "drafts"), [id]);
}

#[test]
fn updating_replaces_the_message() {
    let mut world = world();
    let draft = create(&mut world, "To: bob@example.com\n\none");
    let (id, old) = (text(&draft["id"]), text(&draft["message"]["id"]));
    let body = json!({"message": {"raw": raw("To: bob@example.com\n\ntwo")}});
    let (status, updated) = ask(
        &mut world,
        "PUT",
        &at(&format!("drafts/{id}")),
        body.clone(),
    );
    assert_eq!(status, 200);
    assert_eq!(updated["id"], *id);
    let new = text(&updated["message"]["id"]);
    assert_ne!(new, old);
    assert_eq!(updated["message"]["threadId"], *old);
    assert_eq!(
        refused(&mut world, "GET", &format!("messages/{old}"), Value::Null).0,
        404
    );
    let full = get(&mut world, &format!("drafts/{id}"));
    assert_eq!(unraw(&full["message"]["payload"]["body"]["data"]), "two");
    assert_eq!(refused(&mut world, "PUT", "drafts/r1", body).0, 404);
    assert_eq!(
        refused(&mut world, "PUT", &format!("drafts/{id}"), json!({})).0,
        400
    );
    assert_eq!(
        refused(&mut world, "POST", "drafts", json!({"message": {}})).0,
        400
    );
}

#[test]
fn sending_a_draft_ends_it() {
    let mut world = world();
    let source =
        "To: bob@example.com\nSubject: Re: Q3 planning\nIn-Reply-To: <plan@example.com>\n\nok";
    let draft = post(
        &mut world,
        "drafts",
        json!({"message": {"raw": raw(source), "threadId": PLAN}}),
    );
    assert_eq!(draft["message"]["threadId"], PLAN);
    let (id, message) = (text(&draft["id"]), text(&draft["message"]["id"]));
    let sent = post(&mut world, "drafts/send", json!({ "id": id }));
    assert_eq!(
        (&sent["labelIds"], &sent["threadId"]),
        (&json!(["SENT"]), &json!(PLAN))
    );
    assert_ne!(sent["id"], *message);
    assert_eq!(get(&mut world, "drafts")["resultSizeEstimate"], 0);
    assert_eq!(
        refused(
            &mut world,
            "GET",
            &format!("messages/{message}"),
            Value::Null
        )
        .0,
        404
    );
    assert_eq!(
        refused(&mut world, "POST", "drafts/send", json!({ "id": id })).0,
        404
    );
    // Its date is that of its sending.
    let rest = format!("messages/{}?format=raw", text(&sent["id"]));
    assert!(unraw(&get(&mut world, &rest)["raw"]).contains("Date: Mon, 2 Mar 2026 09:00:02 +0000"));
}

#[test]
fn a_draft_can_be_finished_while_it_is_sent() {
    let mut world = world();
    let id = text(&create(&mut world, "Subject: x\n\nx")["id"]);
    let body =
        json!({"id": id, "message": {"raw": raw("To: bob@example.com\nSubject: final\n\nx")}});
    post(&mut world, "drafts/send", body);
    assert_eq!(
        ids(&get(&mut world, "messages?q=subject:final"), "messages").len(),
        1
    );
    assert_eq!(
        refused(&mut world, "POST", "drafts/send", json!({})),
        (400, "Missing draft id".into())
    );
}

#[test]
fn deleting_either_deletes_both() {
    let mut world = world();
    let draft = create(&mut world, "To: a@b.c\n\nx");
    let (id, message) = (text(&draft["id"]), text(&draft["message"]["id"]));
    assert_eq!(
        ask(
            &mut world,
            "DELETE",
            &at(&format!("drafts/{id}")),
            Value::Null
        )
        .0,
        204
    );
    assert_eq!(
        refused(
            &mut world,
            "GET",
            &format!("messages/{message}"),
            Value::Null
        )
        .0,
        404
    );
    assert_eq!(
        refused(&mut world, "DELETE", &format!("drafts/{id}"), Value::Null).0,
        404
    );
    let draft = create(&mut world, "To: a@b.c\n\nx");
    let (id, message) = (text(&draft["id"]), text(&draft["message"]["id"]));
    ask(
        &mut world,
        "DELETE",
        &at(&format!("messages/{message}")),
        Value::Null,
    );
    assert_eq!(
        refused(&mut world, "GET", &format!("drafts/{id}"), Value::Null).0,
        404
    );
    assert_eq!(get(&mut world, "drafts")["resultSizeEstimate"], 0);
}

#[test]
fn the_journal_knows_drafts_and_messages() {
    let mut world = world();
    let draft = create(&mut world, "To: a@b.c\n\nx");
    let (id, old) = (text(&draft["id"]), text(&draft["message"]["id"]));
    let body = json!({"message": {"raw": raw("To: a@b.c\n\ny")}});
    let touched = touches(&mut world, "PUT", &format!("drafts/{id}"), body);
    let new = text(&get(&mut world, &format!("drafts/{id}"))["message"]["id"]);
    assert_eq!(
        touched,
        [
            format!("updated gmail.draft {id} message"),
            format!("deleted gmail.message {old}"),
            format!("created gmail.message {new}"),
        ]
    );
    let read = |view: &str| {
        [
            format!("read gmail.draft {id} {view}"),
            format!("read gmail.message {new} {view}"),
        ]
    };
    assert_eq!(
        touches(&mut world, "GET", &format!("drafts/{id}"), Value::Null),
        read("full")
    );
    assert_eq!(
        touches(&mut world, "GET", "drafts", Value::Null),
        read("reference")
    );
    let masked = format!("drafts/{id}?fields=message/snippet");
    assert_eq!(
        touches(&mut world, "GET", &masked, Value::Null),
        read("summary")
    );
    let mut masked = |rest: &str| touches(&mut world, "GET", rest, Value::Null);
    assert_eq!(masked("drafts?fields=drafts/id"), read("reference")[..1]);
    assert_eq!(
        masked("drafts?fields=drafts/message/id"),
        read("reference")[1..]
    );
    assert_eq!(masked("drafts?fields=drafts/message/threadId"), [""; 0]);
    assert_eq!(
        masked(&format!("drafts/{id}?fields=id")),
        read("reference")[..1]
    );
    assert_eq!(masked(&format!("drafts/{id}?fields=message/raw")), [""; 0]);
    let sent = touches(&mut world, "POST", "drafts/send", json!({ "id": id }));
    assert_eq!(
        sent[..2],
        [
            format!("deleted gmail.draft {id}"),
            format!("deleted gmail.message {new}")
        ]
    );
    assert!(sent[2].starts_with("created gmail.message"));
}
