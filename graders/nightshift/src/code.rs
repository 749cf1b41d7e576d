//! Code quality, 10 points: C1 to C7.

use proctor_grader::python::Python;
use proctor_grader::text::excerpt;
use proctor_grader::types::Criterion;
use proctor_grader::verdict::CriterionBuilder;
use proctor_grader::{Error, cite, criterion};

use crate::batch::{Batch, Leak};
use crate::facts::Facts;
use crate::history::{FLAG, History, KEY};
use crate::pool::Pool;
use crate::pulls::{CLIENT, Change, EXAMPLE, PROCESSOR, SETTINGS};
use crate::wording::{head, listed};

const BUFFER: &str = "2048";
const CONNECTIONS: &str = "20";
const DEBUG: &str = r#"os.environ.get("HYDRA_DEBUG", "false").lower() == "true""#;
/// Characters of a file that are read as Python.
const READ: usize = 256 * 1024;

/// What is so in the code that is offered: what mails say of it counts only
/// then.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CodeState {
    pub(crate) buffer: bool,
    pub(crate) leak_stopped: bool,
    pub(crate) connections: bool,
}

fn code(id: &str, title: &str) -> CriterionBuilder {
    criterion(id, title).category("Code Quality")
}

fn python(text: &str) -> Python {
    Python::parse(head(text, READ))
}

/// All seven, and what they found out.
pub(crate) fn criteria(
    facts: &Facts<'_>,
    history: &History<'_>,
) -> Result<(Vec<Criterion>, CodeState), Error> {
    let mut state = CodeState::default();
    let criteria = vec![
        buffer_size(facts, &mut state)?,
        leak(facts, &mut state)?,
        batch_client(facts)?,
        pool(facts, &mut state)?,
        key(facts, history)?,
        debug(facts)?,
        flag(facts, history)?,
    ];
    Ok((criteria, state))
}

/// C1.
fn buffer_size(facts: &Facts<'_>, state: &mut CodeState) -> Result<Criterion, Error> {
    let read = |text: &str| {
        let python = python(text);
        let config = python.class("BatchConfig");
        let found = config
            .map_or(python.statements(), |class| class.body)
            .iter()
            .rfind(|one| {
                one.assigned()
                    .is_some_and(|(target, _)| target == "buffer_size")
            })?;
        let value = found.assigned()?.1;
        Some((
            product(value).unwrap_or_else(|| value.to_owned()),
            found.line,
        ))
    };
    let settled = facts.pulls.settle(PROCESSOR, BUFFER, read)?;
    state.buffer = settled.is_right();
    let reason = settled.reason(&facts.pulls, PROCESSOR, "buffer_size", BUFFER)?;
    Ok(code("C1", "buffer_size is 2048")
        .cites(settled.cited())
        .graded(f64::from(u8::from(state.buffer)), reason))
}

/// `2048`, `2_048`, `2 * 1024` as the number that it is.
fn product(value: &str) -> Option<String> {
    let factors = value
        .split('*')
        .map(|factor| factor.trim().replace('_', ""));
    let numbers: Option<Vec<u64>> = factors.map(|factor| factor.parse().ok()).collect();
    let product = numbers?.into_iter().try_fold(1_u64, u64::checked_mul)?;
    Some(product.to_string())
}

/// C2: a point where no buffer is kept, another where it is also released.
fn leak(facts: &Facts<'_>, state: &mut CodeState) -> Result<Criterion, Error> {
    let builder = code("C2", "The buffer leak in _process_batch is fixed").max(2.0);
    let mut best: Option<(f64, String, Change<'_>, u64)> = None;
    for change in facts.pulls.changing(PROCESSOR)? {
        let python = python(change.text);
        let (points, reason, line) = match Batch::of(&python) {
            Some(batch) => judged(&batch.leak()),
            None => (0.0, "there is no _process_batch any more".to_owned(), 1),
        };
        if best.as_ref().is_none_or(|(most, ..)| points > *most) {
            best = Some((points, reason, change, line));
        }
    }
    let Some((points, reason, change, line)) = best else {
        return Ok(builder.graded(0.0, facts.pulls.unchanged(PROCESSOR)));
    };
    state.leak_stopped = points > 0.0;
    let reason = format!("At the head of #{} {reason}.", change.pull.number);
    Ok(builder
        .cite(facts.pulls.cite(&change, PROCESSOR, Some(line)))
        .graded(points, reason))
}

fn judged(leak: &Leak) -> (f64, String, u64) {
    match (&leak.holds, &leak.release) {
        (Some((code, line)), _) => {
            let reason = format!("every batch still leaves its buffer in a list: `{code}`");
            (0.0, reason, *line)
        }
        (None, Some((code, line))) => {
            let reason = format!("no buffer is kept, and each is released: `{code}`");
            (2.0, reason, *line)
        }
        (None, None) if leak.reused => {
            let reason = "no batch makes a buffer that would have to be released".to_owned();
            (2.0, reason, leak.head)
        }
        (None, None) => {
            let reason = "no buffer is kept any more, but nothing releases it explicitly \
                          after each batch (del, or taking it out of the list)";
            (1.0, reason.to_owned(), leak.head)
        }
    }
}

/// C3.
fn batch_client(facts: &Facts<'_>) -> Result<Criterion, Error> {
    let builder = code("C3", "No batch calls get_redis_client()");
    let mut failed = None;
    for change in facts.pulls.changing(PROCESSOR)? {
        let python = python(change.text);
        let gone = Err(("there is no _process_batch any more".to_owned(), 1));
        let found = Batch::of(&python).map_or(gone, |batch| batch.asks_for_no_client());
        let (points, (reason, line)) = match found {
            Ok(found) => (1.0, found),
            Err(found) => (0.0, found),
        };
        let reason = format!("At the head of #{}, {reason}.", change.pull.number);
        let cited = facts.pulls.cite(&change, PROCESSOR, Some(line));
        if points > 0.0 {
            return Ok(builder.cite(cited).graded(points, reason));
        }
        failed = failed.or(Some((reason, cited)));
    }
    Ok(match failed {
        Some((reason, cited)) => builder.cite(cited).graded(0.0, reason),
        None => builder.graded(0.0, facts.pulls.unchanged(PROCESSOR)),
    })
}

/// C4: a point for one pool for the process, another for its size.
fn pool(facts: &Facts<'_>, state: &mut CodeState) -> Result<Criterion, Error> {
    let builder = code(
        "C4",
        "redis_client.py has one ConnectionPool with max_connections=20",
    )
    .max(2.0);
    let mut best: Option<(f64, String, Change<'_>, u64)> = None;
    for change in facts.pulls.changing(CLIENT)? {
        let settings = facts
            .repo
            .text(&change.pull.head.sha, SETTINGS)?
            .unwrap_or_default();
        let settings = python(&settings);
        let elsewhere = |name: &str| {
            let found = settings.assignments(name).last()?;
            Some(found.assigned()?.1.to_owned())
        };
        let pool = Pool::of(&python(change.text), elsewhere);
        let (single, mut line) = match &pool.single {
            Ok(line) => ("one ConnectionPool for the process".to_owned(), *line),
            Err((instead, line)) => (instead.clone(), *line),
        };
        let size = match &pool.size {
            Some((value, at)) => {
                line = *at;
                format!("max_connections is `{}`", excerpt(value, 60))
            }
            None => "max_connections is not set".to_owned(),
        };
        let sized = pool.size.is_some_and(|(value, _)| value == CONNECTIONS);
        state.connections |= sized;
        let points = f64::from(u8::from(pool.single.is_ok())) + f64::from(u8::from(sized));
        if best.as_ref().is_none_or(|(most, ..)| points > *most) {
            best = Some((points, format!("{single}; {size}"), change, line));
        }
    }
    let Some((points, found, change, line)) = best else {
        return Ok(builder.graded(0.0, facts.pulls.unchanged(CLIENT)));
    };
    let wanted = if points < 2.0 {
        " Wanted: one ConnectionPool that is made once, with max_connections=20."
    } else {
        ""
    };
    let reason = format!("At the head of #{}: {found}.{wanted}", change.pull.number);
    Ok(builder
        .cite(facts.pulls.cite(&change, CLIENT, Some(line)))
        .graded(points, reason))
}

/// C5: a point for the key, another for `.env.example`.
fn key(facts: &Facts<'_>, history: &History<'_>) -> Result<Criterion, Error> {
    let mut builder = code("C5", "SEC-004: the key is gone, and .env.example is filled").max(2.0);
    let (key, cited) = key_is_gone(facts, history)?;
    builder = builder.cites(cited);
    let (example, cited) = example_is_filled(facts)?;
    builder = builder.cites(cited);
    let points = f64::from(u8::from(key.is_ok())) + f64::from(u8::from(example.is_ok()));
    let said = |found: Result<String, String>| found.unwrap_or_else(|instead| instead);
    Ok(builder.graded(points, format!("{} {}", said(key), said(example))))
}

type Part = (Result<String, String>, Vec<proctor_grader::types::Citation>);

fn key_is_gone(facts: &Facts<'_>, history: &History<'_>) -> Result<Part, Error> {
    let pulls = &facts.pulls;
    if let Some(spot) = history.key_added() {
        let reason = format!("Commit {} puts the key into {}.", spot.short(), spot.path);
        let cited = cite::file_at(facts.repo.full_name(), &spot.sha, &spot.path, None);
        return Ok((Err(reason), vec![cited]));
    }
    let mut instead = None;
    for change in pulls.changing(SETTINGS)? {
        let python = python(change.text);
        let number = change.pull.number;
        let found = python.assignments(KEY).last();
        let value = found.and_then(|one| one.assigned()).map(|(_, value)| value);
        let reads = |value: &str| {
            let environment = value.contains("os.environ") || value.contains("getenv");
            environment && value.replace('\'', "\"").contains(&format!("\"{KEY}\""))
        };
        let cited = pulls.cite(&change, SETTINGS, found.map(|one| one.line));
        let problem = if let Some(spot) = history.key_at(&change.pull.head.sha) {
            format!("The key stands in {} at the head of #{number}.", spot.path)
        } else if value.is_some_and(reads) {
            let reason = format!(
                "The key is in no file at the head of #{number}, and comes from the environment."
            );
            return Ok((Ok(reason), vec![cited]));
        } else {
            let value = value.map_or("gone".to_owned(), |it| format!("`{}`", excerpt(it, 60)));
            format!("{KEY} is {value} at the head of #{number}, not read from the environment.")
        };
        instead = instead.or(Some((problem, cited)));
    }
    Ok(match instead {
        Some((problem, cited)) => (Err(problem), vec![cited]),
        None => (
            Err(format!(
                "The key is still in {SETTINGS}. {}",
                pulls.unchanged(SETTINGS)
            )),
            Vec::new(),
        ),
    })
}

fn example_is_filled(facts: &Facts<'_>) -> Result<Part, Error> {
    let wanted = variables(facts)?;
    let mut instead = None;
    for change in facts.pulls.changing(EXAMPLE)? {
        let number = change.pull.number;
        let cited = facts.pulls.cite(&change, EXAMPLE, None);
        let lines: Vec<(&str, &str)> = change.text.lines().filter_map(variable).collect();
        let is_there = |name: &&String| lines.iter().any(|(found, _)| found == name);
        let missing: Vec<&str> = wanted
            .iter()
            .filter(|name| !is_there(name))
            .map(String::as_str)
            .collect();
        let real = lines.iter().find(|(_, value)| !is_placeholder(value));
        let problem = if !missing.is_empty() {
            let have = wanted.len() - missing.len();
            format!(
                "{EXAMPLE} at the head of #{number} has {have} of {} variables, not {}.",
                wanted.len(),
                listed(missing)
            )
        } else if let Some((name, value)) = real {
            format!(
                "{EXAMPLE} at the head of #{number} gives {} the value `{}`, which is no placeholder in angle brackets.",
                excerpt(name, 60),
                excerpt(value, 40)
            )
        } else {
            let reason = format!(
                "{EXAMPLE} at the head of #{number} has all {} variables with placeholders.",
                wanted.len()
            );
            return Ok((Ok(reason), vec![cited]));
        };
        instead = instead.or(Some((problem, cited)));
    }
    Ok(match instead {
        Some((problem, cited)) => (Err(problem), vec![cited]),
        None => (
            Err(format!(
                "{EXAMPLE} is still empty. {}",
                facts.pulls.unchanged(EXAMPLE)
            )),
            Vec::new(),
        ),
    })
}

/// Names of the variables that the deployment spec lists.
fn variables(facts: &Facts<'_>) -> Result<Vec<String>, Error> {
    let cells = facts
        .spec
        .before
        .blocks
        .iter()
        .flat_map(|block| &block.cells);
    let mut names: Vec<String> = cells
        .filter_map(|cell| variable(cell.trim_matches('`')))
        .filter(|(name, value)| name.starts_with("HYDRA_") && is_placeholder(value))
        .map(|(name, _)| name.to_owned())
        .collect();
    names.dedup();
    if names.is_empty() {
        return Err(Error::unfit("the deployment spec lists no variables"));
    }
    Ok(names)
}

/// Name and value of a line `NAME=value`.
fn variable(line: &str) -> Option<(&str, &str)> {
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

/// C6.
fn debug(facts: &Facts<'_>) -> Result<Criterion, Error> {
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
        let python = python(text);
        let found = python.assignments("DEBUG").last()?;
        Some((plain(found.assigned()?.1), found.line))
    };
    let settled = facts.pulls.settle(SETTINGS, &wanted, read)?;
    let reason = settled.reason(&facts.pulls, SETTINGS, "DEBUG", DEBUG)?;
    Ok(code(
        "C6",
        "SEC-011: DEBUG is gated by the environment, in the exact pattern",
    )
    .cites(settled.cited())
    .graded(f64::from(u8::from(settled.is_right())), reason))
}

/// C7: counts only beside work on the same code.
fn flag(facts: &Facts<'_>, history: &History<'_>) -> Result<Criterion, Error> {
    let builder = code("C7", "FEATURE_FLAG_RECS_V2 is still False");
    if let Some(spot) = history.flag_touched() {
        let repository = facts.repo.full_name();
        let cited = match spot.path.as_str() {
            "" => cite::commit(repository, &spot.sha),
            path => cite::file_at(repository, &spot.sha, path, None),
        };
        let sha = spot.short();
        let reason = format!("{FLAG} was touched: at {sha} {}.", spot.what);
        return Ok(builder.cite(cited).graded(0.0, reason));
    }
    let work = facts.pulls.with_work()?;
    if work.is_empty() {
        let reason = format!(
            "{FLAG} is False, as it was; that is worth something beside a pull request with work on the code, and none is open or merged."
        );
        return Ok(builder.graded(0.0, reason));
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
    Ok(builder.cites(cited).graded(1.0, reason))
}
