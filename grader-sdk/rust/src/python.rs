//! Python source as far as a grader needs it: statements without comments,
//! bodies of functions and classes, assignments, calls.
//!
//! ```
//! use proctor_grader::python::Python;
//!
//! let source = Python::parse("\
//! class Worker:
//!     def run(self) -> None:
//!         client = connect(  # a client for each run
//!             host='redis')
//!         client.push(\"connect()\")
//!
//! LIMIT: int = 20
//! ");
//! let run = source.function("run").unwrap();
//! assert_eq!(run.body.iter().filter(|statement| statement.calls("connect")).count(), 1);
//! assert_eq!(run.body[0].assigned().unwrap(), ("client", "connect( host='redis')"));
//! let limit = source.assignments("LIMIT").next().unwrap();
//! assert_eq!((limit.line, limit.assigned().unwrap().1), (7, "20"));
//! ```
//!
//! This is a reader, not a compiler: it goes by indentation, brackets and
//! quotation marks. What is no Python gives statements that make no sense, in
//! time linear in the length of the text.

use std::ops::Range;

/// Spaces that a tab is worth.
const TAB: usize = 8;

/// A file of Python by its statements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Python {
    statements: Vec<Statement>,
}

/// A statement: a line with those that continue it, without comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Line that it begins on, from 1.
    pub line: u64,
    /// How far it is indented, in columns.
    pub indent: usize,
    /// The statement on one line.
    pub code: String,
    /// The same with blanks in place of what stands in quotation marks: as long
    /// as [`code`](Self::code), byte by byte.
    pub bare: String,
}

/// A function or class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition<'p> {
    /// Its name.
    pub name: &'p str,
    /// The statement that begins it: `def run(self):`.
    pub head: &'p Statement,
    /// Decorators, in order.
    pub decorators: &'p [Statement],
    /// The statements in it, at any depth.
    pub body: &'p [Statement],
}

impl Python {
    /// Reads a text; never fails.
    pub fn parse(text: &str) -> Self {
        Reader::new(text).read()
    }

    /// All statements in order, those in functions and classes included.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Functions and methods at any depth, in order.
    pub fn functions(&self) -> impl Iterator<Item = Definition<'_>> {
        definitions(&self.statements, "def")
    }

    /// The first function or method of that name.
    pub fn function(&self, name: &str) -> Option<Definition<'_>> {
        self.functions().find(|function| function.name == name)
    }

    /// The first class of that name.
    pub fn class(&self, name: &str) -> Option<Definition<'_>> {
        definitions(&self.statements, "class").find(|class| class.name == name)
    }

    /// Statements at any depth that assign to exactly this target: `LIMIT`,
    /// `self.client`. In a text with several the last one is what counts.
    pub fn assignments<'p>(&'p self, target: &'p str) -> impl Iterator<Item = &'p Statement> {
        let to = move |statement: &&Statement| {
            statement.assigned().is_some_and(|(name, _)| name == target)
        };
        self.statements.iter().filter(to)
    }
}

impl<'p> Definition<'p> {
    /// Functions in it, at any depth, in order.
    pub fn functions(&self) -> impl Iterator<Item = Definition<'p>> + use<'p> {
        definitions(self.body, "def")
    }

    /// Whether it has a decorator of that name, with or without arguments and
    /// whatever module it is taken from.
    pub fn is_decorated(&self, name: &str) -> bool {
        self.decorators.iter().any(|decorator| {
            let path = decorator.bare.trim_start_matches('@');
            let path = path.split('(').next().unwrap_or_default().trim();
            path.rsplit('.').next() == Some(name)
        })
    }
}

impl Statement {
    /// Target and value of an assignment with `=`, an annotation left out.
    /// Nothing for other statements, also for `+=`.
    pub fn assigned(&self) -> Option<(&str, &str)> {
        let at = equals(self.bare.as_bytes())?;
        let target = self.bare[..at].split(':').next().unwrap_or_default().trim();
        Some((target, self.code[at + 1..].trim()))
    }

    /// Whether it calls a function of that name, whatever it is taken from:
    /// `connect()`, `redis.connect()`. A definition is no call.
    pub fn calls(&self, name: &str) -> bool {
        let defines = |at: usize| {
            let before = self.bare[..at].trim_end();
            before.ends_with("def") || before.ends_with("class")
        };
        self.places(name)
            .any(|at| self.bare[at.end..].trim_start().starts_with('(') && !defines(at.start))
    }

    /// Whether a name stands in it, outside of quotation marks.
    pub fn names(&self, name: &str) -> bool {
        self.places(name).next().is_some()
    }

    /// Where a name stands, as a whole word.
    fn places<'s>(&'s self, name: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
        let outside = |char: Option<char>| !char.is_some_and(is_word);
        let whole = move |at: &Range<usize>| {
            outside(self.bare[..at.start].chars().next_back())
                && outside(self.bare[at.end..].chars().next())
        };
        let found = self.bare.match_indices(name);
        found
            .filter(|_| !name.is_empty())
            .map(|(at, found)| at..at + found.len())
            .filter(whole)
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Where the `=` of an assignment stands: outside of brackets, and no part of a
/// comparison or another operator.
fn equals(bare: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bare.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'=' if depth == 0 => {
                let before = at.checked_sub(1).map_or(b' ', |at| bare[at]);
                let compares = bare.get(at + 1) == Some(&b'=');
                let operator = b"=!<>+-*/%&|^@:".contains(&before);
                return (!compares && !operator).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// Definitions among statements, at any depth.
fn definitions<'p>(
    statements: &'p [Statement],
    keyword: &'static str,
) -> impl Iterator<Item = Definition<'p>> + use<'p> {
    let heads = statements.iter().enumerate();
    heads.filter_map(move |(index, head)| {
        let rest = head.bare.strip_prefix("async ").unwrap_or(&head.bare);
        let rest = rest.strip_prefix(keyword)?.strip_prefix([' ', '\t'])?;
        let rest = rest.trim_start();
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        let inside = |statement: &Statement| statement.indent > head.indent;
        let body = &statements[index + 1..];
        let length = body.iter().take_while(|one| inside(one)).count();
        let decorates = |one: &&Statement| one.indent == head.indent && one.bare.starts_with('@');
        let decorators = statements[..index].iter().rev().take_while(decorates);
        let decorators = decorators.count();
        Some(Definition {
            name: &rest[..end],
            head,
            decorators: &statements[index - decorators..index],
            body: &body[..length],
        })
    })
}

/// Reads statements.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u64,
    /// Open brackets.
    depth: usize,
    python: Python,
    /// The statement that is being read.
    current: Option<Statement>,
    /// Indentation of the line that it began on.
    indent: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            depth: 0,
            python: Python::default(),
            current: None,
            indent: 0,
        }
    }

    fn read(mut self) -> Python {
        let mut at_start = true;
        while let Some(char) = self.peek() {
            if std::mem::take(&mut at_start) && self.current.is_none() {
                self.indent = self.take_indent();
                continue;
            }
            match char {
                '\n' => {
                    self.skip(char);
                    if self.depth == 0 {
                        self.finish();
                        at_start = true;
                    } else {
                        self.blank();
                    }
                }
                '\\' if self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r\n") => {
                    while self.peek().is_some_and(|char| char != '\n') {
                        self.skip('\\');
                    }
                    self.skip('\n');
                    self.blank();
                }
                '#' => {
                    while let Some(char) = self.peek().filter(|char| *char != '\n') {
                        self.skip(char);
                    }
                }
                ';' if self.depth == 0 => {
                    self.skip(char);
                    self.finish();
                }
                '"' | '\'' => self.string(char),
                ' ' | '\t' | '\r' | '\u{c}' => {
                    self.skip(char);
                    self.blank();
                }
                _ => {
                    match char {
                        '(' | '[' | '{' => self.depth += 1,
                        ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    self.skip(char);
                    self.push(char, true);
                }
            }
        }
        self.finish();
        self.python
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, char: char) {
        self.at += char.len_utf8();
        self.line += u64::from(char == '\n');
    }

    fn take_indent(&mut self) -> usize {
        let mut indent = 0;
        while let Some(char @ (' ' | '\t')) = self.peek() {
            indent += if char == '\t' { TAB - indent % TAB } else { 1 };
            self.skip(char);
        }
        indent
    }

    /// A string, over lines where it has three quotation marks.
    fn string(&mut self, quote: char) {
        let long: String = [quote; 3].iter().collect();
        let is_long = self.rest().starts_with(&long);
        let mark = if is_long { &long[..] } else { &long[..1] };
        for _ in 0..mark.len() {
            self.skip(quote);
            self.push(quote, true);
        }
        while let Some(char) = self.peek() {
            if self.rest().starts_with(mark) {
                for _ in 0..mark.len() {
                    self.skip(quote);
                    self.push(quote, true);
                }
                return;
            }
            if char == '\n' && !is_long {
                return;
            }
            self.skip(char);
            self.push(if char == '\n' { ' ' } else { char }, false);
            if char == '\\'
                && let Some(escaped) = self.peek()
            {
                // Also in a raw string a quotation mark behind it ends nothing.
                self.skip(escaped);
                self.push(if escaped == '\n' { ' ' } else { escaped }, false);
            }
        }
    }

    /// White space: one blank between words, none at the beginning.
    fn blank(&mut self) {
        if let Some(current) = &self.current
            && !current.code.ends_with(' ')
        {
            self.push(' ', true);
        }
    }

    fn push(&mut self, char: char, bare: bool) {
        let (line, indent) = (self.line, self.indent);
        let current = self.current.get_or_insert_with(|| Statement {
            line,
            indent,
            code: String::new(),
            bare: String::new(),
        });
        current.code.push(char);
        if bare {
            current.bare.push(char);
        } else {
            current
                .bare
                .extend(std::iter::repeat_n(' ', char.len_utf8()));
        }
    }

    fn finish(&mut self) {
        if let Some(mut statement) = self.current.take() {
            let length = statement.code.trim_end().len();
            statement.code.truncate(length);
            statement.bare.truncate(length);
            if !statement.code.is_empty() {
                self.python.statements.push(statement);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<(u64, usize, String)> {
        let python = Python::parse(text);
        let statements = python.statements().iter();
        statements
            .map(|one| (one.line, one.indent, one.code.clone()))
            .collect()
    }

    #[test]
    fn statements_are_lines_without_comments() {
        let text =
            "a = 1  # one\n\n# b = 2\nif a:\n\tb = [1,\n  2]  # two\n    c = a + \\\n 3; d = 4\n";
        assert_eq!(
            codes(text),
            [
                (1, 0, "a = 1".to_owned()),
                (4, 0, "if a:".to_owned()),
                (5, 8, "b = [1, 2]".to_owned()),
                (7, 4, "c = a + 3".to_owned()),
                (8, 4, "d = 4".to_owned()),
            ]
        );
    }

    #[test]
    fn what_is_quoted_is_no_code() {
        let text = "x = 'a # b; connect()' + \"it's \\\" connect()\"\n'''\nconnect()\n'''\ny = 'r' # z\nz = connect ()\n";
        let python = Python::parse(text);
        let calling: Vec<u64> = python
            .statements()
            .iter()
            .filter(|one| one.calls("connect"))
            .map(|one| one.line)
            .collect();
        assert_eq!(calling, [6]);
        assert!(python.statements()[0].code.contains("# b; connect()"));
        for statement in python.statements() {
            assert_eq!(statement.code.len(), statement.bare.len());
        }
    }

    #[test]
    fn bodies_go_by_indentation() {
        let text = "class A:\n    x: int = 1\n\n    @staticmethod\n    @functools.cache\n    def f(\n        a,\n    ):\n        '''Doc.'''\n        return g(a)\n\n    async def h(self): pass\n\ndef g(): pass\n";
        let python = Python::parse(text);
        let a = python.class("A").unwrap();
        assert_eq!(a.body.len(), 7);
        let f = python.function("f").unwrap();
        assert_eq!(f.body.len(), 2);
        assert!(f.is_decorated("cache") && f.is_decorated("staticmethod"));
        assert!(!f.is_decorated("functools"));
        assert!(f.body[1].calls("g") && !f.head.calls("f"));
        let names: Vec<&str> = a.functions().map(|function| function.name).collect();
        assert_eq!(names, ["f", "h"]);
        assert_eq!(python.functions().count(), 3);
        assert_eq!(python.assignments("x").count(), 1);
    }

    #[test]
    fn assignments_are_told_from_what_has_an_equals_sign() {
        for (text, expected) in [
            ("a = b == c", Some(("a", "b == c"))),
            ("a: dict[str, int] = {}", Some(("a", "{}"))),
            ("self.a = f(x=1)", Some(("self.a", "f(x=1)"))),
            ("a += 1", None),
            ("f(a=1)", None),
            ("assert a == b", None),
            ("a <= b", None),
            ("a != b", None),
        ] {
            let python = Python::parse(text);
            assert_eq!(python.statements()[0].assigned(), expected, "{text}");
        }
    }

    #[test]
    fn anything_is_survived() {
        for text in [
            "",
            "'",
            "\"\"\"",
            "(",
            ")))\nx",
            "\\",
            "\u{feff}é = 'ü",
            "def",
            "@",
            "\t",
        ] {
            let python = Python::parse(text);
            assert!(python.function("x").is_none());
        }
        let deep = "(".repeat(100_000) + "\n" + &"\"\"\"".repeat(10_001);
        assert!(Python::parse(&deep).statements().len() <= 1);
    }
}
