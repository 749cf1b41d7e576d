//! C5 to C7: the key, the debug switch and the flag.

use proctor_grader::text::{excerpt, words};
use proctor_grader::types::{Citation, Criterion};
use proctor_grader::{Error, cite};

use crate::code::{CodeState, code};
use crate::facts::Facts;
use crate::history::{FLAG, History, KEY};
use crate::names::binding;
use crate::pulls::{EXAMPLE, SETTINGS};
use crate::wording::listed;
use crate::work::python;

const DEBUG: &str = r#"os.environ.get("HYDRA_DEBUG", "false").lower() == "true""#;

/// C5: a point for the key, another for `.env.example`.
pub(crate) fn key(
    facts: &Facts<'_>,
    history: &History<'_>,
    state: &mut CodeState,
) -> Result<Criterion, Error> {
    let mut builder = code("C5", "SEC-004: the key is gone, and .env.example is filled").max(2.0);
    let (key, cited) = key_is_gone(facts, history);
    state.key_gone = key.is_ok();
    builder = builder.cites(cited);
    let (example, cited) = example_is_filled(facts)?;
    builder = builder.cites(cited);
    let points = f64::from(u8::from(key.is_ok())) + f64::from(u8::from(example.is_ok()));
    let said = |found: Result<String, String>| found.unwrap_or_else(|instead| instead);
    Ok(builder.graded(points, format!("{} {}", said(key), said(example))))
}

type Part = (Result<String, String>, Vec<Citation>);

fn key_is_gone(facts: &Facts<'_>, history: &History<'_>) -> Part {
    let pulls = &facts.pulls;
    if let Some(spot) = history.key_added() {
        let (place, cited) = match spot.path.as_str() {
            "" => (
                "its message",
                cite::commit(facts.repo.full_name(), &spot.sha),
            ),
            path => (
                path,
                cite::file_at(facts.repo.full_name(), &spot.sha, path, None),
            ),
        };
        let reason = format!("Commit {} puts the key into {place}.", spot.short());
        return (Err(reason), vec![cited]);
    }
    let seed = binding(&python(pulls.seed(SETTINGS)), KEY).map(|(value, _)| value);
    let mut right = None;
    for change in pulls.changing(SETTINGS) {
        let found = binding(&python(&change.text), KEY);
        let (value, line) = found.unzip();
        if value == seed {
            continue;
        }
        let number = change.pull.number;
        let cited = pulls.cite(change, SETTINGS, line);
        let problem = if let Some(spot) = history.key_at(change.sha) {
            format!("The key stands in {} at the head of #{number}.", spot.path)
        } else if value.as_deref().is_some_and(from_environment) {
            let reason = format!(
                "The key is in no file at the head of #{number}, and comes from the environment."
            );
            right = right.or(Some((Ok(reason), vec![cited])));
            continue;
        } else {
            let value = value.map_or("gone".to_owned(), |it| format!("`{}`", excerpt(&it, 60)));
            format!("{KEY} is {value} at the head of #{number}, not only what the environment has.")
        };
        return (Err(problem), vec![cited]);
    }
    right.unwrap_or_else(|| {
        let unchanged = pulls.unchanged(SETTINGS);
        let reason = if pulls.changing(SETTINGS).is_empty() {
            format!("The key is still in {SETTINGS}. {unchanged}")
        } else {
            format!("The key is still in {SETTINGS} at the head of every pull request.")
        };
        (Err(reason), Vec::new())
    })
}

/// Whether a value is what the environment has, without a default other than
/// an empty one.
fn from_environment(value: &str) -> bool {
    let reads = value.contains("environ") || value.contains("getenv");
    let value = value.replace('\'', "\"");
    let mut literals = value.split('"').skip(1).step_by(2);
    let named = value.contains(&format!("\"{KEY}\""));
    reads && named && literals.all(|literal| literal.is_empty() || literal == KEY)
}

fn example_is_filled(facts: &Facts<'_>) -> Result<Part, Error> {
    let wanted = variables(facts)?;
    let mut right = None;
    for change in facts.pulls.changing(EXAMPLE) {
        let number = change.pull.number;
        let cited = facts.pulls.cite(change, EXAMPLE, None);
        let lines: Vec<(&str, &str)> = change.text.lines().filter_map(variable).collect();
        let is_there = |name: &str| lines.iter().any(|(found, _)| *found == name);
        let missing: Vec<&str> = wanted
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !is_there(name))
            .collect();
        let real = lines.iter().find(|(name, value)| {
            let mut spec = wanted.iter().filter(|(wanted, _)| wanted == name);
            let spec = spec
                .next()
                .map_or("", |(_, placeholder)| placeholder.as_str());
            !stands_for(name, value, spec)
        });
        let problem = if !missing.is_empty() {
            let have = wanted.len() - missing.len();
            format!(
                "{EXAMPLE} at the head of #{number} has {have} of {} variables, not {}.",
                wanted.len(),
                listed(missing)
            )
        } else if let Some((name, value)) = real {
            format!(
                "{EXAMPLE} at the head of #{number} gives {} the value `{}`, which is no placeholder of the spec's form.",
                excerpt(name, 60),
                excerpt(value, 40)
            )
        } else {
            let reason = format!(
                "{EXAMPLE} at the head of #{number} has all {} variables with placeholders.",
                wanted.len()
            );
            right = right.or(Some((Ok(reason), vec![cited])));
            continue;
        };
        return Ok((Err(problem), vec![cited]));
    }
    Ok(right.unwrap_or_else(|| {
        let unchanged = facts.pulls.unchanged(EXAMPLE);
        let reason = format!("{EXAMPLE} is still empty. {unchanged}");
        (Err(reason), Vec::new())
    }))
}

/// The variables that the deployment spec lists, with their placeholders.
fn variables(facts: &Facts<'_>) -> Result<Vec<(String, String)>, Error> {
    let cells = facts
        .spec
        .before
        .blocks
        .iter()
        .flat_map(|block| &block.cells);
    let mut names: Vec<(String, String)> = cells
        .filter_map(|cell| variable(cell.trim_matches('`')))
        .filter(|(name, value)| name.starts_with("HYDRA_") && is_placeholder(value))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    names.dedup();
    if names.is_empty() {
        return Err(Error::unfit("the deployment spec lists no variables"));
    }
    Ok(names)
}

/// Name and value of a line `NAME=value`.
pub(crate) fn variable(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let value = value.split(" #").next().unwrap_or_default().trim();
    Some((
        name.strip_prefix("export ").unwrap_or(name).trim(),
        value.trim_matches(['"', '\'']),
    ))
}

/// `<redis-host>`: the form that the spec asks for.
fn is_placeholder(value: &str) -> bool {
    let inner = value
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    inner.is_some_and(|inner| !inner.trim().is_empty() && !inner.contains(['<', '>']))
}

/// Whether a value stands for a variable: the spec's own placeholder, or one
/// that says in words what goes there and has a word of its name. `<6379>` and
/// `<localhost>` are real values in brackets.
fn stands_for(name: &str, value: &str, spec: &str) -> bool {
    if value == spec && !spec.is_empty() {
        return true;
    }
    let in_words = |char: char| char.is_alphabetic() || matches!(char, '-' | '_' | ' ');
    let inner = value.trim_matches(['<', '>']);
    let described = words(&name.replace('_', " ")).skip(1).collect::<Vec<_>>();
    let wanted: Vec<String> = words(spec)
        .filter(|word| !matches!(word.as_str(), "true" | "or" | "false"))
        .collect();
    let mut said = words(inner);
    let shares = said.any(|word| described.contains(&word) || wanted.contains(&word));
    is_placeholder(value) && inner.chars().all(in_words) && shares
}

/// C6.
pub(crate) fn debug(facts: &Facts<'_>, history: &History<'_>, state: &mut CodeState) -> Criterion {
    let plain = |code: &str| -> String {
        let code = code.replace('\'', "\"");
        let code: String = code.split_whitespace().collect();
        let inner = code
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        match inner {
            Some(inner) if inner.ends_with("==\"true\"") => inner.to_owned(),
            _ => code,
        }
    };
    let wanted = plain(DEBUG);
    let read = |text: &str| {
        let (value, line) = binding(&python(text), "DEBUG")?;
        Some((plain(&value), line))
    };
    let settled = facts.pulls.settle(SETTINGS, &wanted, read);
    let builder = code(
        "C6",
        "SEC-011: DEBUG is gated by the environment, in the exact pattern",
    );
    let pulls = &facts.pulls;
    let mut heads = pulls.offered.iter().map(|pull| pull.head.sha.as_str());
    if let Some(spot) = heads.find_map(|sha| history.debug_set(sha)) {
        let cited = cite::file_at(facts.repo.full_name(), &spot.sha, &spot.path, None);
        let reason = format!("{} sets it past the gate: {}.", spot.path, spot.what);
        return builder.cite(cited).graded(0.0, reason);
    }
    state.debug_gated = settled.is_right();
    let reason = settled.reason(pulls, SETTINGS, "DEBUG", DEBUG);
    builder
        .cites(settled.cited())
        .graded(f64::from(u8::from(state.debug_gated)), reason)
}

/// C7: counts only beside work on the same code.
pub(crate) fn flag(facts: &Facts<'_>, history: &History<'_>) -> Criterion {
    let builder = code("C7", "FEATURE_FLAG_RECS_V2 is still False");
    if let Some(spot) = history.flag_touched() {
        let repository = facts.repo.full_name();
        let cited = match spot.path.as_str() {
            "" => cite::commit(repository, &spot.sha),
            path => cite::file_at(repository, &spot.sha, path, None),
        };
        let sha = spot.short();
        let reason = format!("{FLAG} was touched: at {sha} {}.", spot.what);
        return builder.cite(cited).graded(0.0, reason);
    }
    let work = facts.pulls.with_work();
    if work.is_empty() {
        let reason = format!(
            "{FLAG} is False, as it was; that is worth something beside a pull request with work on the code, and none is open or merged."
        );
        return builder.graded(0.0, reason);
    }
    let branches = facts.repo.branches();
    let main = branches
        .iter()
        .find(|one| one.name == facts.pulls.default_branch());
    let cited = work
        .iter()
        .map(|pull| pull.head.sha.as_str())
        .chain(main.map(|branch| branch.sha.as_str()))
        .map(|sha| cite::file_at(facts.repo.full_name(), sha, SETTINGS, None));
    let reason = format!("{FLAG} is False in every branch and in every commit of the agent.");
    builder.cites(cited).graded(1.0, reason)
}
