//! The pull requests that the agent offers, and what their heads say.
//!
//! A value counts where a pull request brings it: one that the agent opened,
//! that is open or merged, and that goes to the default branch. What stands in a
//! branch without one, or was pushed to `main`, is not offered to anybody.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proctor_grader::repositories::{PullRequestExt as _, Repo};
use proctor_grader::text::excerpt;
use proctor_grader::types::Citation;
use proctor_grader::types::world::github::PullRequest;
use proctor_grader::{Error, cite};

pub(crate) const PROCESSOR: &str = "hydra/pipeline/stream_processor.py";
pub(crate) const CLIENT: &str = "hydra/connectors/redis_client.py";
pub(crate) const SETTINGS: &str = "hydra/config/settings.py";
pub(crate) const EXAMPLE: &str = ".env.example";
pub(crate) const MANIFEST: &str = "k8s/deployments/hydra-pipeline.yaml";
pub(crate) const DOCKERFILE: &str = "docker/Dockerfile";
pub(crate) const ROUTES: &str = "hydra/api/routes.py";

/// The agent's issues, with the files that they are about.
pub(crate) const ISSUES: [(u64, &[&str]); 3] = [
    (OOM, &[PROCESSOR, CLIENT]),
    (SECURITY, &[SETTINGS, EXAMPLE]),
    (K8S, &[MANIFEST]),
];
pub(crate) const OOM: u64 = 142;
pub(crate) const SECURITY: u64 = 143;
pub(crate) const K8S: u64 = 138;

/// Issues that a file belongs to.
pub(crate) fn issues_of(path: &str) -> impl Iterator<Item = u64> + '_ {
    let has = move |(_, paths): &&(u64, &[&str])| paths.contains(&path);
    ISSUES.iter().filter(has).map(|(issue, _)| *issue)
}

/// The pull requests of a trial.
pub(crate) struct Pulls<'e> {
    pub(crate) repo: Repo<'e>,
    /// Those that the agent offers.
    pub(crate) offered: Vec<&'e PullRequest>,
    /// Others that it opened: closed, or to another branch.
    pub(crate) others: Vec<&'e PullRequest>,
    /// Texts of the seed's default branch by path.
    seed: RefCell<BTreeMap<String, String>>,
}

/// A file at the head of a pull request that changes it.
#[derive(Clone, Copy)]
pub(crate) struct Change<'e> {
    pub(crate) pull: &'e PullRequest,
    /// The text; empty where the file is removed or no text.
    pub(crate) text: &'e str,
}

impl<'e> Pulls<'e> {
    pub(crate) fn of(repo: Repo<'e>) -> Result<Self, Error> {
        let offered = repo.proposals();
        let mut others = repo.new_pull_requests();
        others.retain(|pull| !offered.iter().any(|one| one.number == pull.number));
        let pulls = Self {
            repo,
            offered,
            others,
            seed: RefCell::default(),
        };
        for path in [PROCESSOR, CLIENT, SETTINGS, MANIFEST, ROUTES] {
            if pulls.seed(path)?.is_empty() {
                return Err(Error::unfit(format!("the repository has no `{path}`")));
            }
        }
        Ok(pulls)
    }

    /// Name of the default branch of the seed.
    pub(crate) fn default_branch(&self) -> &'e str {
        let before = self.repo.before();
        before.map_or("main", |repository| &repository.default_branch)
    }

    /// A file of the seed's default branch; empty where there is none.
    pub(crate) fn seed(&self, path: &str) -> Result<String, Error> {
        if let Some(text) = self.seed.borrow().get(path) {
            return Ok(text.clone());
        }
        let text = self.repo.text_before(self.default_branch(), path)?;
        let text = text.unwrap_or_default();
        self.seed.borrow_mut().insert(path.to_owned(), text.clone());
        Ok(text)
    }

    /// The pull requests that change a file, with its text at their heads. A
    /// file that is as the seed has it is not changed, also where a pull request
    /// has nothing in common with `main` any more and so "adds" every file.
    pub(crate) fn changing(&self, path: &str) -> Result<Vec<Change<'e>>, Error> {
        let seed = self.seed(path)?;
        let changes = self.offered.iter().filter_map(|pull| {
            let file = pull.file(path)?;
            let text = file.after.as_deref().unwrap_or_default();
            (text != seed).then_some(Change { pull, text })
        });
        Ok(changes.collect())
    }

    /// The pull requests that change one of the files of an issue.
    pub(crate) fn about(&self, issue: u64) -> Result<Vec<&'e PullRequest>, Error> {
        let mut found: Vec<&'e PullRequest> = Vec::new();
        for (_, paths) in ISSUES.iter().filter(|(number, _)| *number == issue) {
            for path in *paths {
                for change in self.changing(path)? {
                    if !found.iter().any(|pull| pull.number == change.pull.number) {
                        found.push(change.pull);
                    }
                }
            }
        }
        found.sort_by_key(|pull| pull.number);
        Ok(found)
    }

    /// The pull requests with any of the work, in order of number.
    pub(crate) fn with_work(&self) -> Result<Vec<&'e PullRequest>, Error> {
        let mut found: Vec<&'e PullRequest> = Vec::new();
        for (issue, _) in ISSUES {
            found.extend(self.about(issue)?);
        }
        found.sort_by_key(|pull| pull.number);
        found.dedup_by_key(|pull| pull.number);
        Ok(found)
    }

    /// Why there is no change of a file to look at, with where there is one
    /// that does not count.
    pub(crate) fn unchanged(&self, path: &str) -> String {
        let none = format!("No pull request that is open or merged changes {path}.");
        let closed = self.others.iter().find(|pull| pull.file(path).is_some());
        if let Some(pull) = closed {
            let why = if pull.base.name == self.default_branch() {
                "was closed without being merged".to_owned()
            } else {
                format!("goes to `{}`", excerpt(&pull.base.name, 60))
            };
            return format!("{none} #{} does, and {why}.", pull.number);
        }
        let default = self.default_branch();
        let before = self.repo.files_before(default).unwrap_or_default();
        let seeded = before.iter().find(|entry| entry.path == path);
        let differs = |name: &str| {
            let entry = self.repo.file(name, path);
            entry.is_some_and(|entry| Some(&entry.sha256) != seeded.map(|seeded| &seeded.sha256))
        };
        let mut branches = self.repo.branches().iter().take(BRANCHES);
        match branches.find(|branch| differs(&branch.name)) {
            Some(branch) => format!(
                "{none} It is another one in the branch `{}`, which does not count.",
                excerpt(&branch.name, 60)
            ),
            None => none,
        }
    }

    /// A line of a file at the head of a pull request.
    pub(crate) fn cite(&self, change: &Change<'e>, path: &str, line: Option<u64>) -> Citation {
        if change.text.is_empty() {
            return self.cite_pull(change.pull);
        }
        let head = &change.pull.head.sha;
        cite::file_at(self.repo.full_name(), head, path, line)
    }

    pub(crate) fn cite_pull(&self, pull: &PullRequest) -> Citation {
        cite::pull_request(self.repo.full_name(), pull.number)
    }

    /// What pull requests make of a value of a file, which `read` finds with its
    /// line. A pull request that leaves it as it was says nothing; one that sets
    /// another value than the wanted one decides, since all are to be merged.
    pub(crate) fn settle(
        &self,
        path: &str,
        wanted: &str,
        read: impl Fn(&str) -> Option<(String, u64)>,
    ) -> Result<Settled<'e>, Error> {
        let seed = read(&self.seed(path)?);
        let mut right = None;
        for change in self.changing(path)? {
            let found = read(change.text);
            let value = found.as_ref().map(|(value, _)| value);
            if value == seed.as_ref().map(|(value, _)| value) {
                continue;
            }
            let line = found.as_ref().map(|(_, line)| *line);
            let cited = self.cite(&change, path, line);
            let pull = change.pull;
            match found {
                Some((value, _)) if value == wanted => {
                    right = right.or(Some(Settled::Right { pull, cited }));
                }
                Some((value, _)) => {
                    let value = Some(value);
                    return Ok(Settled::Wrong { pull, cited, value });
                }
                None => {
                    let value = None;
                    return Ok(Settled::Wrong { pull, cited, value });
                }
            }
        }
        let value = seed.map(|(value, _)| value);
        Ok(right.unwrap_or(Settled::Untouched { value }))
    }
}

/// Branches that are looked at for a reason.
const BRANCHES: usize = 50;

/// What pull requests make of a value.
pub(crate) enum Settled<'e> {
    Right {
        pull: &'e PullRequest,
        cited: Citation,
    },
    Wrong {
        pull: &'e PullRequest,
        cited: Citation,
        /// Nothing where it is gone.
        value: Option<String>,
    },
    /// As the seed has it.
    Untouched { value: Option<String> },
}

impl Settled<'_> {
    pub(crate) fn is_right(&self) -> bool {
        matches!(self, Self::Right { .. })
    }

    pub(crate) fn cited(&self) -> Option<Citation> {
        match self {
            Self::Right { cited, .. } | Self::Wrong { cited, .. } => Some(cited.clone()),
            Self::Untouched { .. } => None,
        }
    }

    /// What was found, in a sentence. `what` is its name, `wanted` its value.
    pub(crate) fn reason(
        &self,
        pulls: &Pulls<'_>,
        path: &str,
        what: &str,
        wanted: &str,
    ) -> Result<String, Error> {
        let shown = |value: &Option<String>| match value {
            Some(value) => format!("`{}`", excerpt(value, 80)),
            None => "gone".to_owned(),
        };
        Ok(match self {
            Self::Right { pull, .. } => {
                format!("{what} is `{wanted}` at the head of #{}.", pull.number)
            }
            Self::Wrong { pull, value, .. } => format!(
                "{what} is {} at the head of #{}, not `{wanted}`.",
                shown(value),
                pull.number
            ),
            Self::Untouched { value } if pulls.changing(path)?.is_empty() => {
                format!(
                    "{what} is still {}. {}",
                    shown(value),
                    pulls.unchanged(path)
                )
            }
            Self::Untouched { value } => format!(
                "{what} is still {} at the head of every pull request.",
                shown(value)
            ),
        })
    }
}
