//! Time and memory of worlds with mail, a repository and pages.
//!
//! Each is seeded from the folder of Nightshift by itself and stands ready to
//! answer, with its journal: first some with nothing to share (each is gone
//! before the next is made), then many beside each other. Prints one JSON object:
//! milliseconds of each, how many there are, and the process's resident memory
//! before the many and at its peak, in bytes.

mod memory;

use std::error::Error;
use std::time::Instant;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use memory::resident;
use proctor_services::world::SERVICES;
use proctor_services::{JournalCaps, SeedOptions, World, WorldHandle};

const ALONE: u32 = 20;
const WORLDS: u32 = 200;
/// Attempts that a job has of the task.
const ATTEMPTS: u32 = 5;
const SEED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tasks/nightshift/seed");

fn main() -> Result<(), Box<dyn Error>> {
    let mut alone = Vec::new();
    for number in 0..ALONE {
        alone.push(seeded(number)?.1);
    }
    let before = resident("VmRSS")?;
    let mut worlds = Vec::new();
    let mut beside = Vec::new();
    for number in 0..WORLDS {
        let (world, milliseconds) = seeded(number)?;
        worlds.push(world);
        beside.push(milliseconds);
    }
    let figures = serde_json::json!({
        "worlds": worlds.len(),
        "alone_ms": alone,
        "beside_ms": beside,
        "before_bytes": before,
        "peak_bytes": resident("VmHWM")?,
    });
    std::io::Write::write_all(&mut std::io::stdout(), format!("{figures}\n").as_bytes())?;
    Ok(())
}

/// A world that can answer, and how many milliseconds it took to make it.
fn seeded(number: u32) -> Result<(WorldHandle, f64), Box<dyn Error>> {
    let start = Instant::now();
    let seed = Dir::open_ambient_dir(SEED, ambient_authority())?;
    let options = SeedOptions {
        services: SERVICES.iter().map(|name| (*name).to_owned()).collect(),
        attempt: number % ATTEMPTS,
    };
    let world = WorldHandle::new(World::seed(&seed, &options)?, JournalCaps::default());
    Ok((world, start.elapsed().as_secs_f64() * 1e3))
}
