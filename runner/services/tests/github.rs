//! Real clients against a seeded GitHub: git and `gh`, through the proxy.
//!
//! `gh` is looked for on the `PATH` (`tools/setup.sh test` installs Debian's).

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

use std::net::TcpListener;
use std::path::Path;

use cap_std::ambient_authority;
use proctor_services::{
    Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle, client_env, config_env,
    proxy_env, trust_env,
};
use serde_json::Value;

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@example.com, name: Agent Ode, github: agent}
people:
  - {email: ada@example.com, name: Ada Byron, github: ada}
";
const HYDRA: &str = "\
description: A pipeline
author: ada
history:
  - {message: Try more, branch: more, author: ada, files: {src/app.py: \"SIZE = 1024\\n\"}}
issues:
  - {title: It leaks, body: Memory grows., author: ada, labels: [bug], comments: [{author: ada, body: Confirmed.}]}
pulls:
  - {title: More, head: more, author: ada, body: \"Fixes #1\"}
protection: {release: {require_pull_request: true}}
";

struct Bench {
    world: WorldHandle,
    gateway: Gateway,
    proxy: std::net::SocketAddr,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self::with(HYDRA)
    }

    fn with(hydra: &str) -> Self {
        let seed = cap_tempfile::tempdir(ambient_authority()).unwrap();
        seed.create_dir_all("github/acme/hydra/src").unwrap();
        for (path, text) in [
            ("world.yaml", WORLD),
            ("github/acme/hydra.yaml", hydra),
            ("github/acme/hydra/README.md", "# Hydra\n"),
            ("github/acme/hydra/src/app.py", "SIZE = 512\n"),
        ] {
            seed.write(path, text).unwrap();
        }
        let services = vec!["github".to_owned()];
        let world = World::seed(&seed, &SeedOptions { services }).unwrap();
        let config = GatewayConfig::new(world.services());
        let world = WorldHandle::new(world, JournalCaps::default());
        let gateway = Gateway::new(world.clone(), config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        gateway.spawn_proxy(listener).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), gateway.ca_pem()).unwrap();
        Self {
            world,
            gateway,
            proxy,
            folder,
        }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs a line of shell in a folder; gives whether it succeeded, and what
    /// it printed.
    async fn run(&self, folder: &str, line: &str) -> (bool, String) {
        let output = tokio::process::Command::new("/bin/sh")
            .args(["-ec", line])
            .env_clear()
            .envs(client_env(&["github"]))
            .envs(config_env(&["github"], &self.file("config")))
            .envs(trust_env(&self.file("ca.pem")))
            .envs(proxy_env(self.proxy))
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("GIT_AUTHOR_NAME", "Agent Ode")
            .env("GIT_AUTHOR_EMAIL", "agent@example.com")
            .env("GIT_COMMITTER_NAME", "Agent Ode")
            .env("GIT_COMMITTER_EMAIL", "agent@example.com")
            .current_dir(self.folder.path().join(folder))
            .kill_on_drop(true)
            .output()
            .await
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    /// Runs a line that must succeed.
    async fn ok(&self, folder: &str, line: &str) -> String {
        let (ok, text) = self.run(folder, line).await;
        assert!(ok, "{line}: {text}");
        text
    }

    async fn json(&self, folder: &str, line: &str) -> Value {
        let text = self.ok(folder, line).await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{line}: {error}: {text}"))
    }

    async fn clone_it(&self) {
        self.ok("", "git clone -q https://github.com/acme/hydra.git")
            .await;
    }

    /// Nothing broke and nothing else was tried.
    async fn close(self) {
        for entry in self.world.journal() {
            assert!(entry.status < 500 && entry.operation.is_some(), "{entry:?}");
        }
        assert_eq!(self.world.fault(), None);
        self.gateway.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_fetches_and_pushes() {
    let bench = Bench::new();
    bench.clone_it().await;
    let push = "git switch -qc fix && echo 'SIZE = 2048' > src/app.py && git commit -qam 'Fix the size' \
        && git push -q -u origin fix && git fetch -q origin pull/2/head && git show FETCH_HEAD:src/app.py";
    assert_eq!(bench.ok("hydra", push).await, "SIZE = 1024\n");
    let repo = bench
        .world
        .snapshot()
        .github
        .unwrap()
        .repositories
        .remove(0);
    let fix = repo.branches.iter().find(|it| it.name == "fix").unwrap();
    let commit = repo.commits.iter().find(|it| it.sha == fix.sha).unwrap();
    assert_eq!(
        (commit.pusher.as_deref(), commit.seeded),
        (Some("agent"), false)
    );
    assert_eq!(
        commit.files[0].patch.as_deref(),
        Some("@@ -1 +1 @@\n-SIZE = 512\n+SIZE = 2048")
    );
    // A push to the head of a pull request moves it; a forced one, too.
    bench
        .ok(
            "hydra",
            "git switch -q more && echo x > x && git add x && git commit -qm x && git push -q",
        )
        .await;
    bench
        .ok("hydra", "git commit -q --amend -m y && git push -qf")
        .await;
    let repo = bench
        .world
        .snapshot()
        .github
        .unwrap()
        .repositories
        .remove(0);
    let tip = repo.branches.iter().find(|it| it.name == "more").unwrap();
    assert_eq!(repo.pull_requests[0].head.sha, tip.sha);
    // Deleting works, hidden refs and stale pushes do not.
    bench.ok("hydra", "git push -q origin :fix").await;
    for line in [
        "git push -q origin HEAD:refs/pull/2/head",
        "git push -q origin :main",
        "git reset -q --hard HEAD~2 && git push -q origin more",
    ] {
        let (ok, text) = bench.run("hydra", line).await;
        assert!(!ok && text.contains("rejected"), "{line}: {text}");
    }
    // A merge by hand marks the pull request as merged.
    bench.ok("hydra", "git fetch -q && git switch -q main && git merge -q --no-ff origin/more -m 'Take it in' && git push -q").await;
    let repo = bench
        .world
        .snapshot()
        .github
        .unwrap()
        .repositories
        .remove(0);
    assert!(repo.pull_requests[0].merged);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_without_a_token_or_against_the_rules_are_refused() {
    let bench = Bench::new();
    bench.clone_it().await;
    let anonymous = "export GIT_CONFIG_COUNT=0; echo x > x; git add x; git commit -qm x; git push -q origin main";
    let (ok, text) = bench.run("hydra", anonymous).await;
    assert!(!ok && text.contains("could not read Username"), "{text}");
    bench.ok("hydra", "git push -q origin main:release").await;
    let (ok, text) = bench
        .run(
            "hydra",
            "git commit -q --allow-empty -m z && git push origin main:release",
        )
        .await;
    assert!(
        !ok && text.contains("GH006") && text.contains("protected branch hook declined"),
        "{text}"
    );
    let (ok, text) = bench.run("hydra", "git push origin :release").await;
    assert!(
        !ok && text.contains("Cannot delete a protected branch"),
        "{text}"
    );
    let (ok, text) = bench
        .run("", "git clone https://github.com/acme/none")
        .await;
    assert!(!ok && text.contains("not found"), "{text}");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_pack_changes_nothing() {
    let bench = Bench::new();
    let before = bench.world.snapshot();
    let head = &before.github.as_ref().unwrap().repositories[0].branches[0]
        .sha
        .clone();
    let line = format!("{head} {} refs/heads/main\0 report-status", "1".repeat(40));
    let body = format!("{:04x}{line}0000PACKnonsense", line.len() + 4);
    std::fs::write(bench.file("body"), body).unwrap();
    let post = "curl -sS -u x:token -H 'content-type: application/x-git-receive-pack-request' \
        --data-binary @body https://github.com/acme/hydra.git/git-receive-pack -o out -w '%{http_code}'";
    assert_eq!(bench.ok("", post).await, "200");
    assert!(bench.ok("", "tr -d '\\000' < out").await.contains("unpack"));
    assert_eq!(bench.world.snapshot().github, before.github);
    for body in ["0000", "garbage", ""] {
        std::fs::write(bench.file("body"), body).unwrap();
        bench.ok("", post).await;
    }
    assert_eq!(bench.world.snapshot().github, before.github);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gh_knows_who_it_is_and_what_there_is() {
    let bench = Bench::new();
    bench.clone_it().await;
    let text = bench.ok("", "gh auth status").await;
    assert!(text.contains("Logged in to github.com as agent"), "{text}");
    let text = bench.ok("hydra", "gh repo view").await;
    assert!(
        text.contains("acme/hydra") && text.contains("# Hydra"),
        "{text}"
    );
    let repo = bench
        .json(
            "",
            "gh repo view acme/hydra --json name,defaultBranchRef,isPrivate,owner,isEmpty",
        )
        .await;
    assert_eq!(
        (&repo["defaultBranchRef"]["name"], &repo["isPrivate"]),
        (&"main".into(), &Value::Bool(false))
    );
    assert!(
        bench
            .ok("", "gh repo list acme")
            .await
            .contains("acme/hydra")
    );
    bench.ok("", "gh repo create fresh --private --clone").await;
    assert!(bench.ok("hydra", "gh label list").await.contains("bug"));
    bench
        .ok(
            "hydra",
            "gh label create urgent --color ff0000 --description Now",
        )
        .await;
    assert!(
        bench
            .ok("", "gh search issues leaks --repo acme/hydra")
            .await
            .contains("It leaks")
    );
    assert!(
        bench
            .ok("", "gh search repos hydra")
            .await
            .contains("acme/hydra")
    );
    assert!(
        bench
            .ok("", "gh search prs --repo acme/hydra more")
            .await
            .contains("More")
    );
    bench.ok("hydra", "gh run list").await;
    bench.ok("hydra", "gh status --org acme").await;
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
    let bench = Bench::new();
    bench.clone_it().await;
    assert!(
        bench
            .ok("hydra", "gh issue list")
            .await
            .contains("It leaks")
    );
    let text = bench.ok("hydra", "gh issue view 1 --comments").await;
    assert!(text.contains("Confirmed."), "{text}");
    let text = bench
        .ok("hydra", "gh issue create -t New -b Body -l bug -a @me")
        .await;
    assert!(
        text.contains("https://github.com/acme/hydra/issues/3"),
        "{text}"
    );
    bench
        .ok(
            "hydra",
            "gh issue edit 3 -t Newer --add-label question --remove-label bug",
        )
        .await;
    bench.ok("hydra", "gh issue comment 3 -b 'On it.'").await;
    bench.ok("hydra", "gh issue close 3 -r 'not planned'").await;
    let issue = bench
        .json(
            "hydra",
            "gh issue view 3 --json title,labels,state,comments,assignees,author",
        )
        .await;
    assert_eq!(
        (&issue["title"], &issue["state"]),
        (&"Newer".into(), &"CLOSED".into())
    );
    assert_eq!(
        (&issue["labels"][0]["name"], &issue["comments"][0]["body"]),
        (&"question".into(), &"On it.".into())
    );
    bench.ok("hydra", "gh issue reopen 3").await;
    assert!(
        bench
            .ok("hydra", "gh issue list --author ada --label bug")
            .await
            .contains("It leaks")
    );
    assert!(bench.ok("hydra", "gh issue status").await.contains("Newer"));
    assert!(
        bench
            .ok("hydra", "gh issue list -S 'memory in:body'")
            .await
            .contains("It leaks")
    );
    let (ok, text) = bench.run("hydra", "gh issue view 99").await;
    assert!(!ok && text.contains("Could not resolve"), "{text}");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gh_works_on_pull_requests() {
    let bench = Bench::new();
    bench.clone_it().await;
    assert!(bench.ok("hydra", "gh pr list").await.contains("More"));
    let text = bench.ok("hydra", "gh pr view 2").await;
    assert!(text.contains("More"), "{text}");
    assert!(
        bench
            .ok("hydra", "gh pr diff 2")
            .await
            .contains("+SIZE = 1024")
    );
    assert!(
        bench
            .ok("hydra", "gh pr diff 2 --patch")
            .await
            .contains("Subject: [PATCH] Try more")
    );
    bench.ok("hydra", "gh pr checkout 2").await;
    assert_eq!(bench.ok("hydra", "cat src/app.py").await, "SIZE = 1024\n");
    bench
        .ok("hydra", "gh pr review 2 --approve -b 'Looks good.'")
        .await;
    bench.ok("hydra", "gh pr comment 2 -b Thanks").await;
    let text = bench.run("hydra", "gh pr checks 2").await.1;
    assert!(text.contains("no checks reported"), "{text}");
    bench.ok("hydra", "git switch -q main && git switch -qc fix && echo 'SIZE = 2048' > NEW && git add NEW && git commit -qm 'Fix it'").await;
    bench.ok("hydra", "git push -q -u origin fix").await;
    let text = bench
        .ok(
            "hydra",
            "gh pr create -t 'Fix it' -b 'Closes #1' -r ada -l bug",
        )
        .await;
    assert!(
        text.contains("https://github.com/acme/hydra/pull/3"),
        "{text}"
    );
    let text = bench.ok("hydra", "gh pr status").await;
    assert!(text.contains("#3  Fix it"), "{text}");
    bench.ok("hydra", "gh pr edit 3 -t 'Fix it well'").await;
    let fields = "title,state,files,commits,mergeable,reviewRequests,headRefName,labels,additions,statusCheckRollup,reviewDecision";
    let pull = bench
        .json("hydra", &format!("gh pr view --json {fields}"))
        .await;
    assert_eq!(
        (&pull["title"], &pull["mergeable"]),
        (&"Fix it well".into(), &"MERGEABLE".into())
    );
    assert_eq!(
        (
            &pull["files"][0]["path"],
            &pull["reviewRequests"][0]["login"]
        ),
        (&"NEW".into(), &"ada".into())
    );
    let text = bench
        .ok("hydra", "gh pr merge 3 --squash --delete-branch")
        .await;
    assert!(!text.contains("failed"), "{text}");
    bench.ok("hydra", "gh pr close 2").await;
    let repo = bench
        .world
        .snapshot()
        .github
        .unwrap()
        .repositories
        .remove(0);
    let states: Vec<_> = repo
        .pull_requests
        .iter()
        .map(|it| (it.number, it.merged))
        .collect();
    assert_eq!(states, [(2, false), (3, true)]);
    assert_eq!(repo.pull_requests[0].reviews[0].state, "APPROVED");
    assert_eq!(
        repo.issues[0].state,
        proctor_types::world::github::State::Closed
    );
    assert!(repo.branches.iter().all(|it| it.name != "fix"));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_that_are_bombs_are_refused() {
    let bench = Bench::new();
    let post = |query: String| {
        let body = serde_json::json!({"query": query}).to_string();
        std::fs::write(bench.file("query"), body).unwrap();
        "curl -sS -H 'authorization: bearer x' --data-binary @query https://api.github.com/graphql"
    };
    let deep = format!(
        "{{viewer{{{}login{}}}}}",
        "organizations{nodes{teams{nodes{organization{".repeat(8),
        "}}}}}".repeat(8)
    );
    let wide = (0..4_000).fold(String::new(), |wide, n| {
        wide + "a" + &n.to_string() + ":viewer{login} "
    });
    for query in [
        deep,
        format!("{{{wide}}}"),
        format!("{{{}", "a{".repeat(5_000)),
    ] {
        let answer = bench.json("", post(query)).await;
        assert!(
            answer["errors"][0]["message"].is_string() && answer["data"].is_null(),
            "{answer}"
        );
    }
    let answer = bench
        .json(
            "",
            post("{repository(owner:\"a\",name:\"b\"){id}}".to_owned()),
        )
        .await;
    assert_eq!(
        (&answer["errors"][0]["type"], &answer["data"]["repository"]),
        (&"NOT_FOUND".into(), &Value::Null)
    );
    let answer = bench
        .json(
            "",
            post("{__type(name:\"PullRequest\"){fields{name}}}".to_owned()),
        )
        .await;
    assert!(answer["data"]["__type"]["fields"].as_array().unwrap().len() > 40);
    bench.close().await;
}

/// A file among the tools of this checkout.
fn tool(path: &str) -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let file = tools.join(path);
    assert!(
        file.exists(),
        "{path} is not installed: run tools/setup.sh test"
    );
    file.to_str().unwrap().to_owned()
}

fn script(name: &str) -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/scripts");
    scripts.join(name).to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn octokit_works_unmodified() {
    let bench = Bench::new();
    let modules = tool("npm/node_modules");
    // Node.js 20 knows no proxy: the plain port, as GitHub Enterprise is addressed.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    bench.gateway.spawn_plain(listener).unwrap();
    let line = format!(
        "cp {} play.mjs && ln -s {modules} node_modules && \
         GITHUB_API_URL=http://{address}/api/v3 node play.mjs",
        script("octokit.mjs")
    );
    assert!(bench.ok("", &line).await.contains("octokit: done"));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pygithub_works_unmodified() {
    let bench = Bench::new();
    let line = format!("{} {}", tool("venv/bin/python"), script("github_api.py"));
    assert!(bench.ok("", &line).await.contains("pygithub: done"));
    bench.close().await;
}
