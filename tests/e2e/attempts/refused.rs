//! What a task cannot have its steps or its world made of.

use proctor_tests::{Desk, copy, root};

use super::{PACK, run};

/// A copy of the task whose files `edit` changes.
fn pack(desk: &Desk, edit: impl Fn(&std::path::Path)) -> String {
    let to = desk.path("pack");
    copy(&root().join(PACK), &to);
    edit(&to);
    to.to_str().unwrap().to_owned()
}

#[test]
fn a_solution_that_names_what_is_not_there_is_refused_before_anything_runs() {
    for (names, problem) in [
        ("[nowhere]", "`nowhere`, and there is no such file"),
        (
            "[../seed]",
            "`files` names `../seed`: expected files and folders",
        ),
        (
            "[/etc/passwd]",
            "`files` names `/etc/passwd`: expected files",
        ),
    ] {
        let desk = Desk::new();
        let task = pack(&desk, |pack| {
            let file = pack.join("solution/steps.yaml");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(
                &file,
                text.replace("files: [kit]", &format!("files: {names}")),
            )
            .unwrap();
        });
        let ended = run(&desk, &task, "oracle", &[]);
        ended.refused(3, &["solution/steps.yaml", problem]);
        assert!(!desk.path("job").exists());
        // It is the oracle's alone.
        assert_eq!(run(&desk, &task, "nop", &["--attempts", "1"]).code, 0);
    }
}

#[test]
fn a_scripts_file_that_is_not_there_is_a_mistake_of_the_operator() {
    let desk = Desk::new();
    let steps = desk.path("steps.yaml");
    std::fs::write(&steps, "files: [kit]\nsteps:\n- run: ls\n").unwrap();
    let agent = format!("scripted:{}", steps.display());
    run(&desk, PACK, &agent, &[]).refused(2, &["steps.yaml", "`kit`, and there is no such file"]);
}

#[test]
fn a_seed_that_changes_between_two_attempts_is_nobodys_result() {
    let desk = Desk::new();
    let task = pack(&desk, |_| {});
    // Without walls the first attempt reaches the pack.
    let mail = desk.path("pack/seed/google/mail/hydra.eml");
    let agent = format!("command:echo 'P.S. {{attempt}}' >> {}", mail.display());
    std::fs::set_permissions(&mail, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    for path in [desk.path(""), desk.path("pack")] {
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o777))
            .unwrap();
    }
    let more = ["--isolation", "none", "--attempts", "2", "--format", "json"];
    let ended = run(&desk, &task, &agent, &more);
    assert_eq!(ended.code, 6, "{ended:?}");
    let job = ended.json();
    let outcomes: Vec<&str> = job["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| trial["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["scored", "infrastructure"], "{job}");
    let failure = &job["trials"][1]["failure"];
    assert_eq!(failure["stage"], "seed");
    let message = failure["message"].as_str().unwrap();
    assert!(
        message.contains("pack/seed") && message.contains("changed"),
        "{message}"
    );
    assert_eq!(job["groups"], serde_json::json!([]));
}
