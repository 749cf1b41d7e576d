//! What all answers have in common, and files, refs and issues by REST.

use http::HeaderValue;
use serde_json::{Value, json};

use super::{ask, get, put_file, request, send, world};
use crate::service::Scheme;

#[test]
fn who_does_not_say_who_they_are_reads_and_does_not_write() {
    let mut world = world();
    let mut anonymous = request("GET", "/repos/acme/hydra", &Value::Null);
    anonymous.headers.clear();
    assert_eq!(send(&mut world, &anonymous).status, 200);
    let mut writing = request("POST", "/repos/acme/hydra/issues", &json!({"title": "x"}));
    writing.headers.clear();
    assert_eq!(send(&mut world, &writing).status, 401);
    for bad in ["Bearer ", "Basic %%%", "Digest x"] {
        let mut bad_one = request("GET", "/user", &Value::Null);
        bad_one
            .headers
            .insert("authorization", HeaderValue::from_str(bad).unwrap());
        let answer = send(&mut world, &bad_one);
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(
            (answer.status, &body["message"], &body["status"]),
            (401, &"Bad credentials".into(), &"401".into())
        );
    }
}

#[test]
fn addresses_are_made_of_the_host_that_was_asked() {
    let mut world = world();
    let mut enterprise = request("GET", "/api/v3/repos/acme/hydra", &Value::Null);
    (enterprise.host, enterprise.port, enterprise.scheme) =
        ("127.0.0.1".to_owned(), 8080, Scheme::Http);
    let body: Value = serde_json::from_slice(&send(&mut world, &enterprise).body).unwrap();
    assert_eq!(body["url"], "http://127.0.0.1:8080/api/v3/repos/acme/hydra");
    assert_eq!(body["clone_url"], "http://127.0.0.1:8080/acme/hydra.git");
    let body = get(&mut world, "/repos/acme/hydra");
    assert_eq!(
        (&body["url"], &body["html_url"]),
        (
            &"https://api.github.com/repos/acme/hydra".into(),
            &"https://github.com/acme/hydra".into()
        )
    );
}

#[test]
fn pages_have_links_and_answers_have_tags() {
    let mut world = world();
    for n in 0..5 {
        ask(
            &mut world,
            "POST",
            "/repos/acme/hydra/issues",
            json!({"title": format!("Issue {n}")}),
        );
    }
    let answer = send(
        &mut world,
        &request(
            "GET",
            "/repos/acme/hydra/issues?per_page=3&page=2&state=all",
            &Value::Null,
        ),
    );
    let link = answer.headers["link"].to_str().unwrap();
    for (page, rel) in [(1, "prev"), (3, "next"), (3, "last"), (1, "first")] {
        let expected = format!(
            "<https://api.github.com/repos/acme/hydra/issues?per_page=3&state=all&page={page}>; rel=\"{rel}\""
        );
        assert!(link.contains(&expected), "{link}");
    }
    let tag = answer.headers["etag"].clone();
    let mut again = request(
        "GET",
        "/repos/acme/hydra/issues?per_page=3&page=2&state=all",
        &Value::Null,
    );
    again.headers.insert("if-none-match", tag);
    let answer = send(&mut world, &again);
    assert!(answer.status == 304 && answer.body.is_empty());
}

#[test]
fn files_are_written_only_over_what_the_client_has_seen() {
    let mut world = world();
    let path = "/repos/acme/hydra/contents/src/app.py";
    let put = |sha: Option<&str>| json!({"message": "m", "content": "eA==", "sha": sha});
    assert_eq!(ask(&mut world, "PUT", path, put(None)).0, 422);
    assert_eq!(
        ask(&mut world, "PUT", path, put(Some(&"1".repeat(40)))).0,
        409
    );
    for bad in [
        "/repos/acme/hydra/contents/.git/config",
        "/repos/acme/hydra/contents/a/%2e%2e/b",
    ] {
        let (status, error) = ask(&mut world, "PUT", bad, put(None));
        assert_eq!(status, 422, "{error}");
    }
    let sha = get(&mut world, path)["sha"].clone();
    let (status, done) = ask(&mut world, "PUT", path, put(sha.as_str()));
    assert_eq!(status, 200, "{done}");
    let mut raw = request("GET", path, &Value::Null);
    raw.headers.insert(
        "accept",
        HeaderValue::from_static("application/vnd.github.raw+json"),
    );
    assert_eq!(&send(&mut world, &raw).body[..], b"x");
    let sha = done["content"]["sha"].clone();
    let (status, done) = ask(
        &mut world,
        "DELETE",
        path,
        json!({"message": "m", "sha": sha}),
    );
    assert_eq!((status, &done["content"]), (200, &Value::Null));
    assert_eq!(ask(&mut world, "GET", path, Value::Null).0, 404);
}

#[test]
fn commits_are_made_of_blobs_trees_and_refs() {
    let mut world = world();
    let git = "/repos/acme/hydra/git";
    let head = get(&mut world, &format!("{git}/refs/heads/main"))["object"]["sha"].clone();
    let base = get(
        &mut world,
        &format!("{git}/commits/{}", head.as_str().unwrap()),
    )["tree"]["sha"]
        .clone();
    let blob = ask(
        &mut world,
        "POST",
        &format!("{git}/blobs"),
        json!({"content": "new\n"}),
    )
    .1["sha"]
        .clone();
    let tree = json!({"base_tree": base, "tree": [
        {"path": "lib/new.py", "mode": "100644", "type": "blob", "sha": blob},
        {"path": "README.md", "mode": "100644", "type": "blob", "sha": null},
        {"path": "run.sh", "mode": "100755", "type": "blob", "content": "#!/bin/sh\n"}]});
    let (status, tree) = ask(&mut world, "POST", &format!("{git}/trees"), tree);
    assert_eq!(status, 201, "{tree}");
    let commit = json!({"message": "By hand", "tree": tree["sha"], "parents": [head]});
    let (status, commit) = ask(&mut world, "POST", &format!("{git}/commits"), commit);
    assert_eq!(
        (status, &commit["author"]["name"]),
        (201, &"Agent Ode".into())
    );
    let new = json!({"ref": "refs/heads/hand", "sha": commit["sha"]});
    assert_eq!(
        ask(&mut world, "POST", &format!("{git}/refs"), new.clone()).0,
        201
    );
    assert_eq!(ask(&mut world, "POST", &format!("{git}/refs"), new).0, 422);
    let back = json!({"sha": head});
    let (status, error) = ask(&mut world, "PATCH", &format!("{git}/refs/heads/hand"), back);
    assert_eq!(
        (status, &error["message"]),
        (422, &"Update is not a fast forward".into())
    );
    let compared = get(&mut world, "/repos/acme/hydra/compare/main...hand");
    assert_eq!(
        (&compared["status"], &compared["ahead_by"]),
        (&"ahead".into(), &1.into())
    );
    let files: Vec<_> = compared["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            (
                it["filename"].as_str().unwrap(),
                it["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("README.md", "removed"),
            ("lib/new.py", "added"),
            ("run.sh", "added")
        ]
    );
}

#[test]
fn searches_find_issues_code_and_repositories() {
    let mut world = world();
    put_file(&mut world, "main", "src/leak.py", "buffers = []\n");
    for (target, count) in [
        ("/search/issues?q=memory+repo:acme/hydra+is:issue", 1),
        ("/search/issues?q=is:pr+author:ada+is:open", 1),
        ("/search/issues?q=is:issue+-label:bug", 0),
        ("/search/issues?q=assignee:@me", 1),
        ("/search/code?q=buffers+repo:acme/hydra", 1),
        ("/search/code?q=SIZE+extension:md", 0),
        ("/search/repositories?q=hydra", 1),
        ("/search/commits?q=Tune+author:ada", 1),
    ] {
        assert_eq!(get(&mut world, target)["total_count"], count, "{target}");
    }
}

#[test]
fn unknown_things_are_not_found_and_bad_bodies_are_told() {
    let mut world = world();
    for target in [
        "/repos/acme/none",
        "/nothing",
        "/repos/acme/hydra/issues/99",
        "/repos/acme/hydra/pulls/1",
        "/repos/acme/hydra/contents/none",
    ] {
        assert_eq!(
            ask(&mut world, "GET", target, Value::Null).0,
            404,
            "{target}"
        );
    }
    let mut broken = request("POST", "/repos/acme/hydra/issues", &Value::Null);
    broken.body = "{".into();
    assert_eq!(send(&mut world, &broken).status, 400);
    let (status, error) = ask(
        &mut world,
        "POST",
        "/repos/acme/hydra/issues",
        json!({"title": 1, "labels": 7}),
    );
    assert_eq!(
        (status, &error["errors"][0]["field"]),
        (422, &"labels".into())
    );
    assert_eq!(
        ask(
            &mut world,
            "POST",
            "/repos/acme/hydra/issues",
            json!({"title": "x".repeat(300)})
        )
        .0,
        422
    );
}
