//! What a listing returns.

use proctor_types::journal::View;
use serde_json::{Value, json};

use super::{TASKS, insert, list, patch, titles};
use crate::google::tests::{ask, problem, request, send, world};

#[test]
fn bounds_filter() {
    let mut world = world();
    for day in ["15", "16", "17"] {
        insert(
            &mut world,
            "",
            json!({"title": day, "due": format!("2025-10-{day}T00:00:00Z")}),
        );
    }
    insert(&mut world, "", json!({"title": "none"}));
    let mut due = |query: &str| {
        let mut tasks = list(&mut world, query);
        tasks.sort_by_key(|task| task["title"].as_str().unwrap().to_owned());
        titles(&tasks).join(" ")
    };
    assert_eq!(due("?dueMax=2025-10-16T23:59:59Z"), "15");
    assert_eq!(due("?dueMax=2025-10-17T00:00:00Z"), "15 16");
    assert_eq!(due("?dueMin=2025-10-16T23:59:59Z"), "16 17");
    assert_eq!(
        due("?dueMin=2025-10-16T00:00:00Z&dueMax=2025-10-17T00:00:00Z"),
        "16"
    );
    assert_eq!(due("?dueMin=2025-10-16T00:00:00-23:00"), "16 17");
    assert_eq!(due("?updatedMin=2026-03-02T09:00:04Z"), "none");
    assert_eq!(due("?showAssigned=true"), "15 16 17 none");
    for name in [
        "dueMin",
        "dueMax",
        "completedMin",
        "completedMax",
        "updatedMin",
    ] {
        for text in ["tomorrow", "2025-10-16", "", "2025-10-16T00:00:00"] {
            let target = format!("{TASKS}?{name}={text}");
            let (status, error) = ask(&mut world, "GET", &target, Value::Null);
            assert_eq!((status, problem(&error).1), (400, "invalid"), "{target}");
            assert_eq!(error["error"]["errors"][0]["location"], name);
        }
    }
}

#[test]
fn completion_filters() {
    let mut world = world();
    for (title, completed) in [("a", "2026-01-01T00:00:00Z"), ("b", "2026-02-01T00:00:00Z")] {
        insert(
            &mut world,
            "",
            json!({"title": title, "status": "completed", "completed": completed}),
        );
    }
    insert(&mut world, "", json!({"title": "open"}));
    assert_eq!(
        titles(&list(&mut world, "?completedMin=2026-01-15T00:00:00Z")),
        ["b"]
    );
    assert_eq!(
        titles(&list(&mut world, "?completedMax=2026-01-15T00:00:00Z")),
        ["a"]
    );
}

#[test]
fn pages_follow_each_other_even_when_tasks_change_in_between() {
    let mut world = world();
    let ids: Vec<String> = (0..45)
        .map(|n| insert(&mut world, "", json!({"title": format!("{n:02}")})))
        .collect();
    let (_, first) = ask(&mut world, "GET", TASKS, Value::Null);
    assert_eq!(first["items"].as_array().unwrap().len(), 20);
    // The last changed first: that is how Google lists them.
    assert_eq!(first["items"][0]["title"], "44");
    let token = first["nextPageToken"].as_str().unwrap();
    patch(&mut world, &ids[44], &json!({"notes": "n"}));
    insert(&mut world, "", json!({"title": "new"}));
    let (_, second) = ask(
        &mut world,
        "GET",
        &format!("{TASKS}?pageToken={token}"),
        Value::Null,
    );
    assert_eq!(second["items"][0]["title"], "24");
    let token = second["nextPageToken"].as_str().unwrap();
    let (_, last) = ask(
        &mut world,
        "GET",
        &format!("{TASKS}?pageToken={token}"),
        Value::Null,
    );
    assert_eq!(last["items"].as_array().unwrap().len(), 5);
    assert!(last.get("nextPageToken").is_none());
    assert_eq!(list(&mut world, "?maxResults=1000").len(), 46);
    for query in [
        "?pageToken=nonsense",
        "?pageToken=AA",
        "?maxResults=-1",
        "?maxResults=x",
    ] {
        assert_eq!(
            ask(&mut world, "GET", &format!("{TASKS}{query}"), Value::Null).0,
            400,
            "{query}"
        );
    }
    assert_eq!(list(&mut world, "?maxResults=0").len(), 20);
}

#[test]
fn an_empty_page_has_no_items() {
    let (_, page) = ask(&mut world(), "GET", TASKS, Value::Null);
    assert_eq!(
        page.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["kind", "etag"]
    );
}

#[test]
fn a_listing_reads_every_task_it_returns() {
    let mut world = world();
    let one = insert(&mut world, "", json!({"title": "one"}));
    let two = insert(&mut world, "", json!({"title": "two"}));
    let list_id = world.snapshot().tasks.unwrap().lists[0].id.clone();
    let answer = send(&mut world, &request("GET", TASKS));
    let read: Vec<_> = answer
        .read
        .iter()
        .map(|it| (it.kind.as_str(), it.id.as_str(), it.view))
        .collect();
    assert_eq!(
        read,
        [
            ("tasks.task", two.as_str(), Some(View::Full)),
            ("tasks.task", one.as_str(), Some(View::Full))
        ]
    );
    assert_eq!(answer.read[0].parent.as_deref(), Some(list_id.as_str()));
    for (fields, view) in [
        ("items/title", View::Full),
        ("items(id,status)", View::Summary),
        ("items(selfLink,updated)", View::Summary),
        ("items/id", View::Reference),
        ("items(webViewLink,etag)", View::Reference),
    ] {
        let answer = send(
            &mut world,
            &request("GET", &format!("{TASKS}?fields={fields}")),
        );
        assert!(
            answer.read.len() == 2 && answer.read.iter().all(|it| it.view == Some(view)),
            "{fields}"
        );
    }
    // What does not say which task it is about is about none.
    for fields in [
        "nextPageToken",
        "items(status)",
        "items(status,due,updated)",
        "items(kind,etag,position)",
    ] {
        let masked = request("GET", &format!("{TASKS}?fields={fields}"));
        assert_eq!(send(&mut world, &masked).read, [], "{fields}");
    }
    // Where the request names the task, the answer need not.
    for (fields, view) in [
        ("title", Some(View::Full)),
        ("status", Some(View::Summary)),
        ("etag", Some(View::Reference)),
        ("notes", None),
    ] {
        let masked = request("GET", &format!("{TASKS}/{one}?fields={fields}"));
        let read = send(&mut world, &masked).read;
        assert_eq!(read.first().and_then(|it| it.view), view, "{fields}");
        assert_eq!(read.len(), usize::from(view.is_some()), "{fields}");
    }
    let answer = send(
        &mut world,
        &request("GET", &format!("{TASKS}?maxResults=1")),
    );
    assert_eq!(answer.read.len(), 1);
}
