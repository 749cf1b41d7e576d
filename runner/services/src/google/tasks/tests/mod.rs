//! Tasks as clients see them.

mod changing;
mod listing;
mod lists;
mod placing;
mod quota;
mod seeding;
mod shape;

use serde_json::Value;

use crate::google::tests::{ask, body, request, send};
use crate::service::Answer;
use crate::world::World;

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
