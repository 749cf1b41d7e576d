//! A new task: a small, complete one that passes its gates at once, to be
//! changed into what its author wants.
//!
//! The files are templates beside this one. Nothing is written unless all of it
//! can be: the folder is made under another name and moved.

mod cargo_lock;
mod sdk;
mod templates;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::EngineError;
use crate::task::format::is_id;

pub use templates::Language;

/// What is to be made.
#[derive(Debug, Clone)]
pub struct NewTask {
    /// The task's id, and the name of its folder.
    pub name: String,
    /// The folder to make it in: a suite. Made where it is missing.
    pub dir: PathBuf,
    /// What its grader is written in.
    pub language: Language,
    /// Where the Rust SDK is: its crate, or the checkout of Proctor that holds
    /// it. Looked for where `None`.
    pub sdk: Option<PathBuf>,
    /// Files of a checkout in which the SDK may be: the running program, say.
    pub beside: Vec<PathBuf>,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The task's folder.
    pub dir: PathBuf,
    /// Its files, relative to the folder, in order.
    pub files: Vec<String>,
    /// Where the grader finds the SDK, as its `Cargo.toml` says it.
    pub sdk: Option<Sdk>,
}

/// The SDK that a grader is built with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sdk {
    /// Path from the grader's crate.
    pub path: String,
    /// Whether task and SDK lie in the same checkout, so that the path is good
    /// on every machine.
    pub is_beside: bool,
}

/// Makes a task.
///
/// # Errors
/// The name is no task id, there is something of that name, the folder lies in
/// another task, the SDK is not found, or something cannot be written.
pub fn make(new: &NewTask) -> Result<Made, EngineError> {
    if !is_id(&new.name) {
        return Err(usage(
            format!("`{}` is no name for a task", new.name.escape_debug()),
            "a name has lower-case letters, digits, `-` and `_`, begins with a letter or digit, and \
             has at most 64 of them",
        ));
    }
    let dir = new.dir.join(&new.name);
    if dir.symlink_metadata().is_ok() {
        return Err(occupied(&new.dir, &new.name));
    }
    if new.dir.exists() && !new.dir.is_dir() {
        return Err(usage(
            format!("--dir {} is no folder", new.dir.display()),
            "give the folder to make the task in",
        ));
    }
    let missing = first_missing(&new.dir);
    fs::create_dir_all(&new.dir).map_err(EngineError::io("cannot create", &new.dir))?;
    let made = within(new, &dir);
    if let (Err(_), Some(first)) = (&made, missing) {
        // Nothing is left of a try that failed.
        remove_empty(&new.dir, &first);
    }
    made
}

fn within(new: &NewTask, dir: &Path) -> Result<Made, EngineError> {
    let real = new
        .dir
        .canonicalize()
        .map_err(EngineError::io("cannot open", &new.dir))?;
    if let Some(task) = real.ancestors().find(|above| is_task(above)) {
        return Err(usage(
            format!(
                "{} lies in the task {}: one task cannot be part of another",
                new.dir.display(),
                task.display()
            ),
            "give another --dir, the folder around that task for instance",
        ));
    }
    let sdk = match new.language {
        Language::Python => None,
        Language::Rust => {
            let krate = real.join(&new.name).join(templates::CRATE);
            Some(sdk::find(new.sdk.as_deref(), &new.beside, &krate)?)
        }
    };
    let files = templates::files(&new.name, new.language, sdk.as_ref())?;
    write(&new.dir, &new.name, &files)?;
    Ok(Made {
        dir: dir.to_owned(),
        files: files.into_keys().collect(),
        sdk,
    })
}

/// Writes the files into a folder beside the future one, and moves that.
fn write(dir: &Path, name: &str, files: &templates::Files) -> Result<(), EngineError> {
    let draft = tempfile::Builder::new()
        .prefix(".proctor-new-")
        .tempdir_in(dir)
        .map_err(EngineError::io("cannot write in", dir))?;
    // The draft itself is for nobody else; what is moved has ordinary rights.
    let task = draft.path().join(name);
    for (path, text) in files {
        let path = task.join(path);
        let folder = path.parent().unwrap_or(&task);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(EngineError::io("cannot write", &path))?;
    }
    move_new(&task, &dir.join(name)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => occupied(dir, name),
        _ => EngineError::io("cannot create", &dir.join(name))(error),
    })
}

/// Renames a folder, never over anything.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot promise it. A folder is only ever renamed
        // over an empty folder.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => fs::rename(from, to),
        moved => Ok(moved?),
    }
}

fn is_task(dir: &Path) -> bool {
    dir.join("task.md").is_file()
}

/// The outermost folder of `dir` that is not there.
fn first_missing(dir: &Path) -> Option<PathBuf> {
    let missing = dir
        .ancestors()
        .filter(|above| !above.as_os_str().is_empty())
        .take_while(|above| above.symlink_metadata().is_err());
    missing.last().map(Path::to_owned)
}

/// Removes `dir` and the folders around it up to `first`, as far as they are
/// empty.
fn remove_empty(dir: &Path, first: &Path) {
    for above in dir.ancestors().take_while(|above| above.starts_with(first)) {
        if fs::remove_dir(above).is_err() {
            return;
        }
    }
}

fn occupied(dir: &Path, name: &str) -> EngineError {
    EngineError::Occupied {
        dir: dir.to_owned(),
        found: format!("something called `{name}`"),
        remedy: "give the task another name, or make it in another --dir",
    }
}

fn usage(message: String, hint: &str) -> EngineError {
    EngineError::Usage {
        message,
        hint: Some(hint.to_owned()),
    }
}
