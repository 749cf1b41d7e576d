use proctor_types::View;
use serde_json::json;

use super::Bench;

#[tokio::test]
async fn mail_is_read_and_the_journal_says_how_much() {
    let bench = Bench::new();
    let found = bench
        .ok(
            "GMAIL_FETCH_EMAILS",
            json!({"query": "from:ada is:unread", "user_id": "me"}),
        )
        .await;
    let mail = &found["messages"][0];
    assert_eq!(mail["subject"], "The leak");
    assert_eq!(mail["sender"], "Ada Byron <ada@example.com>");
    assert!(
        mail["messageText"].as_str().unwrap().contains("Grüße"),
        "{mail}"
    );
    assert_eq!(mail["messageTimestamp"], "2026-03-02T08:00:00Z");
    let journal = bench.world.journal();
    let operations: Vec<_> = journal
        .iter()
        .map(|it| it.operation.as_deref().unwrap())
        .collect();
    assert_eq!(
        operations,
        [
            "tools/call",
            "gmail.users.messages.list",
            "gmail.users.messages.get"
        ]
    );
    for entry in &journal {
        let via = entry.via.as_ref().unwrap();
        assert_eq!(
            (via.channel.as_str(), via.tool.as_str()),
            ("mcp", "GMAIL_FETCH_EMAILS")
        );
        assert_eq!(entry.actor.as_deref(), Some("agent@example.com"));
    }
    assert_eq!(journal[0].service, "mcp");
    assert_eq!(journal[2].service, "gmail");
    assert_eq!(journal[2].part_of, Some(1));
    assert_eq!(journal[2].host, "gmail.googleapis.com");
    assert_eq!(journal[2].read[0].view, Some(View::Full));

    let headers = bench
        .ok("GMAIL_FETCH_EMAILS", json!({"verbose": false}))
        .await;
    assert_eq!(headers["messages"][0].get("messageText"), None);
    assert_eq!(bench.since(3)[2].read[0].view, Some(View::Summary));
    let ids = bench
        .ok("GMAIL_FETCH_EMAILS", json!({"ids_only": true}))
        .await;
    assert_eq!(ids["messages"][0]["messageId"], mail["messageId"]);
    assert_eq!(bench.since(6).len(), 2);
}

#[tokio::test]
async fn an_answer_stays_in_its_thread() {
    let bench = Bench::new();
    let found = bench.ok("GMAIL_LIST_THREADS", json!({})).await;
    let thread = &found["threads"][0]["id"];
    let sent = bench
        .ok(
            "GMAIL_REPLY_TO_THREAD",
            json!({"thread_id": thread, "recipient_email": "Ada Byron <ada@example.com>",
                   "message_body": "Done: größer", "cc": ["kim@example.com"]}),
        )
        .await;
    assert_eq!(&sent["threadId"], thread);
    let gmail = bench.world.snapshot().gmail.unwrap();
    let mail = gmail
        .messages
        .iter()
        .find(|it| it.id == sent["id"])
        .unwrap();
    assert_eq!(mail.subject, "Re: The leak");
    let answers = mail.headers.iter().find(|it| it.name == "In-Reply-To");
    assert_eq!(answers.unwrap().value, "<leak@example.com>");
    assert!(mail.text.contains("größer"), "{mail:?}");
    let text = bench
        .ok(
            "GMAIL_FETCH_MESSAGE_BY_THREAD_ID",
            json!({"thread_id": thread}),
        )
        .await;
    assert_eq!(text["messages"].as_array().unwrap().len(), 2);
    // Looking for the thread's header fields is not reading the mail.
    let journal = bench.world.journal();
    let looked = journal
        .iter()
        .find(|it| it.operation.as_deref() == Some("gmail.users.threads.get"))
        .unwrap();
    assert!(
        looked
            .read
            .iter()
            .all(|touch| touch.view < Some(proctor_types::View::Full))
    );
}

#[tokio::test]
async fn mail_is_sent_forwarded_drafted_and_labelled() {
    let bench = Bench::new();
    let sent = bench
        .ok(
            "GMAIL_SEND_EMAIL",
            json!({"recipient_email": "ada@example.com", "extra_recipients": ["lee@example.com"],
                   "bcc": "kim@example.com", "subject": "Résumé", "body": "<b>x</b>", "is_html": true}),
        )
        .await;
    let gmail = bench.world.snapshot().gmail.unwrap();
    let mail = gmail
        .messages
        .iter()
        .find(|it| it.id == sent["messageId"])
        .unwrap();
    assert_eq!(mail.subject, "Résumé");
    assert_eq!(mail.to.len(), 2);

    let found = bench
        .ok("GMAIL_FETCH_EMAILS", json!({"query": "from:ada"}))
        .await;
    let id = &found["messages"][0]["messageId"];
    let forwarded = bench
        .ok(
            "GMAIL_FORWARD_MESSAGE",
            json!({"message_id": id, "recipients": ["kim@example.com"], "additional_text": "See below."}),
        )
        .await;
    let shown = bench
        .ok(
            "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID",
            json!({"message_id": forwarded["id"]}),
        )
        .await;
    assert_eq!(shown["subject"], "Fwd: The leak");
    let text = shown["messageText"].as_str().unwrap();
    assert!(
        text.starts_with("See below.") && text.contains("Please fix the leak"),
        "{text}"
    );

    let draft = bench
        .ok(
            "GMAIL_CREATE_EMAIL_DRAFT",
            json!({"recipient_email": "ada@example.com", "subject": "Re: The leak", "body": "Soon.",
                   "thread_id": found["messages"][0]["threadId"]}),
        )
        .await;
    let sent = bench
        .ok("GMAIL_SEND_DRAFT", json!({"draft_id": draft["id"]}))
        .await;
    assert_eq!(sent["threadId"], found["messages"][0]["threadId"]);

    bench
        .ok(
            "GMAIL_ADD_LABEL_TO_EMAIL",
            json!({"message_id": id, "add_label_ids": ["STARRED"], "remove_label_ids": ["UNREAD"]}),
        )
        .await;
    let labels = bench.ok("GMAIL_LIST_LABELS", json!({})).await;
    assert!(
        labels["labels"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["id"] == "STARRED")
    );
    let profile = bench.ok("GMAIL_GET_PROFILE", json!({})).await;
    assert_eq!(profile["emailAddress"], "agent@example.com");
    let minimal = bench
        .ok(
            "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID",
            json!({"message_id": id, "format": "minimal"}),
        )
        .await;
    assert_eq!(minimal.get("messageText"), None);
}

#[tokio::test]
async fn what_is_wrong_with_a_mail_is_said() {
    let bench = Bench::new();
    for (slug, arguments, words) in [
        ("GMAIL_SEND_EMAIL", json!({"body": "x"}), "no recipient"),
        (
            "GMAIL_SEND_EMAIL",
            json!({"recipient_email": "ada@example.com"}),
            "is empty",
        ),
        (
            "GMAIL_SEND_EMAIL",
            json!({"recipient_email": "ada@example.com\r\nBcc: x@y.example", "body": "x"}),
            "no mail address",
        ),
        ("GMAIL_SEND_EMAIL", json!({"cc": 5, "body": "x"}), "`cc`"),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"max_results": 101}),
            "from 1 to 100",
        ),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"max_results": "ten"}),
            "`max_results`",
        ),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"user_id": "ada@example.com"}),
            "can only be `me`",
        ),
        (
            "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID",
            json!({"message_id": "19cad0000000afff"}),
            "GMAIL_FETCH_EMAILS",
        ),
        (
            "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID",
            json!({"message_id": "../threads"}),
            "40",
        ),
        (
            "GMAIL_ADD_LABEL_TO_EMAIL",
            json!({"message_id": "1"}),
            "Nothing would change",
        ),
    ] {
        let problem = bench.problem(slug, arguments.clone()).await;
        assert!(problem.contains(words), "{slug} {arguments}: {problem}");
    }
    assert_eq!(bench.world.fault(), None);
}
