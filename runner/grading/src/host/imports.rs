//! What a grader can ask for: the whole of its world.
//!
//! Every call is answered from the bundle's checked content, costs something
//! of a budget, and never waits for anything.

use std::sync::Arc;

use proctor_types::manifest::FileRef;
use wasmtime::Result;

use super::abi::{File, Level, evidence, log, types};
use super::state::{State, Stop};
use crate::bundle::{Bundle, EvidenceError, EvidenceProblem};
use crate::text::name;

/// What a call costs beside the bytes that it moves.
const CALL_BYTES: u64 = 64;

impl State {
    pub(super) fn charge(&mut self, bytes: u64) -> Result<()> {
        self.look_at_clock()?;
        match self
            .hostcall_left
            .checked_sub(bytes.saturating_add(CALL_BYTES))
        {
            Some(left) => {
                self.hostcall_left = left;
                Ok(())
            }
            None => Err(Stop::HostcallBudget.into()),
        }
    }

    /// Hands a document to the guest. A bundle without it is the guest's to
    /// handle; a bundle that is not what it says ends the grade.
    fn document(
        &mut self,
        what: &str,
        get: impl FnOnce(&Bundle) -> Result<Option<Arc<str>>, EvidenceError>,
    ) -> Result<Result<String, String>> {
        let text = get(&self.bundle).map_err(Stop::Evidence)?;
        self.charge(text.as_ref().map_or(0, |text| text.len() as u64))?;
        Ok(text.map_or_else(
            || Err(format!("the bundle has no {what}")),
            |text| Ok(text.as_ref().to_owned()),
        ))
    }
}

fn unknown(path: &str) -> String {
    format!("the bundle has no file {}", name(path))
}

impl evidence::Host for State {
    fn read(&mut self, path: String) -> Result<Result<Vec<u8>, String>> {
        let Some(listed) = self.bundle.stat(&path) else {
            self.misses(&path);
            self.charge(path.len() as u64)?;
            return Ok(Err(unknown(&path)));
        };
        self.charge(listed.bytes)?;
        match self.bundle.read(&path) {
            Ok(Some(content)) => Ok(Ok(content.to_vec())),
            Ok(None) => Ok(Err(unknown(&path))),
            Err(EvidenceError {
                problem: EvidenceProblem::TooLarge { found, limit },
                ..
            }) => {
                let path = name(&path);
                Ok(Err(format!(
                    "{path} is {found} bytes long; at most {limit} are read at once (use \
                     read-range)"
                )))
            }
            Err(error) => Err(Stop::Evidence(error).into()),
        }
    }

    fn read_range(
        &mut self,
        path: String,
        offset: u64,
        length: u32,
    ) -> Result<Result<Vec<u8>, String>> {
        let Some(listed) = self.bundle.stat(&path) else {
            self.misses(&path);
            self.charge(path.len() as u64)?;
            return Ok(Err(unknown(&path)));
        };
        let wanted = u64::from(length).min(listed.bytes.saturating_sub(offset));
        self.charge(self.bundle.cost(listed, wanted))?;
        let read = self
            .bundle
            .read_range(&path, offset, length)
            .map_err(Stop::Evidence)?;
        Ok(read.ok_or_else(|| unknown(&path)))
    }

    fn list(&mut self, prefix: String) -> Result<Vec<File>> {
        let bundle = self.bundle.clone();
        let mut files = Vec::new();
        for (path, listed) in bundle.list(&prefix) {
            self.charge(path.len() as u64 + 64)?;
            files.push(file(path, listed));
        }
        self.charge(0)?;
        Ok(files)
    }

    fn stat(&mut self, path: String) -> Result<Option<File>> {
        self.charge(path.len() as u64)?;
        let found = self.bundle.stat(&path).map(|listed| file(&path, listed));
        if found.is_none() {
            self.misses(&path);
        }
        Ok(found)
    }

    fn transcript(&mut self) -> Result<Result<String, String>> {
        self.document("transcript", Bundle::transcript)
    }

    fn world_before(&mut self) -> Result<Result<String, String>> {
        self.document("snapshot of the world before the run", Bundle::world_before)
    }

    fn world_after(&mut self) -> Result<Result<String, String>> {
        self.document("snapshot of the world after the run", Bundle::world_after)
    }

    fn journal(&mut self) -> Result<Result<String, String>> {
        self.document("journal", Bundle::journal)
    }
}

fn file(path: &str, listed: &FileRef) -> File {
    File {
        path: path.to_owned(),
        bytes: listed.bytes,
        sha256: listed.sha256.clone(),
    }
}

impl log::Host for State {
    fn log(&mut self, level: Level, message: String) -> Result<()> {
        self.charge(message.len() as u64)?;
        if self.log.push(level.into(), &message) {
            Ok(())
        } else {
            Err(Stop::LogQuota.into())
        }
    }
}

impl types::Host for State {}
