//! The `gh` command line.

use proctor_types::world::github::State;
use serde_json::Value;

use crate::hydra::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn gh_knows_who_it_is_and_what_there_is() {
    let bench = Bench::cloned().await;
    let logged_in = ["Logged in to github.com as agent"];
    bench.says("", "gh auth status", &logged_in).await;
    let shown = ["acme/hydra", "# Hydra"];
    bench.says("hydra", "gh repo view", &shown).await;
    let view = "gh repo view acme/hydra --json name,defaultBranchRef,isPrivate,owner,isEmpty";
    let repo = bench.json("", view).await;
    assert_eq!(
        (&repo["defaultBranchRef"]["name"], &repo["isPrivate"]),
        (&"main".into(), &Value::Bool(false))
    );
    bench.ok("", "gh repo create fresh --private --clone").await;
    for (folder, line, words) in [
        ("", "gh repo list acme", "acme/hydra"),
        ("hydra", "gh label list", "bug"),
        ("", "gh search issues leaks --repo acme/hydra", "It leaks"),
        ("", "gh search repos hydra", "acme/hydra"),
        ("", "gh search prs --repo acme/hydra more", "More"),
    ] {
        bench.says(folder, line, &[words]).await;
    }
    for line in [
        "gh label create urgent --color ff0000 --description Now",
        "gh run list",
        "gh status --org acme",
    ] {
        bench.ok("hydra", line).await;
    }
    let user = bench.json("", "gh api user").await;
    assert_eq!(user["login"], "agent");
    let viewer = bench
        .json("", "gh api graphql -f query='{viewer{login}}'")
        .await;
    assert_eq!(viewer["data"]["viewer"]["login"], "agent");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gh_works_on_issues() {
    let bench = Bench::cloned().await;
    for (line, words) in [
        ("gh issue list", "It leaks"),
        ("gh issue view 1 --comments", "Confirmed."),
        (
            "gh issue create -t New -b Body -l bug -a @me",
            "https://github.com/acme/hydra/issues/3",
        ),
    ] {
        bench.says("hydra", line, &[words]).await;
    }
    for line in [
        "gh issue edit 3 -t Newer --add-label question --remove-label bug",
        "gh issue comment 3 -b 'On it.'",
        "gh issue close 3 -r 'not planned'",
    ] {
        bench.ok("hydra", line).await;
    }
    let view = "gh issue view 3 --json title,labels,state,comments,assignees,author";
    let issue = bench.json("hydra", view).await;
    assert_eq!(
        (&issue["title"], &issue["state"]),
        (&"Newer".into(), &"CLOSED".into())
    );
    assert_eq!(
        (&issue["labels"][0]["name"], &issue["comments"][0]["body"]),
        (&"question".into(), &"On it.".into())
    );
    bench.ok("hydra", "gh issue reopen 3").await;
    for (line, words) in [
        ("gh issue list --author ada --label bug", "It leaks"),
        ("gh issue status", "Newer"),
        ("gh issue list -S 'memory in:body'", "It leaks"),
    ] {
        bench.says("hydra", line, &[words]).await;
    }
    let unknown = ["Could not resolve"];
    bench.fails("hydra", "gh issue view 99", &unknown).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gh_works_on_pull_requests() {
    let bench = Bench::cloned().await;
    for (line, words) in [
        ("gh pr list", "More"),
        ("gh pr view 2", "More"),
        ("gh pr diff 2", "+SIZE = 1024"),
        ("gh pr diff 2 --patch", "Subject: [PATCH] Try more"),
    ] {
        bench.says("hydra", line, &[words]).await;
    }
    bench.ok("hydra", "gh pr checkout 2").await;
    assert_eq!(bench.ok("hydra", "cat src/app.py").await, "SIZE = 1024\n");
    for line in [
        "gh pr review 2 --approve -b 'Looks good.'",
        "gh pr comment 2 -b Thanks",
    ] {
        bench.ok("hydra", line).await;
    }
    let none = ["no checks reported"];
    bench.fails("hydra", "gh pr checks 2", &none).await;
    for line in [
        "git switch -q main && git switch -qc fix && echo 'SIZE = 2048' > NEW && git add NEW && git commit -qm 'Fix it'",
        "git push -q -u origin fix",
    ] {
        bench.ok("hydra", line).await;
    }
    for (line, words) in [
        (
            "gh pr create -t 'Fix it' -b 'Closes #1' -r ada -l bug",
            "https://github.com/acme/hydra/pull/3",
        ),
        ("gh pr status", "#3  Fix it"),
    ] {
        bench.says("hydra", line, &[words]).await;
    }
    bench.ok("hydra", "gh pr edit 3 -t 'Fix it well'").await;
    let view = "gh pr view --json title,state,files,commits,mergeable,reviewRequests,headRefName,\
        labels,additions,statusCheckRollup,reviewDecision";
    let pull = bench.json("hydra", view).await;
    assert_eq!(
        (&pull["title"], &pull["mergeable"]),
        (&"Fix it well".into(), &"MERGEABLE".into())
    );
    let asked = &pull["reviewRequests"][0]["login"];
    assert_eq!(
        (&pull["files"][0]["path"], asked),
        (&"NEW".into(), &"ada".into())
    );
    let text = bench
        .ok("hydra", "gh pr merge 3 --squash --delete-branch")
        .await;
    assert!(!text.contains("failed"), "{text}");
    bench.ok("hydra", "gh pr close 2").await;
    let repo = bench.repository();
    let pulls = repo.pull_requests.iter();
    let states: Vec<_> = pulls.map(|it| (it.number, it.merged)).collect();
    assert_eq!(states, [(2, false), (3, true)]);
    assert_eq!(repo.pull_requests[0].reviews[0].state, "APPROVED");
    assert_eq!(repo.issues[0].state, State::Closed);
    assert!(repo.branches.iter().all(|it| it.name != "fix"));
    bench.close().await;
}
