//! The `gws` command line.

use proctor_types::journal::Change;
use serde_json::{Value, json};

use crate::kit::{self, ended, tool};

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: sam@example.com, name: Sam Ode, time_zone: Europe/Berlin}
people:
  - {email: ada@example.com, name: Ada Byron}
  - {email: kim@example.com, name: Kim Lee}
";
const TASKS: &str = r#"{"lists": [{"title": "My Tasks", "tasks": [
    {"id": "review", "title": "Review", "due": "2026-03-05"},
    {"id": "docs", "title": "Docs", "status": "completed"}]}]}"#;
const MAIL: &str = "From: Ada <ada@example.com>\r\nTo: sam@example.com\r\nSubject: Plans\r\n\
    Date: Mon, 02 Mar 2026 08:00:00 +0000\r\nMessage-ID: <1@example.com>\r\n\r\nLet us plan.\r\n";

struct Bench(kit::Bench);

impl std::ops::Deref for Bench {
    type Target = kit::Bench;

    fn deref(&self) -> &kit::Bench {
        &self.0
    }
}

impl Bench {
    fn new() -> Self {
        Self(kit::Bench::new(
            "google",
            &[
                ("world.yaml", WORLD),
                ("google/tasks.json", TASKS),
                ("google/mail/plans.eml", MAIL),
            ],
        ))
    }

    /// Runs `gws` with the words of `line`; gives its exit code, and what it
    /// printed.
    async fn run(&self, line: &str) -> (Option<i32>, String) {
        let mut gws = self.client(tool("bin/gws"), "");
        let output = ended(gws.args(line.split_whitespace())).await;
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    }

    /// Runs `gws`, which must succeed, and reads the JSON it prints.
    async fn json(&self, line: &str) -> Value {
        let (code, out) = self.run(line).await;
        assert_eq!(code, Some(0), "gws {line}: {out}");
        serde_json::from_str(&out).unwrap_or(Value::Null)
    }

    /// Operations of the journal since its entry `from`, with their statuses.
    fn operations(&self, from: usize) -> Vec<(String, u16)> {
        let journal = self.world.journal();
        let since = journal.iter().skip(from);
        since
            .map(|it| (it.operation.clone().unwrap_or_default(), it.status))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_and_schemas_come_from_the_documents() {
    let bench = Bench::new();
    let (code, help) = bench.run("tasks tasks --help").await;
    assert_eq!(code, Some(0));
    for method in [
        "clear", "delete", "get", "insert", "list", "move", "patch", "update",
    ] {
        assert!(help.contains(&format!("\n  {method} ")), "{help}");
    }
    let schema = bench.json("schema tasks.tasks.insert").await;
    assert_eq!(
        schema["requestBody"]["schema"]["properties"]["title"]["type"],
        "string"
    );
    let (code, help) = bench.run("gmail users messages send --help").await;
    assert!(code == Some(0) && help.contains("--upload"), "{help}");
    // A body that the schema does not know is not even sent.
    let before = bench.world.journal().len();
    let wrong = format!(
        "tasks tasks insert --params {LIST} --json {}",
        r#"{"titel":"x"}"#
    );
    let (code, out) = bench.run(&wrong).await;
    assert!(code == Some(3) && out.contains("Unknown property"), "{out}");
    assert_eq!(bench.world.journal().len(), before);
    bench.0.gateway.shutdown().await;
}

/// Names the default list.
const LIST: &str = r#"{"tasklist":"@default"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_listed_made_moved_completed_and_deleted() {
    let bench = Bench::new();
    let page = bench
        .json(&format!("tasks tasks list --params {LIST}"))
        .await;
    assert_eq!(page["items"][0]["title"], "Review");
    let small = r#"{"tasklist":"@default","maxResults":1}"#;
    let (code, pages) = bench
        .run(&format!("tasks tasks list --page-all --params {small}"))
        .await;
    assert_eq!((code, pages.lines().count()), (Some(0), 2), "{pages}");

    let from = bench.world.journal().len();
    let new = r#"{"title":"New"}"#;
    let task = bench
        .json(&format!("tasks tasks insert --params {LIST} --json {new}"))
        .await;
    let one = json!({"tasklist": "@default", "task": task["id"]});
    let done = r#"{"status":"completed"}"#;
    bench
        .json(&format!("tasks tasks patch --params {one} --json {done}"))
        .await;
    let after = json!({"tasklist": "@default", "task": task["id"], "previous": "review"});
    let task = bench
        .json(&format!("tasks tasks move --params {after}"))
        .await;
    assert_eq!(task["position"], "00000000000000000001");
    bench
        .json(&format!("tasks tasks delete --params {one}"))
        .await;
    let operations = [
        ("insert", 200),
        ("patch", 200),
        ("move", 200),
        ("delete", 204),
    ];
    let operations = operations.map(|(name, status)| (format!("tasks.tasks.{name}"), status));
    assert_eq!(bench.operations(from), operations);
    // A file named `download` would mean that gws took an answer for media.
    let files = std::fs::read_dir(bench.folder.path()).unwrap();
    let mut names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.all(|name| !name.starts_with("download")));

    let unknown = r#"{"tasklist":"@default","task":"nope_-.x"}"#;
    let (code, out) = bench
        .run(&format!("tasks tasks get --params {unknown}"))
        .await;
    let error: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(1));
    let wanted = json!({"code": 404, "message": "Task not found.", "reason": "notFound"});
    assert_eq!(error["error"], wanted);
    bench.0.gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn helpers_reach_every_api() {
    let bench = Bench::new();
    let unread = r#"{"userId":"me","q":"is:unread"}"#;
    let mails = bench
        .json(&format!("gmail users messages list --params {unread}"))
        .await;
    let mail = mails["messages"][0]["id"].as_str().unwrap();
    let made = bench
        .json(&format!("workflow +email-to-task --message-id {mail}"))
        .await;
    assert_eq!(made["title"], "Plans");
    bench.json("workflow +standup-report --format json").await;
    let times = "--start 2026-03-03T10:00:00Z --end 2026-03-03T11:00:00Z";
    bench
        .json(&format!("calendar +insert --summary Talk {times} --meet"))
        .await;
    bench
        .json("gmail +send --to a@example.com --subject s --body b")
        .await;
    std::fs::write(bench.folder.path().join("m.eml"), MAIL).unwrap();
    let upload = "--upload m.eml --upload-content-type message/rfc822";
    let own = r#"{"userId":"me"}"#;
    bench
        .json(&format!(
            "gmail users messages send --params {own} --json {{}} {upload}"
        ))
        .await;

    let operations: Vec<String> = bench
        .operations(0)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for operation in [
        "discovery.apis.getRest",
        "gmail.users.messages.list",
        "gmail.users.messages.get",
        "tasks.tasks.insert",
        "tasks.tasks.list",
        "calendar.settings.get",
        "calendar.events.list",
        "calendar.events.insert",
        "gmail.users.settings.sendAs.list",
        "gmail.users.messages.send",
    ] {
        assert!(
            operations.iter().any(|it| it == operation),
            "{operation}: {operations:?}"
        );
    }
    assert!(
        bench
            .world
            .journal()
            .iter()
            .all(|entry| entry.status == 200)
    );
    let changed = bench
        .world
        .journal()
        .into_iter()
        .flat_map(|entry| entry.changed);
    let created = changed.filter(|touch| touch.change == Some(Change::Created));
    let kinds: Vec<String> = created.map(|touch| touch.kind).collect();
    let count = |kind: &str| kinds.iter().filter(|it| *it == kind).count();
    assert_eq!(
        (
            count("tasks.task"),
            count("calendar.event"),
            count("gmail.message")
        ),
        (1, 1, 2)
    );
    bench.0.gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_to_people_of_the_world_arrives() {
    let bench = Bench::new();
    bench
        .json("gmail +send --to ada@example.com --cc x@example.org --bcc kim@example.com --subject Hi --body Hello")
        .await;
    let unread = r#"{"userId":"me","q":"is:unread"}"#;
    let mails = bench
        .json(&format!("gmail users messages list --params {unread}"))
        .await;
    let mail = mails["messages"][0]["id"].as_str().unwrap();
    for body in ["First", "Second"] {
        bench
            .json(&format!("gmail +reply --message-id {mail} --body {body}"))
            .await;
    }
    let snapshot = bench.world.snapshot();
    let of = |email: &str| &snapshot.mailboxes[email].messages;
    let subjects: Vec<&str> = of("ada@example.com")
        .iter()
        .map(|it| it.subject.as_str())
        .collect();
    assert_eq!(subjects, ["Hi", "Re: Plans", "Re: Plans"]);
    let [hi, first, second] = &of("ada@example.com")[..] else {
        panic!("three mails")
    };
    assert_eq!(first.thread_id, second.thread_id);
    assert_ne!(hi.thread_id, first.thread_id);
    assert!(first.text.contains("First") && hi.bcc.is_empty());
    assert!(first.label_ids.iter().any(|it| it == "UNREAD"));
    let [secret] = &of("kim@example.com")[..] else {
        panic!("one mail")
    };
    assert!(secret.bcc.is_empty() && secret.text == hi.text);
    assert_eq!(snapshot.mailboxes.len(), 2);
    bench.0.gateway.shutdown().await;
}
