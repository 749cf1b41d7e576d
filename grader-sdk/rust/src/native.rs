//! A bundle directory, read natively and checked against its manifest.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proctor_types::{Manifest, bundle, manifest};
use sha2::{Digest, Sha256};

use crate::Error;
use crate::source::{File, Source};

/// A bundle on disk.
pub(crate) struct Directory {
    root: PathBuf,
    files: BTreeMap<String, manifest::FileRef>,
    /// The file read last: ranges of one file follow each other.
    last: RefCell<Option<(String, Rc<[u8]>)>>,
}

impl Directory {
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        let path = root.join(bundle::MANIFEST);
        let bytes = fs::read(&path).map_err(|error| unreadable(bundle::MANIFEST, &error))?;
        let manifest: Manifest = serde_json::from_slice(&bytes)
            .map_err(|error| Error::malformed(bundle::MANIFEST, None, &error))?;
        if manifest.schema != manifest::SCHEMA {
            return Err(Error::Schema {
                path: bundle::MANIFEST.to_owned(),
                found: manifest.schema,
                expected: manifest::SCHEMA,
            });
        }
        let outside = |path: &&String| path.split('/').any(|part| matches!(part, "" | "." | ".."));
        if let Some(path) = manifest.files.keys().find(outside) {
            let problem = format!("`{path}` is no path inside the bundle");
            return Err(Error::malformed(bundle::MANIFEST, None, &problem));
        }
        Ok(Self {
            root: root.to_owned(),
            files: manifest.files,
            last: RefCell::new(None),
        })
    }

    /// The content, once it is known to be what the manifest says. That also
    /// settles symbolic links: wherever one leads, the bytes are the right ones.
    fn checked(&self, path: &str) -> Result<Rc<[u8]>, Error> {
        if let Some((name, bytes)) = &*self.last.borrow()
            && name == path
        {
            return Ok(Rc::clone(bytes));
        }
        let expected = self.files.get(path).ok_or_else(|| Error::Missing {
            path: path.to_owned(),
        })?;
        let file = self.root.join(path);
        let metadata = fs::metadata(&file).map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            return Err(Error::Unreadable {
                path: path.to_owned(),
                problem: "it is not a regular file".to_owned(),
            });
        }
        let bytes = fs::read(&file).map_err(|error| unreadable(path, &error))?;
        let found = hex::encode(Sha256::digest(&bytes));
        if found != expected.sha256 {
            return Err(Error::Altered {
                path: path.to_owned(),
                expected: expected.sha256.clone(),
                found,
            });
        }
        let bytes: Rc<[u8]> = bytes.into();
        *self.last.borrow_mut() = Some((path.to_owned(), Rc::clone(&bytes)));
        Ok(bytes)
    }
}

impl Source for Directory {
    fn stat(&self, path: &str) -> Option<File> {
        self.files.get(path).map(|file| entry(path, file))
    }

    fn list(&self, prefix: &str) -> Vec<File> {
        self.files
            .range(prefix.to_owned()..)
            .take_while(|(path, _)| path.starts_with(prefix))
            .map(|(path, file)| entry(path, file))
            .collect()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.checked(path).map(|bytes| bytes.to_vec())
    }

    fn read_range(&self, path: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        self.checked(path)
            .map(|bytes| range(&bytes, offset, length))
    }
}

/// The part of `bytes` that a range names.
pub(crate) fn range(bytes: &[u8], offset: u64, length: u32) -> Vec<u8> {
    let from = usize::try_from(offset).map_or(bytes.len(), |offset| offset.min(bytes.len()));
    let to = from.saturating_add(length as usize).min(bytes.len());
    bytes[from..to].to_vec()
}

fn entry(path: &str, file: &manifest::FileRef) -> File {
    File {
        path: path.to_owned(),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
    }
}

fn unreadable(path: &str, error: &std::io::Error) -> Error {
    Error::Unreadable {
        path: path.to_owned(),
        problem: error.to_string(),
    }
}
