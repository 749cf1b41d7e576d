//! Memory of many worlds in one process.
//!
//! Each is seeded from the task's folder by itself and stands ready to answer,
//! with its journal. Prints one JSON object: how many there are, and the
//! process's resident memory before them and at its peak, in bytes.

mod memory;

use std::error::Error;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use memory::resident;
use proctor_services::{JournalCaps, SeedOptions, World, WorldHandle};

const WORLDS: usize = 1_000;
const SEED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tasks/gws-task-management/seed"
);

fn main() -> Result<(), Box<dyn Error>> {
    let before = resident("VmRSS")?;
    let mut worlds = Vec::with_capacity(WORLDS);
    for _ in 0..WORLDS {
        let seed = Dir::open_ambient_dir(SEED, ambient_authority())?;
        let options = SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        };
        worlds.push(WorldHandle::new(
            World::seed(&seed, &options)?,
            JournalCaps::default(),
        ));
    }
    let peak = resident("VmHWM")?;
    let worlds = worlds.len();
    let figures = serde_json::json!({"worlds": worlds, "before_bytes": before, "peak_bytes": peak});
    std::io::Write::write_all(&mut std::io::stdout(), format!("{figures}\n").as_bytes())?;
    Ok(())
}
