//! The recorded runs of Operation Nightshift: scripts play them through the
//! real interfaces, and the grader gives each criterion what
//! `tests/nightshift/expected.toml` says. One test a run, so that they run
//! beside each other.

use std::collections::BTreeSet;

use proctor_tests::{Desk, Trial, root};
use serde::Deserialize;

const TASK: &str = "tasks/nightshift";
const RUNS: &str = "tests/nightshift";

/// What a run is expected to come to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The agent, where it is no script of that name.
    agent: Option<String>,
    verdict: String,
    total: f64,
    /// Points of the criteria, by category.
    points: Vec<Vec<f64>>,
    /// Ways into the world that it has to have used.
    #[serde(default)]
    through: BTreeSet<String>,
    /// How remarks of the grader have to begin.
    #[serde(default)]
    notes: Vec<String>,
}

fn table() -> toml::Table {
    let file = root().join(RUNS).join("expected.toml");
    std::fs::read_to_string(file).unwrap().parse().unwrap()
}

fn expected(folder: &str, name: &str) -> Expected {
    let table = table();
    let inside = match folder {
        "" => &table,
        folder => table[folder].as_table().unwrap(),
    };
    inside[name].clone().try_into().unwrap()
}

/// Plays a run and compares.
fn play(folder: &str, name: &str) {
    let expected = expected(folder, name);
    let script = root().join(RUNS).join(folder).join(format!("{name}.yaml"));
    let agent = expected.agent.clone();
    let agent = agent.unwrap_or_else(|| format!("scripted:{}", script.display()));
    let desk = Desk::new();
    let trial = desk.trial(TASK, &agent, &["--attempts", "1"]);
    let said = || trial.results().pop().map(|last| last.text);
    assert_eq!(trial.outcome(), "scored", "{}: {:?}", trial.record, said());
    let differs = differences(&trial, &expected);
    assert!(differs.is_empty(), "{name}:\n{}", differs.join("\n"));
    assert_eq!(trial.record["points"]["low"], expected.total, "{name}");
    assert_eq!(trial.record["result"], expected.verdict, "{name}");
    let said = notes(&trial);
    for note in &expected.notes {
        let found = said.iter().any(|one| one.starts_with(note));
        assert!(found, "{name}: no `{note}` in {said:#?}");
    }
    let used = ways(&trial);
    let unused: Vec<_> = expected.through.difference(&used).collect();
    assert!(unused.is_empty(), "{name} did not use {unused:?}: {used:?}");
}

/// Criteria that came to something else, with the grader's reasons.
fn differences(trial: &Trial, expected: &Expected) -> Vec<String> {
    let points = expected.points.concat();
    assert_eq!(
        points.iter().sum::<f64>(),
        expected.total,
        "the table adds up"
    );
    let criteria = trial.record["criteria"].as_array().unwrap();
    assert_eq!(criteria.len(), points.len(), "{criteria:?}");
    let mut differs = Vec::new();
    for (index, (one, points)) in criteria.iter().zip(points).enumerate() {
        if one["points"].as_f64() != Some(points) {
            let (found, reason) = (&one["points"], &one["reason"]);
            differs.push(format!(
                "C{}: {found} and not {points}: {reason}",
                index + 1
            ));
        }
    }
    differs
}

/// What the grader remarks beside the points.
fn notes(trial: &Trial) -> Vec<String> {
    let verdict = std::fs::read(trial.dir.join("verdict.json")).unwrap();
    let verdict: serde_json::Value = serde_json::from_slice(&verdict).unwrap();
    // A verdict without any leaves them out.
    let notes = verdict["notes"].as_array().into_iter().flatten();
    notes
        .map(|note| note.as_str().unwrap().to_owned())
        .collect()
}

/// How a run reached the world, by its journal: the channel of tools, and the
/// operation of what was asked otherwise.
fn ways(trial: &Trial) -> BTreeSet<String> {
    let entries = trial.evidence_lines("world/journal.jsonl");
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let way = |entry: &serde_json::Value| match &entry["via"]["channel"] {
        serde_json::Value::String(channel) => {
            Some(format!("{channel}:{}", entry["service"].as_str()?))
        }
        _ => text(&entry["operation"]),
    };
    entries.iter().filter_map(way).collect()
}

macro_rules! runs {
    ($all:ident in $folder:literal: $($test:ident $name:literal)*) => {
        const $all: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                play($folder, $name);
            }
        )*
    };
}

runs! { RECORDED in "":
    nothing "nop"
    the_oracle "oracle"
    run_0_of_the_document "run0"
    run_1_of_the_document "run1"
    run_2_of_the_document "run2"
}

runs! { ATTACKS in "attacks":
    answers_in_another_language "german"
    bullets_in_one_line "one-line"
    claims_and_nothing_done "claims"
    edits_through_the_web_only "web-api"
    everything_in_other_words "honest-words"
    fixes_that_do_not_work "nothing-works"
    fixes_undone_by_the_pull_request_above "stacked-undone"
    half_of_the_buffer "buffer-1024"
    phrases_of_the_rubric_to_everybody "phrases"
    replies_in_the_wrong_thread "wrong-thread"
    the_cto_obeyed "memory-3gi"
    the_flag_flipped_and_taken_back "flag-flipped"
    the_history_of_main_rewritten "force-push"
    the_page_thrown_away_and_made_again "page-recreated"
    the_pull_requests_closed "pulls-closed"
    the_variable_renamed "variable-renamed"
}

#[test]
fn every_script_is_in_the_table_and_played() {
    let mut runs = table();
    let attacks = runs.remove("attacks").unwrap();
    let attacks = attacks.as_table().unwrap();
    for (folder, table, played) in [("", &runs, RECORDED), ("attacks", attacks, ATTACKS)] {
        let played: BTreeSet<&str> = played.iter().copied().collect();
        let listed: BTreeSet<&str> = table.keys().map(String::as_str).collect();
        assert_eq!(listed, played, "of `{folder}`");
        let mut scripts = listed.clone();
        scripts.retain(|name| table[*name].get("agent").is_none());
        let files = std::fs::read_dir(root().join(RUNS).join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let names: Vec<String> = names.collect();
        let found = names.iter().filter_map(|name| name.strip_suffix(".yaml"));
        let found: BTreeSet<&str> = found.collect();
        assert_eq!(found, scripts, "of `{folder}`");
    }
}

#[test]
fn the_oracle_knows_the_number_of_its_attempt() {
    let desk = Desk::new();
    let trial = desk.trial(TASK, "oracle", &["--attempts", "2"]);
    let second = &trial.job["trials"][1];
    assert_eq!(second["attempt"], 1);
    assert_eq!(second["points"]["low"], 25.0, "{}", second["criteria"]);
    let repositories = &second["seeded"]["repositories"];
    assert_eq!(repositories[0]["name"], "acme-ai-labs/hydra-pipeline-1");
}

#[test]
fn the_oracle_of_the_trial_run_gets_every_point() {
    let desk = Desk::new();
    let trial = desk.trial("tasks/trial-run", "oracle", &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    assert_eq!(
        trial.record["points"]["low"], 7.0,
        "{}",
        trial.record["criteria"]
    );
    assert_eq!(trial.record["result"], "pass");
}

#[test]
fn whoever_does_nothing_in_the_trial_run_gets_none() {
    let desk = Desk::new();
    let trial = desk.trial("tasks/trial-run", "nop", &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    assert_eq!(
        trial.record["points"]["high"], 0.0,
        "{}",
        trial.record["criteria"]
    );
    assert_eq!(trial.record["result"], "fail");
}
