//! The API as clients meet it: requests in, answers and journal entries out.

mod changing;
mod drafts;
mod history;
mod labels;
mod people;
mod reading;
mod sending;
mod settings;
mod table;

use base64::Engine as _;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

pub(super) use crate::google::tests::{ask, body, parsed, problem, request, send};
use crate::world::{SeedOptions, World};

/// Identifiers of the seeded mails.
pub(super) const PLAN: &str = "19cab04c3c000001";
pub(super) const ANSWER: &str = "19cab04c3c000002";
pub(super) const REPORT: &str = "19cab04c3c000003";
pub(super) const SPAM: &str = "19cab04c3c000004";

const FILES: &[(&str, &str)] = &[
    (
        "1-plan.eml",
        "From: Bob Stone <bob@example.com>\r\nTo: Ada Lovelace <ada@example.com>\r\n\
         Subject: Q3 planning\r\nDate: Sun, 1 Mar 2026 10:00:00 +0100\r\n\
         Message-ID: <plan@example.com>\r\n\r\nBring the <budget> & \"numbers\".\r\n",
    ),
    (
        "2-answer.eml",
        "From: Ada Lovelace <ada@example.com>\r\nTo: bob@example.com\r\n\
         Subject: Re: Q3 planning\r\nDate: Sun, 1 Mar 2026 11:00:00 +0100\r\n\
         Message-ID: <answer@example.com>\r\nIn-Reply-To: <plan@example.com>\r\n\r\nI will.\r\n",
    ),
    (
        "3-report.eml",
        "From: Carol <carol@example.com>\r\nTo: ada@example.com\r\nSubject: Report\r\n\
         Date: Sun, 1 Mar 2026 12:00:00 +0100\r\nMessage-ID: <report@example.com>\r\n\
         MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n\
         --b\r\nContent-Type: text/plain; charset=\"iso-8859-1\"\r\n\
         Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=FC=DFe\r\n\
         --b\r\nContent-Type: application/pdf; name=\"report.pdf\"\r\n\
         Content-Disposition: attachment; filename=\"report.pdf\"\r\n\
         Content-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjc/\r\n--b--\r\n",
    ),
    (
        "4-spam.eml",
        "From: Prince <prince@scam.example>\r\nTo: ada@example.com\r\nSubject: Money\r\n\
         Date: Sun, 1 Mar 2026 13:00:00 +0100\r\nMessage-ID: <spam@scam.example>\r\n\r\nWin!\r\n",
    ),
];

const SETTINGS: &str = "\
labels: [Clients, Clients/Acme]
send_as:
  - {email: ada@alias.example, name: Ada A.}
  - {email: ada@claimed.example, verified: false}
mails:
  1-plan.eml: {id: 19cab04c3c000001, labels: [INBOX, UNREAD, IMPORTANT, Clients/Acme]}
  2-answer.eml: {id: 19cab04c3c000002}
  3-report.eml: {id: 19cab04c3c000003}
  4-spam.eml: {id: 19cab04c3c000004, labels: [SPAM, UNREAD]}
filters:
  - {from: news@example.com, add_labels: [Clients], remove_labels: [INBOX]}
";

/// A world with four mails in three threads.
pub(super) fn world() -> World {
    let dir = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
    dir.write(
        "world.yaml",
        "clock: 2026-03-02T09:00:00Z\naccount: {email: ada@example.com, name: Ada Lovelace, time_zone: Europe/Berlin}\n",
    )
    .unwrap();
    dir.create_dir_all("google/mail").unwrap();
    for (name, text) in FILES {
        dir.write(format!("google/mail/{name}"), text).unwrap();
    }
    dir.write("google/mail/mail.yaml", SETTINGS).unwrap();
    World::seed(
        &dir,
        &SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        },
    )
    .unwrap()
}

/// `/gmail/v1/users/me/` and the rest.
pub(super) fn at(rest: &str) -> String {
    format!("/gmail/v1/users/me/{rest}")
}

/// The JSON of a request that must succeed.
#[track_caller]
pub(super) fn get(world: &mut World, rest: &str) -> Value {
    let (status, answer) = ask(world, "GET", &at(rest), Value::Null);
    assert_eq!(status, 200, "{rest}: {answer}");
    answer
}

/// The JSON of a POST that must succeed.
#[track_caller]
pub(super) fn post(world: &mut World, rest: &str, json: Value) -> Value {
    let (status, answer) = ask(world, "POST", &at(rest), json);
    assert!(status < 300, "{rest}: {answer}");
    answer
}

/// Status, message and reason of a request that must fail.
#[track_caller]
pub(super) fn refused(world: &mut World, method: &str, rest: &str, json: Value) -> (u16, String) {
    let before = serde_json::to_string(&world.google).unwrap();
    let (status, answer) = ask(world, method, &at(rest), json);
    assert!(status >= 400, "{rest}: {answer}");
    assert_eq!(
        serde_json::to_string(&world.google).unwrap(),
        before,
        "{rest} left a trace"
    );
    (status, problem(&answer).0.to_owned())
}

pub(super) fn raw(source: &str) -> String {
    URL_SAFE_NO_PAD.encode(source)
}

pub(super) fn unraw(value: &Value) -> String {
    String::from_utf8(URL_SAFE.decode(value.as_str().unwrap()).unwrap()).unwrap()
}

/// Sends a mail and returns the answer.
#[track_caller]
pub(super) fn send_mail(world: &mut World, source: &str) -> Value {
    post(world, "messages/send", json!({ "raw": raw(source) }))
}

/// The `id` members of a list.
pub(super) fn ids(answer: &Value, list: &str) -> Vec<String> {
    let items = answer[list]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    items
        .iter()
        .map(|it| it["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Labels of a message, sorted.
#[track_caller]
pub(super) fn labels_of(world: &mut World, id: &str) -> Vec<String> {
    let answer = get(world, &format!("messages/{id}?format=minimal"));
    let labels = answer["labelIds"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut labels: Vec<String> = labels
        .iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect();
    labels.sort();
    labels
}

/// The touches of a request, as `read gmail.message ID full`.
#[allow(clippy::needless_pass_by_value, reason = "callers write it in place")]
pub(super) fn touches(world: &mut World, method: &str, rest: &str, json: Value) -> Vec<String> {
    let mut request = request(method, &at(rest));
    if !json.is_null() {
        request = body(request, "application/json", json.to_string());
    }
    let answer = send(world, &request);
    assert!(
        answer.status < 300,
        "{rest}: {}",
        String::from_utf8_lossy(&answer.body)
    );
    let read = answer.read.iter().map(|it| {
        format!(
            "read {} {} {}",
            it.kind,
            it.id,
            format!("{:?}", it.view.unwrap()).to_lowercase()
        )
    });
    let changed = answer.changed.iter().map(|it| {
        let what = format!("{:?}", it.change.unwrap()).to_lowercase();
        format!("{what} {} {} {}", it.kind, it.id, it.fields.join(","))
            .trim_end()
            .to_owned()
    });
    read.chain(changed).collect()
}
