use serde_json::{Value, json};

use super::Bench;

fn at(more: Value) -> Value {
    let mut arguments = json!({"owner": "acme", "repo": "hydra"});
    let Value::Object(more) = more else {
        unreachable!("an object")
    };
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

#[tokio::test]
async fn a_change_goes_from_reading_to_a_pull_request() {
    let bench = Bench::new();
    let repository = bench.ok("GITHUB_GET_A_REPOSITORY", at(json!({}))).await;
    assert_eq!(repository["default_branch"], "main");
    let tree = bench
        .ok(
            "GITHUB_GET_A_TREE",
            at(json!({"tree_sha": "main", "recursive": true})),
        )
        .await;
    assert!(
        tree["tree"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["path"] == "src/app.py")
    );
    let file = bench
        .ok(
            "GITHUB_GET_REPOSITORY_CONTENT",
            at(json!({"path": "src/app.py"})),
        )
        .await;
    assert_eq!(
        (&file["content"], &file["encoding"]),
        (&json!("SIZE = 512\n"), &json!("utf-8"))
    );
    let main = bench
        .ok("GITHUB_GET_A_REFERENCE", at(json!({"ref": "heads/main"})))
        .await;
    bench
        .ok(
            "GITHUB_CREATE_A_REFERENCE",
            at(json!({"ref": "refs/heads/fix/one", "sha": main["object"]["sha"]})),
        )
        .await;
    let written = bench
        .ok(
            "GITHUB_CREATE_OR_UPDATE_FILE_CONTENTS",
            at(
                json!({"path": "src/app.py", "message": "fix: size (#1)", "branch": "fix/one",
                      "content": "SIZE = 2048 # ü\n", "sha": file["sha"]}),
            ),
        )
        .await;
    assert_eq!(written["commit"]["message"], "fix: size (#1)");
    let pull = bench
        .ok(
            "GITHUB_CREATE_A_PULL_REQUEST",
            at(json!({"head": "fix/one", "base": "main", "title": "fix: size (#1)", "body": "More."})),
        )
        .await;
    assert_eq!(pull["html_url"], "https://github.com/acme/hydra/pull/2");
    let files = bench
        .ok(
            "GITHUB_LIST_PULL_REQUESTS_FILES",
            at(json!({"pull_number": 2})),
        )
        .await;
    assert!(
        files["files"][0]["patch"]
            .as_str()
            .unwrap()
            .contains("+SIZE = 2048 # ü")
    );
    bench
        .ok(
            "GITHUB_UPDATE_A_PULL_REQUEST",
            at(json!({"pull_number": 2, "title": "fix: more"})),
        )
        .await;
    let pull = bench
        .ok("GITHUB_GET_A_PULL_REQUEST", at(json!({"pull_number": 2})))
        .await;
    assert_eq!(pull["title"], "fix: more");
    assert_eq!(pull["user"]["login"], "agent");
    bench
        .ok(
            "GITHUB_CREATE_AN_ISSUE_COMMENT",
            at(json!({"issue_number": 2, "body": "Ready."})),
        )
        .await;
    let pulls = bench
        .ok("GITHUB_LIST_PULL_REQUESTS", at(json!({"state": "all"})))
        .await;
    assert_eq!(pulls["pull_requests"].as_array().unwrap().len(), 2);
    let branches = bench.ok("GITHUB_LIST_BRANCHES", at(json!({}))).await;
    assert_eq!(branches["branches"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn history_is_listed_and_compared() {
    let bench = Bench::new();
    let branches = bench.ok("GITHUB_LIST_BRANCHES", at(json!({}))).await;
    assert_eq!(branches["branches"].as_array().unwrap().len(), 2);
    let commits = bench
        .ok(
            "GITHUB_LIST_COMMITS",
            at(json!({"sha": "more", "path": "src/app.py"})),
        )
        .await;
    assert_eq!(commits["commits"].as_array().unwrap().len(), 2);
    let between = bench
        .ok(
            "GITHUB_COMPARE_TWO_COMMITS",
            at(json!({"basehead": "main...more"})),
        )
        .await;
    assert_eq!(between["ahead_by"], 1);
}

#[tokio::test]
async fn several_files_are_one_commit() {
    let bench = Bench::new();
    let done = bench
        .ok(
            "GITHUB_COMMIT_MULTIPLE_FILES",
            at(
                json!({"branch": "both", "message": "Both", "deletes": ["README.md"], "upserts": [
                    {"path": "a/new.txt", "content": "new\n"},
                    {"path": "logo.bin", "content": "AP8A", "encoding": "base64"},
                ]}),
            ),
        )
        .await;
    assert_eq!(done["created_branch"], true);
    assert_eq!(done["commit"]["parents"].as_array().unwrap().len(), 1);
    let tree = bench
        .ok(
            "GITHUB_GET_A_TREE",
            at(json!({"tree_sha": "both", "recursive": true})),
        )
        .await;
    let paths: Vec<_> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["path"])
        .collect();
    assert_eq!(paths, ["a", "a/new.txt", "logo.bin", "src", "src/app.py"]);
    let folder = bench
        .ok(
            "GITHUB_GET_REPOSITORY_CONTENT",
            at(json!({"path": "", "ref": "both"})),
        )
        .await;
    assert_eq!(folder["entries"].as_array().unwrap().len(), 3);
    let binary = bench
        .ok(
            "GITHUB_GET_REPOSITORY_CONTENT",
            at(json!({"path": "logo.bin", "ref": "both"})),
        )
        .await;
    assert_eq!(binary["encoding"], "base64");
    // One call, one commit, one second.
    let again =
        at(json!({"branch": "both", "message": "More", "upserts": [{"path": "b", "content": ""}]}));
    let before = bench.world.snapshot().clock;
    let done = bench.ok("GITHUB_COMMIT_MULTIPLE_FILES", again).await;
    assert_eq!(done["created_branch"], false);
    let passed = |clock: &str| clock.parse::<jiff::Timestamp>().unwrap().as_second();
    assert_eq!(passed(&bench.world.snapshot().clock) - passed(&before), 1);
}

#[tokio::test]
async fn people_of_the_world_act_with_their_own_tokens() {
    let mut bench = Bench::new();
    bench.token = Some("ada-token");
    bench
        .ok(
            "GITHUB_CREATE_AN_ISSUE_COMMENT",
            at(json!({"issue_number": 1, "body": "Mine."})),
        )
        .await;
    let journal = bench.world.journal();
    assert!(
        journal.iter().all(|it| it.actor.as_deref() == Some("ada")),
        "{journal:?}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_repository_is_said() {
    let bench = Bench::new();
    for (slug, arguments, words) in [
        (
            "GITHUB_GET_A_REPOSITORY",
            json!({"owner": "acme", "repo": "nothing"}),
            "404 Not Found",
        ),
        (
            "GITHUB_GET_A_REPOSITORY",
            json!({"owner": "acme"}),
            "needs the argument `repo`",
        ),
        (
            "GITHUB_GET_A_REPOSITORY",
            json!({}),
            "needs the arguments `owner` and `repo`",
        ),
        (
            "GITHUB_GET_A_REPOSITORY",
            json!({"owner": "..", "repo": ".."}),
            "404",
        ),
        (
            "GITHUB_GET_REPOSITORY_CONTENT",
            at(json!({"path": "nope.py"})),
            "GITHUB_GET_A_TREE",
        ),
        (
            "GITHUB_GET_REPOSITORY_CONTENT",
            at(json!({"path": "a", "re": "b"})),
            "Did you mean `ref`?",
        ),
        (
            "GITHUB_COMPARE_TWO_COMMITS",
            at(json!({"basehead": "main"})),
            "three dots",
        ),
        (
            "GITHUB_GET_A_PULL_REQUEST",
            at(json!({"pull_number": "one"})),
            "`pull_number`",
        ),
        (
            "GITHUB_GET_A_PULL_REQUEST",
            at(json!({"pull_number": 99})),
            "GITHUB_LIST_PULL_REQUESTS",
        ),
        (
            "GITHUB_UPDATE_A_PULL_REQUEST",
            at(json!({"pull_number": 1, "state": "done"})),
            "`state`",
        ),
        (
            "GITHUB_UPDATE_A_PULL_REQUEST",
            at(json!({"pull_number": 1})),
            "Nothing would change",
        ),
        (
            "GITHUB_CREATE_A_PULL_REQUEST",
            at(json!({"head": "none", "base": "main", "title": "x"})),
            "422",
        ),
        (
            "GITHUB_CREATE_OR_UPDATE_FILE_CONTENTS",
            at(json!({"path": "src/app.py", "message": "x", "content": "y"})),
            "sha",
        ),
        (
            "GITHUB_COMMIT_MULTIPLE_FILES",
            at(
                json!({"branch": "b", "message": "x", "upserts": [{"path": "../x", "content": ""}]}),
            ),
            "422",
        ),
        (
            "GITHUB_COMMIT_MULTIPLE_FILES",
            at(json!({"branch": "b", "message": "x", "upserts": [{"path": "x"}]})),
            "`upserts[0]`",
        ),
    ] {
        let problem = bench.problem(slug, arguments.clone()).await;
        assert!(problem.contains(words), "{slug} {arguments}: {problem}");
    }
    assert_eq!(bench.world.fault(), None);
}
