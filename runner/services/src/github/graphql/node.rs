//! What a query walks over.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::super::rest::render::{node_id, node_of};
use super::super::session::Session;

/// An object that a query has come to: its kind and the key to find it by.
/// Nothing is read before one of its fields is asked for.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Repository(String),
    Issue(String, u64),
    PullRequest(String, u64),
    User(String),
    Organization(String),
    Label(String, String),
    Milestone(String, u64),
    Comment(String, u64),
    Review(String, u64, u64),
    Commit(String, String),
    Ref(String, String),
    /// An object whose fields are known already.
    Record(&'static str, BTreeMap<&'static str, Out>),
}

/// The value of a field.
#[derive(Debug, Clone)]
pub(crate) enum Out {
    Null,
    Value(Value),
    Node(Node),
    List(Vec<Node>),
}

impl Out {
    pub(crate) fn of(value: impl serde::Serialize) -> Self {
        match json!(value) {
            Value::Null => Self::Null,
            value => Self::Value(value),
        }
    }

    pub(crate) fn maybe(node: Option<Node>) -> Self {
        node.map_or(Self::Null, Self::Node)
    }
}

impl Node {
    /// Name of its type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Repository(_) => "Repository",
            Self::Issue(..) => "Issue",
            Self::PullRequest(..) => "PullRequest",
            Self::User(_) => "User",
            Self::Organization(_) => "Organization",
            Self::Label(..) => "Label",
            Self::Milestone(..) => "Milestone",
            Self::Comment(..) => "IssueComment",
            Self::Review(..) => "PullRequestReview",
            Self::Commit(..) => "Commit",
            Self::Ref(..) => "Ref",
            Self::Record(kind, _) => kind,
        }
    }

    /// Its identifier, the same as REST's `node_id`.
    pub(crate) fn id(&self) -> String {
        let kind = self.kind();
        match self {
            Self::Repository(name) | Self::User(name) => node_id(kind, name),
            // Users and organizations are one kind to the REST interface.
            Self::Organization(name) => node_id("User", name),
            Self::Issue(repo, number)
            | Self::PullRequest(repo, number)
            | Self::Milestone(repo, number) => node_id(kind, format!("{repo}#{number}")),
            Self::Comment(repo, id) => node_id(kind, format!("{repo}#{id}")),
            Self::Label(repo, name) => node_id(kind, format!("{repo}:{name}")),
            Self::Review(_, _, id) => node_id(kind, id),
            Self::Commit(repo, name) | Self::Ref(repo, name) => {
                node_id(kind, format!("{repo}@{name}"))
            }
            Self::Record(..) => node_id(kind, "0"),
        }
    }

    /// The account of this login.
    pub(crate) fn account(s: &Session, login: &str) -> Option<Self> {
        let user = s.gh.user(login)?;
        let login = user.login.clone();
        Some(if user.organization {
            Self::Organization(login)
        } else {
            Self::User(login)
        })
    }

    /// The object that an identifier stands for; not whether it is there.
    pub(crate) fn find(s: &Session, id: &str) -> Option<Self> {
        let (kind, key) = node_of(id)?;
        let numbered = || {
            let (repo, number) = key.rsplit_once('#')?;
            Some((repo.to_owned(), number.parse().ok()?))
        };
        let at = || {
            let (repo, name) = key.split_once('@')?;
            Some((repo.to_owned(), name.to_owned()))
        };
        Some(match kind.as_str() {
            "Repository" => Self::Repository(s.gh.by_full_name(&key).ok()?.full_name()),
            "User" => Self::account(s, &key)?,
            "Issue" => numbered().map(|(repo, number)| Self::Issue(repo, number))?,
            "PullRequest" => numbered().map(|(repo, number)| Self::PullRequest(repo, number))?,
            "Milestone" => numbered().map(|(repo, number)| Self::Milestone(repo, number))?,
            "IssueComment" => numbered().map(|(repo, id)| Self::Comment(repo, id))?,
            "Label" => {
                let (repo, name) = key.split_once(':')?;
                Self::Label(repo.to_owned(), name.to_owned())
            }
            "Commit" => at().map(|(repo, sha)| Self::Commit(repo, sha))?,
            "Ref" => at().map(|(repo, name)| Self::Ref(repo, name))?,
            _ => return None,
        })
    }
}

/// A record of fields.
pub(crate) fn record<const N: usize>(kind: &'static str, fields: [(&'static str, Out); N]) -> Node {
    Node::Record(kind, BTreeMap::from(fields))
}

/// The part of a list that `first`, `last` and `after` ask for.
pub(crate) fn connection(items: Vec<Node>, args: &Map<String, Value>) -> Node {
    let total = items.len();
    let count = |name: &str| {
        let count = args.get(name).and_then(Value::as_u64);
        count
            .and_then(|count| usize::try_from(count).ok())
            .map(|count| count.min(1_000))
    };
    let place = |name: &str| {
        let text = STANDARD.decode(args.get(name)?.as_str()?).ok()?;
        String::from_utf8(text)
            .ok()?
            .strip_prefix("cursor:")?
            .parse::<usize>()
            .ok()
    };
    let mut start = place("after").unwrap_or(0).min(total);
    let mut end = place("before")
        .map_or(total, |at| at.saturating_sub(1))
        .clamp(start, total);
    if let Some(first) = count("first") {
        end = end.min(start.saturating_add(first));
    } else if let Some(last) = count("last") {
        start = start.max(end.saturating_sub(last));
    }
    let cursor = |at: usize| STANDARD.encode(format!("cursor:{at}"));
    let items: Vec<Node> = items.into_iter().skip(start).take(end - start).collect();
    let edges = items.iter().zip(start + 1..).map(|(node, at)| {
        record(
            "Edge",
            [
                ("node", Out::Node(node.clone())),
                ("cursor", Out::of(cursor(at))),
            ],
        )
    });
    let edges = edges.collect();
    let some = !items.is_empty();
    let info = record(
        "PageInfo",
        [
            ("hasNextPage", Out::of(end < total)),
            ("hasPreviousPage", Out::of(start > 0)),
            ("startCursor", Out::of(some.then(|| cursor(start + 1)))),
            ("endCursor", Out::of(some.then(|| cursor(end)))),
        ],
    );
    record(
        "Connection",
        [
            ("nodes", Out::List(items)),
            ("edges", Out::List(edges)),
            ("totalCount", Out::of(total)),
            ("issueCount", Out::of(total)),
            ("repositoryCount", Out::of(total)),
            ("userCount", Out::of(total)),
            ("totalDiskUsage", Out::of(0)),
            ("pageInfo", Out::Node(info)),
        ],
    )
}
