//! Stage "seed": a world and a room for one trial.

use std::sync::Arc;

use cap_std::fs::Dir;
use jiff::Timestamp;
use proctor_services::world::SERVICES;
use proctor_services::{SeedError, SeedOptions, World};
use proctor_types::WorldSnapshot;

use super::{Bench, StageError, TrialSpec};
use crate::EngineError;
use crate::attempt::PLACEHOLDER;
use crate::events::Event;
use crate::model::Traffic;
use crate::record::SeededRecord;
use crate::room::{Room, RoomPlan};
use crate::task::digest::Listing;
use crate::task::{Task, TaskError};

/// Start of an unseeded world's clock: 2026-01-05T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_767_603_600;

/// A room in which the agent can start.
#[derive(Debug)]
pub(crate) struct Seeded {
    pub(crate) room: Room,
    /// The way to the agent's model, where it has one.
    pub(crate) traffic: Option<Traffic>,
    /// The world before the agent's first request.
    pub(crate) before: WorldSnapshot,
    /// What is in it.
    pub(crate) record: SeededRecord,
}

/// Where the trials of a task have their worlds from.
#[derive(Debug, Clone)]
pub(crate) enum Worlds {
    /// One for all: each trial gets a copy.
    Same(Arc<World>),
    /// One for each attempt, which is made when its trial begins.
    ByAttempt,
}

impl Worlds {
    /// The worlds of `task`. Whatever is wrong with its seed shows here.
    pub(crate) fn of(task: &Task) -> Result<Self, EngineError> {
        let first = world(task, 0)?;
        Ok(if by_attempt(task)? {
            Self::ByAttempt
        } else {
            Self::Same(Arc::new(first))
        })
    }

    fn world(&self, task: &Task, attempt: u32) -> Result<World, StageError> {
        match self {
            Self::Same(world) => Ok(World::clone(world)),
            Self::ByAttempt => {
                let made = world(task, attempt).and_then(|made| unchanged(task).map(|()| made));
                made.map_err(|error| StageError::ours("seed", &error).hint(error.hint()))
            }
        }
    }
}

/// Makes the world and opens the room.
///
/// `dir` is where the trial is recorded.
pub(crate) async fn seed(bench: &Bench, spec: &TrialSpec, dir: &Dir) -> Result<Seeded, StageError> {
    let world = spec.worlds.world(&spec.task, spec.id.attempt)?;
    let traffic = bench
        .models
        .as_ref()
        .map(|models| Traffic::open(models, dir))
        .transpose()?;
    let plan = RoomPlan {
        task: &spec.task,
        tools: &spec.tools,
        brought: &spec.brought,
        isolation: bench.isolation,
        host: &bench.host,
        upstream: traffic.as_ref().map(Traffic::upstream),
    };
    let room = Room::open(plan, world).await?;
    let before = room.snapshot();
    let record = SeededRecord::of(&before);
    bench.events.emit(Event::WorldSeeded {
        trial: spec.id.clone(),
        seeded: record.clone(),
    });
    Ok(Seeded {
        room,
        traffic,
        before,
        record,
    })
}

/// The world that `task` seeds for an attempt.
pub(crate) fn world(task: &Task, attempt: u32) -> Result<World, EngineError> {
    let options = SeedOptions {
        services: task.info.services.clone(),
        attempt,
    };
    match &task.seed {
        Some(seed) => World::seed(&seed.dir, &options)
            .map_err(|error| refused(task.pack.shown(&seed.path), error, &options)),
        None => unseeded(&task.info.id, &options),
    }
}

/// An empty world. Its clock starts at the same moment in every run, so that
/// equal runs give equal evidence.
pub(crate) fn unseeded(name: &str, options: &SeedOptions) -> Result<World, EngineError> {
    World::unseeded(Timestamp::constant(START_SECOND, 0), options)
        .map_err(|error| refused(name.to_owned(), error, options))
}

/// A seed that is not valid, with what to do about it.
fn refused(seed: String, error: SeedError, options: &SeedOptions) -> EngineError {
    let describes = "docs/writing-worlds.md describes the seed folder";
    let file = error.file.as_str();
    let named = &options.services;
    // Nothing looks into the folder of a service that the world does not have.
    let is_unnamed = SERVICES.contains(&file) && named.iter().all(|service| service != file);
    let hint = if is_unnamed {
        let mut services: Vec<&str> = named.iter().map(String::as_str).collect();
        services.push(file);
        format!(
            "the task does not name this service: add `services: [{}]` under `proctor:`; \
             {describes}",
            services.join(", ")
        )
    } else {
        describes.to_owned()
    };
    EngineError::Seed { seed, error, hint }
}

/// Files of the pack that the seed is made of, by their paths in the pack.
fn seed_files(task: &Task) -> impl Iterator<Item = &str> {
    let folder = task.seed.as_ref().map(|seed| seed_folder(&seed.path));
    task.pack
        .listing()
        .iter()
        .map(|(path, _)| path)
        .filter(move |path| {
            let folder = folder.as_deref();
            folder.is_some_and(|folder| path.starts_with(folder))
        })
}

/// The folder of a seed as the paths of its files begin.
fn seed_folder(path: &str) -> String {
    format!("{}/", path.trim_end_matches('/'))
}

/// Whether a name or a file of the seed has `{attempt}`. Where only the content
/// of a repository's file has it, the worlds are made one by one all the same.
fn by_attempt(task: &Task) -> Result<bool, EngineError> {
    let placeholder = PLACEHOLDER.as_bytes();
    for path in seed_files(task) {
        if path.contains(PLACEHOLDER) {
            return Ok(true);
        }
        let bytes = task.pack.read(path)?;
        let mut windows = bytes.windows(placeholder.len());
        if windows.any(|window| window == placeholder) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses a seed that is another one than when the pack was digested.
fn unchanged(task: &Task) -> Result<(), EngineError> {
    let Some(seed) = &task.seed else {
        return Ok(());
    };
    let shown = task.pack.shown(&seed.path);
    let now = Listing::of_dir(&seed.dir, &shown)?;
    let folder = seed_folder(&seed.path);
    let listed = task.pack.listing();
    let then = Listing::of_files(listed.iter().filter_map(|(path, file)| {
        let path = path.strip_prefix(&folder)?;
        Some((path.to_owned(), file.clone()))
    }));
    if now == then {
        Ok(())
    } else {
        Err(TaskError::Changed { path: shown }.into())
    }
}
