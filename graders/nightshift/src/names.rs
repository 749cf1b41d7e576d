//! What names stand for in a file of Python, and which statements bind them.

use proctor_grader::python::{Python, Statement};
use proctor_grader::text::excerpt;

/// Names of constants that are resolved one after the other.
const DEPTH: usize = 4;

/// The names that things go by in a file: their own, and what they are imported
/// as or assigned to.
pub(crate) fn aliases(python: &Python, names: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = names.iter().map(ToString::to_string).collect();
    for statement in python.statements() {
        for name in names {
            if let Some((_, rest)) = statement.bare.split_once(&format!("{name} as ")) {
                found.push(root(rest).to_owned());
            }
        }
        if let Some((target, value)) = statement.assigned() {
            let last = value.rsplit('.').next().unwrap_or_default();
            let same = found.iter().any(|name| name == last);
            if same && let Some(name) = target.rsplit('.').next() {
                found.push(name.to_owned());
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found.truncate(50);
    found
}

/// The path that an expression begins with: `self.pool` of `self.pool[0].get()`.
pub(crate) fn root(text: &str) -> &str {
    let text = text.trim_start();
    let is_path = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    let end = text.find(|char| !is_path(char)).unwrap_or(text.len());
    &text[..end]
}

/// A number, as digits: `2048`, `2_048`, `2 * 1024`, `1 << 11`,
/// `field(default=2048)`, or a constant of the file with one of these.
pub(crate) fn number(python: &Python, value: &str) -> Option<String> {
    let mut value = value.trim().to_owned();
    for _ in 0..DEPTH {
        if let Some(number) = calculated(&value) {
            return Some(number.to_string());
        }
        if let Some((_, rest)) = value.split_once("field(default=") {
            let end = rest.find([',', ')']).unwrap_or(rest.len());
            value = rest[..end].trim().to_owned();
            continue;
        }
        let mut constants = python.assignments(&value).filter(|one| one.indent == 0);
        let only = constants.next()?.assigned()?.1.to_owned();
        if constants.next().is_some() {
            return None;
        }
        drop(constants);
        value = only;
    }
    None
}

fn calculated(value: &str) -> Option<u64> {
    if let Some((base, shift)) = value.split_once("<<") {
        let shift = u32::try_from(calculated(shift)?).ok()?;
        return calculated(base)?.checked_mul(1_u64.checked_shl(shift)?);
    }
    if let Some((base, power)) = value.split_once("**") {
        return calculated(base)?.checked_pow(u32::try_from(calculated(power)?).ok()?);
    }
    let factors = value.split('*');
    let numbers = factors.map(|factor| factor.trim().replace('_', "").parse::<u64>().ok());
    let numbers: Option<Vec<u64>> = numbers.collect();
    numbers?.into_iter().try_fold(1_u64, u64::checked_mul)
}

/// The value that a module gives a name: by one assignment that always runs.
/// Where something else binds the name as well, that statement is what it is.
pub(crate) fn binding(python: &Python, name: &str) -> Option<(String, u64)> {
    let binding = python.statements().iter().filter(|one| binds(one, name));
    let mut found = None;
    for one in binding {
        match one.assigned() {
            Some((target, value)) if target == name && one.indent == 0 => {
                found = Some((value.to_owned(), one.line));
            }
            _ => return Some((excerpt(&one.code, 200), one.line)),
        }
    }
    found
}

/// Whether a statement gives a name of a module another value, in whatever way.
pub(crate) fn binds(statement: &Statement, name: &str) -> bool {
    let (bare, code) = (statement.bare.as_str(), statement.code.as_str());
    if bare.starts_with("from ") && bare.ends_with("import *") {
        return true;
    }
    let quoted = code.contains(&format!("\"{name}\"")) || code.contains(&format!("'{name}'"));
    let reflects = [
        "globals", "vars", "locals", "setattr", "__dict__", "delattr",
    ]
    .iter()
    .any(|way| statement.names(way));
    let runs = (statement.calls("exec") || statement.calls("eval")) && code.contains(name);
    if (quoted && reflects) || runs {
        return true;
    }
    if !statement.names(name) {
        return false;
    }
    let first = bare.split([' ', '(']).next().unwrap_or_default();
    if matches!(first, "del" | "global" | "nonlocal") || bare.contains(&format!("{name} :=")) {
        return true;
    }
    let after = |word: &str| {
        let found = bare.split(word).skip(1);
        found
            .map(|rest| rest.trim_start_matches(['(', '*', ' ']))
            .any(|rest| root(rest).rsplit('.').next() == Some(name))
    };
    if [" as ", "for ", "def ", "class "]
        .iter()
        .any(|word| after(word))
    {
        return true;
    }
    if bare.starts_with("from ") || bare.starts_with("import ") {
        return true;
    }
    targets(bare).any(|target| {
        target
            .split([',', '(', ')', '[', ']', '*', '=', ':'])
            .any(|part| {
                let path = part.trim();
                path == name || path.ends_with(&format!(".{name}"))
            })
    })
}

/// The left sides of assignments, of `|=` and the like too, and of several in a row.
fn targets(bare: &str) -> impl Iterator<Item = &str> {
    let bytes = bare.as_bytes();
    let mut depth = 0_usize;
    let mut ends = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => {
                let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
                let compares = bytes.get(at + 1) == Some(&b'=') || b"=!<>".contains(&before);
                // `<<=` and `>>=` are assignments.
                let shifts = at > 1 && before == bytes[at - 2] && b"<>".contains(&before);
                if !compares || shifts {
                    ends.push(at);
                }
            }
            _ => {}
        }
    }
    ends.into_iter()
        .map(move |end| bare[..end].trim_end_matches(|char: char| "+-*/%&|^@<>: ".contains(char)))
}
