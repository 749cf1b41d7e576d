//! Whether what a statement makes is made once: when the module is read, in a
//! cached function, or behind a guard that tests what it is remembered in.

use proctor_grader::python::{Definition, Python, Statement};

use crate::flow::Flow;

/// Whether a statement of a function makes something once, and remembers it.
pub(crate) fn makes_once(python: &Python, function: &Definition<'_>, made: &Statement) -> bool {
    let cached = ["cache", "lru_cache", "cached_property", "singleton"];
    if cached.iter().any(|name| function.is_decorated(name)) {
        return !forgets(python, function.name);
    }
    if let Some((target, value)) = made.assigned()
        && value.starts_with(&format!("{target} or "))
        && is_remembered(function, target)
    {
        return true;
    }
    let flow = Flow::of(python);
    let Some(index) = flow.index(made) else {
        return false;
    };
    let statements = python.statements();
    let heads = flow.heads(index);
    let guarded = heads.iter().any(|head| {
        let inside = |one: &&Statement| one.indent > statements[*head].indent;
        let block = statements[head + 1..].iter().take_while(inside);
        missing(&statements[*head]).is_some_and(|name| {
            assigns(block, &name, function) && !is_reset(function, &name, &statements[*head])
        })
    });
    guarded || returns_early(function, made)
}

/// Whether the function returns what is there before it makes another.
fn returns_early(function: &Definition<'_>, made: &Statement) -> bool {
    let body = function.body;
    let made = body.iter().position(|one| std::ptr::eq(one, made));
    let Some(made) = made else { return false };
    let outer = body[0].indent;
    (0..made).any(|at| {
        let head = &body[at];
        let returns = head.bare.contains(": return")
            || body
                .get(at + 1)
                .is_some_and(|next| next.indent > head.indent && next.bare.starts_with("return"));
        head.indent == outer
            && returns
            && present(head).is_some_and(|name| {
                assigns(body[made..].iter(), &name, function) && !is_reset(function, &name, head)
            })
    })
}

/// Whether something that runs with others makes a cached function forget what it
/// gave.
fn forgets(python: &Python, name: &str) -> bool {
    let call = format!("{name}.cache_clear");
    let clears = |one: &Statement| one.bare.contains(&call);
    let mut functions = python.functions();
    functions.any(|function| {
        let mut body = function.body.iter();
        body.any(clears) && function.body.iter().any(|one| one.calls(name))
    })
}

/// Whether a function forgets what a name remembers before it looks.
fn is_reset(function: &Definition<'_>, name: &str, before: &Statement) -> bool {
    let mut earlier = function
        .body
        .iter()
        .take_while(|one| one.line < before.line);
    earlier.any(|one| one.assigned() == Some((name, "None")) || deletes(one, name))
}

fn deletes(statement: &Statement, name: &str) -> bool {
    statement
        .bare
        .strip_prefix("del ")
        .is_some_and(|rest| rest.trim() == name)
}

/// Whether one of the statements assigns to a name, so that it is remembered.
fn assigns<'s>(
    mut block: impl Iterator<Item = &'s Statement>,
    name: &str,
    function: &Definition<'_>,
) -> bool {
    block.any(|one| {
        one.assigned().is_some_and(|(target, _)| {
            let (root, entry) = target.split_once('[').unwrap_or((target, ""));
            root.trim() == name && (!entry.is_empty() || is_remembered(function, name))
        })
    })
}

/// Whether a name is still there when the function is called again.
fn is_remembered(function: &Definition<'_>, name: &str) -> bool {
    let shared = |one: &Statement| {
        (one.bare.starts_with("global ") || one.bare.starts_with("nonlocal ")) && one.names(name)
    };
    name.contains('.') || function.body.iter().any(shared)
}

/// The condition of an `if`, as far as it is only one.
fn condition(head: &Statement) -> Option<&str> {
    let rest = head.code.strip_prefix("if ")?;
    let end = head.bare[3..].rfind(':')?;
    let test = rest[..end].trim();
    let test = test.strip_prefix('(').unwrap_or(test);
    Some(
        test.strip_suffix(')')
            .filter(|_| !test.contains("hasattr"))
            .unwrap_or(test),
    )
}

/// The name that an `if` tests to be missing: `x is None`, `not x`,
/// `not hasattr(self, "x")`, `"key" not in x`.
fn missing(head: &Statement) -> Option<String> {
    let test = condition(head)?;
    if let Some(rest) = test.strip_prefix("not hasattr(") {
        let (owner, name) = rest.strip_suffix(')')?.split_once(',')?;
        let name = name.trim().trim_matches(['"', '\'']);
        return path(&format!("{}.{name}", owner.trim()));
    }
    if let Some((_, name)) = test.split_once(" not in ") {
        return path(name);
    }
    let name = test
        .strip_suffix(" is None")
        .or_else(|| test.strip_suffix(" == None"))
        .or_else(|| test.strip_prefix("not "))?;
    path(name)
}

/// The name that an `if` tests to be there.
fn present(head: &Statement) -> Option<String> {
    let test = condition(head)?;
    path(test.strip_suffix(" is not None").unwrap_or(test))
}

fn path(text: &str) -> Option<String> {
    let text = text.trim();
    let is_path = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    (!text.is_empty() && text.chars().all(is_path)).then(|| text.to_owned())
}
