//! Batches.

use serde_json::Value;

use super::*;

fn batch(target: &str, parts: &[&str], line: &str) -> Request {
    let mut lines = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        lines.extend([
            "--=b=".to_owned(),
            "Content-Type: application/http".to_owned(),
            "MIME-Version: 1.0".to_owned(),
            "Content-Transfer-Encoding: binary".to_owned(),
            format!("Content-ID: <u + {n}>"),
            String::new(),
            (*part).to_owned(),
        ]);
    }
    lines.extend(["--=b=--".to_owned(), String::new()]);
    let text = lines.join(line);
    body(
        request("POST", target),
        "multipart/mixed; boundary=\"=b=\"",
        text,
    )
}

/// Statuses and bodies of the parts of an answer, read as a client reads them.
fn parts(answer: &Answer) -> Vec<(u16, String, Value)> {
    let boundary = answer.headers["content-type"]
        .to_str()
        .unwrap()
        .split_once("boundary=")
        .unwrap()
        .1;
    let text = std::str::from_utf8(&answer.body).unwrap();
    let delimiter = format!("--{boundary}");
    let mut pieces = text.split(&delimiter).skip(1).collect::<Vec<_>>();
    assert_eq!(pieces.pop(), Some("--\r\n"));
    pieces
        .iter()
        .map(|piece| {
            let (head, rest) = piece.split_once("\r\n\r\n").unwrap();
            let id = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-ID: "))
                .unwrap_or("");
            let (inner, json) = rest.split_once("\r\n\r\n").unwrap();
            let status = inner.split(' ').nth(1).unwrap().parse().unwrap();
            (
                status,
                id.to_owned(),
                serde_json::from_str(json).unwrap_or(Value::Null),
            )
        })
        .collect()
}

const LIST: &str =
    "GET /tasks/v1/users/@me/lists?alt=json HTTP/1.1\nHost: tasks.googleapis.com\n\n";

#[test]
fn every_call_has_its_own_answer() {
    let mut world = world();
    let insert = "POST /tasks/v1/lists/@default/tasks HTTP/1.1\nContent-Type: application/json\n\
                  content-length: 13\n\n{\"title\":\"a\"}\n";
    let unknown = "GET https://tasks.googleapis.com/tasks/v1/lists/nope/tasks HTTP/1.1\n";
    let bare = "GET /tasks/v1/lists/@default/tasks";
    for line in ["\n", "\r\n"] {
        let request = batch("/batch/tasks/v1", &[LIST, insert, unknown, bare], line);
        let answer = send(&mut world, &request);
        assert_eq!((answer.status, answer.service), (200, "tasks"));
        assert_eq!(answer.operation, Some("google.batch"));
        let parts = parts(&answer);
        let statuses: Vec<u16> = parts.iter().map(|(status, ..)| *status).collect();
        assert_eq!(statuses, [200, 200, 404, 200]);
        assert_eq!(parts[0].1, "<response-u + 0>");
        assert_eq!(parts[1].2["title"], "a");
        assert_eq!(parts[3].2["items"][0]["title"], "a");
        let inner: Vec<_> = answer
            .parts
            .iter()
            .map(|(_, answer)| answer.operation)
            .collect();
        assert_eq!(
            inner,
            [
                Some("tasks.tasklists.list"),
                Some("tasks.tasks.insert"),
                Some("tasks.tasks.list"),
                Some("tasks.tasks.list"),
            ]
        );
        assert_eq!(answer.parts[1].1.changed.len(), 1);
        assert!(answer.read.is_empty() && answer.changed.is_empty());
    }
}

#[test]
fn credentials_of_the_batch_are_those_of_its_calls() {
    let mut world = world();
    let mut anonymous = batch("/batch", &[LIST], "\r\n");
    anonymous.headers.remove("authorization");
    assert_eq!(parts(&send(&mut world, &anonymous))[0].0, 401);
    let own = "GET /tasks/v1/users/@me/lists HTTP/1.1\r\nAuthorization: Bearer own\r\n\r\n";
    let mut mixed = batch("/batch", &[own], "\r\n");
    mixed.headers.remove("authorization");
    assert_eq!(parts(&send(&mut world, &mixed))[0].0, 200);
}

#[test]
fn calls_stay_inside_what_the_batch_is_for() {
    let mut world = world();
    let calls = [
        LIST,
        "POST /batch HTTP/1.1\n\n",
        "POST /upload/gmail/v1/users/me/messages/send?uploadType=media HTTP/1.1\n\nx",
        "GET /../../etc/passwd HTTP/1.1\n\n",
        "nonsense",
        "",
        "G\u{0}T /x HTTP/1.1\n\n",
    ];
    let answer = send(&mut world, &batch("/batch/gmail/v1", &calls, "\r\n"));
    let statuses: Vec<u16> = parts(&answer).iter().map(|(status, ..)| *status).collect();
    assert_eq!(statuses, [404, 400, 400, 404, 400, 400, 400]);
}

#[test]
fn what_is_no_batch_is_refused() {
    let mut world = world();
    let many = vec![LIST; 10_000];
    let mut cases = vec![
        batch("/batch", &many, "\r\n"),
        batch("/batch", &vec![LIST; 101], "\r\n"),
        batch("/batch", &[], "\r\n"),
        request("POST", "/batch"),
        body(request("POST", "/batch"), "multipart/mixed", "x"),
        body(request("POST", "/batch"), "application/json", "{}"),
    ];
    cases.push(body(
        request("POST", "/batch"),
        "multipart/mixed; boundary=b",
        "--b\nbroken",
    ));
    for case in cases {
        let answer = send(&mut world, &case);
        assert_eq!(answer.status, 400);
        assert_eq!(problem(&parsed(&answer)).1, "badRequest");
        assert!(answer.parts.is_empty());
    }
    assert_eq!(send(&mut world, &request("GET", "/batch")).status, 404);
    assert_eq!(
        parts(&send(&mut world, &batch("/batch", &vec![LIST; 100], "\n"))).len(),
        100
    );
}

#[test]
fn a_part_of_another_type_is_an_error_of_its_own() {
    let mut world = world();
    let text = "--b\r\nContent-Type: text/plain\r\n\r\nGET /x\r\n--b--";
    let answer = send(
        &mut world,
        &body(
            request("POST", "/batch"),
            "multipart/mixed; boundary=b",
            text,
        ),
    );
    assert_eq!(parts(&answer)[0].0, 400);
}
