//! What happened to mails, tasks, repositories and pages, and questions to the
//! journal.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proctor_grader::files::Happened;
use proctor_grader::mailbox::MailExt as _;
use proctor_grader::pages::{BlockExt as _, PropertyExt as _};
use proctor_grader::repositories::PullRequestExt as _;
use proctor_grader::testing::{self, Bundle, Repo};
use proctor_grader::types::journal::EntryKind;
use proctor_grader::types::probe::ProbeEnd;
use proctor_grader::types::world::github::State;
use proctor_grader::types::world::notion::{DataSource, Database, Notion};
use proctor_grader::types::world::{Draft, Label, TaskStatus};
use proctor_grader::types::{Change, Touch, View};
use proctor_grader::{Error, Evidence};

fn mailboxes() -> Evidence {
    let asked = testing::mail("m1", "Priya <priya@example.com>", "Docs", "Can you?");
    let other = testing::mail("m2", "Marcus <marcus@example.com>", "Path", "Look.");
    let spam = testing::mail("m3", "x@example.com", "Buy", "now");
    let before = testing::with_mail(
        testing::world(),
        vec![asked.clone(), other.clone(), spam.clone()],
    );
    let mut read = asked.clone();
    read.label_ids = vec!["INBOX".to_owned(), "Label_1".to_owned()];
    let mut thrown = other.clone();
    thrown.label_ids = vec!["TRASH".to_owned()];
    let answer = testing::reply(
        "m4",
        &asked,
        "Done.\n\nOn Mon, 5 Jan\n2026 Priya wrote:\n> Can you?",
    );
    let mut apart = testing::reply("m5", &other, "Fixed.");
    "elsewhere".clone_into(&mut apart.thread_id);
    let mut after = testing::with_mail(testing::world(), vec![read, thrown, answer, apart]);
    let mailbox = after.gmail.as_mut().unwrap();
    mailbox.labels.push(Label {
        id: "Label_1".to_owned(),
        name: "Handled".to_owned(),
        kind: "user".to_owned(),
    });
    mailbox.drafts.push(Draft {
        id: "r1".to_owned(),
        message: testing::reply("m6", &asked, "Unsent."),
    });
    Bundle::new().world(&before, &after).evidence()
}

fn ids<'a>(mails: &[&'a proctor_grader::types::world::Mail]) -> Vec<&'a str> {
    mails.iter().map(|mail| mail.id.as_str()).collect()
}

#[test]
fn everybody_has_a_mailbox_of_their_own() {
    let asked = testing::mail("m1", "Priya <priya@example.com>", "Docs", "Can you?");
    let before = testing::with_mail(testing::world(), vec![asked.clone()]);
    let arrived = testing::reply("d1", &asked, "Done.");
    let arrived = proctor_grader::types::world::Mail {
        label_ids: vec!["INBOX".to_owned(), "UNREAD".to_owned()],
        ..arrived
    };
    let after = testing::with_delivered(before.clone(), "Priya@example.com", vec![arrived]);
    let evidence = Bundle::new().world(&before, &after).evidence();
    let priya = evidence.mailbox_of("PRIYA@example.com");
    assert_eq!(priya.before().unwrap().messages.len(), 0);
    assert_eq!(ids(&priya.delivered().unwrap()), ["d1"]);
    assert!(priya.message("d1").unwrap().unwrap().has_label("INBOX"));
    assert_eq!(ids(&priya.sent().unwrap()), [""; 0]);
    let nobody = evidence.mailbox_of("marcus@example.com");
    assert_eq!(nobody.after().unwrap().messages.len(), 0);
    let own = evidence.mailbox_of("Alex@example.com");
    assert_eq!(own.after().unwrap(), evidence.mailbox().after().unwrap());
    assert_eq!(ids(&own.received().unwrap()), ["m1"]);
}

#[test]
fn what_became_of_the_mailbox() {
    let evidence = mailboxes();
    let mailbox = evidence.mailbox();
    let asked = &mailbox.before().unwrap().messages[0];
    assert_eq!(ids(&mailbox.sent().unwrap()), ["m4", "m5"]);
    assert_eq!(ids(&mailbox.sent_to("PRIYA@example.com").unwrap()), ["m4"]);
    assert_eq!(ids(&mailbox.replies_to(asked).unwrap()), ["m4"]);
    assert_eq!(ids(&mailbox.thread("m1").unwrap()), ["m1", "m4"]);
    assert_eq!(ids(&mailbox.trashed().unwrap()), ["m2"]);
    assert_eq!(ids(&mailbox.deleted().unwrap()), ["m3"]);
    assert_eq!(ids(&mailbox.labelled("handled").unwrap()), ["m1"]);
    assert_eq!(mailbox.labelled("nothing").unwrap().len(), 0);
    assert_eq!(mailbox.new_drafts().unwrap()[0].id, "r1");
    let relabelled = mailbox.relabelled().unwrap();
    assert_eq!(relabelled.len(), 2);
    assert_eq!(
        (&relabelled[0].added[..], &relabelled[0].removed[..]),
        (&["Label_1"][..], &["UNREAD"][..])
    );
    assert_eq!(mailbox.sent().unwrap()[0].own_text(), "Done.");
}

#[test]
fn what_is_quoted_is_not_the_writers_own() {
    for (text, own) in [
        ("Hi\n> quoted\nBye", "Hi\nBye"),
        (
            "Hi\n\n---------- Forwarded message ---------\nFrom: x",
            "Hi",
        ),
        ("-----Original Message-----\nold", ""),
        (
            "On Tuesday we ship.\nAnd more",
            "On Tuesday we ship.\nAnd more",
        ),
        ("--- a rule ---\nkept", "--- a rule ---\nkept"),
        ("", ""),
    ] {
        assert_eq!(
            testing::mail("m", "a@example.com", "S", text).own_text(),
            own,
            "{text}"
        );
    }
}

#[test]
fn what_became_of_the_tasks() {
    let kept = testing::task("t1", "Kept", TaskStatus::NeedsAction);
    let gone = testing::task("t2", "Gone", TaskStatus::NeedsAction);
    let mut edited = testing::task("t3", "Edited", TaskStatus::NeedsAction);
    let mut marked = gone.clone();
    marked.deleted = true;
    let before = testing::with_tasks(testing::world(), vec![kept.clone(), gone, edited.clone()]);
    edited.notes = "more".to_owned();
    let mut moved = kept;
    moved.position = "9".to_owned();
    let after = testing::with_tasks(testing::world(), vec![edited, moved, marked]);
    let evidence = Bundle::new().world(&before, &after).evidence();
    let lists = evidence.task_lists();
    let deleted = lists.deleted().unwrap();
    assert_eq!(
        deleted
            .iter()
            .map(|listed| listed.task.id.as_str())
            .collect::<Vec<_>>(),
        ["t2"]
    );
    let changed: Vec<_> = lists.changed().unwrap();
    assert_eq!(changed.len(), 2);
    assert_eq!(changed[1].1.task.notes, "more");
    assert_eq!(lists.list("my tasks!").unwrap().unwrap().id, "list-1");
}

#[test]
fn what_became_of_a_repository() {
    let seed = Repo::new("acme/hydra", &[("a.py", "x = 1\n"), ("b.py", "b\n")]);
    let mut after = seed.clone();
    let first = after.commit("fix", "fix: a (#1)", &[("a.py", Some("x = 2\n"))]);
    after.commit(
        "fix",
        "fix: b (#1)",
        &[("b.py", None), ("c.py", Some("c\n"))],
    );
    let number = after.pull_request("fix", "fix: both (#1)");
    after
        .repository
        .branches
        .retain(|branch| branch.name != "fix");
    after.repository.pull_requests[0].state = State::Closed;
    let added = Repo::new("acme/other", &[]);
    let evidence = Bundle::new()
        .repositories(&[seed], &[after, added])
        .evidence();
    let repositories = evidence.repositories();

    assert_eq!(repositories.created().unwrap()[0].full_name(), "acme/other");
    assert!(repositories.find("nothing").unwrap().is_none());
    assert!(matches!(repositories.get("nothing"), Err(Error::Unfit(_))));
    let repo = repositories.get("HYDRA").unwrap();
    let messages: Vec<&str> = repo
        .new_commits()
        .map(|commit| commit.message.as_str())
        .collect();
    assert_eq!(messages, ["fix: b (#1)", "fix: a (#1)"]);
    // The branch is gone; the pull request knows its head.
    assert!(repo.files("fix").is_none() && repo.changed_branches().is_empty());
    let pull = repo.pull_request(number).unwrap();
    assert!(!pull.stands());
    let head = &pull.head.sha;
    assert_eq!(repo.history(head).len(), 3);
    assert_eq!(repo.text(head, "a.py").unwrap().unwrap(), "x = 2\n");
    assert_eq!(repo.text(&first, "b.py").unwrap().unwrap(), "b\n");
    assert_eq!(repo.text(head, "b.py").unwrap(), None);
    assert_eq!(
        repo.text_before("main", "a.py").unwrap().unwrap(),
        "x = 1\n"
    );
    let changes: Vec<_> = repo.changed_files(head).unwrap();
    let changes: Vec<_> = changes
        .iter()
        .map(|change| (change.path, change.happened))
        .collect();
    assert_eq!(
        changes,
        [
            ("a.py", Happened::Changed),
            ("b.py", Happened::Removed),
            ("c.py", Happened::Added)
        ]
    );
    assert_eq!(repo.changed_files("main").unwrap(), []);
    assert!(pull.file("main.py").is_none());
}

#[test]
fn a_deleted_repository_and_a_moved_branch_are_seen() {
    let seed = Repo::new("acme/hydra", &[("a.py", "x = 1\n")]);
    let gone = Bundle::new()
        .repositories(std::slice::from_ref(&seed), &[])
        .evidence();
    let repo = gone.repositories().get("acme/hydra").unwrap();
    assert!(repo.after().is_none() && repo.files("main").is_none());
    assert_eq!(repo.changed_branches()[0].after, None);
    assert_eq!(
        repo.text_before("main", "a.py").unwrap().unwrap(),
        "x = 1\n"
    );

    let mut pushed = seed.clone();
    pushed.commit("main", "oops", &[("a.py", Some("y\n"))]);
    let pushed = Bundle::new().repositories(&[seed], &[pushed]).evidence();
    let repo = pushed.repositories().get("hydra").unwrap();
    let moved = repo.changed_branches();
    assert!(moved[0].before.is_some() && moved[0].after.is_some());
    assert_eq!(repo.changed_files("main").unwrap().len(), 1);
}

#[test]
fn what_became_of_the_pages() {
    let spec = testing::page("p1", &["Eng", "Spec"], "# Spec\ntext\n");
    let board = "| # | Status |\n| --- | --- |\n| 142 | To Do |\n| 144 | Backlog |\n";
    let sprint = testing::page("p2", &["Eng", "Sprint 4"], board);
    let old = testing::page("p3", &["Eng", "Old"], "x\n");
    let before = [spec.clone(), sprint, old.clone()];
    let mut moved = testing::page("p2", &["Eng", "Sprint 4"], &board.replace("To Do", "Done"));
    testing::property(&mut moved, "Reviewed", "checkbox", "true");
    moved.blocks[2].content = serde_json::json!({
        "cells": [[{"href": "https://x.example/1", "text": {"link": {"url": "https://x.example/1"}}}]],
    });
    let mut trashed = old;
    trashed.in_trash = true;
    let decoy = testing::page("p0", &["Sprint 4"], "decoy\n");
    let after = [decoy, spec, moved, trashed];
    let evidence = Bundle::new().pages(&before, &after).evidence();
    let pages = evidence.pages();

    assert_eq!(pages.all().unwrap().len(), 3);
    assert_eq!(pages.created().unwrap()[0].id, "p0");
    assert_eq!(pages.removed().unwrap()[0].id, "p3");
    assert!(pages.page("p3").unwrap().is_none());
    let changed: Vec<_> = pages.changed().unwrap();
    assert_eq!(
        changed
            .iter()
            .map(|page| page.id.as_str())
            .collect::<Vec<_>>(),
        ["p2"]
    );
    assert_eq!(pages.titled("sprint 4").unwrap().len(), 2);
    // The page that an agent put beside it does not take its place.
    let sprint = pages.at("Sprint 4").unwrap().unwrap();
    assert_eq!(sprint.id, "p2");
    assert_eq!(sprint.row("142").unwrap().cells, ["142", "Done"]);
    assert_eq!(sprint.row("142").unwrap().links(), ["https://x.example/1"]);
    assert_eq!(
        sprint.tables().map(|rows| rows.len()).collect::<Vec<_>>(),
        [3]
    );
    assert_eq!(sprint.children(&sprint.blocks()[0].id).count(), 3);
    assert_eq!(sprint.children("nothing").count(), 0);
    assert_eq!(sprint.changed_blocks().len(), 1);
    assert_eq!(sprint.changed_blocks()[0].was.unwrap().cells[1], "To Do");
    assert_eq!(sprint.property("reviewed").unwrap().checkbox(), Some(true));
    assert!(sprint.property_before("reviewed").is_none());
    assert!(sprint.removed_blocks().is_empty());
    assert_eq!(sprint.document().whole().tables().count(), 1);
    assert!(pages.at("Eng / Old").unwrap().is_none());
}

#[test]
fn rows_of_a_database_are_pages() {
    let mut row = testing::page("r1", &["Tasks", "#142"], "");
    testing::property(&mut row, "Status", "status", "Done");
    testing::property(&mut row, "Points", "number", "2.5");
    let world = |pages: Vec<_>| {
        let mut world = testing::world();
        world.notion = Some(Notion {
            pages,
            databases: vec![Database {
                title: "Tasks".to_owned(),
                data_sources: vec![DataSource {
                    rows: vec!["r1".to_owned(), "gone".to_owned()],
                    ..DataSource::default()
                }],
                ..Database::default()
            }],
            ..Notion::default()
        });
        world
    };
    let evidence = Bundle::new()
        .world(&world(vec![]), &world(vec![row]))
        .evidence();
    let pages = evidence.pages();
    let database = pages.database("TASKS").unwrap().unwrap();
    let rows = pages.rows(database).unwrap();
    assert_eq!(rows.len(), 1);
    let status = rows[0].property("status").unwrap();
    assert_eq!(status.options(), ["Done"]);
    let points = rows[0].property("Points").unwrap();
    assert_eq!(
        (points.number(), points.date(), points.ids().len()),
        (Some(2.5), None, 0)
    );
}

const NONE: [u64; 0] = [];

#[test]
fn questions_to_the_journal_have_conditions() {
    let mut entries = vec![testing::request("gmail.users.messages.get")];
    entries[0]
        .read
        .push(Touch::read("gmail.message", "m1", View::Summary));
    let mut refused = testing::request("github.pulls.create");
    refused.method = "POST".to_owned();
    refused.path = "/repos/acme/hydra/pulls".to_owned();
    refused.status = 422;
    let mut accepted = refused.clone();
    accepted.status = 201;
    accepted.changed.push(Touch::changed(
        "github.pull_request",
        "acme/hydra#1",
        Change::Created,
    ));
    let mut egress = testing::request("");
    egress.kind = EntryKind::Egress;
    egress.operation = None;
    egress.host = "evil.example".to_owned();
    entries.extend([refused, accepted, egress]);
    let evidence = Bundle::new().journal(&entries).evidence();
    let journal = evidence.journal();
    let numbers = |query: proctor_grader::journal::Query<'_, '_>| -> Vec<u64> {
        query.list().unwrap().iter().map(|entry| entry.n).collect()
    };
    assert_eq!(numbers(journal.query()), [1, 2, 3, 4]);
    assert_eq!(numbers(journal.query().service("github")), [2, 3]);
    assert_eq!(numbers(journal.query().path("/repos/*/*/pulls")), [2, 3]);
    assert_eq!(numbers(journal.query().path("/repos/*/pulls")), NONE);
    assert_eq!(
        numbers(journal.query().method("post").method("PUT").refused()),
        [2]
    );
    assert_eq!(
        numbers(journal.query().operation("github.pulls.create").accepted()),
        [3]
    );
    assert_eq!(numbers(journal.query().host("evil.example")), [4]);
    assert_eq!(
        numbers(
            journal
                .query()
                .changes("github.pull_request")
                .id("acme/hydra#1")
        ),
        [3]
    );
    assert_eq!(
        numbers(
            journal
                .query()
                .changes("github.pull_request")
                .id("acme/hydra#2")
        ),
        NONE
    );
    assert_eq!(numbers(journal.query().reads("gmail.message")), NONE);
    let seen = journal
        .query()
        .reads_at_least("gmail.message", View::Summary);
    assert_eq!(numbers(seen), [1]);
    assert_eq!(numbers(journal.query().after(1).before(4)), [2, 3]);
    assert_eq!(journal.query().last().unwrap().unwrap().n, 4);
    assert_eq!(journal.query().count().unwrap(), 4);
    assert!(!journal.query().service("notion").any().unwrap());
}

#[test]
fn probes_are_there_or_the_task_has_none() {
    let evidence = Bundle::new()
        .probes(&[testing::probe("tests", 1, "1 failed\n")])
        .evidence();
    let probe = evidence.probe("tests").unwrap();
    assert_eq!(probe.end, ProbeEnd::Exited { exit_code: 1 });
    assert!(!probe.succeeded());
    let error = evidence.probe("other").unwrap_err().to_string();
    assert_eq!(error, "the task has no probe `other`");
    assert_eq!(Bundle::new().evidence().probes().unwrap(), []);
    let odd = Bundle::new().file(
        "probes.json",
        br#"{"schema":"proctor.probes/9","probes":[]}"#.to_vec(),
    );
    assert!(matches!(odd.evidence().probes(), Err(Error::Schema { .. })));
}
