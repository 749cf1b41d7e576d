use serde_json::{Value, json};

use super::Bench;

async fn page(bench: &Bench, title: &str) -> Value {
    let found = bench
        .ok("NOTION_SEARCH_NOTION_PAGE", json!({"query": title}))
        .await;
    found["results"][0]["id"].clone()
}

async fn blocks(bench: &Bench, id: &Value) -> Vec<Value> {
    let found = bench
        .ok("NOTION_FETCH_BLOCK_CONTENTS", json!({"block_id": id}))
        .await;
    found["results"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_page_is_changed_where_it_says_something_else() {
    let bench = Bench::new();
    let audit = page(&bench, "Audit").await;
    let listed = blocks(&bench, &audit).await;
    bench
        .ok(
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": listed[0]["id"], "content": "Status: RESOLVED"}),
        )
        .await;
    bench
        .ok(
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": listed[1]["id"], "content": "SEC-004: done", "block_type": "to_do",
                   "additional_properties": {"checked": true}}),
        )
        .await;
    let rows = blocks(&bench, &listed[2]["id"]).await;
    bench
        .ok(
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": rows[1]["id"], "content": "| SEC-004 | Remediated |"}),
        )
        .await;
    bench
        .ok(
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": audit, "after": listed[0]["id"], "children": [
                {"content": "Done by the agent", "bold": true},
                {"content": "PR", "block_property": "bulleted_list_item", "link": "https://github.com/acme/hydra/pull/1"},
            ]}),
        )
        .await;
    bench
        .ok(
            "NOTION_APPEND_TASK_BLOCKS",
            json!({"block_id": audit, "children": [{"content": "Tell Ada", "checked": true}]}),
        )
        .await;
    bench
        .ok(
            "NOTION_APPEND_CODE_BLOCKS",
            json!({"block_id": audit, "children": [{"content": "x = 1", "language": "python"}]}),
        )
        .await;
    let read = bench
        .ok("NOTION_GET_PAGE_MARKDOWN", json!({"page_id": audit}))
        .await;
    let markdown = read["markdown"].as_str().unwrap();
    for line in [
        "Status: RESOLVED\n**Done by the agent**\n- [PR](https://github.com/acme/hydra/pull/1)\n",
        "- [x] SEC-004: done",
        "SEC-004</td>\n<td>Remediated</td>",
        "- [x] Tell Ada",
        "```python\nx = 1\n```",
    ] {
        assert!(markdown.contains(line), "{line} in {markdown}");
    }
    bench
        .ok("NOTION_DELETE_BLOCK", json!({"block_id": listed[1]["id"]}))
        .await;
    assert_eq!(blocks(&bench, &audit).await.len(), 6);
}

#[tokio::test]
async fn rows_take_plain_values() {
    let bench = Bench::new();
    let found = bench
        .ok(
            "NOTION_SEARCH_NOTION_PAGE",
            json!({"query": "Sprint", "filter_value": "database"}),
        )
        .await;
    let sprint = &found["results"][0]["id"];
    let table = bench
        .ok("NOTION_FETCH_DATABASE", json!({"database_id": sprint}))
        .await;
    assert_eq!(table["properties"]["Status"]["type"], "status");
    let filter = json!({"property": "Status", "status": {"equals": "To Do"}});
    let query = json!({"database_id": sprint, "filter": filter});
    let rows = bench
        .ok("NOTION_QUERY_DATABASE_WITH_FILTER", query.clone())
        .await;
    let row = &rows["results"][0]["id"];
    let done = bench
        .ok(
            "NOTION_UPDATE_ROW_DATABASE",
            json!({"row_id": row, "properties": {"Status": "Done", "PR": "https://github.com/acme/hydra/pull/2"}}),
        )
        .await;
    assert_eq!(done["properties"]["Status"]["status"]["name"], "Done");
    let rows = bench.ok("NOTION_QUERY_DATABASE_WITH_FILTER", query).await;
    assert_eq!(rows["results"], json!([]));
    for properties in [
        json!([{"name": "Status", "type": "status", "value": "To Do"}]),
        json!({"Status": {"status": {"name": "To Do"}}}),
    ] {
        let arguments = json!({"page_id": row, "properties": properties});
        bench.ok("NOTION_UPDATE_PAGE", arguments).await;
    }
    let shown = bench
        .ok("NOTION_RETRIEVE_PAGE", json!({"page_id": row}))
        .await;
    assert_eq!(shown["properties"]["Status"]["status"]["name"], "To Do");
    let problem = bench
        .problem(
            "NOTION_UPDATE_ROW_DATABASE",
            json!({"row_id": row, "properties": {"Statu": "Done"}}),
        )
        .await;
    assert!(problem.contains("Did you mean `Status`?"), "{problem}");
}

#[tokio::test]
async fn a_page_is_replaced_as_a_whole_or_not_at_all() {
    let bench = Bench::new();
    let audit = page(&bench, "Audit").await;
    let many: Vec<Value> = (0..250)
        .map(|n| json!({"content": format!("Line {n}")}))
        .collect();
    let done = bench
        .ok(
            "NOTION_REPLACE_PAGE_CONTENT",
            json!({"page_id": audit, "new_children": many}),
        )
        .await;
    assert_eq!((&done["added"], &done["removed"]), (&json!(250), &json!(3)));
    let problem = bench
        .problem(
            "NOTION_REPLACE_PAGE_CONTENT",
            json!({"page_id": audit, "new_children": [{"type": "nonsense", "nonsense": {}}]}),
        )
        .await;
    assert!(problem.contains("Nothing was removed"), "{problem}");
    let first = blocks(&bench, &audit).await;
    assert_eq!(
        first[0]["paragraph"]["rich_text"][0]["plain_text"],
        "Line 0"
    );
    bench
        .ok(
            "NOTION_ADD_MULTIPLE_PAGE_CONTENT",
            json!({"parent_block_id": audit, "content_blocks": [
                {"content_block": {"content": "Wrapped", "block_property": "heading_2"}},
                {"divider": {}},
            ]}),
        )
        .await;
}

#[tokio::test]
async fn what_is_wrong_with_a_page_is_said() {
    let bench = Bench::new();
    let audit = page(&bench, "Audit").await;
    let row = page(&bench, "#142").await;
    let many: Vec<Value> = (0..101).map(|_| json!({"content": "x"})).collect();
    let none = "00000000-0000-4000-8000-000000000000";
    for (slug, arguments, words) in [
        (
            "NOTION_RETRIEVE_PAGE",
            json!({"page_id": none}),
            "NOTION_SEARCH_NOTION_PAGE",
        ),
        ("NOTION_RETRIEVE_PAGE", json!({"page_id": "x"}), "400"),
        (
            "NOTION_GET_PAGE_MARKDOWN",
            json!({}),
            "needs the argument `page_id`",
        ),
        (
            "NOTION_FETCH_DATABASE",
            json!({"database_id": audit}),
            "is a page, not a database",
        ),
        (
            "NOTION_UPDATE_PAGE",
            json!({"page_id": row, "properties": {"Status": 5}}),
            "give a text",
        ),
        (
            "NOTION_UPDATE_PAGE",
            json!({"page_id": row, "properties": "Done"}),
            "`properties`",
        ),
        (
            "NOTION_UPDATE_PAGE",
            json!({"page_id": row, "properties": {"Status": {"checkbox": true}}}),
            "Status is expected to be status",
        ),
        (
            "NOTION_UPDATE_PAGE",
            json!({"page_id": row}),
            "Nothing would change",
        ),
        (
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": audit, "content": "x"}),
            "change its title with NOTION_UPDATE_PAGE",
        ),
        (
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": audit, "content": "x", "block_type": "child_database"}),
            "no tool changes its title",
        ),
        (
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": audit, "children": many}),
            "100",
        ),
        (
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": audit, "children": [{"content": "x", "block_property": "h1"}]}),
            "`children[0]`",
        ),
        (
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": audit, "children": []}),
            "is empty",
        ),
        (
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": audit, "children": ["x"]}),
            "`children[0]`",
        ),
    ] {
        let problem = bench.problem(slug, arguments.clone()).await;
        assert!(problem.contains(words), "{slug} {arguments}: {problem}");
    }
    assert_eq!(bench.world.fault(), None);
}
