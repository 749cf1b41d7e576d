//! What an agent said and did, for people and for other programs.

use std::path::{Path, PathBuf};

use proctor_transcripts::{AtifAgent, Format, NativeFile, ReadLimits, Transcript, to_atif};
use proctor_types::bundle;
use proctor_types::transcript::Event;
use serde_json::Value;

use crate::EngineError;
use crate::read::{self, Links};
use crate::regrade::{Place, verified};

pub use proctor_transcripts::{Format as NativeFormat, UnknownFormat};

/// A transcript, and who it is of.
#[derive(Debug)]
pub struct Told {
    transcript: Transcript,
    agent: AtifAgent,
}

impl Told {
    /// The canonical events.
    pub fn events(&self) -> &[Event] {
        &self.transcript.events
    }

    /// What a reader should know: texts that were cut, lines that were not
    /// understood.
    pub fn warnings(&self) -> Vec<String> {
        let unknown = &self.transcript.unknown;
        let strange = (unknown.count > 0).then(|| {
            format!(
                "{} events were not understood, and are kept raw",
                unknown.count
            )
        });
        self.transcript
            .warnings
            .iter()
            .cloned()
            .chain(strange)
            .collect()
    }

    /// The transcript as an ATIF 1.7 trajectory.
    ///
    /// # Errors
    /// Where nobody says anything: ATIF has no trajectory without a step.
    pub fn atif(&self) -> Result<Value, EngineError> {
        to_atif(&self.transcript, &self.agent).ok_or_else(|| {
            EngineError::Evidence("nobody says anything, and ATIF wants a step".to_owned())
        })
    }
}

/// The transcript of the trial in `dir`, whose evidence is compared with its
/// manifest before.
///
/// # Errors
/// [`EngineError::NoTrial`] without evidence, [`EngineError::Evidence`] for
/// evidence that is not what its manifest says.
pub fn of_trial(dir: &Path) -> Result<Told, EngineError> {
    let place = Place::find(dir)?;
    let evidence = verified(&place.evidence)?;
    let bytes = evidence
        .read(bundle::TRANSCRIPT)
        .map_err(|error| EngineError::Evidence(error.to_string()))?
        .unwrap_or_default();
    let file = NativeFile::new(bundle::TRANSCRIPT, bytes.to_vec());
    let transcript = proctor_transcripts::read(Format::Canonical, &[file], &ReadLimits::default())
        .map_err(|error| EngineError::Evidence(error.to_string()))?;
    let manifest = evidence.manifest();
    Ok(Told {
        agent: AtifAgent {
            name: manifest.agent.name.clone(),
            version: version(manifest.agent.version.as_deref()),
            model: transcript.models.first().cloned(),
        },
        transcript,
    })
}

/// The transcript in `files`, which an agent left behind in its own `format`.
///
/// # Errors
/// [`EngineError::Usage`] for files that cannot be read as that.
pub fn of_files(format: Format, files: &[PathBuf]) -> Result<Told, EngineError> {
    let limits = ReadLimits::default();
    let mut native = Vec::with_capacity(files.len());
    for path in files {
        let bytes = read::regular(path, limits.bytes, Links::Follow)
            .map_err(EngineError::io("cannot read", path))?;
        native.push(NativeFile::new(path.display().to_string(), bytes));
    }
    let transcript = proctor_transcripts::read(format, &native, &limits).map_err(|error| {
        EngineError::Usage {
            message: error.to_string(),
            hint: Some(format!(
                "--from {format} names the form that the agent writes"
            )),
        }
    })?;
    Ok(Told {
        agent: AtifAgent {
            name: format.to_string(),
            version: version(transcript.version.as_deref()),
            model: transcript.models.first().cloned(),
        },
        transcript,
    })
}

fn version(known: Option<&str>) -> String {
    known.unwrap_or("unknown").to_owned()
}
