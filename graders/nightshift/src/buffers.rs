//! What becomes of the buffer of a batch: C2.

use proctor_grader::python::Statement;
use proctor_grader::text::excerpt;

use crate::batch::Batch;
use crate::calls::{call_of, called, first_name, has_word, reference_to};
use crate::flow::Runs;
use crate::names::{number, root};

/// Methods and functions that put something into a collection.
const ADDING: &[&str] = &[
    "append",
    "appendleft",
    "add",
    "insert",
    "extend",
    "put",
    "push",
    "heappush",
    "insort",
    "setdefault",
    "__setitem__",
];
/// Methods that take something out of a collection.
const REMOVING: &[&str] = &["remove", "clear", "pop", "popleft", "discard"];
/// Calls that give a copy of what they are given, or another view of it.
const COPYING: &[&str] = &[
    "bytes",
    "bytearray",
    "memoryview",
    "list",
    "tuple",
    "copy",
    "deepcopy",
    "join",
    "tobytes",
    "hex",
    "decode",
];
/// Ways around the name of an attribute.
const REFLECTING: &[&str] = &["setattr", "globals", "vars", "__dict__"];
/// Statements of a file that a name is looked for in.
const READ: usize = 5000;
/// Statements of a kind that are looked at.
const MOST: usize = 20;

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

/// A statement that puts a buffer where it outlives the batch.
struct Keep<'p> {
    /// The collection, as a path.
    collection: String,
    statement: &'p Statement,
}

enum Fate<'p> {
    Released(&'p Statement),
    Bounded,
    Kept,
}

impl<'p> Batch<'p> {
    pub(crate) fn leak(&self) -> Leak {
        let made: Vec<(&str, &Statement)> = self
            .statements()
            .filter(|one| one.calls("bytearray"))
            .filter_map(|one| Some((one.assigned()?.0, one)))
            .take(MOST)
            .collect();
        let buffers = self.copies(made.iter().map(|(name, _)| (*name).to_owned()).collect());
        let keeps = self.keeps(&buffers);
        let mut holds = None;
        let mut release = None;
        for keep in &keeps {
            match self.fate(keep) {
                Fate::Released(by) => release = release.or(Some(by)),
                Fate::Bounded => {}
                Fate::Kept => holds = holds.or(Some(keep.statement)),
            }
        }
        let release = release.or_else(|| self.release(&made, &buffers));
        let reused = keeps.is_empty() && buffers.iter().all(|buffer| buffer.starts_with("self."));
        let shown = |one: &Statement| (excerpt(&one.code, 80), one.line);
        Leak {
            holds: holds.map(shown),
            release: release.map(shown),
            reused,
            head: self.function.head.line,
        }
    }

    /// Names of buffers, with those of copies and views of them.
    fn copies(&self, mut buffers: Vec<String>) -> Vec<String> {
        for _ in 0..3 {
            let known = buffers.len();
            for one in self.statements() {
                let Some((target, value)) = one.assigned() else {
                    continue;
                };
                let local = !target.contains(['.', '[', ',', ' ']);
                let copies = named(value, &buffers) && called(value).all(is_copying);
                if local && copies && !buffers.iter().any(|name| name == target) {
                    buffers.push(target.to_owned());
                }
            }
            if buffers.len() == known || known > MOST {
                break;
            }
        }
        buffers
    }

    fn keeps(&self, buffers: &[String]) -> Vec<Keep<'p>> {
        let aliases = self.adders();
        let mut keeps: Vec<Keep<'p>> = Vec::new();
        for statement in self.statements() {
            let collection = self
                .kept_in(statement, buffers)
                .or_else(|| self.kept_by_alias(statement, buffers, &aliases));
            if let Some(collection) = collection {
                let collection = self.meant(&collection);
                keeps.push(Keep {
                    collection,
                    statement,
                });
                if keeps.len() == MOST {
                    break;
                }
            }
        }
        keeps
    }

    /// Names that methods which add to a collection go by: `keep` of `keep =
    /// self._kept.append`, with the collection.
    fn adders(&self) -> Vec<(&'p str, &'p str)> {
        let statements = self.python.statements().iter();
        let adders = statements.filter_map(|one| {
            let (target, _) = one.assigned()?;
            let collection = ADDING.iter().find_map(|it| reference_to(&one.bare, it))?;
            let name = target.rsplit('.').next()?;
            self.outlives(collection).then_some((name, collection))
        });
        adders.take(MOST).collect()
    }

    fn kept_by_alias(
        &self,
        statement: &'p Statement,
        buffers: &[String],
        aliases: &[(&'p str, &'p str)],
    ) -> Option<String> {
        let called = aliases
            .iter()
            .find(|(name, _)| statement.calls(name) && named(&statement.bare, buffers));
        if let Some((_, collection)) = called {
            return Some((*collection).to_owned());
        }
        // Whoever takes the method along uses it.
        let taken = ADDING
            .iter()
            .find_map(|it| reference_to(&statement.bare, it));
        taken
            .filter(|collection| self.outlives(collection))
            .map(str::to_owned)
    }

    /// The collection that a statement puts a buffer into, where that outlives
    /// the batch.
    fn kept_in(&self, statement: &Statement, buffers: &[String]) -> Option<String> {
        let is_buffer = |name: &str| buffers.iter().any(|buffer| buffer == name);
        let bare = statement.bare.as_str();
        for method in ADDING {
            if let Some((receiver, arguments)) = call_of(bare, method) {
                let given = named(arguments, buffers);
                // A buffer that is extended by itself grows, but is one.
                let suspicious = *method != "extend" && receiver.contains("buf");
                if self.outlives(receiver) && (given || suspicious) && !is_buffer(receiver) {
                    return Some(receiver.to_owned());
                }
            }
            // `heappush(self._kept, buf)`, `list.append(self._kept, buf)`.
            if statement.calls(method) && named(bare, buffers) {
                let at = bare.find(&format!("{method}(")).unwrap_or_default();
                let first = root(bare[at..].split_once('(').unwrap_or_default().1);
                if self.outlives(first) && !is_buffer(first) {
                    return Some(first.to_owned());
                }
            }
        }
        if REFLECTING.iter().any(|way| statement.names(way)) && named(bare, buffers) {
            return Some("self".to_owned());
        }
        let (target, rest) = bare.split_once('=')?;
        let target = target.trim_end().trim_end_matches(['+', '|']).trim();
        let (collection, entry) = target.split_once('[').unwrap_or((target, ""));
        let collection = collection.split(':').next().unwrap_or_default().trim();
        let grows = bare[..bare.len() - rest.len()].ends_with("+=")
            || !entry.is_empty()
            || (has_word(rest, collection) && !takes_out(rest));
        let held = named(rest, buffers);
        (grows && held && self.outlives(collection) && !is_buffer(collection))
            .then(|| collection.to_owned())
    }

    /// Whether a collection is there before and after the batch.
    fn outlives(&self, receiver: &str) -> bool {
        let name = first_name(receiver);
        if matches!(name, "self" | "cls" | "type") {
            return receiver.len() > name.len();
        }
        if name.is_empty() {
            return false;
        }
        let statements = self.python.statements();
        let statements = &statements[..statements.len().min(READ)];
        let default =
            self.function.head.names(name) && self.function.head.bare.contains(&format!("{name}="));
        let imports = |one: &Statement| {
            let imported = one.bare.starts_with("import ") || one.bare.starts_with("from ");
            imported && one.names(name)
        };
        let is_class = self.python.class(name).is_some() && receiver.len() > name.len();
        let kept = |one: &Statement| {
            one.assigned().is_some_and(|(target, value)| {
                let target = target.split('=').next().unwrap_or_default().trim();
                target == name && (one.indent == 0 || value.starts_with("self."))
            })
        };
        let is_import = || receiver.len() > name.len() && statements.iter().any(imports);
        default || is_class || statements.iter().any(kept) || is_import()
    }

    /// The path that a local name for a collection stands for.
    fn meant(&self, collection: &str) -> String {
        let path = root(collection);
        let stands = self.statements().find_map(|one| {
            let (target, value) = one.assigned()?;
            (target == path && value.starts_with("self.") && root(value) == value).then_some(value)
        });
        stands.unwrap_or(path).to_owned()
    }

    /// What becomes of what a statement keeps.
    fn fate(&self, keep: &Keep<'p>) -> Fate<'p> {
        let Some(kept) = self.flow.index(keep.statement) else {
            return Fate::Kept;
        };
        let name = keep.collection.rsplit('.').next().unwrap_or_default();
        let mut bounded = self.is_bounded(&keep.collection);
        let removing = self.python.statements().iter();
        let removing = removing.filter(|one| self.removes(one, &keep.collection));
        for one in removing.take(MOST) {
            let Some(at) = self.flow.index(one) else {
                continue;
            };
            match self.flow.runs_after(kept, at, name) {
                Runs::Always => return Fate::Released(one),
                Runs::WhenFull => bounded = true,
                Runs::Unsure => {}
            }
        }
        if bounded { Fate::Bounded } else { Fate::Kept }
    }

    /// Whether a statement does nothing but take out of a collection.
    fn removes(&self, one: &Statement, collection: &str) -> bool {
        let bare = one.bare.as_str();
        let maybe = [" if ", " and ", " or ", "lambda", " for "];
        let maybe = maybe.iter().any(|word| bare.contains(word));
        let assigned = one.assigned();
        let expression = assigned.map_or(bare, |(_, value)| value);
        let by_method = REMOVING.iter().any(|method| {
            let called = call_of(expression, method);
            called.is_some_and(|(receiver, _)| {
                // Not of a copy or slice.
                let whole = root(receiver) == receiver;
                whole && self.meant(receiver) == collection && expression.starts_with(receiver)
            })
        });
        // A slice that leaves some of it is no removal of what was just put in.
        let deleted = bare.strip_prefix("del ").is_some_and(|rest| {
            let index = rest.strip_prefix(collection).map_or("", str::trim);
            index.starts_with('[') && (index == "[:]" || !index.contains(':'))
        });
        let replaced = assigned.is_some_and(|(target, value)| {
            let emptied = matches!(value, "[]" | "list()" | "{}" | "set()" | "deque()");
            root(target) == collection && (emptied || takes_out(value))
        });
        (!maybe && (by_method || deleted)) || replaced
    }

    /// The statement that lets go of a buffer after each batch.
    fn release(&self, made: &[(&str, &Statement)], buffers: &[String]) -> Option<&'p Statement> {
        let mut found = self
            .statements()
            .filter(|one| releases(one, buffers))
            .take(MOST);
        found.find(|one| {
            let at = self.flow.index(one);
            let scoped = one.bare.starts_with("with ");
            made.iter().any(|(_, made)| {
                let pair = self.flow.index(made).zip(at);
                scoped
                    || pair.is_some_and(|(made, at)| {
                        self.flow.runs_after(made, at, "") == Runs::Always
                    })
            })
        })
    }

    /// Whether a collection drops what is too much.
    fn is_bounded(&self, collection: &str) -> bool {
        let mut made = self.python.statements().iter();
        let all_but_the_last = format!("del {collection}[:-");
        made.any(|one| {
            if one.bare.starts_with(&all_but_the_last) {
                return true;
            }
            let made = one.assigned().filter(|(target, _)| *target == collection);
            let limit = made.and_then(|(_, value)| value.split_once("maxlen="));
            limit.is_some_and(|(_, rest)| {
                let end = rest.find([',', ')']).unwrap_or(rest.len());
                number(self.python, &rest[..end]).is_some()
            })
        })
    }
}

/// Whether a text names a buffer, other than for its length.
fn named(text: &str, buffers: &[String]) -> bool {
    buffers.iter().any(|buffer| {
        let text = text.replace(&format!("len({buffer})"), "");
        has_word(&text, buffer)
    })
}

fn is_copying(call: &str) -> bool {
    call.is_empty() || COPYING.contains(&call) || call == "len"
}

/// Whether a value is a collection without some of what is in it: a filter that
/// leaves the buffer out.
fn takes_out(value: &str) -> bool {
    let filters = value.contains(" for ") && value.contains(" if ");
    filters && (value.contains(" is not ") || value.contains("!="))
}

/// Whether a statement lets go of a buffer.
fn releases(statement: &Statement, buffers: &[String]) -> bool {
    buffers.iter().any(|buffer| {
        let deleted = statement.bare.starts_with("del ") && statement.names(buffer);
        let emptied = statement.assigned() == Some((buffer.as_str(), "None"));
        let scoped = statement.bare.starts_with("with ") && statement.names(buffer);
        let cleared = call_of(&statement.bare, "clear");
        deleted || emptied || scoped || cleared.is_some_and(|(receiver, _)| receiver == buffer)
    })
}
