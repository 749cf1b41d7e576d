//! What an entry of a seed can refer to: people, dates, signatures.

use jiff::Timestamp;
use serde_saphyr::Spanned;

use super::super::git;
use super::super::session::identity;
use super::super::state::GitHub;
use crate::world::SeedError;

/// What an entry of a seed can refer to.
pub(super) struct Desk<'a> {
    pub(super) hub: &'a GitHub,
    /// The YAML file.
    pub(super) file: String,
    pub(super) start: Timestamp,
}

impl Desk<'_> {
    pub(super) fn wrong<T>(&self, at: &Spanned<T>, problem: impl Into<String>) -> SeedError {
        SeedError::at(&self.file, at.referenced.line(), problem)
    }

    /// The login that an entry names, by login or address.
    pub(super) fn login(&self, name: &Spanned<String>) -> Result<String, SeedError> {
        let found = self
            .hub
            .user(&name.value)
            .or_else(|| self.hub.user_by_email(&name.value));
        let found = found.ok_or_else(|| {
            let problem = format!(
                "`{}` is neither a login nor an address of the world's people",
                name.value
            );
            self.wrong(name, problem)
        })?;
        Ok(found.login.clone())
    }

    pub(super) fn login_or_own(&self, name: Option<&Spanned<String>>) -> Result<String, SeedError> {
        name.map_or_else(|| Ok(self.hub.login.clone()), |name| self.login(name))
    }

    pub(super) fn logins(&self, names: &[Spanned<String>]) -> Result<Vec<String>, SeedError> {
        names.iter().map(|name| self.login(name)).collect()
    }

    pub(super) fn date(&self, date: Option<&Spanned<String>>) -> Result<Timestamp, SeedError> {
        let Some(date) = date else {
            return Ok(self.start);
        };
        date.value.parse().map_err(|_| {
            let problem = format!(
                "`{}` is no RFC 3339 time like `2026-03-02T09:00:00Z`",
                date.value
            );
            self.wrong(date, problem)
        })
    }

    /// A signature: of one of the world's people, or `Name <address>`.
    pub(super) fn signature(
        &self,
        name: Option<&Spanned<String>>,
        at: Timestamp,
    ) -> Result<git2::Signature<'static>, SeedError> {
        let stranger = name.and_then(|name| {
            let (name, rest) = name.value.split_once('<')?;
            Some((name.trim().to_owned(), rest.strip_suffix('>')?.to_owned()))
        });
        let (name_text, email) = if let Some(stranger) = stranger {
            stranger
        } else {
            let login = self.login_or_own(name)?;
            self.hub.user(&login).map(identity).unwrap_or_default()
        };
        git::signature(&name_text, &email, at)
            .map_err(|error| SeedError::file(&self.file, error.message))
    }
}
