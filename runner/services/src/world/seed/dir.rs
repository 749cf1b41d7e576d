//! Reading a seed folder, which is as untrusted as the task it belongs to.

use std::collections::BTreeMap;
use std::io::Read as _;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt as _};

use super::SeedError;
use super::attempt::Attempt;

/// Most bytes of one seed file.
const FILE_CAP: u64 = 32 << 20;
/// Most entries of one folder.
const ENTRIES_CAP: usize = 10_000;
/// Opening a named pipe for reading must not wait for a writer.
const NONBLOCK: i32 = nix::libc::O_NONBLOCK;

/// A folder of the seed. Paths in its errors are relative to the seed's root.
///
/// Only regular files and folders are read. A symbolic link anywhere on the
/// way is an error even where it stays inside the seed: a pack's digest covers
/// what its files say, not what they point at.
#[derive(Debug)]
pub struct SeedDir {
    dir: Dir,
    path: String,
    attempt: Attempt,
}

/// A file of the seed.
#[derive(Debug, Clone)]
pub struct SeedFile {
    /// Path relative to the seed's root, with `/`.
    pub path: String,
    /// Name without folders.
    pub name: String,
    /// Content, with the number of the attempt in place of each `{attempt}`.
    pub bytes: Vec<u8>,
}

impl SeedFile {
    /// The content as text.
    ///
    /// # Errors
    /// Names the line of the first byte that is not UTF-8.
    pub fn text(&self) -> Result<&str, SeedError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let before = self.bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            SeedError::at(&self.path, line as u64, "expected UTF-8")
        })
    }

    /// The content as JSON of a known shape.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn json<T: serde::de::DeserializeOwned>(&self) -> Result<T, SeedError> {
        serde_json::from_str(self.text()?).map_err(|error| {
            let place = format!(" at line {} column {}", error.line(), error.column());
            self.wrong(Some(error.line() as u64), &error.to_string(), &place)
        })
    }

    /// The content as YAML of a known shape.
    ///
    /// # Errors
    /// Names the line and what was expected there.
    pub fn yaml<T: serde::de::DeserializeOwned>(&self) -> Result<T, SeedError> {
        serde_saphyr::from_str(self.text()?).map_err(|error| {
            let error = error.without_snippet();
            let place = error.location().map(|it| (it.line(), it.column()));
            let said = place.map(|(line, column)| format!(" at line {line}, column {column}"));
            let line = place.map(|(line, _)| line);
            self.wrong(
                line,
                &error.to_string(),
                said.as_deref().unwrap_or_default(),
            )
        })
    }

    /// A parser's complaint, without the place that it ends with.
    fn wrong(&self, line: Option<u64>, problem: &str, place: &str) -> SeedError {
        let problem = problem.strip_suffix(place).unwrap_or(problem).to_owned();
        SeedError {
            file: self.path.clone(),
            line,
            problem,
        }
    }
}

impl SeedDir {
    /// The seed's root.
    ///
    /// # Errors
    /// When the folder cannot be opened a second time.
    pub fn root(dir: &Dir) -> Result<Self, SeedError> {
        let dir = dir
            .try_clone()
            .map_err(|error| SeedError::file(".", error.to_string()))?;
        Ok(Self {
            dir,
            path: String::new(),
            attempt: Attempt::default(),
        })
    }

    /// The folder for the attempt of this number (0 where it is not said): what
    /// stands in place of `{attempt}`.
    #[must_use]
    pub fn of_attempt(mut self, number: u32) -> Self {
        self.attempt = Attempt(number);
        self
    }

    /// Path relative to the seed's root; empty for the root itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Path of an entry relative to the seed's root.
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.path)
        }
    }

    /// Whether there is an entry of this name.
    pub fn has(&self, name: &str) -> bool {
        is_plain(name) && self.dir.symlink_metadata(name).is_ok()
    }

    /// The folder `name`; `None` where there is nothing of that name.
    ///
    /// # Errors
    /// When it is something else than a folder.
    pub fn folder(&self, name: &str) -> Result<Option<Self>, SeedError> {
        let path = self.path_of(name);
        let Some(metadata) = self.metadata(name)? else {
            return Ok(None);
        };
        if !metadata.is_dir() {
            return Err(SeedError::file(
                &path,
                format!("expected a folder, found {}", what(&metadata)),
            ));
        }
        let dir = self
            .dir
            .open_dir_nofollow(name)
            .map_err(|error| SeedError::file(&path, error.to_string()))?;
        Ok(Some(Self {
            dir,
            path,
            attempt: self.attempt,
        }))
    }

    /// The file `name`.
    ///
    /// # Errors
    /// When it is missing, larger than 32 MiB, or something else than a file.
    pub fn file(&self, name: &str) -> Result<SeedFile, SeedError> {
        self.optional_file(name)?
            .ok_or_else(|| SeedError::file(self.path_of(name), "missing: the seed needs this file"))
    }

    /// The file `name`; `None` where there is nothing of that name.
    ///
    /// # Errors
    /// When it is larger than 32 MiB or something else than a file.
    pub fn optional_file(&self, name: &str) -> Result<Option<SeedFile>, SeedError> {
        let file = self.optional_file_as_is(name)?;
        Ok(file.map(|file| SeedFile {
            bytes: self.attempt.in_bytes(file.bytes),
            ..file
        }))
    }

    /// The file `name` with every `{attempt}` that it says; `None` where there
    /// is nothing of that name.
    ///
    /// # Errors
    /// When it is larger than 32 MiB or something else than a file.
    pub fn optional_file_as_is(&self, name: &str) -> Result<Option<SeedFile>, SeedError> {
        let path = self.path_of(name);
        let Some(metadata) = self.metadata(name)? else {
            return Ok(None);
        };
        if !metadata.is_file() {
            return Err(SeedError::file(
                &path,
                format!("expected a file, found {}", what(&metadata)),
            ));
        }
        let failed = |error: std::io::Error| SeedError::file(&path, error.to_string());
        let mut options = OpenOptions::new();
        options
            .read(true)
            .follow(FollowSymlinks::No)
            .custom_flags(NONBLOCK);
        let file = self.dir.open_with(name, &options).map_err(failed)?;
        let bytes = read_capped(file).map_err(failed)?;
        let bytes = bytes
            .ok_or_else(|| SeedError::file(&path, format!("larger than {} MiB", FILE_CAP >> 20)))?;
        Ok(Some(SeedFile {
            path,
            name: name.to_owned(),
            bytes,
        }))
    }

    /// Names of all entries, sorted; those that begin with a dot are left out.
    ///
    /// # Errors
    /// When there are more than 10,000, or a name is not UTF-8.
    pub fn names(&self) -> Result<Vec<String>, SeedError> {
        let mut names = self.all_names()?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Names of all entries, sorted; also those that begin with a dot.
    ///
    /// # Errors
    /// When there are more than 10,000, or a name is not UTF-8.
    pub fn all_names(&self) -> Result<Vec<String>, SeedError> {
        let here = || {
            if self.path.is_empty() {
                "."
            } else {
                self.path.as_str()
            }
        };
        let failed = |error: std::io::Error| SeedError::file(here(), error.to_string());
        let mut names = Vec::new();
        for entry in self.dir.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let name = name.into_string().map_err(|name| {
                SeedError::file(here(), format!("the name {} is not UTF-8", name.display()))
            })?;
            names.push(name);
            if names.len() > ENTRIES_CAP {
                return Err(SeedError::file(
                    here(),
                    format!("more than {ENTRIES_CAP} entries"),
                ));
            }
        }
        names.sort();
        Ok(names)
    }

    /// Entries by what they are called in the world: their names with the number
    /// of the attempt in place of each `{attempt}`, and as they are here. Those
    /// that begin with a dot are among them.
    ///
    /// # Errors
    /// When two entries would have one name, and as [`SeedDir::all_names`].
    pub fn named(&self) -> Result<BTreeMap<String, String>, SeedError> {
        let mut named = BTreeMap::new();
        for name in self.all_names()? {
            let shown = self.attempt.in_text(&name);
            if let Some(other) = named.insert(shown, name.clone()) {
                let problem = format!("collides with `{other}` beside it: one name in the world");
                return Err(SeedError::file(self.path_of(&name), problem));
            }
        }
        Ok(named)
    }

    /// Whether the entry `name` is a folder.
    ///
    /// # Errors
    /// When there is nothing of that name, or it is a symbolic link.
    pub fn is_folder(&self, name: &str) -> Result<bool, SeedError> {
        let metadata = self.metadata(name)?;
        let metadata = metadata.ok_or_else(|| SeedError::file(self.path_of(name), "missing"))?;
        Ok(metadata.is_dir())
    }

    /// Whether the owner may run the file `name`.
    ///
    /// # Errors
    /// When it is a symbolic link.
    pub fn is_executable(&self, name: &str) -> Result<bool, SeedError> {
        use cap_std::fs::PermissionsExt as _;
        let metadata = self.metadata(name)?;
        Ok(metadata.is_some_and(|it| it.permissions().mode() & 0o100 != 0))
    }

    /// Refuses entries that nothing would read, so that a misspelt file name
    /// is not silently left out of the world.
    ///
    /// # Errors
    /// Names the first such entry and those that are known.
    pub fn expect_only(&self, known: &[&str]) -> Result<(), SeedError> {
        match self
            .names()?
            .into_iter()
            .find(|name| !known.contains(&name.as_str()))
        {
            Some(name) => Err(SeedError::file(
                self.path_of(&name),
                format!("nothing reads this; known here: {}", known.join(", ")),
            )),
            None => Ok(()),
        }
    }

    fn metadata(&self, name: &str) -> Result<Option<Metadata>, SeedError> {
        let path = self.path_of(name);
        if !is_plain(name) {
            return Err(SeedError::file(
                path,
                "expected a plain name, without `/` or `..`",
            ));
        }
        match self.dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_symlink() => Err(SeedError::file(
                path,
                "is a symbolic link; a seed holds files and folders only",
            )),
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SeedError::file(path, error.to_string())),
        }
    }
}

/// Reads a file, but no further than the cap. `None`: there is more.
fn read_capped(file: File) -> std::io::Result<Option<Vec<u8>>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("changed while it was read"));
    }
    if metadata.len() > FILE_CAP {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(FILE_CAP + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= FILE_CAP).then_some(bytes))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

fn what(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        "a folder"
    } else if metadata.is_file() {
        "a file"
    } else {
        "something that is neither file nor folder"
    }
}
