//! Tasks, trials, jobs, evidence, events, reports.
//!
//! The engine brings the rooms of the house together: it loads a task, opens a
//! room in front of a seeded world, lets an agent work there, freezes what it
//! left, has it graded and writes down what came out. It never prints and
//! never reads the environment: what happens is an [`events::Event`], what the
//! machine looks like is a [`host::HostConfig`].

mod attempt;
pub mod check;
mod choice;
pub mod direct;
mod error;
pub mod events;
mod evidence;
pub mod grader;
pub mod host;
pub mod job;
pub mod judging;
pub mod model;
mod printable;
mod read;
pub mod record;
pub mod regrade;
mod report;
mod room;
pub mod scaffold;
pub mod serve;
pub mod suite;
pub mod task;
mod time;
pub mod transcript;
mod trial;
pub mod verify;

pub use choice::GraderChoice;
pub use error::EngineError;
pub use printable::printable;
