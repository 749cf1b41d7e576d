//! Stage "seed": a world and a room for one trial.

use jiff::Timestamp;
use proctor_services::{SeedOptions, World};
use proctor_types::WorldSnapshot;

use super::{Bench, StageError, TrialSpec};
use crate::EngineError;
use crate::room::Room;
use crate::task::Task;

/// Start of an unseeded world's clock: 2026-01-05T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_767_603_600;

/// A room in which the agent can start.
#[derive(Debug)]
pub(crate) struct Seeded {
    pub(crate) room: Room,
    /// The world before the agent's first request.
    pub(crate) before: WorldSnapshot,
}

/// Makes the world and opens the room.
pub(crate) async fn seed(bench: &Bench, spec: &TrialSpec) -> Result<Seeded, StageError> {
    let world = spec.world.clone();
    let room = Room::open(&spec.task, world, &spec.tools, bench.isolation, &bench.host).await?;
    let before = room.snapshot();
    Ok(Seeded { room, before })
}

/// The world that `task` seeds.
pub(crate) fn world(task: &Task) -> Result<World, EngineError> {
    let options = SeedOptions {
        services: task.info.services.clone(),
        ..SeedOptions::default()
    };
    match &task.seed {
        Some(seed) => World::seed(&seed.dir, &options).map_err(|error| EngineError::Seed {
            seed: task.pack.shown(&seed.path),
            error,
        }),
        None => unseeded(&task.info.id, &options),
    }
}

/// An empty world. Its clock starts at the same moment in every run, so that
/// equal runs give equal evidence.
pub(crate) fn unseeded(name: &str, options: &SeedOptions) -> Result<World, EngineError> {
    World::unseeded(Timestamp::constant(START_SECOND, 0), options).map_err(|error| {
        EngineError::Seed {
            seed: name.to_owned(),
            error,
        }
    })
}
