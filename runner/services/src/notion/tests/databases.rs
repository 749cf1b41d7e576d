//! Databases, their tables, and queries.

use serde_json::{Value, json};

use super::{Rig, rich, rig};

fn titles(rig: &Rig, body: &Value) -> Vec<String> {
    let table = &rig.database().data_sources[0].id;
    let found = rig.ok("POST", &format!("data_sources/{table}/query"), body);
    assert_eq!(found["type"], "page_or_data_source");
    let results = found["results"].as_array().unwrap();
    let title = |it: &Value| {
        it["properties"]["Task"]["title"][0]["plain_text"]
            .as_str()
            .unwrap()[..4]
            .to_owned()
    };
    results.iter().map(title).collect()
}

#[test]
fn filters_understand_every_type() {
    let rig = rig();
    let marcus = rig
        .snapshot()
        .users
        .into_iter()
        .find(|it| it.name == "Marcus")
        .unwrap()
        .id;
    let table = &rig.database().data_sources[0].properties;
    let due = table["Due"]["id"].as_str().unwrap();
    for (filter, found) in [
        (
            json!({"property": "Task", "title": {"contains": "oom"}}),
            &["#142"][..],
        ),
        (
            json!({"property": "Task", "title": {"starts_with": "#14"}}),
            &["#142", "#143", "#140", "#144"],
        ),
        (
            json!({"property": "Status", "status": {"equals": "To Do"}}),
            &["#142", "#143"],
        ),
        (
            json!({"property": "Status", "status": {"does_not_equal": "To Do"}}),
            &["#140", "#144"],
        ),
        (
            json!({"property": "Points", "number": {"greater_than": 3}}),
            &["#142"],
        ),
        (
            json!({"property": "Points", "number": {"is_empty": true}}),
            &["#140", "#144"],
        ),
        (
            json!({"property": "Due", "date": {"on_or_after": "2025-07-16"}}),
            &["#143"],
        ),
        (
            json!({"property": due, "date": {"next_week": {}}}),
            &["#142", "#143"],
        ),
        (
            json!({"property": "Tags", "multi_select": {"contains": "security"}}),
            &["#143"],
        ),
        (
            json!({"property": "Owner", "people": {"contains": marcus}}),
            &["#140"],
        ),
        (
            json!({"property": "Urgent", "checkbox": {"equals": true}}),
            &["#142"],
        ),
        (
            json!({"property": "PR", "url": {"is_not_empty": true}}),
            &["#140"],
        ),
        (
            json!({"timestamp": "created_time", "created_time": {"past_week": {}}}),
            &["#142", "#143", "#140", "#144"],
        ),
        (
            json!({"and": [
                {"property": "Status", "status": {"equals": "To Do"}},
                {"or": [{"property": "Points", "number": {"equals": 3}}, {"property": "Urgent", "checkbox": {"equals": false}}]},
            ]}),
            &["#143"],
        ),
    ] {
        assert_eq!(titles(&rig, &json!({"filter": filter})), found, "{filter}");
    }
    let target = format!("data_sources/{}/query", rig.database().data_sources[0].id);
    for (filter, words) in [
        (
            json!({"property": "Nope", "status": {"equals": "x"}}),
            "Could not find property with name or id: Nope",
        ),
        (
            json!({"property": "Status", "select": {"equals": "x"}}),
            "database property status does not match filter select",
        ),
        (
            json!({"property": "Points", "number": {"contains": "x"}}),
            "Fix one:",
        ),
        (
            json!({"property": "Points", "number": {"equals": "x"}}),
            "should be a number",
        ),
        (json!({}), "Fix one:"),
        (
            json!({"and": [{"or": [{"and": []}]}]}),
            "should be not present",
        ),
    ] {
        let message = rig.invalid("POST", &target, &json!({"filter": filter}));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn sorts_and_pages() {
    let rig = rig();
    let by =
        |property: &str, direction: &str| json!({"property": property, "direction": direction});
    assert_eq!(
        titles(&rig, &json!({"sorts": [by("Task", "descending")]})),
        ["#144", "#143", "#142", "#140"]
    );
    assert_eq!(
        titles(&rig, &json!({"sorts": [by("Points", "ascending")]}))[..2],
        ["#143", "#142"]
    );
    assert_eq!(
        titles(&rig, &json!({"sorts": [by("Due", "descending")]}))[..2],
        ["#143", "#142"]
    );
    let status = [by("Status", "ascending"), by("Task", "descending")];
    assert_eq!(
        titles(&rig, &json!({"sorts": status})),
        ["#144", "#143", "#142", "#140"]
    );
    let target = format!("data_sources/{}/query", rig.database().data_sources[0].id);
    let first = rig.ok("POST", &target, &json!({"page_size": 3}));
    assert_eq!(first["has_more"], true);
    let second = rig.ok(
        "POST",
        &target,
        &json!({"page_size": 3, "start_cursor": first["next_cursor"]}),
    );
    assert_eq!(second["results"].as_array().unwrap().len(), 1);
    assert_eq!(second["next_cursor"], Value::Null);
    let read = rig.last().read;
    assert_eq!(read[0].kind, "notion.data_source");
    assert_eq!(read[1].kind, "notion.page");
    let wrong = json!({"start_cursor": "00000000-0000-4000-8000-000000000000"});
    assert!(
        rig.invalid("POST", &target, &wrong)
            .contains("start_cursor provided is invalid")
    );
    assert!(
        rig.invalid("POST", &target, &json!({"page_size": 500}))
            .contains("\u{2264} `100`")
    );
}

#[test]
fn databases_are_made_and_reshaped() {
    let rig = rig();
    let product = rig.id("Product");
    let database = rig.ok("POST", "databases", &json!({
        "parent": {"type": "page_id", "page_id": product},
        "title": rich("Bugs"),
        "initial_data_source": {"properties": {
            "Name": {"title": {}},
            "State": {"select": {"options": [{"name": "Open", "color": "red"}, {"name": "Shut"}]}},
            "Progress": {"status": {}},
        }},
    }));
    let source = database["data_sources"][0]["id"].as_str().unwrap();
    let target = format!("data_sources/{source}");
    let table = rig.get(&target);
    assert_eq!(table["parent"]["database_id"], database["id"]);
    assert_eq!(table["properties"]["Name"]["id"], "title");
    assert_eq!(
        table["properties"]["Progress"]["status"]["groups"][2]["name"],
        "Complete"
    );
    let state = &table["properties"]["State"];
    let open = &state["select"]["options"][0];
    let row = rig.ok(
        "POST",
        "pages",
        &json!({
            "parent": {"data_source_id": source},
            "properties": {"Name": {"title": rich("A bug")}, "State": {"select": {"name": "Open"}}},
        }),
    );
    // A renamed option is still the one that the row has.
    let table = rig.ok("PATCH", &target, &json!({"properties": {
        "State": {"name": "Status", "select": {"options": [{"id": open["id"], "name": "New"}, {"name": "Shut"}]}},
        "Progress": null,
        "Parent": {"relation": {"data_source_id": source, "single_property": {}}},
    }}));
    assert!(table["properties"].get("Progress").is_none());
    assert_eq!(table["properties"]["Status"]["id"], state["id"]);
    let page = rig.page("A bug");
    assert_eq!(page.properties["Status"].text, "New");
    let id = row["id"].as_str().unwrap();
    let related = json!({"properties": {"Parent": {"relation": [{"id": id}]}}});
    let page = rig.ok("PATCH", &format!("pages/{id}"), &related);
    assert_eq!(
        page["properties"]["Parent"]["relation"],
        json!([{"id": id}])
    );
    assert_eq!(rig.page("A bug").properties["Parent"].text, "A bug");

    for (properties, words) in [
        (json!({"Name": null}), "Cannot delete the title property"),
        (
            json!({"Second": {"title": {}}}),
            "exactly one title property",
        ),
        (json!({"X": {"formula": {}}}), "Fix one:"),
        (
            json!({"X": {"select": {"options": [{"name": "a,b"}]}}}),
            "without commas",
        ),
        (
            json!({"X": {"number": {}, "name": "Name"}, "Status": {"name": "Name"}}),
            "already",
        ),
    ] {
        let (status, error) = rig.try_("PATCH", &target, &json!({"properties": properties}));
        let message = error["message"].as_str().unwrap();
        assert!(
            status == 400 && (message.contains(words) || words == "already"),
            "{message}"
        );
    }
    let title = json!({"title": rich("Defects")});
    rig.ok(
        "PATCH",
        &format!("databases/{}", database["id"].as_str().unwrap()),
        &title,
    );
    assert_eq!(rig.get(&target)["title"][0]["plain_text"], "Defects");
    rig.invalid(
        "POST",
        "databases",
        &json!({"parent": {"page_id": product}, "properties": {"Name": {"title": {}}}}),
    );

    let old = super::rig().version("2022-06-28");
    let body = json!({"parent": {"page_id": product}, "title": rich("Old"), "properties": {"Name": {"title": {}}}});
    let database = old.ok("POST", "databases", &body);
    assert!(database["properties"]["Name"].is_object());
    let id = database["id"].as_str().unwrap();
    let more = json!({"properties": {"Done": {"checkbox": {}}}});
    assert!(old.ok("PATCH", &format!("databases/{id}"), &more)["properties"]["Done"].is_object());
    let row =
        json!({"parent": {"database_id": id}, "properties": {"Name": {"title": rich("row")}}});
    old.ok("POST", "pages", &row);
    let found = old.ok("POST", &format!("databases/{id}/query"), &json!({}));
    assert_eq!(found["results"][0]["properties"]["Done"]["checkbox"], false);
}
