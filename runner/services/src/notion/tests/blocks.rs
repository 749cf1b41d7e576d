//! Blocks.

use proctor_types::{Change, View};
use serde_json::{Value, json};

use super::{paragraph, rich, rig};

#[test]
fn a_to_do_is_ticked() {
    let rig = rig();
    let todo = rig.block("SEC-004");
    let target = format!("blocks/{}", todo.id);
    let before = rig.get(&target);
    assert_eq!(before["to_do"]["checked"], false);
    assert_eq!(before["to_do"]["rich_text"][1]["annotations"]["code"], true);
    let answer = rig.ok("PATCH", &target, &json!({"to_do": {"checked": true}}));
    assert_eq!(answer["to_do"]["checked"], true);
    assert_eq!(answer["to_do"]["rich_text"], before["to_do"]["rich_text"]);
    let entry = rig.last();
    let audit = rig.id("Q3 Audit 2025");
    assert_eq!(entry.operation.as_deref(), Some("notion.blocks.update"));
    let touch = &entry.changed[0];
    assert_eq!((touch.kind.as_str(), &touch.id), ("notion.block", &todo.id));
    assert_eq!(
        (touch.parent.as_ref(), &touch.fields),
        (Some(&audit), &vec!["checked".to_owned()])
    );
    assert_eq!(
        (entry.changed[1].kind.as_str(), &entry.changed[1].id),
        ("notion.page", &audit)
    );
    assert_eq!(rig.block("SEC-004").checked, Some(true));
    let page = rig.get(&format!("pages/{audit}"));
    assert_eq!(
        page["last_edited_time"], "2025-07-14T22:00:00.000Z",
        "up the tree"
    );
    assert_eq!(page["last_edited_by"]["id"], rig.get("users/me")["id"]);
    assert_eq!(page["created_time"], "2025-07-01T09:30:00.000Z");
    assert_eq!(
        rig.block("SEC-011").last_edited_time,
        "2025-07-01T09:30:00Z"
    );
}

#[test]
fn what_is_read_is_known() {
    let rig = rig();
    let audit = rig.id("Q3 Audit 2025");
    let list = rig.get(&format!("blocks/{audit}/children"));
    assert_eq!(
        (&list["object"], &list["type"]),
        (&json!("list"), &json!("block"))
    );
    let kinds: Vec<_> = list["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["heading_1", "to_do", "to_do", "to_do", "callout", "table"]
    );
    let read = rig.last().read;
    assert_eq!(
        (read[0].kind.as_str(), read[0].view),
        ("notion.page", Some(View::Full))
    );
    assert_eq!(
        (read[1].kind.as_str(), read[1].view),
        ("notion.block", Some(View::Full))
    );
    rig.get(&format!("blocks/{audit}/children?page_size=2"));
    assert_eq!(rig.last().read[0].view, Some(View::Summary));
    rig.get(&format!("pages/{audit}"));
    assert_eq!(
        rig.last().read[0].view,
        Some(View::Summary),
        "the page without its content"
    );
    rig.get(&format!("pages/{audit}/markdown"));
    assert_eq!(rig.last().read[0].view, Some(View::Full));
    let table = rig.get(&format!(
        "blocks/{}/children",
        list["results"][5]["id"].as_str().unwrap()
    ));
    let cell = &table["results"][1]["table_row"]["cells"][2][0];
    assert_eq!(
        (&cell["mention"]["type"], &cell["plain_text"]),
        (&json!("user"), &json!("@Marcus"))
    );
    let engineering = rig.id("Engineering");
    let pages = rig.get(&format!("blocks/{engineering}/children"));
    assert_eq!(pages["results"][0]["child_page"]["title"], "Security");
    assert_eq!(pages["results"][0]["has_children"], true);
}

#[test]
fn blocks_go_where_they_are_put() {
    let rig = rig();
    let page = rig.id("API Reference");
    let target = format!("blocks/{page}/children");
    let put = |body: Value| {
        let answer = rig.ok("PATCH", &target, &body);
        answer["results"][0]["id"].as_str().unwrap().to_owned()
    };
    let b = put(json!({"children": [paragraph("b"), paragraph("e")]}));
    put(json!({"children": [paragraph("c"), paragraph("d")], "after": b}));
    put(json!({"children": [paragraph("a")], "position": {"type": "start"}}));
    put(json!({"children": [paragraph("f")], "position": {"type": "end"}}));
    let after = json!({"type": "after_block", "after_block": {"id": b}});
    put(json!({"children": [paragraph("bb")], "position": after}));
    let texts: Vec<_> = rig
        .page("API Reference")
        .blocks
        .into_iter()
        .map(|it| it.text)
        .collect();
    assert_eq!(texts, ["a", "b", "bb", "c", "d", "e", "f"]);
    let elsewhere = rig.block("SEC-004").id;
    rig.invalid(
        "PATCH",
        &target,
        &json!({"children": [paragraph("x")], "after": elsewhere}),
    );
    let message = rig.invalid(
        "PATCH",
        &target,
        &json!({"children": [{"type": "paragraph"}]}),
    );
    assert!(
        message.contains("body.children[0].paragraph should be defined"),
        "{message}"
    );
    let message = rig.invalid("PATCH", &target, &json!({"children": [{}]}));
    assert!(
        message.starts_with("body failed validation. Fix one:\nbody.children[0].embed should be"),
        "{message}"
    );
    rig.invalid(
        "PATCH",
        &target,
        &json!({"children": [paragraph("x")], "surplus": 1}),
    );
    let message = rig.invalid("PATCH", &target, &json!({"children": "text"}));
    assert_eq!(
        message,
        "body failed validation: body.children should be an array, instead was `\"text\"`."
    );
}

#[test]
fn every_kind_of_block_is_served_as_it_was_given() {
    let rig = rig();
    let page = rig.id("API Reference");
    let text = json!({"rich_text": rich("x"), "color": "blue_background"});
    let given = json!([
        {"heading_1": {"rich_text": rich("x"), "is_toggleable": true, "children": [paragraph("in it")]}},
        {"heading_2": text}, {"heading_3": text}, {"paragraph": text},
        {"bulleted_list_item": text}, {"numbered_list_item": text}, {"quote": text}, {"toggle": text},
        {"to_do": {"rich_text": rich("x"), "checked": true}},
        {"callout": {"rich_text": rich("x"), "icon": {"type": "emoji", "emoji": "\u{1f525}"}}},
        {"code": {"rich_text": rich("GET /v1"), "language": "python", "caption": rich("how")}},
        {"divider": {}}, {"breadcrumb": {}}, {"table_of_contents": {"color": "gray"}},
        {"equation": {"expression": "e=mc^2"}},
        {"bookmark": {"url": "https://example.com/a"}}, {"embed": {"url": "https://example.com/b"}},
        {"image": {"type": "external", "external": {"url": "https://example.com/c.png"}, "caption": rich("c")}},
        {"link_to_page": {"type": "page_id", "page_id": page}},
        {"table": {"table_width": 2, "has_column_header": true, "children": [
            {"table_row": {"cells": [rich("a"), rich("b")]}},
        ]}},
        {"column_list": {"children": [
            {"column": {"children": [paragraph("left")]}}, {"column": {"children": [paragraph("right")]}},
        ]}},
        {"synced_block": {"synced_from": null, "children": [paragraph("same")]}},
    ]);
    let answer = rig.ok(
        "PATCH",
        &format!("blocks/{page}/children"),
        &json!({"children": given}),
    );
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), given.as_array().unwrap().len());
    for (result, given) in results.iter().zip(given.as_array().unwrap()) {
        let (kind, content) = given.as_object().unwrap().iter().next().unwrap();
        assert_eq!(result["type"], kind.as_str());
        for (key, value) in content.as_object().unwrap() {
            let served = &result[kind][key];
            match key.as_str() {
                "children" => assert_eq!(result["has_children"], true),
                "rich_text" | "caption" => {
                    assert_eq!(served[0]["plain_text"], value[0]["text"]["content"]);
                }
                _ => assert_eq!(served, value, "{kind}.{key}"),
            }
        }
        // What was served is taken again.
        if !["table", "column_list", "link_to_page"].contains(&kind.as_str()) {
            let id = result["id"].as_str().unwrap();
            let same = rig.ok(
                "PATCH",
                &format!("blocks/{id}"),
                &json!({kind: result[kind]}),
            );
            assert_eq!(same[kind], result[kind]);
        }
    }
}

#[test]
fn blocks_are_only_where_they_belong() {
    let rig = rig();
    let page = rig.id("API Reference");
    let target = format!("blocks/{page}/children");
    let divider = rig.ok("PATCH", &target, &json!({"children": [{"divider": {}}]}));
    let divider = divider["results"][0]["id"].as_str().unwrap();
    rig.invalid(
        "PATCH",
        &format!("blocks/{divider}/children"),
        &json!({"children": [paragraph("x")]}),
    );
    for children in [
        json!([{"table_row": {"cells": []}}]),
        json!([{"column": {"children": [paragraph("x")]}}]),
        json!([{"table": {"table_width": 2, "children": [paragraph("x")]}}]),
        json!([{"table": {"table_width": 2, "children": [{"table_row": {"cells": [rich("x")]}}]}}]),
        json!([{"table": {"table_width": 2}}]),
        json!([{"heading_1": {"rich_text": [], "children": [paragraph("x")]}}]),
        json!([{"code": {"rich_text": rich("x"), "language": "klingon"}}]),
        json!([{"paragraph": {"rich_text": rich("x"), "color": "mauve"}}]),
        json!([{"paragraph": {"rich_text": "x"}}]),
        json!([{"paragraph": {}}]),
        json!([{"child_page": {"title": "x"}}]),
        json!([{"paragraph": {"rich_text": []}, "quote": {"rich_text": []}}]),
    ] {
        rig.invalid("PATCH", &target, &json!({"children": children}));
    }
    let row = rig.block("SEC-017").id;
    let message = rig.invalid(
        "PATCH",
        &format!("blocks/{}", rig.block("Deferred").id),
        &json!({"table_row": {"cells": [rich("x")]}}),
    );
    assert!(message.contains("Number of cells"), "{message}");
    rig.invalid(
        "PATCH",
        &format!("blocks/{row}"),
        &json!({"heading_1": {"rich_text": []}}),
    );
}

#[test]
fn a_row_of_a_table_is_changed_and_moved() {
    let rig = rig();
    let row = rig.block("Deferred");
    let table = rig
        .page("Q3 Audit 2025")
        .blocks
        .into_iter()
        .find(|it| it.kind == "table")
        .unwrap()
        .id;
    let cells = json!([rich("SEC-017"), rich("Deferred"), rich("Sprint 5")]);
    rig.ok("DELETE", &format!("blocks/{}", row.id), &Value::Null);
    let head = rig.block("Owner").id;
    let append = json!({"children": [{"table_row": {"cells": cells}}], "after": head});
    rig.ok("PATCH", &format!("blocks/{table}/children"), &append);
    let rows: Vec<Vec<String>> = rig
        .page("Q3 Audit 2025")
        .blocks
        .into_iter()
        .filter(|it| it.kind == "table_row")
        .map(|it| it.cells)
        .collect();
    assert_eq!(rows[1], ["SEC-017", "Deferred", "Sprint 5"]);
    assert_eq!(rows[2], ["SEC-004", "Open", "@Marcus"]);
}

#[test]
fn the_trash_gives_back_what_it_took() {
    let rig = rig();
    let before = rig.page("Q3 Audit 2025").blocks;
    let todo = rig.block("SEC-011").id;
    let target = format!("blocks/{todo}");
    let gone = rig.ok("DELETE", &target, &Value::Null);
    assert_eq!(
        (&gone["archived"], &gone["in_trash"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(rig.last().changed[0].change, Some(Change::Deleted));
    assert_eq!(rig.page("Q3 Audit 2025").blocks.len(), before.len() - 1);
    assert_eq!(
        rig.get(&target)["in_trash"],
        true,
        "it can still be asked for"
    );
    let message = rig.invalid("PATCH", &target, &json!({"to_do": {"checked": true}}));
    assert!(
        message.starts_with("Can't edit block that is archived."),
        "{message}"
    );
    rig.invalid("DELETE", &target, &Value::Null);
    rig.ok("PATCH", &target, &json!({"archived": false}));
    let texts = |blocks: Vec<proctor_types::world::notion::Block>| {
        blocks.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(
        texts(rig.page("Q3 Audit 2025").blocks),
        texts(before),
        "where it was"
    );

    let audit = rig.id("Q3 Audit 2025");
    let page = rig.ok(
        "PATCH",
        &format!("pages/{audit}"),
        &json!({"in_trash": true}),
    );
    assert_eq!(page["in_trash"], true);
    assert!(rig.page("Q3 Audit 2025").in_trash);
    let message = rig.invalid("PATCH", &target, &json!({"to_do": {"checked": true}}));
    assert!(message.contains("archived ancestor"), "{message}");
    let found = rig.ok("POST", "search", &json!({"query": "audit"}));
    assert_eq!(found["results"], json!([]));
    rig.ok(
        "PATCH",
        &format!("pages/{audit}"),
        &json!({"archived": false}),
    );
    rig.ok("PATCH", &target, &json!({"to_do": {"checked": true}}));
}
