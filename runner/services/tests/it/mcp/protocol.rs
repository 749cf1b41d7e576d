use proctor_services::{JournalCaps, WorldHandle};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::Bench;

#[tokio::test]
async fn every_message_is_dated_and_listed() {
    let bench = Bench::new();
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
    for version in versions {
        let client = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = bench.ask("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "proctor");
    }
    assert_eq!(bench.ask("ping", json!({})).await["result"], json!({}));
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let (status, head, _) = bench.send("POST", "/mcp", "", &note.to_string()).await;
    assert_eq!(status, 202);
    assert!(
        head.contains("date: mon, 02 mar 2026 09:00:06 gmt"),
        "{head}"
    );
    let (status, head, _) = bench.send("GET", "/mcp", "", "").await;
    assert_eq!(status, 405, "there is no stream to wait on");
    assert!(head.contains("allow: post"), "{head}");
    let journal = bench.world.journal();
    let operations: Vec<_> = journal.iter().map(|it| it.operation.as_deref()).collect();
    assert_eq!(
        operations[3..6],
        [
            Some("initialize"),
            Some("ping"),
            Some("notifications/initialized")
        ]
    );
    assert!(
        journal
            .iter()
            .all(|it| it.service == "mcp" && it.via.is_none())
    );
    assert_eq!(journal.len(), 7);
}

#[tokio::test]
async fn the_journal_has_the_digest_of_what_was_sent() {
    let bench = Bench::new();
    for version in ["", "MCP-Protocol-Version: 2025-11-25\r\n"] {
        let message = json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call",
            "params": {"name": "GMAIL_GET_PROFILE", "arguments": {}}});
        let (status, _, body) = bench
            .send("POST", "/mcp", version, &message.to_string())
            .await;
        assert_eq!(status, 200);
        let journal = bench.world.journal();
        let call = &journal[journal.len() - 2];
        assert_eq!(call.response.bytes, body.len() as u64);
        let digest: [u8; 32] = Sha256::digest(&body).into();
        assert_eq!(
            call.response.sha256.as_deref(),
            Some(hex::encode(digest).as_str())
        );
        let value: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(value["id"], "x");
        assert_eq!(value["result"].get("resultType"), None);
    }
}

#[tokio::test]
async fn the_newest_version_of_the_protocol_needs_no_handshake() {
    let bench = Bench::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "GMAIL_GET_PROFILE", "arguments": {}, "_meta": meta}});
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
                   Mcp-Name: GMAIL_GET_PROFILE\r\n";
    let (status, _, body) = bench
        .send("POST", "/mcp", headers, &message.to_string())
        .await;
    assert_eq!(status, 200, "{body}");
    let value: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(value["result"]["resultType"], "complete");
    assert_eq!(value["result"]["structuredContent"]["successful"], true);
}

#[tokio::test]
async fn a_world_offers_the_tools_of_its_services() {
    for (services, count) in [
        (&["google"][..], 12),
        (&["github"], 16),
        (&["notion"], 15),
        (&["google", "github", "notion"], 43),
    ] {
        let bench = Bench::with(services, JournalCaps::default());
        let answer = bench.ask("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), count, "{services:?}");
        for tool in tools {
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        }
    }
    let bench = Bench::with(&["google"], JournalCaps::default());
    let problem = bench
        .problem(
            "GITHUB_GET_A_REPOSITORY",
            json!({"owner": "a", "repo": "b"}),
        )
        .await;
    assert!(problem.contains("not connected"), "{problem}");
}

#[tokio::test]
async fn the_same_calls_give_the_same_bytes() {
    let play = async || {
        let bench = Bench::new();
        let sent = json!({"recipient_email": "ada@example.com", "subject": "x", "body": "y"});
        let mut all = vec![bench.call("GMAIL_SEND_EMAIL", sent).await];
        let files = json!({"owner": "acme", "repo": "hydra", "branch": "b", "message": "m",
            "upserts": [{"path": "a", "content": "b"}]});
        all.push(bench.call("GITHUB_COMMIT_MULTIPLE_FILES", files).await);
        all.push(bench.call("NOTION_SEARCH_NOTION_PAGE", json!({})).await);
        let entries = bench.world.journal().into_iter();
        let entries: Vec<_> = entries
            .map(|it| proctor_types::JournalEntry {
                t_us: 0,
                port: 0,
                ..it
            })
            .collect();
        (all, entries, bench.world.snapshot())
    };
    let (one, other) = (play().await, play().await);
    assert_eq!(one.0, other.0);
    assert_eq!(one.1, other.1);
    assert_eq!(one.2, other.2);
}

#[tokio::test]
async fn a_full_journal_ends_the_tools_too() {
    let caps = JournalCaps {
        requests: 3,
        ..JournalCaps::default()
    };
    let bench = Bench::with(&["google"], caps);
    bench.ok("GMAIL_GET_PROFILE", json!({})).await;
    bench.ok("GMAIL_GET_PROFILE", json!({})).await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "GMAIL_GET_PROFILE"}});
    let (status, _, body) = bench.send("POST", "/mcp", "", &message.to_string()).await;
    assert_eq!(status, 429, "{body}");
}

#[tokio::test]
async fn tools_see_the_world_that_is_restored() {
    let bench = Bench::new();
    let empty = super::world(&["notion"]);
    let answers = |world: &WorldHandle| world.journal().len();
    bench.world.restore(empty);
    let problem = bench.problem("GMAIL_GET_PROFILE", json!({})).await;
    assert!(problem.contains("not connected"), "{problem}");
    assert_eq!(answers(&bench.world), 1);
}
