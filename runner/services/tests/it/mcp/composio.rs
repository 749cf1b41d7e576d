use proctor_services::World;
use serde_json::{Value, json};

use super::Bench;

const KEY: &str = "x-api-key: ak_test\r\n";
const SESSION: &str = "/api/v3.1/tool_router/session";

async fn json(bench: &Bench, method: &str, path: &str, body: Value) -> (u16, Value) {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let (status, _, body) = bench.send(method, path, KEY, &body).await;
    (
        status,
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{path}: {body}")),
    )
}

async fn session(bench: &Bench, body: Value) -> Value {
    let (status, session) = json(bench, "POST", SESSION, body).await;
    assert_eq!(status, 201, "{session}");
    session
}

#[tokio::test]
async fn a_session_executes_tools_and_the_journal_says_so() {
    let bench = Bench::new();
    let made = session(&bench, json!({"user_id": "user_123"})).await;
    let id = made["session_id"].as_str().unwrap();
    assert_eq!(made["config_version"], 1);
    assert_eq!(
        made["mcp"]["url"],
        format!("http://{}/tool_router/{id}/mcp", bench.plain)
    );
    assert_eq!(made["tool_router_tools"].as_array().unwrap().len(), 47);
    let n = bench.world.journal().len();
    let (status, done) = json(
        &bench,
        "POST",
        &format!("{SESSION}/{id}/execute"),
        json!({"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"max_results": 1}}),
    )
    .await;
    assert_eq!(
        (status, &done["result_type"]),
        (200, &json!("completed")),
        "{done}"
    );
    assert!(done["log_id"].as_str().unwrap().starts_with("log_"));
    assert_eq!(done["data"]["messages"][0]["subject"], "The leak");
    let entries = bench.since(n);
    assert_eq!(
        entries[0].operation.as_deref(),
        Some("tool_router.session.execute")
    );
    assert_eq!(entries[1].part_of, Some(entries[0].n));
    for entry in &entries {
        let via = entry.via.as_ref().unwrap();
        assert_eq!(
            (via.channel.as_str(), via.tool.as_str()),
            ("composio", "GMAIL_FETCH_EMAILS")
        );
    }
    let (_, failed) = json(
        &bench,
        "POST",
        &format!("{SESSION}/{id}/execute"),
        json!({"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {"body": "x"}}),
    )
    .await;
    assert_eq!(failed["result_type"], "failed");
    assert!(
        failed["error"].as_str().unwrap().contains("no recipient"),
        "{failed}"
    );
}

#[tokio::test]
async fn several_tools_are_executed_in_one_call() {
    let bench = Bench::new();
    let made = session(&bench, json!({"user_id": "u"})).await;
    let path = format!("{SESSION}/{}/execute", made["session_id"].as_str().unwrap());
    let many = json!({"tool_slug": "COMPOSIO_MULTI_EXECUTE_TOOL", "arguments": {"tools": [
        {"tool_slug": "GMAIL_GET_PROFILE", "arguments": {}},
        {"tool_slug": "NOTION_SEARCH_NOTION_PAGE", "arguments": {"query": "Audit"}},
        {"tool_slug": "GMAIL_GET_PROFIL", "arguments": {}},
    ]}});
    let (_, done) = json(&bench, "POST", &path, many).await;
    assert_eq!(done["data"]["success_count"], 2, "{done}");
    let problem = done["data"]["results"][2]["response"]["error"]
        .as_str()
        .unwrap();
    assert!(
        problem.contains("Did you mean GMAIL_GET_PROFILE?"),
        "{problem}"
    );
    let tools: Vec<_> = bench
        .since(1)
        .into_iter()
        .map(|it| it.via.unwrap().tool)
        .collect();
    assert_eq!(
        tools,
        [
            "COMPOSIO_MULTI_EXECUTE_TOOL",
            "GMAIL_GET_PROFILE",
            "NOTION_SEARCH_NOTION_PAGE"
        ]
    );
    let search = json!({"tool_slug": "COMPOSIO_SEARCH_TOOLS", "arguments": {"queries": [{"use_case": "send an email"}]}});
    let (_, found) = json(&bench, "POST", &path, search).await;
    let slugs = found["data"]["results"][0]["primary_tool_slugs"]
        .as_array()
        .unwrap();
    assert!(slugs.contains(&json!("GMAIL_SEND_EMAIL")), "{found}");
    let schemas = json!({"tool_slug": "COMPOSIO_GET_TOOL_SCHEMAS", "arguments": {"tool_slugs": ["GMAIL_SEND_EMAIL"]}});
    let (_, found) = json(&bench, "POST", &path, schemas).await;
    assert_eq!(
        found["data"]["tool_schemas"]["GMAIL_SEND_EMAIL"]["input_schema"]["type"],
        "object"
    );
}

#[tokio::test]
async fn a_session_is_bounded_by_its_toolkits() {
    let bench = Bench::new();
    let made = session(
        &bench,
        json!({"user_id": "u", "toolkits": {"enable": ["gmail"]}, "preload": {"tools": ["GMAIL_SEND_EMAIL"]}}),
    )
    .await;
    let path = format!("{SESSION}/{}", made["session_id"].as_str().unwrap());
    let (_, tools) = json(&bench, "GET", &format!("{path}/tools"), Value::Null).await;
    let slugs: Vec<_> = tools["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["slug"])
        .collect();
    assert_eq!(slugs.last().unwrap(), &"GMAIL_SEND_EMAIL");
    assert_eq!(slugs.len(), 5);
    let (status, refused) = json(
        &bench,
        "POST",
        &format!("{path}/execute"),
        json!({"tool_slug": "NOTION_SEARCH_NOTION_PAGE", "arguments": {}}),
    )
    .await;
    assert_eq!(status, 403, "{refused}");
    let (status, changed) = json(
        &bench,
        "PATCH",
        &path,
        json!({"toolkits": ["gmail", "notion"]}),
    )
    .await;
    assert_eq!((status, &changed["config_version"]), (200, &json!(2)));
    let (status, _) = json(&bench, "DELETE", &path, Value::Null).await;
    assert_eq!(status, 200);
    let (status, gone) = json(&bench, "GET", &path, Value::Null).await;
    assert_eq!((status, &gone["error"]["status"]), (404, &json!(404)));
}

#[tokio::test]
async fn tools_are_listed_and_executed_without_a_session() {
    let bench = Bench::new();
    let path = "/api/v3.1/tools?tool_slugs=GMAIL_SEND_EMAIL,GITHUB_GET_A_TREE";
    let (_, found) = json(&bench, "GET", path, Value::Null).await;
    assert_eq!(found["items"][1]["toolkit"]["slug"], "github");
    let (_, some) = json(
        &bench,
        "GET",
        "/api/v3.1/tools?toolkit_slug=notion&limit=10",
        Value::Null,
    )
    .await;
    assert_eq!(
        (
            some["items"].as_array().unwrap().len(),
            &some["next_cursor"]
        ),
        (10, &json!("10"))
    );
    let (_, rest) = json(
        &bench,
        "GET",
        "/api/v3.1/tools?toolkit_slug=notion&limit=10&cursor=10",
        Value::Null,
    )
    .await;
    assert_eq!(
        (
            rest["items"].as_array().unwrap().len(),
            &rest["next_cursor"]
        ),
        (5, &Value::Null)
    );
    let (_, one) = json(
        &bench,
        "GET",
        "/api/v3.1/tools/GMAIL_SEND_EMAIL",
        Value::Null,
    )
    .await;
    assert_eq!(
        one["input_parameters"]["properties"]["cc"]["description"],
        "Addresses that get a copy."
    );
    let execute = "/api/v3.1/tools/execute/GMAIL_GET_PROFILE";
    let (_, done) = json(
        &bench,
        "POST",
        execute,
        json!({"user_id": "u", "arguments": {}}),
    )
    .await;
    assert_eq!(done["successful"], true, "{done}");
}

#[tokio::test]
async fn the_server_of_a_session_is_only_for_that_session() {
    let bench = Bench::new();
    let made = session(&bench, json!({"user_id": "u"})).await;
    let path = format!("/tool_router/{}/mcp", made["session_id"].as_str().unwrap());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "GMAIL_GET_PROFILE", "arguments": {}}})
    .to_string();
    let (status, _, body) = bench.send("POST", &path, KEY, &call).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("agent@example.com"), "{body}");
    let (status, _, _) = bench.send("POST", &path, "", &call).await;
    assert_eq!(status, 401, "without a key");
    for list in [&call, &call.replace("tools/call", "tools/list")] {
        let (status, _, body) = bench
            .send("POST", "/tool_router/trs_other/mcp", KEY, list)
            .await;
        assert_eq!(status, 404, "{body}");
    }
    let journal = bench.world.journal();
    assert_eq!(journal.iter().filter(|it| it.part_of.is_some()).count(), 1);
}

#[tokio::test]
async fn the_server_of_a_session_has_the_tools_of_its_toolkits() {
    let bench = Bench::new();
    let made = session(&bench, json!({"user_id": "u", "toolkits": ["gmail"]})).await;
    let id = made["session_id"].as_str().unwrap();
    let ask = async |method: &str, params: Value| {
        let path = format!("/tool_router/{id}/mcp");
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        json(&bench, "POST", &path, message).await.1["result"].clone()
    };
    let toolkits = async || {
        let listed = ask("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        let mut toolkits: Vec<String> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .map(|name| name.split('_').next().unwrap().to_owned())
            .collect();
        toolkits.dedup();
        (tools.len(), toolkits.join(" "))
    };
    assert_eq!(toolkits().await, (12, "GMAIL".to_owned()));
    let search = json!({"name": "NOTION_SEARCH_NOTION_PAGE", "arguments": {}});
    let refused = ask("tools/call", search.clone()).await;
    assert_eq!(refused["isError"], true);
    let error = refused["structuredContent"]["error"].as_str().unwrap();
    assert!(error.contains("toolkit `notion`"), "{error}");
    let journal = bench.world.journal();
    assert!(journal.iter().all(|it| it.part_of.is_none()));
    assert_eq!(
        journal.last().unwrap().via.as_ref().unwrap().tool,
        "NOTION_SEARCH_NOTION_PAGE"
    );
    let profile = json!({"name": "GMAIL_GET_PROFILE", "arguments": {}});
    assert_eq!(ask("tools/call", profile).await["isError"], false);

    let wider = json!({"toolkits": {"disable": ["gmail"]}});
    json(&bench, "PATCH", &format!("{SESSION}/{id}"), wider).await;
    assert_eq!(toolkits().await, (31, "GITHUB NOTION".to_owned()));
    assert_eq!(ask("tools/call", search).await["isError"], false);
    // The world's own address is nobody's session.
    let all = bench.ask("tools/list", json!({})).await;
    assert_eq!(all["result"]["tools"].as_array().unwrap().len(), 43);
}

#[tokio::test]
async fn what_is_wrong_is_said_and_nothing_happens() {
    let bench = Bench::new();
    let (status, _, body) = bench.send("POST", SESSION, "", "{}").await;
    assert_eq!(status, 401, "{body}");
    let made = session(&bench, json!({"user_id": "u"})).await;
    let own = format!("{SESSION}/{}/execute", made["session_id"].as_str().unwrap());
    let search = format!("{SESSION}/{}/search", made["session_id"].as_str().unwrap());
    for (path, body, status, words) in [
        (SESSION, json!({}), 400, "user_id"),
        (SESSION, json!({"user_id": 5}), 400, "user_id"),
        (
            SESSION,
            json!({"user_id": "u", "toolkits": ["slack"]}),
            400,
            "slack",
        ),
        (
            SESSION,
            json!({"user_id": "u", "preload": {"tools": ["GMAIL_X"]}}),
            404,
            "GMAIL_X",
        ),
        (&own, json!({}), 400, "tool_slug"),
        (
            &own,
            json!({"tool_slug": "GMAIL_SEND_MAIL"}),
            404,
            "Did you mean GMAIL_SEND_EMAIL?",
        ),
        (
            &own,
            json!({"tool_slug": "GMAIL_GET_PROFILE", "arguments": "x"}),
            400,
            "arguments",
        ),
        (&own, json!([]), 400, "object"),
        (&search, json!({"queries": []}), 400, "queries"),
        (
            "/api/v3.1/tool_router/session/trs_none/execute",
            json!({"tool_slug": "GMAIL_GET_PROFILE"}),
            404,
            "no session",
        ),
        (
            "/api/v3.1/tools/execute/GMAIL_SEND_MAIL",
            json!({}),
            404,
            "Did you mean",
        ),
        ("/api/v3.1/tools/nothing/here", json!({}), 404, "not there"),
    ] {
        let (got, error) = json(&bench, "POST", path, body.clone()).await;
        assert_eq!(got, status, "{path} {body}: {error}");
        let text = error["error"]["message"].as_str().unwrap();
        assert!(text.contains(words), "{path} {body}: {error}");
        if words == "not there" {
            let fix = error["error"]["suggested_fix"].as_str().unwrap();
            assert!(fix.contains("tool_router/session"), "{error}");
        }
    }
    let deep = format!(
        "{{\"user_id\": {}{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let (status, _, _) = bench.send("POST", SESSION, KEY, &deep).await;
    assert_eq!(status, 400);
    assert_eq!(bench.world.fault(), None);
}

#[tokio::test]
async fn sessions_are_bounded_and_part_of_the_world() {
    let bench = Bench::new();
    for _ in 0..1000 {
        session(&bench, json!({"user_id": "u"})).await;
    }
    let (status, refused) = json(&bench, "POST", SESSION, json!({"user_id": "u"})).await;
    assert_eq!(status, 429, "{refused}");
    let text = serde_json::to_string(&bench.world.world()).unwrap();
    let back: World = serde_json::from_str(&text).unwrap();
    bench.world.reset();
    let made = session(&bench, json!({"user_id": "u"})).await;
    let path = format!("{SESSION}/{}", made["session_id"].as_str().unwrap());
    bench.world.restore(back);
    let (status, _) = json(&bench, "GET", &path, Value::Null).await;
    assert_eq!(status, 200, "the first session has the same name in both");
}
