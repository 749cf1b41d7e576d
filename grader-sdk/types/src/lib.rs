//! The shapes that pass between Proctor's runner and its graders.
//!
//! The runner freezes what an agent left behind into an **evidence bundle**, a
//! directory described by [`manifest::Manifest`]. A grader reads the bundle and
//! answers with a [`verdict::GraderVerdict`]; the host validates it, adds what
//! a judge may still fill in, and writes a [`verdict::Verdict`].
//!
//! Every document carries a `schema` of the form `proctor.NAME/MAJOR`. A reader
//! refuses a major version that it does not know; fields may be added within
//! one. Nothing in this crate touches a file, a clock or the environment, so
//! the same code is compiled into the runner and into WebAssembly graders.

pub mod api;
pub mod bundle;
pub mod citation;
pub mod journal;
pub mod manifest;
pub mod model;
pub mod note;
pub mod probe;
pub mod task;
pub mod transcript;
pub mod verdict;
pub mod workspace;
pub mod world;

pub use api::ModelApi;
pub use citation::Citation;
pub use journal::{Change, JournalEntry, Touch, Via, View};
pub use manifest::Manifest;
pub use model::Usage;
pub use note::NoteKind;
pub use probe::{Probe, ProbeEnd, Probes};
pub use task::TaskInfo;
pub use transcript::Event;
pub use verdict::{Adjustment, Criterion, GraderVerdict, Status, Verdict};
pub use workspace::WorkspaceListing;
pub use world::WorldSnapshot;
