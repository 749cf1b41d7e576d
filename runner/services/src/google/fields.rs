//! The `fields` parameter: partial answers.

use serde_json::Value;

use crate::google::error::ApiError;

/// A parsed `fields` selection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mask {
    pub(crate) all: bool,
    pub(crate) members: Vec<(String, Mask)>,
}

impl Mask {
    /// Reads a selection.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let _ = text;
        Ok(Self { all: true, members: Vec::new() })
    }

    /// Leaves in `value` only what is selected.
    pub fn apply(&self, value: &mut Value) {
        let _ = (self, value);
    }
}
