//! Gmail v1.

use serde::{Deserialize, Serialize};

/// The mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mailbox {}
