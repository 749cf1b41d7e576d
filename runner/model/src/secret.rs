//! Keys of the operator's.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http::HeaderValue;

/// Bytes that a key may have. Those of the providers have some 40 to 200.
const LONGEST: usize = 4096;

/// A key. It is never shown: `Debug` says only that there is one, there is no
/// `Display`, and it cannot be serialised. Only this crate reads it, to put it
/// into a request and to blank it elsewhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Why there is no key. Never says what the text was.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Nothing but white space.
    #[error("the key is empty")]
    Empty,
    /// Longer than any key.
    #[error("the key is longer than {LONGEST} bytes")]
    Long,
    /// Not fit for a header field.
    #[error("the key has characters that no key has: line breaks, blanks or other than ASCII")]
    Characters,
    /// Others may read the file.
    #[error(
        "{} may be read by others (mode {mode:03o}): `chmod 600` it",
        path.display()
    )]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The path leads to something else than a file.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl Secret {
    /// A key from text; white space around it is not part of it.
    ///
    /// # Errors
    /// When the text cannot be a key.
    pub fn new(text: impl AsRef<str>) -> Result<Self, SecretError> {
        let text = text.as_ref().trim();
        if text.is_empty() {
            return Err(SecretError::Empty);
        }
        if text.len() > LONGEST {
            return Err(SecretError::Long);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SecretError::Characters);
        }
        Ok(Self(Arc::from(text)))
    }

    /// A key from a file that nobody but its owner may read.
    ///
    /// # Errors
    /// When the file's mode lets group or others read, write or execute it,
    /// and when its content cannot be a key.
    pub fn from_file(path: &Path) -> Result<Self, SecretError> {
        let failed = |error| SecretError::Read {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(failed)?;
        // Of the open file, so that nothing can be put in its place meanwhile.
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(SecretError::NotAFile(path.to_owned()));
        }
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(SecretError::Readable {
                path: path.to_owned(),
                mode,
            });
        }
        let mut text = String::new();
        file.take(2 * LONGEST as u64)
            .read_to_string(&mut text)
            .map_err(failed)?;
        Self::new(text)
    }

    /// The key itself.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `PREFIX KEY` as the value of a header field that is not logged.
    pub(crate) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_key_does_not_show_itself() {
        let secret = Secret::new(" sk-planted-1234\n").unwrap();
        assert_eq!(secret.expose(), "sk-planted-1234");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "Secret(..) Some(Secret(..))"
        );
        assert_eq!(
            format!("{:?}", secret.header("Bearer ").unwrap()),
            "Sensitive"
        );
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_shown() {
        for text in ["", " \n", "two words", "line\nbreak", "sch\u{fc}ssel"] {
            let error = Secret::new(text).unwrap_err().to_string();
            assert!(
                text.trim().is_empty() || !error.contains(text.trim()),
                "{error}"
            );
        }
        assert!(matches!(
            Secret::new("k".repeat(5000)),
            Err(SecretError::Long)
        ));
    }

    #[test]
    fn a_file_that_others_may_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "sk-planted-1234\n").unwrap();
        for mode in [0o644, 0o640, 0o604, 0o620] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let error = Secret::from_file(&path).unwrap_err();
            assert!(matches!(error, SecretError::Readable { .. }), "{error}");
            assert!(!error.to_string().contains("planted"));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(
            Secret::from_file(&path).unwrap().expose(),
            "sk-planted-1234"
        );
        assert!(matches!(
            Secret::from_file(folder.path()),
            Err(SecretError::NotAFile(_) | SecretError::Read { .. })
        ));
    }
}
