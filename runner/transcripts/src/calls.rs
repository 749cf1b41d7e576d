//! Calls of tools and the results that answer them.

use std::collections::{HashMap, HashSet};

/// The calls of a transcript. Agents number them as they like, some anew in
/// every reply: here each has an identifier of its own.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    all: Vec<Call>,
    by_native: HashMap<String, Native>,
    taken: HashSet<String>,
}

#[derive(Debug)]
struct Call {
    id: String,
    tool: String,
    answered: bool,
}

/// The calls that the agent gave one identifier.
#[derive(Debug, Default)]
struct Native {
    calls: Vec<usize>,
    /// How many of them, from the first on, are answered.
    answered: usize,
    /// The number after the identifier that is tried next.
    suffix: u64,
}

/// The call that a result answers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// Its unique identifier.
    pub(crate) id: String,
    /// Its tool.
    pub(crate) tool: String,
    /// Whether it had been answered before.
    pub(crate) again: bool,
}

impl Calls {
    /// A call that the agent gave the identifier `native` (which may be empty);
    /// gives the unique one.
    pub(crate) fn add(&mut self, native: &str, tool: &str) -> String {
        let index = self.all.len();
        let base = if native.is_empty() {
            format!("call_{}", index + 1)
        } else {
            native.to_owned()
        };
        let entry = self.by_native.entry(native.to_owned()).or_default();
        let mut id = base.clone();
        while !self.taken.insert(id.clone()) {
            entry.suffix = entry.suffix.max(1) + 1;
            id = format!("{base}#{}", entry.suffix);
        }
        entry.calls.push(index);
        self.all.push(Call {
            id: id.clone(),
            tool: tool.to_owned(),
            answered: false,
        });
        id
    }

    /// Whether the agent gave `native` to a call.
    pub(crate) fn has(&self, native: &str) -> bool {
        self.by_native.contains_key(native)
    }

    /// The tool of the call that the next result for `native` answers.
    pub(crate) fn tool(&self, native: &str) -> Option<&str> {
        let entry = self.by_native.get(native)?;
        let index = entry.calls.get(entry.answered).or(entry.calls.last())?;
        Some(&self.all[*index].tool)
    }

    /// A result for `native`: it answers the oldest call of that identifier
    /// that has no answer, else the last one once more. Nothing where there is
    /// no such call; the identifier is then no later call's.
    pub(crate) fn answer(&mut self, native: &str) -> Option<Answered> {
        let Some(entry) = self.by_native.get_mut(native) else {
            self.taken.insert(native.to_owned());
            return None;
        };
        let index = match entry.calls.get(entry.answered) {
            Some(index) => {
                entry.answered += 1;
                *index
            }
            None => *entry.calls.last()?,
        };
        let call = &mut self.all[index];
        Some(Answered {
            id: call.id.clone(),
            tool: call.tool.clone(),
            again: std::mem::replace(&mut call.answered, true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_unique_and_results_answer_in_order() {
        let mut calls = Calls::default();
        let ids = ["a", "a", "", "a#2", "a", ""].map(|native| calls.add(native, "exec"));
        assert_eq!(ids, ["a", "a#2", "call_3", "a#2#2", "a#3", "call_6"]);
        let answers = ["a", "a", "a#2", "", "", "a", "a"].map(|native| {
            let answered = calls.answer(native).unwrap();
            (answered.id, answered.again)
        });
        let expected = [
            ("a", false),
            ("a#2", false),
            ("a#2#2", false),
            ("call_3", false),
            ("call_6", false),
            ("a#3", false),
            ("a#3", true),
        ];
        assert_eq!(answers, expected.map(|(id, again)| (id.to_owned(), again)));
    }

    #[test]
    fn a_result_without_a_call_keeps_its_identifier_to_itself() {
        let mut calls = Calls::default();
        assert_eq!(calls.answer("x"), None);
        assert_eq!(calls.add("x", "exec"), "x#2");
        assert_eq!(calls.answer("x").unwrap().id, "x#2");
    }

    #[test]
    fn many_calls_of_one_identifier_take_no_quadratic_time() {
        let mut calls = Calls::default();
        for number in 2..=100_000 {
            calls.add(&format!("a#{number}"), "exec");
        }
        let last = (0..100_000).map(|_| calls.add("a", "exec")).last().unwrap();
        assert_eq!(last, "a#199999");
    }
}
