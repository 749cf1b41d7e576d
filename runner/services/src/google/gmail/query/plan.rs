//! From what a query says to tests of messages.

use memchr::memmem::Finder;

use super::syntax::{Expr, Operator};
use super::words::{Link, Place, needle};
use super::{Candidate, Context, when};
use crate::google::gmail::label::LabelId;
use crate::google::gmail::mime::{Address, Head};

/// A query made ready for one mailbox.
#[derive(Debug)]
pub(in crate::google::gmail) struct Plan {
    test: Option<Test>,
    /// Whether the query looks into spam by itself.
    spam: bool,
    /// Whether it looks into the trash by itself.
    trash: bool,
}

impl Plan {
    /// Whether a message matches. Spam and trash match only where the query
    /// looks there, or `everywhere` is set.
    pub(in crate::google::gmail) fn matches(&self, it: &Candidate<'_>, everywhere: bool) -> bool {
        let visible = (everywhere || self.spam || !it.is(LabelId::SPAM))
            && (everywhere || self.trash || !it.is(LabelId::TRASH));
        visible && self.test.as_ref().is_none_or(|test| test.holds(it))
    }
}

/// One test of a message. `None` in its place: nothing is asked.
#[derive(Debug)]
enum Test {
    Never,
    Always,
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    Label(LabelId),
    /// In the inbox's first tab.
    Primary,
    /// Not in the inbox nor anywhere else where mail waits.
    Archived,
    /// Has labels that the user made.
    UserLabels,
    Words(Place, Box<Finder<'static>>),
    Near(Near),
    /// One of these addresses stands in the field.
    Address(Place, Vec<String>),
    DeliveredTo(Vec<String>),
    MessageId(String),
    Attachment,
    Link(Link),
    Larger(u64),
    Smaller(u64),
    /// At this moment or later.
    From(i64),
    /// Before this moment.
    Until(i64),
}

/// Two phrases close to each other.
#[derive(Debug)]
struct Near {
    left: Vec<String>,
    right: Vec<String>,
    distance: usize,
    ordered: bool,
}

pub(super) fn plan(expr: &Expr, context: &Context<'_>) -> Plan {
    let mut planner = Planner {
        context,
        spam: false,
        trash: false,
    };
    let test = planner.test(expr, true);
    Plan {
        test,
        spam: planner.spam,
        trash: planner.trash,
    }
}

struct Planner<'c> {
    context: &'c Context<'c>,
    spam: bool,
    trash: bool,
}

impl Planner<'_> {
    /// `positive`: whether the expression asks for what it names rather than
    /// against it.
    fn test(&mut self, expr: &Expr, positive: bool) -> Option<Test> {
        match expr {
            Expr::Nothing => None,
            Expr::All(terms) => self.list(terms, positive, Test::All),
            Expr::Any(terms) => self.list(terms, positive, Test::Any),
            Expr::Not(term) => Some(Test::Not(Box::new(self.test(term, !positive)?))),
            Expr::Words(text) => words(Place::Anywhere, text),
            Expr::Near {
                left,
                right,
                distance,
                ordered,
            } => Some(Test::Near(Near {
                left: list_of_words(left)?,
                right: list_of_words(right)?,
                distance: usize::try_from(*distance).unwrap_or(usize::MAX),
                ordered: *ordered,
            })),
            Expr::Is(operator, value) => self.operator(*operator, value, positive),
        }
    }

    fn list(
        &mut self,
        terms: &[Expr],
        positive: bool,
        made: fn(Vec<Test>) -> Test,
    ) -> Option<Test> {
        let mut tests: Vec<Test> = terms
            .iter()
            .filter_map(|term| self.test(term, positive))
            .collect();
        // What is quick to decide comes first; which one decides is the same.
        tests.sort_by_key(Test::cost);
        (!tests.is_empty()).then(|| made(tests))
    }

    fn operator(&mut self, operator: Operator, value: &str, positive: bool) -> Option<Test> {
        let Context { zone, clock, .. } = self.context;
        let literal = || words(Place::Anywhere, value).or(Some(Test::Never));
        match operator {
            Operator::From => self.person(Place::From, value),
            Operator::To => self.person(Place::To, value),
            Operator::Cc => self.person(Place::Cc, value),
            Operator::Bcc => self.person(Place::Bcc, value),
            Operator::Subject => words(Place::Subject, value),
            Operator::Filename => words(Place::Files, value),
            Operator::List => words(Place::List, value),
            Operator::Label | Operator::In | Operator::Is => Some(self.state(value, positive)),
            Operator::Category => Some(category(value)),
            Operator::Has => Some(has(value)),
            Operator::Larger => when::size(value).map(Test::Larger).or_else(literal),
            Operator::Smaller => when::size(value).map(Test::Smaller).or_else(literal),
            Operator::After => when::moment(value, zone).map(Test::From).or_else(literal),
            Operator::Before => when::moment(value, zone).map(Test::Until).or_else(literal),
            Operator::NewerThan => when::before(value, clock.now(), zone)
                .map(Test::From)
                .or_else(literal),
            Operator::OlderThan => when::before(value, clock.now(), zone)
                .map(Test::Until)
                .or_else(literal),
            Operator::MessageId => Some(Test::MessageId(bare(value).to_owned())),
            Operator::DeliveredTo => Some(Test::DeliveredTo(self.addresses(value))),
        }
    }

    /// People by name, by part of an address, or by the whole of it.
    fn person(&self, place: Place, value: &str) -> Option<Test> {
        let value = bare(value);
        let whole = value.split_once('@').is_some_and(|(local, domain)| {
            local.contains(char::is_alphanumeric)
                && domain.contains('.')
                && !value.contains(char::is_whitespace)
        });
        if whole || value.eq_ignore_ascii_case("me") {
            return Some(Test::Address(place, self.addresses(value)));
        }
        words(place, value)
    }

    fn addresses(&self, value: &str) -> Vec<String> {
        match bare(value) {
            me if me.eq_ignore_ascii_case("me") => self.context.me.to_vec(),
            address => vec![address.to_lowercase()],
        }
    }

    /// What `in:`, `is:` and `label:` name: a place, a state, or a label.
    fn state(&mut self, value: &str, positive: bool) -> Test {
        let name = value.to_lowercase();
        let label = match name.as_str() {
            "anywhere" => {
                self.spam |= positive;
                self.trash |= positive;
                return Test::Always;
            }
            "all" | "allmail" => return Test::Always,
            "archive" | "archived" => return Test::Archived,
            "read" => return Test::Not(Box::new(Test::Label(LabelId::UNREAD))),
            "unstarred" => return Test::Not(Box::new(Test::Label(LabelId::STARRED))),
            "draft" | "drafts" => Some(LabelId::DRAFT),
            "chat" | "chats" => Some(LabelId::CHAT),
            "bin" => Some(LabelId::TRASH),
            "junk" => Some(LabelId::SPAM),
            name => LabelId::system_named(name),
        };
        let Some(label) = label else {
            let labels = self.context.labels.searched(value);
            return Test::Any(labels.into_iter().map(Test::Label).collect());
        };
        self.spam |= positive && label == LabelId::SPAM;
        self.trash |= positive && label == LabelId::TRASH;
        Test::Label(label)
    }
}

fn category(value: &str) -> Test {
    match value.to_lowercase().as_str() {
        "primary" | "personal" => Test::Primary,
        "social" => Test::Label(LabelId::SOCIAL),
        "promotions" => Test::Label(LabelId::PROMOTIONS),
        "updates" => Test::Label(LabelId::UPDATES),
        "forums" => Test::Label(LabelId::FORUMS),
        _ => Test::Never,
    }
}

fn has(value: &str) -> Test {
    match value.to_lowercase().as_str() {
        "attachment" | "attachments" => Test::Attachment,
        "drive" => Test::Link(Link::Drive),
        "document" => Test::Link(Link::Document),
        "spreadsheet" => Test::Link(Link::Spreadsheet),
        "presentation" => Test::Link(Link::Presentation),
        "youtube" => Test::Link(Link::Video),
        "userlabels" => Test::UserLabels,
        "nouserlabels" => Test::Not(Box::new(Test::UserLabels)),
        // The API knows one kind of star.
        "star" | "yellow-star" => Test::Label(LabelId::STARRED),
        _ => Test::Never,
    }
}

fn words(place: Place, text: &str) -> Option<Test> {
    needle(text).map(|needle| Test::Words(place, Box::new(Finder::new(&needle).into_owned())))
}

fn list_of_words(text: &str) -> Option<Vec<String>> {
    needle(text).map(|words| words.split_whitespace().map(str::to_owned).collect())
}

/// An address or identifier without the brackets it may stand in.
fn bare(text: &str) -> &str {
    text.trim().trim_start_matches('<').trim_end_matches('>')
}

impl Test {
    fn holds(&self, it: &Candidate<'_>) -> bool {
        let head = it.mail.head();
        let bytes = it.mail.source().len() as u64;
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::All(tests) => tests.iter().all(|test| test.holds(it)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(it)),
            Self::Not(test) => !test.holds(it),
            Self::Label(label) => it.is(*label),
            Self::Primary => {
                it.is(LabelId::PERSONAL)
                    || (it.is(LabelId::INBOX) && !it.labels.iter().any(LabelId::is_category))
            }
            Self::Archived => {
                let elsewhere = [
                    LabelId::INBOX,
                    LabelId::SENT,
                    LabelId::DRAFT,
                    LabelId::SPAM,
                    LabelId::TRASH,
                ];
                !elsewhere.iter().any(|label| it.is(*label))
            }
            Self::UserLabels => it.labels.iter().any(|label| !label.is_system()),
            Self::Words(place, needle) => needle
                .find(it.mail.index().words(*place).as_bytes())
                .is_some(),
            Self::Near(near) => near.holds(it.mail.index().words(Place::Anywhere)),
            Self::Address(place, emails) => people(head, *place)
                .any(|person| emails.iter().any(|email| **email == *person.email)),
            Self::DeliveredTo(emails) => {
                let people = head.delivered_to.iter();
                people
                    .clone()
                    .any(|person| emails.iter().any(|email| **email == *person.email))
            }
            Self::MessageId(id) => head
                .message_id
                .as_deref()
                .is_some_and(|it| it.eq_ignore_ascii_case(id)),
            Self::Attachment => it.mail.has_attachment(),
            Self::Link(link) => it.mail.index().links(*link),
            Self::Larger(size) => bytes > *size,
            Self::Smaller(size) => bytes < *size,
            Self::From(moment) => it.date_ms >= *moment,
            Self::Until(moment) => it.date_ms < *moment,
        }
    }

    /// How long the test takes, in no particular unit.
    fn cost(&self) -> u8 {
        match self {
            Self::Words(Place::Anywhere, _) | Self::Link(_) => 2,
            Self::Near(_) => 3,
            Self::Not(test) => test.cost(),
            Self::All(tests) | Self::Any(tests) => {
                tests.iter().map(Self::cost).max().unwrap_or_default()
            }
            Self::Words(..) | Self::Address(..) | Self::DeliveredTo(_) | Self::Attachment => 1,
            _ => 0,
        }
    }
}

fn people(head: &Head, place: Place) -> Box<dyn Iterator<Item = &Address> + '_> {
    match place {
        Place::From => Box::new(head.from.iter()),
        Place::Cc => Box::new(head.cc.iter()),
        Place::Bcc => Box::new(head.bcc.iter()),
        _ => Box::new(head.recipients()),
    }
}

impl Near {
    fn holds(&self, words: &str) -> bool {
        words.lines().any(|field| {
            let words: Vec<&str> = field.split_whitespace().collect();
            let left = positions(&words, &self.left);
            let right = positions(&words, &self.right);
            self.close(&left, self.left.len(), &right)
                || (!self.ordered && self.close(&right, self.right.len(), &left))
        })
    }

    /// Whether one of `later` begins at most `distance` words after the end of
    /// one of `earlier`. Both are in order, so one pass over them is enough.
    fn close(&self, earlier: &[usize], length: usize, later: &[usize]) -> bool {
        let mut candidates = later.iter().peekable();
        earlier.iter().any(|start| {
            let end = start + length;
            while candidates.next_if(|next| **next < end).is_some() {}
            candidates
                .peek()
                .is_some_and(|next| **next - end <= self.distance)
        })
    }
}

fn positions(words: &[&str], phrase: &[String]) -> Vec<usize> {
    let windows = words.windows(phrase.len().max(1)).enumerate();
    windows
        .filter(|(_, window)| *window == phrase)
        .map(|(at, _)| at)
        .collect()
}
