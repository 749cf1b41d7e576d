//! Writing an evidence bundle: every byte is hashed on its way to disk, and a
//! bundle appears under its name only when it is whole.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt};
use proctor_types::bundle;
use proctor_types::manifest::{FileRef, Manifest};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::EngineError;

/// Name of a finished bundle inside a trial's directory.
pub(crate) const EVIDENCE_DIR: &str = "evidence";
const PARTIAL_DIR: &str = "evidence.partial";

/// A bundle that is being written. One that is not finished leaves nothing.
#[derive(Debug)]
pub(crate) struct BundleWriter {
    trial: Dir,
    dir: Dir,
    shown: PathBuf,
    files: BTreeMap<String, FileRef>,
    finished: bool,
}

impl BundleWriter {
    /// Begins a bundle in the trial's directory `trial`, which is called
    /// `shown` in messages. A partial bundle of an earlier try is replaced.
    pub(crate) fn create(trial: &Dir, shown: &Path) -> Result<Self, EngineError> {
        let shown = shown.join(PARTIAL_DIR);
        let fail = |error| EngineError::io("cannot create", &shown)(error);
        if trial.try_exists(PARTIAL_DIR).map_err(fail)? {
            trial.remove_dir_all(PARTIAL_DIR).map_err(fail)?;
        }
        private_dir(trial, PARTIAL_DIR).map_err(fail)?;
        Ok(Self {
            dir: trial.open_dir(PARTIAL_DIR).map_err(fail)?,
            trial: trial.try_clone().map_err(fail)?,
            shown,
            files: BTreeMap::new(),
            finished: false,
        })
    }

    /// Writes `bytes` as the file `path` of the bundle.
    pub(crate) fn bytes(&mut self, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.stream(path, &mut &bytes[..])
            .map_err(EngineError::io("cannot write", &self.shown.join(path)))
    }

    /// Writes `value` as pretty JSON with a line feed at the end.
    pub(crate) fn json<T: Serialize>(&mut self, path: &str, value: &T) -> Result<(), EngineError> {
        let bytes =
            json_bytes(value).map_err(EngineError::io("cannot write", &self.shown.join(path)))?;
        self.bytes(path, &bytes)
    }

    /// Writes `values` as JSON, one a line.
    pub(crate) fn json_lines<T: Serialize>(
        &mut self,
        path: &str,
        values: &[T],
    ) -> Result<(), EngineError> {
        let mut bytes = Vec::new();
        for value in values {
            serde_json::to_writer(&mut bytes, value).map_err(|error| {
                EngineError::io("cannot write", &self.shown.join(path))(error.into())
            })?;
            bytes.push(b'\n');
        }
        self.bytes(path, &bytes)
    }

    /// Copies `content` into the file `path`. The error is the file system's,
    /// so that a collector can hand it through.
    pub(crate) fn stream(&mut self, path: &str, content: &mut dyn Read) -> io::Result<()> {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.dir.create_dir_all(parent)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = Hashed::new(self.dir.open_with(path, &options)?);
        io::copy(content, &mut file)?;
        let reference = file.finish()?;
        self.files.insert(path.to_owned(), reference);
        Ok(())
    }

    /// Writes the manifest, which gets the list of files, and gives the bundle
    /// its name. Returns the SHA-256 of the manifest.
    pub(crate) fn finish(mut self, mut manifest: Manifest) -> Result<String, EngineError> {
        manifest.files = std::mem::take(&mut self.files);
        let path = self.shown.join(bundle::MANIFEST);
        let fail = |error| EngineError::io("cannot write", &path)(error);
        let bytes = json_bytes(&manifest).map_err(fail)?;
        let mut file = self.dir.create(bundle::MANIFEST).map_err(fail)?;
        file.write_all(&bytes).map_err(fail)?;
        file.sync_all().map_err(fail)?;
        self.trial
            .rename(PARTIAL_DIR, &self.trial, EVIDENCE_DIR)
            .map_err(fail)?;
        self.finished = true;
        Ok(sha256_hex(&bytes))
    }
}

impl Drop for BundleWriter {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        if let Err(error) = self.trial.remove_dir_all(PARTIAL_DIR) {
            tracing::warn!(%error, "cannot remove a half-written bundle");
        }
    }
}

/// Creates a directory that only the operator can enter.
pub(crate) fn private_dir(parent: &Dir, name: &str) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    parent.create_dir_with(name, &builder)
}

/// SHA-256 of `bytes`, lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// `value` as pretty JSON with a line feed at the end.
pub(crate) fn json_bytes<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Replaces the file `name` in `dir` in one step.
pub(crate) fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = cap_tempfile::TempFile::new(dir)?;
    file.write_all(bytes)?;
    file.replace(name)
}

/// A file that is hashed while it is written.
struct Hashed {
    file: cap_std::fs::File,
    hash: Sha256,
    bytes: u64,
}

impl Hashed {
    fn new(file: cap_std::fs::File) -> Self {
        Self {
            file,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    fn finish(mut self) -> io::Result<FileRef> {
        self.file.flush()?;
        Ok(FileRef {
            bytes: self.bytes,
            sha256: hex::encode(self.hash.finalize()),
        })
    }
}

impl Write for Hashed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hash.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
