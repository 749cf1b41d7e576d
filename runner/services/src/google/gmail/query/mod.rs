//! Gmail's search: `from:ada is:unread -subject:(lunch OR dinner)`.
//!
//! A query is read once ([`Query::parse`]), made into tests against one
//! mailbox ([`Query::plan`]), and tried on every message ([`Plan::matches`]).

mod lex;
mod plan;
mod syntax;
mod when;
pub(super) mod words;

use jiff::tz::TimeZone;

use super::label::{LabelId, LabelSet, Labels};
use super::mime::Mail;
use crate::google::Watched;
pub(super) use plan::Plan;

/// A query that has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query(syntax::Expr);

impl Query {
    /// Reads a query. Everything has some reading; the empty query asks for
    /// nothing and finds everything.
    pub(super) fn parse(text: &str) -> Self {
        Self(syntax::parse(text))
    }

    /// What the query means for one account at one moment.
    pub(super) fn plan(&self, context: &Context<'_>) -> Plan {
        plan::plan(&self.0, context)
    }
}

/// What a query may refer to.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// The account's labels.
    pub(super) labels: &'a Labels,
    /// Addresses that are `me`, lower-case.
    pub(super) me: &'a [String],
    /// Where the account's days begin.
    pub(super) zone: TimeZone,
    /// The present moment: asked only by queries that refer to it.
    pub(super) clock: &'a Watched<'a>,
}

/// A message as queries see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The mail.
    pub(super) mail: &'a Mail,
    /// Its labels.
    pub(super) labels: &'a LabelSet,
    /// Its internal date, milliseconds since 1970.
    pub(super) date_ms: i64,
}

impl Candidate<'_> {
    fn is(&self, label: LabelId) -> bool {
        self.labels.has(label)
    }
}

#[cfg(test)]
mod tests;
