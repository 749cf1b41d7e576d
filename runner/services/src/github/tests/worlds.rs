//! Worlds beside each other: copies, restores, evidence.

use proctor_types::world::github::{FileStatus, State};
use serde_json::{Value, json};

use super::{ask, get, put_file, request, send, world};
use crate::world::World;

fn tip(world: &mut World) -> Value {
    get(world, "/repos/acme/hydra/git/ref/heads/main")["object"]["sha"].clone()
}

#[test]
fn equal_seeds_and_requests_give_equal_bytes() {
    let play = || {
        let mut world = world();
        put_file(&mut world, "main", "src/app.py", "SIZE = 2048\n");
        let pull = json!({"title": "T", "head": "more", "base": "main"});
        ask(&mut world, "POST", "/repos/acme/hydra/pulls", pull);
        (
            tip(&mut world),
            serde_json::to_string(&world.snapshot()).unwrap(),
        )
    };
    assert_eq!(play(), play());
}

#[test]
fn copies_and_restored_worlds_are_worlds_of_their_own() {
    let mut first = world();
    let begin = tip(&mut first);
    let mut second = first.clone();
    put_file(&mut first, "main", "a", "first");
    assert_eq!(tip(&mut second), begin);
    let text = serde_json::to_string(&first).unwrap();
    let mut restored: World = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&restored).unwrap(), text);
    assert_eq!(tip(&mut restored), tip(&mut first));
    put_file(&mut restored, "main", "a", "restored");
    assert_ne!(tip(&mut restored), tip(&mut first));
    // The copy never gets to see objects of the others.
    let sha = tip(&mut first);
    let path = format!("/repos/acme/hydra/git/commits/{}", sha.as_str().unwrap());
    assert_eq!(ask(&mut second, "GET", &path, Value::Null).0, 404);
}

#[test]
fn the_evidence_has_files_patches_and_who_did_what() {
    let mut world = world();
    put_file(&mut world, "more", "src/app.py", "SIZE = 2048\n");
    let snapshot = world.snapshot().github.unwrap();
    let blobs = world.blobs();
    let repo = &snapshot.repositories[0];
    assert_eq!(repo.full_name, "acme/hydra");
    let branches: Vec<_> = repo.branches.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((branches, repo.tags.len()), (vec!["main", "more"], 1));
    let pull = &repo.pull_requests[0];
    assert_eq!(
        (pull.number, pull.state, pull.commits.len()),
        (2, State::Open, 2)
    );
    let file = pull
        .files
        .iter()
        .find(|it| it.filename == "src/app.py")
        .unwrap();
    assert_eq!(file.status, FileStatus::Modified);
    assert_eq!(
        file.patch.as_deref(),
        Some("@@ -1 +1 @@\n-SIZE = 512\n+SIZE = 2048")
    );
    assert_eq!(
        (file.before.as_deref(), file.after.as_deref()),
        (Some("SIZE = 512\n"), Some("SIZE = 2048\n"))
    );
    let head = repo
        .commits
        .iter()
        .find(|it| it.sha == pull.head.sha)
        .unwrap();
    assert_eq!(
        (head.seeded, head.pusher.as_deref(), head.files.len()),
        (false, Some("agent"), 1)
    );
    assert_eq!(head.committer.date, "2026-03-02T09:00:02Z");
    for entry in &repo.trees[&head.tree] {
        let content = &blobs[entry.sha256.as_ref().unwrap()];
        assert_eq!(content.len() as u64, entry.bytes, "{}", entry.path);
    }
    assert_eq!(repo.issues[0].comments[0].user, "kim");
}

#[test]
fn the_journal_gets_to_know_who_read_and_changed_what() {
    let mut world = world();
    let answer = send(
        &mut world,
        &request("GET", "/repos/acme/hydra/contents/src/app.py", &Value::Null),
    );
    assert_eq!(answer.operation, Some("repos/get-content"));
    assert_eq!(answer.actor.as_deref(), Some("agent"));
    assert_eq!(
        (answer.read[0].kind.as_str(), answer.read[0].id.as_str()),
        ("github.file", "acme/hydra@main:src/app.py")
    );
    let body = json!({"body": "Looking."});
    let answer = send(
        &mut world,
        &request("POST", "/repos/acme/hydra/issues/1/comments", &body),
    );
    assert_eq!(answer.changed[0].parent.as_deref(), Some("acme/hydra#1"));
    let refused = send(
        &mut world,
        &request("POST", "/repos/acme/hydra/issues/1/comments", &json!({})),
    );
    assert!(refused.status == 422 && refused.changed.is_empty());
}
