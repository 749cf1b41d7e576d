//! Bundles made up for tests.
//!
//! ```
//! use proctor_grader::testing::{self, Bundle};
//!
//! let evidence = Bundle::new()
//!     .workspace("notes.md", "hello")
//!     .journal(&[testing::request("tasks.tasks.list")])
//!     .evidence();
//! assert!(evidence.workspace().unwrap().exists("notes.md"));
//! ```

mod github;
mod google;
mod notion;
mod transcript;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

use proctor_types::journal::{EntryKind, JournalEntry, Payload};
use proctor_types::manifest::{
    AgentEnd, AgentRef, Clock, FileRef, Isolation, Manifest, TaskRef, TranscriptSource,
};
use proctor_types::probe::{Probe, ProbeEnd, Probes};
use proctor_types::task::{GradingType, Weights};
use proctor_types::workspace::{self, Entry, WorkspaceListing};
use proctor_types::world::notion::Page;
use proctor_types::world::{Account, GitHub, Notion, WorldSnapshot};
use proctor_types::{Event, TaskInfo, bundle, manifest, world};
use serde::Serialize;
use sha2::{Digest, Sha256};

pub use github::Repo;
pub use google::{mail, reply, task, with_delivered, with_mail, with_tasks};
pub use notion::{page, property};
pub use transcript::{answers, calls, says};

use crate::native::range;
use crate::source::{File, Source};
use crate::{Error, Evidence};

/// A bundle in memory. It starts with an empty workspace, world, journal and
/// transcript, for a task called `test`.
#[derive(Debug, Clone)]
pub struct Bundle {
    files: BTreeMap<String, Vec<u8>>,
    entries: Vec<Entry>,
}

impl Default for Bundle {
    fn default() -> Self {
        Self::new()
    }
}

impl Bundle {
    /// A bundle of an agent that did nothing in an empty world.
    pub fn new() -> Self {
        let mut empty = Self {
            files: BTreeMap::new(),
            entries: Vec::new(),
        };
        for path in [bundle::PROMPT, bundle::TRANSCRIPT, bundle::JOURNAL] {
            empty.files.insert(path.to_owned(), Vec::new());
        }
        empty
            .json(bundle::TASK, &task_info())
            .world(&world(), &world())
    }

    /// Puts a file into the bundle, or replaces it.
    #[must_use]
    pub fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    /// Puts a document into the bundle, or replaces it.
    #[must_use]
    pub fn json(self, path: &str, document: &impl Serialize) -> Self {
        self.file(path, json(document))
    }

    /// A file that the agent left.
    #[must_use]
    pub fn workspace(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        self.entries.retain(|entry| entry.path != path);
        self.entries.push(Entry {
            path: path.to_owned(),
            kind: workspace::EntryKind::File,
            mode: "644".to_owned(),
            bytes: content.len() as u64,
            sha256: Some(digest(&content)),
            target: None,
            refused: None,
        });
        self.file(&format!("{}/{path}", bundle::WORKSPACE_DIR), content)
    }

    /// A symbolic link that the agent left and the collector refused.
    #[must_use]
    pub fn symlink(mut self, path: &str, target: &str) -> Self {
        self.entries.push(Entry {
            path: path.to_owned(),
            kind: workspace::EntryKind::Symlink,
            mode: "777".to_owned(),
            bytes: target.len() as u64,
            sha256: None,
            target: Some(target.to_owned()),
            refused: Some("a symbolic link is never followed".to_owned()),
        });
        self
    }

    /// A workspace file as the task seeded it.
    #[must_use]
    pub fn fixture(self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.file(&format!("{}/{path}", bundle::FIXTURES_DIR), content)
    }

    /// The two snapshots.
    #[must_use]
    pub fn world(self, before: &WorldSnapshot, after: &WorldSnapshot) -> Self {
        self.json(bundle::WORLD_BEFORE, before)
            .json(bundle::WORLD_AFTER, after)
    }

    /// The journal. Entries get their numbers here.
    #[must_use]
    pub fn journal(self, entries: &[JournalEntry]) -> Self {
        let numbered: Vec<JournalEntry> = (1..)
            .zip(entries)
            .map(|(n, entry)| JournalEntry { n, ..entry.clone() })
            .collect();
        self.file(bundle::JOURNAL, json_lines(&numbered))
    }

    /// The transcript.
    #[must_use]
    pub fn transcript(self, events: &[Event]) -> Self {
        self.file(bundle::TRANSCRIPT, json_lines(events))
    }

    /// A body that the journal kept; put [`payload`] of it into an entry.
    #[must_use]
    pub fn body(self, content: &[u8]) -> Self {
        self.file(
            &format!("{}/{}", bundle::BODIES_DIR, digest(content)),
            content,
        )
    }

    /// What the task's probes did.
    #[must_use]
    pub fn probes(self, probes: &[Probe]) -> Self {
        self.json(bundle::PROBES, &Probes::new(probes.to_vec()))
    }

    /// The repositories of the two snapshots, with the content of their files.
    /// What else is in the snapshots stays.
    #[must_use]
    pub fn repositories(mut self, before: &[Repo], after: &[Repo]) -> Self {
        for (sha256, content) in before.iter().chain(after).flat_map(|repo| &repo.blobs) {
            self = self.file(&format!("{}/{sha256}", bundle::BLOBS_DIR), content.clone());
        }
        let github = |repos: &[Repo]| {
            let mut repositories: Vec<_> =
                repos.iter().map(|repo| repo.repository.clone()).collect();
            repositories.sort_by(|one, other| one.full_name.cmp(&other.full_name));
            Some(GitHub { repositories })
        };
        self.change_worlds(
            |world| world.github = github(before),
            |world| world.github = github(after),
        )
    }

    /// The pages of the two snapshots. What else is in the snapshots stays.
    #[must_use]
    pub fn pages(self, before: &[Page], after: &[Page]) -> Self {
        let notion = |pages: &[Page]| {
            Some(Notion {
                pages: pages.to_vec(),
                ..Notion::default()
            })
        };
        self.change_worlds(
            |world| world.notion = notion(before),
            |world| world.notion = notion(after),
        )
    }

    fn change_worlds(
        self,
        before: impl FnOnce(&mut WorldSnapshot),
        after: impl FnOnce(&mut WorldSnapshot),
    ) -> Self {
        let read = |path: &str| -> WorldSnapshot {
            let content = self.files.get(path).map_or(&[][..], Vec::as_slice);
            serde_json::from_slice(content).unwrap_or_else(|_| world())
        };
        let (mut first, mut last) = (read(bundle::WORLD_BEFORE), read(bundle::WORLD_AFTER));
        before(&mut first);
        after(&mut last);
        self.world(&first, &last)
    }

    /// The bundle as a grader sees it.
    pub fn evidence(&self) -> Evidence {
        Evidence::from_source(Box::new(Memory(self.complete())))
    }

    /// Writes the bundle to a directory, manifest included, so that
    /// [`Evidence::open`] and the runner can read it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let files = self.complete();
        let mut listed = BTreeMap::new();
        for (path, content) in &files {
            let file = dir.join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, content)?;
            let sha256 = digest(content);
            listed.insert(
                path.clone(),
                FileRef {
                    bytes: content.len() as u64,
                    sha256,
                },
            );
        }
        fs::write(dir.join(bundle::MANIFEST), json(&manifest_of(listed)))
    }

    fn complete(&self) -> BTreeMap<String, Vec<u8>> {
        let mut entries = self.entries.clone();
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        let listing = WorkspaceListing {
            schema: workspace::SCHEMA.to_owned(),
            entries,
            truncated: None,
        };
        let mut files = self.files.clone();
        files
            .entry(bundle::WORKSPACE_LISTING.to_owned())
            .or_insert_with(|| json(&listing));
        files
    }
}

fn task_info() -> TaskInfo {
    TaskInfo {
        schema: proctor_types::task::SCHEMA.to_owned(),
        id: "test".to_owned(),
        name: "Test".to_owned(),
        category: "test".to_owned(),
        grading_type: GradingType::Automated,
        weights: Weights {
            automated: 1.0,
            llm_judge: 0.0,
        },
        timeout_seconds: 60,
        services: Vec::new(),
        criteria: Vec::new(),
        expected: String::new(),
        rubric: Vec::new(),
        thresholds: None,
    }
}

fn manifest_of(files: BTreeMap<String, FileRef>) -> Manifest {
    Manifest {
        schema: manifest::SCHEMA.to_owned(),
        task: TaskRef {
            id: "test".to_owned(),
            pack_sha256: digest(b"test"),
        },
        agent: AgentRef {
            name: "test".to_owned(),
            version: None,
            transcript: TranscriptSource::Runner,
        },
        attempt: 0,
        isolation: Isolation::Sandbox,
        end: AgentEnd::Completed,
        clock: Clock {
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            seconds: 1.0,
        },
        clock_fields: manifest::CLOCK_FIELDS
            .iter()
            .map(ToString::to_string)
            .collect(),
        files,
    }
}

struct Memory(BTreeMap<String, Vec<u8>>);

impl Memory {
    fn content(&self, path: &str) -> Result<&Vec<u8>, Error> {
        self.0.get(path).ok_or_else(|| Error::Missing {
            path: path.to_owned(),
        })
    }
}

impl Source for Memory {
    fn stat(&self, path: &str) -> Option<File> {
        self.0.get(path).map(|content| entry(path, content))
    }

    fn list(&self, prefix: &str) -> Vec<File> {
        let listed = self.0.iter().filter(|(path, _)| path.starts_with(prefix));
        listed.map(|(path, content)| entry(path, content)).collect()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.content(path).cloned()
    }

    fn read_range(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        Ok(range(self.content(path)?, offset, length))
    }
}

fn entry(path: &str, content: &[u8]) -> File {
    File {
        path: path.to_owned(),
        bytes: content.len() as u64,
        sha256: digest(content),
    }
}

fn digest(content: &[u8]) -> String {
    hex::encode(Sha256::digest(content))
}

fn json(document: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("documents of a bundle have string keys")
}

fn json_lines(documents: &[impl Serialize]) -> Vec<u8> {
    documents
        .iter()
        .flat_map(|document| [json(document), b"\n".to_vec()].concat())
        .collect()
}

static EMPTY_WORLD: LazyLock<WorldSnapshot> = LazyLock::new(|| WorldSnapshot {
    schema: world::SCHEMA.to_owned(),
    clock: "2026-01-05T09:00:00Z".to_owned(),
    account: Account {
        email: "alex@example.com".to_owned(),
        name: "Alex Example".to_owned(),
        time_zone: "Europe/Berlin".to_owned(),
    },
    gmail: None,
    mailboxes: BTreeMap::new(),
    tasks: None,
    github: None,
    notion: None,
    other: BTreeMap::new(),
});

/// A world of `alex@example.com` without any service.
pub fn world() -> WorldSnapshot {
    EMPTY_WORLD.clone()
}

/// A probe that ended by itself.
pub fn probe(name: &str, exit_code: i32, stdout: &str) -> Probe {
    Probe {
        name: name.to_owned(),
        run: name.to_owned(),
        timeout_seconds: 60,
        end: ProbeEnd::Exited { exit_code },
        stdout: stdout.to_owned(),
        stderr: String::new(),
        stdout_bytes: stdout.len() as u64,
        stderr_bytes: 0,
        stdout_truncated: false,
        stderr_truncated: false,
    }
}

/// A request that a service accepted, by its method. It touches nothing yet.
pub fn request(operation: &str) -> JournalEntry {
    JournalEntry {
        n: 0,
        t_us: 0,
        kind: EntryKind::Request,
        service: operation.split('.').next().unwrap_or_default().to_owned(),
        operation: Some(operation.to_owned()),
        actor: Some("alex@example.com".to_owned()),
        host: "www.example.com".to_owned(),
        port: 443,
        method: "GET".to_owned(),
        path: "/".to_owned(),
        query: String::new(),
        status: 200,
        read: Vec::new(),
        changed: Vec::new(),
        request: Payload::default(),
        response: Payload::default(),
        part_of: None,
        via: None,
        note: None,
    }
}

/// The payload of a body that the journal kept ([`Bundle::body`]).
pub fn payload(content: &[u8]) -> Payload {
    Payload {
        bytes: content.len() as u64,
        sha256: Some(digest(content)),
        kept: true,
    }
}
