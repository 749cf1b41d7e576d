//! Discovery documents say what the table says.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;
use crate::google::apis;

fn document(api: &str, version: &str) -> Value {
    let mut request = request("GET", &format!("/discovery/v1/apis/{api}/{version}/rest"));
    request.headers.clear();
    let answer = send(&mut world(), &request);
    assert_eq!((answer.status, answer.service), (200, "discovery"));
    assert_eq!(answer.operation, Some("discovery.apis.getRest"));
    parsed(&answer)
}

/// Every method of a document's tree of resources.
fn methods(resource: &Value, into: &mut Vec<Value>) {
    for method in resource["methods"]
        .as_object()
        .into_iter()
        .flat_map(|it| it.values())
    {
        into.push(method.clone());
    }
    for inner in resource["resources"]
        .as_object()
        .into_iter()
        .flat_map(|it| it.values())
    {
        methods(inner, into);
    }
}

/// Every `$ref` in a value.
fn references(value: &Value, into: &mut HashSet<String>) {
    match value {
        Value::Object(map) => {
            into.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|value| references(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}

#[test]
fn every_method_and_schema_is_in_its_document() {
    for api in apis() {
        let document = document(api.name, api.version);
        let mut found = Vec::new();
        methods(&document, &mut found);
        let ids: HashSet<&str> = found
            .iter()
            .map(|method| method["id"].as_str().unwrap())
            .collect();
        let wanted: HashSet<&str> = api.methods.iter().map(|method| method.id).collect();
        assert_eq!(ids, wanted);
        let mut refs = HashSet::new();
        references(&document, &mut refs);
        for name in refs {
            assert_eq!(document["schemas"][&name]["id"], name.as_str());
            assert_eq!(document["schemas"][&name]["type"], "object");
        }
        for method in &found {
            // What gws and google-api-python-client cannot do without.
            for member in ["id", "path", "flatPath", "httpMethod", "description"] {
                assert!(method[member].is_string(), "{member} of {}", method["id"]);
            }
            assert!(method["parameters"].is_object() && method["parameterOrder"].is_array());
            for (name, param) in method["parameters"].as_object().unwrap() {
                for member in ["default", "minimum", "maximum", "type", "location"] {
                    assert!(
                        param[member].is_string() || param.get(member).is_none(),
                        "{name}"
                    );
                }
                assert!(
                    param["type"].is_string() && param["location"].is_string(),
                    "{name}"
                );
            }
            let order = method["parameterOrder"].as_array().unwrap();
            for name in order {
                assert_eq!(
                    method["parameters"][name.as_str().unwrap()]["required"],
                    true
                );
            }
        }
    }
}

#[test]
fn a_method_is_described_as_google_does() {
    let document = document("tasks", "v1");
    assert_eq!(document["rootUrl"], "https://tasks.googleapis.com/");
    assert_eq!(document["baseUrl"], "https://tasks.googleapis.com/");
    assert_eq!(document["servicePath"], "");
    assert_eq!(document["batchPath"], "batch");
    let method = &document["resources"]["tasks"]["methods"]["move"];
    assert_eq!(
        method["path"],
        "tasks/v1/lists/{tasklist}/tasks/{task}/move"
    );
    assert_eq!(method["httpMethod"], "POST");
    assert_eq!(method["parameterOrder"], json!(["tasklist", "task"]));
    assert_eq!(method["response"], json!({"$ref": "Task"}));
    assert!(method.get("request").is_none());
    let list = &document["resources"]["tasks"]["methods"]["list"]["parameters"]["maxResults"];
    assert_eq!(
        (&list["type"], &list["format"]),
        (&json!("integer"), &json!("int32"))
    );
    let task = &document["schemas"]["Task"]["properties"];
    assert_eq!(
        task["links"]["items"]["properties"]["link"]["type"],
        "string"
    );
    assert_eq!(task["selfLink"]["readOnly"], true);
    let scopes = document["auth"]["oauth2"]["scopes"].as_object().unwrap();
    assert!(scopes["https://www.googleapis.com/auth/tasks"]["description"].is_string());
}

#[test]
fn uploads_and_spanning_variables_are_described() {
    let gmail = document("gmail", "v1");
    let send = &gmail["resources"]["users"]["resources"]["messages"]["methods"]["send"];
    assert_eq!(send["supportsMediaUpload"], true);
    let simple = &send["mediaUpload"]["protocols"]["simple"];
    assert_eq!(
        simple["path"],
        "/upload/gmail/v1/users/{userId}/messages/send"
    );
    let resumable = &send["mediaUpload"]["protocols"]["resumable"];
    assert_eq!(
        resumable["path"],
        "/resumable/upload/gmail/v1/users/{userId}/messages/send"
    );
    assert!(send["mediaUpload"]["maxSize"].is_string());
    let people = document("people", "v1");
    let get = &people["resources"]["people"]["methods"]["get"];
    assert_eq!(get["path"], "v1/{+resourceName}");
    assert_eq!(get["flatPath"], "v1/people/{peopleId}");
    assert_eq!(
        get["parameters"]["resourceName"]["pattern"],
        "^people/[^/]+$"
    );
    let calendar = document("calendar", "v3");
    assert_eq!(
        calendar["baseUrl"],
        "https://www.googleapis.com/calendar/v3/"
    );
    let list = &calendar["resources"]["events"]["methods"]["list"];
    assert_eq!(list["path"], "calendars/{calendarId}/events");
    assert_eq!(
        list["parameters"]["orderBy"]["enum"],
        json!(["startTime", "updated"])
    );
}

#[test]
fn there_are_several_ways_to_a_document() {
    let mut world = world();
    let mut own = request("GET", "/$discovery/rest?version=v1");
    own.host = "tasks.googleapis.com".to_owned();
    assert_eq!(parsed(&send(&mut world, &own))["id"], "tasks:v1");
    own.query = String::new();
    assert_eq!(parsed(&send(&mut world, &own))["id"], "tasks:v1");
    own.query = "version=v2".to_owned();
    assert_eq!(send(&mut world, &own).status, 404);
    // On another address than Google's, that is where the API is.
    let mut plain = request("GET", "/discovery/v1/apis/calendar/v3/rest");
    (plain.host, plain.port, plain.scheme) = ("127.0.0.1".to_owned(), 8080, Scheme::Http);
    let document = parsed(&send(&mut world, &plain));
    assert_eq!(document["rootUrl"], "http://127.0.0.1:8080/");
    assert_eq!(document["baseUrl"], "http://127.0.0.1:8080/calendar/v3/");
    let masked = request(
        "GET",
        "/discovery/v1/apis/tasks/v1/rest?fields=id,resources/tasks/methods/get/id",
    );
    assert_eq!(
        parsed(&send(&mut world, &masked)),
        json!({"id": "tasks:v1", "resources": {"tasks": {"methods": {"get": {"id": "tasks.tasks.get"}}}}})
    );
}

#[test]
fn the_directory_lists_what_there_is() {
    let mut world = world();
    let (status, all) = ask(&mut world, "GET", "/discovery/v1/apis", Value::Null);
    let names: Vec<&str> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        (status, names),
        (
            200,
            vec!["gmail:v1", "tasks:v1", "people:v1", "calendar:v3"]
        )
    );
    let (_, one) = ask(
        &mut world,
        "GET",
        "/discovery/v1/apis?name=tasks",
        Value::Null,
    );
    assert_eq!(one["items"].as_array().unwrap().len(), 1);
    for path in [
        "tasks/v2/rest",
        "nope/v1/rest",
        "tasks/v1",
        "tasks/v1/rest/more",
        "../../etc",
    ] {
        let (status, body) = ask(
            &mut world,
            "GET",
            &format!("/discovery/v1/apis/{path}"),
            Value::Null,
        );
        assert_eq!((status, problem(&body).1), (404, "notFound"), "{path}");
    }
}

/// Google's own discovery document of Tasks, in short: verb, path below
/// `tasks/v1/`, and query parameters.
const TASKS: &[(&str, &str, &str, &str)] = &[
    (
        "tasks.tasklists.delete",
        "DELETE",
        "users/@me/lists/{tasklist}",
        "",
    ),
    (
        "tasks.tasklists.get",
        "GET",
        "users/@me/lists/{tasklist}",
        "",
    ),
    ("tasks.tasklists.insert", "POST", "users/@me/lists", ""),
    (
        "tasks.tasklists.list",
        "GET",
        "users/@me/lists",
        "maxResults pageToken",
    ),
    (
        "tasks.tasklists.patch",
        "PATCH",
        "users/@me/lists/{tasklist}",
        "",
    ),
    (
        "tasks.tasklists.update",
        "PUT",
        "users/@me/lists/{tasklist}",
        "",
    ),
    ("tasks.tasks.clear", "POST", "lists/{tasklist}/clear", ""),
    (
        "tasks.tasks.delete",
        "DELETE",
        "lists/{tasklist}/tasks/{task}",
        "",
    ),
    (
        "tasks.tasks.get",
        "GET",
        "lists/{tasklist}/tasks/{task}",
        "",
    ),
    (
        "tasks.tasks.insert",
        "POST",
        "lists/{tasklist}/tasks",
        "parent previous",
    ),
    (
        "tasks.tasks.list",
        "GET",
        "lists/{tasklist}/tasks",
        "completedMax completedMin dueMax dueMin maxResults pageToken showAssigned showCompleted \
         showDeleted showHidden updatedMin",
    ),
    (
        "tasks.tasks.move",
        "POST",
        "lists/{tasklist}/tasks/{task}/move",
        "destinationTasklist parent previous",
    ),
    (
        "tasks.tasks.patch",
        "PATCH",
        "lists/{tasklist}/tasks/{task}",
        "",
    ),
    (
        "tasks.tasks.update",
        "PUT",
        "lists/{tasklist}/tasks/{task}",
        "",
    ),
];

#[test]
fn tasks_has_the_methods_that_google_has() {
    let mut found = Vec::new();
    methods(&document("tasks", "v1"), &mut found);
    found.sort_by_key(|method| method["id"].as_str().unwrap().to_owned());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let found: Vec<_> = found
        .iter()
        .map(|method| {
            let params = method["parameters"].as_object().unwrap();
            let query = params
                .iter()
                .filter(|(_, param)| param["location"] == "query");
            let mut names: Vec<&str> = query.map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            let path = text(&method["path"])
                .trim_start_matches("tasks/v1/")
                .to_owned();
            (
                text(&method["id"]),
                text(&method["httpMethod"]),
                path,
                names.join(" "),
            )
        })
        .collect();
    let wanted: Vec<_> = TASKS
        .iter()
        .map(|(id, verb, path, query)| {
            (
                (*id).to_owned(),
                (*verb).to_owned(),
                (*path).to_owned(),
                (*query).to_owned(),
            )
        })
        .collect();
    assert_eq!(found, wanted);
}
