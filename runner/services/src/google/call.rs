//! What a handler is given and what it gives back.

use std::sync::LazyLock;

use bytes::Bytes;
use proctor_types::journal::{Touch, View};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::google::error::ApiError;
use crate::google::fields::Mask;
use crate::google::method::{Api, Method};
use crate::google::wire;

/// A request that has passed the frame: routed, authenticated, its parameters
/// and its body checked against the method's table entry.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) api: &'static Api,
    pub(crate) method: &'static Method,
    pub(crate) path: Vec<(&'static str, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Map<String, Value>>,
    pub(crate) media: Option<Media>,
    pub(crate) mask: Option<Mask>,
    pub(crate) pretty: bool,
    pub(crate) if_match: Option<String>,
}

/// Content that came besides the JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// Media type as the client named it, without parameters, lower-case.
    pub mime: String,
    /// The content, its transfer encoding undone.
    pub bytes: Bytes,
}

static NO_BODY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl Call {
    /// A variable of the path, decoded; empty where the path has none of that
    /// name.
    pub fn path(&self, name: &str) -> &str {
        self.path
            .iter()
            .find(|(key, _)| *key == name)
            .map_or("", |(_, value)| value)
    }

    /// A parameter of the query; the last one where it came more than once.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Every value of a repeated parameter, in order.
    pub fn queries<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.query
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A switch of the query; `false` where absent.
    pub fn flag(&self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    /// A switch of the query, with what holds where it is absent.
    pub fn flag_or(&self, name: &str, absent: bool) -> bool {
        self.query(name).map_or(absent, is_true)
    }

    /// A number of the query as it was given. The frame has refused what is no
    /// number of the parameter's type.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.query(name).and_then(|text| text.parse().ok())
    }

    /// A page size: `default` where absent or 0, `max` where larger. 400 where
    /// it is negative.
    pub fn int(&self, name: &str, default: usize, max: usize) -> Result<usize, ApiError> {
        match self.number(name) {
            None | Some(0) => Ok(default),
            Some(number) => usize::try_from(number)
                .map(|number| number.min(max))
                .map_err(|_| {
                    ApiError::invalid(format!("Invalid value for {name}: {number}"))
                        .at("parameter", name)
                }),
        }
    }

    /// The JSON body. A request without one has an empty object: that is how
    /// Google reads it.
    pub fn body(&self) -> &Map<String, Value> {
        self.body.as_ref().unwrap_or(&NO_BODY)
    }

    /// A text member of the JSON body.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.body().get(name).and_then(Value::as_str)
    }

    /// Uploaded content.
    pub fn media(&self) -> Option<&Media> {
        self.media.as_ref()
    }

    /// 412 where the request says `If-Match` and means another version than
    /// `etag`.
    pub fn check_match(&self, etag: &str) -> Result<(), ApiError> {
        match &self.if_match {
            Some(wanted) if !matches_etag(wanted, etag) => Err(ApiError::condition_not_met()),
            _ => Ok(()),
        }
    }

    /// An answer made from any serialisable value: written out at once where
    /// the whole answer was asked for, so that no tree of JSON values is built
    /// on the way. Handlers that have a [`Value`] anyway use [`Reply::json`].
    pub fn reply<T: Serialize + ?Sized>(&self, value: &T) -> Result<Reply, ApiError> {
        let body = if self.mask.is_some() {
            serde_json::to_value(value).map(Body::Json)
        } else {
            wire::write(value, self.pretty).map(Body::Written)
        };
        body.map(Reply::new)
            .map_err(|error| ApiError::internal(format!("cannot write the answer: {error}")))
    }
}

/// Whether a boolean parameter is set.
pub(crate) fn is_true(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text == "1"
}

/// Whether an `If-Match` or `If-None-Match` header names `etag`.
pub(crate) fn matches_etag(header: &str, etag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let etag = strong(etag);
    header
        .split(',')
        .any(|tag| tag.trim() == "*" || strong(tag) == etag)
}

/// An answer: its body, and what it gave away and changed.
#[derive(Debug)]
pub struct Reply {
    pub(crate) body: Body,
    pub(crate) etag: Option<String>,
    pub(crate) reads: Vec<Read>,
    pub(crate) changed: Vec<Touch>,
    /// Whether the answer stays what it is while nothing in the world changes.
    pub(crate) lasting: bool,
}

/// Body of an answer.
#[derive(Debug)]
pub(crate) enum Body {
    /// JSON, still to be masked.
    Json(Value),
    /// JSON that was written already; there is no mask.
    Written(Vec<u8>),
    /// Nothing: 204.
    Empty,
}

/// Where in an answer an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The answer is the object.
    Root,
    /// It is a member of the answer.
    Member(&'static str),
    /// It stands in a list of the answer.
    Item(&'static str, usize),
}

/// How much of an object a masked part of an answer shows; `None`: nothing.
pub type Judge = fn(&Value) -> Option<View>;

/// A read, and where to look for what the mask left of it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) touch: Touch,
    pub(crate) shown: Option<(At, Judge)>,
}

impl Reply {
    pub(crate) fn new(body: Body) -> Self {
        Self {
            body,
            etag: None,
            reads: Vec::new(),
            changed: Vec::new(),
            lasting: false,
        }
    }

    /// 200 with JSON.
    pub fn json(value: Value) -> Self {
        Self::new(Body::Json(value))
    }

    /// 204.
    pub fn empty() -> Self {
        Self::new(Body::Empty)
    }

    /// The same answer, with an entity tag (quoted): sent as header, and 304
    /// where the client has it already.
    #[must_use]
    pub fn etag(mut self, etag: impl Into<String>) -> Self {
        self.etag = Some(etag.into());
        self
    }

    /// The same answer, which gave this away whatever the `fields` mask was.
    #[must_use]
    pub fn read(mut self, touch: Touch) -> Self {
        self.reads.push(Read { touch, shown: None });
        self
    }

    /// The same answer, which gave this away: `touch.view` without a mask; with
    /// a mask, whatever `judge` says of the masked part of the answer at `at`.
    #[must_use]
    pub fn read_at(mut self, touch: Touch, at: At, judge: Judge) -> Self {
        self.reads.push(Read {
            touch,
            shown: Some((at, judge)),
        });
        self
    }

    /// The same answer, after this change.
    #[must_use]
    pub fn changed(mut self, touch: Touch) -> Self {
        self.changed.push(touch);
        self
    }
}

impl At {
    /// The part of `answer` that stands here.
    pub(crate) fn look(self, answer: &Value) -> Option<&Value> {
        match self {
            Self::Root => Some(answer),
            Self::Member(name) => answer.get(name),
            Self::Item(list, index) => answer.get(list)?.get(index),
        }
    }
}
