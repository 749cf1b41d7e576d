//! Sending, inserting, importing; threads of what comes in.

use super::*;

#[test]
fn a_sent_mail_is_kept_as_it_went_out() {
    let mut world = world();
    let source =
        "To: Bob <bob@example.com>\r\nBcc: spy@example.com\r\nSubject: Hello\r\n\r\nHi Bob\r\n";
    let answer = send_mail(&mut world, source);
    assert_eq!(answer["labelIds"], json!(["SENT"]));
    assert_eq!(answer["id"], answer["threadId"]);
    let id = answer["id"].as_str().unwrap();
    assert_eq!(id.len(), 16);
    let kept = get(&mut world, &format!("messages/{id}?format=raw"));
    // The first request of this world is one second after its start.
    assert_eq!(kept["internalDate"], "1772442001000");
    let raw = unraw(&kept["raw"]);
    assert!(raw.ends_with(source), "{raw}");
    let added = raw.strip_suffix(source).unwrap();
    assert!(
        added.starts_with("Message-ID: <CA") && added.contains("@mail.gmail.com>\r\n"),
        "{added}"
    );
    assert!(
        added.contains("Date: Mon, 2 Mar 2026 09:00:01 +0000\r\n"),
        "{added}"
    );
    assert!(
        added.contains("From: \"Ada Lovelace\" <ada@example.com>\r\n"),
        "{added}"
    );
}

#[test]
fn what_a_mail_says_of_itself_stays() {
    let mut world = world();
    let source = "From: Ada A. <ADA@alias.example>\nTo: bob@example.com\nDate: Tue, 3 Mar 2026 10:00:00 +0100\n\
         Message-ID: <mine@alias.example>\nX-Custom: 1\n\nHi\n";
    let id = send_mail(&mut world, source)["id"].clone();
    let kept = get(
        &mut world,
        &format!("messages/{}?format=raw", id.as_str().unwrap()),
    );
    assert_eq!(unraw(&kept["raw"]), source);
}

#[test]
fn nobody_sends_as_somebody_else() {
    let mut world = world();
    for from in [
        "Boss <boss@example.com>",
        "ada@claimed.example",
        "ada@example.com, boss@example.com",
        "",
    ] {
        let answer = send_mail(
            &mut world,
            &format!("From: {from}\nTo: bob@example.com\n\nx"),
        );
        let id = answer["id"].as_str().unwrap().to_owned();
        let mail = get(&mut world, &format!("messages/{id}?format=metadata"));
        let headers = mail["payload"]["headers"].as_array().unwrap();
        let of = |name: &str| -> Vec<&str> {
            headers
                .iter()
                .filter(|it| it["name"] == name)
                .map(|it| it["value"].as_str().unwrap())
                .collect()
        };
        assert_eq!(of("From"), ["\"Ada Lovelace\" <ada@example.com>"], "{from}");
        assert_eq!(of("X-Google-Original-From"), [from]);
    }
    assert_eq!(
        ids(&get(&mut world, "messages?q=from:boss"), "messages"),
        [""; 0]
    );
}

#[test]
fn mail_to_oneself_lands_in_the_inbox() {
    let mut world = world();
    for to in [
        "ada@example.com",
        "Ada+tag@Example.com",
        "ada@alias.example",
        "x@y.org\nBcc: ada@example.com",
    ] {
        let answer = send_mail(&mut world, &format!("To: {to}\n\nnote"));
        assert_eq!(
            answer["labelIds"],
            json!(["SENT", "INBOX", "UNREAD"]),
            "{to}"
        );
    }
    let answer = send_mail(&mut world, "To: ada@claimed.example\n\nnote");
    assert_eq!(answer["labelIds"], json!(["SENT"]));
}

#[test]
fn what_cannot_be_sent() {
    let mut world = world();
    let needs_raw =
        "'raw' RFC822 payload message string or uploading message via /upload/* URL required";
    for (body, status, message) in [
        (json!({}), 400, needs_raw),
        (json!({"raw": ""}), 400, needs_raw),
        (
            json!({"raw": raw("Subject: nobody\n\nx")}),
            400,
            "Recipient address required",
        ),
        (
            json!({"raw": raw("To: \nCc: \n\nx")}),
            400,
            "Recipient address required",
        ),
        (
            json!({"raw": raw("no header at all")}),
            400,
            "Recipient address required",
        ),
        (
            json!({"raw": raw("To: nobody\n\nx")}),
            400,
            "Invalid To header",
        ),
        (
            json!({"raw": raw("To: a@b.c\nCc: <@>\n\nx")}),
            400,
            "Invalid Cc header",
        ),
        (
            json!({"raw": raw("To: a@b.c\n\nx"), "threadId": "19cab04c3c0000ff"}),
            404,
            "Requested entity was not found.",
        ),
        (
            json!({"raw": raw("To: a@b.c\n\nx"), "threadId": "zz"}),
            400,
            "Invalid thread_id value",
        ),
    ] {
        let answer = refused(&mut world, "POST", "messages/send", body.clone());
        assert_eq!(answer, (status, message.to_owned()), "{body}");
    }
    let (status, answer) = ask(
        &mut world,
        "POST",
        &at("messages/send"),
        json!({"raw": "not base64!"}),
    );
    let message =
        "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed for \"not base64!\"";
    assert_eq!((status, problem(&answer)), (400, (message, "invalid")));
}

#[test]
fn either_alphabet_and_padding_will_do() {
    let mut world = world();
    let source = "To: a@b.c\nSubject: ???>>>\n\n~~~";
    for raw in [
        URL_SAFE.encode(source),
        URL_SAFE_NO_PAD.encode(source),
        base64::engine::general_purpose::STANDARD.encode(source),
    ] {
        post(&mut world, "messages/send", json!({ "raw": raw }));
    }
    assert_eq!(
        ids(&get(&mut world, "messages?q=to:a@b.c"), "messages").len(),
        3
    );
}

#[test]
fn uploads_of_all_kinds() {
    let mut world = world();
    let source = "To: bob@example.com\r\nSubject: Up\r\n\r\nx\r\n";
    let multipart = format!(
        "--bb\r\nContent-Type: application/json\r\n\r\n{{\"threadId\": \"{PLAN}\"}}\r\n--bb\r\nContent-Type: message/rfc822\r\n\r\n\
         In-Reply-To: <plan@example.com>\r\nTo: bob@example.com\r\nSubject: Re: Q3 planning\r\n\r\nyes\r\n--bb--\r\n"
    );
    let target = format!("/upload{}?uploadType=multipart", at("messages/send"));
    let answer = send(
        &mut world,
        &body(
            request("POST", &target),
            "multipart/related; boundary=bb",
            multipart,
        ),
    );
    assert_eq!(parsed(&answer)["threadId"], PLAN);
    let target = format!("/upload{}?uploadType=media", at("messages/send"));
    let answer = send(
        &mut world,
        &body(request("POST", &target), "message/rfc822", source),
    );
    let id = parsed(&answer)["id"].as_str().unwrap().to_owned();
    let raw = get(&mut world, &format!("messages/{id}?format=raw"));
    assert!(unraw(&raw["raw"]).ends_with(source));
    let target = format!("/upload{}?uploadType=media", at("drafts"));
    let answer = send(
        &mut world,
        &body(request("POST", &target), "message/rfc822", source),
    );
    assert_eq!(parsed(&answer)["message"]["labelIds"], json!(["DRAFT"]));
}

/// Answers to the first mail, and whether each joins its thread.
#[test]
fn a_reply_joins_its_thread_by_header_and_subject() {
    let mut world = world();
    let mut thread = |head: &str, thread: Value| {
        let source = format!("To: bob@example.com\n{head}\n\nx");
        post(
            &mut world,
            "messages/send",
            json!({"raw": raw(&source), "threadId": thread}),
        )["threadId"]
            == PLAN
    };
    let refs =
        "In-Reply-To: <answer@example.com>\nReferences: <plan@example.com> <answer@example.com>";
    assert!(thread(
        &format!("Subject: Re: Q3 planning\n{refs}"),
        json!(PLAN)
    ));
    assert!(thread(
        &format!("Subject: RE: Fwd:  q3   PLANNING\n{refs}"),
        json!(PLAN)
    ));
    assert!(thread(
        "Subject: Re: Q3 planning\nReferences: <x@y> <plan@example.com>",
        json!(PLAN)
    ));
    // Without a thread id the header decides alone.
    assert!(thread(
        &format!("Subject: Re: Q3 planning\n{refs}"),
        Value::Null
    ));
    // Another subject, no header, or a header that leads elsewhere.
    assert!(!thread(
        &format!("Subject: Q4 planning\n{refs}"),
        json!(PLAN)
    ));
    assert!(!thread("Subject: Re: Q3 planning", json!(PLAN)));
    assert!(!thread(
        "Subject: Re: Q3 planning\nIn-Reply-To: <report@example.com>",
        json!(PLAN)
    ));
    assert!(!thread(
        &format!("Subject: Re: Q3 planning\n{refs}"),
        json!(REPORT)
    ));
}

#[test]
fn inserted_mail_is_kept_to_the_byte() {
    let mut world = world();
    let source = "From: a@b.c\nDate: Tue, 3 Mar 2020 10:00:00 +0000\nSubject: Old\n\nbody\u{0}\n";
    let body = json!({"raw": raw(source), "labelIds": ["INBOX", "Label_1", "SENT"]});
    let answer = post(&mut world, "messages", body);
    assert_eq!(answer["labelIds"], json!(["SENT", "INBOX", "Label_1"]));
    let id = answer["id"].as_str().unwrap().to_owned();
    let kept = get(&mut world, &format!("messages/{id}?format=raw"));
    assert_eq!(
        (unraw(&kept["raw"]).as_str(), &kept["internalDate"]),
        (source, &json!("1772442001000"))
    );
    let answer = post(
        &mut world,
        "messages?internalDateSource=dateHeader",
        json!({"raw": raw(source)}),
    );
    let id = answer["id"].as_str().unwrap().to_owned();
    assert!(answer.get("labelIds").is_none());
    assert_eq!(
        get(&mut world, &format!("messages/{id}"))["internalDate"],
        "1583229600000"
    );
    // It is older than everything else.
    assert_eq!(
        ids(&get(&mut world, "messages"), "messages").last(),
        Some(&id)
    );
}

#[test]
fn imported_mail_goes_by_its_date_and_sender() {
    let mut world = world();
    let source = |from: &str| {
        raw(&format!(
            "From: {from}\nDate: Tue, 3 Mar 2020 10:00:00 +0000\n\nx"
        ))
    };
    let own = post(
        &mut world,
        "messages/import",
        json!({"raw": source("ada@example.com")}),
    );
    assert_eq!(own["labelIds"], json!(["SENT"]));
    let other = post(
        &mut world,
        "messages/import",
        json!({"raw": source("x@y.org"), "labelIds": ["INBOX"]}),
    );
    assert_eq!(other["labelIds"], json!(["INBOX"]));
    let id = other["id"].as_str().unwrap().to_owned();
    assert_eq!(
        get(&mut world, &format!("messages/{id}"))["internalDate"],
        "1583229600000"
    );
    let gone = post(
        &mut world,
        "messages/import?deleted=true",
        json!({"raw": source("x@y.org")}),
    );
    let id = gone["id"].as_str().unwrap().to_owned();
    assert_eq!(
        refused(&mut world, "GET", &format!("messages/{id}"), Value::Null).0,
        404
    );
    for label in ["DRAFT", "CHAT", "FOO"] {
        let body = json!({"raw": source("x@y.org"), "labelIds": [label]});
        let answer = refused(&mut world, "POST", "messages", body);
        assert_eq!(answer, (400, format!("Invalid label: {label}")));
    }
}

#[test]
fn equal_requests_give_equal_bytes() {
    let run = || {
        let mut world = world();
        send_mail(&mut world, "To: ada@example.com\nSubject: x\n\ny");
        post(
            &mut world,
            "drafts",
            json!({"message": {"raw": raw("To: a@b.c\n\nz")}}),
        );
        serde_json::to_string(&world).unwrap()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_mailbox_can_be_full() {
    let mut world = world();
    let megabytes = raw(&format!("To: a@b.c\n\n{}", "x".repeat(30 << 20)));
    let mut status = 200;
    for _ in 0..20 {
        (status, _) = ask(
            &mut world,
            "POST",
            &at("messages"),
            json!({"raw": megabytes}),
        );
        if status != 200 {
            break;
        }
    }
    assert_eq!(status, 403);
    send_mail(&mut world, "To: a@b.c\n\nsmall");
}

#[test]
fn the_journal_knows_what_was_created() {
    let mut world = world();
    let touched = touches(
        &mut world,
        "POST",
        "messages/send",
        json!({"raw": raw("To: a@b.c\n\nx")}),
    );
    let id = ids(&get(&mut world, "messages?q=to:a@b.c"), "messages").remove(0);
    assert_eq!(touched, [format!("created gmail.message {id}")]);
}
