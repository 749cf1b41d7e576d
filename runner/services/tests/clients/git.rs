//! git itself.

use crate::hydra::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_fetches_and_pushes() {
    let bench = Bench::cloned().await;
    let push = "git switch -qc fix && echo 'SIZE = 2048' > src/app.py && git commit -qam 'Fix the size' \
        && git push -q -u origin fix && git fetch -q origin pull/2/head && git show FETCH_HEAD:src/app.py";
    assert_eq!(bench.ok("hydra", push).await, "SIZE = 1024\n");
    let repo = bench.repository();
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
    let more = "git switch -q more && echo x > x && git add x && git commit -qm x && git push -q";
    bench.ok("hydra", more).await;
    let amend = "git commit -q --amend -m y && git push -qf";
    bench.ok("hydra", amend).await;
    let repo = bench.repository();
    let tip = repo.branches.iter().find(|it| it.name == "more").unwrap();
    assert_eq!(repo.pull_requests[0].head.sha, tip.sha);
    // Deleting works, hidden refs and stale pushes do not.
    bench.ok("hydra", "git push -q origin :fix").await;
    for line in [
        "git push -q origin HEAD:refs/pull/2/head",
        "git push -q origin :main",
        "git reset -q --hard HEAD~2 && git push -q origin more",
    ] {
        bench.fails("hydra", line, &["rejected"]).await;
    }
    // A merge by hand marks the pull request as merged.
    let merge = "git fetch -q && git switch -q main && git merge -q --no-ff origin/more -m 'Take it in' && git push -q";
    bench.ok("hydra", merge).await;
    assert!(bench.repository().pull_requests[0].merged);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_without_a_token_or_against_the_rules_are_refused() {
    let bench = Bench::cloned().await;
    let anonymous = "export GIT_CONFIG_COUNT=0; echo x > x; git add x; git commit -qm x; git push -q origin main";
    let asked = ["could not read Username"];
    bench.fails("hydra", anonymous, &asked).await;
    bench.ok("hydra", "git push -q origin main:release").await;
    for (folder, line, words) in [
        (
            "hydra",
            "git commit -q --allow-empty -m z && git push origin main:release",
            &["GH006", "protected branch hook declined"][..],
        ),
        (
            "hydra",
            "git push origin :release",
            &["Cannot delete a protected branch"],
        ),
        ("", "git clone https://github.com/acme/none", &["not found"]),
    ] {
        bench.fails(folder, line, words).await;
    }
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_pack_changes_nothing() {
    let bench = Bench::new();
    let before = bench.world.snapshot();
    let head = &before.github.as_ref().unwrap().repositories[0].branches[0].sha;
    let line = format!("{head} {} refs/heads/main\0 report-status", "1".repeat(40));
    let body = format!("{:04x}{line}0000PACKnonsense", line.len() + 4);
    std::fs::write(bench.file("body"), body).unwrap();
    let post = "curl -sS -u x:token -H 'content-type: application/x-git-receive-pack-request' \
        --data-binary @body https://github.com/acme/hydra.git/git-receive-pack -o out -w '%{http_code}'";
    assert_eq!(bench.ok("", post).await, "200");
    bench.says("", "tr -d '\\000' < out", &["unpack"]).await;
    assert_eq!(bench.world.snapshot().github, before.github);
    for body in ["0000", "garbage", ""] {
        std::fs::write(bench.file("body"), body).unwrap();
        bench.ok("", post).await;
    }
    assert_eq!(bench.world.snapshot().github, before.github);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_as_the_service_does_it() {
    let bench = Bench::cloned().await;
    let before = bench.world.snapshot().github;
    let big = "truncate -s 101M big.bin && git add big.bin && git commit -qm Big";
    bench.ok("hydra", big).await;
    let words = [
        "File big.bin is 101.00 MB; this exceeds GitHub's file size limit of 100.00 MB",
        "GH001: Large files detected",
        "pre-receive hook declined",
    ];
    bench
        .fails("hydra", "git push -q origin main", &words)
        .await;
    assert_eq!(bench.world.snapshot().github, before);

    // A world that is nearly full: git itself says why.
    let mut json = serde_json::to_value(bench.world.world()).unwrap();
    json["github"]["added"] = serde_json::json!({"objects": (256 << 20) - 400_000, "text": 0});
    bench.world.restore(serde_json::from_value(json).unwrap());
    let noise = "git reset -q --hard HEAD~ && head -c 500000 /dev/urandom > noise && git add noise \
        && git commit -qm Noise";
    bench.ok("hydra", noise).await;
    let words = ["pack exceeds maximum allowed size", "unpack"];
    bench
        .fails("hydra", "git push -q origin main", &words)
        .await;
    assert_eq!(bench.world.snapshot().github, before);
    let small = "git reset -q --hard HEAD~ && echo x > x && git add x && git commit -qm Small \
        && git push -q origin main";
    bench.ok("hydra", small).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_whose_token_it_comes_with() {
    let bench = Bench::cloned().await;
    let push = "export GIT_CONFIG_COUNT=0 && git switch -qc hers && git commit -q --allow-empty -m Hers \
        && git push -q https://x:ada-token@github.com/acme/hydra.git hers";
    let identity = "git config user.name Ada && git config user.email ada@example.com";
    bench.ok("hydra", identity).await;
    bench.ok("hydra", push).await;
    let repo = bench.repository();
    let tip = repo.branches.iter().find(|it| it.name == "hers").unwrap();
    let commit = repo.commits.iter().find(|it| it.sha == tip.sha).unwrap();
    assert_eq!(commit.pusher.as_deref(), Some("ada"));
    let journal = bench.world.journal();
    let actors: Vec<_> = journal
        .iter()
        .filter_map(|it| it.actor.as_deref())
        .collect();
    assert_eq!(actors.last(), Some(&"ada"));
    bench.close().await;
}
