//! Stage "freeze": what is, is written down. The agent is gone by now, and the
//! first criterion has not been looked at.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use proctor_types::bundle;
use proctor_types::journal::EntryKind;
use proctor_types::manifest::{CLOCK_FIELDS, Manifest, SCHEMA, TaskRef};

use super::run::{GROWING_TRANSCRIPT, Ran};
use super::{StageError, TrialSpec};
use crate::EngineError;
use crate::evidence::BundleWriter;

/// Evidence that will not change any more.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub(crate) answered: u64,
    pub(crate) egress: u64,
    pub(crate) warnings: Vec<String>,
}

/// Writes the evidence bundle of `ran` into the trial's directory.
pub(crate) async fn freeze(
    spec: &TrialSpec,
    ran: Ran,
    trial: &Dir,
    shown: &Path,
) -> Result<Frozen, StageError> {
    let Ran {
        room,
        before,
        agent,
        end,
        raw,
        clock,
    } = ran;
    let isolation = room.isolation();
    let closed = room
        .close()
        .await
        .map_err(|error| StageError::ours("sandbox", &error))?;
    let mut warnings = Vec::new();
    let mut writer = BundleWriter::create(trial, shown)?;
    writer.bytes(bundle::PROMPT, spec.task.prompt.as_bytes())?;
    writer.json(bundle::TASK, &spec.task.info)?;
    let growing = shown.join(GROWING_TRANSCRIPT);
    let mut transcript = trial
        .open(GROWING_TRANSCRIPT)
        .map_err(EngineError::io("cannot read", &growing))?;
    writer
        .stream(bundle::TRANSCRIPT, &mut transcript)
        .map_err(EngineError::io(
            "cannot write",
            &shown.join(bundle::TRANSCRIPT),
        ))?;
    for (name, bytes) in &raw {
        writer.bytes(&format!("{}/{name}", bundle::AGENT_DIR), bytes)?;
    }
    for fixture in &spec.task.fixtures {
        writer.bytes(
            &format!("{}/{}", bundle::FIXTURES_DIR, fixture.dest),
            &fixture.bytes,
        )?;
    }
    writer.json(bundle::WORLD_BEFORE, &before)?;
    writer.json(bundle::WORLD_AFTER, &closed.after)?;
    writer.json_lines(bundle::JOURNAL, &closed.journal)?;
    for (sha256, body) in &closed.bodies {
        writer.bytes(&format!("{}/{sha256}", bundle::BODIES_DIR), body)?;
    }
    let listing = closed
        .collect(&mut |path, content: &mut dyn io::Read| {
            writer.stream(&format!("{}/{path}", bundle::WORKSPACE_DIR), content)
        })
        .map_err(|error| StageError::ours("collect", &error))?;
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
    writer.json(bundle::WORKSPACE_LISTING, &listing)?;
    let count = |kind| {
        closed
            .journal
            .iter()
            .filter(|entry| entry.kind == kind)
            .count() as u64
    };
    writer.finish(Manifest {
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
    })?;
    trial
        .remove_file(GROWING_TRANSCRIPT)
        .map_err(EngineError::io("cannot remove", &growing))?;
    Ok(Frozen {
        answered: count(EntryKind::Request),
        egress: count(EntryKind::Egress),
        warnings,
    })
}
