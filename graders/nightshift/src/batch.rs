//! The path of a batch in `stream_processor.py`: what `_process_batch` does with
//! its buffer, and where its Redis client comes from.
//!
//! Functions of the same file that it uses are followed. Comments and what is
//! quoted are no code.

use proctor_grader::python::{Definition, Python, Statement};
use proctor_grader::text::excerpt;

const BATCH: &str = "_process_batch";
const FACTORY: &str = "get_redis_client";
/// What makes a client or a pool of connections.
const CONSTRUCTORS: &[&str] = &[
    "StrictRedis",
    "Redis",
    "ConnectionPool",
    "BlockingConnectionPool",
    "from_url",
    "from_pool",
];
/// Methods that put something into a collection.
const ADDING: &[&str] = &[
    "append",
    "appendleft",
    "add",
    "insert",
    "extend",
    "put",
    "push",
];
/// Methods that take something out of a collection.
const REMOVING: &[&str] = &["remove", "clear", "pop", "popleft", "discard"];

/// The statements that run for each batch.
pub(crate) struct Batch<'p> {
    python: &'p Python,
    function: Definition<'p>,
    /// With the function that each stands in.
    reached: Vec<(Definition<'p>, &'p Statement)>,
}

/// What is found out, with the line that shows it.
pub(crate) type Found = Result<(String, u64), (String, u64)>;

impl<'p> Batch<'p> {
    pub(crate) fn of(python: &'p Python) -> Option<Self> {
        let function = python.function(BATCH)?;
        let mut functions = vec![function];
        let mut reached: Vec<(Definition<'p>, &'p Statement)> = Vec::new();
        let mut next = 0;
        let known: Vec<Definition<'p>> = python.functions().take(FUNCTIONS).collect();
        while let Some(function) = functions.get(next).copied() {
            next += 1;
            for statement in function.body {
                reached.push((function, statement));
                let used = known
                    .iter()
                    .filter(|one| statement.names(one.name) && statement.line != one.head.line);
                for one in used {
                    if !functions.iter().any(|known| known.head == one.head) {
                        functions.push(*one);
                    }
                }
            }
        }
        Some(Self {
            python,
            function,
            reached,
        })
    }

    fn statements(&self) -> impl Iterator<Item = &'p Statement> {
        self.reached.iter().map(|(_, statement)| *statement)
    }

    fn is_batch(&self, function: &Definition<'p>) -> bool {
        function.head == self.function.head
    }

    /// Names that the client's factory goes by here.
    fn factories(&self) -> Vec<String> {
        let mut names = vec![FACTORY.to_owned()];
        for statement in self.python.statements() {
            if let Some((_, rest)) = statement.bare.split_once(&format!("{FACTORY} as ")) {
                let end = rest.find([',', ')', ' ']).unwrap_or(rest.len());
                names.push(rest[..end].to_owned());
            }
            let Some((target, value)) = statement.assigned() else {
                continue;
            };
            let passes_on =
                value.ends_with(FACTORY) || (value.contains("lambda") && statement.calls(FACTORY));
            if passes_on && let Some(name) = target.rsplit('.').next() {
                names.push(name.to_owned());
            }
        }
        names
    }

    /// That no batch asks for a client: C3.
    pub(crate) fn asks_for_no_client(&self) -> Found {
        let factories = self.factories();
        let makers = factories.iter().map(String::as_str);
        let makers: Vec<&str> = makers.chain(CONSTRUCTORS.iter().copied()).collect();
        for (function, statement) in &self.reached {
            let Some(maker) = makers.iter().find(|maker| statement.calls(maker)) else {
                continue;
            };
            let shown = excerpt(&statement.code, 80);
            if self.is_batch(function) {
                let reason = format!("{BATCH} still calls {maker}(): `{shown}`");
                return Err((reason, statement.line));
            }
            if !makes_once(function) {
                let name = excerpt(function.name, 60);
                let reason =
                    format!("{BATCH} uses {name}, which calls {maker}() each time: `{shown}`");
                return Err((reason, statement.line));
            }
        }
        for (function, statement) in &self.reached {
            if let Some(receiver) = receiver_of(statement, "rpush")
                && !self.is_known(receiver, function)
            {
                let reason = format!(
                    "{BATCH} publishes with `{}`, which is nothing any more",
                    excerpt(receiver, 60)
                );
                return Err((reason, statement.line));
            }
        }
        let reason = format!("{BATCH} neither calls {FACTORY}() nor makes a client");
        Ok((reason, self.function.head.line))
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

    /// What becomes of the buffer of a batch: C2.
    pub(crate) fn leak(&self) -> Leak {
        let buffers: Vec<&str> = self
            .statements()
            .filter(|one| one.calls("bytearray"))
            .filter_map(|one| Some(one.assigned()?.0))
            .collect();
        let kept: Vec<(&str, &Statement)> = self
            .statements()
            .filter_map(|one| Some((self.kept_in(one, &buffers)?, one)))
            .collect();
        let cleanup = kept
            .first()
            .and_then(|(attribute, _)| self.cleanup(attribute));
        let bounded = kept.iter().all(|(attribute, _)| self.is_bounded(attribute));
        let holds = match (kept.first(), &cleanup) {
            (None, _) | (Some(_), Some(_)) => None,
            (Some(_), None) if bounded => None,
            (Some((_, statement)), None) => Some(*statement),
        };
        let release = match &cleanup {
            Some((statement, true)) => Some(*statement),
            _ => self.statements().find(|one| releases(one, &buffers)),
        };
        let reused = kept.is_empty() && buffers.iter().all(|buffer| buffer.starts_with("self."));
        Leak {
            holds: holds.map(|one| (excerpt(&one.code, 80), one.line)),
            release: release.map(|one| (excerpt(&one.code, 80), one.line)),
            reused,
            head: self.function.head.line,
        }
    }

    /// The collection that a statement puts a buffer into, where that outlives
    /// the batch.
    fn kept_in<'s>(&self, statement: &'s Statement, buffers: &[&str]) -> Option<&'s str> {
        for method in ADDING {
            let Some((receiver, arguments)) = call_of(statement, method) else {
                continue;
            };
            let given = buffers.iter().any(|buffer| has_word(arguments, buffer));
            // A buffer that is extended by itself grows, but is one.
            let named = *method != "extend" && receiver.contains("buf");
            if self.outlives(receiver) && (given || named) && !buffers.contains(&receiver) {
                return Some(receiver);
            }
        }
        let (target, rest) = statement.bare.split_once('=')?;
        let target = target.trim_end().trim_end_matches(['+', '|']).trim();
        let grows = statement.bare[..statement.bare.len() - rest.len()].ends_with("+=")
            || target.ends_with(']')
            || rest.contains(&format!("{target} +"));
        let (attribute, _) = target.split_once('[').unwrap_or((target, ""));
        let held = buffers.iter().any(|buffer| statement.names(buffer));
        let outlives = attribute.starts_with("self.") && self.outlives(attribute);
        (grows && held && outlives && !buffers.contains(&attribute)).then_some(attribute)
    }

    /// Whether a collection is there before and after the batch.
    fn outlives(&self, receiver: &str) -> bool {
        if receiver.starts_with("self.") {
            return true;
        }
        let name = first_name(receiver);
        self.python.statements().iter().any(|one| {
            one.assigned().is_some_and(|(target, value)| {
                target == name && (one.indent == 0 || value.starts_with("self."))
            })
        })
    }

    /// What takes buffers out again, and whether it does in every batch.
    fn cleanup(&self, attribute: &str) -> Option<(&'p Statement, bool)> {
        let removes = |one: &&Statement| {
            let by_method = REMOVING
                .iter()
                .any(|method| receiver_of(one, method) == Some(attribute));
            let deleted = one.bare.starts_with("del ") && one.bare.contains(attribute);
            let emptied = one.assigned().is_some_and(|(target, value)| {
                target.split('[').next() == Some(attribute)
                    && matches!(value, "[]" | "list()" | "{}" | "set()" | "deque()")
            });
            by_method || deleted || emptied
        };
        let found = self.statements().find(removes)?;
        let conditional = self.statements().any(|one| {
            one.bare.starts_with("if ")
                && one.line <= found.line
                && one.indent < found.indent
                && self.is_inside(one, found)
        });
        Some((found, !conditional))
    }

    /// Whether a statement is in the block that another one begins.
    fn is_inside(&self, head: &Statement, statement: &Statement) -> bool {
        let between = self
            .statements()
            .filter(|one| one.line > head.line && one.line <= statement.line);
        between.into_iter().all(|one| one.indent > head.indent)
    }

    /// Whether a collection drops what is too much.
    fn is_bounded(&self, attribute: &str) -> bool {
        let mut made = self.python.statements().iter();
        made.any(|one| {
            one.assigned()
                .is_some_and(|(target, value)| target == attribute && value.contains("maxlen"))
        })
    }
}

/// Functions of a file that are followed.
const FUNCTIONS: usize = 200;

/// What becomes of the buffers of batches.
pub(crate) struct Leak {
    /// The statement that keeps them.
    pub(crate) holds: Option<(String, u64)>,
    /// The statement that releases one after each batch.
    pub(crate) release: Option<(String, u64)>,
    /// Whether there is nothing to release: no batch makes a buffer.
    pub(crate) reused: bool,
    /// Line of the function.
    pub(crate) head: u64,
}

/// Whether a function makes what it makes once and remembers it.
pub(crate) fn makes_once(function: &Definition<'_>) -> bool {
    let cached = ["cache", "lru_cache", "cached_property", "singleton"]
        .iter()
        .any(|name| function.is_decorated(name));
    let guarded = |statement: &Statement| {
        let condition = statement.bare.starts_with("if ");
        condition
            && (statement.bare.contains(" is None")
                || statement.bare.starts_with("if not ")
                || statement.bare.contains("hasattr("))
    };
    let shares = |statement: &Statement| statement.bare.starts_with("global ");
    let branches = |statement: &Statement| statement.bare.starts_with("if ");
    let body = function.body;
    cached || body.iter().any(guarded) || (body.iter().any(shares) && body.iter().any(branches))
}

/// Whether a statement lets go of a buffer.
fn releases(statement: &Statement, buffers: &[&str]) -> bool {
    buffers.iter().any(|buffer| {
        let deleted = statement.bare.starts_with("del ") && statement.names(buffer);
        let emptied = statement.assigned() == Some((buffer, "None"));
        let scoped = statement.bare.starts_with("with ") && statement.names(buffer);
        deleted || emptied || scoped || receiver_of(statement, "clear") == Some(buffer)
    })
}

/// What a method of that name is called on: `self._buffers` of
/// `self._buffers.append(buf)`.
fn receiver_of<'s>(statement: &'s Statement, method: &str) -> Option<&'s str> {
    call_of(statement, method).map(|(receiver, _)| receiver)
}

/// What a method of that name is called on, and what follows its bracket.
fn call_of<'s>(statement: &'s Statement, method: &str) -> Option<(&'s str, &'s str)> {
    let call = format!(".{method}(");
    let at = statement.bare.find(&call)?;
    let is_path = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    let from = statement.bare[..at]
        .rfind(|char| !is_path(char))
        .map_or(0, |at| at + 1);
    let receiver = statement.bare.get(from..at).unwrap_or_default();
    Some((receiver, &statement.bare[at + call.len()..]))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    text.split(|char| !is_word(char)).any(|one| one == word)
}

fn first_name(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}
