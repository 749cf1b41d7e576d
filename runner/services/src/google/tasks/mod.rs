//! Google Tasks v1.

use serde::{Deserialize, Serialize};

/// Task lists of the account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskStore {}
