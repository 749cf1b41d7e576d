//! Completing, clearing, deleting, updating.

use proctor_types::journal::Change;
use serde_json::{Value, json};

use super::{TASKS, insert, list, patch, titles};
use crate::google::tests::{ask, body, problem, request, send, with, world};

#[test]
fn completing_and_the_way_back() {
    let mut world = world();
    let id = insert(&mut world, "", json!({"title": "t"}));
    let done = patch(&mut world, &id, &json!({"status": "completed"}));
    assert_eq!(done.changed[0].fields, ["status", "completed"]);
    assert_eq!(
        done.changed[0].parent,
        Some(world.snapshot().tasks.unwrap().lists[0].id.clone())
    );
    let task: Value = serde_json::from_slice(&done.body).unwrap();
    assert_eq!(task["completed"], "2026-03-02T09:00:02.000Z");
    // Once more: accepted, and no field has another value.
    let again = patch(&mut world, &id, &json!({"status": "completed"}));
    assert_eq!(again.status, 200);
    assert_eq!(
        (again.changed[0].change, again.changed[0].fields.len()),
        (Some(Change::Updated), 0)
    );
    let (_, task) = ask(&mut world, "GET", &format!("{TASKS}/{id}"), Value::Null);
    assert_eq!(task["completed"], "2026-03-02T09:00:02.000Z");

    assert_eq!(
        send(
            &mut world,
            &request("POST", "/tasks/v1/lists/@default/clear")
        )
        .changed[0]
            .fields,
        ["hidden"]
    );
    let undone = patch(&mut world, &id, &json!({"status": "needsAction"}));
    assert_eq!(undone.changed[0].fields, ["status", "completed", "hidden"]);
    let task: Value = serde_json::from_slice(&undone.body).unwrap();
    assert!(task.get("completed").is_none() && task.get("hidden").is_none());
    let own = patch(
        &mut world,
        &id,
        &json!({"status": "completed", "completed": "2026-01-02T03:04:05Z"}),
    );
    let task: Value = serde_json::from_slice(&own.body).unwrap();
    assert_eq!(task["completed"], "2026-01-02T03:04:05.000Z");
}

#[test]
fn clear_hides_what_is_completed() {
    let mut world = world();
    let open = insert(&mut world, "", json!({"title": "open"}));
    let done = insert(
        &mut world,
        "",
        json!({"title": "done", "status": "completed"}),
    );
    assert_eq!(list(&mut world, "").len(), 2);
    assert_eq!(titles(&list(&mut world, "?showCompleted=false")), ["open"]);
    let answer = send(
        &mut world,
        &request("POST", "/tasks/v1/lists/@default/clear"),
    );
    assert_eq!(
        (answer.status, answer.body.len(), answer.changed.len()),
        (204, 0, 1)
    );
    assert_eq!(answer.changed[0].id, done);
    assert_eq!(titles(&list(&mut world, "")), ["open"]);
    let all = list(&mut world, "?showHidden=true");
    assert_eq!(all.len(), 2);
    let hidden = all.iter().find(|task| task["id"] == done.as_str()).unwrap();
    assert_eq!(hidden["hidden"], true);
    // The position of a hidden task counts down with its completion.
    let completed = "2026-03-02T09:00:02Z"
        .parse::<jiff::Timestamp>()
        .unwrap()
        .as_millisecond();
    let position = 9_999_999_999_999_999_999_u64 - u64::try_from(completed).unwrap();
    assert_eq!(hidden["position"], format!("{position:020}"));
    assert_eq!(
        titles(&list(&mut world, "?showHidden=true&showCompleted=false")),
        ["open"]
    );
    let again = send(
        &mut world,
        &request("POST", "/tasks/v1/lists/@default/clear"),
    );
    assert_eq!((again.status, again.changed.len()), (204, 0));
    let _ = open;
}

#[test]
fn deleting_marks_and_takes_along_what_is_below() {
    let mut world = world();
    let parent = insert(&mut world, "", json!({"title": "parent"}));
    let child = insert(
        &mut world,
        &format!("?parent={parent}"),
        json!({"title": "child"}),
    );
    let grandchild = insert(
        &mut world,
        &format!("?parent={child}"),
        json!({"title": "grandchild"}),
    );
    let answer = send(&mut world, &request("DELETE", &format!("{TASKS}/{parent}")));
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    let gone: Vec<&str> = answer
        .changed
        .iter()
        .map(|touch| touch.id.as_str())
        .collect();
    assert_eq!(gone, [&parent, &child, &grandchild]);
    assert!(
        answer
            .changed
            .iter()
            .all(|touch| touch.change == Some(Change::Deleted))
    );
    assert_eq!(list(&mut world, "").len(), 0);
    assert_eq!(list(&mut world, "?showDeleted=true").len(), 3);
    let (status, task) = ask(&mut world, "GET", &format!("{TASKS}/{parent}"), Value::Null);
    assert_eq!((status, &task["deleted"]), (200, &json!(true)));
    let again = send(&mut world, &request("DELETE", &format!("{TASKS}/{parent}")));
    assert_eq!((again.status, again.changed.len()), (204, 0));
    assert_eq!(
        ask(
            &mut world,
            "POST",
            &format!("{TASKS}?parent={parent}"),
            json!({})
        )
        .0,
        400
    );
    let back = patch(&mut world, &parent, &json!({"deleted": false}));
    assert_eq!(back.changed[0].fields, ["deleted"]);
    assert_eq!(titles(&list(&mut world, "")), ["parent"]);
}

#[test]
fn put_replaces_and_patch_changes() {
    let mut world = world();
    let id = insert(
        &mut world,
        "",
        json!({"title": "t", "notes": "n", "due": "2026-03-05T00:00:00Z"}),
    );
    let target = format!("{TASKS}/{id}");
    let (status, error) = ask(&mut world, "PUT", &target, json!({"title": "x"}));
    assert_eq!(
        (status, problem(&error)),
        (400, ("Missing task ID", "required"))
    );
    assert_eq!(
        ask(
            &mut world,
            "PUT",
            &target,
            json!({"id": "other", "title": "x"})
        )
        .0,
        400
    );
    let (_, task) = ask(&mut world, "PATCH", &target, json!({"notes": "m"}));
    assert_eq!((&task["title"], &task["notes"]), (&json!("t"), &json!("m")));
    assert_eq!(task["due"], "2026-03-05T00:00:00.000Z");
    let nothing = patch(&mut world, &id, &json!({}));
    assert_eq!((nothing.status, nothing.changed[0].fields.len()), (200, 0));
    let (_, task) = ask(
        &mut world,
        "PATCH",
        &target,
        json!({"due": null, "notes": null}),
    );
    assert!(task.get("due").is_none() && task.get("notes").is_none());
    ask(
        &mut world,
        "PATCH",
        &target,
        json!({"notes": "m", "status": "completed"}),
    );
    // What clients got they send back, read-only members included.
    let (_, mut task) = ask(&mut world, "GET", &target, Value::Null);
    task["title"] = json!("new");
    let (status, put) = ask(&mut world, "PUT", &target, task.clone());
    assert_eq!(
        (status, &put["title"], &put["completed"]),
        (200, &json!("new"), &task["completed"])
    );
    let (_, bare) = ask(&mut world, "PUT", &target, json!({"id": id}));
    assert_eq!(
        (&bare["title"], &bare["status"]),
        (&json!(""), &json!("needsAction"))
    );
    assert!(bare.get("notes").is_none() && bare.get("completed").is_none());
}

#[test]
fn values_have_limits() {
    let mut world = world();
    let id = insert(
        &mut world,
        "",
        json!({"title": "é".repeat(1024), "notes": "é".repeat(8192)}),
    );
    for bad in [
        json!({"title": "x".repeat(1025)}),
        json!({"notes": "x".repeat(8193)}),
        json!({"due": "tomorrow"}),
        json!({"due": "2026-03-05"}),
        json!({"due": ""}),
        json!({"status": "done"}),
        json!({"status": ""}),
        json!({"completed": "yesterday"}),
    ] {
        let (status, error) = ask(&mut world, "POST", TASKS, bad.clone());
        assert_eq!(
            (status, problem(&error)),
            (400, ("Invalid Value", "invalid"))
        );
        assert_eq!(
            ask(&mut world, "PATCH", &format!("{TASKS}/{id}"), bad).0,
            400
        );
    }
    for bad in [
        json!({"title": 5}),
        json!({"nope": 1}),
        json!([]),
        json!("x"),
    ] {
        assert_eq!(ask(&mut world, "POST", TASKS, bad).0, 400);
    }
    assert_eq!(list(&mut world, "").len(), 1);
    // The day is the one in UTC.
    let (_, task) = ask(
        &mut world,
        "POST",
        TASKS,
        json!({"due": "2026-03-05T22:00:00-05:00"}),
    );
    assert_eq!(task["due"], "2026-03-06T00:00:00.000Z");
}

#[test]
fn versions_are_guarded() {
    let mut world = world();
    let id = insert(&mut world, "", json!({"title": "t"}));
    let target = format!("{TASKS}/{id}");
    let first = send(&mut world, &request("GET", &target));
    let etag = first.headers["etag"].to_str().unwrap().to_owned();
    let change = |etag: &str, title: &str| {
        let json = json!({ "title": title }).to_string();
        with(
            body(request("PATCH", &target), "application/json", json),
            "if-match",
            etag,
        )
    };
    let accepted = send(&mut world, &change(&etag, "x"));
    assert_eq!(accepted.status, 200);
    assert_ne!(accepted.headers["etag"], etag.as_str());
    let refused = send(&mut world, &change(&etag, "y"));
    assert_eq!((refused.status, refused.changed.len()), (412, 0));
    assert_eq!(send(&mut world, &change("*", "z")).status, 200);
    assert_eq!(
        send(
            &mut world,
            &with(request("DELETE", &target), "if-match", &etag)
        )
        .status,
        412
    );
    let known = with(request("GET", TASKS), "if-none-match", "\"x\"");
    assert_eq!(send(&mut world, &known).status, 200);
}
