//! Reporters: they consume the engine's events and nothing else.

pub(crate) mod summary;
pub(crate) mod terminal;

use std::sync::Arc;

use clap::ValueEnum;
use proctor_engine::events::EventSink;

/// What a verb prints on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// The reporter that shows progress while a job runs. Progress goes to
/// standard error in either format; standard output is for the result.
pub(crate) fn progress(format: Format) -> Vec<Arc<dyn EventSink>> {
    match format {
        Format::Text => vec![Arc::new(terminal::Progress::new())],
        Format::Json => Vec::new(),
    }
}
