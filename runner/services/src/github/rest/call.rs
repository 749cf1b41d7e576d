//! What a handler gets, and what it gives.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::super::error::{Error, Result};
use super::super::session::Session;
use super::super::state::Repo;
use super::JSON;
use crate::service::Request;

/// Items of a page where the request does not say, and most of them.
const PER_PAGE: usize = 30;
const PER_PAGE_CAP: usize = 100;

/// A routed request.
pub(crate) struct Call<'a> {
    pub(crate) s: &'a mut Session,
    pub(crate) request: &'a Request,
    args: Vec<String>,
    query: Vec<(String, String)>,
}

/// An answer on its way.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media: String,
    pub(crate) body: Bytes,
    pub(crate) headers: Vec<(&'static str, String)>,
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "handlers end with them, and handlers may fail"
)]
impl Reply {
    pub(crate) fn json(status: u16, value: &Value) -> Self {
        Self::raw(status, JSON, serde_json::to_vec(value).unwrap_or_default())
    }

    pub(crate) fn ok(value: &Value) -> Result<Self> {
        Ok(Self::json(200, value))
    }

    pub(crate) fn created(value: &Value) -> Result<Self> {
        Ok(Self::json(201, value))
    }

    pub(crate) fn empty() -> Result<Self> {
        Ok(Self::raw(204, JSON, Vec::new()))
    }

    pub(crate) fn raw(status: u16, media: &str, body: Vec<u8>) -> Self {
        Self {
            status,
            media: media.to_owned(),
            body: body.into(),
            headers: Vec::new(),
        }
    }

    /// Content in one of GitHub's own media types (`diff`, `raw`).
    pub(crate) fn media(format: &str, content: Vec<u8>) -> Result<Self> {
        let media = format!("application/vnd.github.{format}; charset=utf-8");
        Ok(Self::raw(200, &media, content))
    }

    pub(crate) fn header(mut self, name: &'static str, value: Option<String>) -> Self {
        self.headers.extend(value.map(|value| (name, value)));
        self
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(s: &'a mut Session, request: &'a Request, args: Vec<String>) -> Self {
        let query = form_urlencoded::parse(request.query.as_bytes());
        Self {
            s,
            request,
            args,
            query: query.into_owned().collect(),
        }
    }

    /// An open segment of the path.
    pub(crate) fn arg(&self, index: usize) -> &str {
        self.args.get(index).map_or("", String::as_str)
    }

    pub(crate) fn number(&self, index: usize) -> Result<u64> {
        self.arg(index).parse().map_err(|_| Error::not_found())
    }

    /// The repository that the path begins with.
    pub(crate) fn full_name(&self) -> String {
        let name = self.arg(1);
        format!("{}/{name}", self.arg(0))
    }

    pub(crate) fn repo(&self) -> Result<Arc<Repo>> {
        self.s.repo(&self.full_name())
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.iter();
        let found = pairs.find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// The body, an object; empty where there is none.
    pub(crate) fn body(&self) -> Result<Map<String, Value>> {
        if self.request.body.is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_slice(&self.request.body) {
            Ok(Value::Object(body)) => Ok(body),
            Ok(Value::Null) => Ok(Map::new()),
            Ok(_) => Err(Error::new(
                422,
                "Invalid request.\n\nThe body is not an object.",
            )),
            Err(_) => Err(Error::new(400, "Problems parsing JSON")),
        }
    }

    /// Whether the client asks for this media type of GitHub's (`diff`, `raw`).
    pub(crate) fn wants(&self, format: &str) -> bool {
        let accept = self.request.header("accept").unwrap_or_default();
        accept.split(',').any(|it| {
            let it = it.split(';').next().unwrap_or_default().trim();
            it.starts_with("application/vnd.github")
                && it
                    .trim_end_matches("+json")
                    .ends_with(&format!(".{format}"))
        })
    }

    /// The page of `items` that is asked for, and the links to others.
    pub(crate) fn page<T>(&self, items: Vec<T>) -> (Vec<T>, Option<String>) {
        let wanted = |name: &str| self.query(name).and_then(|it| it.parse::<usize>().ok());
        let per_page = wanted("per_page")
            .unwrap_or(PER_PAGE)
            .clamp(1, PER_PAGE_CAP);
        let page = wanted("page").unwrap_or(1).max(1);
        let last = items.len().div_ceil(per_page).max(1);
        let mut links = Vec::new();
        let mut link = |to: usize, rel: &str| {
            links.push(format!("<{}>; rel=\"{rel}\"", self.page_url(to)));
        };
        if page > 1 {
            link((page - 1).min(last), "prev");
        }
        if page < last {
            link(page + 1, "next");
            link(last, "last");
        }
        if page > 1 {
            link(1, "first");
        }
        let start = page.saturating_sub(1).saturating_mul(per_page);
        let items = items.into_iter().skip(start).take(per_page).collect();
        (items, (!links.is_empty()).then(|| links.join(", ")))
    }

    fn page_url(&self, page: usize) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.query.iter().filter(|(name, _)| name != "page") {
            query.append_pair(name, value);
        }
        query.append_pair("page", &page.to_string());
        let path = self
            .request
            .path
            .strip_prefix("/api/v3")
            .unwrap_or(&self.request.path);
        format!("{}{path}?{}", self.s.urls.api, query.finish())
    }

    #[allow(clippy::unnecessary_wraps, reason = "as of `Reply`")]
    /// A list, a page at a time, each item rendered.
    pub(crate) fn list<T>(
        &mut self,
        items: Vec<T>,
        mut render: impl FnMut(&mut Session, T) -> Value,
    ) -> Result<Reply> {
        let (items, link) = self.page(items);
        let values: Vec<Value> = items.into_iter().map(|item| render(self.s, item)).collect();
        Ok(Reply::json(200, &Value::Array(values)).header("link", link))
    }
}

/// A field of a body that must be a string.
pub(crate) fn required(body: &Map<String, Value>, resource: &str, field: &str) -> Result<String> {
    match body.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        None | Some(Value::Null) => Err(Error::field(resource, field, "missing_field")),
        Some(_) => Err(Error::field(resource, field, "invalid")),
    }
}

/// A field of a body that may be a string.
pub(crate) fn optional(
    body: &Map<String, Value>,
    resource: &str,
    field: &str,
) -> Result<Option<String>> {
    match body.get(field) {
        Some(Value::String(text)) => Ok(Some(text.clone())),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(Error::field(resource, field, "invalid")),
    }
}

/// A field of a body that may be a list of names: strings, or objects with a
/// name.
pub(crate) fn names(
    body: &Map<String, Value>,
    resource: &str,
    field: &str,
) -> Result<Option<Vec<String>>> {
    let invalid = || Error::field(resource, field, "invalid");
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(vec![name.clone()])),
        Some(Value::Array(items)) => {
            let name = |it: &Value| {
                let text = it.as_str().or_else(|| it["name"].as_str());
                text.map(str::to_owned).ok_or_else(invalid)
            };
            Ok(Some(items.iter().map(name).collect::<Result<_>>()?))
        }
        Some(_) => Err(invalid()),
    }
}
