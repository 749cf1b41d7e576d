//! Building graders from source, looking at them, and compiling them for this
//! machine.

mod native;

use std::path::{Component, Path, PathBuf};

pub use native::{Native, NativeAnswer};

pub use proctor_grading::build::{BuildError, BuildOptions, BuiltGrader, ModuleReport, StdSource};
pub use proctor_grading::compiler_main;
use proctor_grading::{ModuleLimits, build};

use crate::EngineError;
use crate::choice::MODULE_BYTES;
use crate::evidence::sha256_hex;
use crate::read::{self, Links};
use crate::task::lock::{BuildRecord, ModuleRecord, record_path, source_sha256};

/// A grader that was built, and its files.
#[derive(Debug)]
pub struct Build {
    /// The module and what built it.
    pub built: BuiltGrader,
    /// How it was built, as it stands beside the module.
    pub record: BuildRecord,
    /// The file of that.
    pub record_path: PathBuf,
}

/// Compiles the grader crate in `krate` to a component and writes it to
/// `output`, with its build record beside it.
///
/// # Errors
/// The crate does not compile, the machine lacks the target (the error says
/// what to install), or a file cannot be read or written.
pub fn build(krate: &Path, output: &Path, options: &BuildOptions) -> Result<Build, EngineError> {
    let built = build::build_grader(krate, options)?;
    let krate = krate
        .canonicalize()
        .map_err(EngineError::io("cannot find", krate))?;
    let source_sha256 = source_sha256(&krate, Path::new("/"))
        .map_err(EngineError::io("cannot digest the source in", &krate))?;
    let folder = match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder
        .canonicalize()
        .map_err(EngineError::io("cannot write into", folder))?;
    let record = BuildRecord::of(&built, source(&krate, &folder), source_sha256);
    let file = ModuleRecord {
        module_sha256: built.sha256.clone(),
        build: record.clone(),
    };
    let record_path = record_path(output);
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(EngineError::io("cannot write", path))
    };
    write(output, &built.component)?;
    write(&record_path, file.to_text().as_bytes())?;
    Ok(Build {
        built,
        record,
        record_path,
    })
}

/// The way from `folder`, where the module goes, to the crate; `None` where
/// they lie in no common repository: the way between them would be this
/// machine's own.
fn source(krate: &Path, folder: &Path) -> Option<String> {
    // SUITE/TASK/grader.wasm
    let root = repository(folder.parent()?);
    let is_common = krate.starts_with(&root) && folder.starts_with(&root);
    if !is_common || root.parent().is_none() {
        return None;
    }
    relative(folder, krate)
}

/// The repository that a suite is part of: the nearest folder at or above it
/// with `.git`, else the folder that holds the suite. `suite` is absolute.
pub(crate) fn repository(suite: &Path) -> PathBuf {
    let holds = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let found = suite.ancestors().find(holds).or_else(|| suite.parent());
    found.unwrap_or(suite).to_owned()
}

/// The folder of a source as a record in `suite` names it; `suite` is absolute.
/// It must be in the repository: a record may come from a stranger.
///
/// # Errors
/// In words, why it cannot be used.
pub(crate) fn source_folder(suite: &Path, source: &str) -> Result<PathBuf, String> {
    let krate = suite
        .join(source)
        .canonicalize()
        .map_err(|error| format!("its source `{source}` is not there ({error})"))?;
    let root = repository(suite);
    if krate.starts_with(&root) {
        Ok(krate)
    } else {
        Err(format!(
            "its source `{source}` lies outside of the repository {}",
            root.display()
        ))
    }
}

/// What to say where the source of a grader is no longer the one that it was
/// built from; `record` is seen from `suite`, which is absolute. A source that
/// is not here is no difference.
pub(crate) fn stale(suite: &Path, record: &BuildRecord) -> Option<String> {
    let source = record.source.as_ref()?;
    let krate = source_folder(suite, source).ok()?;
    let digest = source_sha256(&krate, &repository(suite)).ok()?;
    (digest != record.source_sha256).then(|| {
        format!(
            "the source in `{source}` is not the one that the grader was built from; build it \
             again with `proctor grader build`, or see with `proctor verify --rebuild` whether it \
             gives the same bytes"
        )
    })
}

/// The way from the folder `from` to `to`, both absolute and without `..`.
fn relative(from: &Path, to: &Path) -> Option<String> {
    let (mut from, mut to) = (from.components().peekable(), to.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let mut parts = vec!["..".to_owned(); from.count()];
    for part in to {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?.to_owned()),
            _ => return None,
        }
    }
    Some(if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    })
}

/// A module as it is, and the build record beside it.
#[derive(Debug)]
pub struct Inspection {
    /// The module.
    pub module: ModuleReport,
    /// Its build record; `Err` says in words why there is none to be used.
    pub record: Result<BuildRecord, String>,
}

/// Looks at a module without running or compiling it: also at one that would
/// be refused.
///
/// # Errors
/// The file cannot be read.
pub fn inspect(module: &Path) -> Result<Inspection, EngineError> {
    let wasm = read::regular(module, MODULE_BYTES, Links::Follow)
        .map_err(EngineError::io("cannot read", module))?;
    let path = record_path(module);
    let limit = crate::task::lock::MAX_RECORD_BYTES;
    let record = match read::regular(&path, limit, Links::Refuse) {
        Ok(bytes) => match ModuleRecord::parse(&bytes) {
            Ok(record) if record.module_sha256 == sha256_hex(&wasm) => Ok(record.build),
            Ok(_) => Err(format!("{} is that of another module", path.display())),
            Err(problem) => Err(format!("{}: {problem}", path.display())),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("there is no {}", path.display()))
        }
        Err(error) => Err(format!("{}: {error}", path.display())),
    };
    Ok(Inspection {
        module: build::describe(&wasm, &ModuleLimits::default()),
        record,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_named_only_inside_of_a_repository() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in [
            "r/.git",
            "r/tasks/a",
            "r/graders/a",
            "s/tasks/a",
            "s/graders/a",
            "x",
        ] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        let way = |krate: &str, folder: &str| source(&root.join(krate), &root.join(folder));
        let expected = Some("../../graders/a".to_owned());
        assert_eq!(way("r/graders/a", "r/tasks/a"), expected);
        // Without .git: the folder that holds the suite.
        assert_eq!(way("s/graders/a", "s/tasks/a"), expected);
        assert_eq!(way("s/tasks/a", "s/tasks/a").as_deref(), Some("."));
        assert_eq!(way("x", "r/tasks/a"), None);
        assert_eq!(way("x", "s/tasks/a"), None);
        assert_eq!(source(&root.join("x"), Path::new("/tmp")), None);
        assert_eq!(repository(&root.join("r/tasks")), root.join("r"));
        assert_eq!(repository(&root.join("s/tasks")), root.join("s"));
    }
}
