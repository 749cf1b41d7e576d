//! `events.jsonl`: the job's event stream on disk.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};

use crate::EngineError;
use crate::events::{Envelope, EventSink};

const EVENTS: &str = "events.jsonl";

/// Appends every event as a line.
#[derive(Debug)]
pub(crate) struct EventLog {
    file: Mutex<File>,
}

impl EventLog {
    pub(crate) fn create(dir: &Dir, shown: &Path) -> Result<Self, EngineError> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true).mode(0o600);
        let file = dir
            .open_with(EVENTS, &options)
            .map_err(EngineError::io("cannot create", &shown.join(EVENTS)))?;
        Ok(Self {
            file: Mutex::new(file),
        })
    }
}

impl EventSink for EventLog {
    fn emit(&self, envelope: &Envelope) {
        let Ok(mut line) = serde_json::to_vec(envelope) else {
            return;
        };
        line.push(b'\n');
        let mut file = self
            .file
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // The log is a convenience: records and evidence are what counts, and
        // their own writes report a full disk.
        if let Err(error) = file.write_all(&line) {
            tracing::warn!(%error, "cannot append to {EVENTS}");
        }
    }
}
