//! `--tool`: programs and directories of the operator in the agent's room.

use std::os::unix::fs::PermissionsExt;

use proctor_tests::Desk;
use serde_json::{Value, json};

use super::OFFICE;
use super::play::{play, run};

#[test]
fn what_the_operator_gives_is_there_and_cannot_be_changed() {
    let desk = Desk::new();
    let (agent, folder) = (desk.path("my-agent"), desk.path("release"));
    std::fs::write(&agent, "#!/bin/sh\necho \"hello from $0\"\n").unwrap();
    std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("data.txt"), "42\n").unwrap();
    let release = "/opt/proctor/tools/release";
    let calls = [
        run("my-agent").says("hello from /opt/proctor/bin/my-agent"),
        run(&format!("cat {release}/data.txt")).says("42"),
        run(&format!("echo 43 > {release}/data.txt"))
            .fails(1)
            .says("Read-only file system"),
        run("rm -f /opt/proctor/bin/my-agent").fails(1),
        run("cat /opt/proctor/bin/my-agent > copy && ls /opt/proctor/tools").says("release"),
    ];
    let tools = [&agent, &folder].map(|path| path.to_str().unwrap());
    play(&desk, &calls, &["--tool", tools[0], "--tool", tools[1]]);
    assert_eq!(std::fs::read(folder.join("data.txt")).unwrap(), b"42\n");
    let job: Value =
        serde_json::from_slice(&std::fs::read(desk.path("job/job.json")).unwrap()).unwrap();
    assert_eq!(
        job["tools"],
        json!(["/opt/proctor/bin/my-agent", "/opt/proctor/tools/release"])
    );
}

#[test]
fn a_tool_takes_the_place_of_the_program_that_the_task_names() {
    let desk = Desk::new();
    let own = desk.path("gws");
    std::fs::write(&own, "#!/bin/sh\necho my own\n").unwrap();
    std::fs::set_permissions(&own, PermissionsExt::from_mode(0o755)).unwrap();
    let calls = [run("gws --version").says("my own")];
    play(&desk, &calls, &["--tool", own.to_str().unwrap()]);
}

#[test]
fn tools_that_would_show_the_task_or_the_job_are_refused() {
    let desk = Desk::new();
    let out = desk.path("jobs/one");
    let here = desk.path("jobs");
    std::fs::create_dir(&here).unwrap();
    for (tool, problem) in [
        (OFFICE, "with its solution"),
        ("tests/clients/office/seed", "with its solution"),
        (".", "with its solution"),
        (here.to_str().unwrap(), "keep them apart"),
        ("README.md", "may be executed"),
        ("no/such/tool", "No such file"),
        ("/", "no name"),
        ("/proc/self", "no part of a file system that holds programs"),
    ] {
        let out = out.to_str().unwrap();
        let ended = desk.run([
            "run", OFFICE, "--agent", "nop", "--out", out, "--tool", tool,
        ]);
        ended.refused(2, &["error: --tool ", problem]);
        assert!(
            !std::path::Path::new(out).exists(),
            "{tool}: nothing was started"
        );
    }
}
