//! What requests cannot do: leave half of a change behind, or fill the disk.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{ask, ask_as, get, put_file, request, send, world};
use crate::world::World;

/// The evidence as text.
fn evidence(world: &World) -> String {
    serde_json::to_string(&world.snapshot().github).unwrap()
}

/// Asks for what must be refused, and must leave everything as it was.
#[track_caller]
fn refused(world: &mut World, method: &str, target: &str, body: Value) -> (u16, String) {
    let before = evidence(world);
    let mut request = request(method, target, &body);
    request.host = "api.github.com".to_owned();
    let answer = send(world, &request);
    let json: Value = serde_json::from_slice(&answer.body).unwrap();
    assert!(answer.status >= 400, "{target}: {json}");
    assert!(
        answer.changed.is_empty() && answer.read.is_empty(),
        "{target}"
    );
    assert_eq!(evidence(world), before, "{method} {target} left a trace");
    let message = json["message"].as_str().unwrap().to_owned();
    (answer.status, message)
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut world = world();
    let title = "Half of a change";
    for (method, target, body) in [
        (
            "PATCH",
            "issues/1",
            json!({"title": title, "body": title, "milestone": 99}),
        ),
        (
            "PATCH",
            "issues/1",
            json!({"title": title, "assignees": ["nobody-here"]}),
        ),
        (
            "PATCH",
            "issues/1",
            json!({"title": title, "state": "ajar"}),
        ),
        ("PATCH", "issues/1", json!({"title": title, "labels": [7]})),
        (
            "POST",
            "issues",
            json!({"title": title, "assignees": ["nobody-here"]}),
        ),
        ("POST", "issues", json!({"title": title, "milestone": 99})),
        (
            "PATCH",
            "pulls/2",
            json!({"title": title, "base": "nowhere"}),
        ),
        ("PATCH", "pulls/2", json!({"title": title, "state": "ajar"})),
        (
            "POST",
            "pulls",
            json!({"title": title, "head": "more", "base": "nowhere"}),
        ),
        (
            "POST",
            "pulls/2/requested_reviewers",
            json!({"reviewers": ["kim-lee", "nobody-here"]}),
        ),
        ("PUT", "pulls/2/merge", json!({"sha": "0".repeat(40)})),
        ("PUT", "pulls/2/merge", json!({"merge_method": "octopus"})),
        (
            "PATCH",
            "",
            json!({"description": title, "default_branch": "nowhere"}),
        ),
        (
            "PATCH",
            "milestones/1",
            json!({"title": title, "state": "ajar"}),
        ),
        ("POST", "labels", json!({"name": "bug"})),
        (
            "PATCH",
            "git/refs/heads/main",
            json!({"sha": "0".repeat(40), "force": true}),
        ),
        (
            "PUT",
            "contents/src/app.py",
            json!({"message": "m", "content": "eA=="}),
        ),
        (
            "PUT",
            "contents/../x",
            json!({"message": "m", "content": "eA=="}),
        ),
        (
            "PUT",
            "contents/.git/config",
            json!({"message": "m", "content": "eA=="}),
        ),
        (
            "POST",
            "git/trees",
            json!({"tree": [{"path": "a/../b", "content": "x"}]}),
        ),
    ] {
        let target = format!("/repos/acme/hydra/{target}");
        let target = target.trim_end_matches('/');
        refused(&mut world, method, target, body);
    }
    assert_eq!(
        get(&mut world, "/repos/acme/hydra/issues/1")["title"],
        "It leaks"
    );
}

#[test]
fn a_mutation_that_fails_leaves_no_trace_either() {
    let mut world = world();
    let id = get(&mut world, "/repos/acme/hydra/issues/1")["node_id"].clone();
    let before = evidence(&world);
    let query = "mutation($input: UpdateIssueInput!) {updateIssue(input: $input) {issue {title}}}";
    for input in [
        json!({"id": id, "title": "Half", "milestoneId": "nonsense"}),
        json!({"id": id, "title": "Half", "assigneeIds": ["nonsense"]}),
        json!({"id": id, "title": "Half", "labelIds": ["nonsense"]}),
    ] {
        let body = json!({"query": query, "variables": {"input": input}});
        let (status, answer) = ask(&mut world, "POST", "/graphql", body);
        assert_eq!(status, 200);
        assert!(answer["errors"][0]["message"].is_string(), "{answer}");
        assert_eq!(evidence(&world), before, "{input}");
    }
}

#[test]
fn fragments_that_double_are_refused_as_well() {
    let mut world = world();
    let mut query = "query {viewer {...f0}}".to_owned();
    for level in 0..40 {
        let next = level + 1;
        let doubled = format!(" fragment f{level} on User {{...f{next} ...f{next}}}");
        query.push_str(&doubled);
    }
    query += " fragment f40 on User {login}";
    let (status, answer) = ask(&mut world, "POST", "/graphql", json!({"query": query}));
    assert_eq!(status, 200);
    assert!(answer["errors"][0]["message"].is_string(), "{answer}");
}

#[test]
fn files_are_only_so_large() {
    let mut world = world();
    let content = STANDARD.encode(vec![0; (50 << 20) + 1]);
    let (status, message) = refused(
        &mut world,
        "PUT",
        "/repos/acme/hydra/contents/big.bin",
        json!({"message": "m", "content": content}),
    );
    assert_eq!(
        (status, message.as_str()),
        (422, "Sorry, your input was too large to process.")
    );
}

/// The world, with this much of its room taken.
fn filled(objects: u64, text: u64) -> World {
    let mut json = serde_json::to_value(world()).unwrap();
    json["github"]["added"] = json!({"objects": objects, "text": text});
    serde_json::from_value(json).unwrap()
}

#[test]
fn there_is_room_for_so_much_and_no_more() {
    let full = 256 << 20;
    let mut world = filled(full - 200, 0);
    let issue = json!({"title": "Still possible"});
    ask(&mut world, "POST", "/repos/acme/hydra/issues", issue);
    let (status, message) = refused(
        &mut world,
        "PUT",
        "/repos/acme/hydra/contents/a",
        json!({"message": "m", "content": STANDARD.encode([7; 300])}),
    );
    assert_eq!(status, 403);
    assert!(
        message.starts_with("Repository size limit exceeded: this world takes 256 MiB"),
        "{message}"
    );
    put_file(&mut world, "main", "a", "x");

    let mut world = filled(0, (12 << 20) - 100);
    let issue = json!({"title": "x", "body": "y".repeat(100)});
    let (status, message) = refused(&mut world, "POST", "/repos/acme/hydra/issues", issue);
    assert!(status == 403 && message.contains("issues"), "{message}");
    put_file(&mut world, "main", "a", "x");
    // Only what is really added takes room.
    for _ in 0..5 {
        let wrong = json!({"title": "x", "milestone": 99});
        refused(&mut world, "POST", "/repos/acme/hydra/issues", wrong);
    }
    ask(
        &mut world,
        "POST",
        "/repos/acme/hydra/issues",
        json!({"title": "small"}),
    );
    assert_eq!(
        get(&mut world, "/repos/acme/hydra/issues/3")["title"],
        "small"
    );
}

#[test]
fn repositories_are_only_so_many() {
    let mut world = world();
    for number in 0..200 {
        let (status, _) = ask(
            &mut world,
            "POST",
            "/user/repos",
            json!({"name": format!("r{number}")}),
        );
        assert_eq!(status, 201);
    }
    let (status, message) = refused(&mut world, "POST", "/user/repos", json!({"name": "more"}));
    assert_eq!((status, message.as_str()), (422, "Validation Failed"));
}

#[test]
fn the_journal_says_who_did_what() {
    let mut world = world();
    let body = json!({"body": "Mine."});
    let target = "/repos/acme/hydra/issues/1/comments";
    let (_, comment) = ask_as(&mut world, "ada-token", "POST", target, body.clone());
    assert_eq!(comment["user"]["login"], "ada");
    let answer = send(&mut world, &request("POST", target, &body));
    assert_eq!(answer.actor.as_deref(), Some("agent"));
    let (status, me) = ask_as(&mut world, "ada-token", "GET", "/user", Value::Null);
    assert_eq!((status, &me["login"]), (200, &json!("ada")));
    let viewer = json!({"query": "{viewer{login}}"});
    let (_, answer) = ask_as(&mut world, "ada-token", "POST", "/graphql", viewer);
    assert_eq!(answer["data"]["viewer"]["login"], "ada");
}
