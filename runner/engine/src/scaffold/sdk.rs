//! Where the Rust SDK is, seen from a grader's crate.
//!
//! The SDK is not in a registry, so a grader names it by path. A path within
//! one checkout is good wherever the checkout lies.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::{Sdk, usage};
use crate::EngineError;

/// The SDK's package, and its folder in a checkout.
const PACKAGE: &str = "proctor-grader";
const FOLDER: &str = "grader-sdk/rust";
/// Longest manifest that is looked at.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The SDK for the crate that will be at `krate` (absolute, without links):
/// `given`, else that of the checkout around the crate, else that of the
/// checkout around one of `beside`.
pub(super) fn find(
    given: Option<&Path>,
    beside: &[PathBuf],
    krate: &Path,
) -> Result<Sdk, EngineError> {
    let found = match given {
        Some(given) => Some(at(given).ok_or_else(|| {
            usage(
                format!("--sdk {}: the SDK is not there", given.display()),
                "give a checkout of Proctor, or its folder grader-sdk/rust",
            )
        })?),
        None => std::iter::once(krate)
            .chain(beside.iter().map(PathBuf::as_path))
            .find_map(|path| {
                path.ancestors()
                    .find_map(|above| crate_in(&above.join(FOLDER)))
            }),
    };
    let found = found.ok_or_else(|| {
        usage(
            "a grader in Rust needs Proctor's SDK, which is neither around the new task nor around \
             this program"
                .to_owned(),
            "give --sdk with a checkout of Proctor, or --lang python",
        )
    })?;
    let path = relative(krate, &found).and_then(|path| path.to_str().map(str::to_owned));
    let path = path.ok_or_else(|| {
        usage(
            format!("the SDK's path is not UTF-8: {}", found.display()),
            "move the checkout",
        )
    })?;
    Ok(Sdk {
        is_beside: is_beside(krate, &found),
        path,
    })
}

/// Whether the SDK at `sdk` comes along wherever the crate at `krate` goes: the
/// task is part of the SDK's checkout, or the SDK of the task's repository.
fn is_beside(krate: &Path, sdk: &Path) -> bool {
    let is_repository = |dir: &&Path| dir.join(".git").symlink_metadata().is_ok();
    let checkout = sdk.ancestors().nth(2);
    let repository = krate.ancestors().find(is_repository);
    checkout.is_some_and(|checkout| krate.starts_with(checkout))
        || repository.is_some_and(|repository| sdk.starts_with(repository))
}

/// The SDK in `path`, which is the SDK or a checkout.
fn at(path: &Path) -> Option<PathBuf> {
    crate_in(path).or_else(|| crate_in(&path.join(FOLDER)))
}

/// `dir`, without links, if it is the SDK's crate.
fn crate_in(dir: &Path) -> Option<PathBuf> {
    let mut text = String::new();
    let manifest = dir.join("Cargo.toml");
    // A pipe of that name would never end.
    if !manifest.metadata().ok()?.is_file() {
        return None;
    }
    let file = fs::File::open(manifest).ok()?;
    file.take(MAX_MANIFEST_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    let manifest: toml::Table = text.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    (name == PACKAGE).then(|| dir.canonicalize().ok()).flatten()
}

/// The way from one absolute folder to another.
fn relative(from: &Path, to: &Path) -> Option<PathBuf> {
    let common = from
        .ancestors()
        .find(|above| to.starts_with(above))?
        .to_owned();
    let up = from.strip_prefix(&common).ok()?.components().count();
    let down = to.strip_prefix(&common).ok()?;
    let way: PathBuf = std::iter::repeat_n(Component::ParentDir, up)
        .chain(down.components())
        .collect();
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_folders_is_relative() {
        for (from, to, way) in [
            ("/a/b/c", "/a/x/y", "../../x/y"),
            ("/a/b", "/a/b/c", "c"),
            ("/a", "/b", "../b"),
            ("/a/b", "/a", ".."),
        ] {
            assert_eq!(
                relative(from.as_ref(), to.as_ref()),
                Some(way.into()),
                "{from} {to}"
            );
        }
    }

    fn checkout(dir: &Path) -> PathBuf {
        let sdk = dir.join(FOLDER);
        fs::create_dir_all(&sdk).unwrap();
        fs::write(
            sdk.join("Cargo.toml"),
            format!("[package]\nname = \"{PACKAGE}\"\n"),
        )
        .unwrap();
        sdk.canonicalize().unwrap()
    }

    #[test]
    fn the_checkout_around_the_task_wins_over_that_of_the_program() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        checkout(&root.join("one"));
        checkout(&root.join("two"));
        let program = root.join("two/target/debug/proctor");
        let beside = std::slice::from_ref(&program);
        let inside = find(None, beside, &root.join("one/tasks/t/grader")).unwrap();
        assert_eq!(inside.path, "../../../grader-sdk/rust");
        assert!(inside.is_beside);
        let outside = find(None, beside, &root.join("t/grader")).unwrap();
        assert_eq!(outside.path, "../../two/grader-sdk/rust");
        assert!(!outside.is_beside);
    }

    #[test]
    fn an_sdk_in_the_repository_of_the_task_comes_along() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let vendored = root.join("suite/vendor/proctor");
        checkout(&vendored);
        let krate = root.join("suite/tasks/t/grader");
        let found = || find(Some(&vendored), &[], &krate).unwrap();
        assert!(!found().is_beside);
        // A file in a worktree, a folder otherwise.
        fs::write(root.join("suite/.git"), "").unwrap();
        assert!(found().is_beside);
        assert_eq!(found().path, "../../../vendor/proctor/grader-sdk/rust");
    }

    #[test]
    fn what_is_given_is_a_checkout_or_the_sdk_itself() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let sdk = checkout(&root.join("one"));
        let krate = root.join("t/grader");
        for given in [root.join("one"), sdk] {
            let found = find(Some(&given), &[], &krate).unwrap();
            assert_eq!(found.path, "../../one/grader-sdk/rust");
        }
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"other\"\n").unwrap();
        for given in [root.clone(), root.join("nowhere")] {
            let error = find(Some(&given), &[], &krate).unwrap_err();
            assert!(
                error.to_string().contains("the SDK is not there"),
                "{error}"
            );
        }
        let error = find(None, &[], &krate).unwrap_err();
        assert!(error.hint().unwrap().contains("--lang python"), "{error}");
    }
}
