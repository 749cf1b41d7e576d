use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::*;
use crate::task::testing::{CHECKS, OPTIONS, load_pack, real_task, task_text, write};

#[test]
fn the_repositorys_own_task_loads_with_everything_it_names() {
    let task = load_task(&real_task(), OPTIONS).unwrap();
    assert_eq!(task.info.id, "gws-task-management");
    assert_eq!(task.pack.name(), "gws-task-management");
    let GraderSource::Component(module) = &task.grader else {
        panic!("a module grades")
    };
    assert_eq!(module.path, "grader.wasm");
    assert_eq!(task.oracle.as_deref(), Some("solution/steps.yaml"));
    assert!(
        task.pack
            .read("solution/steps.yaml")
            .unwrap()
            .starts_with(b"# ")
    );
    let seed = task.seed.as_ref().unwrap();
    assert!(
        seed.dir
            .read_to_string("world.yaml")
            .unwrap()
            .contains("clock:")
    );
    let mails = seed.dir.read_dir("google/mail").unwrap().count();
    assert_eq!(mails, 6, "five messages and what is said about them");
    assert_eq!(
        task.pack_sha256,
        load_task(&real_task().join("task.md"), OPTIONS)
            .unwrap()
            .pack_sha256
    );
    let unexpected = |warning: &&Warning| {
        !matches!(warning.kind, crate::task::WarningKind::GraderMissing { .. })
    };
    assert_eq!(
        task.warnings.iter().filter(unexpected).count(),
        0,
        "{:?}",
        task.warnings
    );
}

#[test]
fn fixtures_come_from_the_packs_assets_or_from_the_task_itself() {
    let dir = tempfile::tempdir().unwrap();
    let extra = "workspace_files:\n  - {source: data/a.csv, dest: in/a.csv}\n  - {source: run.sh, dest: run.sh}\n  - {path: note.txt, content: \"hi\\n\"}";
    write(
        dir.path(),
        &[
            ("task.md", &task_text("a-task", extra)),
            ("assets/data/a.csv", "1,2\n"),
            ("assets/run.sh", "exit 0\n"),
        ],
    );
    let script = dir.path().join("assets/run.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o775)).unwrap();
    let task = load_task(dir.path(), OPTIONS).unwrap();
    let fixtures: Vec<_> = task
        .fixtures
        .iter()
        .map(|f| (f.dest.as_str(), &f.bytes[..], f.mode))
        .collect();
    assert_eq!(
        fixtures,
        [
            ("in/a.csv", &b"1,2\n"[..], 0o644),
            ("run.sh", b"exit 0\n", 0o755),
            ("note.txt", b"hi\n", 0o644),
        ]
    );
    assert_eq!(task.grader, GraderSource::Python);
}

#[test]
fn fixtures_that_cannot_be_used_have_distinct_errors() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "x").unwrap();
    let outside = outside.path().to_owned();
    let secret = outside.join("secret");
    let load = |source: &str, make: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        let extra = format!("workspace_files:\n  - {{source: {source}, dest: a}}");
        write(
            dir.path(),
            &[
                ("task.md", &task_text("a-task", &extra)),
                ("assets/b/c", "x"),
            ],
        );
        make(&dir.path().join("assets"));
        let error = load_task(dir.path(), OPTIONS).unwrap_err().to_string();
        error.replace(&dir.path().display().to_string(), "PACK")
    };
    let nothing: &dyn Fn(&Path) = &|_| {};
    assert_eq!(
        load("nope.csv", nothing),
        "PACK/task.md:8: `workspace_files` names `nope.csv`, which does not exist; expected it at PACK/assets/nope.csv"
    );
    assert_eq!(
        load("b/nope", nothing),
        "PACK/task.md:8: `workspace_files` names `b/nope`, which does not exist; expected it at PACK/assets/b/nope"
    );
    assert_eq!(
        load("b", nothing),
        "PACK/task.md:8: `workspace_files` names `b`, which is a folder; expected a regular file"
    );
    assert!(load("b/c/d", nothing).contains("does not exist"));
    assert_eq!(
        load("../../secret", nothing),
        "PACK/task.md:8: `workspace_files[1].source` names `../../secret`, which goes up with `..`; expected a path that stays inside the `assets/` folder"
    );
    assert!(load("/etc/passwd", nothing).contains("is absolute"));
    // In a pack, the walk that digests it refuses every link.
    assert_eq!(
        load("link", &|assets| symlink(&secret, assets.join("link"))
            .unwrap()),
        "PACK/assets/link is a symbolic link; a task pack holds regular files and folders only"
    );
    assert_eq!(
        load("b/c", &|assets| {
            fs::remove_dir_all(assets).unwrap();
            symlink(&outside, assets).unwrap();
        }),
        "PACK/assets is a symbolic link; a task pack holds regular files and folders only"
    );
}

#[test]
fn a_bare_file_finds_its_assets_beside_the_tasks_and_never_through_links() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = dir.path().join("tasks");
    let text = |source: &str| {
        task_text(
            "task_01",
            &format!("workspace_files: [{{source: {source}, dest: a}}]"),
        )
    };
    let path = tasks.join("task_01.md");
    write(&tasks, &[("task_01.md", &text("d/a.csv"))]);
    write(dir.path(), &[("assets/d/a.csv", "1\n"), ("secret", "x")]);
    let task = load_task(&path, OPTIONS).unwrap();
    assert_eq!(&task.fixtures[0].bytes[..], b"1\n");
    assert_eq!(
        (task.pack.name(), task.seed.is_none()),
        ("task_01.md", true)
    );
    let before = task.pack_sha256;

    // The digest covers the asset, and not the name of the file.
    fs::rename(&path, tasks.join("task_x.md")).unwrap();
    assert_eq!(
        load_task(&tasks.join("task_x.md"), OPTIONS)
            .unwrap()
            .pack_sha256,
        before
    );
    write(dir.path(), &[("assets/d/a.csv", "2\n")]);
    assert_ne!(
        load_task(&tasks.join("task_x.md"), OPTIONS)
            .unwrap()
            .pack_sha256,
        before
    );

    let error = |source: &str| {
        fs::write(&path, text(source)).unwrap();
        load_task(&path, OPTIONS).unwrap_err().to_string()
    };
    symlink(dir.path().join("secret"), dir.path().join("assets/link")).unwrap();
    symlink(dir.path(), dir.path().join("assets/up")).unwrap();
    assert!(error("link").ends_with("names `link`, which goes through the symbolic link `link`; task packs hold files, not links"));
    assert!(error("up/secret").ends_with("names `up/secret`, which goes through the symbolic link `up`; task packs hold files, not links"));
    assert!(error("d/b.csv").contains("names `d/b.csv`, which does not exist; expected it at "));

    // A link in place of the folder itself counts as no folder.
    fs::rename(dir.path().join("assets"), dir.path().join("real")).unwrap();
    symlink("real", dir.path().join("assets")).unwrap();
    assert!(error("d/a.csv").contains("does not exist"));
}

#[test]
fn what_the_key_proctor_names_has_to_be_in_the_pack() {
    let extra = |line: &str| format!("proctor:\n  {line}");
    for (line, message) in [
        (
            "seed: seed",
            "a-task/task.md:8: `proctor.seed` names `seed`, which does not exist; expected it at ",
        ),
        (
            "seed: file",
            "`proctor.seed` names `file`, which is a file; expected a folder",
        ),
        (
            "oracle: solution/steps.yaml",
            "`proctor.oracle` names `solution/steps.yaml`, which does not exist; expected it at ",
        ),
        (
            "oracle: folder",
            "`proctor.oracle` names `folder`, which is a folder; expected a regular file",
        ),
        (
            "system_prompt: s.md",
            "`proctor.system_prompt` names `s.md`, which does not exist",
        ),
        (
            "grader: folder",
            "`proctor.grader` names `folder`, which is a folder",
        ),
    ] {
        let error = load_pack(&extra(line), &[("file", "x"), ("folder/x", "x")]).unwrap_err();
        assert!(error.to_string().contains(message), "{error}\n{message}");
    }
    let task = load_pack(&extra("system_prompt: s.md"), &[("s.md", "Be careful.\n")]).unwrap();
    assert_eq!(task.system_prompt.unwrap().text, "Be careful.\n");
    let long = "x".repeat((1 << 20) + 1);
    let error = load_pack(&extra("system_prompt: s.md"), &[("s.md", &long)]).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has 1048577 bytes; at most 1048576 are allowed"),
        "{error}"
    );
    let error = load_pack(&extra("system_prompt: s.md"), &[("s.md", "a\0b")]).unwrap_err();
    assert!(error.to_string().ends_with("is not UTF-8 text"), "{error}");
}

#[test]
fn a_grader_that_is_not_built_is_a_warning_until_it_is_needed() {
    let extra = "proctor:\n  grader: grader.wasm";
    let task = load_pack(extra, &[]).unwrap();
    let shown = task.warnings[0].to_string();
    assert!(shown.ends_with("task.md:8: the grader `grader.wasm` is not there yet; the task cannot be graded until it is built"), "{shown}");
    let error = task.read_grader().unwrap_err().to_string();
    assert!(
        error.contains(
            "`proctor.grader` names `grader.wasm`, which does not exist; expected it at "
        ),
        "{error}"
    );

    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("task.md", &task_text("a", extra)),
            ("grader.wasm", "module"),
        ],
    );
    let task = load_task(dir.path(), OPTIONS).unwrap();
    assert_eq!(task.read_grader().unwrap().unwrap(), b"module");
    assert_eq!(task.warnings, []);
    // Same length, other bytes: between digest and use.
    fs::write(dir.path().join("grader.wasm"), "MODULE").unwrap();
    assert!(matches!(
        task.read_grader().unwrap_err(),
        TaskError::Changed { .. }
    ));
    fs::remove_file(dir.path().join("grader.wasm")).unwrap();
    symlink("task.md", dir.path().join("grader.wasm")).unwrap();
    assert!(matches!(
        task.read_grader().unwrap_err(),
        TaskError::Changed { .. }
    ));
    assert!(matches!(
        task.pack.read("../x").unwrap_err(),
        TaskError::NotInPack { .. }
    ));
}

#[test]
fn a_bare_file_has_no_folder_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    for line in [
        "seed: seed",
        "grader: g.wasm",
        "system_prompt: s.md",
        "oracle: o.yaml",
    ] {
        let text = task_text("a", &format!("proctor:\n  {line}"));
        write(
            dir.path(),
            &[("a.md", &text), ("seed/world.yaml", ""), ("g.wasm", "")],
        );
        let error = load_task(&dir.path().join("a.md"), OPTIONS)
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with(
                "needs a folder of the task's own; make one and put this file into it as `task.md`"
            ),
            "{error}"
        );
    }
    let oci = format!(
        "proctor:\n  grader: oci://ghcr.io/a/b@sha256:{}",
        "0".repeat(64)
    );
    write(dir.path(), &[("a.md", &task_text("a", &oci))]);
    let task = load_task(&dir.path().join("a.md"), OPTIONS).unwrap();
    assert!(matches!(task.grader, GraderSource::Oci(_)));
    assert_eq!(task.read_grader().unwrap(), None);
}

#[test]
fn fixtures_have_to_fit_the_workspace() {
    let load = |bytes: usize| {
        let content = "0".repeat(bytes - 1);
        let files = format!(
            "workspace_files:\n  - {{path: a, content: '{content}'}}\n  - {{path: b, content: 'x'}}\nproctor:\n  limits: {{workspace: 64KiB}}"
        );
        load_pack(&files, &[])
    };
    assert!(load(64 << 10).is_ok());
    let error = load((64 << 10) + 1).unwrap_err();
    assert!(error.to_string().ends_with("task.md:9: `workspace_files` is 65537 bytes or more in all; expected at most 65536 bytes, so that they fit the workspace"), "{error}");
}

#[test]
fn paths_that_are_no_task_say_what_was_found() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &[("empty/x.txt", ""), ("a.txt", "")]);
    let error = |path: &str| {
        load(&[dir.path().join(path)], OPTIONS)
            .unwrap_err()
            .to_string()
    };
    assert!(error("empty").ends_with("is no task: a folder without tasks; expected a task file (`.md`), a folder with `task.md`, or a suite of them"));
    assert!(error("a.txt").contains("is no task: not a Markdown file;"));
    assert!(error("nowhere").starts_with("cannot read "));
    let one = load_task(&dir.path().join("empty"), OPTIONS)
        .unwrap_err()
        .to_string();
    assert!(one.contains("a folder without `task.md`"));
}

#[test]
fn suites_are_found_and_sorted_by_id() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            (
                "tasks/z/task.md",
                &task_text("a", "difficulty: hard\nlanguage: en"),
            ),
            ("tasks/m/task.md", &task_text("m", "difficulty: easy")),
            ("tasks/task_b.md", &task_text("b", "difficulty: easy")),
            ("tasks/README.md", "# No task\n"),
            ("tasks/TASK_TEMPLATE.md", "---\nnot: one\n---\n"),
            ("tasks/manifest.yaml", "run_first: [a]\n"),
            ("assets/x", ""),
        ],
    );
    for path in [dir.path().to_owned(), dir.path().join("tasks")] {
        let suite = load_suite(&path, OPTIONS).unwrap();
        let ids: Vec<_> = suite
            .tasks
            .iter()
            .map(|task| task.info.id.as_str())
            .collect();
        assert_eq!(ids, ["a", "b", "m"]);
        assert_eq!(suite.lock_path(), dir.path().join("tasks/proctor.lock"));
        let warnings: Vec<_> = suite.warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].ends_with("z/task.md:7: `difficulty` is not a key that Proctor knows; it has no effect (so it is in 2 more files)"));
        assert!(warnings[1].ends_with(
            "z/task.md:8: `language` is not a key that Proctor knows; it has no effect"
        ));
    }
    let tasks = dir.path().join("tasks");
    let named = load(
        &[tasks.join("m"), tasks.clone(), tasks.join("m/task.md")],
        OPTIONS,
    )
    .unwrap();
    let ids: Vec<_> = named.iter().map(|task| task.info.id.as_str()).collect();
    assert_eq!(
        ids,
        ["m", "a", "b"],
        "named twice, loaded once, in the order given"
    );
}

#[test]
fn everything_wrong_with_a_suite_is_said_at_once() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("one/task.md", &task_text("same", "")),
            ("two/task.md", &task_text("same", "")),
            ("bad/task.md", "no front matter\n"),
            ("task_worse.md", &task_text("UPPER", "")),
        ],
    );
    let error = load_suite(dir.path(), OPTIONS).unwrap_err();
    let at = |name: &str| dir.path().join(name).display().to_string();
    let text = error.to_string();
    assert_eq!(error.each().len(), 3, "{text}");
    for part in [
        "3 tasks cannot be loaded:",
        &format!(
            "two tasks have the id `same`: {} and {}; give each an id of its own",
            at("one/task.md"),
            at("two/task.md")
        ),
        &format!("{}:1: expected `---` on the first line", at("bad/task.md")),
        &format!("{}:2: `id` is the text `UPPER`", at("task_worse.md")),
    ] {
        assert!(text.contains(part), "{text}\n{part}");
    }
    let both = load(&[dir.path().join("one"), dir.path().join("two")], OPTIONS).unwrap_err();
    assert!(matches!(both, TaskError::DuplicateId { .. }), "{both}");
}

#[test]
fn a_suite_does_not_follow_links_to_tasks() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[
            ("elsewhere/task.md", &task_text("a", "")),
            ("suite/b/task.md", &task_text("b", "")),
        ],
    );
    symlink(dir.path().join("elsewhere"), dir.path().join("suite/a")).unwrap();
    let error = load_suite(&dir.path().join("suite"), OPTIONS)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(
            "suite/a is a symbolic link; a task pack holds regular files and folders only"
        ),
        "{error}"
    );
}

#[test]
fn leftovers_count_and_are_remarked() {
    let task = load_pack(
        "",
        &[
            ("seed/a.eml~", ""),
            (".git/config", ""),
            (".git/x/y", ""),
            ("a~b", ""),
            ("grader/target/CACHEDIR.TAG", ""),
            ("grader/target/debug/x.o", ""),
            ("target/x", ""),
        ],
    )
    .unwrap();
    let shown: Vec<_> = task
        .warnings
        .iter()
        .map(|warning| warning.kind.to_string())
        .collect();
    assert_eq!(shown.len(), 3);
    assert!(shown[0].starts_with("`.git` looks left over"));
    assert!(shown[1].starts_with("`grader/target` looks left over"));
    assert!(shown[2].starts_with("`seed/a.eml~` looks left over"));
    assert_ne!(task.pack_sha256, load_pack("", &[]).unwrap().pack_sha256);
}

#[test]
fn a_judged_task_needs_no_grader_and_ignores_python() {
    let dir = tempfile::tempdir().unwrap();
    let text = task_text("a", "").replace("automated", "llm_judge");
    assert!(text.contains(CHECKS));
    let text = text + "\n## LLM Judge Rubric\n\n### Criterion 1: A\n\n**Score 1.0**: a\n";
    write(dir.path(), &[("task.md", &text)]);
    let task = load_task(dir.path(), OPTIONS).unwrap();
    assert_eq!(task.grader, GraderSource::None);
    assert!(task.python.is_some());
}
