//! Versions of the API.

use super::error::ApiError;
use crate::notion::accept::alternatives;
use crate::service::Request;

/// A value of the `Notion-Version` header. A request chooses its shape by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    /// A database is its only table.
    V2022_06_28,
    /// A database has tables, called data sources.
    V2025_09_03,
    /// `archived` is called `in_trash`, `after` is a `position`.
    V2026_03_11,
}

const NAMES: [(&str, Version); 3] = [
    ("2022-06-28", Version::V2022_06_28),
    ("2025-09-03", Version::V2025_09_03),
    ("2026-03-11", Version::V2026_03_11),
];

impl Version {
    pub(super) fn of(request: &Request) -> Result<Self, ApiError> {
        let Some(name) = request.header("notion-version") else {
            return Err(ApiError::new(
                400,
                "missing_version",
                "Notion-Version header failed validation: Notion-Version header should be \
                 defined, instead was `undefined`.",
            ));
        };
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, version)| *version).ok_or_else(|| {
            let known = alternatives(&NAMES.map(|(name, _)| name));
            ApiError::validation(format!(
                "Notion-Version header failed validation: Notion-Version header should be \
                 {known}, instead was `{}`.",
                serde_json::Value::from(name)
            ))
        })
    }

    /// Whether databases have data sources.
    pub(crate) fn has_sources(self) -> bool {
        self >= Self::V2025_09_03
    }
}
