//! Reading bundles natively: from a directory, checked, and from memory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use proctor_grader::journal::{BodyAnswer, JournalEntryExt as _};
use proctor_grader::testing::{self, Bundle};
use proctor_grader::types::citation::Moment;
use proctor_grader::types::journal::Payload;
use proctor_grader::types::transcript::{Message, Part, Role, ToolCall};
use proctor_grader::types::world::TaskStatus;
use proctor_grader::types::{Change, Event, Touch, View};
use proctor_grader::{Error, Evidence};

fn on_disk(bundle: &Bundle) -> (tempfile::TempDir, Evidence) {
    let dir = tempfile::tempdir().unwrap();
    bundle.write(dir.path()).unwrap();
    let evidence = Evidence::open(dir.path()).unwrap();
    (dir, evidence)
}

#[test]
fn a_directory_and_memory_say_the_same() {
    let bundle = Bundle::new()
        .workspace("notes/a.md", "one\ntwo\n")
        .workspace("b.bin", vec![0xff, b'x'])
        .symlink("passwd", "/etc/passwd")
        .fixture("in.csv", "1,2");
    let (_dir, disk) = on_disk(&bundle);
    for evidence in [disk, bundle.evidence()] {
        let workspace = evidence.workspace().unwrap();
        assert_eq!(workspace.text("notes/a.md").unwrap().unwrap(), "one\ntwo\n");
        assert_eq!(workspace.text("b.bin").unwrap().unwrap(), "\u{fffd}x");
        assert_eq!(workspace.text("missing").unwrap(), None);
        assert!(!workspace.exists("passwd"));
        assert!(workspace.entry("passwd").unwrap().refused.is_some());
        let paths: Vec<String> = workspace
            .list("")
            .into_iter()
            .map(|file| file.path)
            .collect();
        assert_eq!(paths, ["b.bin", "notes/a.md"]);
        let head = workspace.head("notes/a.md", 5).unwrap().unwrap();
        assert_eq!(head.lines().collect::<Vec<_>>(), [(1, "one"), (2, "t")]);
        assert!(!head.complete);
        assert_eq!(evidence.fixtures().text("in.csv").unwrap().unwrap(), "1,2");
    }
}

#[test]
fn an_altered_file_is_refused_when_it_is_read() {
    let (dir, evidence) = on_disk(&Bundle::new().workspace("a.md", "honest"));
    fs::write(dir.path().join("workspace/a.md"), "forged").unwrap();
    let error = evidence.workspace().unwrap().text("a.md").unwrap_err();
    assert!(
        matches!(&error, Error::Altered { path, .. } if path == "workspace/a.md"),
        "{error}"
    );
}

#[test]
fn files_that_the_manifest_does_not_name_do_not_exist() {
    let (dir, evidence) = on_disk(&Bundle::new());
    fs::write(dir.path().join("verdict.json"), "{}").unwrap();
    assert!(evidence.stat("verdict.json").is_none());
    for path in ["verdict.json", "../x", "/etc/passwd", ""] {
        assert_eq!(
            evidence.read(path),
            Err(Error::Missing {
                path: path.to_owned()
            })
        );
    }
}

#[test]
fn a_manifest_that_leads_outside_or_has_another_version_is_refused() {
    for (from, to, expected) in [
        (
            "\"prompt.md\"",
            "\"../prompt.md\"",
            "is no path inside the bundle",
        ),
        (
            "\"prompt.md\"",
            "\"/prompt.md\"",
            "is no path inside the bundle",
        ),
        (
            "proctor.evidence/1",
            "proctor.evidence/2",
            "proctor.evidence/2",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        Bundle::new().write(dir.path()).unwrap();
        let path = dir.path().join("manifest.json");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from));
        fs::write(&path, text.replace(from, to)).unwrap();
        let error = Evidence::open(dir.path()).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let nothing = tempfile::tempdir().unwrap();
    let error = Evidence::open(nothing.path()).err().unwrap();
    assert!(matches!(error, Error::Unreadable { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_does_not_hang() {
    let (dir, evidence) = on_disk(&Bundle::new().workspace("a.md", "x"));
    let path = dir.path().join("workspace/a.md");
    fs::remove_file(&path).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let error = evidence.workspace().unwrap().text("a.md").unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn what_the_agent_left_out_is_no_error_but_a_missing_document_is() {
    let evidence = Bundle::new().evidence();
    assert!(matches!(
        evidence.mailbox().before(),
        Err(Error::NoService { .. })
    ));
    assert!(matches!(
        evidence.read("probes.json"),
        Err(Error::Missing { .. })
    ));
    assert_eq!(evidence.task().unwrap().id, "test");
    let broken = Bundle::new().file("world/journal.jsonl", "{}\n").evidence();
    let error = broken
        .journal()
        .changes("tasks.task")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("`world/journal.jsonl` line 1 is malformed"),
        "{error}"
    );
    let other = Bundle::new()
        .file("world/after.json", r#"{"schema":"proctor.world/9"}"#)
        .evidence();
    assert!(matches!(
        other.task_lists().created(),
        Err(Error::NoService { .. })
    ));
    assert!(matches!(other.mailbox().after(), Err(Error::Schema { .. })));
}

#[test]
fn the_journal_is_read_line_by_line_across_chunks() {
    let entries: Vec<_> = (0..2000)
        .map(|number| {
            let mut entry = testing::request("gmail.users.messages.get");
            let view = if number % 2 == 0 {
                View::Full
            } else {
                View::Summary
            };
            entry
                .read
                .push(Touch::read("gmail.message", format!("m{number}"), view));
            entry.note = Some("x".repeat(500));
            entry
        })
        .collect();
    let bundle = Bundle::new().journal(&entries);
    let (_dir, disk) = on_disk(&bundle);
    for evidence in [disk, bundle.evidence()] {
        let journal = evidence.journal();
        let numbers: Vec<u64> = journal
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().n)
            .collect();
        assert!(numbers.iter().copied().eq(1..=2000));
        assert_eq!(
            journal.reads("gmail.message", "m1998", View::Full).unwrap()[0].n,
            1999
        );
        assert!(
            journal
                .reads("gmail.message", "m1999", View::Full)
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            journal
                .reads("gmail.message", "m1999", View::Summary)
                .unwrap()
                .len(),
            1
        );
    }
}

#[test]
fn blank_lines_count_and_a_last_line_needs_no_line_feed() {
    let line = serde_json::to_string(&testing::request("x.y")).unwrap();
    let evidence = Bundle::new()
        .file("world/journal.jsonl", format!("\n{line}\n \n{line}"))
        .evidence();
    assert_eq!(evidence.journal().operation("x.y").unwrap().len(), 2);
    let broken = Bundle::new()
        .file("world/journal.jsonl", format!("\n{line}\n\n{{"))
        .evidence();
    let last = broken
        .journal()
        .entries()
        .unwrap()
        .last()
        .unwrap()
        .unwrap_err();
    assert!(last.to_string().contains("line 4"), "{last}");
}

#[test]
fn refused_requests_touch_nothing() {
    let mut refused = testing::request("tasks.tasks.patch");
    refused.status = 403;
    refused
        .changed
        .push(Touch::changed("tasks.task", "t", Change::Updated));
    refused
        .read
        .push(Touch::read("tasks.task", "t", View::Full));
    assert_eq!(refused.touches_changed("tasks.task").count(), 0);
    assert_eq!(
        refused.touches_read("tasks.task", View::Reference).count(),
        0
    );
    let evidence = Bundle::new().journal(&[refused]).evidence();
    assert!(
        evidence
            .journal()
            .operation("tasks.tasks.patch")
            .unwrap()
            .is_empty()
    );
    assert_eq!(evidence.journal().service("tasks").unwrap().len(), 1);
}

#[test]
fn a_head_delivers_nothing_and_only_a_get_fetches() {
    let mut entry = testing::request("gmail.users.messages.get");
    entry
        .read
        .push(Touch::read("gmail.message", "m", View::Full));
    for (method, status, delivers, fetches) in [
        ("GET", 200, true, true),
        ("get", 200, true, true),
        ("POST", 200, true, true),
        ("PATCH", 200, true, false),
        ("HEAD", 200, false, false),
        ("head", 200, false, false),
        ("GET", 404, false, false),
    ] {
        entry.method = method.to_owned();
        entry.status = status;
        assert_eq!((entry.delivers(), entry.fetches()), (delivers, fetches));
        let seen = entry.touches_read("gmail.message", View::Full).count();
        assert_eq!(seen, usize::from(delivers), "{method}");
    }
}

#[test]
fn a_body_is_asked_once_however_many_entries_have_it() {
    let (short, long) = (b"short".as_slice(), b"longer than that".as_slice());
    let bundle = Bundle::new().body(short).body(long);
    let (_dir, disk) = on_disk(&bundle);
    for evidence in [disk, bundle.evidence()] {
        let mut asked = 0;
        let mut bodies = evidence.journal().ask_bodies(8, |body| {
            asked += 1;
            body.len()
        });
        let kept = testing::payload(short);
        for _ in 0..100 {
            assert_eq!(bodies.of(&kept).unwrap(), BodyAnswer::Says(5));
        }
        let lost = Payload {
            kept: false,
            ..kept.clone()
        };
        assert_eq!(bodies.of(&lost).unwrap(), BodyAnswer::NotKept);
        assert_eq!(
            bodies.of(&testing::payload(long)).unwrap(),
            BodyAnswer::TooLong
        );
        assert_eq!(bodies.of(&Payload::default()).unwrap(), BodyAnswer::Empty);
        drop(bodies);
        assert_eq!(asked, 1);
    }
}

#[test]
fn task_lists_tell_new_completed_and_deleted_apart() {
    let open = TaskStatus::NeedsAction;
    let before = testing::with_tasks(
        testing::world(),
        vec![
            testing::task("a", "Old", open),
            testing::task("b", "Done", TaskStatus::Completed),
        ],
    );
    let mut gone = testing::task("d", "Gone", open);
    gone.deleted = true;
    let after = testing::with_tasks(
        testing::world(),
        vec![
            testing::task("a", "Old", TaskStatus::Completed),
            testing::task("b", "Done", TaskStatus::Completed),
            testing::task("c", "Brand-new: thing", open),
            gone,
        ],
    );
    let evidence = Bundle::new().world(&before, &after).evidence();
    let lists = evidence.task_lists();
    let ids = |listed: Vec<proctor_grader::task_lists::Listed<'_>>| -> Vec<String> {
        listed
            .into_iter()
            .map(|listed| listed.task.id.clone())
            .collect()
    };
    assert_eq!(ids(lists.seeded().unwrap()), ["a", "b"]);
    assert_eq!(ids(lists.created().unwrap()), ["c"]);
    assert_eq!(ids(lists.completed().unwrap()), ["a"]);
    assert_eq!(ids(lists.titled("brand new thing").unwrap()), ["c"]);
    assert!(lists.titled("gone").unwrap().is_empty());
    assert!(lists.task("d").unwrap().unwrap().task.deleted);
}

#[test]
fn the_mailbox_tells_received_from_sent() {
    let mut own = testing::mail("m2", "Alex Example <ALEX@example.com>", "Note to self", "x");
    own.from = "alex@example.com".to_owned();
    let received = testing::mail("m1", "Dana <dana@example.com>", "Hello", "Body");
    let mut sent = testing::mail("m3", "alex@example.com", "Re: Hello", "Answer");
    sent.seeded = false;
    sent.label_ids = vec!["SENT".to_owned()];
    let before = testing::with_mail(testing::world(), vec![received.clone(), own.clone()]);
    let after = testing::with_mail(testing::world(), vec![received, own, sent]);
    let evidence = Bundle::new().world(&before, &after).evidence();
    let mailbox = evidence.mailbox();
    let received = mailbox.received().unwrap();
    assert_eq!(
        received.iter().map(|mail| &*mail.id).collect::<Vec<_>>(),
        ["m1"]
    );
    assert_eq!(mailbox.sent().unwrap()[0].id, "m3");
    assert_eq!(
        mailbox.message("m1").unwrap().unwrap().from,
        "dana@example.com"
    );
}

#[test]
fn services_without_a_view_can_still_be_read() {
    let after = r#"{"schema":"proctor.world/1","account":{"email":"a@b.c","name":"","time_zone":""},"wiki":{"pages":3}}"#;
    let evidence = Bundle::new().file("world/after.json", after).evidence();
    let wiki: serde_json::Value = evidence.service(Moment::After, "wiki").unwrap();
    assert_eq!(wiki["pages"], 3);
    let error = evidence
        .service::<u32>(Moment::After, "wiki")
        .unwrap_err()
        .to_string();
    assert!(error.contains("`wiki`"), "{error}");
}

#[test]
fn the_transcript_gives_texts_calls_commands_and_answers() {
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "exec".to_owned(),
        arguments: serde_json::from_str(r#"{"command":"ls"}"#).unwrap(),
    };
    let mut answer = Message::new(Role::ToolResult, vec![Part::text("a.md")]);
    answer.tool_call_id = Some("c1".to_owned());
    let say = Message::new(
        Role::Assistant,
        vec![Part::text("Looking."), Part::ToolCall(call)],
    );
    let events = [
        Event::message(None, Message::new(Role::User, vec![Part::text("Do it")])),
        Event::message(None, say),
        Event::message(None, answer),
    ];
    let evidence = Bundle::new().transcript(&events).evidence();
    let transcript = evidence.transcript().unwrap();
    let texts: Vec<_> = transcript
        .assistant_texts()
        .map(|at| (at.event, at.item))
        .collect();
    assert_eq!(texts, [(2, "Looking.".to_owned())]);
    let commands: Vec<_> = transcript
        .commands()
        .map(|at| (at.event, at.item.into_owned()))
        .collect();
    assert_eq!(commands, [(2, "ls".to_owned())]);
    assert_eq!(transcript.result_of("c1").unwrap().item.text(), "a.md");
    assert!(transcript.result_of("c2").is_none());
}
