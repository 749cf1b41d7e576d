//! Lists, messages, threads, attachments.

use super::*;

#[test]
fn messages_are_listed_newest_first() {
    let mut world = world();
    let all = get(&mut world, "messages");
    assert_eq!(ids(&all, "messages"), [REPORT, ANSWER, PLAN]);
    assert_eq!(all["resultSizeEstimate"], 3);
    assert_eq!(all["messages"][1], json!({"id": ANSWER, "threadId": PLAN}));
    assert!(all.get("nextPageToken").is_none());
}

#[test]
fn an_empty_list_has_no_array() {
    let mut world = world();
    assert_eq!(
        get(&mut world, "messages?q=nothing"),
        json!({"resultSizeEstimate": 0})
    );
    assert_eq!(
        get(&mut world, "threads?q=nothing"),
        json!({"resultSizeEstimate": 0})
    );
    assert_eq!(get(&mut world, "drafts"), json!({"resultSizeEstimate": 0}));
}

#[test]
fn queries_labels_and_spam() {
    let mut world = world();
    let mut find = |rest: &str| ids(&get(&mut world, &format!("messages?{rest}")), "messages");
    assert_eq!(find("q=is:unread"), [REPORT, PLAN]);
    assert_eq!(find("q=from%3Abob%20budget"), [PLAN]);
    assert_eq!(find("labelIds=INBOX&labelIds=IMPORTANT"), [PLAN]);
    assert_eq!(find("labelIds=Label_2"), [PLAN]);
    assert_eq!(find("q=in:spam"), [SPAM]);
    assert_eq!(find("labelIds=SPAM"), [SPAM]);
    assert_eq!(
        find("includeSpamTrash=true&q=is:unread"),
        [SPAM, REPORT, PLAN]
    );
    assert_eq!(find("q=%22%28%7B-"), [REPORT, ANSWER, PLAN]);
    assert_eq!(
        refused(&mut world, "GET", "messages?labelIds=inbox", Value::Null),
        (400, "Invalid label: inbox".into())
    );
}

#[test]
fn pages_do_not_move_when_mail_comes_in() {
    let mut world = world();
    let first = get(&mut world, "messages?maxResults=2");
    assert_eq!(
        (ids(&first, "messages").len(), &first["resultSizeEstimate"]),
        (2, &json!(3))
    );
    let token = first["nextPageToken"].as_str().unwrap().to_owned();
    send_mail(&mut world, "To: x@y.org\n\nnew");
    let second = get(
        &mut world,
        &format!("messages?maxResults=2&pageToken={token}"),
    );
    assert_eq!(ids(&second, "messages"), [PLAN]);
    assert!(second.get("nextPageToken").is_none());
    for token in ["x", "-1", "99999999999999999999999999999999999999999999"] {
        let rest = format!("messages?pageToken={token}");
        assert_eq!(
            refused(&mut world, "GET", &rest, Value::Null).1,
            "Invalid pageToken"
        );
    }
    let every_thread = get(&mut world, "threads?maxResults=1");
    let token = every_thread["nextPageToken"].as_str().unwrap();
    let rest = get(
        &mut world,
        &format!("threads?maxResults=500&pageToken={token}"),
    );
    assert_eq!(ids(&rest, "threads"), [REPORT, PLAN]);
}

#[test]
fn a_page_has_at_most_500() {
    let mut world = world();
    for n in 0..510 {
        post(
            &mut world,
            "messages",
            json!({"raw": raw(&format!("Subject: {n}\n\n"))}),
        );
    }
    assert_eq!(ids(&get(&mut world, "messages"), "messages").len(), 100);
    assert_eq!(
        ids(&get(&mut world, "messages?maxResults=600"), "messages").len(),
        500
    );
    assert_eq!(
        refused(&mut world, "GET", "messages?maxResults=-1", Value::Null).0,
        400
    );
}

#[test]
fn a_message_in_full() {
    let mut world = world();
    let mail = get(&mut world, &format!("messages/{PLAN}"));
    assert_eq!(
        mail["snippet"],
        "Bring the &lt;budget&gt; &amp; &quot;numbers&quot;."
    );
    assert_eq!(
        mail["labelIds"],
        json!(["INBOX", "IMPORTANT", "UNREAD", "Label_2"])
    );
    assert_eq!(
        (&mail["threadId"], &mail["internalDate"]),
        (&json!(PLAN), &json!("1772355600000"))
    );
    assert_eq!(mail["sizeEstimate"], FILES[0].1.len());
    let payload = &mail["payload"];
    assert_eq!(
        (&payload["partId"], &payload["mimeType"]),
        (&json!(""), &json!("text/plain"))
    );
    assert_eq!(
        payload["headers"][2],
        json!({"name": "Subject", "value": "Q3 planning"})
    );
    assert_eq!(payload["body"]["size"], 33);
    assert_eq!(
        unraw(&payload["body"]["data"]),
        "Bring the <budget> & \"numbers\".\r\n"
    );
    assert!(payload.get("parts").is_none() && mail.get("raw").is_none());
}

#[test]
fn parts_and_attachments() {
    let mut world = world();
    let mail = get(&mut world, &format!("messages/{REPORT}?format=full"));
    let parts = &mail["payload"]["parts"];
    assert_eq!(mail["payload"]["body"], json!({"size": 0}));
    assert_eq!(unraw(&parts[0]["body"]["data"]), "Grüße");
    assert_eq!(
        (&parts[1]["partId"], &parts[1]["filename"]),
        (&json!("1"), &json!("report.pdf"))
    );
    assert!(parts[1]["body"].get("data").is_none());
    let id = parts[1]["body"]["attachmentId"].as_str().unwrap();
    let file = get(&mut world, &format!("messages/{REPORT}/attachments/{id}"));
    assert_eq!(file, json!({"size": 9, "data": "JVBERi0xLjc_"}));
    for (rest, status) in [
        (format!("messages/{REPORT}/attachments/none"), 400),
        (format!("messages/{PLAN}/attachments/{id}"), 400),
        (format!("messages/1/attachments/{id}"), 404),
    ] {
        assert_eq!(
            refused(&mut world, "GET", &rest, Value::Null).0,
            status,
            "{rest}"
        );
    }
}

#[test]
fn other_formats() {
    let mut world = world();
    let minimal = get(&mut world, &format!("messages/{PLAN}?format=minimal"));
    assert!(minimal.get("payload").is_none() && minimal.get("snippet").is_some());
    let source = get(&mut world, &format!("messages/{PLAN}?format=raw"));
    assert_eq!(unraw(&source["raw"]), FILES[0].1);
    assert!(source.get("payload").is_none());
    let metadata = get(&mut world, &format!("messages/{PLAN}?format=metadata"));
    assert_eq!(metadata["payload"]["headers"].as_array().unwrap().len(), 5);
    assert!(metadata["payload"].get("body").is_none());
    let rest =
        "?format=metadata&metadataHeaders=subject&metadataHeaders=From&metadataHeaders=X-None";
    let some = get(&mut world, &format!("messages/{PLAN}{rest}"));
    assert_eq!(
        some["payload"]["headers"],
        json!([
            {"name": "From", "value": "Bob Stone <bob@example.com>"},
            {"name": "Subject", "value": "Q3 planning"},
        ])
    );
    assert_eq!(
        refused(
            &mut world,
            "GET",
            &format!("messages/{PLAN}?format=x"),
            Value::Null
        )
        .0,
        400
    );
}

#[test]
fn what_is_not_there() {
    let mut world = world();
    let (status, answer) = ask(
        &mut world,
        "GET",
        &at("messages/19cab04c3c0000ff"),
        Value::Null,
    );
    assert_eq!(status, 404);
    assert_eq!(
        answer["error"],
        json!({
            "code": 404,
            "message": "Requested entity was not found.",
            "errors": [{"message": "Requested entity was not found.", "domain": "global", "reason": "notFound"}],
            "status": "NOT_FOUND",
        })
    );
    for rest in ["messages/nope", "threads/0x1", "messages/11112222333344445"] {
        let answer = refused(&mut world, "GET", rest, Value::Null);
        assert_eq!(answer, (400, "Invalid id value".into()), "{rest}");
    }
    assert_eq!(
        refused(&mut world, "GET", "threads/19cab04c3c000002", Value::Null).0,
        404
    );
}

#[test]
fn only_ones_own_mailbox() {
    let mut world = world();
    let (status, _) = ask(
        &mut world,
        "GET",
        "/gmail/v1/users/Ada%40Example.com/profile",
        Value::Null,
    );
    assert_eq!(status, 200);
    let (status, answer) = ask(
        &mut world,
        "GET",
        "/gmail/v1/users/bob%40example.com/profile",
        Value::Null,
    );
    assert_eq!(
        (status, problem(&answer)),
        (403, ("Delegation denied for ada@example.com", "forbidden"))
    );
    let profile = get(&mut world, "profile");
    assert_eq!(
        (
            &profile["emailAddress"],
            &profile["messagesTotal"],
            &profile["threadsTotal"]
        ),
        (&json!("ada@example.com"), &json!(4), &json!(3))
    );
}

#[test]
fn threads_and_their_messages() {
    let mut world = world();
    let list = get(&mut world, "threads");
    assert_eq!(ids(&list, "threads"), [REPORT, PLAN]);
    assert_eq!(list["threads"][1]["snippet"], "I will.");
    assert_eq!(ids(&get(&mut world, "threads?q=budget"), "threads"), [PLAN]);
    assert_eq!(
        ids(&get(&mut world, "threads?labelIds=SENT"), "threads"),
        [PLAN]
    );
    assert_eq!(
        ids(
            &get(&mut world, "threads?labelIds=SENT&labelIds=INBOX"),
            "threads"
        ),
        [""; 0]
    );
    let thread = get(&mut world, &format!("threads/{PLAN}"));
    assert_eq!(ids(&thread, "messages"), [PLAN, ANSWER]);
    assert_eq!(
        unraw(&thread["messages"][1]["payload"]["body"]["data"]),
        "I will.\r\n"
    );
    let newest = thread["messages"][1]["historyId"].as_str().unwrap();
    assert_eq!(thread["historyId"], newest);
    let minimal = get(&mut world, &format!("threads/{PLAN}?format=minimal"));
    assert!(minimal["messages"][0].get("payload").is_none());
}

#[test]
fn the_journal_knows_how_much_was_read() {
    let mut world = world();
    let mut read = |rest: &str| touches(&mut world, "GET", rest, Value::Null);
    let message = |view: &str| vec![format!("read gmail.message {PLAN} {view}")];
    for (rest, view) in [
        ("", "full"),
        ("?format=raw", "full"),
        ("?format=metadata", "summary"),
        ("?format=minimal", "summary"),
        ("?fields=payload", "full"),
        ("?fields=payload/body/data", "full"),
        ("?fields=payload/body/size", "summary"),
        ("?fields=id,payload/headers", "summary"),
        ("?fields=snippet", "summary"),
        ("?fields=id,threadId", "reference"),
        ("?format=raw&fields=raw", "full"),
        ("?format=raw&fields=id,labelIds", "summary"),
    ] {
        assert_eq!(
            read(&format!("messages/{PLAN}{rest}")),
            message(view),
            "{rest}"
        );
    }
    assert_eq!(read(&format!("messages/{PLAN}?fields=raw")), [""; 0]);
    assert_eq!(
        read("messages?maxResults=2"),
        [REPORT, ANSWER].map(|id| format!("read gmail.message {id} reference"))
    );
    assert_eq!(read("messages?fields=resultSizeEstimate"), [""; 0]);
    assert_eq!(
        read(&format!("threads/{PLAN}")),
        [
            format!("read gmail.thread {PLAN} full"),
            format!("read gmail.message {PLAN} full"),
            format!("read gmail.message {ANSWER} full"),
        ]
    );
    assert_eq!(
        read(&format!(
            "threads/{PLAN}?fields=messages(id,payload/parts/body/data)"
        )),
        [
            format!("read gmail.thread {PLAN} reference"),
            format!("read gmail.message {PLAN} reference"),
            format!("read gmail.message {ANSWER} reference"),
        ]
    );
    assert_eq!(
        read("threads?q=budget"),
        [format!("read gmail.thread {PLAN} summary")]
    );
}

#[test]
fn what_does_not_say_which_object_it_is_about_is_about_none() {
    let mut world = world();
    let mut read = |rest: &str| touches(&mut world, "GET", rest, Value::Null);
    for rest in [
        "messages?fields=messages/threadId",
        "threads?fields=threads/historyId",
        "labels?fields=labels(type,labelListVisibility)",
        "settings/sendAs?fields=sendAs/isDefault",
        "history?startHistoryId=1000&fields=history/id,nextPageToken",
    ] {
        let seen = read(rest);
        let objects = seen.iter().filter(|it| !it.contains("gmail.history"));
        assert_eq!(objects.count(), 0, "{rest}: {seen:?}");
    }
    let thread = |mask: &str| format!("threads/{PLAN}?fields=messages({mask})");
    for (mask, view, messages) in [
        ("labelIds,sizeEstimate", "summary", None),
        ("threadId", "reference", None),
        ("payload/mimeType", "summary", None),
        ("snippet", "summary", Some("summary")),
        ("payload/headers", "summary", Some("summary")),
        ("payload/body/data", "full", Some("full")),
        ("id,labelIds", "summary", Some("summary")),
        ("id", "reference", Some("reference")),
    ] {
        let mut wanted = vec![format!("read gmail.thread {PLAN} {view}")];
        for id in [PLAN, ANSWER] {
            wanted.extend(messages.map(|view| format!("read gmail.message {id} {view}")));
        }
        assert_eq!(read(&thread(mask)), wanted, "{mask}");
    }
    let names = read("labels?fields=labels/name");
    assert!(names.len() > 14 && names.iter().all(|it| it.ends_with("summary")));
}

#[test]
fn the_journal_knows_of_attachments() {
    let mut world = world();
    let mail = get(&mut world, &format!("messages/{REPORT}"));
    let id = mail["payload"]["parts"][1]["body"]["attachmentId"]
        .as_str()
        .unwrap();
    let rest = format!("messages/{REPORT}/attachments/{id}");
    let answer = send(&mut world, &request("GET", &at(&rest)));
    assert_eq!(answer.read[0].parent.as_deref(), Some(REPORT));
    assert_eq!(
        touches(&mut world, "GET", &rest, Value::Null),
        [format!("read gmail.attachment {id} full")]
    );
    let size = format!("{rest}?fields=size");
    assert_eq!(touches(&mut world, "GET", &size, Value::Null), [""; 0]);
}
