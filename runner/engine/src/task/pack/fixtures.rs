//! The files that a task puts into the workspace.

use std::collections::BTreeMap;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::Fixture;
use super::load::at;
use crate::task::confined;
use crate::task::digest::PackFile;
use crate::task::error::TaskError;
use crate::task::format::{self, At, Document, FileSource, PathProblem, Problem};

/// Folder of the files that a task puts into the workspace.
pub(super) const ASSETS: &str = "assets";
/// Most bytes of one workspace file.
pub(super) const MAX_FIXTURE_BYTES: u64 = 64 << 20;
/// Most bytes of all workspace files of a task.
const MAX_FIXTURES_BYTES: u64 = 256 << 20;

/// The folder of the files that bare tasks name: `assets/` beside the folder
/// of the tasks, as in the field, or inside it.
pub(super) struct Assets {
    dir: Option<Dir>,
    expected: String,
}

impl Assets {
    /// For tasks in the folder `tasks`.
    pub(super) fn of_bare(tasks: &Path) -> Self {
        let candidates = [tasks.parent(), Some(tasks)];
        let expected = tasks
            .parent()
            .unwrap_or(tasks)
            .join(ASSETS)
            .display()
            .to_string();
        let dir = candidates.into_iter().flatten().find_map(|parent| {
            let parent = Dir::open_ambient_dir(parent, ambient_authority()).ok()?;
            confined::folder(&parent, ASSETS, "").ok()
        });
        Self { dir, expected }
    }

    /// Reads an asset by its path.
    pub(super) fn read(&self, path: &str) -> Result<(Vec<u8>, bool), PathProblem> {
        match &self.dir {
            Some(dir) => confined::read(dir, path, MAX_FIXTURE_BYTES, &self.expected),
            None => Err(PathProblem::Missing {
                expected: format!("{}/{path}", self.expected),
            }),
        }
    }
}

/// Reads an asset by its path below the assets folder.
pub(super) type ReadAsset<'a> = dyn FnMut(&str) -> Result<(Vec<u8>, bool), PathProblem> + 'a;

/// The workspace files of one task while they are read.
pub(super) struct Files {
    file: String,
    /// Assets by their path in the pack.
    pub(super) loaded: BTreeMap<String, PackFile>,
    total: u64,
}

impl Files {
    /// For the task in `file`.
    pub(super) fn of(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            loaded: BTreeMap::new(),
            total: 0,
        }
    }

    /// Reads all of them.
    pub(super) fn fixtures(
        &mut self,
        document: &Document,
        read: &mut ReadAsset<'_>,
    ) -> Result<Vec<Fixture>, TaskError> {
        let limit = document
            .front
            .proctor
            .limits
            .workspace_bytes
            .unwrap_or(MAX_FIXTURES_BYTES);
        let limit = limit.min(MAX_FIXTURES_BYTES);
        let mut fixtures = Vec::new();
        for entry in &document.front.workspace_files {
            let fixture = self.fixture(entry, read)?;
            self.total += fixture.bytes.len() as u64;
            if self.total > limit {
                let problem = Problem::Value {
                    key: "workspace_files".to_owned(),
                    found: format!("{} bytes or more in all", self.total),
                    expected: format!("at most {limit} bytes, so that they fit the workspace"),
                };
                return Err(at(&self.file, entry.line, problem));
            }
            fixtures.push(fixture);
        }
        Ok(fixtures)
    }

    fn fixture(
        &mut self,
        entry: &At<format::WorkspaceFile>,
        read: &mut ReadAsset<'_>,
    ) -> Result<Fixture, TaskError> {
        let dest = entry.value.dest.clone();
        let source = match &entry.value.from {
            FileSource::Content(text) => {
                return Ok(Fixture {
                    dest,
                    bytes: text.as_bytes().into(),
                    mode: 0o644,
                });
            }
            FileSource::Asset(source) => source,
        };
        let (bytes, executable) = read(source).map_err(|problem| {
            let key = "workspace_files".to_owned();
            at(
                &self.file,
                entry.line,
                Problem::Path {
                    key,
                    path: source.clone(),
                    problem,
                },
            )
        })?;
        self.loaded.insert(
            format!("{ASSETS}/{source}"),
            PackFile::of(&bytes, executable),
        );
        let mode = if executable { 0o755 } else { 0o644 };
        Ok(Fixture {
            dest,
            bytes: bytes.into(),
            mode,
        })
    }
}
