//! The evidence bundle as a grader sees it.

use std::cell::OnceCell;

use proctor_types::citation::Moment;
use proctor_types::world::Account;
use proctor_types::{Probe, Probes, TaskInfo, bundle, probe, task};
use serde::de::DeserializeOwned;

use crate::files::{Files, Workspace};
use crate::journal::Journal;
use crate::mailbox::Mailbox;
use crate::pages::Pages;
use crate::repositories::Repositories;
use crate::snapshot::Snapshot;
use crate::source::Source;
use crate::task_lists::TaskLists;
use crate::transcript::Transcript;
use crate::{Error, File};

/// Read access to a frozen evidence bundle.
///
/// Nothing is read before it is asked for, and documents are parsed once. What
/// a grader does not look at costs it nothing.
pub struct Evidence {
    pub(crate) source: Box<dyn Source>,
    before: Lazy<Snapshot>,
    after: Lazy<Snapshot>,
    transcript: Lazy<Transcript>,
    workspace: Lazy<proctor_types::WorkspaceListing>,
    probes: Lazy<Probes>,
}

impl Evidence {
    /// The bundle in the directory `dir`. Every file is checked against the
    /// digest in `manifest.json` when it is read.
    ///
    /// # Errors
    /// When there is no manifest, or it is malformed or of another version.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(dir: impl AsRef<std::path::Path>) -> Result<Self, Error> {
        Ok(Self::from_source(Box::new(crate::native::Directory::open(
            dir.as_ref(),
        )?)))
    }

    pub(crate) fn from_source(source: Box<dyn Source>) -> Self {
        Self {
            source,
            before: Lazy::new(),
            after: Lazy::new(),
            transcript: Lazy::new(),
            workspace: Lazy::new(),
            probes: Lazy::new(),
        }
    }

    /// One file of the bundle, or nothing where there is none of that path.
    /// Constants for the paths are in [`types::bundle`](proctor_types::bundle).
    pub fn stat(&self, path: &str) -> Option<File> {
        self.source.stat(path)
    }

    /// Files whose path starts with `prefix`, sorted by path.
    pub fn list(&self, prefix: &str) -> Vec<File> {
        self.source.list(prefix)
    }

    /// Content of a file of the bundle.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.source.read(path)
    }

    /// At most `length` bytes of a file from `offset`; fewer only at its end.
    pub fn read_range(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        self.source.read_range(path, offset, length)
    }

    /// The task as the runner understood it.
    pub fn task(&self) -> Result<TaskInfo, Error> {
        let info: TaskInfo = self.json(bundle::TASK)?;
        expect_schema(bundle::TASK, &info.schema, task::SCHEMA)?;
        Ok(info)
    }

    /// The prompt exactly as the agent got it.
    pub fn prompt(&self) -> Result<String, Error> {
        self.utf8(bundle::PROMPT)
    }

    /// What the agent said and called. The agent made it: believe it only for
    /// what an agent can be believed.
    pub fn transcript(&self) -> Result<&Transcript, Error> {
        self.transcript
            .get_or_make(|| Transcript::read(&*self.source))
    }

    /// The files that the agent left.
    pub fn workspace(&self) -> Result<Workspace<'_>, Error> {
        let listing = self
            .workspace
            .get_or_make(|| Workspace::read_listing(self))?;
        Ok(Workspace::new(self, listing))
    }

    /// Pristine copies of the workspace files that the task seeded.
    pub fn fixtures(&self) -> Files<'_> {
        Files::new(self, bundle::FIXTURES_DIR)
    }

    /// Every request that the world answered, and every egress it refused.
    pub fn journal(&self) -> Journal<'_> {
        Journal::new(self)
    }

    /// The mailbox of somebody of the world, by address: what was delivered to
    /// them, as it arrived. It is empty where nothing was, and before the
    /// agent's first request. The account's own address gives
    /// [`Evidence::mailbox`].
    pub fn mailbox_of<'e>(&'e self, address: &'e str) -> Mailbox<'e> {
        Mailbox::of(self, address)
    }

    /// The mailbox, before and after.
    pub fn mailbox(&self) -> Mailbox<'_> {
        Mailbox::new(self)
    }

    /// The task lists, before and after.
    pub fn task_lists(&self) -> TaskLists<'_> {
        TaskLists::new(self)
    }

    /// The repositories, before and after.
    pub fn repositories(&self) -> Repositories<'_> {
        Repositories::new(self)
    }

    /// The pages and databases, before and after.
    pub fn pages(&self) -> Pages<'_> {
        Pages::new(self)
    }

    /// What the task's probes did, in the order of the task; none for a task
    /// without probes. What they printed was made by files that the agent could
    /// write.
    pub fn probes(&self) -> Result<&[Probe], Error> {
        let read = || {
            if self.stat(bundle::PROBES).is_none() {
                return Ok(Probes::new(Vec::new()));
            }
            let probes: Probes = self.json(bundle::PROBES)?;
            expect_schema(bundle::PROBES, &probes.schema, probe::SCHEMA)?;
            Ok(probes)
        };
        Ok(&self.probes.get_or_make(read)?.probes)
    }

    /// What the probe called `name` did.
    ///
    /// # Errors
    /// When the task has no such probe: that is its author's mistake.
    pub fn probe(&self, name: &str) -> Result<&Probe, Error> {
        let found = self.probes()?.iter().find(|probe| probe.name == name);
        found.ok_or_else(|| Error::unfit(format!("the task has no probe `{name}`")))
    }

    /// Whose account the agent worked with.
    pub fn account(&self) -> Result<&Account, Error> {
        self.snapshot(Moment::Before)?.account()
    }

    /// State of a service that has no view of its own in this SDK, by its key
    /// in the snapshot.
    ///
    /// # Errors
    /// When the world has no such service, or its state does not fit `T`.
    pub fn service<T: DeserializeOwned>(&self, moment: Moment, name: &str) -> Result<T, Error> {
        self.snapshot(moment)?.service(name)
    }

    pub(crate) fn snapshot(&self, moment: Moment) -> Result<&Snapshot, Error> {
        let (cell, path) = match moment {
            Moment::Before => (&self.before, bundle::WORLD_BEFORE),
            Moment::After => (&self.after, bundle::WORLD_AFTER),
        };
        cell.get_or_make(|| Snapshot::read(&*self.source, path))
    }

    /// A file of the runner's own, which is text. Documents are parsed from text
    /// throughout: a parser for bytes beside it would be in every module.
    fn utf8(&self, path: &str) -> Result<String, Error> {
        utf8(path, self.read(path)?)
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, path: &str) -> Result<T, Error> {
        let text = self.utf8(path)?;
        serde_json::from_str(&text).map_err(|error| Error::malformed(path, None, &error))
    }
}

pub(crate) fn utf8(path: &str, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| Error::malformed(path, None, &error.utf8_error()))
}

/// A value that lives as long as the evidence, made when it is asked for.
///
/// In a component that is to the end: nothing is ever freed, so the code that
/// would free a document is only in the modules that read one.
pub(crate) struct Lazy<T>(OnceCell<Kept<T>>);

#[cfg(target_arch = "wasm32")]
type Kept<T> = std::mem::ManuallyDrop<T>;
#[cfg(not(target_arch = "wasm32"))]
type Kept<T> = Box<T>;

impl<T> Lazy<T> {
    pub(crate) const fn new() -> Self {
        Self(OnceCell::new())
    }

    /// The value, made by `make` the first time.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = Kept::new(make()?);
        Ok(self.0.get_or_init(|| value))
    }
}

pub(crate) fn expect_schema(path: &str, found: &str, expected: &'static str) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Schema {
        path: path.to_owned(),
        found: found.chars().take(80).collect(),
        expected,
    })
}
