//! How a grader was built: the record that `proctor grader build` leaves beside
//! the module, and that the lock takes over.

use std::path::{Component, Path, PathBuf};

use proctor_grading::build::{BuiltGrader, PROFILE, StdSource, TARGET, Toolchain};
use serde::{Deserialize, Serialize};

use crate::task::format::{excerpt, is_sha256};

/// Version of the record's form.
const VERSION: u32 = 1;
/// Longest record that is read, in bytes.
pub(crate) const MAX_RECORD_BYTES: u64 = 64 << 10;
/// Longest value of a record, in bytes.
const MAX_VALUE_BYTES: usize = 500;

const PREAMBLE: &str = "\
# Written by `proctor grader build`; commit it beside the module. `proctor lock`
# takes it over.
";

/// How a grader was built. The same sources with the same tools give the same
/// bytes; with others they may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildRecord {
    /// Folder of the crate, relative to the folder of the file that holds the
    /// record; absent where it lies in no common repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Digest of the crate's folder and its `Cargo.lock`
    /// ([`super::source_sha256`]).
    pub source_sha256: String,
    /// Version of the SDK; absent where the crate does without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<String>,
    /// Version of the `proctor` that built it.
    pub proctor: String,
    /// What it was compiled for.
    pub target: String,
    /// The profile of cargo.
    pub profile: String,
    /// Where the standard library came from.
    pub std: StdSource,
    /// The compiler, its commit and its code generator, as they name themselves.
    pub rustc: String,
    /// Cargo, as it names itself.
    pub cargo: String,
    /// The linker, as it names itself; absent where it is the compiler's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linker: Option<String>,
    /// Version of what wraps the module as a component.
    pub wit_component: String,
}

/// The file beside a module.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordFile {
    version: u32,
    module_sha256: String,
    build: BuildRecord,
}

/// A record that was read, and the module that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleRecord {
    /// SHA-256 of the module.
    pub module_sha256: String,
    /// How it was built.
    pub build: BuildRecord,
}

/// Path of the record of the module at `module`: `grader.build.toml` beside
/// `grader.wasm`.
pub fn record_path(module: &Path) -> PathBuf {
    module.with_extension("build.toml")
}

impl BuildRecord {
    /// The record of a module that was built just now.
    pub fn of(built: &BuiltGrader, source: Option<String>, source_sha256: String) -> Self {
        let Toolchain {
            std,
            rustc,
            cargo,
            linker,
            wit_component,
        } = built.toolchain.clone();
        Self {
            source,
            source_sha256,
            sdk: built.sdk.clone(),
            proctor: env!("CARGO_PKG_VERSION").to_owned(),
            target: TARGET.to_owned(),
            profile: PROFILE.to_owned(),
            std,
            rustc,
            cargo,
            linker,
            wit_component,
        }
    }

    /// The tools in it.
    pub fn toolchain(&self) -> Toolchain {
        Toolchain {
            std: self.std,
            rustc: self.rustc.clone(),
            cargo: self.cargo.clone(),
            linker: self.linker.clone(),
            wit_component: self.wit_component.clone(),
        }
    }

    /// The record with its source relative to a folder above: `folder` is the
    /// way from there to the record.
    pub(super) fn seen_from(mut self, folder: &str) -> Self {
        self.source = self.source.and_then(|source| joined(folder, &source));
        self
    }

    /// What is wrong with a record that TOML accepts.
    pub(super) fn problem(&self) -> Option<String> {
        if !is_sha256(&self.source_sha256) {
            return Some("`source_sha256` is no digest".to_owned());
        }
        if let Some(source) = &self.source
            && joined("", source).as_deref() != Some(source.as_str())
        {
            let source = excerpt(source);
            return Some(format!(
                "`source` is `{source}`; expected a relative path such as `../graders/x`"
            ));
        }
        let values = [
            Some(&self.proctor),
            Some(&self.target),
            Some(&self.profile),
            Some(&self.rustc),
            Some(&self.cargo),
            Some(&self.wit_component),
            self.sdk.as_ref(),
            self.linker.as_ref(),
        ];
        let odd =
            |value: &&String| value.len() > MAX_VALUE_BYTES || value.contains(char::is_control);
        values
            .into_iter()
            .flatten()
            .any(|value| odd(&value))
            .then(|| "a value is no line of text".to_owned())
    }
}

impl ModuleRecord {
    /// Reads the text of a record.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        let file: RecordFile =
            toml::from_str(text).map_err(|error| error.message().trim().to_owned())?;
        if file.version != VERSION {
            return Err(format!(
                "it has version {}; this proctor reads version {VERSION}",
                file.version
            ));
        }
        if !is_sha256(&file.module_sha256) {
            return Err("`module_sha256` is no digest".to_owned());
        }
        match file.build.problem() {
            Some(problem) => Err(problem),
            None => Ok(Self {
                module_sha256: file.module_sha256,
                build: file.build,
            }),
        }
    }

    /// The text of the file: the same record gives the same bytes.
    pub fn to_text(&self) -> String {
        let file = RecordFile {
            version: VERSION,
            module_sha256: self.module_sha256.clone(),
            build: self.build.clone(),
        };
        // Strings and a number: nothing that TOML lacks.
        let text = toml::to_string(&file).unwrap_or_default();
        format!("{PREAMBLE}{text}")
    }
}

/// `relative` as seen from where `folder` is, without `.` and with `..` only at
/// the front. `None` for an absolute path and for what is no plain path.
pub(super) fn joined(folder: &str, relative: &str) -> Option<String> {
    if relative.contains(['\0', '\\', '\n']) || relative.len() > 1000 {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(folder)
        .components()
        .chain(Path::new(relative).components())
    {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => match parts.last() {
                Some(last) if *last != ".." => drop(parts.pop()),
                _ => parts.push(".."),
            },
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    if parts.is_empty() {
        return Some(".".to_owned());
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn record() -> BuildRecord {
        BuildRecord {
            source: Some("../../graders/mail".to_owned()),
            source_sha256: "ab".repeat(32),
            sdk: Some("0.1.0".to_owned()),
            proctor: "0.1.0".to_owned(),
            target: TARGET.to_owned(),
            profile: PROFILE.to_owned(),
            std: StdSource::Source,
            rustc: "rustc 1.95.0 (59807616e 2026-04-14), LLVM 22.1.2".to_owned(),
            cargo: "cargo 1.95.0".to_owned(),
            linker: None,
            wit_component: "0.250.0".to_owned(),
        }
    }

    #[test]
    fn a_record_survives_a_round_trip_and_names_its_module() {
        let record = ModuleRecord {
            module_sha256: "cd".repeat(32),
            build: record(),
        };
        let text = record.to_text();
        assert!(text.starts_with("# Written by `proctor grader build`"));
        assert_eq!(ModuleRecord::parse(text.as_bytes()).unwrap(), record);
        assert_eq!(
            record_path(Path::new("tasks/a/grader.wasm")),
            Path::new("tasks/a/grader.build.toml")
        );
    }

    #[test]
    fn the_source_is_seen_from_the_lock() {
        let seen = |source: &str, folder: &str| {
            let mut record = record();
            record.source = Some(source.to_owned());
            record.seen_from(folder).source
        };
        for (source, folder, expected) in [
            ("../../graders/mail", "mail", "../graders/mail"),
            ("src", "mail", "mail/src"),
            ("../../../graders/mail", "mail/modules", "../graders/mail"),
            ("..", "mail", "."),
        ] {
            assert_eq!(seen(source, folder).as_deref(), Some(expected));
        }
        assert_eq!(seen("/etc", "mail"), None);
    }

    #[test]
    fn records_that_are_none_are_refused_in_words() {
        let whole = ModuleRecord {
            module_sha256: "cd".repeat(32),
            build: record(),
        }
        .to_text();
        for (from, to, expected) in [
            ("version = 1", "version = 2", "version 2"),
            ("../../graders/mail", "/etc", "`source` is `/etc`"),
            ("../../graders/mail", "a/../../b", "`source`"),
            ("ababab", "ABABAB", "`source_sha256` is no digest"),
            ("cdcdcd", "CDCDCD", "`module_sha256` is no digest"),
            ("cargo 1.95.0", "cargo\\u001b[2J", "no line of text"),
            ("profile", "surprise", "surprise"),
        ] {
            let error = ModuleRecord::parse(whole.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert!(ModuleRecord::parse(b"\xff").is_err());
    }
}
