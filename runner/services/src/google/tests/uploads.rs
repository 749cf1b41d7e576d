//! Uploads, on the method that sends mail.

use serde_json::Value;

use super::*;

const SEND: &str = "/upload/gmail/v1/users/me/messages/send";
const MAIL: &str = "From: ada@example.com\r\nTo: bob@example.com\r\nSubject: Hi\r\n\r\nHello.\r\n";

/// Mails in the outbox, by subject and size.
fn sent(world: &World) -> usize {
    let snapshot = world.snapshot();
    snapshot
        .gmail
        .unwrap()
        .messages
        .iter()
        .filter(|mail| mail.subject == "Hi")
        .count()
}

fn related(parts: &[(&str, &str)]) -> Request {
    let parts = parts
        .iter()
        .map(|(head, content)| ["--b", head, "", content].join("\r\n"));
    let text = parts
        .chain(["--b--\r\n".to_owned()])
        .collect::<Vec<_>>()
        .join("\r\n");
    let target = format!("{SEND}?uploadType=multipart");
    body(
        request("POST", &target),
        "multipart/related; boundary=b",
        text,
    )
}

const JSON: &str = "Content-Type: application/json; charset=UTF-8";

#[test]
fn media_comes_alone_or_with_metadata() {
    let mut world = world();
    let simple = body(
        request("POST", &format!("{SEND}?uploadType=media")),
        "message/rfc822",
        MAIL,
    );
    let answer = send(&mut world, &simple);
    assert_eq!(
        (answer.status, answer.operation),
        (200, Some("gmail.users.messages.send"))
    );
    let multipart = related(&[(JSON, "{}"), ("Content-Type: message/rfc822", MAIL)]);
    assert_eq!(send(&mut world, &multipart).status, 200);
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, MAIL);
    let head = "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64";
    assert_eq!(
        send(&mut world, &related(&[(JSON, ""), (head, &encoded)])).status,
        200
    );
    // Without an upload type the content says which one it is.
    let untyped = body(request("POST", SEND), "message/rfc822", MAIL);
    assert_eq!(send(&mut world, &untyped).status, 200);
    assert_eq!(sent(&world), 4);
}

#[test]
fn what_is_no_upload_is_refused() {
    let mut world = world();
    let mail = "Content-Type: message/rfc822";
    let head = "Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64";
    let cases = [
        related(&[]),
        related(&[(JSON, "{}")]),
        related(&[(JSON, "{}"), (mail, MAIL), (mail, MAIL)]),
        related(&[(JSON, "{\"bogus\":1}"), (mail, MAIL)]),
        related(&[(JSON, "{"), (mail, MAIL)]),
        related(&[(JSON, "{}"), ("Content-Type: image/png", MAIL)]),
        related(&[(JSON, "{}"), (head, "not base64!")]),
        body(
            request("POST", &format!("{SEND}?uploadType=multipart")),
            "text/plain",
            MAIL,
        ),
        body(
            request("POST", &format!("{SEND}?uploadType=media")),
            "text/plain",
            MAIL,
        ),
        body(
            request("POST", &format!("{SEND}?uploadType=carrier-pigeon")),
            "message/rfc822",
            MAIL,
        ),
    ];
    for (n, case) in cases.iter().enumerate() {
        let answer = send(&mut world, case);
        assert_eq!(answer.status, 400, "case {n}");
        problem(&parsed(&answer));
    }
    let mut anonymous = related(&[(JSON, "{}"), (mail, MAIL)]);
    anonymous.headers.remove("authorization");
    assert_eq!(send(&mut world, &anonymous).status, 401);
    let large = body(
        request("POST", &format!("{SEND}?uploadType=media")),
        "message/rfc822",
        vec![b'x'; 40_000_000],
    );
    assert_eq!(send(&mut world, &large).status, 413);
    assert_eq!(sent(&world), 0);
}

/// Begins a resumable upload and gives the address for the media.
fn begin(world: &mut World) -> String {
    let start = body(
        request("POST", &format!("/resumable{SEND}?uploadType=resumable")),
        "application/json",
        "{}",
    );
    let start = with(start, "x-upload-content-type", "message/rfc822");
    let answer = send(world, &start);
    assert_eq!(
        (answer.status, answer.operation),
        (200, Some("google.upload.start"))
    );
    let location = answer.headers["location"].to_str().unwrap();
    location
        .strip_prefix("https://www.googleapis.com")
        .unwrap()
        .to_owned()
}

fn chunk(target: &str, range: &str, content: &str) -> Request {
    let request = Request {
        body: content.to_owned().into(),
        ..request("PUT", target)
    };
    with(request, "content-range", range)
}

#[test]
fn a_resumable_upload_comes_in_chunks() {
    let mut world = world();
    let target = begin(&mut world);
    let total = MAIL.len();
    let first = send(
        &mut world,
        &chunk(&target, &format!("bytes 0-9/{total}"), &MAIL[..10]),
    );
    assert_eq!(
        (first.status, first.operation),
        (308, Some("google.upload.chunk"))
    );
    assert_eq!(first.headers["range"], "bytes=0-9");
    assert!(first.changed.is_empty());
    // A world that was written down in between goes on with it.
    let text = serde_json::to_string(&world).unwrap();
    let mut world: World = serde_json::from_str(&text).unwrap();
    let state = send(&mut world, &chunk(&target, &format!("bytes */{total}"), ""));
    assert_eq!(
        (state.status, state.headers["range"].to_str().unwrap()),
        (308, "bytes=0-9")
    );
    // Bytes that came already may come again; a gap may not be left.
    let gap = send(
        &mut world,
        &chunk(&target, &format!("bytes 12-13/{total}"), &MAIL[12..14]),
    );
    assert_eq!(gap.status, 400);
    let rest = chunk(
        &target,
        &format!("bytes 5-{}/{total}", total - 1),
        &MAIL[5..],
    );
    let last = send(&mut world, &rest);
    assert_eq!(
        (last.status, last.operation),
        (200, Some("gmail.users.messages.send"))
    );
    assert_eq!(last.actor.as_deref(), Some("ada@example.com"));
    assert_eq!(sent(&world), 1);
    // It is over.
    assert_eq!(send(&mut world, &rest).status, 404);
}

#[test]
fn a_resumable_upload_may_come_at_once_or_end_open() {
    let mut world = world();
    let target = begin(&mut world);
    let whole = Request {
        body: MAIL.into(),
        ..request("PUT", &target)
    };
    assert_eq!(send(&mut world, &whole).status, 200);
    let target = begin(&mut world);
    let total = MAIL.len();
    assert_eq!(
        send(&mut world, &chunk(&target, "bytes 0-9/*", &MAIL[..10])).status,
        308
    );
    let last = format!("bytes 10-{}/{total}", total - 1);
    assert_eq!(
        send(&mut world, &chunk(&target, &last, &MAIL[10..])).status,
        200
    );
    assert_eq!(sent(&world), 2);
    let target = begin(&mut world);
    assert_eq!(send(&mut world, &request("DELETE", &target)).status, 499);
    assert_eq!(
        send(&mut world, &chunk(&target, "bytes */*", "")).status,
        404
    );
}

#[test]
fn hostile_ranges_are_refused() {
    let mut world = world();
    let target = begin(&mut world);
    for (range, content) in [
        ("bytes 0-9/5", "0123456789"),
        ("bytes 0-4/10", "0123456789"),
        ("bytes 9-0/10", "x"),
        ("bytes 0-18446744073709551615/18446744073709551615", "x"),
        ("bytes", ""),
        ("", ""),
        ("bytes */10", "x"),
        ("bytes 1-1/2", "x"),
        ("bytes -1-1/2", "x"),
        ("octets 0-0/1", "x"),
        ("bytes 0-0/99999999999", "x"),
    ] {
        let status = send(&mut world, &chunk(&target, range, content)).status;
        assert!(status == 400 || status == 413, "{range}: {status}");
    }
    assert_eq!(send(&mut world, &request("GET", &target)).status, 404);
    assert_eq!(sent(&world), 0);
}

#[test]
fn uploads_under_way_are_bounded() {
    let mut world = world();
    let first = begin(&mut world);
    for _ in 0..16 {
        begin(&mut world);
    }
    // The oldest one gave way.
    assert_eq!(
        send(&mut world, &chunk(&first, "bytes */*", "")).status,
        404
    );
    let large = "x".repeat(30_000_000);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let target = begin(&mut world);
        let range = format!("bytes 0-{}/*", large.len() - 1);
        statuses.push(send(&mut world, &chunk(&target, &range, &large)).status);
    }
    assert_eq!(statuses, [308, 308, 413]);
}

#[test]
fn a_start_checks_what_it_can() {
    let mut world = world();
    let start = |query: &str, json: &str| {
        let target = format!("{SEND}?uploadType=resumable{query}");
        body(
            request("POST", &target),
            "application/json",
            json.to_owned(),
        )
    };
    assert_eq!(send(&mut world, &start("&bogus=1", "{}")).status, 400);
    assert_eq!(send(&mut world, &start("", "{\"bogus\":1}")).status, 400);
    let typed = with(start("", ""), "x-upload-content-type", "image/png");
    assert_eq!(send(&mut world, &typed).status, 400);
    let large = with(start("", ""), "x-upload-content-length", "99999999999");
    assert_eq!(send(&mut world, &large).status, 413);
    let mut anonymous = start("", "");
    anonymous.headers.remove("authorization");
    assert_eq!(send(&mut world, &anonymous).status, 401);
    let _: Value = serde_json::to_value(&world.google.unwrap().uploads).unwrap();
}
