//! Whether a statement runs whenever another one has run: by indentation, the
//! heads of blocks, what leaves a function, and who calls whom in a file.

use proctor_grader::python::{Python, Statement};

/// Calls that are followed outwards, and callers of one function.
const DEPTH: usize = 4;
const CALLERS: usize = 8;
/// Statements that leave something which are looked at; more are a maze.
const EXITS: usize = 200;
/// Functions that run when an object is made, not while it works.
const MAKING: [&str; 3] = ["__init__", "__post_init__", "__new__"];

/// A file by the places of its statements.
pub(crate) struct Flow<'p> {
    statements: &'p [Statement],
}

/// How sure it is that a statement runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Runs {
    Unsure,
    /// Under a condition on the collection that it is about.
    WhenFull,
    Always,
}

impl<'p> Flow<'p> {
    pub(crate) fn of(python: &'p Python) -> Self {
        Self {
            statements: python.statements(),
        }
    }

    pub(crate) fn index(&self, statement: &Statement) -> Option<usize> {
        let first = self
            .statements
            .partition_point(|one| one.line < statement.line);
        let mut same = (first..).zip(self.statements.get(first..)?);
        same.find(|(_, one)| std::ptr::eq(*one, statement))
            .map(|(index, _)| index)
    }

    /// The heads of the blocks that a statement is in, the innermost first.
    pub(crate) fn heads(&self, index: usize) -> Vec<usize> {
        let mut heads = Vec::new();
        let Some(mut indent) = self.statements.get(index).map(|one| one.indent) else {
            return heads;
        };
        for (before, one) in self.statements[..index].iter().enumerate().rev() {
            if indent == 0 {
                break;
            }
            if one.indent < indent {
                heads.push(before);
                indent = one.indent;
            }
        }
        heads
    }

    /// The head of the function that a statement is in.
    pub(crate) fn function(&self, index: usize) -> Option<usize> {
        let mut heads = self.heads(index).into_iter();
        heads.find(|head| is_function(&self.statements[*head]))
    }

    /// Whether `later` runs whenever `earlier` has, in the functions that both
    /// are in or are called from. `about`: a collection, a condition on whose
    /// size is not as bad as others.
    pub(crate) fn runs_after(&self, earlier: usize, later: usize, about: &str) -> Runs {
        let mut most = Runs::Unsure;
        for from in self.places(earlier, about) {
            for to in self.places(later, about) {
                if from.function == to.function && from.at != to.at {
                    let runs = self.runs(Some(from.at), to.at, about);
                    most = most.max(runs.min(to.runs));
                }
            }
        }
        most
    }

    /// A statement, and the calls that lead to it.
    fn places(&self, index: usize, about: &str) -> Vec<Place> {
        let mut places = vec![Place {
            function: self.function(index),
            at: index,
            runs: Runs::Always,
        }];
        let mut next = 0;
        while let Some(place) = places.get(next).copied() {
            next += 1;
            let Some(head) = place.function.filter(|_| next <= DEPTH * CALLERS) else {
                continue;
            };
            let name = name_of(&self.statements[head]);
            if name.is_empty() || MAKING.contains(&name) {
                continue;
            }
            let runs = self.runs(Some(head), place.at, about).min(place.runs);
            let calls = (0..)
                .zip(self.statements)
                .filter(|(_, one)| one.calls(name));
            for (at, _) in calls.take(CALLERS) {
                let function = self.function(at);
                if !places.iter().any(|known| known.function == function) {
                    places.push(Place { function, at, runs });
                }
            }
        }
        places
    }

    /// Whether a statement runs once the one at `from` has, or its function
    /// was called.
    fn runs(&self, from: Option<usize>, index: usize, about: &str) -> Runs {
        let start = from.unwrap_or(0);
        if index <= start || !is_plain(&self.statements[index]) {
            return Runs::Unsure;
        }
        let mut shared = self.heads(start);
        shared.push(start);
        let heads = self.heads(index);
        let own = heads.iter().copied().filter(|head| !shared.contains(head));
        let own: Vec<usize> = own.collect();
        let mut runs = Runs::Always;
        for head in &own {
            let head = &self.statements[*head];
            if begins_with(head, &["try", "finally", "with", "async"]) && !is_function(head) {
                continue;
            }
            if is_presence(head, about, &self.statements[index]) {
                continue;
            }
            let sized = begins_with(head, &["if", "while"]) && head.bare.contains(about);
            if about.is_empty() || !sized {
                return Runs::Unsure;
            }
            runs = Runs::WhenFull;
        }
        if self.is_left(start, index, &heads, &own) {
            return Runs::Unsure;
        }
        runs
    }

    /// Whether something between two statements leaves before the second one.
    fn is_left(&self, start: usize, index: usize, heads: &[usize], own: &[usize]) -> bool {
        let finallies = own.iter().copied().filter(|head| {
            let head = &self.statements[*head];
            begins_with(head, &["finally"])
        });
        let guarded: Vec<(usize, usize)> = finallies
            .filter_map(|head| {
                let indent = self.statements[head].indent;
                let before = self.statements[..head].iter().enumerate().rev();
                let opened = before
                    .take_while(|(_, one)| one.indent >= indent)
                    .find(|(_, one)| one.indent == indent && begins_with(one, &["try"]))?;
                Some((opened.0, head))
            })
            .collect();
        let mut seen = 0;
        for at in start + 1..index {
            let one = &self.statements[at];
            let Some(word) = leaves(one) else { continue };
            seen += 1;
            if seen > EXITS {
                return true;
            }
            if guarded.iter().any(|(from, to)| *from < at && at < *to) {
                continue;
            }
            let around = self.heads(at);
            let inner = around.iter().take_while(|head| !heads.contains(head));
            let inner: Vec<&Statement> = inner.map(|head| &self.statements[*head]).collect();
            if inner.iter().any(|head| is_function(head)) {
                continue;
            }
            let in_loop = inner
                .iter()
                .any(|head| begins_with(head, &["for", "while"]));
            let passes = match word {
                // What is raised under a condition is an exception, not the rule.
                "raise" => !inner.is_empty() || !is_plain(one),
                "continue" | "break" => in_loop,
                _ => false,
            };
            if !passes {
                return true;
            }
        }
        false
    }
}

/// A statement that leads to another one.
#[derive(Clone, Copy)]
struct Place {
    function: Option<usize>,
    at: usize,
    runs: Runs,
}

/// The word that a statement leaves a block or function with, also behind
/// `if ...:` on one line.
fn leaves(statement: &Statement) -> Option<&'static str> {
    let bare = statement.bare.as_str();
    let simple = match bare.rsplit_once(": ") {
        Some((_, rest)) if !is_plain(statement) => rest,
        _ => bare,
    };
    let word = ["return", "raise", "continue", "break"]
        .into_iter()
        .find(|word| starts_with_word(simple, word));
    let quits = ["sys.exit(", "os._exit(", "exit(", "quit("];
    word.or_else(|| {
        let quits = quits.iter().any(|call| simple.starts_with(call));
        quits.then_some("return")
    })
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(|char: char| char.is_alphanumeric() || char == '_'))
}

/// Whether a head only asks whether what the statement below it takes out of a
/// collection is in it: `if buf in self._buffers:`.
fn is_presence(head: &Statement, collection: &str, below: &Statement) -> bool {
    let test = head
        .bare
        .strip_prefix("if ")
        .and_then(|rest| rest.strip_suffix(':'));
    let Some((one, path)) = test.and_then(|test| test.split_once(" in ")) else {
        return false;
    };
    let is_name = |text: &str| {
        text.chars()
            .all(|char| char.is_alphanumeric() || char == '_')
    };
    let last = path.trim().rsplit('.').next();
    !collection.is_empty() && is_name(one) && last == Some(collection) && below.names(one)
}

fn begins_with(statement: &Statement, words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| starts_with_word(&statement.bare, word))
}

/// Whether it is no head of a block, also not one on a line with its block.
fn is_plain(statement: &Statement) -> bool {
    let heads = [
        "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "match", "case",
        "def", "class", "async",
    ];
    !begins_with(statement, &heads)
}

pub(crate) fn is_function(statement: &Statement) -> bool {
    let rest = statement.bare.strip_prefix("async ");
    starts_with_word(rest.unwrap_or(&statement.bare), "def")
}

/// The name of a function by its head.
fn name_of(head: &Statement) -> &str {
    let rest = head.bare.split_once("def ").map_or("", |(_, rest)| rest);
    rest.split('(').next().unwrap_or_default().trim()
}

/// Whether a function runs when an object is made.
pub(crate) fn is_making(name: &str) -> bool {
    MAKING.contains(&name)
}
