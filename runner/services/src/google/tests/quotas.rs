//! Whatever an agent puts into a world, and in whatever bytes: its snapshot
//! stays as small as a grader can read.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::json;

use super::*;

const MAIL: &str = "/gmail/v1/users/me";
const TASKS: &str = "/tasks/v1";
const EVENTS: &str = "/calendar/v3/calendars/primary/events";
/// Most bytes that an agent can add to a snapshot, of each service.
const MAILS_CAP: usize = 12 << 20;
const LABELS_CAP: usize = 1 << 20;
const TASKS_CAP: usize = 7 << 20;
const EVENTS_CAP: usize = 4 << 20;

fn snapshot_len(world: &World) -> usize {
    serde_json::to_vec(&world.snapshot()).unwrap().len()
}

/// Repeats a request, which the number of the repetition makes, until it is
/// refused for the quota. How often it was accepted.
fn fill(world: &mut World, request: impl Fn(usize) -> (String, Value)) -> usize {
    for n in 0..60_000 {
        let (target, json) = request(n);
        let (status, answer) = ask(world, "POST", &target, json);
        if status == 200 {
            continue;
        }
        assert_eq!(status, 403, "{n}: {answer}");
        assert_eq!(problem(&answer).1, "quotaExceeded");
        return n;
    }
    panic!("there is no quota");
}

/// Fills a new world, and checks that its snapshot keeps to the cap and that
/// the quota did not end long before it.
fn fills(cap: usize, least: usize, request: impl Fn(usize) -> (String, Value)) -> World {
    let mut world = world();
    let empty = snapshot_len(&world);
    let accepted = fill(&mut world, request);
    let added = snapshot_len(&world) - empty;
    assert!(
        (least..=cap).contains(&added),
        "{accepted} requests, {added} bytes, of {cap}"
    );
    world
}

fn raw(source: &[u8]) -> Value {
    json!({"raw": URL_SAFE.encode(source)})
}

/// A mail with this header (each field with its line break) and body.
fn mail(header: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("From: ada@example.com\r\nTo: b@example.org\r\n{header}\r\n");
    [head.as_bytes(), body].concat()
}

fn send_to(method: &str, json: Value) -> (String, Value) {
    (format!("{MAIL}/{method}"), json)
}

#[test]
fn mails_of_control_characters() {
    let sources = [
        mail("", &vec![1; 1 << 20]),
        mail("Content-Type: text/html\r\n", &vec![1; 1 << 20]),
        mail(
            "Content-Type: text/plain; charset=iso-8859-1\r\n",
            &vec![0x81; 1 << 20],
        ),
        mail("", &vec![b'"'; 1 << 20]),
        mail("", &vec![0xff; 1 << 20]),
    ];
    for source in sources {
        let json = raw(&source);
        let least = MAILS_CAP / 2;
        fills(MAILS_CAP, least, |_| send_to("messages/send", json.clone()));
    }
}

#[test]
fn mails_of_headers_recipients_and_parts() {
    let parts = "--b\r\nContent-Type: a/b; name=\"\u{7f}\"\r\n\r\n\r\n".repeat(1_900);
    let sources = [
        mail(&"a:\r\n".repeat(9_000), b""),
        mail(&format!("Cc: {}c@d\r\n", "c@d,".repeat(9_000)), b""),
        mail(
            "Content-Type: multipart/mixed; boundary=b\r\n",
            parts.as_bytes(),
        ),
        mail(
            &format!("Subject: {}\r\n", "\\\u{7f}\"".repeat(50_000)),
            b"",
        ),
    ];
    for source in sources {
        let json = raw(&source);
        let least = MAILS_CAP / 4;
        fills(MAILS_CAP, least, |_| send_to("messages", json.clone()));
    }
}

#[test]
fn small_mails_and_drafts() {
    // Few enough for a test, small enough that what every mail has counts.
    let source = mail("", &[1; 2_000]);
    let message = raw(&source);
    fills(MAILS_CAP, MAILS_CAP / 2, |_| {
        send_to("messages", message.clone())
    });
    let draft = json!({"message": raw(&source)});
    fills(MAILS_CAP, MAILS_CAP / 2, |_| {
        send_to("drafts", draft.clone())
    });
}

#[test]
fn label_names() {
    fills(LABELS_CAP, LABELS_CAP / 2, |n| {
        let name = format!("{n}{}", "\"\u{10ffff}".repeat(110));
        send_to("labels", json!({ "name": name }))
    });
}

#[test]
fn labels_on_messages() {
    let mut world = world();
    let ids: Vec<String> = (0..2_000)
        .map(|n| {
            let json = raw(&mail("", n.to_string().as_bytes()));
            let (_, made) = ask(&mut world, "POST", &format!("{MAIL}/messages"), json);
            made["id"].as_str().unwrap().to_owned()
        })
        .collect();
    for n in 0..700 {
        let name = json!({"name": format!("l{n}")});
        assert_eq!(
            ask(&mut world, "POST", &format!("{MAIL}/labels"), name).0,
            200
        );
    }
    let empty = snapshot_len(&world);
    let target = format!("{MAIL}/messages/batchModify");
    let mut refused = 0;
    for labels in (1..=700).collect::<Vec<u32>>().chunks(100) {
        let labels: Vec<String> = labels.iter().map(|n| format!("Label_{n}")).collect();
        for ids in ids.chunks(1_000) {
            let (status, answer) = ask(
                &mut world,
                "POST",
                &target,
                json!({"ids": ids, "addLabelIds": labels}),
            );
            if status != 204 {
                assert_eq!((status, problem(&answer).1), (403, "quotaExceeded"));
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
    assert!(snapshot_len(&world) - empty <= MAILS_CAP);
    // Gmail's own labels need no room.
    let trash = format!("{MAIL}/messages/{}/trash", ids[0]);
    assert_eq!(ask(&mut world, "POST", &trash, Value::Null).0, 200);
}

#[test]
fn tasks_and_lists() {
    for text in ["\u{1}", "\u{81}", "\"", "\u{10ffff}"] {
        let task = json!({"title": text.repeat(1_024), "notes": text.repeat(8_192)});
        fills(TASKS_CAP, TASKS_CAP * 3 / 4, |_| {
            (format!("{TASKS}/lists/@default/tasks"), task.clone())
        });
        let mut world = world();
        let empty = snapshot_len(&world);
        fill(&mut world, |_| {
            (
                format!("{TASKS}/users/@me/lists"),
                json!({"title": text.repeat(1_024)}),
            )
        });
        assert!(snapshot_len(&world) - empty <= TASKS_CAP);
    }
}

#[test]
fn empty_tasks_count_too() {
    let done = json!({"status": "completed", "due": "9999-12-30T00:00:00Z"});
    // The most of one list are 20,000.
    fills(TASKS_CAP, TASKS_CAP / 2, |_| {
        (format!("{TASKS}/lists/@default/tasks"), done.clone())
    });
}

#[test]
fn a_change_is_as_good_as_a_new_task() {
    let mut world = world();
    let target = format!("{TASKS}/lists/@default/tasks");
    let ids: Vec<String> = (0..1_200)
        .map(|_| {
            let (_, made) = ask(&mut world, "POST", &target, json!({"title": "t"}));
            made["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let empty = snapshot_len(&world);
    let notes = json!({"notes": "\u{1}".repeat(8_192)});
    let refused = ids.iter().filter(|id| {
        let (status, _) = ask(
            &mut world,
            "PATCH",
            &format!("{target}/{id}"),
            notes.clone(),
        );
        status == 403
    });
    assert!(refused.count() > 0);
    assert!(snapshot_len(&world) - empty <= TASKS_CAP);
}

#[test]
fn calendar_events() {
    let times = |mut event: Value| {
        event["start"] = json!({"date": "2026-03-03"});
        event["end"] = json!({"date": "2026-03-04"});
        event
    };
    let events = [
        json!({"summary": "\u{1}".repeat(8_192), "description": "\u{81}".repeat(8_192)}),
        json!({"attendees": vec![json!({"email": "a@b.c", "displayName": "\u{1}".repeat(1_000)}); 200]}),
        json!({"visibility": "private"}),
    ];
    for event in events {
        let event = times(event);
        fills(EVENTS_CAP, EVENTS_CAP / 2, |_| {
            (EVENTS.to_owned(), event.clone())
        });
    }
}

#[test]
fn all_together_is_what_a_grader_can_read() {
    let mut world = world();
    let source = raw(&mail("", &vec![1; 1 << 20]));
    fill(&mut world, |_| send_to("messages", source.clone()));
    let task = json!({"notes": "\u{1}".repeat(8_192)});
    fill(&mut world, |_| {
        (format!("{TASKS}/lists/@default/tasks"), task.clone())
    });
    let day = json!({"date": "2026-03-03"});
    let event = json!({"description": "\u{1}".repeat(8_192), "start": day, "end": day});
    fill(&mut world, |_| (EVENTS.to_owned(), event.clone()));
    assert!(snapshot_len(&world) <= 23 << 20);
}

#[test]
fn the_seed_comes_on_top_and_deleting_makes_room() {
    let mut world = world();
    let json = raw(&mail("", &vec![1; 1 << 20]));
    let target = format!("{MAIL}/messages");
    let fill_up = |world: &mut World| fill(world, |_| (target.clone(), json.clone()));
    let accepted = fill_up(&mut world);
    let (_, page) = ask(&mut world, "GET", &target, Value::Null);
    let one = page["messages"][0]["id"].as_str().unwrap();
    assert_eq!(
        ask(
            &mut world,
            "DELETE",
            &format!("{target}/{one}"),
            Value::Null
        )
        .0,
        204
    );
    assert_eq!(fill_up(&mut world), 1);
    // A restored world has the same room, not its quota again.
    let text = serde_json::to_string(&world).unwrap();
    let mut restored: World = serde_json::from_str(&text).unwrap();
    assert_eq!(fill_up(&mut restored), 0);
    assert!(accepted >= 3);
}

#[test]
fn texts_of_settings_and_uploads_have_an_end() {
    let mut world = world();
    let send_as = |extra: Value| {
        let mut body = json!({"sendAsEmail": "team@example.com"});
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        body
    };
    let host = json!({"smtpMsa": {"host": "h".repeat(400), "port": 25}});
    for body in [
        send_as(json!({"signature": "s".repeat(10_001)})),
        send_as(host),
        json!({"sendAsEmail": format!("{}@example.com", "a".repeat(400))}),
    ] {
        let (status, answer) = ask(&mut world, "POST", &format!("{MAIL}/settings/sendAs"), body);
        assert_eq!((status, problem(&answer).1), (400, "invalidArgument"));
    }
    let start = "/upload/gmail/v1/users/me/messages/send?uploadType=resumable";
    let metadata = json!({"raw": "r".repeat(2 << 20)});
    assert_eq!(ask(&mut world, "POST", start, metadata).0, 413);
}
