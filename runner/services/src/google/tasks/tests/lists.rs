//! Task lists.

use proctor_types::journal::Change;
use serde_json::{Value, json};

use super::LISTS;
use crate::google::tests::{ask, body, problem, request, send, world};

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
