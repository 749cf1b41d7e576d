//! Files that a steps file brings into the room: what its commands need and no
//! program of the room has, such as scripts and texts of mails.

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Files that a steps file may bring; each costs the room a mount.
pub const MAX_BROUGHT_FILES: usize = 100;
/// Bytes that they may have together.
pub const MAX_BROUGHT_BYTES: u64 = 16 << 20;
/// Folders that are entered below a named one.
const MAX_DEPTH: usize = 8;

/// A file for the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtFile {
    /// Its path relative to the folder of the steps file, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub executable: bool,
}

/// Why files cannot be brought.
#[derive(Debug, thiserror::Error)]
pub enum BroughtError {
    /// There is no such file or folder.
    #[error("`files` names `{name}`, and there is no such file or folder beside the steps file")]
    Missing {
        /// The name.
        name: String,
    },
    /// Something that is neither a file nor a folder.
    #[error("`files` names `{path}`, which is {found}; expected regular files and folders of them")]
    Kind {
        /// The path.
        path: String,
        /// What it is.
        found: &'static str,
    },
    /// A name that a room cannot have.
    #[error("`files` names `{path}`, whose name is not plain text")]
    Name {
        /// The path, as far as it can be shown.
        path: String,
    },
    /// Too many.
    #[error("`files` comes to more than {MAX_BROUGHT_FILES} files, and a steps file may not")]
    TooMany,
    /// Too large.
    #[error("`files` comes to more than {MAX_BROUGHT_BYTES} bytes, and a steps file may not")]
    TooLarge,
    /// Too deep.
    #[error("`files` names `{path}`, which is more than {MAX_DEPTH} folders deep")]
    TooDeep {
        /// The folder.
        path: String,
    },
    /// It cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Unreadable {
        /// The path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Collects files within the bounds of a steps file.
#[derive(Debug, Default)]
pub struct Brought {
    files: Vec<BroughtFile>,
    bytes: u64,
}

impl Brought {
    /// Adds a file.
    ///
    /// # Errors
    /// When it is one too many, or the files become too large.
    pub fn add(&mut self, file: BroughtFile) -> Result<(), BroughtError> {
        if file.path.chars().any(char::is_control) {
            return Err(BroughtError::Name { path: file.path });
        }
        self.bytes = self.bytes.saturating_add(file.bytes.len() as u64);
        if self.bytes > MAX_BROUGHT_BYTES {
            return Err(BroughtError::TooLarge);
        }
        if self.files.len() == MAX_BROUGHT_FILES {
            return Err(BroughtError::TooMany);
        }
        self.files.push(file);
        Ok(())
    }

    /// The files in the order of their paths.
    pub fn finish(mut self) -> Vec<BroughtFile> {
        self.files.sort_by(|one, other| one.path.cmp(&other.path));
        self.files
    }
}

/// Reads what `names` says from the folder of the steps file at `steps`. A link
/// is followed where it is named itself, and refused inside of a folder.
pub(crate) fn read(steps: &Path, names: &[String]) -> Result<Vec<BroughtFile>, BroughtError> {
    let beside = steps.parent().unwrap_or(Path::new(""));
    let mut brought = Brought::default();
    for name in names {
        let path = beside.join(name);
        let data = path.metadata().map_err(|source| {
            if source.kind() == std::io::ErrorKind::NotFound {
                BroughtError::Missing { name: name.clone() }
            } else {
                unreadable(name, source)
            }
        })?;
        entry(&path, name, &data, &mut brought)?;
    }
    Ok(brought.finish())
}

fn unreadable(name: &str, source: std::io::Error) -> BroughtError {
    BroughtError::Unreadable {
        path: name.to_owned(),
        source,
    }
}

fn entry(
    path: &Path,
    name: &str,
    data: &std::fs::Metadata,
    brought: &mut Brought,
) -> Result<(), BroughtError> {
    if data.is_dir() {
        return folder(path, name, brought);
    }
    if !data.is_file() {
        return Err(BroughtError::Kind {
            path: name.to_owned(),
            found: if data.is_symlink() {
                "a symbolic link"
            } else {
                "a pipe, socket or device"
            },
        });
    }
    brought.add(file(path, name, data)?)
}

fn file(path: &Path, name: &str, data: &std::fs::Metadata) -> Result<BroughtFile, BroughtError> {
    use std::os::unix::fs::PermissionsExt as _;
    let fail = |source| unreadable(name, source);
    let file = std::fs::File::open(path).map_err(fail)?;
    let mut bytes = Vec::new();
    // One byte more than all files may have, so that the bound is noticed.
    let limit = MAX_BROUGHT_BYTES + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(fail)?;
    Ok(BroughtFile {
        path: name.to_owned(),
        bytes,
        executable: data.permissions().mode() & 0o100 != 0,
    })
}

fn folder(path: &Path, name: &str, brought: &mut Brought) -> Result<(), BroughtError> {
    let mut folders: Vec<(PathBuf, String, usize)> = vec![(path.to_owned(), name.to_owned(), 1)];
    while let Some((path, name, depth)) = folders.pop() {
        if depth > MAX_DEPTH {
            return Err(BroughtError::TooDeep { path: name });
        }
        let fail = |source| unreadable(&name, source);
        for found in std::fs::read_dir(&path).map_err(fail)? {
            let found = found.map_err(fail)?;
            let Ok(own) = found.file_name().into_string() else {
                let path = format!("{name}/{}", found.file_name().to_string_lossy());
                return Err(BroughtError::Name { path });
            };
            let inner = format!("{name}/{own}");
            // Of the entry itself: a link is not followed.
            let data = found
                .metadata()
                .map_err(|source| unreadable(&inner, source))?;
            if data.is_dir() {
                folders.push((found.path(), inner, depth + 1));
            } else {
                entry(&found.path(), &inner, &data, brought)?;
            }
        }
    }
    Ok(())
}

/// Whether `name` can stand under `files`: a relative path that stays where it
/// is.
pub(super) fn is_inside(name: &str) -> bool {
    !name.chars().any(char::is_control)
        && !name.contains('\\')
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_and_folders_come_with_their_paths_and_modes() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("kit/mails")).unwrap();
        std::fs::write(at("kit/send.py"), "print()").unwrap();
        std::fs::write(at("kit/mails/alex.md"), "- done").unwrap();
        std::fs::write(at("go"), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(at("go"), PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(at("other"), "not named").unwrap();
        let files = read(&at("steps.yaml"), &names(&["kit", "go"])).unwrap();
        let found: Vec<(&str, bool)> = files
            .iter()
            .map(|file| (file.path.as_str(), file.executable))
            .collect();
        let expected = [
            ("go", true),
            ("kit/mails/alex.md", false),
            ("kit/send.py", false),
        ];
        assert_eq!(found, expected);
        assert_eq!(files[1].bytes, b"- done");
    }

    #[test]
    fn links_are_followed_where_they_are_named_and_refused_inside_of_folders() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("kit")).unwrap();
        std::fs::write(at("kit/a"), "a").unwrap();
        symlink("kit", at("same")).unwrap();
        let files = read(&at("steps.yaml"), &names(&["same"])).unwrap();
        assert_eq!(files[0].path, "same/a");
        symlink("/etc/passwd", at("kit/passwd")).unwrap();
        let error = read(&at("steps.yaml"), &names(&["kit"])).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`kit/passwd`, which is a symbolic link"),
            "{error}"
        );
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let say = |name: &str| {
            read(&at("steps.yaml"), &names(&[name]))
                .unwrap_err()
                .to_string()
        };
        assert!(say("kit").contains("`kit`, and there is no such file"));
        std::fs::create_dir(at("many")).unwrap();
        for number in 0..=MAX_BROUGHT_FILES {
            std::fs::write(at(&format!("many/{number}")), "").unwrap();
        }
        assert!(say("many").contains("more than 100 files"));
        let large = std::fs::File::create(at("large")).unwrap();
        large.set_len(MAX_BROUGHT_BYTES + 1).unwrap();
        assert!(say("large").contains("bytes"));
        std::fs::create_dir_all(at("a/b/c/d/e/f/g/h/i")).unwrap();
        assert!(say("a").contains("more than 8 folders deep"));
    }

    #[test]
    fn names_stay_beside_the_steps_file() {
        for name in ["kit", "kit/send.py", "a b", ".x"] {
            assert!(is_inside(name), "{name}");
        }
        for name in [
            "", "/etc", "..", "a/../b", "a//b", "./a", "a/", "a\nb", "a\\b",
        ] {
            assert!(!is_inside(name), "{name}");
        }
    }
}
