use serde_json::{Value, json};

use super::Bench;

#[tokio::test]
async fn unknown_tools_are_answered_with_the_nearest_known_one() {
    let bench = Bench::new();
    for (slug, words) in [
        ("GMAIL_SEND_MAIL", "Did you mean GMAIL_SEND_EMAIL?"),
        ("gmail_fetch_emails", "Did you mean GMAIL_FETCH_EMAILS?"),
        (
            "GITHUB_CREATE_PULL_REQUEST",
            "Did you mean GITHUB_CREATE_A_PULL_REQUEST?",
        ),
        ("x", "List the tools"),
        ("", "List the tools"),
    ] {
        let problem = bench.problem(slug, json!({})).await;
        assert!(problem.contains(words), "{slug}: {problem}");
    }
    let long = "A".repeat(100_000);
    let problem = bench.problem(&long, json!({})).await;
    assert!(problem.len() < 1000, "{}", problem.len());
    let journal = bench.world.journal();
    let via = journal.last().unwrap().via.as_ref().unwrap();
    assert!(via.tool.len() <= 1024, "{}", via.tool.len());
    assert_eq!(journal.len(), 6);
}

#[tokio::test]
async fn a_long_argument_is_refused_by_its_name() {
    let bench = Bench::new();
    let long = "x".repeat(5 << 20);
    let problem = bench
        .problem(
            "GMAIL_SEND_EMAIL",
            json!({"recipient_email": "ada@example.com", "body": long}),
        )
        .await;
    assert!(
        problem.contains("`body`") && problem.contains("5242880 bytes"),
        "{problem}"
    );
    let problem = bench
        .problem(
            "NOTION_APPEND_TEXT_BLOCKS",
            json!({"block_id": "x", "children": [{"content": long}]}),
        )
        .await;
    assert!(problem.contains("`children`"), "{problem}");
    // Longer than any message: the transport's own refusal, listed all the same.
    let message = "x".repeat(17 << 20);
    let (status, _, _) = bench.send("POST", "/mcp", "", &message).await;
    assert_eq!(status, 413);
    assert_eq!(bench.world.journal().len(), 3);
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_listed() {
    let bench = Bench::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"GMAIL_GET_PROFILE","arguments":{{"x":{deep}}}}}}}"#
    );
    for body in [
        "",
        "{",
        "[]",
        "5",
        "null",
        "{\"jsonrpc\": \"1.0\"}",
        "{\"id\": 1, \"method\": \"ping\"}",
        "[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]",
        &deep,
        &deep_call,
        "\u{0}",
    ] {
        let (status, _, text) = bench.send("POST", "/mcp", "", body).await;
        assert!((400..500).contains(&status), "{body:.80}: {status} {text}");
    }
    for (method, params, code) in [
        ("tools/call", json!({"arguments": {}}), -32602),
        (
            "tools/call",
            json!({"name": "GMAIL_GET_PROFILE", "arguments": "x"}),
            -32602,
        ),
        ("tools/call", json!({"name": 5}), -32602),
        ("no/such", json!({}), -32601),
        (
            "resources/read",
            json!({"uri": "file:///etc/passwd"}),
            -32601,
        ),
    ] {
        let answer = bench.ask(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        assert_eq!(answer["id"], 7);
    }
    assert_eq!(bench.world.journal().len(), 16);
    assert_eq!(bench.world.fault(), None);
}

#[tokio::test]
async fn a_foreign_host_is_refused() {
    let bench = Bench::new();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    for host in [
        "evil.example",
        "mcp.proctor.test.evil.example",
        "127.0.0.1.evil.example",
    ] {
        let (status, _, _) = bench
            .send("POST", "/mcp", &format!("Host: {host}\r\n"), &ping)
            .await;
        assert_eq!(status, 403, "{host}");
    }
    for host in [
        "mcp.proctor.test",
        "localhost:80",
        "127.0.0.1",
        "[::1]:8080",
    ] {
        let (status, _, body) = bench
            .send("POST", "/mcp", &format!("Host: {host}\r\n"), &ping)
            .await;
        assert_eq!(status, 200, "{host}: {body}");
    }
    assert_eq!(bench.world.journal().len(), 7);
}

#[tokio::test]
async fn many_clients_leave_nothing_behind() {
    let bench = Bench::new();
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    for _ in 0..300 {
        let (status, head, _) = bench.send("POST", "/mcp", "", &hello.to_string()).await;
        assert_eq!(status, 200);
        assert!(!head.contains("mcp-session-id"), "{head}");
    }
    // A session of somebody else's, or of none: there are no sessions to mix up.
    let foreign = "Mcp-Session-Id: 6f0c3a52-0000-4000-8000-000000000000\r\n";
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let (status, _, with) = bench.send("POST", "/mcp", foreign, &list).await;
    assert_eq!(status, 200);
    let (_, _, without) = bench.send("POST", "/mcp", "", &list).await;
    assert_eq!(with, without);
    let (status, _, _) = bench.send("DELETE", "/mcp", foreign, "").await;
    assert_eq!(status, 405);
}

#[tokio::test]
async fn arguments_of_the_wrong_type_are_named() {
    let bench = Bench::new();
    for (slug, arguments, words) in [
        (
            "GMAIL_FETCH_EMAILS",
            json!({"label_ids": "INBOX"}),
            "`label_ids`",
        ),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"label_ids": ["INBOX", 5]}),
            "`label_ids[1]`",
        ),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"max_results": -1}),
            "`max_results`",
        ),
        (
            "GMAIL_FETCH_EMAILS",
            json!({"querry": "x"}),
            "Did you mean `query`?",
        ),
        (
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": 5, "content": "x"}),
            "`block_id`",
        ),
        (
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": null, "content": "x"}),
            "needs the argument `block_id`",
        ),
        (
            "NOTION_UPDATE_BLOCK",
            json!({"block_id": "x", "content": "x", "additional_properties": []}),
            "`additional_properties`",
        ),
    ] {
        let problem = bench.problem(slug, arguments.clone()).await;
        assert!(problem.contains(words), "{slug} {arguments}: {problem}");
        assert!(
            !problem.contains("struct") && !problem.contains("enum"),
            "{problem}"
        );
    }
    let entries = bench.world.journal();
    assert!(
        entries.iter().all(|it| it.part_of.is_none()),
        "no fake was asked"
    );
    let all: Vec<Value> = entries.iter().map(|it| json!(it.status)).collect();
    assert_eq!(all, vec![json!(200); 7]);
}
