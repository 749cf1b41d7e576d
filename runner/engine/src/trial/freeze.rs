//! Stage "freeze": what is, is written down. The agent is gone by now, and the
//! first criterion has not been looked at.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use proctor_sandbox::CollectError;
use proctor_types::bundle;
use proctor_types::journal::EntryKind;
use proctor_types::manifest::{CLOCK_FIELDS, Manifest, SCHEMA, TaskRef};

use super::run::{GROWING_TRANSCRIPT, Ran};
use super::{StageError, TrialSpec};
use crate::EngineError;
use crate::evidence::{BundleWriter, discard};
use crate::room::Closed;

/// Evidence that will not change any more.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub(crate) answered: u64,
    pub(crate) egress: u64,
    pub(crate) warnings: Vec<String>,
}

/// Closes the room of `ran` and writes its evidence into the trial's directory.
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
    } = ran;
    let closed = room
        .close()
        .await
        .map_err(|error| StageError::ours("sandbox", &error))?;
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
    let written = BundleWriter::create(trial, shown)
        .map_err(StageError::from)
        .and_then(|mut to| {
            write_trial(&mut to, spec, trial, &raw)?;
            to.json(bundle::WORLD_BEFORE, &before)?;
            let warnings = write_room(&mut to, &closed)?;
            to.finish(manifest)?;
            Ok(warnings)
        });
    let warnings = match written {
        Ok(warnings) => warnings,
        Err(error) => {
            discard(trial);
            return Err(error);
        }
    };
    trial
        .remove_file(GROWING_TRANSCRIPT)
        .map_err(EngineError::io(
            "cannot remove",
            &shown.join(GROWING_TRANSCRIPT),
        ))?;
    let count = |kind| {
        closed
            .journal
            .iter()
            .filter(|entry| entry.kind == kind)
            .count() as u64
    };
    Ok(Frozen {
        answered: count(EntryKind::Request),
        egress: count(EntryKind::Egress),
        warnings,
    })
}

/// What the agent was given, and what it said.
fn write_trial(
    to: &mut BundleWriter,
    spec: &TrialSpec,
    trial: &Dir,
    raw: &[(String, Vec<u8>)],
) -> Result<(), StageError> {
    to.bytes(bundle::PROMPT, spec.task.prompt.as_bytes())?;
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
fn write_room(to: &mut BundleWriter, closed: &Closed) -> Result<Vec<String>, StageError> {
    let mut warnings = Vec::new();
    to.json(bundle::WORLD_AFTER, &closed.after)?;
    to.json_lines(bundle::JOURNAL, &closed.journal)?;
    for (sha256, body) in &closed.bodies {
        to.bytes(&format!("{}/{sha256}", bundle::BODIES_DIR), body)?;
    }
    let listing = closed
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
    if closed
        .journal
        .iter()
        .any(|entry| entry.kind == EntryKind::Truncated)
    {
        warnings.push("the journal met its limit; its last entry says which".to_owned());
    }
    to.json(bundle::WORKSPACE_LISTING, &listing)?;
    Ok(warnings)
}
