//! What the bundle says, gathered once for all criteria.

use proctor_grader::pages::PageView;
use proctor_grader::repositories::Repo;
use proctor_grader::types::world::notion::Page;
use proctor_grader::{Error, Evidence};

use crate::mails::Mails;
use crate::pulls::Pulls;

/// A page of the seed, and what became of it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'e> {
    pub(crate) before: &'e Page,
    /// The same page now; nothing where it is gone or in the trash. One that
    /// the agent made in its place is another page.
    pub(crate) now: Option<PageView<'e>>,
    /// Whether there is such another page.
    pub(crate) replaced: bool,
}

impl<'e> Place<'e> {
    fn titled(evidence: &'e Evidence, title: &str) -> Result<Self, Error> {
        let pages = evidence.pages();
        let mut seeded = pages.before()?.pages.iter();
        let before = seeded
            .find(|page| page.title == title && !page.in_trash)
            .ok_or_else(|| Error::unfit(format!("the world has no page `{title}`")))?;
        let others = pages.titled(title)?;
        Ok(Self {
            before,
            now: pages.page(&before.id)?,
            replaced: others.iter().any(|view| view.before().is_none()),
        })
    }

    /// Why there is nothing to look at.
    pub(crate) fn gone(&self) -> String {
        let title = &self.before.title;
        let instead = if self.replaced {
            "; another page of that title that the agent made does not take its place"
        } else {
            ""
        };
        format!("The page {title} is in the trash{instead}.")
    }
}

/// What the bundle says.
pub(crate) struct Facts<'e> {
    pub(crate) evidence: &'e Evidence,
    pub(crate) repo: Repo<'e>,
    pub(crate) pulls: Pulls<'e>,
    pub(crate) incident: Place<'e>,
    pub(crate) audit: Place<'e>,
    pub(crate) reference: Place<'e>,
    pub(crate) spec: Place<'e>,
    /// Rows of the sprint board as they were.
    pub(crate) rows: Vec<&'e Page>,
    pub(crate) mails: Mails<'e>,
}

impl<'e> Facts<'e> {
    pub(crate) fn gather(evidence: &'e Evidence) -> Result<Self, Error> {
        let repositories = evidence.repositories();
        let seeded = &repositories.before()?.repositories;
        let is_hydra = |name: &str| {
            let short = name.rsplit('/').next().unwrap_or(name);
            short.starts_with("hydra-pipeline")
        };
        let name = seeded
            .iter()
            .map(|repository| repository.full_name.as_str())
            .find(|name| is_hydra(name))
            .ok_or_else(|| Error::unfit("the world has no repository `hydra-pipeline-...`"))?;
        let repo = repositories.get(name)?;
        let pages = &evidence.pages().before()?.pages;
        let is_row = |page: &&Page| page.title.starts_with('#') && page.properties.len() > 2;
        Ok(Self {
            evidence,
            repo,
            pulls: Pulls::of(repo)?,
            incident: Place::titled(evidence, "INC-2025-0714")?,
            audit: Place::titled(evidence, "Q3 Audit 2025")?,
            reference: Place::titled(evidence, "Hydra Inference API")?,
            spec: Place::titled(evidence, "Hydra Deployment Spec v2.1")?,
            rows: pages.iter().filter(is_row).collect(),
            mails: Mails::of(evidence)?,
        })
    }

    /// The row of the board for an issue, as it was.
    pub(crate) fn row(&self, issue: u64) -> Result<&'e Page, Error> {
        let begins = format!("#{issue} ");
        let mut rows = self.rows.iter().copied();
        rows.find(|row| row.title.starts_with(&begins))
            .ok_or_else(|| Error::unfit(format!("the board has no row for #{issue}")))
    }
}
