//! The pull requests that the agent offers, and what their heads say.
//!
//! A value counts where a pull request brings it: one that the agent opened,
//! that is open or merged, and that goes to the default branch. What stands in a
//! branch without one, or was pushed to `main`, is not offered to anybody.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use proctor_grader::repositories::{PullRequestExt as _, Repo};
use proctor_grader::text::excerpt;
use proctor_grader::types::Citation;
use proctor_grader::types::world::github::PullRequest;
use proctor_grader::{Error, cite};

use crate::work;

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
    seed: BTreeMap<&'static str, String>,
    /// What becomes of each file, see [`changing`](Self::changing).
    changes: BTreeMap<&'static str, Vec<Change<'e>>>,
    /// Pull requests with work on each issue, in order of number.
    work: BTreeMap<u64, Vec<&'e PullRequest>>,
}

/// A file as a pull request brings it.
#[derive(Clone)]
pub(crate) struct Change<'e> {
    pub(crate) pull: &'e PullRequest,
    /// The commit that it is read at.
    pub(crate) sha: &'e str,
    /// The text; empty where the file is removed or no text.
    pub(crate) text: Cow<'e, str>,
}

/// Files that are read.
const READ: [&str; 7] = [
    PROCESSOR, CLIENT, SETTINGS, EXAMPLE, MANIFEST, DOCKERFILE, ROUTES,
];

impl<'e> Pulls<'e> {
    pub(crate) fn of(repo: Repo<'e>) -> Result<Self, Error> {
        let offered = repo.proposals();
        let mut others = repo.new_pull_requests();
        others.retain(|pull| !offered.iter().any(|one| one.number == pull.number));
        let mut pulls = Self {
            repo,
            offered,
            others,
            seed: BTreeMap::new(),
            changes: BTreeMap::new(),
            work: BTreeMap::new(),
        };
        for path in READ {
            let text = repo.text_before(pulls.default_branch(), path)?;
            pulls.seed.insert(path, text.unwrap_or_default());
        }
        for path in [PROCESSOR, CLIENT, SETTINGS, MANIFEST, ROUTES] {
            if pulls.seed(path).is_empty() {
                return Err(Error::unfit(format!("the repository has no `{path}`")));
            }
        }
        let heads = pulls.heads();
        for path in READ {
            let changes = pulls.read_changes(path, &heads)?;
            pulls.changes.insert(path, changes);
        }
        for (issue, paths) in ISSUES {
            let works = |pull: &&&'e PullRequest| paths.iter().any(|path| pulls.works(pull, path));
            let about = pulls.offered.iter().filter(works).copied().collect();
            pulls.work.insert(issue, about);
        }
        Ok(pulls)
    }

    /// The pull requests whose heads say what the code is once all are merged,
    /// with the commit to read: of merged ones the head of the default branch,
    /// of those that another one contains only that other one.
    fn heads(&self) -> Vec<(&'e PullRequest, &'e str)> {
        let all = self.offered.iter().copied();
        let (merged, open): (Vec<_>, Vec<_>) = all.partition(|pull| pull.merged);
        let branches = self.repo.branches().iter();
        let mut main = branches.filter(|branch| branch.name == self.default_branch());
        let main = main.next().map(|branch| branch.sha.as_str());
        let mut heads: Vec<(&'e PullRequest, &'e str)> = Vec::new();
        heads.extend(merged.last().copied().zip(main));
        let open = open.into_iter().take(PULLS);
        heads.extend(open.map(|pull| (pull, pull.head.sha.as_str())));
        let reached: Vec<BTreeSet<&str>> = heads
            .iter()
            .map(|(_, sha)| {
                let history = self.repo.history(sha);
                history.iter().map(|commit| commit.sha.as_str()).collect()
            })
            .collect();
        let decides = |index: usize| {
            let (_, sha) = heads[index];
            (0..heads.len()).all(|other| {
                let same = heads[other].1 == sha;
                let contained = reached[other].contains(sha);
                other == index || !contained || (same && index < other)
            })
        };
        let deciding = (0..heads.len()).filter(|index| decides(*index));
        deciding.map(|index| heads[index]).collect()
    }

    fn read_changes(
        &self,
        path: &str,
        heads: &[(&'e PullRequest, &'e str)],
    ) -> Result<Vec<Change<'e>>, Error> {
        let seed = self.seed(path);
        let mut changes = Vec::new();
        for (pull, sha) in heads.iter().copied() {
            let text = if pull.merged {
                Cow::Owned(self.repo.text(sha, path)?.unwrap_or_default())
            } else {
                let Some(file) = pull.file(path) else {
                    continue;
                };
                Cow::Borrowed(file.after.as_deref().unwrap_or_default())
            };
            if text != seed {
                changes.push(Change { pull, sha, text });
            }
        }
        Ok(changes)
    }

    /// Whether a pull request changes a value of a file.
    fn works(&self, pull: &PullRequest, path: &str) -> bool {
        let Some(file) = pull.file(path) else {
            return false;
        };
        let (seed, text) = (self.seed(path), file.after.as_deref().unwrap_or_default());
        seed != text && work::values(path, seed) != work::values(path, text)
    }

    /// Name of the default branch of the seed.
    pub(crate) fn default_branch(&self) -> &'e str {
        let before = self.repo.before();
        before.map_or("main", |repository| &repository.default_branch)
    }

    /// A file of the seed's default branch; empty where there is none.
    pub(crate) fn seed(&self, path: &str) -> &str {
        self.seed.get(path).map_or("", String::as_str)
    }

    /// The pull requests that change a file, with its text once they are merged.
    /// Where one contains the commits of another, what it makes of the file
    /// counts; where some are merged, what is on the default branch now. A file
    /// that is as the seed has it is not changed, also where a pull request
    /// has nothing in common with `main` any more and so "adds" every file.
    pub(crate) fn changing(&self, path: &str) -> &[Change<'e>] {
        self.changes.get(path).map_or(&[], Vec::as_slice)
    }

    /// The pull requests that change a value that an issue is about.
    pub(crate) fn about(&self, issue: u64) -> &[&'e PullRequest] {
        self.work.get(&issue).map_or(&[], Vec::as_slice)
    }

    /// The pull requests with any of the work, in order of number.
    pub(crate) fn with_work(&self) -> Vec<&'e PullRequest> {
        let all = self.work.values().flatten().copied();
        let mut found: Vec<&'e PullRequest> = all.collect();
        found.sort_by_key(|pull| pull.number);
        found.dedup_by_key(|pull| pull.number);
        found
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
        cite::file_at(self.repo.full_name(), change.sha, path, line)
    }

    pub(crate) fn cite_pull(&self, pull: &PullRequest) -> Citation {
        cite::pull_request(self.repo.full_name(), pull.number)
    }

    /// What is wrong at most with a file that pull requests change, by points.
    /// One that leaves what is judged as the seed has it, in the same words, says
    /// nothing about it.
    pub(crate) fn worst(
        &self,
        path: &str,
        judge: impl Fn(&str, Option<&Change<'e>>) -> Result<Judged, Error>,
    ) -> Result<Option<(Judged, &Change<'e>)>, Error> {
        let seed = judge(self.seed(path), None)?;
        let mut worst: Option<(Judged, &Change<'e>)> = None;
        let mut untouched = None;
        for change in self.changing(path) {
            let judged = judge(&change.text, Some(change))?;
            if judged.reason == seed.reason {
                untouched = untouched.or(Some((judged, change)));
            } else if worst
                .as_ref()
                .is_none_or(|(least, _)| judged.points < least.points)
            {
                worst = Some((judged, change));
            }
        }
        Ok(worst.or(untouched))
    }

    /// What pull requests make of a value of a file, which `read` finds with its
    /// line. A pull request that leaves it as it was says nothing; one that sets
    /// another value than the wanted one decides, since all are to be merged.
    pub(crate) fn settle(
        &self,
        path: &str,
        wanted: &str,
        read: impl Fn(&str) -> Option<(String, u64)>,
    ) -> Settled<'e> {
        let seed = read(self.seed(path));
        let mut right = None;
        for change in self.changing(path) {
            let found = read(&change.text);
            let value = found.as_ref().map(|(value, _)| value);
            if value == seed.as_ref().map(|(value, _)| value) {
                continue;
            }
            let line = found.as_ref().map(|(_, line)| *line);
            let cited = self.cite(change, path, line);
            let pull = change.pull;
            match found {
                Some((value, _)) if value == wanted => {
                    right = right.or(Some(Settled::Right { pull, cited }));
                }
                Some((value, _)) => {
                    let value = Some(value);
                    return Settled::Wrong { pull, cited, value };
                }
                None => {
                    let value = None;
                    return Settled::Wrong { pull, cited, value };
                }
            }
        }
        let value = seed.map(|(value, _)| value);
        right.unwrap_or(Settled::Untouched { value })
    }
}

/// Open pull requests that are looked at.
const PULLS: usize = 100;
/// Branches that are looked at for a reason.
const BRANCHES: usize = 50;

/// What a file is worth, and why.
pub(crate) struct Judged {
    pub(crate) points: f64,
    /// Half a sentence.
    pub(crate) reason: String,
    pub(crate) line: u64,
}

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
    pub(crate) fn reason(&self, pulls: &Pulls<'_>, path: &str, what: &str, wanted: &str) -> String {
        let shown = |value: &Option<String>| match value {
            Some(value) => format!("`{}`", excerpt(value, 80)),
            None => "gone".to_owned(),
        };
        match self {
            Self::Right { pull, .. } => {
                format!("{what} is `{wanted}` at the head of #{}.", pull.number)
            }
            Self::Wrong { pull, value, .. } => format!(
                "{what} is {} at the head of #{}, not `{wanted}`.",
                shown(value),
                pull.number
            ),
            Self::Untouched { value } if pulls.changing(path).is_empty() => {
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
        }
    }
}
