//! Objects as JSON.

mod commits;
mod issues;
mod pulls;
mod repos;
mod users;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::github::session::{Session, Urls};
use crate::github::state::GitHub;

pub(crate) use commits::signature;

/// Identifier of an object for GraphQL: its kind and its name.
pub(crate) fn node_id(kind: &str, key: impl std::fmt::Display) -> String {
    URL_SAFE_NO_PAD.encode(format!("{kind}:{key}"))
}

/// Kind and name that an identifier stands for.
pub(crate) fn node_of(id: &str) -> Option<(String, String)> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(id).ok()?).ok()?;
    let (kind, key) = text.split_once(':')?;
    Some((kind.to_owned(), key.to_owned()))
}

/// Renders with the state and the addresses of one request.
pub(crate) struct Render<'a> {
    pub(crate) gh: &'a GitHub,
    pub(crate) urls: &'a Urls,
    pub(crate) actor: Option<&'a str>,
}

impl Session {
    pub(crate) fn render(&self) -> Render<'_> {
        Render {
            gh: &self.gh,
            urls: &self.urls,
            actor: self.actor.as_deref(),
        }
    }
}

/// Puts the members of one object into another.
fn put(value: &mut Value, more: Value) {
    if let (Value::Object(value), Value::Object(more)) = (value, more) {
        value.extend(more);
    }
}

/// A path of a repository as URLs carry it.
pub(crate) fn path_in_url(path: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'/')
        .remove(b'.')
        .remove(b'-')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(path, KEPT).to_string()
}
