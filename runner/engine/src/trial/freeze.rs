//! Stage "freeze": what is, is written down. The agent is gone by now, no probe
//! has run, and the first criterion has not been looked at.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use proctor_sandbox::CollectError;
use proctor_types::journal::EntryKind;
use proctor_types::manifest::{
    AgentEnd, CLOCK_FIELDS, Manifest, SCHEMA, TaskRef, TranscriptSource,
};
use proctor_types::{Probes, bundle};

use super::run::{GROWING_TRANSCRIPT, Ran};
use super::{StageError, TrialSpec};
use crate::EngineError;
use crate::evidence::BundleWriter;
use crate::model::{self, Spoken, Traffic};
use crate::room::QuietRoom;

/// Folder in the bundle's `agent/` of what the agent's steps file brought.
const BROUGHT_DIR: &str = "files";

/// What the agent left, written down, and the room that it left.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub(crate) answered: u64,
    pub(crate) egress: u64,
    pub(crate) warnings: Vec<String>,
    pub(crate) room: QuietRoom,
    /// What the agent's model was asked, where it had one.
    pub(crate) spoken: Option<Spoken>,
    bundle: BundleWriter,
    manifest: Manifest,
}

/// Ends the network of `ran` and writes what there is into a bundle in the
/// trial's directory.
///
/// Where that fails nothing half-written stays, so that a full disk has room
/// for the record of the failure; the transcript stays beside it.
pub(crate) async fn freeze(
    spec: &TrialSpec,
    ran: Ran,
    trial: &Dir,
    shown: &Path,
) -> Result<Frozen, StageError> {
    let isolation = ran.room.isolation();
    let Ran {
        room,
        before,
        agent,
        end,
        raw,
        clock,
        traffic,
        account: _,
    } = ran;
    let room = room
        .quiet()
        .await
        .map_err(|error| StageError::ours("sandbox", &error))?;
    // Nobody can ask any more: what was still being answered is over, too.
    let spoken = traffic.as_ref().map(Traffic::finish).transpose()?;
    let end = match &spoken {
        Some(spoken) => spoken.explain(end),
        None => end,
    };
    let told_by_agent = agent.transcript == TranscriptSource::Agent;
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        task: TaskRef {
            id: spec.task.info.id.clone(),
            pack_sha256: spec.task.pack_sha256.clone(),
        },
        agent,
        attempt: spec.id.attempt,
        isolation,
        end,
        clock,
        clock_fields: CLOCK_FIELDS.iter().map(ToString::to_string).collect(),
        files: std::collections::BTreeMap::new(),
    };
    let mut bundle = BundleWriter::create(trial, shown)?;
    write_trial(&mut bundle, spec, trial, &raw)?;
    bundle.json(bundle::WORLD_BEFORE, &before)?;
    let mut warnings = write_room(&mut bundle, &room)?;
    if let Some(spoken) = &spoken {
        warnings.extend(spoken.warnings.iter().cloned());
        write_model(&mut bundle, trial)?;
        if told_by_agent {
            warnings.extend(model::crosscheck(trial)?);
        }
    }
    let count = |kind| {
        let of_kind = room.journal.iter().filter(|entry| entry.kind == kind);
        of_kind.count() as u64
    };
    Ok(Frozen {
        answered: count(EntryKind::Request),
        egress: count(EntryKind::Egress),
        warnings,
        room,
        spoken,
        bundle,
        manifest,
    })
}

/// What the model was asked and answered.
fn write_model(to: &mut BundleWriter, trial: &Dir) -> Result<(), StageError> {
    let io = |error| EngineError::io("cannot freeze", bundle::MODEL.as_ref())(error);
    let mut lines = trial.open(model::GROWING).map_err(io)?;
    to.stream(bundle::MODEL, &mut lines).map_err(io)?;
    Ok(())
}

impl Frozen {
    /// How the agent's run ended.
    pub(crate) fn end(&self) -> &AgentEnd {
        &self.manifest.end
    }

    /// Closes the room, adds what the probes did, and gives the bundle its name:
    /// from here on it does not change.
    pub(crate) async fn seal(
        self,
        probes: Option<&Probes>,
        trial: &Dir,
        shown: &Path,
    ) -> Result<(), StageError> {
        let Self {
            room,
            spoken,
            mut bundle,
            manifest,
            ..
        } = self;
        room.close()
            .await
            .map_err(|error| StageError::ours("sandbox", &error))?;
        if let Some(probes) = probes {
            bundle.json(bundle::PROBES, probes)?;
        }
        bundle.finish(manifest)?;
        let grown = [Some(GROWING_TRANSCRIPT), spoken.map(|_| model::GROWING)];
        for name in grown.into_iter().flatten() {
            trial
                .remove_file(name)
                .map_err(EngineError::io("cannot remove", &shown.join(name)))?;
        }
        Ok(())
    }
}

/// What the agent was given, and what it said.
fn write_trial(
    to: &mut BundleWriter,
    spec: &TrialSpec,
    trial: &Dir,
    raw: &[(String, Vec<u8>)],
) -> Result<(), StageError> {
    to.bytes(bundle::PROMPT, spec.prompt().as_bytes())?;
    if let Some(system_prompt) = spec.system_prompt() {
        to.bytes(bundle::SYSTEM_PROMPT, system_prompt.as_bytes())?;
    }
    to.json(bundle::TASK, &spec.task.info)?;
    let io = |error| {
        StageError::from(EngineError::io(
            "cannot freeze",
            bundle::TRANSCRIPT.as_ref(),
        )(error))
    };
    let mut transcript = trial.open(GROWING_TRANSCRIPT).map_err(io)?;
    to.stream(bundle::TRANSCRIPT, &mut transcript).map_err(io)?;
    for (name, bytes) in raw {
        to.bytes(&format!("{}/{name}", bundle::AGENT_DIR), bytes)?;
    }
    for file in spec.brought.iter() {
        to.bytes(
            &format!("{}/{BROUGHT_DIR}/{}", bundle::AGENT_DIR, file.path),
            &file.bytes,
        )?;
    }
    for fixture in &spec.task.fixtures {
        to.bytes(
            &format!("{}/{}", bundle::FIXTURES_DIR, fixture.dest),
            &fixture.bytes,
        )?;
    }
    Ok(())
}

/// What the room came to: the world, the journal, the workspace. Returns what
/// people should know about it.
fn write_room(to: &mut BundleWriter, room: &QuietRoom) -> Result<Vec<String>, StageError> {
    let mut warnings = Vec::new();
    to.json(bundle::WORLD_AFTER, &room.after)?;
    to.json_lines(bundle::JOURNAL, &room.journal)?;
    for (sha256, body) in &room.bodies {
        to.bytes(&format!("{}/{sha256}", bundle::BODIES_DIR), body)?;
    }
    for (sha256, content) in &room.blobs {
        to.bytes(&format!("{}/{sha256}", bundle::BLOBS_DIR), content)?;
    }
    let listing = room
        .collect(&mut |path, content: &mut dyn io::Read| {
            to.stream(&format!("{}/{path}", bundle::WORKSPACE_DIR), content)
        })
        .map_err(|error| {
            let full = matches!(&error, CollectError::Sink { source, .. }
                if source.kind() == io::ErrorKind::StorageFull);
            StageError::ours("collect", &error).hint(full.then(crate::error::disk_full))
        })?;
    let refused = listing
        .entries
        .iter()
        .filter(|entry| entry.refused.is_some())
        .count();
    if refused > 0 {
        warnings.push(format!(
            "{refused} workspace entries were not kept; see workspace.json"
        ));
    }
    if let Some(cap) = &listing.truncated {
        warnings.push(format!("the workspace listing ends early: {cap}"));
    }
    if room
        .journal
        .iter()
        .any(|entry| entry.kind == EntryKind::Truncated)
    {
        warnings.push("the journal met its limit; its last entry says which".to_owned());
    }
    to.json(bundle::WORKSPACE_LISTING, &listing)?;
    Ok(warnings)
}
