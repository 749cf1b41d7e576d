//! Positions, parents, and moving.

use proctor_types::journal::Change;
use serde_json::{Value, json};

use super::{LISTS, TASKS, insert, order};
use crate::google::tests::{ask, problem, request, send, world};
use crate::world::World;

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
