//! History.

use super::*;

fn now(world: &mut World) -> String {
    get(world, "profile")["historyId"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Kinds of the events of each record.
fn kinds(answer: &Value) -> Vec<String> {
    let records = answer["history"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let kinds = |record: &Value| {
        let names = record.as_object().unwrap().keys();
        names
            .filter(|it| *it != "id" && *it != "messages")
            .cloned()
            .collect::<Vec<_>>()
            .join("+")
    };
    records.iter().map(kinds).collect()
}

#[test]
fn nothing_happened() {
    let mut world = world();
    let start = now(&mut world);
    assert_eq!(
        get(&mut world, &format!("history?startHistoryId={start}")),
        json!({"historyId": start})
    );
}

#[test]
fn every_kind_of_event() {
    let mut world = world();
    let start = now(&mut world);
    let sent = send_mail(&mut world, "To: a@b.c\n\nx")["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let body = json!({"addLabelIds": ["STARRED"], "removeLabelIds": ["UNREAD", "INBOX"]});
    post(&mut world, &format!("messages/{PLAN}/modify"), body);
    post(
        &mut world,
        &format!("messages/{PLAN}/modify"),
        json!({"addLabelIds": ["STARRED"]}),
    );
    ask(
        &mut world,
        "DELETE",
        &at(&format!("messages/{REPORT}")),
        Value::Null,
    );
    let all = get(&mut world, &format!("history?startHistoryId={start}"));
    assert_eq!(
        kinds(&all),
        [
            "messagesAdded",
            "labelsAdded+labelsRemoved",
            "messagesDeleted"
        ]
    );
    let records = all["history"].as_array().unwrap();
    assert_eq!(
        records[0]["messagesAdded"],
        json!([{"message": {"id": sent, "threadId": sent, "labelIds": ["SENT"]}}])
    );
    assert_eq!(
        records[0]["messages"],
        json!([{"id": sent, "threadId": sent}])
    );
    assert_eq!(records[1]["labelsAdded"][0]["labelIds"], json!(["STARRED"]));
    assert_eq!(
        records[1]["labelsRemoved"][0]["labelIds"],
        json!(["INBOX", "UNREAD"])
    );
    assert_eq!(
        records[1]["labelsAdded"][0]["message"]["labelIds"],
        json!(["IMPORTANT", "STARRED", "Label_2"])
    );
    assert_eq!(records[2]["messagesDeleted"][0]["message"]["id"], REPORT);
    let ids: Vec<u64> = records
        .iter()
        .map(|it| it["id"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(ids.is_sorted() && ids[0] > start.parse().unwrap());
    assert_eq!(all["historyId"], records[2]["id"]);
    // The message knows its newest record.
    assert_eq!(
        get(&mut world, &format!("messages/{PLAN}"))["historyId"],
        records[1]["id"]
    );
}

#[test]
fn events_by_kind_and_label() {
    let mut world = world();
    let start = now(&mut world);
    send_mail(&mut world, "To: ada@example.com\n\nx");
    post(
        &mut world,
        &format!("messages/{PLAN}/modify"),
        json!({"addLabelIds": ["STARRED"], "removeLabelIds": ["INBOX"]}),
    );
    ask(
        &mut world,
        "DELETE",
        &at(&format!("messages/{SPAM}")),
        Value::Null,
    );
    let mut of = |rest: &str| {
        kinds(&get(
            &mut world,
            &format!("history?startHistoryId={start}&{rest}"),
        ))
    };
    assert_eq!(of("historyTypes=messageAdded"), ["messagesAdded"]);
    assert_eq!(of("historyTypes=labelRemoved"), ["labelsRemoved"]);
    assert_eq!(
        of("historyTypes=labelAdded&historyTypes=messageDeleted"),
        ["labelsAdded", "messagesDeleted"]
    );
    assert_eq!(
        of("labelId=INBOX"),
        ["messagesAdded", "labelsAdded+labelsRemoved"]
    );
    assert_eq!(of("labelId=SPAM"), ["messagesDeleted"]);
    assert_eq!(of("labelId=Label_1"), [""; 0]);
    for rest in ["historyTypes=everything", "labelId=FOO"] {
        let rest = format!("history?startHistoryId={start}&{rest}");
        assert_eq!(
            refused(&mut world, "GET", &rest, Value::Null).0,
            400,
            "{rest}"
        );
    }
}

#[test]
fn pages_of_history() {
    let mut world = world();
    let start = now(&mut world);
    for n in 0..5 {
        let body = if n % 2 == 0 {
            json!({"addLabelIds": ["STARRED"]})
        } else {
            json!({"removeLabelIds": ["STARRED"]})
        };
        post(&mut world, &format!("messages/{PLAN}/modify"), body);
    }
    let mut seen = Vec::new();
    let mut rest = format!("history?startHistoryId={start}&maxResults=2");
    for size in [2, 2, 1] {
        let page = get(&mut world, &rest);
        assert_eq!(page["history"].as_array().unwrap().len(), size);
        seen.extend(kinds(&page));
        match page["nextPageToken"].as_str() {
            Some(token) => {
                rest = format!("history?startHistoryId={start}&maxResults=2&pageToken={token}");
            }
            None => assert_eq!(size, 1),
        }
    }
    let (added, removed) = ("labelsAdded", "labelsRemoved");
    assert_eq!(seen, [added, removed, added, removed, added]);
    let rest = format!("history?startHistoryId={start}&pageToken=1");
    assert_eq!(refused(&mut world, "GET", &rest, Value::Null).0, 400);
}

#[test]
fn a_start_that_is_too_old_or_never_was() {
    let mut world = world();
    let newest: u64 = now(&mut world).parse().unwrap();
    for start in [0, 1, 999, newest + 1, u64::MAX] {
        let answer = refused(
            &mut world,
            "GET",
            &format!("history?startHistoryId={start}"),
            Value::Null,
        );
        assert_eq!(
            answer,
            (404, "Requested entity was not found.".into()),
            "{start}"
        );
    }
    for rest in [
        "history",
        "history?startHistoryId=x",
        "history?startHistoryId=-1",
    ] {
        assert_eq!(
            refused(&mut world, "GET", rest, Value::Null).0,
            400,
            "{rest}"
        );
    }
    // The seeded mails have history too.
    let oldest = get(&mut world, &format!("messages/{PLAN}"))["historyId"]
        .as_str()
        .unwrap()
        .to_owned();
    let since = get(&mut world, &format!("history?startHistoryId={oldest}"));
    assert_eq!(kinds(&since), ["messagesAdded"; 3]);
}

#[test]
fn old_history_is_forgotten() {
    use crate::google::gmail::{Change, History};
    let message = crate::google::gmail::Message {
        id: "1".parse().unwrap(),
        thread: "1".parse().unwrap(),
        labels: std::iter::empty().collect(),
        date_ms: 0,
        history_id: 0,
        seeded: false,
        mail: std::sync::Arc::new(crate::google::gmail::mime::Mail::parse(Vec::new())),
    };
    let mut history = History::default();
    let first = history.record(&message, Change::Added);
    for _ in 0..50_000 {
        history.record(&message, Change::Added);
    }
    assert_eq!(history.since(first).unwrap().count(), 50_000);
    assert!(history.since(first - 1).is_none());
}
