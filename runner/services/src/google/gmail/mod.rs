//! Gmail v1.
//!
//! [`Mailbox`] is the state; [`API`] is the table of methods over it. A mail is
//! read once ([`mime`]) and shared from then on; what changes about it (labels,
//! thread, history) lies in the mailbox. Searches are a small language of their
//! own (`query`).
//!
//! Where the behaviour is not in Google's reference
//! (<https://developers.google.com/workspace/gmail/api/reference/rest>), it
//! follows error texts and answers that users of the live API have published.

pub mod id;
pub mod label;
mod mailbox;
mod methods;
pub mod mime;
mod query;
pub mod settings;

pub use mailbox::{Change, History, Mailbox, Message, Record};
pub use methods::API;
pub(super) use mime::{Head, Mail};
