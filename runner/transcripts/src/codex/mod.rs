//! Codex. Measured with 0.171.0, which leaves a stream (`exec --json`) and a
//! rollout (`$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`).

mod exec;
mod rollout;

use crate::combine::combine;
use crate::error::ReadError;
use crate::json::Look;
use crate::limits::Bounds;
use crate::lines::first_objects;
use crate::transcript::{NativeFile, Transcript};

pub(crate) fn read(files: &[NativeFile], bounds: &Bounds) -> Result<Transcript, ReadError> {
    let (rollouts, streams): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| is_rollout(file, bounds));
    combine(
        (!rollouts.is_empty()).then(|| rollout::read(&rollouts, bounds)),
        (!streams.is_empty()).then(|| exec::read(&streams, bounds)),
    )
}

fn is_rollout(file: &NativeFile, bounds: &Bounds) -> bool {
    first_objects(file, bounds)
        .iter()
        .any(|fields| fields.object("payload").is_some())
}
