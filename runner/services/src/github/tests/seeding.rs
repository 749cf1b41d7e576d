//! Seeds, good and bad.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
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
        ..SeedOptions::default()
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

#[test]
fn the_number_of_the_attempt_is_in_names_and_yaml_and_in_no_file() {
    let yaml = "\
description: Run {attempt}
default_branch: main-{attempt}
history:
  - {message: 'Tune {attempt}', files: {'src/b{attempt}.py': \"# {attempt}\\n\", b: null}}
issues:
  - title: Broken in {attempt}
    number: 7{attempt}
";
    let dir = folder(&[
        ("github/acme/hydra-{attempt}.yaml", yaml),
        ("github/acme/hydra-{attempt}/a.py", "f'{attempt}'\n"),
        ("github/acme/hydra-{attempt}/b", "b"),
        ("github/acme/hydra-{attempt}/run-{attempt}/c", "c"),
    ]);
    let of = |attempt: u32| {
        let services = vec!["github".to_owned()];
        World::seed(&dir, &SeedOptions { services, attempt }).unwrap()
    };
    let mut world = of(3);
    let repo = get(&mut world, "/repos/acme/hydra-3");
    assert_eq!(repo["description"], "Run 3");
    assert_eq!(repo["default_branch"], "main-3");
    let commits = get(&mut world, "/repos/acme/hydra-3/commits");
    assert_eq!(commits[0]["commit"]["message"], "Tune 3");
    let issue = get(&mut world, "/repos/acme/hydra-3/issues/73");
    assert_eq!(issue["title"], "Broken in 3");
    let mut text = |path: &str| {
        let target = format!("/repos/acme/hydra-3/contents/{path}");
        let file = get(&mut world, &target);
        let text = file["content"].as_str().unwrap().replace('\n', "");
        String::from_utf8(STANDARD.decode(text).unwrap()).unwrap()
    };
    assert_eq!(text("a.py"), "f'{attempt}'\n");
    assert_eq!(text("src/b3.py"), "# {attempt}\n");
    assert_eq!(text("run-3/c"), "c");
    let mut other = of(0);
    assert_eq!(get(&mut other, "/repos/acme/hydra-0")["name"], "hydra-0");
    let (status, _) = ask(&mut other, "GET", "/repos/acme/hydra-3", Value::Null);
    assert_eq!(status, 404);
}

#[test]
fn names_that_the_number_makes_equal_are_refused() {
    for files in [
        ["github/acme/hydra-{attempt}/a", "github/acme/hydra-0/a"],
        ["github/acme-{attempt}/x/a", "github/acme-0/y/a"],
        ["github/acme/x/a{attempt}", "github/acme/x/a0"],
        ["github/acme/Hydra/a", "github/acme/hydra/a"],
    ] {
        let error = seed(&files.map(|path| (path, "x"))).unwrap_err();
        assert!(error.contains("collides with"), "{error}");
    }
}
