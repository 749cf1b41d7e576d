//! What a task and an error look like.

use serde_json::{Value, json};

use super::{TASKS, insert};
use crate::google::tests::{ask, problem, world};

#[test]
fn a_task_looks_like_googles() {
    let mut world = world();
    let (status, task) = ask(
        &mut world,
        "POST",
        TASKS,
        json!({
            "title": "Buy milk", "notes": "2 l", "due": "2026-03-05T23:30:00.000Z",
        }),
    );
    assert_eq!(status, 200);
    let id = task["id"].as_str().unwrap();
    let list = world.snapshot().tasks.unwrap().lists[0].id.clone();
    assert_eq!(id.len(), 22);
    let decoded = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, id);
    let name = String::from_utf8(decoded.unwrap()).unwrap();
    let etag = task["etag"].as_str().unwrap();
    assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 4);
    let members: Vec<&String> = task.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "kind",
            "id",
            "etag",
            "title",
            "updated",
            "selfLink",
            "position",
            "notes",
            "status",
            "due",
            "links",
            "webViewLink",
        ]
    );
    assert_eq!(
        task,
        json!({
            "kind": "tasks#task",
            "id": id,
            "etag": etag,
            "title": "Buy milk",
            "updated": "2026-03-02T09:00:01.000Z",
            "selfLink": format!("https://www.googleapis.com/tasks/v1/lists/{list}/tasks/{id}"),
            "position": "00000000000000000000",
            "notes": "2 l",
            "status": "needsAction",
            "due": "2026-03-05T00:00:00.000Z",
            "links": [],
            "webViewLink": format!("https://tasks.google.com/task/{name}?sa=6"),
        })
    );
    assert_eq!(
        ask(&mut world, "GET", &format!("{TASKS}/{id}"), Value::Null),
        (200, task)
    );
}

#[test]
fn unknown_names_are_404() {
    let mut world = world();
    let id = insert(&mut world, "", json!({}));
    for (method, target, json, message) in [
        (
            "GET",
            "/tasks/v1/lists/nope/tasks".to_owned(),
            Value::Null,
            "Task list not found.",
        ),
        (
            "POST",
            "/tasks/v1/lists/nope/tasks".to_owned(),
            json!({}),
            "Task list not found.",
        ),
        (
            "POST",
            "/tasks/v1/lists/nope/clear".to_owned(),
            Value::Null,
            "Task list not found.",
        ),
        (
            "GET",
            format!("/tasks/v1/lists/nope/tasks/{id}"),
            Value::Null,
            "Task list not found.",
        ),
        (
            "GET",
            format!("{TASKS}/nope"),
            Value::Null,
            "Task not found.",
        ),
        (
            "PATCH",
            format!("{TASKS}/nope"),
            json!({"title": "x"}),
            "Task not found.",
        ),
        (
            "PUT",
            format!("{TASKS}/nope"),
            json!({"title": "x"}),
            "Task not found.",
        ),
        (
            "DELETE",
            format!("{TASKS}/nope"),
            Value::Null,
            "Task not found.",
        ),
        (
            "POST",
            format!("{TASKS}/nope/move"),
            Value::Null,
            "Task not found.",
        ),
    ] {
        let (status, error) = ask(&mut world, method, &target, json);
        assert_eq!(
            (status, problem(&error)),
            (404, (message, "notFound")),
            "{method} {target}"
        );
    }
}
