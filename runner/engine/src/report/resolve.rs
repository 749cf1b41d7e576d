//! From a citation to a line that shows what it points at.

use std::collections::HashMap;
use std::io::Read;

use cap_std::fs::Dir;
use proctor_types::citation::{Citation, Moment};
use proctor_types::journal::{EntryKind, JournalEntry};
use proctor_types::world::github::{self, Repository, State};
use proctor_types::world::notion;
use proctor_types::{Event, Probe, Probes, WorldSnapshot, bundle};
use serde::de::DeserializeOwned;

/// Most bytes of one evidence file that a report looks at.
const LARGEST: u64 = 64 << 20;

/// The parts of a bundle that citations point into, read once.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    journal: Vec<JournalEntry>,
    transcript: Vec<Event>,
    before: HashMap<(String, String), String>,
    after: HashMap<(String, String), String>,
    probes: Option<Probes>,
    dir: Option<Dir>,
}

impl Resolver {
    /// Reads what it can; a part that is not there resolves to nothing.
    pub(crate) fn open(dir: &Dir) -> Self {
        let object = |path| {
            json::<WorldSnapshot>(dir, path)
                .map(|world| objects(&world))
                .unwrap_or_default()
        };
        Self {
            journal: lines(dir, bundle::JOURNAL),
            transcript: lines(dir, bundle::TRANSCRIPT),
            before: object(bundle::WORLD_BEFORE),
            after: object(bundle::WORLD_AFTER),
            probes: json(dir, bundle::PROBES),
            dir: dir.try_clone().ok(),
        }
    }

    /// Attempts to leave the world.
    pub(crate) fn egress(&self) -> impl Iterator<Item = &JournalEntry> {
        self.journal
            .iter()
            .filter(|entry| entry.kind == EntryKind::Egress)
    }

    /// What the task's probes did.
    pub(crate) fn probes(&self) -> &[Probe] {
        self.probes.as_ref().map_or(&[], |all| &all.probes)
    }

    /// What `citation` points at, in a line; not escaped.
    pub(crate) fn show(&self, citation: &Citation) -> Option<String> {
        match citation {
            Citation::Journal(n) => self.journal.iter().find(|entry| entry.n == *n).map(request),
            Citation::Transcript(n) => {
                let event = self
                    .transcript
                    .get(usize::try_from(*n).ok()?.checked_sub(1)?)?;
                Some(event.message.as_ref()?.text())
            }
            Citation::Workspace { path, line } => self.line(bundle::WORKSPACE_DIR, path, *line),
            Citation::Fixture { path, line } => self.line(bundle::FIXTURES_DIR, path, *line),
            Citation::Object { moment, kind, id } => {
                let objects = match moment {
                    Moment::Before => &self.before,
                    Moment::After => &self.after,
                };
                objects.get(&(kind.clone(), id.clone())).cloned()
            }
            Citation::Probe { name, line } => {
                let probe = self.probes.as_ref()?.get(name)?;
                match line {
                    Some(line) => nth_line(&probe.stdout, *line),
                    None => Some(format!("`{}`: {}", probe.run, probe.end)),
                }
            }
        }
    }

    fn line(&self, root: &str, path: &str, line: Option<u64>) -> Option<String> {
        let bytes = read(self.dir.as_ref()?, &format!("{root}/{path}"))?;
        let text = String::from_utf8_lossy(&bytes);
        match line {
            Some(line) => nth_line(&text, line),
            None => Some(format!("{} bytes", bytes.len())),
        }
    }
}

/// Line `n` of `text`, from 1.
fn nth_line(text: &str, n: u64) -> Option<String> {
    let index = usize::try_from(n).ok()?.checked_sub(1)?;
    text.lines().nth(index).map(str::to_owned)
}

fn request(entry: &JournalEntry) -> String {
    let query = if entry.query.is_empty() {
        String::new()
    } else {
        format!("?{}", entry.query)
    };
    format!(
        "{} https://{}{}{query} → {}",
        entry.method, entry.host, entry.path, entry.status
    )
}

fn objects(world: &WorldSnapshot) -> HashMap<(String, String), String> {
    let mut objects = HashMap::new();
    for repository in world.github.iter().flat_map(|github| &github.repositories) {
        repository_objects(repository, &mut objects);
    }
    for page in world.notion.iter().flat_map(|notion| &notion.pages) {
        let path = page.path.join(" / ");
        for block in &page.blocks {
            let cells = block.cells.join(" | ");
            let text = if block.text.is_empty() {
                &cells
            } else {
                &block.text
            };
            let checked = match block.checked {
                Some(true) => ", checked",
                Some(false) => ", not checked",
                None => "",
            };
            objects.insert(
                (notion::BLOCK.to_owned(), block.id.clone()),
                format!("{} of \"{path}\"{checked}: {text}", block.kind),
            );
        }
        objects.insert(
            (notion::PAGE.to_owned(), page.id.clone()),
            format!("page \"{path}\""),
        );
    }
    for list in world.tasks.iter().flat_map(|tasks| &tasks.lists) {
        objects.insert(
            ("tasks.tasklist".to_owned(), list.id.clone()),
            format!("list \"{}\" with {} task(s)", list.title, list.tasks.len()),
        );
        for task in &list.tasks {
            let status = serde_json::to_value(task.status).unwrap_or_default();
            objects.insert(
                ("tasks.task".to_owned(), task.id.clone()),
                format!(
                    "task \"{}\", {}",
                    task.title,
                    status.as_str().unwrap_or_default()
                ),
            );
        }
    }
    if let Some(gmail) = &world.gmail {
        let drafts = gmail.drafts.iter().map(|draft| &draft.message);
        for mail in gmail.messages.iter().chain(drafts) {
            objects.insert(
                ("gmail.message".to_owned(), mail.id.clone()),
                format!("mail \"{}\" from {}", mail.subject, mail.from),
            );
        }
        for draft in &gmail.drafts {
            objects.insert(
                ("gmail.draft".to_owned(), draft.id.clone()),
                format!("draft \"{}\"", draft.message.subject),
            );
        }
    }
    objects
}

fn repository_objects(repository: &Repository, objects: &mut HashMap<(String, String), String>) {
    let name = &repository.full_name;
    for commit in &repository.commits {
        let title = commit.message.lines().next().unwrap_or_default();
        objects.insert(
            (github::COMMIT.to_owned(), github::at_id(name, &commit.sha)),
            format!("commit \"{title}\""),
        );
    }
    for pull in &repository.pull_requests {
        let state = match (pull.merged, pull.state) {
            (true, _) => "merged",
            (_, State::Open) => "open",
            (_, State::Closed) => "closed",
        };
        objects.insert(
            (
                github::PULL_REQUEST.to_owned(),
                github::numbered_id(name, pull.number),
            ),
            format!("pull request \"{}\", {state}", pull.title),
        );
    }
    for issue in &repository.issues {
        objects.insert(
            (
                github::ISSUE.to_owned(),
                github::numbered_id(name, issue.number),
            ),
            format!("issue \"{}\"", issue.title),
        );
    }
}

fn read(dir: &Dir, path: &str) -> Option<Vec<u8>> {
    let file = dir.open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn json<T: DeserializeOwned>(dir: &Dir, path: &str) -> Option<T> {
    serde_json::from_slice(&read(dir, path)?).ok()
}

fn lines<T: DeserializeOwned>(dir: &Dir, path: &str) -> Vec<T> {
    let bytes = read(dir, path).unwrap_or_default();
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}
