//! `redis_client.py`: whether there is one pool for the process, and how large
//! it is.

use proctor_grader::python::{Python, Statement};

use crate::batch::makes_once;

const POOLS: [&str; 2] = ["ConnectionPool", "BlockingConnectionPool"];
const CLIENTS: [&str; 3] = ["StrictRedis", "Redis", "from_pool"];
const SIZE: &str = "max_connections";

/// What a file does about its connections.
pub(crate) struct Pool {
    /// One pool, made once, that clients use; or what is there instead.
    pub(crate) single: Result<u64, (String, u64)>,
    /// The value of `max_connections`, resolved where it is a name.
    pub(crate) size: Option<(String, u64)>,
}

impl Pool {
    /// Looks at a file. `elsewhere` finds the value of a name of another module.
    pub(crate) fn of(python: &Python, elsewhere: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            single: single(python),
            size: size(python, elsewhere),
        }
    }
}

fn makes(statement: &Statement, names: &[&str]) -> bool {
    names.iter().any(|name| statement.calls(name))
}

/// Also by `ConnectionPool.from_url(..)`.
fn makes_pool(statement: &Statement) -> bool {
    let named = POOLS.iter().any(|name| statement.names(name));
    makes(statement, &POOLS) || (named && statement.calls("from_url"))
}

fn single(python: &Python) -> Result<u64, (String, u64)> {
    let statements = python.statements();
    let Some(pool) = statements.iter().find(|one| makes_pool(one)) else {
        let client = statements.iter().find(|one| makes(one, &CLIENTS));
        let line = client.map_or(1, |one| one.line);
        return Err(("there is no ConnectionPool".to_owned(), line));
    };
    for function in python.functions() {
        let inside = function.body.iter().any(|one| one == pool);
        // What a class makes when the module is read is made once.
        if inside && !makes_once(&function) && !is_module_level(python, function.name) {
            let reason = format!("{} makes a ConnectionPool each time", function.name);
            return Err((reason, pool.line));
        }
    }
    let uses = |one: &Statement| one.names("connection_pool") || one.calls("from_pool");
    if !statements.iter().any(uses) {
        return Err(("no client uses the ConnectionPool".to_owned(), pool.line));
    }
    Ok(pool.line)
}

/// Whether a function is only called when the module is read: `_POOL =
/// _make_pool()`.
fn is_module_level(python: &Python, function: &str) -> bool {
    let mut calls = python.statements().iter().filter(|one| one.calls(function));
    let first = calls.next().is_some_and(|one| one.indent == 0);
    first && calls.all(|one| one.indent == 0)
}

fn size(python: &Python, elsewhere: impl Fn(&str) -> Option<String>) -> Option<(String, u64)> {
    for statement in python.statements() {
        let Some(value) = argument(statement) else {
            continue;
        };
        let resolved = match value.parse::<u64>() {
            Ok(number) => Some(number.to_string()),
            Err(_) => python
                .assignments(&value)
                .last()
                .and_then(|one| Some(one.assigned()?.1.to_owned()))
                .or_else(|| elsewhere(value.rsplit('.').next().unwrap_or(&value))),
        };
        return Some((resolved.unwrap_or(value), statement.line));
    }
    None
}

/// The value that a statement gives `max_connections`: an argument, or an entry
/// of a dictionary that becomes the arguments.
fn argument(statement: &Statement) -> Option<String> {
    let code = &statement.code;
    let makes = makes_pool(statement) || makes(statement, &CLIENTS);
    let quoted = [format!("\"{SIZE}\""), format!("'{SIZE}'")];
    let at = if makes && statement.names(SIZE) {
        statement.bare.find(SIZE)? + SIZE.len()
    } else {
        quoted
            .iter()
            .find_map(|key| Some(code.find(key.as_str())? + key.len()))?
    };
    let rest = code[at..].trim_start().strip_prefix(['=', ':'])?;
    let end = rest.find([',', ')', '}', '\n']).unwrap_or(rest.len());
    Some(rest[..end].trim().to_owned())
}
