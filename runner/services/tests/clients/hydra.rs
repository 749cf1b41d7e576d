//! The repository that GitHub's clients find, and lines of shell that use it.

use proctor_types::world::github::Repository;
use serde_json::Value;

use crate::kit::{self, ended};

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@example.com, name: Agent Ode, github: agent}
people:
  - {email: ada@example.com, name: Ada Byron, github: ada}
tokens: {ada-token: ada@example.com}
";
const HYDRA: &str = "\
description: A pipeline
author: ada
history:
  - {message: Try more, branch: more, author: ada, files: {src/app.py: \"SIZE = 1024\\n\"}}
issues:
  - {title: It leaks, body: Memory grows., author: ada, labels: [bug], comments: [{author: ada, body: Confirmed.}]}
pulls:
  - {title: More, head: more, author: ada, body: \"Fixes #1\"}
protection: {release: {require_pull_request: true}}
";

/// `acme/hydra`: a branch, an issue (1) and a pull request (2).
pub(crate) struct Bench(kit::Bench);

impl std::ops::Deref for Bench {
    type Target = kit::Bench;

    fn deref(&self) -> &kit::Bench {
        &self.0
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self(kit::Bench::new(
            "github",
            &[
                ("world.yaml", WORLD),
                ("github/acme/hydra.yaml", HYDRA),
                ("github/acme/hydra/README.md", "# Hydra\n"),
                ("github/acme/hydra/src/app.py", "SIZE = 512\n"),
            ],
        ))
    }

    /// The same, and a clone of it in `hydra`.
    pub(crate) async fn cloned() -> Self {
        let bench = Self::new();
        bench
            .ok("", "git clone -q https://github.com/acme/hydra.git")
            .await;
        bench
    }

    /// Runs a line of shell in a folder; gives whether it succeeded, and what
    /// it printed.
    async fn run(&self, folder: &str, line: &str) -> (bool, String) {
        let mut shell = self.client("/bin/sh", folder);
        shell
            .args(["-ec", line])
            .env("PATH", std::env::var_os("PATH").unwrap());
        let output = ended(&mut shell).await;
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    /// Runs a line that must succeed.
    pub(crate) async fn ok(&self, folder: &str, line: &str) -> String {
        let (ok, text) = self.run(folder, line).await;
        assert!(ok, "{line}: {text}");
        text
    }

    /// Runs a line that must succeed and print all of these words.
    pub(crate) async fn says(&self, folder: &str, line: &str, words: &[&str]) {
        let text = self.ok(folder, line).await;
        all_in(line, &text, words);
    }

    /// Runs a line that must fail and print all of these words.
    pub(crate) async fn fails(&self, folder: &str, line: &str, words: &[&str]) {
        let (ok, text) = self.run(folder, line).await;
        assert!(!ok, "{line}: {text}");
        all_in(line, &text, words);
    }

    /// Runs a line that must succeed and print JSON.
    pub(crate) async fn json(&self, folder: &str, line: &str) -> Value {
        let text = self.ok(folder, line).await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{line}: {error}: {text}"))
    }

    /// The repository as it is now.
    pub(crate) fn repository(&self) -> Repository {
        let github = self.world.snapshot().github.unwrap();
        let mut all = github.repositories.into_iter();
        all.find(|it| it.full_name == "acme/hydra").unwrap()
    }

    /// Nothing broke and nothing else was tried.
    pub(crate) async fn close(self) {
        for entry in self.world.journal() {
            assert!(entry.status < 500 && entry.operation.is_some(), "{entry:?}");
        }
        assert_eq!(self.world.fault(), None);
        self.0.gateway.shutdown().await;
    }
}

fn all_in(line: &str, text: &str, words: &[&str]) {
    for word in words {
        assert!(
            text.contains(word),
            "`{line}` does not say `{word}`: {text}"
        );
    }
}
