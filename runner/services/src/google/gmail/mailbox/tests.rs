//! The mailbox as a value: seeding, evidence, storage, copies.

use super::*;
use crate::google::desk::Known;
use crate::world::{SeedError, SeedOptions, World};

const PLAN: &str = "From: Bob <bob@example.com>\nTo: ada@example.com\nSubject: Plan\n\
    Date: Sun, 1 Mar 2026 10:00:00 +0100\nMessage-ID: <plan@example.com>\n\nBring numbers.\n";
const REPLY: &str = "From: Ada <ada@example.com>\nTo: bob@example.com\nSubject: Re: plan\n\
    Date: Sun, 1 Mar 2026 11:00:00 +0100\nMessage-ID: <reply@example.com>\nReferences: <plan@example.com>\n\nYes.\n";
const OTHER: &str = "From: Carol <carol@example.com>\nSubject: Report\nDate: Sun, 1 Mar 2026 09:00:00 +0100\n\n\
    See file.\n";

/// A world with these files in `google/mail/`.
fn seed(files: &[(&str, &str)]) -> Result<World, SeedError> {
    let dir = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
    dir.write(
        "world.yaml",
        "clock: 2026-03-02T09:00:00Z\nseed: 7\naccount: {email: ada@example.com, name: Ada}\n",
    )
    .unwrap();
    dir.create_dir_all("google/mail").unwrap();
    for (name, text) in files {
        dir.write(format!("google/mail/{name}"), text).unwrap();
    }
    World::seed(
        &dir,
        &SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        },
    )
}

fn mailbox(files: &[(&str, &str)]) -> Mailbox {
    seed(files).unwrap().google.unwrap().gmail
}

/// The error of a seed, as text.
fn wrong(files: &[(&str, &str)]) -> String {
    seed(files).unwrap_err().to_string()
}

fn mails() -> [(&'static str, &'static str); 3] {
    [("a.eml", PLAN), ("b.eml", REPLY), ("c.eml", OTHER)]
}

#[test]
fn eml_files_are_enough() {
    let mailbox = mailbox(&mails());
    let shown: Vec<(String, String, bool)> = mailbox
        .messages()
        .map(|it| {
            let labels: Vec<String> = it.labels.iter().map(|id| id.to_string()).collect();
            (
                it.mail.head().subject.to_string(),
                labels.join(","),
                it.thread == it.id,
            )
        })
        .collect();
    let line =
        |subject: &str, labels: &str, begins| (subject.to_owned(), labels.to_owned(), begins);
    assert_eq!(
        shown,
        [
            line("Report", "INBOX,UNREAD", true),
            line("Plan", "INBOX,UNREAD", true),
            line("Re: plan", "SENT", false)
        ]
    );
    assert!(mailbox.messages().all(|it| it.seeded && it.history_id > 0));
}

#[test]
fn a_mail_without_identifier_gets_one() {
    let mailbox = mailbox(&[("c.eml", OTHER)]);
    let mail = &mailbox.messages().next().unwrap().mail;
    assert!(
        mail.head()
            .message_id
            .as_deref()
            .unwrap()
            .ends_with("@mail.gmail.com")
    );
    assert!(mail.source().ends_with(OTHER.as_bytes()));
}

#[test]
fn identifiers_follow_from_date_and_file_name() {
    let ids = |files: &[(&str, &str)]| {
        mailbox(files)
            .messages()
            .map(|it| it.id)
            .collect::<Vec<_>>()
    };
    let all = ids(&mails());
    assert!(all.is_sorted());
    // One file more or less changes nothing for the others.
    assert_eq!(ids(&mails()[..2]), all[1..]);
    assert_ne!(ids(&[("z.eml", PLAN)]), all[1..2]);
}

#[test]
fn settings_say_what_files_do_not() {
    let yaml = "labels: [Clients]\nmails:\n  a.eml: {labels: [Clients, STARRED], thread: t, id: ff}\n  \
        c.eml: {labels: [DRAFT], thread: t}\n  b.eml: {thread: other}\n";
    let mailbox = mailbox(&[&mails()[..], &[("mail.yaml", yaml)]].concat());
    let plan = mailbox.get("ff".parse().unwrap()).unwrap();
    assert_eq!(
        plan.labels
            .iter()
            .map(|id| id.to_string())
            .collect::<Vec<_>>(),
        ["STARRED", "Label_1"]
    );
    let draft = mailbox.drafts().next().unwrap().1;
    assert_eq!(
        (&*draft.mail.head().subject, draft.thread),
        ("Report", plan.thread)
    );
    assert_eq!(mailbox.thread(plan.thread).count(), 2);
}

#[test]
fn wrong_seeds_say_where_and_what() {
    let with = |name: &'static str, text: &'static str| wrong(&[("a.eml", PLAN), (name, text)]);
    for (name, text, message) in [
        (
            "x.eml",
            "",
            "google/mail/x.eml:1: expected a header field like `From: Ada <ada@example.com>` in the first line",
        ),
        (
            "x.eml",
            "hello\n",
            "google/mail/x.eml:1: expected a header field like `From: Ada <ada@example.com>` in the first line",
        ),
        (
            "x.eml",
            "Subject: x\nDate: Sun, 1 Mar 2026 10:00:00 +0100\n\n",
            "google/mail/x.eml:1: expected a sender: `From: Ada <ada@example.com>`",
        ),
        (
            "x.eml",
            "Subject: x\nFrom: nobody\n\n",
            "google/mail/x.eml:2: expected a sender: `From: Ada <ada@example.com>`",
        ),
        (
            "x.eml",
            "From: a@b.c\n\n",
            "google/mail/x.eml:1: expected a date: `Date: Mon, 2 Mar 2026 09:00:00 +0100`",
        ),
        (
            "x.eml",
            "From: a@b.c\nSubject: x\nDate: soon\n\n",
            "google/mail/x.eml:3: expected a date: `Date: Mon, 2 Mar 2026 09:00:00 +0100`",
        ),
        (
            "x.eml",
            PLAN,
            "google/mail/x.eml:5: Message-ID <plan@example.com> is that of `a.eml` too",
        ),
        (
            "x.txt",
            "",
            "google/mail/x.txt: nothing reads this; expected `*.eml` files and `mail.yaml`",
        ),
        (
            "mail.yaml",
            "mails:\n  a.eml: {}\n  b.eml: {}\n",
            "google/mail/mail.yaml:3: there is no file `b.eml` beside this one",
        ),
        (
            "mail.yaml",
            "labels:\n  - Ok\n  - Inbox\n",
            "google/mail/mail.yaml:3: label `Inbox`: Invalid label name",
        ),
        (
            "mail.yaml",
            "labels: [A, a]\n",
            "google/mail/mail.yaml:1: label `a`: Label name exists or conflicts",
        ),
        (
            "mail.yaml",
            "mails:\n  a.eml:\n    labels:\n      - INBOX\n      - Clients\n",
            "google/mail/mail.yaml:5: there is no label `Clients`; known: CHAT, SENT, INBOX, IMPORTANT, TRASH, DRAFT, SPAM, CATEGORY_FORUMS, CATEGORY_UPDATES, CATEGORY_PERSONAL, CATEGORY_PROMOTIONS, CATEGORY_SOCIAL, STARRED, UNREAD",
        ),
        (
            "mail.yaml",
            "mails:\n  a.eml:\n    id: xyz\n",
            "google/mail/mail.yaml:3: id `xyz`: expected 1 to 16 hex digits",
        ),
        (
            "mail.yaml",
            "send_as:\n  - {email: nobody}\n",
            "google/mail/mail.yaml:2: `nobody` is no mail address",
        ),
        (
            "mail.yaml",
            "send_as:\n  - {email: Ada@example.com}\n",
            "google/mail/mail.yaml:2: `Ada@example.com`: Send-as alias already exists",
        ),
        (
            "mail.yaml",
            "filters:\n  - {add_labels: [INBOX]}\n",
            "google/mail/mail.yaml:2: expected a criterion: from, to, subject, query, ...",
        ),
        (
            "mail.yaml",
            "filters:\n  - {from: x}\n",
            "google/mail/mail.yaml:2: expected an action: add_labels, remove_labels or forward",
        ),
    ] {
        assert_eq!(with(name, text), message);
    }
    let unknown = with("mail.yaml", "mails:\n  a.eml:\n    label: [INBOX]\n");
    assert!(
        unknown.starts_with("google/mail/mail.yaml:3:") && unknown.contains("labels"),
        "{unknown}"
    );
    let twice = "mails:\n  a.eml: {id: a1}\n  b.eml: {id: a1}\n";
    assert_eq!(
        wrong(&[("a.eml", PLAN), ("b.eml", REPLY), ("mail.yaml", twice)]),
        "google/mail/mail.yaml:3: id 00000000000000a1 is that of `a.eml` too"
    );
}

#[test]
fn what_is_stored_is_what_comes_back() {
    let mut world = seed(
        &[
            &mails()[..],
            &[(
                "mail.yaml",
                "labels: [Clients]\nmails: {c.eml: {labels: [DRAFT]}}\n",
            )],
        ]
        .concat(),
    )
    .unwrap();
    let World {
        account,
        people,
        clock,
        ids,
        google,
        ..
    } = &mut world;
    let mailbox = &mut google.as_mut().unwrap().gmail;
    let known = Known { account, people };
    mailbox
        .send((ids, clock), known, b"To: x@y.org\n\n\xff\x00 bytes", None)
        .unwrap();
    let text = serde_json::to_string(mailbox).unwrap();
    let back: Mailbox = serde_json::from_str(&text).unwrap();
    assert_eq!(&back, mailbox);
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    assert_eq!(back.snapshot(), mailbox.snapshot());
    let broken = text.replace("\"source_base64\":\"", "\"source_base64\":\"*");
    assert!(
        serde_json::from_str::<Mailbox>(&broken)
            .unwrap_err()
            .to_string()
            .contains("source of message")
    );
}

#[test]
fn copies_share_mails_and_nothing_else() {
    let mut mailbox = mailbox(&mails());
    let copy = mailbox.clone();
    let id = mailbox.messages().next().unwrap().id;
    assert!(Arc::ptr_eq(
        &mailbox.get(id).unwrap().mail,
        &copy.get(id).unwrap().mail
    ));
    mailbox.relabel(id, &LabelChange::trash());
    mailbox.delete_label(LabelId::user(1));
    assert!(mailbox.get(id).unwrap().labels.has(LabelId::TRASH));
    assert!(!copy.get(id).unwrap().labels.has(LabelId::TRASH));
    assert_ne!(mailbox.history().newest(), copy.history().newest());
    assert!(mailbox.delete(id) && copy.get(id).is_some());
}

#[test]
fn the_snapshot_is_made_for_graders() {
    let source = "From: =?utf-8?q?B=C3=B6b?= <Bob@Example.com>\nTo: Ada <ada@example.com>\nCc: c@example.com\n\
        Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nDate: Sun, 1 Mar 2026 10:00:00 +0100\nMessage-ID: <m@example.com>\n\
        Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<div>One</div><div>two</div>\n\
        --b\nContent-Type: text/csv; name=x.csv\nContent-Transfer-Encoding: base64\n\nYSxi\n--b--\n";
    let yaml =
        "labels: [Clients]\nmails: {m.eml: {labels: [INBOX, Clients]}, c.eml: {labels: [DRAFT]}}\n";
    let snapshot = mailbox(&[("m.eml", source), ("c.eml", OTHER), ("mail.yaml", yaml)]).snapshot();
    assert_eq!((snapshot.messages.len(), snapshot.drafts.len()), (1, 1));
    assert!(
        snapshot
            .labels
            .iter()
            .any(|it| it.name == "Clients" && it.kind == "user")
    );
    assert!(snapshot.labels.is_sorted_by(|a, b| a.id < b.id));
    let mail = &snapshot.messages[0];
    assert_eq!(
        (mail.subject.as_str(), mail.text.as_str()),
        ("Grüße", "One\n\ntwo")
    );
    assert_eq!(mail.html.as_deref(), Some("<div>One</div><div>two</div>"));
    assert_eq!(
        (mail.from.as_str(), &mail.to, &mail.cc),
        (
            "bob@example.com",
            &vec!["ada@example.com".to_owned()],
            &vec!["c@example.com".to_owned()]
        )
    );
    assert_eq!(mail.headers[0].value, "Böb <Bob@Example.com>");
    assert_eq!(mail.label_ids, ["INBOX", "Label_1"]);
    assert_eq!(
        (mail.seeded, mail.internal_date_ms, mail.bytes),
        (true, 1_772_355_600_000, source.len() as u64)
    );
    let file = &mail.attachments[0];
    assert_eq!(
        (file.filename.as_str(), file.mime_type.as_str(), file.bytes),
        ("x.csv", "text/csv", 3)
    );
    assert!(snapshot.drafts[0].id.starts_with('r'));
    assert_eq!(snapshot.drafts[0].message.subject, "Report");
}

#[test]
fn a_message_moves_between_places() {
    let set = |ids: &[LabelId]| ids.iter().copied().collect::<LabelSet>();
    let change = |add: &[LabelId], remove: &[LabelId]| LabelChange {
        add: add.to_vec(),
        remove: remove.to_vec(),
    };
    let inbox = set(&[LabelId::INBOX, LabelId::UNREAD]);
    assert_eq!(
        LabelChange::trash().apply(&inbox),
        set(&[LabelId::UNREAD, LabelId::TRASH])
    );
    assert_eq!(
        change(&[LabelId::SPAM], &[]).apply(&inbox),
        set(&[LabelId::UNREAD, LabelId::SPAM])
    );
    assert_eq!(
        change(&[LabelId::INBOX], &[LabelId::UNREAD])
            .apply(&set(&[LabelId::TRASH, LabelId::UNREAD])),
        set(&[LabelId::INBOX])
    );
    assert_eq!(LabelChange::untrash().apply(&inbox), inbox);
}

#[test]
fn ten_thousand_mails_are_a_mailbox_and_one_more_is_an_error() {
    let dir = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
    let world = "clock: 2026-03-02T09:00:00Z\naccount: {email: ada@example.com, name: Ada}\n";
    dir.write("world.yaml", world).unwrap();
    dir.create_dir_all("google/mail").unwrap();
    let write = |number: u32| {
        let mail = format!(
            "From: bob@example.com\nSubject: {number}\nDate: Sun, 1 Mar 2026 10:00:00 +0100\n\
             Message-ID: <{number}@example.com>\n\nx\n"
        );
        dir.write(format!("google/mail/{number:05}.eml"), mail)
            .unwrap();
    };
    (0..10_000).for_each(write);
    let options = SeedOptions {
        services: vec!["google".to_owned()],
        ..SeedOptions::default()
    };
    let mailbox = World::seed(&dir, &options).unwrap().google.unwrap().gmail;
    assert_eq!(mailbox.totals(), (10_000, 10_000));
    write(10_000);
    let error = World::seed(&dir, &options).unwrap_err().to_string();
    assert_eq!(error, "google/mail: more than 10000 entries");
}
