//! Mail between people of the world, and requests of others than the account.

use proctor_types::world::{Gmail, Mail};

use super::*;
use crate::google::tests::with;
use crate::service::Answer;

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: ada@example.com, name: Ada Lovelace, time_zone: Europe/Berlin}
people:
  - {email: Bob@example.com, name: Bob Stone}
  - {email: carol@example.com, name: Carol}
tokens: {bobs-token: bob@example.com}
";

/// A world of Ada, Bob and Carol, with a mail from Bob.
fn world() -> World {
    let dir = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
    dir.write("world.yaml", WORLD).unwrap();
    dir.create_dir_all("google/mail").unwrap();
    let (name, text) = FILES[0];
    dir.write(format!("google/mail/{name}"), text).unwrap();
    let services = vec!["google".to_owned()];
    let options = SeedOptions {
        services,
        ..SeedOptions::default()
    };
    World::seed(&dir, &options).unwrap()
}

fn mailbox(world: &World, email: &str) -> Option<Gmail> {
    world.snapshot().mailboxes.remove(email)
}

/// The mails of somebody's mailbox.
fn mails(world: &World, email: &str) -> Vec<Mail> {
    mailbox(world, email).map_or_else(Vec::new, |it| it.messages)
}

/// A request with Bob's token.
fn as_bob(world: &mut World, method: &str, rest: &str, json: &Value) -> (Answer, Value) {
    let request = with(
        request(method, &at(rest)),
        "authorization",
        "Bearer bobs-token",
    );
    let request = match json {
        Value::Null => request,
        json => body(request, "application/json", json.to_string()),
    };
    let answer = send(world, &request);
    let json = parsed(&answer);
    (answer, json)
}

#[test]
fn mail_to_people_of_the_world_arrives() {
    let mut world = world();
    assert_eq!(world.snapshot().mailboxes.len(), 0);
    let source = "To: Bob <BOB@example.com>, x@elsewhere.example\nCc: carol+news@example.com\n\
                  Subject: Hello\n\nHi all\n";
    let sent = send_mail(&mut world, source);
    let after = world.snapshot();
    let known: Vec<&String> = after.mailboxes.keys().collect();
    assert_eq!(known, ["bob@example.com", "carol@example.com"]);
    let own = after.gmail.unwrap();
    let own = own.messages.last().unwrap();
    for (email, mailbox) in &after.mailboxes {
        let [mail] = &mailbox.messages[..] else {
            panic!("{email}: {mailbox:?}")
        };
        assert_eq!(mail.label_ids, ["INBOX", "UNREAD"]);
        assert_eq!((&mail.subject, &mail.text), (&own.subject, &own.text));
        assert_eq!(
            (&mail.from, &mail.to, &mail.cc),
            (&own.from, &own.to, &own.cc)
        );
        assert_eq!(mail.internal_date_ms, own.internal_date_ms);
        assert!(!mail.seeded && mail.id == mail.thread_id && mail.id != own.id);
        assert_eq!(mail.headers[0].name, "Delivered-To");
        assert_eq!(mail.headers[0].value, *email);
    }
    assert_eq!(sent["labelIds"], json!(["SENT"]));
}

#[test]
fn who_is_told_in_secret_is_nobody_elses_business() {
    let mut world = world();
    let source = "To: carol@example.com\nBcc: bob@example.com\nSubject: s\n\nx";
    send_mail(&mut world, source);
    let own = world.snapshot().gmail.unwrap().messages.pop().unwrap();
    assert_eq!(own.bcc, ["bob@example.com"]);
    for email in ["bob@example.com", "carol@example.com"] {
        let [mail] = &mails(&world, email)[..] else {
            panic!("nothing for {email}")
        };
        assert!(mail.bcc.is_empty(), "{mail:?}");
        let names = mail.headers.iter().map(|it| it.name.to_lowercase());
        assert!(names.clone().all(|name| name != "bcc"), "{mail:?}");
        assert!(!mail.text.contains("bob@"));
    }
}

#[test]
fn nobody_gets_a_mail_twice_and_strangers_get_none() {
    let mut world = world();
    let source =
        "To: bob@example.com, Bob@example.com\nCc: bob+x@example.com\nBcc: bob@example.com\n\nx";
    send_mail(&mut world, source);
    assert_eq!(mails(&world, "bob@example.com").len(), 1);
    for to in [
        "bob@example.org",
        "bobby@example.com",
        "nobody@elsewhere.example",
    ] {
        let sent = send_mail(&mut world, &format!("To: {to}\n\nx"));
        assert_eq!(sent["labelIds"], json!(["SENT"]), "{to}");
    }
    // Nothing bounces, either.
    assert_eq!(mails(&world, "bob@example.com").len(), 1);
    assert_eq!(world.snapshot().mailboxes.len(), 1);
    assert_eq!(
        ids(&get(&mut world, "messages?q=in:inbox"), "messages").len(),
        1
    );
}

#[test]
fn copies_are_in_the_thread_that_they_answer_in() {
    let mut world = world();
    let mut answer = |subject: &str, fields: &str| {
        let source = format!("To: bob@example.com\nSubject: {subject}\n{fields}\n\nx");
        send_mail(&mut world, &source);
        mails(&world, "bob@example.com").pop().unwrap()
    };
    // Bob's own mail is from before the world began; both answer it.
    let one = answer(
        "Re: Q3 planning",
        "Message-ID: <one@x>\nIn-Reply-To: <plan@example.com>",
    );
    let two = answer("RE: q3  planning", "References: <plan@example.com>");
    let three = answer("Re: Q3 planning", "In-Reply-To: <one@x>");
    assert_eq!([&two.thread_id, &three.thread_id], [&one.id, &one.id]);
    for (subject, fields) in [
        ("Q3 planning", "X-Nothing: 1"),
        ("Another matter", "In-Reply-To: <plan@example.com>"),
        ("Re: Q3 planning", "In-Reply-To: <unknown@example.com>"),
    ] {
        let other = answer(subject, fields);
        assert_eq!(other.id, other.thread_id, "{subject}, {fields}");
    }
}

#[test]
fn drafts_arrive_when_they_are_sent() {
    let mut world = world();
    let source = raw("To: bob@example.com\nSubject: Later\n\nx");
    let draft = post(&mut world, "drafts", json!({"message": {"raw": source}}));
    assert_eq!(mailbox(&world, "bob@example.com"), None);
    let changed = touches(
        &mut world,
        "POST",
        "drafts/send",
        json!({"id": draft["id"]}),
    );
    let [mail] = &mails(&world, "bob@example.com")[..] else {
        panic!("nothing arrived")
    };
    assert_eq!(mail.subject, "Later");
    let delivery = format!("created gmail.delivery bob@example.com/{}", mail.id);
    assert!(changed.contains(&delivery), "{changed:?}");
}

#[test]
fn what_is_not_sent_is_not_delivered() {
    let mut world = world();
    let source = raw("From: ada@example.com\nTo: bob@example.com\n\nx");
    for method in ["messages", "messages/import"] {
        post(&mut world, method, json!({"raw": source}));
    }
    refused(
        &mut world,
        "POST",
        "messages/send",
        json!({"raw": raw("To: bob@example.com, broken\n\nx")}),
    );
    assert_eq!(world.snapshot().mailboxes.len(), 0);
}

#[test]
fn deliveries_change_no_identifier_of_the_account() {
    let sent = |to: &str| {
        let mut world = world();
        let first = send_mail(&mut world, &format!("To: {to}\n\nx"));
        let second = send_mail(&mut world, "To: x@elsewhere.example\n\nx");
        (first, second)
    };
    assert_eq!(sent("bob@example.com"), sent("nob@example.com"));
}

#[test]
fn a_token_of_somebody_is_that_person() {
    let mut world = world();
    let (answer, profile) = as_bob(&mut world, "GET", "profile", &Value::Null);
    assert_eq!(answer.actor.as_deref(), Some("bob@example.com"));
    assert_eq!(profile["emailAddress"], "bob@example.com");
    assert_eq!(profile["messagesTotal"], 0);
    send_mail(&mut world, "To: bob@example.com\nSubject: To Bob\n\nx");
    let (_, list) = as_bob(&mut world, "GET", "messages?q=is:unread", &Value::Null);
    let id = ids(&list, "messages").remove(0);
    assert_eq!(id, mails(&world, "bob@example.com")[0].id);
    // Bob answers: Ada gets it in the thread of what she sent.
    let asked = mails(&world, "bob@example.com").remove(0);
    let of = |name: &str| {
        let header = asked.headers.iter().find(|it| it.name == name);
        header.unwrap().value.clone()
    };
    let source = format!(
        "To: ada@example.com\nSubject: Re: To Bob\nIn-Reply-To: {}\n\nThanks",
        of("Message-ID")
    );
    let (answer, sent) = as_bob(
        &mut world,
        "POST",
        "messages/send",
        &json!({"raw": raw(&source)}),
    );
    assert_eq!((answer.status, &sent["labelIds"]), (200, &json!(["SENT"])));
    let own = world.snapshot().gmail.unwrap().messages;
    let (reply, asked) = (&own[own.len() - 1], &own[own.len() - 2]);
    assert_eq!(
        (reply.from.as_str(), reply.text.as_str()),
        ("bob@example.com", "Thanks")
    );
    assert_eq!(reply.thread_id, asked.thread_id);
    assert_eq!(reply.label_ids, ["INBOX", "UNREAD"]);
    let sent = mails(&world, "bob@example.com").pop().unwrap();
    assert_eq!(sent.label_ids, ["SENT"]);
    // The two mailboxes are two: neither reads the other's.
    let (answer, _) = as_bob(&mut world, "GET", &format!("messages/{PLAN}"), &Value::Null);
    assert_eq!(answer.status, 404);
    let mine = request("GET", "/gmail/v1/users/bob@example.com/messages");
    assert_eq!(send(&mut world, &mine).status, 403);
}

#[test]
fn other_services_of_google_are_the_persons_own_too() {
    let mut world = world();
    let tasks = |world: &mut World, token: &str| {
        let lists = request("GET", "/tasks/v1/users/@me/lists");
        let answer = send(world, &with(lists, "authorization", token));
        assert_eq!(answer.status, 200);
        parsed(&answer)
    };
    let bobs = tasks(&mut world, "Bearer bobs-token");
    assert_ne!(
        bobs["items"][0]["id"],
        tasks(&mut world, "Bearer any")["items"][0]["id"]
    );
    assert_eq!(bobs, tasks(&mut world, "Bearer bobs-token"));
    let grant = body(
        request("POST", "/token"),
        "application/x-www-form-urlencoded",
        "grant_type=refresh_token&refresh_token=bobs-token",
    );
    let grant = crate::service::Request {
        host: "oauth2.googleapis.com".to_owned(),
        ..grant
    };
    assert_eq!(
        parsed(&send(&mut world, &grant))["access_token"],
        "bobs-token"
    );
    let (_, info) = ask(
        &mut world,
        "GET",
        "/oauth2/v2/userinfo?access_token=any",
        Value::Null,
    );
    assert_eq!(info["name"], "Ada Lovelace");
    let info = with(
        request("GET", "/oauth2/v2/userinfo"),
        "authorization",
        "Bearer bobs-token",
    );
    let answer = send(&mut world, &info);
    assert_eq!(parsed(&answer)["name"], "Bob Stone");
    assert_eq!(answer.actor.as_deref(), Some("bob@example.com"));
}

#[test]
fn a_world_with_mail_for_others_survives_a_round_trip() {
    let mut world = world();
    send_mail(&mut world, "To: bob@example.com\n\nx");
    let text = serde_json::to_string(&world).unwrap();
    let mut back: World = serde_json::from_str(&text).unwrap();
    assert_eq!(back.snapshot(), world.snapshot());
    let list = |world: &mut World| as_bob(world, "GET", "messages", &Value::Null).1;
    assert_eq!(list(&mut back), list(&mut world));
    assert_eq!(
        serde_json::to_string(&back).unwrap(),
        serde_json::to_string(&world).unwrap()
    );
}

#[test]
fn copies_count_towards_what_a_world_can_hold() {
    let mut world = world();
    let text = "word ".repeat(700_000);
    // 3.5 MB of text three times are less than 12 MiB, six times are more.
    let source = raw(&format!("To: bob@example.com, carol@example.com\n\n{text}"));
    post(&mut world, "messages/send", json!({"raw": source}));
    let (status, problem) = refused(&mut world, "POST", "messages/send", json!({"raw": source}));
    assert!(
        status == 403 && problem.contains("mailbox is full"),
        "{status} {problem}"
    );
    assert_eq!(mails(&world, "bob@example.com").len(), 1);
    // Nor is there room in the mailbox of somebody else.
    let (answer, _) = as_bob(&mut world, "POST", "messages", &json!({"raw": source}));
    assert_eq!(answer.status, status);
}
