//! From tokens to what a query says.
//!
//! ```text
//! query  = { term | "OR" | "AND" }            terms must all match;
//!                                             OR binds its two neighbours
//! term   = { "-" } ( "(" query ")" | "{" query "}" | operator | words )
//! operator = NAME ":" ( word | quoted | "(" query ")" | "{" query "}" )
//! words  = word | quoted | words "AROUND" NUMBER words
//! ```
//! Nothing is an error. A bracket that is never closed closes at the end, one
//! that was never opened is skipped, and what nothing follows (`-`, `OR`,
//! `from:`) asks for nothing.

use super::lex::{Token, tokens};

/// Longest query in bytes; the rest is not read.
const LONGEST: usize = 8 << 10;
/// Most things that a query can ask for; the rest is not asked.
const MOST_TERMS: usize = 256;
/// Deepest nesting; brackets further down are not seen.
const DEEPEST: usize = 40;

/// What a query says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expr {
    /// Nothing.
    Nothing,
    /// All of these.
    All(Vec<Expr>),
    /// One of these.
    Any(Vec<Expr>),
    /// Not this.
    Not(Box<Expr>),
    /// A word or a phrase.
    Words(String),
    /// Two phrases with at most so many words between them.
    Near {
        /// One of them.
        left: String,
        /// The other one.
        right: String,
        /// Words between them, at most.
        distance: u32,
        /// Whether `left` must come first.
        ordered: bool,
    },
    /// An operator and its value.
    Is(Operator, String),
}

/// The operators of Gmail's search
/// (<https://support.google.com/mail/answer/7190>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    From,
    To,
    Cc,
    Bcc,
    Subject,
    Label,
    Category,
    Is,
    In,
    Has,
    Filename,
    Larger,
    Smaller,
    NewerThan,
    OlderThan,
    After,
    Before,
    MessageId,
    DeliveredTo,
    List,
}

impl Operator {
    /// The operator with this name, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "from" => Self::From,
            "to" => Self::To,
            "cc" => Self::Cc,
            "bcc" => Self::Bcc,
            "subject" => Self::Subject,
            "label" => Self::Label,
            "category" => Self::Category,
            "is" => Self::Is,
            "in" => Self::In,
            "has" => Self::Has,
            "filename" => Self::Filename,
            "larger" | "size" => Self::Larger,
            "smaller" => Self::Smaller,
            "newer_than" => Self::NewerThan,
            "older_than" => Self::OlderThan,
            "after" | "newer" => Self::After,
            "before" | "older" => Self::Before,
            "rfc822msgid" => Self::MessageId,
            "deliveredto" => Self::DeliveredTo,
            "list" => Self::List,
            _ => return None,
        })
    }
}

/// Reads a query.
pub(super) fn parse(text: &str) -> Expr {
    let text = text
        .get(..text.floor_char_boundary(LONGEST))
        .unwrap_or_default();
    let tokens = tokens(text);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        depth: 0,
        unseen: 0,
        terms: 0,
    };
    reader.list(None, false)
}

struct Reader<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: usize,
    /// Open brackets that were too deep to be seen.
    unseen: usize,
    terms: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Terms up to the bracket that closes them. `operator` is the one that
    /// stands before the bracket and holds for every word in it.
    fn list(&mut self, operator: Option<Operator>, any: bool) -> Expr {
        let mut terms: Vec<Expr> = Vec::new();
        let mut or = false;
        while let Some(token) = self.peek() {
            match token {
                Token::Close | Token::CloseAny => {
                    self.at += 1;
                    if self.unseen > 0 {
                        self.unseen -= 1;
                    } else if self.depth > 0 {
                        break;
                    }
                }
                Token::Or => {
                    self.at += 1;
                    or = !terms.is_empty();
                }
                Token::And => self.at += 1,
                Token::Around(distance) => {
                    self.at += 1;
                    self.near(&mut terms, distance);
                }
                _ => {
                    let term = self.term(operator);
                    match terms.pop() {
                        Some(last) if or => terms.push(either(last, term)),
                        last => {
                            terms.extend(last);
                            terms.push(term);
                        }
                    }
                    or = false;
                }
            }
        }
        group(terms, any)
    }

    /// `left AROUND n right`; without words on both sides it asks for nothing.
    fn near(&mut self, terms: &mut Vec<Expr>, distance: u32) {
        let (Some(Expr::Words(left)), Some(Token::Word(right) | Token::Quoted(right))) =
            (terms.last(), self.peek())
        else {
            return;
        };
        let near = Expr::Near {
            left: left.clone(),
            right: right.to_owned(),
            distance,
            ordered: false,
        };
        self.at += 1;
        terms.pop();
        terms.push(near);
    }

    fn term(&mut self, operator: Option<Operator>) -> Expr {
        let mut negated = false;
        while self.peek() == Some(Token::Not) {
            self.at += 1;
            negated = true;
        }
        let term = match self.peek() {
            Some(Token::Open) => self.brackets(operator, false),
            Some(Token::OpenAny) => self.brackets(operator, true),
            Some(Token::Word(text) | Token::Quoted(text)) => {
                self.at += 1;
                self.leaf(operator, text)
            }
            Some(Token::Operator(named, value)) => {
                self.at += 1;
                self.value(named, value)
            }
            _ => Expr::Nothing,
        };
        match term {
            Expr::Nothing => Expr::Nothing,
            term if negated => Expr::Not(Box::new(term)),
            term => term,
        }
    }

    /// The value of an operator: what follows the colon, or the next words or
    /// brackets.
    fn value(&mut self, operator: Operator, value: &str) -> Expr {
        if !value.is_empty() {
            return self.leaf(Some(operator), value);
        }
        match self.peek() {
            Some(Token::Open) => self.brackets(Some(operator), false),
            Some(Token::OpenAny) => self.brackets(Some(operator), true),
            Some(Token::Word(text) | Token::Quoted(text)) => {
                self.at += 1;
                self.leaf(Some(operator), text)
            }
            _ => Expr::Nothing,
        }
    }

    fn brackets(&mut self, operator: Option<Operator>, any: bool) -> Expr {
        self.next();
        if self.depth >= DEEPEST {
            self.unseen += 1;
            return Expr::Nothing;
        }
        self.depth += 1;
        let expr = self.list(operator, any);
        self.depth -= 1;
        expr
    }

    fn leaf(&mut self, operator: Option<Operator>, text: &str) -> Expr {
        self.terms += 1;
        if self.terms > MOST_TERMS || text.trim().is_empty() {
            return Expr::Nothing;
        }
        match operator {
            Some(operator) => Expr::Is(operator, text.trim().to_owned()),
            None => quoted_near(text).unwrap_or_else(|| Expr::Words(text.to_owned())),
        }
    }
}

/// `"left AROUND n right"` in quotes keeps the order of its sides.
fn quoted_near(text: &str) -> Option<Expr> {
    let (left, rest) = text.split_once(" AROUND ")?;
    let (number, right) = rest.trim_start().split_once(' ')?;
    let distance = number.parse().ok()?;
    Some(Expr::Near {
        left: left.to_owned(),
        right: right.to_owned(),
        distance,
        ordered: true,
    })
}

/// `left OR right`, in one list with what is already there.
fn either(left: Expr, right: Expr) -> Expr {
    match left {
        Expr::Any(mut terms) => {
            terms.push(right);
            group(terms, true)
        }
        left => group(vec![left, right], true),
    }
}

fn group(mut terms: Vec<Expr>, any: bool) -> Expr {
    terms.retain(|term| *term != Expr::Nothing);
    if terms.len() > 1 {
        return if any {
            Expr::Any(terms)
        } else {
            Expr::All(terms)
        };
    }
    terms.pop().unwrap_or(Expr::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        fn show(expr: &Expr) -> String {
            let list = |terms: &[Expr]| terms.iter().map(show).collect::<Vec<_>>().join(" ");
            match expr {
                Expr::Nothing => "()".into(),
                Expr::All(terms) => format!("(all {})", list(terms)),
                Expr::Any(terms) => format!("(any {})", list(terms)),
                Expr::Not(term) => format!("-{}", show(term)),
                Expr::Words(text) => format!("'{text}'"),
                Expr::Near {
                    left,
                    right,
                    distance,
                    ordered,
                } => {
                    format!(
                        "({left} {}{distance} {right})",
                        if *ordered { "<" } else { "~" }
                    )
                }
                Expr::Is(operator, value) => format!("{operator:?}={value}"),
            }
        }
        show(&parse(text))
    }

    #[test]
    fn terms_and_their_connectives() {
        for (query, expected) in [
            ("", "()"),
            ("a", "'a'"),
            ("a b", "(all 'a' 'b')"),
            ("a AND b", "(all 'a' 'b')"),
            ("a OR b", "(any 'a' 'b')"),
            ("a | b", "(any 'a' 'b')"),
            ("a OR b OR c", "(any 'a' 'b' 'c')"),
            ("a b OR c d", "(all 'a' (any 'b' 'c') 'd')"),
            ("{a b}", "(any 'a' 'b')"),
            ("{a b} c", "(all (any 'a' 'b') 'c')"),
            ("(a b) OR c", "(any (all 'a' 'b') 'c')"),
            (
                "-a -(b c) -{d e}",
                "(all -'a' -(all 'b' 'c') -(any 'd' 'e'))",
            ),
            ("--a", "-'a'"),
            ("\"a b\" c", "(all 'a b' 'c')"),
            ("+a +\"b c\"", "(all 'a' 'b c')"),
            ("a AROUND 3 b", "(a ~3 b)"),
            ("a AROUND 3 \"b c\" d", "(all (a ~3 b c) 'd')"),
            ("\"a AROUND 3 b\"", "(a <3 b)"),
            ("or and Or", "(all 'or' 'and' 'Or')"),
            ("well-known a-b", "(all 'well-known' 'a-b')"),
        ] {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn operators_and_their_values() {
        for (query, expected) in [
            ("from:ada", "From=ada"),
            ("FROM:ada", "From=ada"),
            ("from: ada", "From=ada"),
            ("from:\"ada l\"", "From=ada l"),
            ("subject:(a b)", "(all Subject=a Subject=b)"),
            ("subject:(a OR -b)", "(any Subject=a -Subject=b)"),
            ("from:{a b} c", "(all (any From=a From=b) 'c')"),
            ("subject:(a from:b)", "(all Subject=a From=b)"),
            ("-in:inbox", "-In=inbox"),
            ("subject:re:x", "Subject=re:x"),
            ("rfc822msgid:<a-b@c>", "MessageId=<a-b@c>"),
            (
                "newer_than:2d older:2026/01/02",
                "(all NewerThan=2d Before=2026/01/02)",
            ),
            ("size:5 larger:1M", "(all Larger=5 Larger=1M)"),
            ("rfc822msgid: is:unread", "Is=unread"),
            ("foo:bar http://x", "(all 'foo:bar' 'http://x')"),
            ("from:", "()"),
            ("from:ada is:", "From=ada"),
        ] {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn malformed_queries_have_a_reading() {
        for (query, expected) in [
            ("(a", "'a'"),
            ("a)", "'a'"),
            (")))a(((", "'a'"),
            ("{a b", "(any 'a' 'b')"),
            ("(a } b", "(all 'a' 'b')"),
            ("\"a b", "'a b'"),
            ("\"\"", "()"),
            ("OR", "()"),
            ("OR a OR", "'a'"),
            ("a OR OR b", "(any 'a' 'b')"),
            ("- a", "(all '-' 'a')"),
            ("-", "'-'"),
            ("(-)", "'-'"),
            ("-OR a", "'a'"),
            ("-()", "()"),
            ("AROUND 5", "()"),
            ("a AROUND 5", "'a'"),
            ("AROUND x", "(all 'AROUND' 'x')"),
            (
                "a AROUND 99999999999 b",
                "(all 'a' 'AROUND' '99999999999' 'b')",
            ),
            ("from:a\"b\"", "(all From=a 'b')"),
            ("+", "'+'"),
            (":", "':'"),
            ("\u{a0}a\u{3000}b", "(all 'a' 'b')"),
        ] {
            assert_eq!(shown(query), expected, "{query}");
        }
    }

    #[test]
    fn depth_length_and_number_of_terms_are_bounded() {
        let deep = "(".repeat(4_000) + "a" + &")".repeat(4_000);
        assert_eq!(shown(&deep), "'a'");
        let after = "(".repeat(100) + "a" + &")".repeat(100) + " b";
        assert_eq!(shown(&after), "(all 'a' 'b')");
        assert_eq!(
            shown(&format!("{}a", "-(".repeat(30))),
            format!("{}'a'", "-".repeat(30))
        );
        assert_eq!(shown(&"-".repeat(8_000)), "-'-'");
        let Expr::All(terms) = parse(&"a ".repeat(1_000)) else {
            panic!("not a list")
        };
        assert_eq!(terms.len(), MOST_TERMS);
        let long = "x".repeat(LONGEST - 1) + "ä b";
        assert_eq!(shown(&long), format!("'{}'", "x".repeat(LONGEST - 1)));
    }
}
