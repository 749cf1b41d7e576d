//! Loading one task: its file, and every file that it names.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use proctor_types::task::GradingType;

use super::fixtures::{ASSETS, Assets, Files, MAX_FIXTURE_BYTES};
use super::{Fixture, GraderModule, GraderSource, Pack, SeedDir, SystemPrompt, TASK_FILE, Task};
use crate::task::confined;
use crate::task::digest::{Listing, PackFile};
use crate::task::error::TaskError;
use crate::task::format::{
    self, At, Document, FormatError, GraderName, PathProblem, Place, Problem,
};
use crate::task::warning::{Warning, WarningKind};

/// Most bytes of a system prompt.
const MAX_SYSTEM_PROMPT_BYTES: u64 = 1 << 20;

/// What loading needs to know.
#[derive(Debug, Clone, Copy)]
pub struct LoadOptions<'a> {
    /// Services that a world can have.
    pub known_services: &'a [&'a str],
}

/// Loads one task: a folder with `task.md`, that `task.md`, or a bare file in
/// the public format.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn load_task(path: &Path, options: LoadOptions<'_>) -> Result<Task, TaskError> {
    let metadata = fs::metadata(path).map_err(TaskError::io("read", path))?;
    if metadata.is_dir() {
        if path.join(TASK_FILE).symlink_metadata().is_err() {
            return Err(not_a_task(path, "a folder without `task.md`"));
        }
        return load_folder(path, options);
    }
    if path.file_name().is_some_and(|name| name == TASK_FILE) {
        return load_folder(&folder_of(path), options);
    }
    if !metadata.is_file() || path.extension().is_none_or(|extension| extension != "md") {
        return Err(not_a_task(path, "not a Markdown file"));
    }
    load_bare(path, options)
}

pub(super) fn not_a_task(path: &Path, found: &str) -> TaskError {
    TaskError::NotATask {
        path: path.display().to_string(),
        found: found.to_owned(),
    }
}

fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn open(folder: &Path) -> Result<Dir, TaskError> {
    Dir::open_ambient_dir(folder, ambient_authority()).map_err(TaskError::io("open", folder))
}

/// The absolute folder around `path`, and the name of `path` in it.
fn placed(path: &Path) -> Result<(PathBuf, String), TaskError> {
    let absolute = path.canonicalize().map_err(TaskError::io("open", path))?;
    let name = absolute
        .file_name()
        .and_then(|name| name.to_str())
        .map(str::to_owned);
    match (absolute.parent(), name) {
        (Some(parent), Some(name)) => Ok((parent.to_owned(), name)),
        _ => Err(not_a_task(path, "a folder whose name is not UTF-8")),
    }
}

fn load_folder(folder: &Path, options: LoadOptions<'_>) -> Result<Task, TaskError> {
    let (suite, name) = placed(folder)?;
    let root = Arc::new(open(folder)?);
    let listing = Listing::of_dir(&root, &folder.display().to_string())?;
    let pack = Pack {
        dir: Some(Arc::clone(&root)),
        folder: folder.to_owned(),
        file: folder.join(TASK_FILE).display().to_string(),
        suite,
        name,
        listing: Arc::new(listing),
    };
    let bytes = pack.read(TASK_FILE)?;
    let document = format::parse(&pack.file, &bytes, options.known_services)?;
    let mut files = Files::of(&pack.file);
    let shown = folder.display().to_string();
    let fixtures = files.fixtures(&document, &mut |path| {
        confined::read(
            &root,
            &format!("{ASSETS}/{path}"),
            MAX_FIXTURE_BYTES,
            &shown,
        )
    })?;
    let changed = files
        .loaded
        .iter()
        .find(|(path, file)| pack.listing.get(path) != Some(file));
    if let Some((path, _)) = changed {
        return Err(TaskError::Changed {
            path: pack.shown(path),
        });
    }
    finish(document, fixtures, pack)
}

fn load_bare(path: &Path, options: LoadOptions<'_>) -> Result<Task, TaskError> {
    let (suite, name) = placed(path)?;
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(TaskError::io("open", path))?;
    file.take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(TaskError::io("read", path))?;
    let document = format::parse(&shown, &bytes, options.known_services)?;
    let mut files = Files::of(&shown);
    let assets = Assets::of_bare(&suite);
    let fixtures = files.fixtures(&document, &mut |path| assets.read(path))?;
    let mut listed = files.loaded;
    listed.insert(TASK_FILE.to_owned(), PackFile::of(&bytes, false));
    let pack = Pack {
        dir: None,
        folder: folder_of(path),
        file: shown,
        suite,
        name,
        listing: Arc::new(Listing::of_files(listed)),
    };
    finish(document, fixtures, pack)
}

/// An error at a line of the task file.
pub(super) fn at(file: &str, line: u64, problem: Problem) -> TaskError {
    let place = Place {
        file: file.to_owned(),
        line: Some(line),
    };
    FormatError { place, problem }.into()
}

/// Brings in what the key `proctor` names, and puts the task together.
fn finish(document: Document, fixtures: Vec<Fixture>, pack: Pack) -> Result<Task, TaskError> {
    let named = Named { pack: &pack };
    let info = document.info();
    let proctor = document.front.proctor;
    let seed = proctor
        .seed
        .as_ref()
        .map(|path| named.seed(path))
        .transpose()?;
    let system_prompt = proctor
        .system_prompt
        .as_ref()
        .map(|path| named.system_prompt(path))
        .transpose()?;
    if let Some(oracle) = &proctor.oracle {
        named.file("proctor.oracle", oracle)?;
    }
    let mut warnings = document.warnings;
    let grader = match &proctor.grader {
        Some(grader) => named.grader(grader, &mut warnings)?,
        None if document.python.is_some() && info.grading_type != GradingType::LlmJudge => {
            GraderSource::Python
        }
        None => GraderSource::None,
    };
    warnings.extend(leftovers(&pack));
    Ok(Task {
        info,
        prompt: document.prompt,
        sessions: document.front.sessions,
        system_prompt,
        expected_behavior: document.expected_behavior,
        notes: document.notes,
        python: document.python,
        fixtures,
        seed,
        grader,
        limits: proctor.limits,
        probes: proctor.probes,
        oracle: proctor.oracle.map(|path| path.value),
        attempts: proctor.attempts,
        floor: proctor.floor.unwrap_or(0.0),
        network_allow: proctor.network_allow,
        prerequisites: document.front.prerequisites,
        warnings,
        pack_sha256: pack.listing.sha256(),
        pack,
    })
}

/// Looks up what the key `proctor` names.
struct Named<'a> {
    pack: &'a Pack,
}

impl Named<'_> {
    fn problem(&self, key: &str, path: &At<String>, problem: PathProblem) -> TaskError {
        let problem = Problem::Path {
            key: key.to_owned(),
            path: path.value.clone(),
            problem,
        };
        at(&self.pack.file, path.line, problem)
    }

    /// A file, which has to be in the pack.
    fn file(&self, key: &str, path: &At<String>) -> Result<&PackFile, TaskError> {
        let Some(dir) = &self.pack.dir else {
            return Err(self.problem(key, path, PathProblem::BareFile));
        };
        if let Some(file) = self.pack.listing.get(&path.value) {
            return Ok(file);
        }
        // The walk refused every link: what is not listed is not there, or is
        // a folder.
        let problem = match confined::folder(dir, &path.value, "") {
            Ok(_) => PathProblem::NotAFile { found: "a folder" },
            Err(_) => PathProblem::Missing {
                expected: self.pack.shown(&path.value),
            },
        };
        Err(self.problem(key, path, problem))
    }

    fn seed(&self, path: &At<String>) -> Result<SeedDir, TaskError> {
        let key = "proctor.seed";
        let Some(dir) = &self.pack.dir else {
            return Err(self.problem(key, path, PathProblem::BareFile));
        };
        let dir = confined::folder(dir, &path.value, &self.pack.folder.display().to_string())
            .map_err(|problem| self.problem(key, path, problem))?;
        Ok(SeedDir {
            path: path.value.clone(),
            dir: Arc::new(dir),
        })
    }

    fn system_prompt(&self, path: &At<String>) -> Result<SystemPrompt, TaskError> {
        let key = "proctor.system_prompt";
        let file = self.file(key, path)?;
        if file.bytes > MAX_SYSTEM_PROMPT_BYTES {
            let problem = PathProblem::TooLarge {
                bytes: file.bytes,
                limit: MAX_SYSTEM_PROMPT_BYTES,
            };
            return Err(self.problem(key, path, problem));
        }
        let text = String::from_utf8(self.pack.read(&path.value)?)
            .ok()
            .filter(|text| !text.contains('\0'))
            .ok_or_else(|| self.problem(key, path, PathProblem::NotText))?;
        Ok(SystemPrompt {
            path: path.value.clone(),
            text,
        })
    }

    fn grader(
        &self,
        name: &At<GraderName>,
        warnings: &mut Vec<Warning>,
    ) -> Result<GraderSource, TaskError> {
        let path = match &name.value {
            GraderName::Oci(reference) => return Ok(GraderSource::Oci(reference.clone())),
            GraderName::File(path) => At {
                value: path.clone(),
                line: name.line,
            },
        };
        let file = match self.file("proctor.grader", &path) {
            Ok(file) => Some(file.clone()),
            Err(TaskError::Format(FormatError {
                problem:
                    Problem::Path {
                        problem: PathProblem::Missing { .. },
                        ..
                    },
                place,
            })) => {
                let kind = WarningKind::GraderMissing {
                    path: path.value.clone(),
                };
                warnings.push(Warning { place, kind });
                None
            }
            Err(error) => return Err(error),
        };
        Ok(GraderSource::Component(GraderModule {
            path: path.value,
            line: path.line,
            file,
        }))
    }
}

/// Files that look as if nobody meant to put them into the pack.
fn leftovers(pack: &Pack) -> Vec<Warning> {
    let mut found: Vec<String> = Vec::new();
    for (path, _) in pack.listing.iter() {
        let mut end = 0;
        for part in path.split('/') {
            end += part.len();
            if is_leftover(part) || is_cache(pack, &path[..end]) {
                let path = path[..end].to_owned();
                if found.last() != Some(&path) {
                    found.push(path);
                }
                break;
            }
            end += 1;
        }
    }
    let place = Place {
        file: pack.folder.display().to_string(),
        line: None,
    };
    found
        .into_iter()
        .map(|path| Warning {
            place: place.clone(),
            kind: WarningKind::Leftover { path },
        })
        .collect()
}

/// Whether a folder says of itself that it only holds what can be made again, as
/// cargo's `target` does (<https://bford.info/cachedir/>).
fn is_cache(pack: &Pack, folder: &str) -> bool {
    let tag = format!("{folder}/CACHEDIR.TAG");
    pack.listing.get(&tag).is_some()
}

fn is_leftover(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        ".DS_Store",
        "Thumbs.db",
        "__pycache__",
        ".git",
        ".idea",
        ".vscode",
        ".pytest_cache",
    ];
    const ENDS: [&str; 5] = ["~", ".swp", ".swo", ".orig", ".pyc"];
    NAMES.contains(&name)
        || ENDS
            .iter()
            .any(|end| name.len() > end.len() && name.ends_with(end))
        || name.starts_with(".#")
        || (name.starts_with('#') && name.ends_with('#') && name.len() > 1)
}
