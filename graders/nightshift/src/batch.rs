//! The path of a batch in `stream_processor.py`, and where its Redis client comes
//! from. What becomes of its buffer is in `buffers`.
//!
//! Functions of the same file that it uses are followed, and those that it is
//! called from. Comments and what is quoted are no code.

use std::collections::BTreeSet;

use proctor_grader::python::{Definition, Python, Statement};
use proctor_grader::text::excerpt;

use crate::calls::{call_of, called, first_name};
use crate::flow::{Flow, is_function, is_making};
use crate::names::aliases;
use crate::once::makes_once;

const BATCH: &str = "_process_batch";
pub(crate) const FACTORY: &str = "get_redis_client";
/// What makes a client or a pool of connections.
const CONSTRUCTORS: &[&str] = &[
    "StrictRedis",
    "Redis",
    "ConnectionPool",
    "BlockingConnectionPool",
    "from_url",
    "from_pool",
];
/// How a result is published.
const PUBLISH: &str = "rpush";
/// Parts of names of what publishes in another way.
const PUBLISHING: &[&str] = &[
    "push", "publish", "xadd", "send", "emit", "write", "enqueue",
];
/// Functions of a file that are followed.
const FUNCTIONS: usize = 200;
/// Names that are followed from what a batch publishes with.
const DEPTH: usize = 64;

/// Expressions that were looked at already, by the line of their function: one
/// that many statements bind would be followed through all of them each time.
type Seen = BTreeSet<(u64, String)>;

/// The statements that run for each batch.
pub(crate) struct Batch<'p> {
    pub(crate) python: &'p Python,
    pub(crate) flow: Flow<'p>,
    pub(crate) function: Definition<'p>,
    /// With the function that each stands in.
    reached: Vec<(Definition<'p>, &'p Statement)>,
    /// What runs on the way to a batch: the functions that call it, and what
    /// these use.
    around: Vec<(Definition<'p>, &'p Statement)>,
}

/// What is found out, with the line that shows it.
pub(crate) type Found = Result<(String, u64), (String, u64)>;

impl<'p> Batch<'p> {
    pub(crate) fn of(python: &'p Python) -> Option<Self> {
        // Of several the last one is what the name means.
        let function = python.functions().filter(|one| one.name == BATCH).last()?;
        let used = |one: &Statement| one.names(BATCH) && !is_function(one);
        if !python.statements().iter().any(used) {
            return None;
        }
        let known: Vec<Definition<'p>> = python.functions().take(FUNCTIONS).collect();
        let inside = with_used(vec![function], &known);
        let callers = callers(function, &known);
        let around = with_used(callers, &known);
        let statements = |functions: &[Definition<'p>]| {
            let pairs = functions.iter().flat_map(|function| {
                let own = function.body.iter();
                own.map(move |statement| (*function, statement))
            });
            pairs.collect::<Vec<_>>()
        };
        let outside = around.iter().filter(|one| {
            let known = |other: &Definition<'_>| std::ptr::eq(other.head, one.head);
            !inside.iter().any(known)
        });
        let outside: Vec<Definition<'p>> = outside.copied().collect();
        Some(Self {
            python,
            flow: Flow::of(python),
            function,
            reached: statements(&inside),
            around: statements(&outside),
        })
    }

    pub(crate) fn statements(&self) -> impl Iterator<Item = &'p Statement> {
        self.reached.iter().map(|(_, statement)| *statement)
    }

    fn along(&self) -> impl Iterator<Item = &(Definition<'p>, &'p Statement)> {
        self.reached.iter().chain(&self.around)
    }

    fn is_batch(&self, function: &Definition<'p>) -> bool {
        std::ptr::eq(function.head, self.function.head)
    }

    /// That no batch asks for a client: C3. `elsewhere`: functions of another
    /// module that make one whenever they are called.
    pub(crate) fn asks_for_no_client(&self, elsewhere: &[String]) -> Found {
        let mut factories = vec![FACTORY];
        factories.extend(elsewhere.iter().map(String::as_str));
        factories.sort_unstable();
        factories.dedup();
        let mut makers = aliases(self.python, &factories);
        makers.extend(self.passed_on(&factories));
        makers.extend(aliases(self.python, CONSTRUCTORS));
        for (function, statement) in self.along() {
            let Some(maker) = makers.iter().find(|maker| statement.calls(maker)) else {
                continue;
            };
            let shown = excerpt(&statement.code, 80);
            if self.is_batch(function) {
                let reason = format!("{BATCH} still calls {maker}(): `{shown}`");
                return Err((reason, statement.line));
            }
            if !makes_once(self.python, function, statement) {
                let name = excerpt(function.name, 60);
                let inside = self
                    .reached
                    .iter()
                    .any(|(_, one)| std::ptr::eq(*one, *statement));
                let reason = if inside {
                    format!("{BATCH} uses {name}, which calls {maker}() each time: `{shown}`")
                } else {
                    format!("{name}, which works on batches, calls {maker}() each time: `{shown}`")
                };
                return Err((reason, statement.line));
            }
        }
        if !self.statements().any(publishes) {
            let reason = format!("{BATCH} does not publish its results any more");
            return Err((reason, self.function.head.line));
        }
        let mut seen = Seen::default();
        for (function, statement) in &self.reached {
            if let Some((receiver, _)) = call_of(&statement.bare, PUBLISH)
                && let Err(problem) = self.is_there(receiver, function, &mut seen, DEPTH)
            {
                let shown = excerpt(receiver, 60);
                let reason = format!("{BATCH} publishes with `{shown}`, which {problem}");
                return Err((reason, statement.line));
            }
        }
        let reason = format!("{BATCH} neither calls {FACTORY}() nor makes a client");
        Ok((reason, self.function.head.line))
    }

    /// Names of functions that pass a factory's client on: `connect = lambda:
    /// get_redis_client()`.
    fn passed_on(&self, factories: &[&str]) -> Vec<String> {
        let passing = self.python.statements().iter().filter_map(|one| {
            let (target, value) = one.assigned()?;
            let calls = value.contains("lambda") && factories.iter().any(|name| one.calls(name));
            calls.then(|| target.rsplit('.').next().unwrap_or_default().to_owned())
        });
        passing.take(20).collect()
    }

    /// Whether an expression is a client that was there before the batch: a name
    /// that is bound, and not to what a call on the way of the batch gives. Says
    /// otherwise what it is instead.
    fn is_there(
        &self,
        expression: &str,
        function: &Definition<'p>,
        seen: &mut Seen,
        depth: usize,
    ) -> Result<(), String> {
        let expression = expression.trim();
        let mut is_new = || seen.insert((function.head.line, expression.to_owned()));
        if depth == 0 || matches!(expression, "" | "None") || !is_new() {
            return Ok(());
        }
        if let Some((inner, _)) = call_of(expression, "pipeline") {
            return self.is_there(inner, function, seen, depth - 1);
        }
        if let Some((path, rest)) = expression.split_once(['(', '[']) {
            let name = path.rsplit('.').next().unwrap_or_default();
            let is_call = expression[path.len()..].starts_with('(') && rest.trim_end() == ")";
            return match self.python.function(name) {
                Some(given) if is_call => self.gives(&given, seen, depth),
                _ => Err(format!(
                    "is got by a call on the path of the batch: `{}`",
                    excerpt(expression, 60)
                )),
            };
        }
        if !self.is_known(expression, function) {
            return Err("is nothing any more".to_owned());
        }
        let name = expression.rsplit('.').next().unwrap_or_default();
        if let Some(property) = self.python.function(name) {
            return self.gives(&property, seen, depth);
        }
        for (within, one) in self.along() {
            let local = !expression.contains('.');
            if local && !std::ptr::eq(within.head, function.head) {
                continue;
            }
            let value = match one.assigned() {
                Some((target, value)) if target == expression => value,
                _ => match bound_by_with(one, expression) {
                    Some(value) => value,
                    None => continue,
                },
            };
            if !makes_once(self.python, within, one) && !is_making(within.name) {
                self.is_there(value, within, seen, depth - 1)?;
            }
        }
        Ok(())
    }

    /// Whether what a function of the file returns was there before.
    fn gives(
        &self,
        function: &Definition<'p>,
        seen: &mut Seen,
        depth: usize,
    ) -> Result<(), String> {
        for one in function.body {
            if let Some(value) = one.code.strip_prefix("return ")
                && !makes_once(self.python, function, one)
            {
                self.is_there(value, function, seen, depth - 1)?;
            }
        }
        Ok(())
    }

    /// Whether a name means something where it is used.
    fn is_known(&self, receiver: &str, function: &Definition<'p>) -> bool {
        let attribute = receiver.strip_prefix("self.").map(first_name);
        let name = attribute.unwrap_or_else(|| first_name(receiver));
        if name.is_empty() {
            return true;
        }
        let full = attribute.map_or(name.to_owned(), |name| format!("self.{name}"));
        let statements = self.python.statements();
        let binds = |one: &&Statement| {
            let target = one.assigned().map(|(target, _)| target);
            let assigned = target.is_some_and(|target| {
                target.split([',', '=']).any(|part| {
                    let part = part.trim().trim_matches(['(', ')']);
                    part == full || (attribute.is_some() && part == name)
                })
            });
            let imported = one.bare.starts_with("import ") || one.bare.starts_with("from ");
            let bound = one.bare.starts_with("with ") || one.bare.starts_with("for ");
            assigned || (attribute.is_none() && (imported || bound) && one.names(name))
        };
        let defined = self.python.function(name).is_some();
        let passed = attribute.is_none() && function.head.names(name);
        defined || passed || statements.iter().any(|one| binds(&one))
    }
}

/// Functions, and those of the file that they use.
fn with_used<'p>(
    mut functions: Vec<Definition<'p>>,
    known: &[Definition<'p>],
) -> Vec<Definition<'p>> {
    let mut next = 0;
    while let Some(function) = functions.get(next).copied() {
        next += 1;
        for statement in function.body {
            let used = known
                .iter()
                .filter(|one| statement.names(one.name) && statement.line != one.head.line);
            for one in used {
                let is = |other: &Definition<'_>| std::ptr::eq(other.head, one.head);
                if !functions.iter().any(is) {
                    functions.push(*one);
                }
            }
        }
    }
    functions
}

/// Functions that call a method of their own object that leads to this one.
fn callers<'p>(function: Definition<'p>, known: &[Definition<'p>]) -> Vec<Definition<'p>> {
    let mut found = vec![function];
    let mut next = 0;
    while let Some(called) = found.get(next).copied() {
        next += 1;
        let call = format!("self.{}", called.name);
        let calls = |one: &&Definition<'_>| {
            let mut body = one.body.iter();
            !is_making(one.name) && body.any(|it| it.names(called.name) && it.bare.contains(&call))
        };
        for caller in known.iter().filter(calls) {
            let is = |other: &Definition<'_>| std::ptr::eq(other.head, caller.head);
            if !found.iter().any(is) {
                found.push(*caller);
            }
        }
    }
    found.remove(0);
    found
}

/// Whether a statement hands something on: to Redis, or to what publishes.
fn publishes(statement: &Statement) -> bool {
    called(&statement.bare).any(|name| {
        let name = name.to_ascii_lowercase();
        PUBLISHING.iter().any(|word| name.contains(word))
    })
}

/// What `with EXPRESSION as NAME:` gives a name.
fn bound_by_with<'s>(statement: &'s Statement, name: &str) -> Option<&'s str> {
    let rest = statement.code.strip_prefix("with ")?;
    let (value, bound) = rest.split_once(" as ")?;
    (bound.trim_end_matches(':').trim() == name).then_some(value)
}
