//! Labels of messages, trash, deletion, batches.

use super::*;

#[test]
fn labels_come_and_go() {
    let mut world = world();
    let body = json!({"addLabelIds": ["STARRED", "Label_1"], "removeLabelIds": ["UNREAD"]});
    let answer = post(&mut world, &format!("messages/{PLAN}/modify"), body);
    assert_eq!(
        answer,
        json!({"id": PLAN, "threadId": PLAN, "labelIds": ["INBOX", "IMPORTANT", "STARRED", "Label_1", "Label_2"]})
    );
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "INBOX", "Label_1", "Label_2", "STARRED"]
    );
}

#[test]
fn changes_that_are_refused() {
    let mut world = world();
    let many: Vec<String> = (0..101).map(|n| format!("Label_{n}")).collect();
    for (body, message) in [
        (json!({}), "No label add or removes specified"),
        (
            json!({"addLabelIds": []}),
            "No label add or removes specified",
        ),
        (json!({"addLabelIds": ["FOO"]}), "Invalid label: FOO"),
        (json!({"addLabelIds": ["inbox"]}), "Invalid label: inbox"),
        (
            json!({"addLabelIds": ["Label_3"]}),
            "Invalid label: Label_3",
        ),
        (
            json!({"addLabelIds": ["Clients"]}),
            "Invalid label: Clients",
        ),
        (json!({"addLabelIds": ["SENT"]}), "Invalid label: SENT"),
        (json!({"addLabelIds": ["DRAFT"]}), "Invalid label: DRAFT"),
        (json!({"removeLabelIds": ["SENT"]}), "Invalid label: SENT"),
        (
            json!({"addLabelIds": ["INBOX"], "removeLabelIds": ["INBOX"]}),
            "Cannot both add and remove the same label",
        ),
        (
            json!({"addLabelIds": many}),
            "Too many addLabelIds: a request can have 100",
        ),
    ] {
        for rest in [
            format!("messages/{ANSWER}/modify"),
            format!("threads/{PLAN}/modify"),
        ] {
            let answer = refused(&mut world, "POST", &rest, body.clone());
            assert_eq!(answer, (400, message.to_owned()), "{rest} {body}");
        }
    }
    let body = json!({"addLabelIds": ["STARRED"]});
    for rest in [
        "messages/1/modify",
        "threads/1/modify",
        "threads/19cab04c3c000002/modify",
    ] {
        assert_eq!(
            refused(&mut world, "POST", rest, body.clone()).0,
            404,
            "{rest}"
        );
    }
    assert_eq!(
        refused(&mut world, "POST", "messages/x/modify", body).0,
        400
    );
}

#[test]
fn a_message_lies_in_one_place() {
    let mut world = world();
    let modify = format!("messages/{PLAN}/modify");
    post(&mut world, &format!("messages/{PLAN}/trash"), Value::Null);
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "Label_2", "TRASH", "UNREAD"]
    );
    assert_eq!(
        ids(&get(&mut world, "messages?q=budget"), "messages"),
        [""; 0]
    );
    assert_eq!(
        ids(&get(&mut world, "messages?q=budget+in:trash"), "messages"),
        [PLAN]
    );
    post(&mut world, &format!("messages/{PLAN}/untrash"), Value::Null);
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "Label_2", "UNREAD"]
    );
    post(&mut world, &modify, json!({"addLabelIds": ["SPAM"]}));
    post(&mut world, &modify, json!({"addLabelIds": ["INBOX"]}));
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "INBOX", "Label_2", "UNREAD"]
    );
    post(
        &mut world,
        &modify,
        json!({"addLabelIds": ["TRASH"], "removeLabelIds": ["UNREAD"]}),
    );
    assert_eq!(
        labels_of(&mut world, PLAN),
        ["IMPORTANT", "Label_2", "TRASH"]
    );
}

#[test]
fn a_thread_changes_as_a_whole() {
    let mut world = world();
    let answer = post(
        &mut world,
        &format!("threads/{PLAN}/modify"),
        json!({"addLabelIds": ["STARRED"]}),
    );
    assert_eq!(ids(&answer, "messages"), [PLAN, ANSWER]);
    assert_eq!(labels_of(&mut world, ANSWER), ["SENT", "STARRED"]);
    post(&mut world, &format!("threads/{PLAN}/trash"), Value::Null);
    assert_eq!(labels_of(&mut world, ANSWER), ["SENT", "STARRED", "TRASH"]);
    assert_eq!(ids(&get(&mut world, "threads"), "threads"), [REPORT]);
    post(&mut world, &format!("threads/{PLAN}/untrash"), Value::Null);
    assert_eq!(ids(&get(&mut world, "threads"), "threads"), [REPORT, PLAN]);
    let (status, _) = ask(
        &mut world,
        "DELETE",
        &at(&format!("threads/{PLAN}")),
        Value::Null,
    );
    assert_eq!(status, 204);
    assert_eq!(ids(&get(&mut world, "messages"), "messages"), [REPORT]);
    assert_eq!(
        refused(
            &mut world,
            "DELETE",
            &format!("threads/{PLAN}"),
            Value::Null
        )
        .0,
        404
    );
}

#[test]
fn what_is_deleted_is_gone() {
    let mut world = world();
    let rest = format!("messages/{PLAN}");
    assert_eq!(
        ask(&mut world, "DELETE", &at(&rest), Value::Null),
        (204, Value::Null)
    );
    assert_eq!(refused(&mut world, "GET", &rest, Value::Null).0, 404);
    assert_eq!(refused(&mut world, "DELETE", &rest, Value::Null).0, 404);
    // The thread lives on in its other message.
    assert_eq!(
        ids(&get(&mut world, &format!("threads/{PLAN}")), "messages"),
        [ANSWER]
    );
}

#[test]
fn batches_pass_over_what_is_not_there() {
    let mut world = world();
    let body = json!({"ids": [PLAN, REPORT, "19cab04c3c0000ff"], "removeLabelIds": ["UNREAD"]});
    assert_eq!(post(&mut world, "messages/batchModify", body), Value::Null);
    assert_eq!(
        ids(&get(&mut world, "messages?q=is:unread"), "messages"),
        [""; 0]
    );
    post(
        &mut world,
        "messages/batchDelete",
        json!({"ids": [PLAN, "1"]}),
    );
    assert_eq!(
        ids(&get(&mut world, "messages"), "messages"),
        [REPORT, ANSWER]
    );
}

#[test]
fn batches_that_are_refused() {
    let mut world = world();
    let many: Vec<String> = (1..=1001).map(|n| format!("{n:x}")).collect();
    let add = json!(["STARRED"]);
    for (body, message) in [
        (json!({"addLabelIds": add}), "No message ids specified"),
        (
            json!({"addLabelIds": add, "ids": many}),
            "Number of ids cannot exceed 1000",
        ),
        (
            json!({"addLabelIds": add, "ids": [PLAN, "nope"]}),
            "Invalid ids value",
        ),
        (
            json!({"addLabelIds": ["FOO"], "ids": [PLAN]}),
            "Invalid label: FOO",
        ),
        (json!({"ids": [PLAN]}), "No label add or removes specified"),
    ] {
        let answer = refused(&mut world, "POST", "messages/batchModify", body);
        assert_eq!(answer, (400, message.to_owned()));
    }
    assert_eq!(
        refused(&mut world, "POST", "messages/batchDelete", json!({})).0,
        400
    );
}

#[test]
fn the_journal_knows_what_changed() {
    let mut world = world();
    let modify = format!("messages/{PLAN}/modify");
    let star = json!({"addLabelIds": ["STARRED"]});
    let mut touch = |method: &str, rest: &str, body: Value| touches(&mut world, method, rest, body);
    assert_eq!(
        touch("POST", &modify, star.clone()),
        [format!("updated gmail.message {PLAN} labelIds")]
    );
    // Accepted, and nothing is another value now.
    assert_eq!(
        touch("POST", &modify, star.clone()),
        [format!("updated gmail.message {PLAN}")]
    );
    assert_eq!(
        touch("POST", &format!("threads/{PLAN}/modify"), star),
        [
            format!("updated gmail.thread {PLAN} labelIds"),
            format!("updated gmail.message {PLAN}"),
            format!("updated gmail.message {ANSWER} labelIds"),
        ]
    );
    assert_eq!(
        touch(
            "POST",
            "messages/batchModify",
            json!({"ids": [PLAN, "1"], "removeLabelIds": ["UNREAD"]})
        ),
        [format!("updated gmail.message {PLAN} labelIds")]
    );
    assert_eq!(
        touch("POST", &format!("messages/{PLAN}/trash"), Value::Null),
        [format!("updated gmail.message {PLAN} labelIds")]
    );
    assert_eq!(
        touch("DELETE", &format!("messages/{PLAN}"), Value::Null),
        [format!("deleted gmail.message {PLAN}")]
    );
}
