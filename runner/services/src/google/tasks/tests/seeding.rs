//! `tasks.json` of a seed.

use serde_json::{Value, json};

use super::{insert, list, order, titles};
use crate::google::tasks::TaskStore;
use crate::google::tests::{ask, world};
use crate::world::{SeedContext, SeedDir, World};

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
        accounts: &crate::world::Accounts::default(),
    };
    let store = TaskStore::seed(&mut context).map_err(|error| error.to_string())?;
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
            {"id": "office", "title": "Work"}
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
        ask(
            &mut world,
            "GET",
            "/tasks/v1/lists/office/tasks",
            Value::Null
        )
        .0,
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
