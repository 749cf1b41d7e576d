//! Pages and their properties.

use proctor_types::Change;
use serde_json::{Value, json};

use super::{paragraph, rich, rig};

#[test]
fn a_status_is_set_by_name() {
    let rig = rig();
    let row = rig.id("#142 OOM fix");
    let target = format!("pages/{row}");
    let pr = "https://github.com/acme/hydra-pipeline/pull/7";
    let body = json!({"properties": {"Status": {"status": {"name": "Done"}}, "PR": {"url": pr}}});
    let page = rig.ok("PATCH", &target, &body);
    assert_eq!(page["properties"]["Status"]["status"]["name"], "Done");
    let touch = rig.last().changed.remove(0);
    assert_eq!(
        (touch.kind.as_str(), touch.change),
        ("notion.page", Some(Change::Updated))
    );
    assert_eq!(touch.fields, ["Status", "PR"]);
    let page = rig.page("#142 OOM fix");
    assert_eq!(page.properties["Status"].text, "Done");
    assert_eq!(page.properties["PR"].text, pr);
    assert_eq!(
        page.path,
        ["Engineering", "Sprint Tracker", "Sprint 4", "#142 OOM fix"]
    );
    rig.ok("PATCH", &target, &body);
    assert!(
        rig.last().changed[0].fields.is_empty(),
        "nothing became another value"
    );

    for (properties, words) in [
        (
            json!({"Status": {"select": {"name": "Done"}}}),
            "Status is expected to be status.",
        ),
        (
            json!({"Status": {"status": {"name": "Finished"}}}),
            "Status option \"Finished\" does not exist",
        ),
        (
            json!({"Points": {"number": "5"}}),
            "body.properties.Points.number should be a number",
        ),
        (
            json!({"Due": {"date": {"start": "tomorrow"}}}),
            "should be a valid ISO 8601 date string",
        ),
        (
            json!({"Nothing": {"number": 1}}),
            "Nothing is not a property that exists.",
        ),
        (json!({"Urgent": "yes"}), "Fix one:"),
        (
            json!({"Owner": {"people": [{"id": "x"}]}}),
            "should be a valid uuid",
        ),
    ] {
        let message = rig.invalid("PATCH", &target, &json!({"properties": properties}));
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(rig.page("#142 OOM fix").properties["Points"].text, "5");
}

#[test]
fn every_type_of_property_takes_back_what_it_serves() {
    let rig = rig();
    let row = rig.id("#142 OOM fix");
    let target = format!("pages/{row}");
    let served = rig.get(&target)["properties"].clone();
    let kinds: Vec<_> = served
        .as_object()
        .unwrap()
        .values()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "title",
            "status",
            "number",
            "date",
            "people",
            "multi_select",
            "checkbox",
            "url"
        ]
    );
    let again = rig.ok("PATCH", &target, &json!({"properties": served}));
    assert_eq!(again["properties"], served);
    assert!(rig.last().changed[0].fields.is_empty());
    // A new option of a multi-select is one of the table's from now on.
    let tags = json!({"Tags": {"multi_select": [{"name": "urgent"}, {"name": "backend"}]}});
    rig.ok("PATCH", &target, &json!({"properties": tags}));
    let table = rig.database().data_sources.remove(0);
    assert_eq!(
        table.properties["Tags"]["multi_select"]["options"][2]["name"],
        "urgent"
    );
    rig.ok(
        "PATCH",
        &target,
        &json!({"properties": {"Tags": {"multi_select": []}, "Due": {"date": null}}}),
    );
    let page = rig.page("#142 OOM fix");
    assert_eq!(
        (
            page.properties["Tags"].text.as_str(),
            page.properties["Due"].text.as_str()
        ),
        ("", "")
    );
    let id = served["Points"]["id"].as_str().unwrap();
    let item = rig.get(&format!("pages/{row}/properties/{id}"));
    assert_eq!(
        (&item["object"], &item["number"]),
        (&json!("property_item"), &json!(5))
    );
    let title = rig.get(&format!("pages/{row}/properties/title"));
    assert_eq!(title["results"][0]["title"]["plain_text"], "#142 OOM fix");
    let only = rig.get(&format!("{target}?filter_properties={id}"));
    assert_eq!(only["properties"].as_object().unwrap().len(), 1);
}

#[test]
fn pages_are_made_in_pages_and_in_tables() {
    let rig = rig();
    let product = rig.id("Product");
    let page = rig.ok(
        "POST",
        "pages",
        &json!({
            "parent": {"page_id": product},
            "icon": {"emoji": "\u{1f4d8}"},
            "properties": {"title": {"title": rich("Guide")}},
            "children": [paragraph("one"), {"to_do": {"rich_text": rich("two")}}],
        }),
    );
    assert_eq!(
        page["parent"],
        json!({"type": "page_id", "page_id": product})
    );
    assert_eq!(
        page["properties"]["title"]["title"][0]["plain_text"],
        "Guide"
    );
    assert!(
        page["url"]
            .as_str()
            .unwrap()
            .starts_with("https://www.notion.so/Guide-")
    );
    assert_eq!(rig.page("Guide").path, ["Product", "Guide"]);
    assert_eq!(rig.page("Guide").markdown, "one\n- [ ] two");
    assert!(!rig.page("Guide").seeded);
    let changed = rig.last().changed;
    assert_eq!(
        changed
            .iter()
            .filter(|it| it.change == Some(Change::Created))
            .count(),
        3
    );

    let table = rig.database().data_sources[0].id.clone();
    let row = rig.ok("POST", "pages", &json!({
        "parent": {"type": "data_source_id", "data_source_id": table},
        "properties": {"Task": {"title": rich("#150")}, "Status": {"status": {"name": "Backlog"}}},
        "markdown": "# Plan\n\n1. first\n2. second",
    }));
    assert_eq!(row["parent"]["type"], "data_source_id");
    assert_eq!(row["parent"]["database_id"], rig.database().id);
    assert_eq!(rig.page("#150").markdown, "# Plan\n1. first\n2. second");
    let titled = json!({"parent": {"page_id": product}, "markdown": "# The title\ntext"});
    rig.ok("POST", "pages", &titled);
    assert_eq!(rig.page("The title").markdown, "text");

    let message = rig.invalid("POST", "pages", &json!({}));
    assert_eq!(
        message,
        "body failed validation: body.parent should be defined, instead was `undefined`."
    );
    let message = rig.invalid("POST", "pages", &json!({"parent": {}}));
    assert!(
        message.contains("Fix one:\nbody.parent.page_id should be defined"),
        "{message}"
    );
    let page = rig.id("Guide");
    let message = rig.invalid(
        "POST",
        "pages",
        &json!({"parent": {"page_id": page}, "properties": {"Status": {"status": {}}}}),
    );
    assert_eq!(message, "Status is not a property that exists.");
}

#[test]
fn pages_move_but_not_into_themselves() {
    let rig = rig();
    let (audit, security, product) = (
        rig.id("Q3 Audit 2025"),
        rig.id("Security"),
        rig.id("Product"),
    );
    let to = |page: &str| json!({"parent": {"page_id": page}});
    rig.ok("POST", &format!("pages/{audit}/move"), &to(&product));
    assert_eq!(rig.page("Q3 Audit 2025").path, ["Product", "Q3 Audit 2025"]);
    assert_eq!(rig.last().changed[0].change, Some(Change::Moved));
    let engineering = rig.id("Engineering");
    rig.invalid("POST", &format!("pages/{engineering}/move"), &to(&security));
    rig.invalid(
        "POST",
        &format!("pages/{engineering}/move"),
        &to(&engineering),
    );
    let database = rig.database().id;
    let message = rig.invalid("GET", &format!("pages/{database}"), &Value::Null);
    assert!(message.contains("is a database, not a page"), "{message}");
}

#[test]
fn versions_have_their_own_words() {
    let old = rig().version("2022-06-28");
    let row = old.id("#142 OOM fix");
    let page = old.get(&format!("pages/{row}"));
    assert_eq!(
        page["parent"],
        json!({"type": "database_id", "database_id": old.database().id})
    );
    assert_eq!(
        (&page["archived"], &page["in_trash"]),
        (&json!(false), &json!(false))
    );
    let database = old.get(&format!("databases/{}", old.database().id));
    assert!(database["properties"]["Task"].is_object() && database.get("data_sources").is_none());
    let table = old.database().data_sources[0].id.clone();
    let (_, error) = old.try_("GET", &format!("data_sources/{table}"), &Value::Null);
    assert_eq!(error["code"], "invalid_request_url");

    let new = rig().version("2026-03-11");
    let page = new.get(&format!("pages/{row}"));
    assert_eq!(
        (page.get("archived"), &page["in_trash"]),
        (None, &json!(false))
    );
    let database = new.get(&format!("databases/{}", new.database().id));
    assert_eq!(
        database["data_sources"],
        json!([{"id": table, "name": "Sprint 4"}])
    );
    assert!(database.get("properties").is_none());
    let (_, error) = new.try_(
        "POST",
        &format!("databases/{}/query", new.database().id),
        &json!({}),
    );
    assert_eq!(error["code"], "invalid_request_url");
    new.ok("PATCH", &format!("pages/{row}"), &json!({"archived": true}));
    assert!(new.page("#142 OOM fix").in_trash, "either spelling");
}
