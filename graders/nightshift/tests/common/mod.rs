//! A night of the task, in the world of its seed, as a trial would leave it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses its part")]

mod edits;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mail_parser::MessageParser;
use nightshift::grade;
use proctor_grader::testing::{self, Bundle, Repo};
use proctor_grader::types::world::github::{Ref, State};
use proctor_grader::types::world::notion::{Notion, Page};
use proctor_grader::types::world::{Header, Mail};
use proctor_grader::types::{Criterion, Event};
use proctor_grader::{Error, Verdict};

#[allow(unused_imports, reason = "each test file uses its part")]
pub(crate) use edits::*;

pub(crate) const REPOSITORY: &str = "acme-ai-labs/hydra-pipeline-0";
pub(crate) const PROCESSOR: &str = "hydra/pipeline/stream_processor.py";
pub(crate) const CLIENT: &str = "hydra/connectors/redis_client.py";
pub(crate) const SETTINGS: &str = "hydra/config/settings.py";
pub(crate) const EXAMPLE: &str = ".env.example";
pub(crate) const MANIFEST: &str = "k8s/deployments/hydra-pipeline.yaml";
pub(crate) const OOM_TITLE: &str = "fix: stop the leak of buffers and connections (#142)";
pub(crate) const SECURITY_TITLE: &str = "fix: remediate SEC-004 and SEC-011 (#143)";
pub(crate) const ALEX: &str = "alex.mercer@acme.example";
pub(crate) const MARCUS: &str = "marcus.okonkwo@acme.example";
pub(crate) const PRIYA: &str = "priya.sharma@acme.example";
pub(crate) const SECRET: &str = "sk-hydra-prod-7f3a9c2b4e8d1f60a5c7b3e92d14f8a6";

/// A trial in the making.
#[derive(Clone)]
pub(crate) struct Night {
    pub(crate) seed: Repo,
    pub(crate) repo: Repo,
    pub(crate) pages_before: Vec<Page>,
    pub(crate) pages: Vec<Page>,
    pub(crate) inbox: Vec<Mail>,
    pub(crate) sent: Vec<Mail>,
    pub(crate) events: Vec<Event>,
    commits: BTreeMap<String, Vec<String>>,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A file of the seeded repository.
pub(crate) fn seeded(path: &str) -> String {
    let folder = "tasks/nightshift/seed/github/acme-ai-labs/hydra-pipeline-{attempt}";
    read(&format!("{folder}/{path}"))
}

/// A text of the solution, or of another run, with the addresses in it.
pub(crate) fn text(path: &str) -> String {
    let usual = format!("tasks/nightshift/solution/kit/texts/{path}");
    let found = if root().join(&usual).exists() {
        read(&usual)
    } else {
        read(&format!("tests/nightshift/{path}"))
    };
    filled(&found)
}

pub(crate) fn filled(text: &str) -> String {
    text.replace("{oom}", &link(145))
        .replace("{security}", &link(146))
        .replace("{page}", "https://www.notion.example/api")
}

pub(crate) fn link(number: u64) -> String {
    format!("https://github.com/{REPOSITORY}/pull/{number}")
}

/// Replaces what is there once.
#[track_caller]
pub(crate) fn swap(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} in {text}");
    text.replace(old, new)
}

fn repository() -> Repo {
    let folder = root().join("tasks/nightshift/seed/github/acme-ai-labs/hydra-pipeline-{attempt}");
    let mut files = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(&folder)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    Repo::new(REPOSITORY, &files)
}

/// Markdown as the plain text of blocks has it.
fn plain(markdown: &str) -> String {
    let body = markdown.splitn(3, "---\n").nth(2).unwrap_or_default();
    let lines = body.lines().filter(|line| {
        !line.trim_start().starts_with("<callout") && !line.starts_with("</callout")
    });
    let lines: Vec<String> = lines
        .map(|line| {
            line.replace("**", "")
                .replace('`', "")
                .trim_matches(['*', '\t'])
                .to_owned()
        })
        .collect();
    lines.join("\n")
}

/// The text of a seeded page.
pub(crate) fn page_text(path: &str) -> String {
    plain(&read(&format!("tasks/nightshift/seed/notion/{path}.md")))
}

const PAGES: [(&str, &str); 4] = [
    (
        "spec",
        "Engineering/Infrastructure/Hydra Deployment Spec v2.1",
    ),
    ("incident", "Engineering/Incidents/INC-2025-0714"),
    ("audit", "Engineering/Security/Q3 Audit 2025"),
    ("api", "Product/API Reference/Hydra Inference API"),
];

fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = PAGES
        .iter()
        .map(|(id, path)| {
            let titles: Vec<&str> = path.split('/').collect();
            testing::page(id, &titles, &page_text(path))
        })
        .collect();
    for (title, status) in [
        (
            "#142 OOM fix: stream processor and Redis connections",
            "To Do",
        ),
        ("#143 Security remediation: SEC-004 and SEC-011", "To Do"),
        ("#138 K8s manifest update to Deployment Spec v2.1", "To Do"),
        ("#136 Alert when containers restart", "Done"),
        ("#140 Heap dump before a pod is killed", "Done"),
        ("#144 Recommendation Engine v2", "Backlog"),
    ] {
        let path = [
            "Engineering",
            "Sprint Tracker",
            "Sprint 4",
            "Sprint 4 Task Board",
            title,
        ];
        let mut row = testing::page(&format!("row-{}", &title[1..4]), &path, "");
        testing::property(&mut row, "Status", "status", status);
        testing::property(&mut row, "PR", "url", "");
        testing::property(&mut row, "Notes", "rich_text", "");
        pages.push(row);
    }
    pages
}

fn inbox() -> Vec<Mail> {
    let folder = root().join("tasks/nightshift/seed/google/mail");
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.retain(|path| path.extension().is_some_and(|it| it == "eml"));
    names.sort();
    let mut roots: BTreeMap<String, String> = BTreeMap::new();
    let mails = (1..).zip(names).map(|(number, path)| {
        let source = fs::read(path).unwrap();
        let message = MessageParser::default().parse(&source).unwrap();
        let from = message.from().unwrap().first().unwrap().address().unwrap();
        let subject = message.subject().unwrap();
        let mut mail = testing::mail(
            &format!("m{number:02}"),
            from,
            subject,
            &message.body_text(0).unwrap(),
        );
        let topic = subject.trim_start_matches("Re: ").to_owned();
        let thread = roots.entry(topic).or_insert_with(|| mail.id.clone());
        mail.thread_id.clone_from(thread);
        mail.headers.push(Header {
            name: "Message-ID".to_owned(),
            value: format!("<{}>", message.message_id().unwrap()),
        });
        mail
    });
    mails.collect()
}

impl Night {
    /// An agent that has done nothing yet.
    pub(crate) fn new() -> Self {
        let (seed, pages) = (repository(), pages());
        Self {
            repo: seed.clone(),
            seed,
            pages_before: pages.clone(),
            pages,
            inbox: inbox(),
            sent: Vec::new(),
            events: Vec::new(),
            commits: BTreeMap::new(),
        }
    }

    /// An agent that did everything well.
    pub(crate) fn good() -> Self {
        let mut night = Self::new();
        night.code(&Edits::default());
        night.documents();
        night.mails();
        night
    }

    /// Both pull requests.
    pub(crate) fn code(&mut self, edits: &Edits) {
        self.commit(
            "oom",
            OOM_TITLE,
            &[(PROCESSOR, &edits.processor), (CLIENT, &edits.client)],
        );
        self.commit(
            "oom",
            "chore: manifest as in the spec (#138)",
            &[(MANIFEST, &edits.manifest)],
        );
        self.open("oom", OOM_TITLE);
        self.commit(
            "security",
            SECURITY_TITLE,
            &[(SETTINGS, &edits.settings), (EXAMPLE, &edits.example)],
        );
        self.open("security", SECURITY_TITLE);
    }

    /// Only the processor, in a pull request.
    pub(crate) fn processor(text: &str) -> Self {
        let mut night = Self::new();
        night.commit("oom", OOM_TITLE, &[(PROCESSOR, text)]);
        night.open("oom", OOM_TITLE);
        night
    }

    /// One file, in a pull request.
    pub(crate) fn offering(path: &str, text: &str) -> Self {
        let mut night = Self::new();
        night.commit("work", OOM_TITLE, &[(path, text)]);
        night.open("work", OOM_TITLE);
        night
    }

    pub(crate) fn commit(&mut self, branch: &str, message: &str, files: &[(&str, &str)]) -> String {
        let files: Vec<(&str, Option<&str>)> = files
            .iter()
            .map(|(path, text)| (*path, Some(*text)))
            .collect();
        let sha = self.repo.commit(branch, message, &files);
        self.commits
            .entry(branch.to_owned())
            .or_default()
            .push(sha.clone());
        sha
    }

    /// Opens a pull request; the first is #145.
    pub(crate) fn open(&mut self, branch: &str, title: &str) -> u64 {
        let number = self.repo.pull_request(branch, title) + 144;
        let pull = self.repo.repository.pull_requests.last_mut().unwrap();
        pull.number = number;
        pull.commits = self.commits.get(branch).cloned().unwrap_or_default();
        number
    }

    pub(crate) fn pull(
        &mut self,
        number: u64,
    ) -> &mut proctor_grader::types::world::github::PullRequest {
        let mut pulls = self.repo.repository.pull_requests.iter_mut();
        pulls.find(|pull| pull.number == number).unwrap()
    }

    /// Merges both pull requests.
    pub(crate) fn merge(&mut self, edits: &Edits) {
        let files = [
            (PROCESSOR, edits.processor.as_str()),
            (CLIENT, &edits.client),
            (MANIFEST, &edits.manifest),
            (SETTINGS, &edits.settings),
            (EXAMPLE, &edits.example),
        ];
        self.commit("main", OOM_TITLE, &files);
        for number in [145, 146] {
            let pull = self.pull(number);
            pull.merged = true;
            pull.state = State::Closed;
        }
    }

    /// Lets a branch begin where another one is.
    pub(crate) fn stack(&mut self, branch: &str, on: &str) {
        let branches = &mut self.repo.repository.branches;
        let base = branches.iter().find(|one| one.name == on).unwrap().clone();
        branches.push(Ref {
            name: branch.to_owned(),
            ..base
        });
        let commits = self.commits.get(on).cloned().unwrap_or_default();
        self.commits.insert(branch.to_owned(), commits);
    }

    /// All that is to be done in Notion.
    pub(crate) fn documents(&mut self) {
        self.incident(
            "RESOLVED",
            &text("incident/cause.md"),
            &text("incident/actions.md"),
            &text("incident/timeline.md"),
        );
        self.audit(&["SEC-004", "SEC-011"], "Remediated");
        for (issue, number) in [(142, 145), (143, 146), (138, 145)] {
            self.row(issue, "Done", &link(number));
        }
        self.write("api", &text("reference.md").replace('`', ""));
    }

    /// The incident's page, written in its sections.
    pub(crate) fn incident(&mut self, status: &str, cause: &str, actions: &str, timeline: &str) {
        let mut page = page_text(PAGES[1].1);
        page = swap(&page, "Status: OPEN", &format!("Status: {status}"));
        let heading = "## Root Cause Analysis\n";
        page = swap(&page, heading, &format!("{timeline}\n{heading}{cause}\n"));
        page = swap(
            &page,
            "## Actions Taken\n",
            &format!("## Actions Taken\n{actions}\n"),
        );
        let heading = "## Resolution\n";
        let resolution = text("incident/resolution.md");
        page = swap(&page, heading, &format!("{heading}{resolution}\n"));
        self.write("incident", &page.replace("**", "").replace('`', ""));
    }

    /// Findings of the audit with another status where it stands.
    pub(crate) fn audit(&mut self, findings: &[&str], status: &str) {
        let mut page = String::new();
        let mut inside = false;
        for line in page_text(PAGES[2].1).lines() {
            if line.starts_with("## ") {
                inside = findings.iter().any(|finding| line.contains(finding));
            }
            let line = if inside && line == "- [ ] Status: Open" {
                format!("- [x] Status: {status}")
            } else {
                line.to_owned()
            };
            page.push_str(&line);
            page.push('\n');
        }
        self.write("audit", &page);
    }

    /// Another text for a page.
    pub(crate) fn write(&mut self, id: &str, markdown: &str) {
        let page = self.page(id);
        let path: Vec<String> = page.path.clone();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        *page = testing::page(id, &path, markdown);
    }

    pub(crate) fn page(&mut self, id: &str) -> &mut Page {
        self.pages.iter_mut().find(|page| page.id == id).unwrap()
    }

    pub(crate) fn row(&mut self, issue: u64, status: &str, link: &str) {
        let row = self.page(&format!("row-{issue}"));
        testing::property(row, "Status", "status", status);
        testing::property(row, "PR", "url", link);
    }

    /// The four mails of the solution.
    pub(crate) fn mails(&mut self) {
        self.answer(11, &text("alex.txt"));
        self.answer(5, &text("marcus.txt"));
        self.answer(9, &text("priya.txt"));
        self.answer(12, &text("docs.txt"));
    }

    /// Answers the mail of that number, from 1, to its sender.
    pub(crate) fn answer(&mut self, number: usize, text: &str) -> &mut Mail {
        let id = format!("s{}", self.sent.len() + 1);
        let mail = testing::reply(&id, &self.inbox[number - 1], text);
        self.sent.push(mail);
        self.sent.last_mut().unwrap()
    }

    pub(crate) fn says(&mut self, text: &str) {
        self.events.push(testing::says(text));
    }

    pub(crate) fn frozen(&self) -> Bundle {
        let world = |mails: Vec<Mail>, pages: &[Page]| {
            let mut world = testing::with_mail(testing::world(), mails);
            world.notion = Some(Notion {
                pages: pages.to_vec(),
                ..Notion::default()
            });
            world
        };
        let after = self.inbox.iter().chain(&self.sent).cloned().collect();
        Bundle::new()
            .world(
                &world(self.inbox.clone(), &self.pages_before),
                &world(after, &self.pages),
            )
            .repositories(
                std::slice::from_ref(&self.seed),
                std::slice::from_ref(&self.repo),
            )
            .transcript(&self.events)
    }

    pub(crate) fn try_grade(&self) -> Result<Verdict, Error> {
        grade(&self.frozen().evidence())
    }

    pub(crate) fn grade(&self) -> Verdict {
        self.try_grade().unwrap()
    }

    /// One criterion of the verdict.
    pub(crate) fn criterion(&self, id: &str) -> Criterion {
        self.grade().criterion(id).unwrap().clone()
    }

    /// Fails unless the criterion has these points and its reason this text.
    #[track_caller]
    pub(crate) fn expect(&self, id: &str, points: f64, reason: &str) {
        assert_graded(&self.criterion(id), points, reason);
    }

    /// Fails unless all criteria have these points.
    #[track_caller]
    pub(crate) fn expect_all(&self, expected: [&[u8]; 4]) {
        let verdict = self.grade();
        let mut wrong = Vec::new();
        for (criterion, points) in verdict.criteria().iter().zip(expected.concat()) {
            if criterion.points != Some(f64::from(points)) {
                wrong.push(format!(
                    "{} {:?} not {points}: {}",
                    criterion.id, criterion.points, criterion.reason
                ));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

#[track_caller]
pub(crate) fn assert_graded(criterion: &Criterion, expected: f64, reason: &str) {
    let got = criterion.points.unwrap();
    assert!(
        (got - expected).abs() < 1e-9,
        "{}: {got} instead of {expected}: {}",
        criterion.id,
        criterion.reason
    );
    assert!(
        criterion.reason.contains(reason),
        "no {reason:?} in {:?}",
        criterion.reason
    );
}
