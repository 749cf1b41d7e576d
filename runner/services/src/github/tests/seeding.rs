//! Seeds, good and bad.

use serde_json::Value;

use super::{HYDRA, ask, folder, get, seed, world};
use crate::world::{SeedOptions, World};

#[test]
fn a_folder_and_a_file_make_a_repository() {
    let mut world = world();
    let repo = get(&mut world, "/repos/acme/hydra");
    assert_eq!(repo["description"], "A pipeline");
    assert_eq!(repo["owner"]["type"], "Organization");
    let commits = get(&mut world, "/repos/acme/hydra/commits");
    let messages: Vec<&str> = commits
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["commit"]["message"].as_str())
        .collect();
    assert_eq!(messages, ["Tune it", "Initial commit"]);
    assert_eq!(commits[0]["author"]["login"], "ada");
    let tree = get(&mut world, "/repos/acme/hydra/git/trees/main?recursive=1");
    let paths: Vec<&str> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["path"].as_str())
        .collect();
    assert_eq!(paths, [".env.example", "README.md", "src", "src/app.py"]);
    let issue = get(&mut world, "/repos/acme/hydra/issues/1");
    assert_eq!(
        (&issue["milestone"]["title"], &issue["comments"]),
        (&"Demo".into(), &1.into())
    );
    assert_eq!(issue["labels"][0]["color"], "d73a4a");
    let pull = get(&mut world, "/repos/acme/hydra/pulls/2");
    assert_eq!(
        (&pull["mergeable"], &pull["changed_files"]),
        (&Value::Bool(true), &2.into())
    );
    assert_eq!(pull["requested_reviewers"][0]["login"], "kim");
}

#[test]
fn mistakes_name_the_file_and_the_line() {
    let tree = ("github/acme/hydra/a", "a");
    let yaml = |text: &str| seed(&[("github/acme/hydra.yaml", text), tree]).unwrap_err();
    assert!(
        yaml(HYDRA).contains("hydra.yaml:13") && yaml(HYDRA).contains("kim-less"),
        "{}",
        yaml(HYDRA)
    );
    for (text, expected) in [
        ("colour: red", "hydra.yaml:1"),
        (
            "history:\n  - {message: x, files: {../x: y}}",
            "hydra.yaml:2: path `../x`",
        ),
        (
            "history:\n  - {message: x, files: {.git/config: y}}",
            "hydra.yaml:2: path `.git/config`",
        ),
        (
            "history:\n  - {message: x, files: {b: null}}",
            "hydra.yaml:2",
        ),
        (
            "history:\n  - {message: x, date: soon}",
            "hydra.yaml:2: `soon`",
        ),
        (
            "history:\n  - {message: x, branch: a..b}",
            "hydra.yaml:2: `a..b`",
        ),
        (
            "pulls:\n  - {title: x, head: nowhere}",
            "hydra.yaml:2: there is no branch `nowhere`",
        ),
        (
            "issues:\n  - {title: x, number: 1}\n  - {title: y, number: 1}",
            "hydra.yaml:3: number 1",
        ),
        (
            "issues:\n  - {title: x, milestone: M}",
            "hydra.yaml:2: there is no such milestone",
        ),
    ] {
        let error = yaml(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn trees_that_are_no_repository_are_refused() {
    for path in [
        "github/acme/hydra/.git/config",
        "github/acme/hydra/a/.GIT/x",
    ] {
        let error = seed(&[(path, "x")]).unwrap_err();
        assert!(error.contains(".git"), "{error}");
    }
    assert!(
        seed(&[("github/loose-file", "x")])
            .unwrap_err()
            .contains("expected a folder")
    );
    let dir = folder(&[("github/acme/hydra/a", "x")]);
    dir.symlink("a", "github/acme/hydra/link").unwrap();
    let options = SeedOptions {
        services: vec!["github".to_owned()],
    };
    let error = World::seed(&dir, &options).unwrap_err().to_string();
    assert!(
        error.contains("github/acme/hydra/link: is a symbolic link"),
        "{error}"
    );
    let dir = folder(&[("github/acme/hydra/a", "x")]);
    dir.create("github/acme/hydra/huge")
        .unwrap()
        .set_len(50 << 20)
        .unwrap();
    let error = World::seed(&dir, &options).unwrap_err().to_string();
    assert!(
        error.contains("github/acme/hydra/huge: larger than"),
        "{error}"
    );
}

#[test]
fn a_service_without_a_folder_is_empty_and_works() {
    let mut world = seed(&[]).unwrap();
    let new = serde_json::json!({"name": "fresh", "auto_init": true});
    let (status, repo) = ask(&mut world, "POST", "/user/repos", new);
    assert_eq!((status, &repo["full_name"]), (201, &"agent/fresh".into()));
    let readme = get(&mut world, "/repos/agent/fresh/readme");
    assert_eq!(readme["path"], "README.md");
}
