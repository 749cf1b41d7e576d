//! From the text of a query to its tokens.

use winnow::Parser as _;
use winnow::Result;
use winnow::ascii::{dec_uint, multispace1};
use winnow::combinator::{alt, delimited, eof, opt, peek, preceded, repeat, terminated};
use winnow::error::EmptyError;
use winnow::token::{any, none_of, one_of, take_till, take_while};

use super::syntax::Operator;

/// A token of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{`
    OpenAny,
    /// `}`
    CloseAny,
    /// `-` before something
    Not,
    /// `OR` or `|`
    Or,
    /// `AND`
    And,
    /// `AROUND` and a number
    Around(u32),
    /// `from:` and what follows without a space; empty where a quote, a
    /// bracket or a space follows
    Operator(Operator, &'a str),
    /// Text in double quotes, without them
    Quoted(&'a str),
    /// Anything else
    Word(&'a str),
}

/// The tokens of a query. Every text has some reading: this cannot fail.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut input = text;
    let all: Result<Vec<Token<'_>>, EmptyError> =
        repeat(0.., preceded(take_while(0.., char::is_whitespace), token)).parse_next(&mut input);
    all.unwrap_or_default()
}

fn token<'a>(input: &mut &'a str) -> Result<Token<'a>, EmptyError> {
    alt((
        bracket,
        quoted.map(Token::Quoted),
        terminated('-', peek(none_of(ends_term))).value(Token::Not),
        // `+word` asks for the word as it is written, which is how all words
        // are looked for here.
        preceded('+', alt((quoted.map(Token::Quoted), word.map(Token::Word)))),
        around,
        connective,
        operator,
        word.map(Token::Word),
    ))
    .parse_next(input)
}

fn bracket<'a>(input: &mut &'a str) -> Result<Token<'a>, EmptyError> {
    any.verify_map(|c| match c {
        '(' => Some(Token::Open),
        ')' => Some(Token::Close),
        '{' => Some(Token::OpenAny),
        '}' => Some(Token::CloseAny),
        _ => None,
    })
    .parse_next(input)
}

/// A quoted text; one that is not closed goes on to the end.
fn quoted<'a>(input: &mut &'a str) -> Result<&'a str, EmptyError> {
    delimited('"', take_till(0.., '"'), opt('"')).parse_next(input)
}

/// `AROUND 5`, between two words.
fn around<'a>(input: &mut &'a str) -> Result<Token<'a>, EmptyError> {
    delimited(("AROUND", multispace1), dec_uint, peek(end_of_word))
        .map(Token::Around)
        .parse_next(input)
}

fn connective<'a>(input: &mut &'a str) -> Result<Token<'a>, EmptyError> {
    alt((
        terminated(alt(("OR", "|")), peek(end_of_word)).value(Token::Or),
        terminated("AND", peek(end_of_word)).value(Token::And),
    ))
    .parse_next(input)
}

/// A known operator. One that is not known is a word like any other.
fn operator<'a>(input: &mut &'a str) -> Result<Token<'a>, EmptyError> {
    let name = take_while(1.., |c: char| c.is_ascii_alphanumeric() || c == '_');
    let named = terminated(name, ':').verify_map(Operator::named);
    (named, opt(word))
        .map(|(it, value)| Token::Operator(it, value.unwrap_or_default()))
        .parse_next(input)
}

/// Anything up to a space, a bracket or a quote.
fn word<'a>(input: &mut &'a str) -> Result<&'a str, EmptyError> {
    take_while(1.., |c: char| !ends_word(c)).parse_next(input)
}

fn end_of_word(input: &mut &str) -> Result<(), EmptyError> {
    alt((one_of(ends_word).void(), eof.void())).parse_next(input)
}

/// What no term begins with.
fn ends_term(c: char) -> bool {
    c.is_whitespace() || matches!(c, ')' | '}')
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '{' | '}' | '"')
}
