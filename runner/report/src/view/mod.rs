//! A trial's details, as the page's script gets them.

mod changes;
mod exhibits;
pub(crate) mod overview;
mod purse;
mod raw;
mod timeline;
mod world;

use cap_std::fs::Dir;
use proctor_types::bundle;
use proctor_types::citation::Moment;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::limits;
use crate::read::files::{self, Absent, Lines};
use crate::read::{Job, State, Trial};
use exhibits::{Collector, Exhibits};
use purse::{List, Purse, Text};
use timeline::Stream;
use world::{Objects, items, text};

/// Fields of `trial.json` that the trial's page shows as they are.
const RECORD: [&str; 13] = [
    "outcome",
    "score",
    "points",
    "result",
    "categories",
    "seconds",
    "isolation",
    "requests",
    "agent_end",
    "model",
    "claimed",
    "failure",
    "warnings",
];

/// Everything about one trial that a page carries.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Details {
    /// What is missing or damaged, in words.
    problems: Vec<String>,
    record: Value,
    manifest: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<Text>,
    verdict: Value,
    exhibits: Exhibits,
    transcript: Stream,
    journal: Stream,
    changes: Vec<changes::ServiceChanges>,
    judge: Stream,
    model: Stream,
    probes: Value,
    workspace: Value,
    files: List<raw::RawFile>,
    /// Whether something of it did not fit.
    cut: bool,
}

/// The details of `trial` in about `bytes` bytes.
pub(crate) fn details(job: &Job, trial: &Trial, bytes: usize) -> Details {
    let mut details = Details::default();
    let mut purse = Purse::new(bytes);
    if let State::Damaged(why) = &trial.state {
        details.problems.push(why.clone());
    }
    let dir = match job.dir.open_dir(&trial.dir) {
        Ok(dir) => dir,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return details,
        Err(error) => {
            details
                .problems
                .push(format!("its folder cannot be opened: {error}"));
            return details;
        }
    };
    gather(&dir, trial.graded().is_some(), &mut details, &mut purse);
    details.cut = purse.has_cut();
    details
}

/// What matters most is paid for first.
fn gather(dir: &Dir, graded: bool, details: &mut Details, purse: &mut Purse) {
    let record: Value = document(dir, "trial.json", limits::TRIAL_BYTES, details);
    details.record = picked(&record, &RECORD, purse);
    let verdict: Value = document(dir, "verdict.json", limits::VERDICT_BYTES, details);
    if verdict.is_null() && graded {
        details.problems.push(
            "there is no usable verdict.json; the criteria are those of trial.json".to_owned(),
        );
        details.verdict = picked(&record, &["criteria", "adjustments"], purse);
    } else {
        details.verdict = view_verdict(&verdict, purse);
    }
    let evidence = dir.open_dir("evidence");
    let Ok(evidence) = &evidence else {
        if graded {
            details.problems.push("it has no evidence".to_owned());
        }
        details.files = raw::list(dir, purse);
        return;
    };
    let manifest = document(evidence, bundle::MANIFEST, limits::VERDICT_BYTES, details);
    let shown = ["task", "agent", "end", "clock", "isolation"];
    details.manifest = picked(&manifest, &shown, purse);
    let mut prompt = |name| {
        let head = files::head(evidence, name, limits::FILE_BYTES).ok()?;
        Some(purse.text(&String::from_utf8_lossy(&head.bytes)))
    };
    details.prompt = prompt(bundle::PROMPT);
    details.system_prompt = prompt(bundle::SYSTEM_PROMPT);
    details.probes = {
        let probes = document(evidence, bundle::PROBES, limits::FILE_BYTES, details);
        purse.value(&probes["probes"])
    };
    let mut part = purse.part(2);
    details.judge = timeline::judge(dir, &mut part);
    purse.put_back(&part);
    add_world(evidence, &verdict, details, purse);
    let mut part = purse.part(6);
    details.transcript = timeline::transcript(evidence, &mut part);
    purse.put_back(&part);
    let mut part = purse.part(3);
    details.model = timeline::model(evidence, &mut part);
    purse.put_back(&part);
    let listing = document(
        evidence,
        bundle::WORKSPACE_LISTING,
        limits::VERDICT_BYTES,
        details,
    );
    details.workspace = view_workspace(&listing, evidence, purse);
    details.files = raw::list(dir, purse);
}

/// Journal, changes and everything that is cited.
fn add_world(evidence: &Dir, verdict: &Value, details: &mut Details, purse: &mut Purse) {
    let before = document(evidence, bundle::WORLD_BEFORE, limits::WORLD_BYTES, details);
    let after = document(evidence, bundle::WORLD_AFTER, limits::WORLD_BYTES, details);
    let (before, after) = (Objects::of(&before), Objects::of(&after));
    let mut collector = Collector {
        evidence: Some(evidence),
        before: &before,
        after: &after,
        exhibits: Exhibits::default(),
    };
    let mut part = purse.part(4);
    for citation in citations(verdict) {
        collector.cite(citation, &mut part);
    }
    purse.put_back(&part);
    let journal = files::lines(evidence, bundle::JOURNAL, limits::LINES_BYTES);
    let touched = touched(&journal);
    let mut part = purse.part(3);
    details.journal = timeline::journal(journal, evidence, &mut part);
    purse.put_back(&part);
    let mut part = purse.part(5);
    let pairs = changes::pairs(&before, &after);
    details.changes = changes::view(&pairs, &mut part);
    for pair in &pairs {
        let moment = if pair.is_after() {
            Moment::After
        } else {
            Moment::Before
        };
        // Of a repository as a whole the changes say all.
        if pair.key.0 != "github.repository" {
            collector.object(moment, &pair.key.0, &pair.key.1, &mut part);
        }
    }
    purse.put_back(&part);
    let mut part = purse.part(3);
    for (kind, id) in &touched {
        if collector
            .object(Moment::After, kind, id, &mut part)
            .is_none()
        {
            collector.object(Moment::Before, kind, id, &mut part);
        }
    }
    // What was only read may be missing without a word: the journal has it.
    part.forget_cuts();
    purse.put_back(&part);
    details.exhibits = collector.exhibits;
}

/// A JSON document; null, and a problem, where there is none that can be used.
fn document(dir: &Dir, name: &str, limit: u64, details: &mut Details) -> Value {
    match files::json(dir, name, limit) {
        Ok(value) => value,
        Err(Absent::Missing) => Value::Null,
        Err(Absent::Damaged(why)) => {
            details.problems.push(format!("{name}: {why}"));
            Value::Null
        }
    }
}

/// Objects that the agent's requests read in full, in their order.
fn touched(journal: &Lines) -> Vec<(String, String)> {
    let entries = journal.read.iter().filter_map(|line| line.as_ref().ok());
    let reads = entries.flat_map(|entry| items(&entry["read"]));
    let full = reads.filter(|touch| text(touch, "view") == "full");
    let mut seen = std::collections::HashSet::new();
    full.map(|touch| (text(touch, "type").to_owned(), text(touch, "id").to_owned()))
        .filter(|key| seen.insert(key.clone()))
        .take(300)
        .collect()
}

fn citations(verdict: &Value) -> impl Iterator<Item = &str> {
    let criteria = items(&verdict["criteria"]);
    let all = criteria.chain(items(&verdict["adjustments"]));
    all.flat_map(|one| {
        let exhibits = items(&one["question"]["exhibits"]).map(|exhibit| &exhibit["citation"]);
        items(&one["citations"]).chain(exhibits)
    })
    .filter_map(Value::as_str)
}

/// Some fields of an object, those that are there.
fn picked(value: &Value, names: &[&str], purse: &mut Purse) -> Value {
    let mut kept = Map::new();
    for name in names {
        if !value[*name].is_null() {
            kept.insert((*name).to_owned(), purse.value(&value[*name]));
        }
    }
    Value::Object(kept)
}

fn view_verdict(verdict: &Value, purse: &mut Purse) -> Value {
    let names = [
        "points",
        "score",
        "result",
        "thresholds",
        "grader",
        "adjustments",
        "notes",
    ];
    let mut view = picked(verdict, &names, purse);
    let criteria = purse.list(items(&verdict["criteria"]), 60, |purse, one| {
        let names = [
            "id",
            "title",
            "category",
            "status",
            "points",
            "max",
            "reason",
            "citations",
        ];
        let mut view = picked(one, &names, purse);
        let question = &one["question"];
        if question.is_object() {
            view["question"] = picked(question, &["text", "levels"], purse);
            let exhibits = items(&question["exhibits"]);
            let exhibits =
                exhibits.map(|one| json!({"title": one["title"], "citation": one["citation"]}));
            view["question"]["exhibits"] = purse.value(&Value::Array(exhibits.collect()));
        }
        view
    });
    view["criteria"] = Value::Array(criteria.items);
    view["cut"] = json!(criteria.cut);
    view
}

/// The workspace: every entry, and of the files whether they are as seeded.
fn view_workspace(listing: &Value, evidence: &Dir, purse: &mut Purse) -> Value {
    let seeded = |path: &str| {
        evidence
            .symlink_metadata(format!("{}/{path}", bundle::FIXTURES_DIR))
            .is_ok_and(|metadata| metadata.is_file())
    };
    let entries = purse.list(items(&listing["entries"]), 24, |purse, entry| {
        let mut view = picked(
            entry,
            &["path", "kind", "mode", "bytes", "target", "refused"],
            purse,
        );
        if seeded(text(entry, "path")) {
            view["seeded"] = json!(true);
        }
        view
    });
    json!({"entries": entries.items, "cut": entries.cut, "truncated": listing["truncated"]})
}
