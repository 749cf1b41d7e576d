//! The tools for files: `read_file`, `write_file`, `edit_file`.
//!
//! They work inside of the workspace and nowhere else, whatever paths and
//! symbolic links say. That is for the model's good, which gets a clear answer;
//! the wall is the room's.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cut;

pub(super) const READ: &str = "Reads a text file of the workspace: its lines, from `offset` on.";
pub(super) const WRITE: &str = "Writes a file of the workspace: all of it. Folders on the way \
    are made.";
pub(super) const EDIT: &str = "Replaces text in a file of the workspace. `old` has to be there \
    exactly as given, white space included, and once, unless `all` is true.";

/// Longest file that is read, in bytes.
const MAX_FILE: u64 = 16 << 20;
/// Most text that one call gives, in bytes.
const MAX_TEXT: usize = 64_000;
/// Lines that one call gives where the model does not say how many.
const USUAL_LINES: usize = 2000;

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    /// Path in the workspace.
    path: String,
    /// The first line, from 1; 1 where not given.
    offset: Option<usize>,
    /// How many lines; 2000 where not given.
    limit: Option<usize>,
}

/// Arguments of `write_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteArguments {
    /// Path in the workspace.
    path: String,
    /// All of the file.
    content: String,
}

/// Arguments of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditArguments {
    /// Path in the workspace.
    path: String,
    /// The text to replace.
    old: String,
    /// The text in its place.
    new: String,
    /// Whether every occurrence is replaced; false where not given.
    #[serde(default)]
    all: bool,
}

/// The folder that the agent works in.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    dir: Dir,
}

impl Workspace {
    /// Opens the folder at an absolute path.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            dir: Dir::open_ambient_dir(root, ambient_authority())?,
        })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// A path below the workspace, from one that the model gave.
    pub(super) fn below(&self, path: &str) -> Result<PathBuf, String> {
        if path.is_empty() {
            return Err("Not done: `path` is empty.".to_owned());
        }
        let given = Path::new(path);
        let below = if given.is_absolute() {
            given
                .strip_prefix(&self.root)
                .map_err(|_| self.outside(path))?
        } else {
            given
        };
        // An empty path is the workspace itself.
        let mut clean: PathBuf = below
            .components()
            .filter(|it| *it != Component::CurDir)
            .collect();
        if clean.as_os_str().is_empty() {
            clean.push(".");
        }
        Ok(clean)
    }

    fn outside(&self, path: &str) -> String {
        format!(
            "Not done: {:?} is not in the workspace, {}. The file tools work there only.",
            cut::beginning(path, 300),
            self.root.display()
        )
    }

    pub(super) fn problem(&self, path: &str, error: &io::Error) -> String {
        // What cap-std says of a path that leads out comes from no system call.
        let escapes =
            error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
        if escapes {
            return self.outside(path);
        }
        format!("Not done: {:?}: {error}.", cut::beginning(path, 300))
    }

    /// `read_file`.
    pub(super) fn read(&self, arguments: &ReadArguments) -> Result<String, String> {
        let bytes = self.content(&arguments.path)?;
        let text = String::from_utf8_lossy(&bytes);
        let first = arguments.offset.unwrap_or(1).max(1);
        let limit = arguments.limit.unwrap_or(USUAL_LINES).max(1);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.is_empty() {
            return Ok("(the file is empty)".to_owned());
        }
        if first > lines.len() {
            return Err(format!(
                "Not done: `offset` is {first}, and the file has {} lines.",
                lines.len()
            ));
        }
        let mut shown = String::new();
        let mut last = first - 1;
        for line in lines[first - 1..].iter().take(limit) {
            if shown.is_empty() && line.len() > MAX_TEXT {
                shown.push_str(&cut::middle(line, MAX_TEXT).0);
                last += 1;
                break;
            }
            if shown.len() + line.len() > MAX_TEXT {
                break;
            }
            shown.push_str(line);
            last += 1;
        }
        if matches!(text, std::borrow::Cow::Owned(_)) {
            shown.push_str("\n[not all of the file is UTF-8: what is not is shown as \u{fffd}]");
        }
        if last < lines.len() {
            let (next, all) = (last + 1, lines.len());
            // Writing to a string cannot fail.
            let _ = write!(
                shown,
                "\n[lines {first} to {last} of {all}; go on with `offset` {next}]"
            );
        }
        Ok(shown)
    }

    /// `write_file`.
    pub(super) fn write(&self, arguments: &WriteArguments) -> Result<String, String> {
        let WriteArguments { path, content } = arguments;
        self.replace(path, content.as_bytes())?;
        Ok(format!("Wrote {} bytes.", content.len()))
    }

    /// `edit_file`.
    pub(super) fn edit(&self, arguments: &EditArguments) -> Result<String, String> {
        let EditArguments {
            path,
            old,
            new,
            all,
        } = arguments;
        if old.is_empty() {
            return Err("Not done: `old` is empty. `write_file` writes a whole file.".to_owned());
        }
        if old == new {
            return Err("Not done: `old` and `new` are the same.".to_owned());
        }
        let text = String::from_utf8(self.content(path)?)
            .map_err(|_| "Not done: the file is not UTF-8 text.".to_owned())?;
        let count = text.matches(old.as_str()).count();
        let edited = match count {
            0 => {
                return Err(
                    "Not done: `old` is not in the file. It has to be exactly as the file \
                            has it, white space included; read the file again."
                        .to_owned(),
                );
            }
            1 => text.replacen(old.as_str(), new, 1),
            _ if *all => {
                let grown = new.len().saturating_sub(old.len()).saturating_mul(count);
                if text.len().saturating_add(grown) as u64 > MAX_FILE {
                    return Err(format!(
                        "Not done: the file would be over {MAX_FILE} bytes."
                    ));
                }
                text.replace(old.as_str(), new)
            }
            _ => {
                return Err(format!(
                    "Not done: `old` is {count} times in the file. Give more of what is around \
                     it, or set `all`."
                ));
            }
        };
        self.replace(path, edited.as_bytes())?;
        Ok(format!("Replaced {count}."))
    }

    fn content(&self, path: &str) -> Result<Vec<u8>, String> {
        let mut options = OpenOptions::new();
        options.read(true);
        let file = self.regular(path, &mut options)?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.problem(path, &error))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(format!(
                "Not done: the file is longer than {MAX_FILE} bytes; look at parts of it by other \
                 means."
            ));
        }
        Ok(bytes)
    }

    fn replace(&self, path: &str, content: &[u8]) -> Result<(), String> {
        let problem = |error: io::Error| self.problem(path, &error);
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let clean = self.below(path)?;
        // Looked up before folders are made: a path that leads out is told as such.
        let missing = matches!(self.dir.metadata(&clean),
            Err(error) if error.kind() == io::ErrorKind::NotFound);
        if missing && let Some(parent) = clean.parent().filter(|it| !it.as_os_str().is_empty()) {
            self.dir.create_dir_all(parent).map_err(problem)?;
        }
        let mut file = self.regular(path, &mut options)?;
        file.set_len(0).map_err(problem)?;
        file.write_all(content).map_err(problem)
    }

    /// Opens a file, and nothing that would have us wait: no pipe, no device.
    fn regular(&self, path: &str, options: &mut OpenOptions) -> Result<File, String> {
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
        let clean = self.below(path)?;
        let file = self.dir.open_with(&clean, options);
        let file = file.map_err(|error| self.problem(path, &error))?;
        let metadata = file.metadata();
        let metadata = metadata.map_err(|error| self.problem(path, &error))?;
        if !metadata.is_file() {
            let path = cut::beginning(path, 300);
            return Err(format!("Not done: {path:?} is not a file."));
        }
        Ok(file)
    }
}
