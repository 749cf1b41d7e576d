//! Installing agents with an npm that is a shell script.

use std::path::Path;
use std::sync::Mutex;

use proctor_agents::install::npm::{Install, InstallError, Installed, Progress, install};
use proctor_agents::install::{FindError, Origin};

use crate::install::{ELF, Machine, adapter};

impl Machine {
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
touch "$2/node_modules/@made/up/pending" "$(dirname "$0")/kept"
ln -s "$(dirname "$0")" "$2/node_modules/@made/up/out"
"#
    )
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
    let package = installed.root.join("node_modules/@made/up");
    assert!(!package.join("pending").exists());
    // A link of the package's leads there.
    assert!(package.join("out/kept").exists());
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
    let old = machine.put("d/npm", "#!/bin/bash\nprintf 'npm WARN x\\nnpm ERR! code E404\\nnpm ERR! Not found\\n\\nnpm ERR! A complete log of this run\\n    /x.log\\n' >&2\nexit 1\n");
    let (result, _) = machine.install(&old, Some("9.9.9")).await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "npm could not install @made/up@9.9.9 (exit code 1): code E404; Not found"
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
