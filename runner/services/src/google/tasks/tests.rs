//! Tasks as clients see them.

use proctor_types::journal::{Change, View};
use serde_json::{Value, json};

use crate::google::tests::{ask, body, problem, request, send, with, world};
use crate::service::Answer;
use crate::world::{SeedContext, SeedDir, World};

const LISTS: &str = "/tasks/v1/users/@me/lists";
const TASKS: &str = "/tasks/v1/lists/@default/tasks";

fn insert(world: &mut World, query: &str, json: Value) -> String {
    let (status, task) = ask(world, "POST", &format!("{TASKS}{query}"), json);
    assert_eq!(status, 200, "{task}");
    task["id"].as_str().unwrap().to_owned()
}

fn list(world: &mut World, query: &str) -> Vec<Value> {
    let (status, page) = ask(world, "GET", &format!("{TASKS}{query}"), Value::Null);
    assert_eq!(status, 200, "{page}");
    page["items"].as_array().cloned().unwrap_or_default()
}

/// Titles of the default list's tasks with a parent, in order of position.
fn order(world: &mut World, parent: Option<&str>) -> Vec<String> {
    let mut tasks = list(world, "?maxResults=100&showHidden=true");
    tasks.retain(|task| task.get("parent").and_then(Value::as_str) == parent);
    tasks.sort_by_key(|task| task["position"].as_str().unwrap().to_owned());
    tasks
        .iter()
        .map(|task| task["title"].as_str().unwrap().to_owned())
        .collect()
}

fn titles(tasks: &[Value]) -> Vec<&str> {
    tasks
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect()
}

fn patch(world: &mut World, id: &str, json: &Value) -> Answer {
    let target = format!("{TASKS}/{id}");
    send(
        world,
        &body(
            request("PATCH", &target),
            "application/json",
            json.to_string(),
        ),
    )
}

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
fn lists_come_and_go() {
    let mut world = world();
    let (_, page) = ask(&mut world, "GET", LISTS, Value::Null);
    assert_eq!(page["kind"], "tasks#taskLists");
    let default = page["items"][0].clone();
    assert_eq!(
        (default["kind"].as_str(), default["title"].as_str()),
        (Some("tasks#taskList"), Some("My Tasks"))
    );
    assert_eq!(
        ask(&mut world, "GET", &format!("{LISTS}/@default"), Value::Null).1,
        default
    );

    let made = send(
        &mut world,
        &body(
            request("POST", LISTS),
            "application/json",
            r#"{"title":"Work"}"#,
        ),
    );
    assert_eq!(made.changed[0].change, Some(Change::Created));
    assert_eq!(made.changed[0].kind, "tasks.tasklist");
    let id = made.changed[0].id.clone();
    let one = format!("{LISTS}/{id}");
    let (_, renamed) = ask(&mut world, "PATCH", &one, json!({"title": "Play"}));
    assert_eq!(renamed["title"], "Play");
    let same = send(
        &mut world,
        &body(
            request("PATCH", &one),
            "application/json",
            r#"{"title":"Play"}"#,
        ),
    );
    assert_eq!(same.status, 200);
    assert_eq!(
        (same.changed[0].change, same.changed[0].fields.len()),
        (Some(Change::Updated), 0)
    );
    assert_eq!(ask(&mut world, "PUT", &one, json!({"title": "x"})).0, 400);
    assert_eq!(
        ask(
            &mut world,
            "PUT",
            &one,
            json!({"id": "other", "title": "x"})
        )
        .0,
        400
    );
    assert_eq!(
        ask(&mut world, "PUT", &one, json!({"id": id})).1["title"],
        ""
    );
    // An empty name is one like another; too long a one is not.
    assert_eq!(ask(&mut world, "POST", LISTS, Value::Null).0, 200);
    assert_eq!(
        ask(
            &mut world,
            "POST",
            LISTS,
            json!({"title": "x".repeat(1025)})
        )
        .0,
        400
    );

    let gone = send(&mut world, &request("DELETE", &one));
    assert_eq!((gone.status, gone.body.len()), (204, 0));
    assert!(!gone.headers.contains_key("content-type"));
    assert_eq!(ask(&mut world, "GET", &one, Value::Null).0, 404);
    let (status, error) = ask(
        &mut world,
        "DELETE",
        &format!("{LISTS}/@default"),
        Value::Null,
    );
    assert_eq!(
        (status, problem(&error)),
        (400, ("Invalid Value", "invalid"))
    );
}

#[test]
fn pages_of_lists_follow_each_other() {
    let mut world = world();
    for n in 0..5 {
        ask(
            &mut world,
            "POST",
            LISTS,
            json!({"title": format!("list {n}")}),
        );
    }
    let mut seen = Vec::new();
    let mut target = format!("{LISTS}?maxResults=4");
    loop {
        let (_, page) = ask(&mut world, "GET", &target, Value::Null);
        seen.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["title"].as_str().unwrap().to_owned()),
        );
        match page["nextPageToken"].as_str() {
            Some(token) => target = format!("{LISTS}?maxResults=4&pageToken={token}"),
            None => break,
        }
    }
    assert_eq!(
        seen,
        ["My Tasks", "list 0", "list 1", "list 2", "list 3", "list 4"]
    );
    assert_eq!(
        ask(
            &mut world,
            "GET",
            &format!("{LISTS}?pageToken=nonsense"),
            Value::Null
        )
        .0,
        400
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

#[test]
fn new_tasks_come_first_unless_they_follow_another() {
    let mut world = world();
    let one = insert(&mut world, "", json!({"title": "one"}));
    insert(&mut world, "", json!({"title": "two"}));
    insert(
        &mut world,
        &format!("?previous={one}"),
        json!({"title": "three"}),
    );
    assert_eq!(order(&mut world, None), ["two", "one", "three"]);
    let child = insert(
        &mut world,
        &format!("?parent={one}"),
        json!({"title": "child"}),
    );
    insert(
        &mut world,
        &format!("?parent={one}&previous={child}"),
        json!({"title": "later"}),
    );
    insert(
        &mut world,
        &format!("?parent={one}"),
        json!({"title": "first"}),
    );
    assert_eq!(order(&mut world, Some(&one)), ["first", "child", "later"]);
    assert_eq!(order(&mut world, None), ["two", "one", "three"]);
    for query in [
        "?parent=nope",
        "?previous=nope",
        &format!("?previous={child}"),
        &format!("?parent={child}&previous={one}"),
    ] {
        let (status, error) = ask(&mut world, "POST", &format!("{TASKS}{query}"), json!({}));
        assert_eq!((status, problem(&error).1), (400, "invalid"), "{query}");
    }
}

#[test]
fn tasks_move() {
    let mut world = world();
    let ids: Vec<String> = ["c", "b", "a"]
        .iter()
        .map(|title| insert(&mut world, "", json!({"title": title})))
        .collect();
    let [c, b, a] = ids.try_into().unwrap();
    let go = |world: &mut World, id: &str, query: &str| {
        send(
            world,
            &request("POST", &format!("{TASKS}/{id}/move{query}")),
        )
    };
    let moved = go(&mut world, &a, &format!("?previous={c}"));
    assert_eq!(moved.changed[0].change, Some(Change::Moved));
    assert_eq!(moved.changed[0].fields, ["position"]);
    assert_eq!(order(&mut world, None), ["b", "c", "a"]);
    go(&mut world, &a, "");
    assert_eq!(order(&mut world, None), ["a", "b", "c"]);
    let moved = go(&mut world, &c, &format!("?parent={a}"));
    assert_eq!(moved.changed[0].fields, ["parent", "position"]);
    assert_eq!(order(&mut world, Some(&a)), ["c"]);
    // Where it stands already: accepted, and nothing is other than it was.
    let still = go(&mut world, &a, "");
    assert_eq!((still.status, still.changed[0].fields.len()), (200, 0));
    for query in [
        format!("{a}/move?parent={a}"),
        format!("{a}/move?parent={c}"),
        format!("{a}/move?previous={a}"),
        format!("{a}/move?previous={c}"),
        format!("{a}/move?parent=nope"),
        format!("{a}/move?destinationTasklist=nope"),
    ] {
        let (status, error) = ask(&mut world, "POST", &format!("{TASKS}/{query}"), Value::Null);
        assert_eq!((status, problem(&error).1), (400, "invalid"), "{query}");
    }
    assert_eq!(order(&mut world, None), ["a", "b"]);
    go(&mut world, &c, &format!("?previous={b}"));
    assert_eq!(order(&mut world, None), ["a", "b", "c"]);
}

#[test]
fn tasks_move_to_another_list_with_what_is_below_them() {
    let mut world = world();
    let (_, other) = ask(&mut world, "POST", LISTS, json!({"title": "Other"}));
    let other = other["id"].as_str().unwrap().to_owned();
    let parent = insert(&mut world, "", json!({"title": "parent"}));
    let child = insert(
        &mut world,
        &format!("?parent={parent}"),
        json!({"title": "child"}),
    );
    insert(&mut world, "", json!({"title": "stays"}));
    let target = format!("{TASKS}/{parent}/move?destinationTasklist={other}");
    let answer = send(&mut world, &request("POST", &target));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.changed[0].parent.as_deref(), Some(other.as_str()));
    assert!(answer.changed[0].fields.contains(&"tasklist".to_owned()));
    assert_eq!(order(&mut world, None), ["stays"]);
    let there = format!("/tasks/v1/lists/{other}/tasks");
    let (_, page) = ask(&mut world, "GET", &there, Value::Null);
    assert_eq!(page["items"].as_array().unwrap().len(), 2);
    let (_, task) = ask(&mut world, "GET", &format!("{there}/{child}"), Value::Null);
    assert_eq!(task["parent"], parent.as_str());
    assert_eq!(
        ask(&mut world, "GET", &format!("{TASKS}/{parent}"), Value::Null).0,
        404
    );
}

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
        ("items/id", View::Reference),
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
    let answer = send(
        &mut world,
        &request("GET", &format!("{TASKS}?fields=nextPageToken")),
    );
    assert!(answer.read.is_empty());
    let answer = send(
        &mut world,
        &request("GET", &format!("{TASKS}?maxResults=1")),
    );
    assert_eq!(answer.read.len(), 1);
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

#[test]
fn the_snapshot_is_in_order_of_position() {
    let mut world = world();
    insert(
        &mut world,
        "",
        json!({"title": "b", "due": "2026-03-05T00:00:00Z"}),
    );
    let parent = insert(&mut world, "", json!({"title": "a", "notes": "n"}));
    insert(
        &mut world,
        &format!("?parent={parent}"),
        json!({"title": "child"}),
    );
    insert(
        &mut world,
        "",
        json!({"title": "done", "status": "completed"}),
    );
    send(
        &mut world,
        &request("POST", "/tasks/v1/lists/@default/clear"),
    );
    let tasks = world.snapshot().tasks.unwrap();
    let list = &tasks.lists[0];
    assert_eq!(
        (list.title.as_str(), list.updated.as_str()),
        ("My Tasks", "2026-03-02T09:00:05.000Z")
    );
    let shown: Vec<_> = list
        .tasks
        .iter()
        .map(|task| (task.title.as_str(), task.hidden))
        .collect();
    assert_eq!(
        shown,
        [("a", false), ("child", false), ("b", false), ("done", true)]
    );
    assert_eq!(
        list.tasks[2].due.as_deref(),
        Some("2026-03-05T00:00:00.000Z")
    );
    assert!(list.tasks.iter().all(|task| !task.seeded));
}

#[test]
fn many_tasks_are_no_trouble() {
    let mut world = world();
    let mut last = insert(&mut world, "", json!({"title": "root"}));
    for _ in 0..300 {
        last = insert(&mut world, &format!("?parent={last}"), json!({}));
    }
    let root = world.snapshot().tasks.unwrap().lists[0].tasks[0].id.clone();
    let answer = send(&mut world, &request("DELETE", &format!("{TASKS}/{root}")));
    assert_eq!(answer.changed.len(), 301);
}

/// The store that a `tasks.json` gives, or the error.
fn seeded(text: &str) -> Result<World, String> {
    let folder = cap_tempfile::tempdir(cap_tempfile::ambient_authority()).unwrap();
    folder.write("tasks.json", text).unwrap();
    let mut world = world();
    let dir = SeedDir::root(&folder).unwrap();
    let mut context = SeedContext {
        dir: Some(&dir),
        account: &world.account,
        people: &[],
        clock: &world.clock,
        ids: &mut world.ids,
    };
    let store = super::TaskStore::seed(&mut context).map_err(|error| error.to_string())?;
    world.google.as_mut().unwrap().tasks = store;
    Ok(world)
}

#[test]
fn a_seed_keeps_its_order() {
    let mut world = seeded(
        r#"{"lists": [
            {"title": "My Tasks", "tasks": [
                {"id": "review", "title": "Review", "notes": "n", "due": "2026-03-05",
                 "tasks": [{"title": "part"}]},
                {"title": "Docs", "status": "completed", "completed": "2026-03-01T12:00:00Z"},
                {"title": "Old", "status": "completed", "hidden": true}
            ]},
            {"id": "work", "title": "Work"}
        ]}"#,
    )
    .unwrap();
    let snapshot = world.snapshot().tasks.unwrap();
    let shown: Vec<&str> = snapshot.lists[0]
        .tasks
        .iter()
        .map(|task| task.title.as_str())
        .collect();
    assert_eq!(shown, ["Review", "part", "Docs", "Old"]);
    assert!(snapshot.lists[0].tasks.iter().all(|task| task.seeded));
    let part = &snapshot.lists[0].tasks[1];
    assert_eq!(part.parent.as_deref(), Some("review"));
    let tasks = list(&mut world, "");
    assert_eq!(titles(&tasks), ["Review", "part", "Docs"]);
    assert_eq!(tasks[0]["due"], "2026-03-05T00:00:00.000Z");
    assert_eq!(tasks[2]["completed"], "2026-03-01T12:00:00.000Z");
    assert_eq!(
        ask(&mut world, "GET", "/tasks/v1/lists/work/tasks", Value::Null).0,
        200
    );
    // Whatever is new comes before it.
    insert(&mut world, "", json!({"title": "new"}));
    assert_eq!(order(&mut world, None)[..2], ["new", "Review"]);
}

#[test]
fn a_seed_without_lists_has_the_default_one() {
    for text in [r#"{"lists": []}"#, r#"{"lists": [{"title": "My Tasks"}]}"#] {
        let tasks = seeded(text).unwrap().snapshot().tasks.unwrap();
        assert_eq!(
            (tasks.lists.len(), tasks.lists[0].title.as_str()),
            (1, "My Tasks")
        );
    }
}

#[test]
fn a_wrong_seed_says_where() {
    for (text, problem) in [
        ("{", "tasks.json:1: EOF while parsing"),
        ("{\n\"list\": []}", "tasks.json:2: unknown field `list`"),
        (
            r#"{"lists": [{"tasks": []}]}"#,
            "tasks.json:1: missing field `title`",
        ),
        (
            r#"{"lists": [{"title": "a", "tasks": [{"title": "t", "due": "soon"}]}]}"#,
            "tasks.json: lists[0].tasks[0]: due: expected a day",
        ),
        (
            r#"{"lists": [{"title": "a", "tasks": [{"title": "t", "completed": "2026-03-01"}]}]}"#,
            "completed: expected a moment",
        ),
        (
            r#"{"lists": [{"title": "a", "tasks": [{"title": "t", "hidden": true}]}]}"#,
            "only a task with status `completed`",
        ),
        (
            r#"{"lists": [{"id": "x", "title": "a"}, {"id": "x", "title": "b"}]}"#,
            "lists[1]: the id `x` is there twice",
        ),
        (
            r#"{"lists": [{"id": "a/b", "title": "a"}]}"#,
            "lists[0]: expected an id",
        ),
        (
            r#"{"lists": [{"id": "@default", "title": "a"}]}"#,
            "lists[0]: expected an id",
        ),
        (
            r#"{"lists": [{"title": "a", "tasks": [{"title": "t", "status": "done"}]}]}"#,
            "unknown variant",
        ),
    ] {
        let error = seeded(text).unwrap_err();
        assert!(error.contains(problem), "{text}: {error}");
    }
    let deep = format!(
        "{}{}",
        r#"{"lists":[{"title":"a","tasks":["#,
        r#"{"title":"t","tasks":["#.repeat(100_000)
    );
    assert!(seeded(&deep).unwrap_err().contains("recursion limit"));
}
