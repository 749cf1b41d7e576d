//! What every request goes through.

use http::HeaderValue;
use proctor_types::Change;
use serde_json::{Value, json};

use super::{paragraph, rig};

#[test]
fn a_request_needs_a_token_a_version_and_an_address() {
    let rig = rig();
    let mut request = rig.request("GET", "users/me", &Value::Null);
    request.headers.remove("authorization");
    let (status, error) = rig.send(&request);
    assert_eq!((status, &error["code"]), (401, &json!("unauthorized")));
    assert_eq!(error["object"], "error");
    assert_eq!(error["status"], 401);
    assert!(error["request_id"].is_string());

    let mut request = rig.request("GET", "users/me", &Value::Null);
    request.headers.remove("notion-version");
    let (status, error) = rig.send(&request);
    assert_eq!((status, &error["code"]), (400, &json!("missing_version")));
    request
        .headers
        .insert("notion-version", HeaderValue::from_static("2020-01-01"));
    let (_, error) = rig.send(&request);
    assert_eq!(error["code"], "validation_error");
    let message = error["message"].as_str().unwrap();
    assert!(message.ends_with(
        "should be `\"2022-06-28\"`, `\"2025-09-03\"`, or `\"2026-03-11\"`, instead was `\"2020-01-01\"`."
    ), "{message}");

    for target in ["nonsense", "pages", "pages/x/y/z", ""] {
        let (status, error) = rig.try_("GET", target, &Value::Null);
        assert_eq!(
            (status, &error["code"]),
            (400, &json!("invalid_request_url")),
            "{target}"
        );
    }
    assert_eq!(rig.last().operation, None);
}

#[test]
fn identifiers_are_read_either_way_and_must_be_some() {
    let rig = rig();
    let id = rig.id("API Reference");
    let page = rig.get(&format!("pages/{id}"));
    assert_eq!(page["id"], id.as_str());
    assert_eq!(rig.get(&format!("pages/{}", id.replace('-', ""))), {
        let mut same = rig.get(&format!("pages/{}", id.replace('-', "")));
        same["id"] = id.as_str().into();
        same
    });
    assert_eq!(
        rig.invalid("GET", "pages/test", &Value::Null),
        "path failed validation: path.page_id should be a valid uuid, instead was `\"test\"`."
    );
    let nobody = "00000000-0000-4000-8000-000000000000";
    for target in [
        "pages",
        "blocks",
        "databases",
        "data_sources",
        "users",
        "comments",
    ] {
        let (status, error) = rig.try_("GET", &format!("{target}/{nobody}"), &Value::Null);
        assert_eq!(
            (status, &error["code"]),
            (404, &json!("object_not_found")),
            "{target}"
        );
    }
    let (_, error) = rig.try_("GET", &format!("pages/{nobody}"), &Value::Null);
    assert_eq!(
        error["message"],
        format!(
            "Could not find page with ID: {nobody}. Make sure the relevant pages and databases are \
             shared with your integration."
        )
    );
}

#[test]
fn bodies_have_their_limits() {
    let rig = rig();
    let id = rig.id("API Reference");
    let target = format!("blocks/{id}/children");
    let mut request = rig.request("PATCH", &target, &json!({}));
    request.body = "{oops".into();
    let (status, error) = rig.send(&request);
    assert_eq!((status, &error["code"]), (400, &json!("invalid_json")));
    request.body = "[]".into();
    assert_eq!(rig.send(&request).0, 400);

    let many = json!({"children": vec![paragraph("x"); 101]});
    assert_eq!(
        rig.invalid("PATCH", &target, &many),
        "body failed validation: body.children.length should be \u{2264} `100`, instead was `101`."
    );
    let long = json!({"children": [paragraph(&"x".repeat(2001))]});
    assert_eq!(
        rig.invalid("PATCH", &target, &long),
        "body failed validation: body.children[0].paragraph.rich_text[0].text.content.length \
         should be \u{2264} `2000`, instead was `2001`."
    );
    let huge = json!({"children": [paragraph(&"x".repeat(5 << 20))]});
    assert_eq!(rig.try_("PATCH", &target, &huge).0, 413);
    assert!(
        rig.page("API Reference").blocks.is_empty(),
        "nothing was written"
    );
}

#[test]
fn trees_are_only_so_deep() {
    let rig = rig();
    let id = rig.id("API Reference");
    let target = format!("blocks/{id}/children");
    let nested = |levels: usize| {
        (0..levels).fold(
            paragraph("leaf"),
            |inner, _| json!({"paragraph": {"rich_text": [], "children": [inner]}}),
        )
    };
    rig.ok("PATCH", &target, &json!({"children": [nested(2)]}));
    let message = rig.invalid("PATCH", &target, &json!({"children": [nested(3)]}));
    assert!(
        message.starts_with(
            "body failed validation: body.children[0].paragraph.children[0].paragraph.children[0]\
         .paragraph.children should be not present, instead was `[{"
        ),
        "{message}"
    );
    // A thousand levels are more than a parser follows.
    let mut text = String::new();
    for _ in 0..1000 {
        text.push_str("{\"paragraph\":{\"rich_text\":[],\"children\":[");
    }
    let mut request = rig.request("PATCH", &target, &json!({}));
    request.body = format!("{{\"children\":[{text}]}}").into();
    let (status, error) = rig.send(&request);
    assert_eq!(
        (status, &error["code"]),
        (400, &json!("validation_error")),
        "{error}"
    );
    // One level at a time ends somewhere as well.
    let mut parent = id;
    let mut levels = 0;
    loop {
        let append = json!({"children": [paragraph("deeper")]});
        let (status, answer) = rig.try_("PATCH", &format!("blocks/{parent}/children"), &append);
        if status != 200 {
            assert_eq!(answer["code"], "validation_error");
            break;
        }
        levels += 1;
        assert!(levels < 1000);
        parent = answer["results"][0]["id"].as_str().unwrap().to_owned();
    }
    assert!(levels > 50, "{levels}");
    assert_eq!(rig.page("API Reference").blocks.len(), 3 + levels);
}

#[test]
fn other_tokens_stand_for_other_people() {
    let rig = rig();
    assert_eq!(rig.get("users/me")["type"], "bot");
    let mut request = rig.request("GET", "users/me", &Value::Null);
    request.headers.insert(
        "authorization",
        HeaderValue::from_static("Bearer marcus-token"),
    );
    let (_, me) = rig.send(&request);
    assert_eq!(
        (&me["name"], &me["person"]["email"]),
        (&json!("Marcus"), &json!("marcus@example.com"))
    );
    assert_eq!(rig.last().actor.as_deref(), Some("marcus@example.com"));
    let users = rig.get("users");
    assert_eq!(users["results"].as_array().unwrap().len(), 4);
    let id = users["results"][2]["id"].as_str().unwrap();
    assert_eq!(rig.get(&format!("users/{id}"))["name"], "Alex Mercer");
    let two = rig.get("users?page_size=2");
    assert_eq!(two["has_more"], true);
    let next = two["next_cursor"].as_str().unwrap();
    let rest = rig.get(&format!("users?page_size=2&start_cursor={next}"));
    assert_eq!(
        (&rest["has_more"], &rest["next_cursor"]),
        (&json!(false), &Value::Null)
    );
    for (query, words) in [
        (
            "page_size=101",
            "query.page_size should be \u{2264} `100`, instead was `101`",
        ),
        ("page_size=x", "query.page_size should be a number"),
        (
            "start_cursor=x",
            "query.start_cursor should be a valid uuid",
        ),
    ] {
        let message = rig.invalid("GET", &format!("users?{query}"), &Value::Null);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn comments_are_written_answered_and_listed() {
    let rig = rig();
    let audit = rig.id("Q3 Audit 2025");
    let target = format!("comments?block_id={audit}");
    let first = rig.get(&target)["results"][0].clone();
    assert_eq!(first["rich_text"][1]["annotations"]["bold"], true);
    let body = json!({
        "discussion_id": first["discussion_id"],
        "rich_text": [{"text": {"content": "I do."}}],
    });
    let answer = rig.ok("POST", "comments", &body);
    assert_eq!(
        answer["parent"],
        json!({"type": "page_id", "page_id": audit})
    );
    assert_eq!(rig.last().changed[0].change, Some(Change::Created));
    let todo = rig.block("SEC-004").id;
    let body = json!({"parent": {"block_id": todo}, "markdown": "On **it**"});
    let on_block = rig.ok("POST", "comments", &body);
    assert_eq!(rig.get(&target)["results"].as_array().unwrap().len(), 2);
    assert_eq!(rig.page("Q3 Audit 2025").comments.len(), 3);
    let id = on_block["id"].as_str().unwrap();
    rig.ok(
        "PATCH",
        &format!("comments/{id}"),
        &json!({"rich_text": super::rich("no")}),
    );
    assert_eq!(
        rig.get(&format!("comments/{id}"))["rich_text"][0]["plain_text"],
        "no"
    );
    rig.ok("DELETE", &format!("comments/{id}"), &Value::Null);
    assert_eq!(
        rig.try_("GET", &format!("comments/{id}"), &Value::Null).0,
        404
    );
    assert!(
        rig.invalid("POST", "comments", &json!({"rich_text": super::rich("x")}))
            .contains("Fix one:")
    );
}

#[test]
fn search_is_by_title() {
    let rig = rig();
    let titles = |body: Value| {
        let found = rig.ok("POST", "search", &body);
        let found = found["results"].as_array().unwrap().clone();
        found
            .iter()
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let all = titles(json!({}));
    assert_eq!(all.len(), 6 + 4 + 1, "pages, rows, the table");
    assert_eq!(titles(json!({"query": "audit"})), [rig.id("Q3 Audit 2025")]);
    assert_eq!(
        titles(json!({"query": "api reference"})),
        [rig.id("API Reference")]
    );
    assert_eq!(titles(json!({"query": "nothing like it"})), [""; 0]);
    let filter = json!({"property": "object", "value": "data_source"});
    let table = rig.database().data_sources[0].id.clone();
    assert_eq!(titles(json!({"filter": filter})), [table]);
    let filter = json!({"property": "object", "value": "database"});
    rig.invalid("POST", "search", &json!({"filter": filter}));
    let old = super::rig().version("2022-06-28");
    let found = old.ok("POST", "search", &json!({"filter": filter}));
    assert_eq!(found["results"][0]["object"], "database");
    assert!(found["results"][0]["properties"]["Status"].is_object());
}

#[test]
fn a_workspace_takes_so_much_and_no_more() {
    let rig = rig();
    let mut world = rig.handle.world();
    let room = (8 << 20) - 300;
    world.notion.as_mut().unwrap().added = room;
    rig.handle.restore(world);
    let target = format!("blocks/{}/children", rig.id("API Reference"));
    let long = json!({"children": [paragraph(&"x".repeat(400))]});
    let before = rig.snapshot();
    let (status, error) = rig.try_("PATCH", &target, &long);
    assert_eq!(
        (status, &error["code"]),
        (403, &json!("restricted_resource"))
    );
    assert_eq!(rig.snapshot().pages, before.pages);
    // Looking at things takes no room.
    let search = json!({"query": "y".repeat(400)});
    assert_eq!(rig.try_("POST", "search", &search).0, 200);
    let short = json!({"children": [paragraph("x")]});
    assert_eq!(rig.try_("PATCH", &target, &short).0, 200);
}
