//! `nop`: the agent that does nothing.

use async_trait::async_trait;
use proctor_types::manifest::{AgentEnd, TranscriptSource};

use crate::agent::{Agent, AgentError, AgentRun, Assignment};
use crate::room::Shell;
use crate::transcript::TranscriptWriter;

/// Does nothing. What it scores is the floor of a task, and should be 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nop;

#[async_trait]
impl Agent for Nop {
    fn name(&self) -> &'static str {
        "nop"
    }

    fn transcript_source(&self) -> TranscriptSource {
        TranscriptSource::Runner
    }

    async fn run(
        &self,
        _room: &dyn Shell,
        assignment: &Assignment<'_>,
        transcript: &mut TranscriptWriter,
    ) -> Result<AgentRun, AgentError> {
        transcript.open(assignment)?;
        Ok(AgentRun::ended(AgentEnd::Completed))
    }
}
