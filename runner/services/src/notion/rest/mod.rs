//! The REST API.

mod blocks;
mod comments;
mod data_sources;
mod databases;
pub(crate) mod error;
mod objects;
mod pages;
mod paging;
mod query;
mod search;
mod table;
mod users;
pub(crate) mod version;

use http::Method;
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use proctor_types::world::notion::{BLOCK, COMMENT, DATA_SOURCE, DATABASE, PAGE};
use proctor_types::{Change, Touch, View};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use self::error::ApiError;
pub(super) use self::table::is_path;
use self::table::{Found, Route};
use self::version::Version;
use super::accept::{At, object};
use super::id::Id;
use super::store::{ADDED_CAP, Body, Node, Notion, Place, Stamp};
use crate::service::{Answer, Request};
use crate::world::{Ids, World};

/// Most bytes of a request's body.
const MAX_BODY: usize = 500 * 1024;

/// What handlers work on.
pub(crate) struct Cx<'w> {
    pub(crate) notion: &'w mut Notion,
    pub(crate) ids: &'w mut Ids,
    pub(crate) now: Timestamp,
    pub(crate) version: Version,
    /// Who the request comes from.
    pub(crate) actor: Id,
    pub(crate) read: Vec<Touch>,
    pub(crate) changed: Vec<Touch>,
}

/// A request that has passed the frame.
pub(crate) struct Call {
    /// Variables of the path with their names.
    path: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    pub(crate) body: Map<String, Value>,
}

/// What answers a request.
pub(crate) type Handler = fn(&mut Cx<'_>, &Call) -> Result<Value, ApiError>;

impl Call {
    /// The identifier in the path.
    pub(crate) fn id(&self) -> Result<Id, ApiError> {
        let Some((name, text)) = self.path.first() else {
            return Err(ApiError::url());
        };
        let at = At::Root("path");
        let bad = || {
            at.key(name)
                .wrong("a valid uuid", Some(&text.as_str().into()))
        };
        Id::parse(text).ok_or_else(|| bad().into())
    }

    /// Another variable of the path.
    pub(crate) fn path(&self, name: &str) -> &str {
        let found = self.path.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, text)| text)
    }

    /// A parameter of the query.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str())
    }

    /// A parameter that may come several times, or as a list.
    pub(crate) fn queries(&self, name: &str) -> Vec<String> {
        let is =
            |key: &str| key == name || key.strip_prefix(name).is_some_and(|it| it.starts_with('['));
        self.query
            .iter()
            .filter(|(key, _)| is(key))
            .flat_map(|(_, value)| value.split(','))
            .map(str::to_owned)
            .collect()
    }
}

impl Cx<'_> {
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp {
            at: self.now,
            by: self.actor,
        }
    }

    /// Puts something new into the tree.
    pub(crate) fn insert(&mut self, id: Id, parent: Option<Id>, place: Place, body: Body) {
        let node = Node::new(parent, self.stamp(), body);
        self.notion.insert(id, node, place);
        self.change(id, Change::Created, &[]);
    }

    /// A node that is there, or the error that it is not.
    pub(crate) fn node(&self, id: Id, kind: &str) -> Result<&Node, ApiError> {
        self.notion
            .node(id)
            .ok_or_else(|| ApiError::not_found(kind, id))
    }

    /// What the answer shows of a node.
    pub(crate) fn read(&mut self, id: Id, view: View) {
        let Some(touch) = self.touch(id, |kind, id| Touch::read(kind, id, view)) else {
            return;
        };
        self.read.push(touch);
    }

    /// What happened to a node.
    pub(crate) fn change(&mut self, id: Id, change: Change, fields: &[&str]) {
        let Some(touch) = self.touch(id, |kind, id| Touch::changed(kind, id, change)) else {
            return;
        };
        let touch = touch.fields(fields.iter().copied());
        // Of blocks there may be thousands, each changed once.
        let same = |known: &&mut Touch| {
            (&known.kind, &known.id, known.change) == (&touch.kind, &touch.id, touch.change)
        };
        let known = if touch.kind == BLOCK {
            None
        } else {
            self.changed.iter_mut().find(same)
        };
        let Some(known) = known else {
            self.changed.push(touch);
            return;
        };
        for field in touch.fields {
            if !known.fields.contains(&field) {
                known.fields.push(field);
            }
        }
    }

    fn touch(&self, id: Id, make: impl Fn(&str, String) -> Touch) -> Option<Touch> {
        let node = self.notion.node(id)?;
        let touch = |kind| make(kind, id.to_string());
        Some(match &node.body {
            Body::Page(_) => touch(PAGE),
            Body::Database(_) => touch(DATABASE),
            Body::Source(_) => touch(DATA_SOURCE),
            Body::Block(_) => {
                let touch = touch(BLOCK);
                match self.notion.page_of(id) {
                    Some(page) => touch.within(page.to_string()),
                    None => touch,
                }
            }
        })
    }

    /// What happened to a comment.
    pub(crate) fn change_comment(&mut self, id: Id, on: Id, change: Change) {
        let touch = Touch::changed(COMMENT, id.to_string(), change).within(on.to_string());
        self.changed.push(touch);
    }

    /// The content of a page changed: notes when, and by whom.
    pub(crate) fn edited(&mut self, id: Id) {
        let stamp = self.stamp();
        self.notion.edited(id, stamp);
        if let Some(page) = self.notion.page_of(id)
            && page != id
        {
            self.change(page, Change::Updated, &["content"]);
        }
    }
}

/// Answers a request.
pub(super) fn answer(world: &mut World, request: &Request) -> Answer {
    let route = table::find(&request.method, &request.path);
    let mut answer = Answer::new("notion", 200);
    answer.operation = route.as_ref().ok().map(|(route, _)| route.operation);
    let World {
        notion,
        ids,
        clock,
        account,
        ..
    } = world;
    let Some(notion) = notion else {
        return answer;
    };
    let id = request_id(ids, request);
    let result = prepare(request, route).and_then(|(route, call, version)| {
        let actor = request
            .bearer()
            .map_or(notion.bot, |token| notion.actor(token));
        answer.actor = Some(notion.email(actor).unwrap_or(&account.email).to_owned());
        let is_read = request.method == Method::GET;
        let size = request.body.len() as u64;
        let before = (!is_read).then(|| notion.clone());
        let mut cx = Cx {
            notion,
            ids,
            now: clock.now(),
            version,
            actor,
            read: Vec::new(),
            changed: Vec::new(),
        };
        let result = (route.run)(&mut cx, &call);
        let Cx { read, changed, .. } = cx;
        let added = if changed.is_empty() { 0 } else { size };
        notion.added = notion.added.saturating_add(added);
        let is_full = added > 0 && notion.added > ADDED_CAP;
        match result.and_then(|value| {
            if is_full {
                Err(ApiError::full())
            } else {
                Ok(value)
            }
        }) {
            Ok(value) => {
                answer.lasting = is_read;
                answer.read = read;
                answer.changed = changed;
                Ok(value)
            }
            Err(error) => {
                // A request that is refused leaves everything as it was.
                if let Some(before) = before {
                    *notion = before;
                }
                Err(error)
            }
        }
    });
    let mut value = result.unwrap_or_else(|error| {
        answer.status = error.status;
        error.json()
    });
    value["request_id"] = id.to_string().into();
    let body = serde_json::to_vec(&value).unwrap_or_default();
    let mut answer = answer.body("application/json; charset=utf-8", body);
    if let Ok(id) = id.to_string().try_into() {
        answer.headers.insert("x-notion-request-id", id);
    }
    answer
}

/// The same request has the same identifier: nothing else would let the answer
/// be the same.
fn request_id(ids: &Ids, request: &Request) -> Id {
    let mut hash = Sha256::new();
    for part in [
        request.method.as_str().as_bytes(),
        request.path.as_bytes(),
        request.query.as_bytes(),
        &request.body,
    ] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Id::named(ids, "notion.request", &hex::encode(hash.finalize()))
}

type Prepared = (&'static Route, Call, Version);

fn prepare(request: &Request, route: Result<Found, ApiError>) -> Result<Prepared, ApiError> {
    // The token comes as that of HTTP's basic scheme only when tokens are made.
    request.bearer().ok_or_else(ApiError::unauthorized)?;
    let (route, path) = route?;
    let version = Version::of(request)?;
    if route.since > version || route.until.is_some_and(|until| version > until) {
        return Err(ApiError::url());
    }
    let body = match request.method {
        Method::POST | Method::PATCH => body_of(request)?,
        _ => Map::new(),
    };
    let query = form_urlencoded::parse(request.query.as_bytes());
    let query = query.into_owned().collect();
    Ok((route, Call { path, query, body }, version))
}

fn body_of(request: &Request) -> Result<Map<String, Value>, ApiError> {
    let length = request.body.len();
    if length > MAX_BODY {
        let at = At::Root("body");
        let bad = at
            .key("length")
            .wrong(&format!("\u{2264} `{MAX_BODY}`"), Some(&length.into()));
        let error = ApiError::from(bad);
        return Err(ApiError::new(413, error.code, error.message));
    }
    if request.body.is_empty() {
        return Ok(Map::new());
    }
    let value: Value = serde_json::from_slice(&request.body).map_err(|error| {
        if error.to_string().starts_with("recursion limit") {
            ApiError::validation("body failed validation: body is nested too deeply.")
        } else {
            ApiError::new(400, "invalid_json", "Error parsing JSON body.")
        }
    })?;
    let at = At::Root("body");
    object(&value, &at)?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

/// Undoes percent-encoding.
fn decoded(text: &str) -> Result<String, ApiError> {
    let text = percent_decode_str(text).decode_utf8();
    text.map(std::borrow::Cow::into_owned)
        .map_err(|_| ApiError::url())
}
