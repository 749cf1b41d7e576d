//! Task lists and tasks.

use proctor_tests::Desk;
use serde_json::{Value, json};

use crate::clients::play::{Call, gws, play};
use crate::clients::{entries, journal, list_of, operations};

fn list(id: &str, more: Value) -> Value {
    let mut params = more;
    params["tasklist"] = id.into();
    params
}

fn task(id: &str) -> Value {
    json!({"tasklist": "@default", "task": id})
}

pub(super) fn calls() -> Vec<Call> {
    [lists(), reading(), changing()].concat()
}

fn lists() -> Vec<Call> {
    vec![
        gws("tasks tasklists list")
            .ids("/items", &["list-work", "list-home"])
            .has("/kind", "tasks#taskLists")
            .has("/items/0/title", "Work"),
        gws("tasks tasklists list --page-all --page-delay 0")
            .params(json!({"maxResults": 1}))
            .pages(2),
        gws("tasks tasklists get")
            .params(json!({"tasklist": "@default"}))
            .has("/id", "list-work"),
        gws("tasks tasklists insert")
            .body(json!({"title": "Garden"}))
            .has("/title", "Garden")
            .keep("garden", "/id"),
        gws("tasks tasklists patch")
            .params(list("{{garden}}", json!({})))
            .body(json!({"title": "Balcony"}))
            .has("/title", "Balcony"),
        gws("tasks tasklists update")
            .params(list("{{garden}}", json!({})))
            .body(json!({"id": "{{garden}}", "title": "Roof"}))
            .has("/title", "Roof"),
        gws("tasks tasklists delete").params(list("list-home", json!({}))),
        gws("tasks tasklists list").ids("/items", &["list-work", "{{garden}}"]),
    ]
}

fn reading() -> Vec<Call> {
    vec![
        gws("tasks tasks list")
            .params(list("@default", json!({})))
            .ids("/items", &["task-offer", "task-call", "task-move", "task-filed"])
            .has("/items/0/due", "2026-03-05T00:00:00.000Z")
            .has("/items/3/completed", "2026-02-27T16:20:00.000Z"),
        gws("tasks tasks list")
            .params(list("list-work", json!({"showCompleted": false})))
            .ids("/items", &["task-offer", "task-call", "task-move"]),
        gws("tasks tasks list")
            .params(list("@default", json!({"dueMin": "2026-03-01T00:00:00Z", "dueMax": "2026-03-06T00:00:00Z"})))
            .ids("/items", &["task-offer"]),
        gws("tasks tasks list")
            .params(list("@default", json!({"fields": "items/id"})))
            .has("", json!({"items": [{"id": "task-offer"}, {"id": "task-call"}, {"id": "task-move"}, {"id": "task-filed"}]})),
        gws("tasks tasks list --page-all --page-delay 0")
            .params(list("@default", json!({"maxResults": 3})))
            .pages(2),
        gws("tasks tasks list")
            .params(list("{{garden}}", json!({})))
            .lacks("/items"),
        gws("tasks tasks list --format table")
            .params(list("@default", json!({})))
            .says("Call the landlord"),
        gws("tasks tasks get")
            .params(task("task-offer"))
            .has("/title", "Send the offer")
            .has("/notes", "Version 3, to Ada."),
    ]
}

fn changing() -> Vec<Call> {
    vec![
        gws("tasks tasks insert")
            .params(list("@default", json!({})))
            .body(json!({"title": "Böxes & “tape”", "notes": "20 of them", "due": "2026-03-10T15:30:00Z"}))
            .has("/status", "needsAction")
            .has("/due", "2026-03-10T00:00:00.000Z")
            .has("/position", "00000000000000000000")
            .keep("boxes", "/id"),
        gws("tasks tasks insert")
            .params(list("@default", json!({"parent": "task-move"})))
            .body(json!({"title": "Ask for offers"}))
            .has("/parent", "task-move")
            .keep("sub", "/id"),
        gws("tasks tasks insert")
            .params(list("@default", json!({"parent": "task-move", "previous": "{{sub}}"})))
            .body(json!({"title": "Sign the contract"}))
            .has("/position", "00000000000000000001"),
        gws("tasks tasks insert --fields")
            .fails(3)
            .says("unexpected argument"),
        gws("tasks tasks patch")
            .params(task("task-call"))
            .body(json!({"status": "completed"}))
            .has("/status", "completed")
            .has("/title", "Call the landlord"),
        gws("tasks tasks patch")
            .params(task("task-filed"))
            .body(json!({"status": "needsAction"}))
            .has("/status", "needsAction")
            .lacks("/completed"),
        gws("tasks tasks update")
            .params(task("task-offer"))
            .body(json!({"id": "task-offer", "title": "Send the offer now", "status": "needsAction"}))
            .has("/title", "Send the offer now")
            .lacks("/notes")
            .lacks("/due"),
        gws("tasks tasks move")
            .params(list("@default", json!({"task": "{{boxes}}", "previous": "task-offer"})))
            .has("/position", "00000000000000000001"),
        gws("tasks tasks move")
            .params(list("@default", json!({"task": "task-filed", "parent": "task-move"})))
            .has("/parent", "task-move"),
        gws("tasks tasks move")
            .params(list("@default", json!({"task": "{{boxes}}", "destinationTasklist": "{{garden}}"})))
            .has("/id", "{{boxes}}"),
        gws("tasks tasks clear").params(list("@default", json!({}))),
        gws("tasks tasks list")
            .params(list("@default", json!({"showHidden": true})))
            .says("\"hidden\": true"),
        gws("tasks tasks delete").params(task("task-move")),
        gws("tasks tasks list")
            .params(list("@default", json!({})))
            .ids("/items", &["task-offer"]),
        gws("tasks tasks list")
            .params(list("@default", json!({"showDeleted": true})))
            .says("\"deleted\": true"),
    ]
}

#[test]
fn tasks_and_lists_are_read_and_changed() {
    let desk = Desk::new();
    let played = play(&desk, &calls(), &[]);
    let after = played.trial.evidence_json("world/after.json");
    assert!(list_of(&after, "list-home").is_none());
    let garden = list_of(&after, played.kept("garden")).unwrap();
    assert_eq!(garden["title"], "Roof");
    assert_eq!(garden["tasks"][0]["title"], "Böxes & “tape”");
    assert_eq!(garden["tasks"][0]["seeded"], false);
    let work = list_of(&after, "list-work").unwrap()["tasks"]
        .as_array()
        .unwrap()
        .clone();
    let one = |id: &str| work.iter().find(|task| task["id"] == id).unwrap();
    assert_eq!(one("task-call")["hidden"], true);
    assert_eq!(one("task-call")["status"], "completed");
    assert_eq!(one("task-offer")["title"], "Send the offer now");
    // A deleted task takes what is below it along.
    for id in ["task-move", "task-filed", played.kept("sub")] {
        assert_eq!(one(id)["deleted"], true, "{id}");
    }

    let journal = journal(&played.trial);
    assert!(
        operations(&played.trial)
            .iter()
            .all(|(_, status)| *status < 300)
    );
    let patches = entries(&journal, "tasks.tasks.patch");
    assert_eq!(
        patches[0]["changed"][0]["fields"],
        json!(["status", "completed"])
    );
    assert_eq!(patches[0]["changed"][0]["parent"], "list-work");
    let reads: Vec<Vec<&Value>> = entries(&journal, "tasks.tasks.list")
        .iter()
        .map(|entry| {
            entry["read"].as_array().map_or_else(Vec::new, |read| {
                read.iter()
                    .filter(|touch| touch["type"] == "tasks.task")
                    .map(|touch| &touch["view"])
                    .collect()
            })
        })
        .collect();
    assert_eq!(reads[0], ["full"; 4]);
    assert_eq!(
        reads[3], ["reference"; 4],
        "a mask for ids reads nothing else"
    );
}
