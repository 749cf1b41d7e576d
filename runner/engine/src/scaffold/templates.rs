//! The files of a new task.

use std::collections::BTreeMap;

use super::{Sdk, cargo_lock, usage};
use crate::EngineError;

/// Folder of a Rust grader's crate in its task.
pub(super) const CRATE: &str = "grader";

/// What a grader is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// A crate that becomes a WebAssembly component.
    #[default]
    Rust,
    /// A block of the task's Markdown file.
    Python,
}

/// Text by path.
pub(super) type Files = BTreeMap<String, String>;

const COMMON: [(&str, &str); 3] = [
    (
        "assets/expenses.csv",
        include_str!("template/common/expenses.csv"),
    ),
    (
        "solution/steps.yaml",
        include_str!("template/common/steps.yaml"),
    ),
    (
        ".gitattributes",
        include_str!("template/common/gitattributes"),
    ),
];
const RUST: [(&str, &str); 6] = [
    ("task.md", include_str!("template/rust/task.md")),
    (".gitignore", include_str!("template/rust/gitignore")),
    (
        "grader/Cargo.toml",
        include_str!("template/rust/Cargo.toml.in"),
    ),
    (
        "grader/.cargo/config.toml",
        include_str!("template/rust/config.toml"),
    ),
    ("grader/src/lib.rs", include_str!("template/rust/lib.rs")),
    (
        "grader/tests/grade.rs",
        include_str!("template/rust/grade.rs"),
    ),
];
const PYTHON: [(&str, &str); 2] = [
    ("task.md", include_str!("template/python/task.md")),
    (".gitignore", include_str!("template/python/gitignore")),
];

/// The files of a task called `name`.
pub(super) fn files(
    name: &str,
    language: Language,
    sdk: Option<&Sdk>,
) -> Result<Files, EngineError> {
    let own = match language {
        Language::Rust => &RUST[..],
        Language::Python => &PYTHON,
    };
    let sdk_path = sdk.map(|sdk| toml::Value::from(sdk.path.as_str()).to_string());
    let fill = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@TITLE@", &title(name))
            .replace("@SDK@", sdk_path.as_deref().unwrap_or_default())
    };
    let mut files: Files = COMMON
        .iter()
        .chain(own)
        .map(|(path, text)| ((*path).to_owned(), fill(text)))
        .collect();
    if language == Language::Rust {
        let lock = cargo_lock::lock_of(&format!("grader-{name}")).map_err(|error| {
            usage(
                format!("the versions of the SDK's dependencies cannot be read: {error}"),
                "this is a fault of Proctor's; please report it",
            )
        })?;
        files.insert(format!("{CRATE}/Cargo.lock"), lock);
    }
    Ok(files)
}

/// `monthly-expenses` as `Monthly expenses`.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        // A name of nothing but dashes.
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_made_for_people() {
        for (name, expected) in [
            ("monthly-expenses", "Monthly expenses"),
            ("a_b-c", "A b c"),
            ("2026", "2026"),
        ] {
            assert_eq!(title(name), expected);
        }
    }

    #[test]
    fn nothing_of_a_template_is_left_unfilled() {
        let sdk = Sdk {
            path: "../../odd \"name\"/sdk".to_owned(),
            is_beside: false,
        };
        for language in [Language::Rust, Language::Python] {
            for (path, text) in files("hello-2", language, Some(&sdk)).unwrap() {
                for mark in ["@NAME@", "@TITLE@", "@SDK@"] {
                    assert!(!text.contains(mark), "{mark} is in {path}");
                }
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
                assert!(path == "task.md" || !text.contains("{{"), "{path}");
            }
        }
        let rust = files("hello-2", Language::Rust, Some(&sdk)).unwrap();
        let manifest: toml::Table = rust["grader/Cargo.toml"].parse().unwrap();
        let path = manifest["dependencies"]["proctor-grader"]["path"].as_str();
        assert_eq!(path, Some(sdk.path.as_str()));
    }
}
