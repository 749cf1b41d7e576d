//! Pull requests: merging, conflicts, rules.

use serde_json::{Value, json};

use super::{ask, ask_as, get, put_file, seed, world};
use crate::world::World;

const PULL: &str = "/repos/acme/hydra/pulls/2";

fn merge(world: &mut World, body: Value) -> (u16, Value) {
    ask(world, "PUT", &format!("{PULL}/merge"), body)
}

fn messages(world: &mut World) -> Vec<String> {
    let commits = get(world, "/repos/acme/hydra/commits");
    let message = |it: &Value| it["commit"]["message"].as_str().unwrap().to_owned();
    commits.as_array().unwrap().iter().map(message).collect()
}

#[test]
fn three_ways_of_merging() {
    let mut by_merge = world();
    assert_eq!(merge(&mut by_merge, json!({})).0, 200);
    assert_eq!(
        messages(&mut by_merge)[0],
        "Merge pull request #2 from acme/more\n\nMore"
    );
    let mut squashed = world();
    put_file(&mut squashed, "main", "other", "x");
    assert_eq!(
        merge(&mut squashed, json!({"merge_method": "squash"})).0,
        200
    );
    assert_eq!(messages(&mut squashed)[0], "More (#2)");
    let mut rebased = world();
    put_file(&mut rebased, "main", "other", "x");
    assert_eq!(
        merge(&mut rebased, json!({"merge_method": "rebase"})).0,
        200
    );
    let commits = get(&mut rebased, "/repos/acme/hydra/commits");
    assert_eq!(commits[0]["commit"]["author"]["name"], "Eve");
    assert_eq!(commits[0]["commit"]["committer"]["name"], "GitHub");
    for mut world in [by_merge, squashed, rebased] {
        let pull = get(&mut world, PULL);
        assert_eq!(
            (&pull["merged"], &pull["state"]),
            (&true.into(), &"closed".into())
        );
        assert_eq!(pull["merged_by"]["login"], "agent");
        assert_eq!(
            get(&mut world, "/repos/acme/hydra/issues/1")["state"],
            "closed"
        );
        assert_eq!(merge(&mut world, json!({})).0, 405);
    }
}

#[test]
fn conflicts_and_stale_heads_do_not_merge() {
    let mut world = world();
    let (status, error) = merge(&mut world, json!({"sha": "0".repeat(40)}));
    assert_eq!((status, &error["status"]), (409, &"409".into()));
    put_file(&mut world, "main", "src/app.py", "SIZE = 7\n");
    let pull = get(&mut world, PULL);
    assert_eq!(
        (&pull["mergeable"], &pull["mergeable_state"]),
        (&false.into(), &"dirty".into())
    );
    let (status, error) = merge(&mut world, json!({}));
    assert_eq!(
        (status, &error["message"]),
        (405, &"Pull Request is not mergeable".into())
    );
    let (status, _) = ask(
        &mut world,
        "PUT",
        &format!("{PULL}/update-branch"),
        json!({}),
    );
    assert_eq!(status, 422);
}

#[test]
fn pull_requests_that_make_no_sense_are_refused() {
    let mut world = world();
    let mut open = |body: Value| {
        let (status, error) = ask(&mut world, "POST", "/repos/acme/hydra/pulls", body);
        assert_eq!(status, 422, "{error}");
        let first = &error["errors"][0];
        first["message"]
            .as_str()
            .or(first["field"].as_str())
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        open(json!({"title": "x", "head": "nowhere", "base": "main"})),
        "head"
    );
    assert_eq!(
        open(json!({"title": "x", "head": "more", "base": "nowhere"})),
        "base"
    );
    assert_eq!(open(json!({"head": "more", "base": "main"})), "title");
    assert_eq!(
        open(json!({"title": "x", "head": "main", "base": "main"})),
        "No commits between main and main"
    );
    assert_eq!(
        open(json!({"title": "x", "head": "more", "base": "main"})),
        "A pull request already exists for acme:more."
    );
}

#[test]
fn heads_follow_pushes_and_end_with_their_branch() {
    let mut world = world();
    let before = get(&mut world, PULL)["head"]["sha"].clone();
    put_file(&mut world, "more", "more.txt", "x");
    let pull = get(&mut world, PULL);
    assert_ne!(pull["head"]["sha"], before);
    let hidden = get(&mut world, "/repos/acme/hydra/git/ref/pull/2/head");
    assert_eq!(hidden["object"]["sha"], pull["head"]["sha"]);
    assert_eq!(
        ask(
            &mut world,
            "DELETE",
            "/repos/acme/hydra/git/refs/heads/more",
            Value::Null
        )
        .0,
        204
    );
    let pull = get(&mut world, PULL);
    assert_eq!(
        (&pull["state"], &pull["merged"]),
        (&"closed".into(), &false.into())
    );
    assert_eq!(pull["changed_files"], 3);
    assert_eq!(
        ask(
            &mut world,
            "DELETE",
            "/repos/acme/hydra/git/refs/heads/main",
            Value::Null
        )
        .0,
        422
    );
}

#[test]
fn reviews_have_authors_and_rules() {
    let mut world = world();
    let reviews = format!("{PULL}/reviews");
    let approve = json!({"event": "APPROVE"});
    let (status, error) = ask_as(&mut world, "ada-token", "POST", &reviews, approve.clone());
    assert_eq!(
        (status, &error["errors"][0]["message"]),
        (422, &"Can not approve your own pull request".into())
    );
    let (status, review) = ask(&mut world, "POST", &reviews, approve);
    assert_eq!(
        (status, &review["state"], &review["user"]["login"]),
        (200, &"APPROVED".into(), &"agent".into())
    );
    assert_eq!(
        ask(&mut world, "POST", &reviews, json!({"event": "COMMENT"})).0,
        422
    );
    let line = json!({"body": "Why?", "path": "src/app.py", "line": 1});
    let (status, comment) = ask(&mut world, "POST", &format!("{PULL}/comments"), line);
    assert_eq!(status, 201, "{comment}");
    let answer = format!("{PULL}/comments/{}/replies", comment["id"]);
    let (status, reply) = ask_as(
        &mut world,
        "ada-token",
        "POST",
        &answer,
        json!({"body": "Because."}),
    );
    assert_eq!((status, &reply["in_reply_to_id"]), (201, &comment["id"]));
    let elsewhere = json!({"body": "x", "path": "nowhere", "line": 1});
    assert_eq!(
        ask(&mut world, "POST", &format!("{PULL}/comments"), elsewhere).0,
        422
    );
}

#[test]
fn a_protected_branch_takes_pull_requests_only() {
    let yaml = "\
history: [{message: m, branch: topic, files: {b: x}}]
pulls: [{title: T, head: topic}]
protection: {main: {require_pull_request: true, required_approvals: 1}}
";
    let mut world = seed(&[
        ("github/acme/hydra.yaml", yaml),
        ("github/acme/hydra/a", "a"),
    ])
    .unwrap();
    let put = json!({"message": "m", "content": "eA==", "branch": "main"});
    assert_eq!(
        ask(&mut world, "PUT", "/repos/acme/hydra/contents/c", put).0,
        409
    );
    let tip = get(&mut world, "/repos/acme/hydra/git/ref/heads/topic")["object"]["sha"].clone();
    let (status, _) = ask(
        &mut world,
        "PATCH",
        "/repos/acme/hydra/git/refs/heads/main",
        json!({"sha": tip, "force": true}),
    );
    assert_eq!(status, 422);
    let path = "/repos/acme/hydra/pulls/1/merge";
    assert_eq!(ask(&mut world, "PUT", path, json!({})).0, 405);
    ask_as(
        &mut world,
        "ada-token",
        "POST",
        "/repos/acme/hydra/pulls/1/reviews",
        json!({"event": "APPROVE"}),
    );
    assert_eq!(ask(&mut world, "PUT", path, json!({})).0, 200);
}

#[test]
fn a_fork_brings_its_commits_along() {
    let mut world = world();
    let (status, fork) = ask(&mut world, "POST", "/repos/acme/hydra/forks", json!({}));
    assert_eq!(
        (status, &fork["parent"]["full_name"]),
        (202, &"acme/hydra".into())
    );
    let put = json!({"message": "m", "content": "eA==", "branch": "main"});
    assert_eq!(
        ask(&mut world, "PUT", "/repos/agent/hydra/contents/new", put).0,
        201
    );
    let pull = json!({"title": "From the fork", "head": "agent:main", "base": "main"});
    let (status, pull) = ask(&mut world, "POST", "/repos/acme/hydra/pulls", pull);
    assert_eq!(
        (status, &pull["head"]["repo"]["full_name"]),
        (201, &"agent/hydra".into())
    );
    assert_eq!(
        ask(
            &mut world,
            "PUT",
            "/repos/acme/hydra/pulls/3/merge",
            json!({})
        )
        .0,
        200
    );
    assert_eq!(get(&mut world, "/repos/acme/hydra/contents/new")["size"], 1);
}
