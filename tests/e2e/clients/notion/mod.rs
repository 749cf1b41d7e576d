//! Notion's own clients: @notionhq/client and notion-client in several versions
//! of the API, and @notionhq/notion-mcp-server. What they must see is in
//! `tests/clients/scripts/`.

use proctor_tests::{Desk, Trial, root, tool};
use serde_json::{Value, json};

use super::{entries, journal, operations};

/// The task whose world the clients find.
const PAGES: &str = "tests/clients/pages";

/// Runs a command in a trial; gives the trial and the JSON that it printed.
fn run(desk: &Desk, command: &str, tools: &[&str]) -> (Trial, Value) {
    let steps = [json!({"run": command})];
    let tools: Vec<&str> = tools.iter().flat_map(|tool| ["--tool", *tool]).collect();
    let trial = desk.trial(PAGES, &desk.script(&steps), &tools);
    assert_eq!(trial.ended.code, 0, "{:?}", trial.ended);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    let output = trial.outputs().remove(0);
    // What clients warn of comes after the one line of JSON.
    let line = output.lines().next().unwrap_or_default();
    let printed = serde_json::from_str(line).unwrap_or_else(|_| panic!("{output}"));
    (trial, printed)
}

fn node(desk: &Desk, script: &str) -> (Trial, Value) {
    let modules = tool("npm/package.json");
    let modules = modules.parent().unwrap();
    let scripts = root().join("tests/clients/scripts");
    run(
        desk,
        &format!("node /opt/proctor/tools/scripts/{script}"),
        &[modules.to_str().unwrap(), scripts.to_str().unwrap()],
    )
}

/// The page with `id` in the world afterwards.
fn page(trial: &Trial, id: &Value) -> Value {
    let world = trial.evidence_json("world/after.json");
    let pages = world["notion"]["pages"].as_array().unwrap();
    let found = pages.iter().find(|page| page["id"] == *id);
    found.unwrap_or_else(|| panic!("no page {id}")).clone()
}

fn block(page: &Value, id: &Value) -> Value {
    let blocks = page["blocks"].as_array().unwrap();
    let found = blocks.iter().find(|block| block["id"] == *id);
    found.unwrap_or_else(|| panic!("no block {id}")).clone()
}

/// What Notion's own client in JavaScript did, in the world and the journal.
fn javascript(version: &str) {
    let desk = Desk::new();
    let (trial, printed) = node(&desk, &format!("notion.mjs {version}"));
    let audit = page(&trial, &printed["audit"]);
    assert_eq!(
        audit["path"],
        json!(["Engineering", "Security", "Q3 Audit 2025"])
    );
    assert_eq!(block(&audit, &printed["todo"])["checked"], true);
    let moved = block(&audit, &printed["moved"]);
    assert_eq!(moved["cells"], json!(["SEC-017", "Deferred", "Sprint 5"]));
    assert_eq!(moved["seeded"], false);
    let done = page(&trial, &printed["done"]);
    assert_eq!(done["properties"]["Status"]["text"], "Done");
    assert_eq!(
        done["properties"]["PR"]["text"],
        "https://github.com/acme/hydra/pull/7"
    );
    let blank = page(&trial, &printed["blank"]);
    assert!(
        blank["markdown"]
            .as_str()
            .unwrap()
            .starts_with("## POST /v1/infer\n")
    );
    let row = page(&trial, &printed["row"]);
    assert_eq!(row["comments"][0]["text"], "Made by a client.");
    assert_eq!((&row["seeded"], row.get("in_trash")), (&json!(false), None));

    let journal = journal(&trial);
    let update = entries(&journal, "notion.blocks.update")[0];
    assert_eq!(update["changed"][0]["fields"], json!(["checked"]));
    assert_eq!(update["changed"][0]["parent"], printed["audit"]);
    let update = entries(&journal, "notion.pages.update")[0];
    assert_eq!(update["changed"][0]["fields"], json!(["Status", "PR"]));
    let refused = operations(&trial)
        .into_iter()
        .filter(|(_, status)| *status >= 400);
    assert_eq!(refused.count(), 5);
}

#[test]
fn notions_client_in_javascript() {
    javascript("2025-09-03");
}

#[test]
fn notions_client_in_javascript_with_the_newest_version() {
    javascript("2026-03-11");
}

#[test]
fn a_client_in_python_with_an_old_version_and_a_new_one() {
    let desk = Desk::new();
    let venv = tool("venv/bin/python");
    let venv = venv.ancestors().nth(2).unwrap();
    let scripts = root().join("tests/clients/scripts");
    let (trial, printed) = run(
        &desk,
        "/opt/proctor/tools/venv/bin/python /opt/proctor/tools/scripts/notion_api.py",
        &[venv.to_str().unwrap(), scripts.to_str().unwrap()],
    );
    let notes = page(&trial, &printed["page"]);
    assert_eq!(notes["markdown"], "from Python");
    assert_eq!(notes["path"].as_array().unwrap().len(), 4);
    let audit = page(&trial, &notes["parent"]["page_id"]);
    assert_eq!(block(&audit, &printed["todo"])["checked"], true);
    let journal = journal(&trial);
    assert_eq!(entries(&journal, "notion.users.me").len(), 20);
    let query = entries(&journal, "notion.databases.query")[0];
    assert!(
        query["read"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["id"] == printed["row"])
    );
}

#[test]
fn notions_mcp_server() {
    let desk = Desk::new();
    let (trial, printed) = node(&desk, "notion_mcp.mjs");
    assert_eq!(printed["before"], "# Findings");
    assert_eq!(printed["error"], "object_not_found");
    assert_eq!(printed["comment"], "comment");
    let row = page(&trial, &printed["row"]);
    assert_eq!(row["properties"]["PR"]["text"], printed["pr"]);
    let world = trial.evidence_json("world/after.json");
    let pages = world["notion"]["pages"].as_array().unwrap();
    let audit = pages
        .iter()
        .find(|page| page["title"] == "Q3 Audit 2025")
        .unwrap();
    assert_eq!(block(audit, &printed["todo"])["checked"], true);
    assert_eq!(audit["comments"].as_array().unwrap().len(), 2);
}
