use proctor_types::Probe;
use serde_json::{Value, json};

use super::*;

fn events(list: Value) -> Vec<Event> {
    serde_json::from_value(list).unwrap()
}

fn message(role: &str, text: &str) -> Value {
    json!({"type": "message", "message": {"role": role, "content": text}})
}

#[allow(clippy::needless_pass_by_value, reason = "made in place")]
fn call(tool: &str, arguments: Value) -> Value {
    json!({"type": "message", "message": {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "secret plans"},
        {"type": "toolCall", "id": "c", "name": tool, "arguments": arguments}
    ]}})
}

#[allow(clippy::needless_pass_by_value, reason = "made in place")]
fn world(gmail: Value, tasks: Value) -> WorldSnapshot {
    serde_json::from_value(json!({
        "schema": "proctor.world/1",
        "clock": "2026-01-01T00:00:00Z",
        "account": {"email": "ada@example.com", "name": "Ada", "time_zone": "UTC"},
        "gmail": {"history_id": 1, "labels": [
            {"id": "Label_1", "name": "Urgent", "type": "user"}
        ], "messages": gmail, "drafts": []},
        "tasks": {"lists": [
            {"id": "l", "title": "Home", "updated": "x", "tasks": tasks}
        ]},
    }))
    .unwrap()
}

fn mail(id: &str, subject: &str, labels: &[&str]) -> Value {
    json!({
        "id": id, "thread_id": id, "label_ids": labels, "internal_date_ms": 0, "seeded": true,
        "bytes": 1, "sha256": "", "headers": [], "from": "bob@example.com",
        "to": ["ada@example.com"], "cc": [], "bcc": [], "subject": subject,
        "text": "First line\nSecond line\n"
    })
}

fn task(id: &str, title: &str, status: &str, updated: &str) -> Value {
    json!({
        "id": id, "title": title, "status": status, "position": updated, "updated": updated,
        "seeded": true
    })
}

fn shown(evidence: &Evidence<'_>) -> Vec<(String, String, String)> {
    let exhibits = exhibits(evidence, &EvidenceLimits::default());
    let of = |one: &Exhibit| {
        (
            one.title.clone(),
            one.citation.to_string(),
            one.text.clone(),
        )
    };
    exhibits.iter().map(of).collect()
}

fn expect(found: &[(String, String, String)], expected: &[(&str, &str, &str)]) {
    let found: Vec<_> = found
        .iter()
        .map(|(title, citation, text)| (title.as_str(), citation.as_str(), text.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_transcript_is_told_by_prompt_last_message_and_steps() {
    let transcript = events(json!([
        message("system", "You are an agent."),
        message("user", "Tidy up.\nThen report."),
        call("bash", json!({"command": "ls\n-la"})),
        {"type": "message", "message": {"role": "toolResult", "content": "no such file",
            "toolCallId": "c", "toolName": "bash", "details": {"exitCode": 2}}},
        message("assistant", "I looked."),
        call("read", json!({"path": "a.md"})),
        {"type": "message", "message": {"role": "toolResult", "content": "", "toolName": "read"}},
        {"type": "raw", "data": 1},
        message("assistant", "Done:\n- all tidy"),
        message("assistant", "  "),
    ]));
    let evidence = Evidence {
        transcript: &transcript,
        ..Evidence::default()
    };
    expect(
        &shown(&evidence),
        &[
            (
                "What the agent was asked to do",
                "transcript:2",
                "Tidy up.\nThen report.",
            ),
            (
                "The agent's last message",
                "transcript:9",
                "Done:\n- all tidy",
            ),
            (
                "Steps 3 to 9 of the agent, in short",
                "transcript:3",
                "3. calls bash: ls -la\n\
                 4. bash answers (exit code 2): no such file\n\
                 5. says: I looked.\n\
                 6. calls read: {\"path\":\"a.md\"}\n\
                 7. read answers: (nothing)\n\
                 9. says: Done: - all tidy\n",
            ),
        ],
    );
}

#[test]
fn of_a_long_run_the_beginning_and_the_end_are_shown() {
    let mut list = vec![message("user", "Count.")];
    list.extend((0..1_000).map(|n| call("bash", json!({"command": format!("echo {n}")}))));
    let transcript = events(Value::Array(list));
    let steps = steps::steps(&transcript, &EvidenceLimits::default().steps);
    let titles: Vec<_> = steps.iter().map(|step| step.title.as_str()).collect();
    assert_eq!(titles.len(), 11);
    assert_eq!(titles[0], "Steps 2 to 21 of the agent, in short");
    assert_eq!(titles[3], "Steps 62 to 861");
    assert_eq!(titles[10], "Steps 982 to 1001 of the agent, in short");
    assert_eq!(
        steps[3].text,
        "(Steps 62 to 861 are left out for their length.)"
    );
    // A step of a megabyte takes no more than its share.
    let huge = call(
        "write",
        json!({"path": "a", "content": "x".repeat(1_000_000)}),
    );
    let transcript = events(json!([huge]));
    let steps = super::steps::steps(&transcript, &EvidenceLimits::default().steps);
    assert!(steps[0].text.len() < 500, "{}", steps[0].text.len());
}

#[test]
fn of_the_world_only_what_changed_is_shown() {
    let before = world(
        json!([mail("1", "Hello", &[]), mail("2", "Old", &[])]),
        json!([
            task("a", "Buy milk", "needsAction", "1"),
            task("b", "Sleep", "needsAction", "1")
        ]),
    );
    let after = world(
        json!([mail("1", "Hello", &["Label_1"]), mail("3", "New", &[])]),
        // Of the second only what a machine reads is another.
        json!([
            task("a", "Buy milk", "completed", "2"),
            task("b", "Sleep", "needsAction", "2")
        ]),
    );
    let evidence = Evidence {
        before: Some(&before),
        after: Some(&after),
        ..Evidence::default()
    };
    let mail = "From: bob@example.com\nTo: ada@example.com\nSubject: ";
    let text = "Text:\nFirst line\nSecond line\n";
    expect(
        &shown(&evidence),
        &[
            (
                "Changed in the world: gmail.message \"Hello\"",
                "after:gmail.message/1",
                &format!("{mail}Hello\nLabels (new): Urgent\n{text}"),
            ),
            (
                "New in the world: gmail.message \"New\"",
                "after:gmail.message/3",
                &format!("{mail}New\n{text}"),
            ),
            (
                "Changed in the world: tasks.task \"Buy milk\"",
                "after:tasks.task/a",
                "List: Home\nTitle: Buy milk\nStatus (now): completed\nStatus (before): to do\n",
            ),
            (
                "Gone in the world: gmail.message \"Old\"",
                "before:gmail.message/2",
                &format!("{mail}Old\n{text}"),
            ),
        ],
    );
    let nothing = Evidence {
        before: Some(&before),
        after: Some(&before),
        ..Evidence::default()
    };
    assert!(shown(&nothing).is_empty());
}

#[test]
fn objects_of_services_that_nobody_knows_are_found_by_their_id() {
    let with = |events: Value| {
        let mut world = world(json!([]), json!([]));
        let calendar = json!({"calendars": [{"events": events}]});
        world.other.insert("calendar".to_owned(), calendar);
        world
    };
    let before = with(json!([{"id": 7, "summary": "Lunch", "at": "12:00"}]));
    let after = with(json!([
        {"id": 7, "summary": "Lunch", "at": "13:00", "note": null},
        {"id": "x", "summary": "Tea", "guests": ["bob"]}
    ]));
    let evidence = Evidence {
        before: Some(&before),
        after: Some(&after),
        ..Evidence::default()
    };
    expect(
        &shown(&evidence),
        &[
            (
                "Changed in the world: calendar \"Lunch\"",
                "after:calendar/7",
                "id: 7\nsummary: Lunch\nat (now): 13:00\nat (before): 12:00\n",
            ),
            (
                "New in the world: calendar \"Tea\"",
                "after:calendar/x",
                "id: x\nsummary: Tea\nguests: [\"bob\"]\n",
            ),
        ],
    );
}

#[test]
fn repositories_and_pages_are_told_in_words() {
    let snapshot = |extra: bool| -> WorldSnapshot {
        let mut world = world(json!([]), json!([]));
        let pulls = json!([{
            "number": 3, "title": "Fix it", "body": "Because.", "user": "ada", "state": "closed",
            "merged": true, "head": {"ref": "fix", "sha": "2"}, "base": {"ref": "main", "sha": "1"},
            "files": [{"filename": "a.py", "status": "added", "additions": 1, "deletions": 0, "patch": "@@\n+x = 1"}],
            "reviews": [{"id": 1, "user": "bob", "state": "APPROVED", "body": "Good", "seeded": false}],
            "comments": [{"id": 2, "user": "bob", "body": "Thanks", "created_at": "", "seeded": false}],
            "created_at": "", "updated_at": "", "seeded": false
        }]);
        world.github = serde_json::from_value(json!({"repositories": [{
            "full_name": "acme/x", "default_branch": "main", "seeded": true,
            "pull_requests": if extra { pulls } else { json!([]) },
        }]}))
        .unwrap();
        world.notion = serde_json::from_value(json!({"pages": [{
            "id": "p", "path": ["Team", "Plan"], "title": "Plan", "seeded": true,
            "properties": {"Status": {"type": "status", "text": if extra { "Done" } else { "Open" }}},
            "markdown": "# Plan", "last_edited_time": extra.to_string(),
        }]}))
        .unwrap();
        world
    };
    let (before, after) = (snapshot(false), snapshot(true));
    let evidence = Evidence {
        before: Some(&before),
        after: Some(&after),
        ..Evidence::default()
    };
    expect(
        &shown(&evidence),
        &[
            (
                "New in the world: github.pull_request \"acme/x#3 Fix it\"",
                "after:github.pull_request/acme/x#3",
                "Title: Fix it\nBy: ada\nState: merged\nFrom: fix\nInto: main\nBody: \
                 Because.\nReviews: bob APPROVED: Good\nComments: bob: Thanks\nFiles:\na.py (+1 \
                 -0)\n@@\n+x = 1\n",
            ),
            (
                "Changed in the world: notion.page \"Plan\"",
                "after:notion.page/p",
                "Path: Team / Plan\nProperty Status (now): Done\nProperty Status (before): \
                 Open\nText: # Plan\n",
            ),
        ],
    );
}

#[test]
fn files_of_the_agent_come_before_those_that_it_was_given() {
    let file = |path, content: &'static [u8], untouched| File {
        path,
        content,
        bytes: content.len() as u64,
        untouched,
    };
    let long = File {
        bytes: 5_000,
        ..file(
            "c.md",
            "cut off: ä".as_bytes().split_last().unwrap().1,
            false,
        )
    };
    let files = [
        file("z.csv", b"1,2", true),
        long,
        file("b.bin", b"\0\x01", false),
        file("a.md", b"# Notes", false),
    ];
    let evidence = Evidence {
        files: &files,
        ..Evidence::default()
    };
    expect(
        &shown(&evidence),
        &[
            ("File a.md (7 bytes)", "workspace:a.md", "# Notes"),
            (
                "File b.bin (2 bytes)",
                "workspace:b.bin",
                "(This file is no text.)",
            ),
            (
                "File c.md (5000 bytes)",
                "workspace:c.md",
                "cut off: \n[... 4990 bytes left out ...]",
            ),
            (
                "File z.csv (3 bytes, as it was given)",
                "workspace:z.csv",
                "1,2",
            ),
        ],
    );
}

#[test]
fn what_does_not_fit_is_named_and_the_order_of_files_does_not_matter() {
    let names: Vec<String> = (0..200).map(|n| format!("file-{n:03}.txt")).collect();
    let content = "x".repeat(10_000);
    let mut files: Vec<File<'_>> = names
        .iter()
        .map(|path| File {
            path,
            content: content.as_bytes(),
            bytes: 10_000,
            untouched: false,
        })
        .collect();
    let of = |files: &[File<'_>]| {
        let evidence = Evidence {
            files,
            ..Evidence::default()
        };
        exhibits(&evidence, &EvidenceLimits::default())
    };
    let first = of(&files);
    // 64 KiB are six files of 10,000 bytes.
    assert_eq!(first.len(), 7);
    assert_eq!(first[6].title, "Files that are left out, by name: 194");
    assert_eq!(first[6].citation.to_string(), "workspace:file-006.txt");
    assert!(
        first[6]
            .text
            .starts_with("- File file-006.txt (10000 bytes)\n")
    );
    files.reverse();
    assert_eq!(of(&files), first);
}

#[test]
fn probes_that_ran_are_shown() {
    let probe = |name: &str, end| Probe {
        name: name.to_owned(),
        run: "x".to_owned(),
        timeout_seconds: 1,
        end,
        stdout: "3 passed\n".to_owned(),
        stderr: "a warning".to_owned(),
        stdout_bytes: 9,
        stderr_bytes: 9,
        stdout_truncated: false,
        stderr_truncated: false,
    };
    let reason = "gone".to_owned();
    let probes = Probes::new(vec![
        probe("unit-tests", ProbeEnd::Exited { exit_code: 0 }),
        probe("lint", ProbeEnd::NotRun { reason }),
    ]);
    let evidence = Evidence {
        probes: Some(&probes),
        ..Evidence::default()
    };
    expect(
        &shown(&evidence),
        &[(
            "Output of the probe unit-tests (exit code 0)",
            "probe:unit-tests",
            "3 passed\n\nStandard error:\na warning",
        )],
    );
}
