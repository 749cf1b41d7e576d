//! The Markdown endpoints.

use proctor_types::Change;
use serde_json::{Value, json};

use super::rig;

#[test]
fn a_page_is_read_as_markdown() {
    let rig = rig();
    let audit = rig.id("Q3 Audit 2025");
    let answer = rig.get(&format!("pages/{audit}/markdown"));
    assert_eq!(answer["object"], "page_markdown");
    assert_eq!(
        (&answer["truncated"], &answer["unknown_block_ids"]),
        (&json!(false), &json!([]))
    );
    let users = rig.snapshot().users;
    let marcus = &users.iter().find(|it| it.name == "Marcus").unwrap().id;
    let expected = format!(
        "# Findings\n\
         - [ ] SEC-004: hardcoded API key in `settings.py`\n\
         - [ ] SEC-011: `DEBUG=True` in production\n\
         - [x] SEC-001: done long ago\n\
         <callout icon=\"\u{26a0}\u{fe0f}\" color=\"yellow_bg\">\n\
         \tTouch nothing that is deferred.\n\
         \t- SEC-017\n\
         \t- SEC-022\n\
         </callout>\n\
         <table header-row=\"true\">\n\
         <tr>\n<td>Finding</td>\n<td>Status</td>\n<td>Owner</td>\n</tr>\n\
         <tr>\n<td>SEC-004</td>\n<td>Open</td>\n\
         <td><mention-user url=\"user://{marcus}\">Marcus</mention-user></td>\n</tr>\n\
         <tr>\n<td>SEC-017</td>\n<td>Deferred</td>\n<td></td>\n</tr>\n\
         </table>"
    );
    assert_eq!(answer["markdown"], expected);
    assert_eq!(rig.page("Q3 Audit 2025").markdown, expected);
}

fn update(page: &str, updates: &Value) -> (String, Value) {
    let body = json!({"type": "update_content", "update_content": {"content_updates": updates}});
    (format!("pages/{page}/markdown"), body)
}

#[test]
fn an_update_changes_what_it_names_and_nothing_else() {
    let rig = rig();
    let audit = rig.id("Q3 Audit 2025");
    let before = rig.page("Q3 Audit 2025").blocks;
    let (target, body) = update(
        &audit,
        &json!([
            {"old_str": "- [ ] SEC-004", "new_str": "- [x] SEC-004"},
            {"old_str": "<td>Open</td>", "new_str": "<td>Remediated - Pending Review</td>"},
        ]),
    );
    let answer = rig.ok("PATCH", &target, &body);
    assert!(
        answer["markdown"]
            .as_str()
            .unwrap()
            .contains("- [x] SEC-004: hardcoded")
    );
    let after = rig.page("Q3 Audit 2025").blocks;
    let ids = |blocks: &[proctor_types::world::notion::Block]| {
        blocks.iter().map(|it| it.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        ids(&after),
        ids(&before),
        "blocks stay the blocks that they are"
    );
    let changed: Vec<_> = before
        .iter()
        .zip(&after)
        .filter(|(one, two)| one != two)
        .map(|(_, it)| it)
        .collect();
    assert_eq!(changed.len(), 2);
    assert_eq!(changed[0].checked, Some(true));
    assert_eq!(changed[1].cells[1], "Remediated - Pending Review");
    let touched = rig.last().changed;
    assert_eq!(touched.len(), 3, "two blocks and the page: {touched:?}");

    let (target, body) = update(&audit, &json!([{"old_str": "nowhere", "new_str": "x"}]));
    assert!(
        rig.invalid("PATCH", &target, &body)
            .contains("Could not find the old_str")
    );
    let (target, body) = update(&audit, &json!([{"old_str": "SEC-", "new_str": "S-"}]));
    assert!(
        rig.invalid("PATCH", &target, &body)
            .contains("matches 7 places")
    );
    let all = json!([{"old_str": "SEC-", "new_str": "S-", "replace_all_matches": true}]);
    let (target, body) = update(&audit, &all);
    rig.ok("PATCH", &target, &body);
    assert_eq!(ids(&rig.page("Q3 Audit 2025").blocks), ids(&before));
}

#[test]
fn a_blank_page_is_filled() {
    let rig = rig();
    let page = rig.id("API Reference");
    let text = "\
# Hydra Inference API

## POST /v1/infer

Runs *one* batch. Takes:

- `model`: string
- `inputs`: list
    - each a **string**

| Field | Type |
|---|---|
| `id` | string |

```json
{\"ok\": true}
```

> See https://example.com/docs.
";
    let body = json!({"type": "replace_content", "replace_content": {"new_str": text}});
    rig.ok("PATCH", &format!("pages/{page}/markdown"), &body);
    let blocks = rig.page("API Reference").blocks;
    let kinds: Vec<(&str, u32)> = blocks
        .iter()
        .map(|it| (it.kind.as_str(), it.depth))
        .collect();
    assert_eq!(
        kinds,
        [
            ("heading_1", 0),
            ("heading_2", 0),
            ("paragraph", 0),
            ("bulleted_list_item", 0),
            ("bulleted_list_item", 0),
            ("bulleted_list_item", 1),
            ("table", 0),
            ("table_row", 1),
            ("table_row", 1),
            ("code", 0),
            ("quote", 0),
        ]
    );
    assert_eq!(blocks[8].cells, ["id", "string"]);
    assert_eq!(blocks[9].content["language"], "json");
    assert_eq!(
        blocks[10].content["rich_text"][1]["href"],
        "https://example.com/docs"
    );
    let more = json!({"type": "insert_content", "insert_content": {"content": "after it", "after": "## POST...infer"}});
    rig.ok("PATCH", &format!("pages/{page}/markdown"), &more);
    assert_eq!(rig.page("API Reference").blocks[2].text, "after it");
    let start = json!({"type": "insert_content", "insert_content": {"content": "first", "position": {"type": "start"}}});
    rig.ok("PATCH", &format!("pages/{page}/markdown"), &start);
    assert_eq!(rig.page("API Reference").blocks[0].text, "first");
    let range = json!({"type": "replace_content_range", "replace_content_range": {"content": "short", "content_range": "Runs...batch. Takes:"}});
    rig.ok("PATCH", &format!("pages/{page}/markdown"), &range);
    assert_eq!(rig.page("API Reference").blocks[4].text, "short");
    let changed = rig.last().changed;
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert_eq!(changed[0].change, Some(Change::Updated));
    for body in [
        json!({}),
        json!({"type": "replace_content"}),
        json!({"type": "burn"}),
        json!({"type": "insert_content", "insert_content": {"content": "x", "after": "not...there"}}),
    ] {
        rig.invalid("PATCH", &format!("pages/{page}/markdown"), &body);
    }
}

#[test]
fn child_pages_do_not_go_unnoticed() {
    let rig = rig();
    let page = rig.id("Engineering");
    let target = format!("pages/{page}/markdown");
    let old = rig.get(&target)["markdown"].as_str().unwrap().to_owned();
    assert!(
        old.starts_with("<page url=\"https://www.notion.so/Security-"),
        "{old}"
    );
    let replace = |text: &str, allow: bool| json!({"type": "replace_content", "replace_content": {"new_str": text, "allow_deleting_content": allow}});
    let message = rig.invalid("PATCH", &target, &replace("gone", false));
    assert!(
        message.contains("2 child page(s) or database(s)"),
        "{message}"
    );
    assert_eq!(
        rig.get(&target)["markdown"],
        old.as_str(),
        "nothing happened"
    );
    let (first, second) = old.split_once('\n').unwrap();
    let turned = format!("{second}\n<details>\n<summary>Old</summary>\n\t{first}\n</details>");
    let answer = rig.ok("PATCH", &target, &replace(&turned, false));
    assert_eq!(answer["markdown"], turned.as_str());
    assert_eq!(rig.page("Security").path, ["Engineering", "Security"]);
    rig.ok("PATCH", &target, &replace("gone", true));
    assert!(rig.page("Security").in_trash && rig.page("Q3 Audit 2025").in_trash);
    assert_eq!(rig.get(&target)["markdown"], "gone");
}

#[test]
fn what_grows_without_bound_is_refused() {
    let rig = rig();
    let page = rig.id("API Reference");
    let target = format!("pages/{page}/markdown");
    let replace =
        |text: &str| json!({"type": "replace_content", "replace_content": {"new_str": text}});
    rig.ok("PATCH", &target, &replace(&"x\n".repeat(9000)));
    let message = rig.invalid("PATCH", &target, &replace(&"x\n".repeat(11_000)));
    assert!(message.contains("11000 blocks"), "{message}");
    let all = json!([{"old_str": "x", "new_str": "x".repeat(10_000), "replace_all_matches": true}]);
    let (_, body) = update(&page, &all);
    assert!(rig.invalid("PATCH", &target, &body).contains("longer than"));
    assert_eq!(rig.page("API Reference").blocks.len(), 9000);
    let children = |title: &str| json!({"parent": {"page_id": page}, "properties": {"title": [{"text": {"content": title}}, {"text": {"content": title}}]}});
    let message = rig.invalid("POST", "pages", &children(&"x".repeat(1500)));
    assert!(
        message.contains("\u{2264} `2000`, instead was `3000`"),
        "{message}"
    );
    for open in ["<a ", "<table>\n", "<callout>\n", "[", "*a_", "`", "$"] {
        rig.ok("PATCH", &target, &replace(&open.repeat(9000)));
    }
}
