//! What an agent's errors look like, where its transcript does not say.

use proctor_types::manifest::FailureKind;

/// Bytes at the end of standard error that are looked at. Node's stack traces
/// stand after the message, and are long.
const TAIL_BYTES: usize = 32 << 10;

/// An exit code, or words, that mean a kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureRule {
    /// What it means.
    pub kind: FailureKind,
    /// With this exit code, where given.
    pub exit: Option<i32>,
    /// With one of these in the agent's own error or at the end of its standard
    /// error, in lower case; with anything where there are none.
    pub says: Vec<String>,
}

/// What was heard of an agent that failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    pub(crate) exit: i32,
    /// The transcript's own reason, where it has one.
    pub(crate) reason: Option<&'a str>,
    pub(crate) stderr: &'a [u8],
}

impl Heard<'_> {
    /// The kind that the first rule that fits gives it.
    pub(crate) fn kind(&self, rules: &[FailureRule]) -> Option<FailureKind> {
        let tail = &self.stderr[self.stderr.len().saturating_sub(TAIL_BYTES)..];
        let words = format!(
            "{}\n{}",
            self.reason.unwrap_or_default(),
            String::from_utf8_lossy(tail)
        )
        .to_lowercase();
        let fits = |rule: &&FailureRule| {
            rule.exit.is_none_or(|exit| exit == self.exit)
                && (rule.says.is_empty() || rule.says.iter().any(|said| words.contains(said)))
        };
        rules.iter().find(fits).map(|rule| rule.kind)
    }
}
