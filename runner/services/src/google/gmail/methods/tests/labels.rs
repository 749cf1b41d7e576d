//! Labels.

use super::*;

#[test]
fn gmails_own_labels_come_first() {
    let mut world = world();
    let all = get(&mut world, "labels");
    let names = ids(&all, "labels");
    assert_eq!(names.len(), 16);
    assert_eq!(names[..3], ["CHAT", "SENT", "INBOX"]);
    assert_eq!(names[14..], ["Label_1", "Label_2"]);
    assert_eq!(
        all["labels"][2],
        json!({"id": "INBOX", "name": "INBOX", "type": "system"})
    );
    assert_eq!(
        all["labels"][4],
        json!({"id": "TRASH", "name": "TRASH", "messageListVisibility": "hide", "labelListVisibility": "labelHide", "type": "system"})
    );
    assert_eq!(
        all["labels"][15],
        json!({"id": "Label_2", "name": "Clients/Acme", "messageListVisibility": "show", "labelListVisibility": "labelShow", "type": "user"})
    );
}

#[test]
fn a_label_knows_how_much_carries_it() {
    let mut world = world();
    let counts = |label: &Value| {
        [
            "messagesTotal",
            "messagesUnread",
            "threadsTotal",
            "threadsUnread",
        ]
        .map(|name| label[name].as_u64().unwrap())
    };
    assert_eq!(counts(&get(&mut world, "labels/INBOX")), [2, 2, 2, 2]);
    assert_eq!(counts(&get(&mut world, "labels/SENT")), [1, 0, 1, 0]);
    assert_eq!(counts(&get(&mut world, "labels/Label_2")), [1, 1, 1, 1]);
    assert_eq!(counts(&get(&mut world, "labels/UNREAD")), [3, 3, 3, 3]);
    post(
        &mut world,
        &format!("threads/{PLAN}/modify"),
        json!({"addLabelIds": ["Label_1"]}),
    );
    assert_eq!(counts(&get(&mut world, "labels/Label_1")), [2, 1, 1, 1]);
    for id in ["Label_9", "inbox", "Clients"] {
        assert_eq!(
            refused(&mut world, "GET", &format!("labels/{id}"), Value::Null).0,
            404,
            "{id}"
        );
    }
}

#[test]
fn labels_are_made() {
    let mut world = world();
    let body = json!({
        "name": "Team/Ops", "labelListVisibility": "labelShowIfUnread", "messageListVisibility": "hide",
        "color": {"textColor": "#ffffff", "backgroundColor": "#FB4C2F"},
    });
    let made = post(&mut world, "labels", body);
    assert_eq!(
        made,
        json!({
            "id": "Label_3", "name": "Team/Ops", "messageListVisibility": "hide", "labelListVisibility": "labelShowIfUnread",
            "type": "user", "color": {"textColor": "#ffffff", "backgroundColor": "#fb4c2f"},
        })
    );
    post(
        &mut world,
        &format!("messages/{PLAN}/modify"),
        json!({"addLabelIds": ["Label_3"]}),
    );
    assert_eq!(
        ids(&get(&mut world, "messages?q=label:team-ops"), "messages"),
        [PLAN]
    );
}

#[test]
fn labels_that_are_refused() {
    let mut world = world();
    for (body, status, message) in [
        (json!({}), 400, "Invalid label name"),
        (json!({"name": " "}), 400, "Invalid label name"),
        (json!({"name": "a//b"}), 400, "Invalid label name"),
        (json!({"name": "Inbox"}), 400, "Invalid label name"),
        (
            json!({"name": "clients"}),
            409,
            "Label name exists or conflicts",
        ),
        (
            json!({"name": "x", "color": {"textColor": "#ffffff", "backgroundColor": "#123456"}}),
            400,
            "Label color #123456 is not on the allowed color palette",
        ),
        (
            json!({"name": "x", "color": {}}),
            400,
            "Label color  is not on the allowed color palette",
        ),
    ] {
        let answer = refused(&mut world, "POST", "labels", body.clone());
        assert_eq!(answer, (status, message.to_owned()), "{body}");
    }
    let (_, answer) = ask(
        &mut world,
        "POST",
        &at("labels"),
        json!({"name": "Clients"}),
    );
    assert_eq!(
        (problem(&answer).1, &answer["error"]["status"]),
        ("aborted", &json!("ABORTED"))
    );
    for body in [
        json!({"name": "x", "labelListVisibility": "sometimes"}),
        json!({"name": 5}),
        json!({"nam": "x"}),
    ] {
        assert_eq!(refused(&mut world, "POST", "labels", body).0, 400);
    }
}

#[test]
fn labels_change() {
    let mut world = world();
    let target = at("labels/Label_1");
    let (status, patched) = ask(
        &mut world,
        "PATCH",
        &target,
        json!({"messageListVisibility": "hide"}),
    );
    assert_eq!(
        (status, &patched["name"], &patched["messageListVisibility"]),
        (200, &json!("Clients"), &json!("hide"))
    );
    let (_, updated) = ask(
        &mut world,
        "PUT",
        &target,
        json!({"id": "Label_1", "name": "Customers"}),
    );
    assert_eq!(
        (&updated["name"], &updated["messageListVisibility"]),
        (&json!("Customers"), &json!("show"))
    );
    for (method, rest, body, status) in [
        (
            "PATCH",
            "labels/Label_1",
            json!({"name": "clients/acme"}),
            409,
        ),
        ("PUT", "labels/Label_1", json!({}), 400),
        (
            "PUT",
            "labels/Label_1",
            json!({"id": "Label_2", "name": "y"}),
            400,
        ),
        ("PATCH", "labels/INBOX", json!({"name": "y"}), 400),
        ("PATCH", "labels/Label_9", json!({"name": "y"}), 404),
        ("DELETE", "labels/INBOX", Value::Null, 400),
        ("DELETE", "labels/Label_9", Value::Null, 404),
    ] {
        assert_eq!(
            refused(&mut world, method, rest, body).0,
            status,
            "{method} {rest}"
        );
    }
}

#[test]
fn a_deleted_label_leaves_its_messages() {
    let mut world = world();
    assert_eq!(
        ask(&mut world, "DELETE", &at("labels/Label_2"), Value::Null),
        (204, Value::Null)
    );
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "INBOX", "UNREAD"]
    );
    // The number is not given again.
    assert_eq!(
        post(&mut world, "labels", json!({"name": "New"}))["id"],
        "Label_3"
    );
}

#[test]
fn the_journal_knows_of_labels() {
    let mut world = world();
    let mut touch = |method: &str, rest: &str, body: Value| touches(&mut world, method, rest, body);
    assert_eq!(
        touch("POST", "labels", json!({"name": "New"})),
        ["created gmail.label Label_3"]
    );
    assert_eq!(
        touch("PATCH", "labels/Label_3", json!({"name": "Newer"})),
        ["updated gmail.label Label_3 name"]
    );
    assert_eq!(
        touch("PATCH", "labels/Label_3", json!({"name": "Newer"})),
        ["updated gmail.label Label_3"]
    );
    assert_eq!(
        touch("GET", "labels/Label_3", Value::Null),
        ["read gmail.label Label_3 full"]
    );
    assert_eq!(touch("GET", "labels", Value::Null).len(), 17);
    assert_eq!(
        touch("DELETE", "labels/Label_3", Value::Null),
        ["deleted gmail.label Label_3"]
    );
}
