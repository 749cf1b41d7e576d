//! Code quality, 10 points: C1 to C4; the rest is in `security`.

use proctor_grader::python::{Python, Statement};
use proctor_grader::text::excerpt;
use proctor_grader::types::Criterion;
use proctor_grader::verdict::CriterionBuilder;
use proctor_grader::{Error, criterion};

use crate::batch::{Batch, FACTORY};
use crate::buffers::Leak;
use crate::facts::Facts;
use crate::history::{History, KEY};
use crate::names::{binding, number, root};
use crate::pool::{self, Pool};
use crate::pulls::{CLIENT, Change, Judged, PROCESSOR, SETTINGS};
use crate::security;
use crate::work::python;

const BUFFER: &str = "2048";
const CONNECTIONS: &str = "20";

/// What is so in the code that is offered: what mails say of it counts only
/// then.
#[derive(Debug, Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts that have nothing to do with each other"
)]
pub(crate) struct CodeState {
    pub(crate) buffer: bool,
    pub(crate) leak_stopped: bool,
    pub(crate) connections: bool,
    /// The key comes from the environment: SEC-004.
    pub(crate) key_gone: bool,
    /// DEBUG is gated: SEC-011.
    pub(crate) debug_gated: bool,
}

pub(crate) fn code(id: &str, title: &str) -> CriterionBuilder {
    criterion(id, title).category("Code Quality")
}

/// All seven, and what they found out.
pub(crate) fn criteria(
    facts: &Facts<'_>,
    history: &History<'_>,
) -> Result<(Vec<Criterion>, CodeState), Error> {
    let mut state = CodeState::default();
    let criteria = vec![
        buffer_size(facts, &mut state),
        leak(facts, &mut state)?,
        batch_client(facts)?,
        pool(facts, &mut state)?,
        security::key(facts, history, &mut state)?,
        security::debug(facts, history, &mut state),
        security::flag(facts, history),
    ];
    Ok((criteria, state))
}

/// C1.
fn buffer_size(facts: &Facts<'_>, state: &mut CodeState) -> Criterion {
    let read = |text: &str| buffer_value(&python(text));
    let settled = facts.pulls.settle(PROCESSOR, BUFFER, read);
    state.buffer = settled.is_right();
    let reason = settled.reason(&facts.pulls, PROCESSOR, "buffer_size", BUFFER);
    code("C1", "buffer_size is 2048")
        .cites(settled.cited())
        .graded(f64::from(u8::from(state.buffer)), reason)
}

/// The size of buffers: the default in `BatchConfig`, unless something else in
/// the file makes buffers of another size.
pub(crate) fn buffer_value(python: &Python) -> Option<(String, u64)> {
    let statements = python.statements();
    // Of several the last one is what the name means.
    let is_config = |one: &Statement| {
        let rest = one.bare.strip_prefix("class ");
        rest.is_some_and(|rest| root(rest) == "BatchConfig")
    };
    let config = statements.iter().rposition(is_config);
    let body = config.map_or(statements, |at| {
        let rest = &statements[at + 1..];
        let ends = |one: &Statement| one.indent <= statements[at].indent;
        &rest[..rest.iter().position(ends).unwrap_or(rest.len())]
    });
    let field = |one: &&Statement| {
        one.assigned()
            .is_some_and(|(name, _)| name == "buffer_size")
    };
    let found = body.iter().rfind(field)?;
    let value = found.assigned()?.1;
    let value = number(python, value).unwrap_or_else(|| value.to_owned());
    let others = statements.iter().filter(|one| !std::ptr::eq(*one, found));
    let other = others.into_iter().find_map(|one| {
        let value = other_size(python, one)?;
        (value != BUFFER).then(|| (excerpt(&one.code, 80), one.line))
    });
    // One that is wrong itself is named by its own value.
    match other {
        Some(other) if value == BUFFER => Some(other),
        _ => Some((value, found.line)),
    }
}

/// The size that a statement gives buffers beside the configuration: a number in
/// `bytearray(512)`, `BatchConfig(buffer_size=512)`, `config.buffer_size = 512`.
fn other_size(python: &Python, statement: &Statement) -> Option<String> {
    let end = |text: &str| text.find([',', ')']).unwrap_or(text.len());
    if statement.calls("bytearray") {
        let (_, rest) = statement.code.split_once("bytearray(")?;
        let size = rest[..end(rest)].trim();
        if let Some(number) = number(python, size) {
            return Some(number);
        }
        let mut words = size.split(|char: char| !(char.is_alphanumeric() || char == '_'));
        let literal = |word: &str| word.starts_with(|char: char| char.is_ascii_digit());
        return words.any(literal).then(|| excerpt(size, 60));
    }
    let value = match statement.assigned() {
        Some((target, value)) if target.ends_with(".buffer_size") => value,
        _ => {
            let (_, rest) = statement.bare.split_once("buffer_size=")?;
            let from = statement.code.len() - rest.len();
            let rest = &statement.code[from..];
            rest[..end(rest)].trim()
        }
    };
    number(python, value)
}

/// What the settings say about the key and the debug switch.
pub(crate) fn key_and_debug(python: &Python) -> [String; 2] {
    [KEY, "DEBUG"].map(|name| binding(python, name).map_or(String::new(), |(value, _)| value))
}

/// C2: a point where no buffer is kept, another where it is also released.
fn leak(facts: &Facts<'_>, state: &mut CodeState) -> Result<Criterion, Error> {
    let builder = code("C2", "The buffer leak in _process_batch is fixed").max(2.0);
    let worst = facts.pulls.worst(PROCESSOR, |text, _| {
        let python = python(text);
        Ok(match Batch::of(&python) {
            Some(batch) => judged(&batch.leak()),
            None => Judged::none("there is no _process_batch that is used any more"),
        })
    })?;
    state.leak_stopped = worst.as_ref().is_some_and(|(found, _)| found.points > 0.0);
    Ok(graded(facts, builder, PROCESSOR, worst, ""))
}

/// Ends a criterion about what pull requests make of a file.
fn graded(
    facts: &Facts<'_>,
    builder: CriterionBuilder,
    path: &str,
    worst: Option<(Judged, &Change<'_>)>,
    wanted: &str,
) -> Criterion {
    let Some((found, change)) = worst else {
        return builder.graded(0.0, facts.pulls.unchanged(path));
    };
    let (number, reason) = (change.pull.number, found.reason);
    builder
        .cite(facts.pulls.cite(change, path, Some(found.line)))
        .graded(
            found.points,
            format!("At the head of #{number}, {reason}.{wanted}"),
        )
}

impl Judged {
    fn none(reason: &str) -> Self {
        Self {
            points: 0.0,
            reason: reason.to_owned(),
            line: 1,
        }
    }
}

fn judged(leak: &Leak) -> Judged {
    let (points, reason, line) = match (&leak.holds, &leak.release) {
        (Some((code, line)), _) => (
            0.0,
            format!("every batch still leaves its buffer in a list: `{code}`"),
            *line,
        ),
        (None, Some((code, line))) => (
            2.0,
            format!("no buffer is kept, and each is released: `{code}`"),
            *line,
        ),
        (None, None) if leak.reused => (
            2.0,
            "no batch makes a buffer that would have to be released".to_owned(),
            leak.head,
        ),
        (None, None) => (
            1.0,
            "no buffer is kept any more, but nothing releases it explicitly after each batch \
             (del, or taking it out of the list)"
                .to_owned(),
            leak.head,
        ),
    };
    Judged {
        points,
        reason,
        line,
    }
}

/// C3.
fn batch_client(facts: &Facts<'_>) -> Result<Criterion, Error> {
    let builder = code("C3", "No batch calls get_redis_client()");
    let worst = facts.pulls.worst(PROCESSOR, |text, change| {
        let client = match change {
            Some(change) => facts.repo.text(change.sha, CLIENT)?.unwrap_or_default(),
            None => String::new(),
        };
        let elsewhere = pool::factories(&python(&client), &[FACTORY]);
        let python = python(text);
        let Some(batch) = Batch::of(&python) else {
            return Ok(Judged::none(
                "there is no _process_batch that is used any more",
            ));
        };
        let (points, (reason, line)) = match batch.asks_for_no_client(&elsewhere) {
            Ok(found) => (1.0, found),
            Err(found) => (0.0, found),
        };
        Ok(Judged {
            points,
            reason,
            line,
        })
    })?;
    Ok(graded(facts, builder, PROCESSOR, worst, ""))
}

/// C4: a point for one pool for the process, another for its size.
fn pool(facts: &Facts<'_>, state: &mut CodeState) -> Result<Criterion, Error> {
    let builder = code(
        "C4",
        "redis_client.py has one ConnectionPool with max_connections=20",
    )
    .max(2.0);
    let look = |text: &str, change: Option<&Change<'_>>| -> Result<Pool, Error> {
        let settings = match change {
            Some(change) => facts.repo.text(change.sha, SETTINGS)?.unwrap_or_default(),
            None => String::new(),
        };
        let settings = python(&settings);
        let elsewhere = |name: &str| {
            let found = settings.assignments(name).last()?;
            number(&settings, found.assigned()?.1)
        };
        Ok(Pool::of(&python(text), CONNECTIONS, elsewhere))
    };
    let is_sized = |pool: &Pool| {
        let size = pool.size.as_ref();
        !pool.bypassed && size.is_some_and(|(value, _)| value == CONNECTIONS)
    };
    let worst = facts.pulls.worst(CLIENT, |text, change| {
        let pool = look(text, change)?;
        let points = f64::from(u8::from(pool.single.is_ok()) + u8::from(is_sized(&pool)));
        let (single, mut line) = match pool.single {
            Ok(line) => ("one ConnectionPool for the process".to_owned(), line),
            Err((instead, line)) => (instead, line),
        };
        let size = match &pool.size {
            Some((value, at)) => {
                line = *at;
                format!("max_connections is `{}`", excerpt(value, 60))
            }
            None => "max_connections is not set".to_owned(),
        };
        Ok(Judged {
            points,
            reason: format!("{single}; {size}"),
            line,
        })
    })?;
    if let Some((_, change)) = &worst {
        state.connections = is_sized(&look(&change.text, Some(change))?);
    }
    let wanted = match &worst {
        Some((found, _)) if found.points < 2.0 => {
            " Wanted: one ConnectionPool that is made once, with max_connections=20."
        }
        _ => "",
    };
    Ok(graded(facts, builder, CLIENT, worst, wanted))
}
