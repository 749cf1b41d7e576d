//! Exhibits for a rubric: what of an evidence bundle a judge gets to see.
//!
//! The criteria of a grader bring exhibits that the grader has picked. A rubric
//! has nobody who picks, so everything is shown that an agent can leave behind,
//! the telling parts first and each within an allowance: the prompts, the last
//! message, what changed in the world, the files of the workspace, what probes
//! printed, and the steps of the agent in short. What does not fit is named.
//!
//! The exhibits are a function of the bundle's content and nothing else, so the
//! same bundle asks the same question, and stored answers can be found again.

mod files;
mod objects;
mod steps;
mod world;

use proctor_types::verdict::Exhibit;
use proctor_types::{Citation, Event, ProbeEnd, Probes, WorldSnapshot};

use crate::text::{excerpt, one_line, shortened};

pub use files::File;

/// Longest title of an exhibit, in bytes.
const TITLE_BYTES: usize = 200;

/// What a bundle has to show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// `transcript.jsonl`.
    pub transcript: &'a [Event],
    /// Regular files of the workspace that are in the bundle, in any order.
    pub files: &'a [File<'a>],
    /// `world/before.json`.
    pub before: Option<&'a WorldSnapshot>,
    /// `world/after.json`.
    pub after: Option<&'a WorldSnapshot>,
    /// `probes.json`.
    pub probes: Option<&'a Probes>,
}

/// How much of one kind is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Exhibits.
    pub count: usize,
    /// The text of one of them in bytes.
    pub each_bytes: usize,
    /// Their texts together, in bytes.
    pub total_bytes: usize,
}

impl Allowance {
    const fn new(count: usize, each_kib: usize, total_kib: usize) -> Self {
        Self {
            count,
            each_bytes: each_kib << 10,
            total_bytes: total_kib << 10,
        }
    }
}

/// How much of each kind is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceLimits {
    /// Prompts of the task. Default: 4 of 16 KiB.
    pub prompts: Allowance,
    /// The agent's last message, in bytes. Default 24 KiB.
    pub last_message_bytes: usize,
    /// Objects of the world that changed. Default: 24 of 12 KiB, 64 KiB together.
    pub changes: Allowance,
    /// Files of the workspace. Default: 20 of 24 KiB, 64 KiB together.
    pub files: Allowance,
    /// Probes. Default: 5 of 4 KiB.
    pub probes: Allowance,
    /// The agent's steps, some to an exhibit. Default: 10 of 4 KiB.
    pub steps: Allowance,
}

impl Default for EvidenceLimits {
    fn default() -> Self {
        Self {
            prompts: Allowance::new(4, 16, 32),
            last_message_bytes: 24 << 10,
            changes: Allowance::new(24, 12, 64),
            files: Allowance::new(20, 24, 64),
            probes: Allowance::new(5, 4, 12),
            steps: Allowance::new(10, 4, 40),
        }
    }
}

/// The exhibits of a bundle, in a fixed order.
pub fn exhibits(evidence: &Evidence<'_>, limits: &EvidenceLimits) -> Vec<Exhibit> {
    let Evidence {
        transcript,
        files,
        before,
        after,
        probes,
    } = *evidence;
    let mut out = fit(steps::prompts(transcript), &limits.prompts, "Prompts");
    out.extend(steps::last_message(transcript, limits.last_message_bytes));
    out.extend(fit(
        world::changes(before, after),
        &limits.changes,
        "Changes of the world",
    ));
    out.extend(fit(files::shown(files), &limits.files, "Files"));
    out.extend(fit(self::probes(probes), &limits.probes, "Probes"));
    out.extend(steps::steps(transcript, &limits.steps));
    out
}

fn probes(probes: Option<&Probes>) -> Vec<Exhibit> {
    let probes = probes.map(|probes| probes.probes.as_slice());
    let probes = probes.unwrap_or_default().iter();
    // What did not run says nothing about the agent's work.
    let ran = probes.filter(|probe| !matches!(probe.end, ProbeEnd::NotRun { .. }));
    ran.map(|probe| {
        let mut text = probe.stdout.clone();
        if !probe.stderr.is_empty() {
            text.push_str("\nStandard error:\n");
            text.push_str(&probe.stderr);
        }
        exhibit(
            &format!("Output of the probe {} ({})", probe.name, probe.end),
            Citation::Probe {
                name: probe.name.clone(),
                line: None,
            },
            text,
        )
    })
    .collect()
}

fn exhibit(title: &str, citation: Citation, text: String) -> Exhibit {
    Exhibit {
        title: excerpt(title, TITLE_BYTES),
        citation,
        text,
    }
}

/// As many exhibits as are allowed, each shortened, and one that names those
/// which are left out.
fn fit(exhibits: Vec<Exhibit>, allowance: &Allowance, what: &str) -> Vec<Exhibit> {
    let Allowance {
        count,
        each_bytes,
        total_bytes,
    } = *allowance;
    let mut shown: Vec<Exhibit> = Vec::new();
    let mut left = total_bytes;
    let mut left_out: Vec<Exhibit> = Vec::new();
    for exhibit in exhibits {
        let bytes = exhibit.text.len().min(each_bytes);
        // Once one is left out all after it are, so that what is shown is the
        // beginning of an order and not whatever happened to be small.
        if shown.len() == count || bytes > left || !left_out.is_empty() {
            left_out.push(exhibit);
            continue;
        }
        left -= bytes;
        let text = shortened(&exhibit.text, each_bytes).into_owned();
        shown.push(Exhibit { text, ..exhibit });
    }
    if let Some(first) = left_out.first() {
        let citation = first.citation.clone();
        let names: Vec<String> = left_out
            .iter()
            .map(|one| format!("- {}", one_line(&one.title)))
            .collect();
        shown.push(exhibit(
            &format!("{what} that are left out, by name: {}", left_out.len()),
            citation,
            shortened(&names.join("\n"), each_bytes).into_owned(),
        ));
    }
    shown
}

#[cfg(test)]
mod tests;
