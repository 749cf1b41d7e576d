//! Hosts that are no fake: what is asked there is handed over as it comes and
//! streamed back as it is answered.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use ::http::uri::PathAndQuery;
use ::http::{Request, Response, Uri};
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;

use super::http::Reply;
use crate::service;

/// A body on its way, in either direction.
pub type UpstreamBody = BoxBody<Bytes, Box<dyn Error + Send + Sync>>;
/// An answer that is still to come.
pub type UpstreamAnswer<'a> = Pin<Box<dyn Future<Output = Response<UpstreamBody>> + Send + 'a>>;

/// What answers for hosts outside of the world, such as a model's API.
///
/// Nothing of it is in the world's journal: it keeps records of its own. What
/// it answers reaches the agent as it is, so it must not have anything in it
/// that the agent must not have.
pub trait Upstream: fmt::Debug + Send + Sync {
    /// Whether requests to `host` (lower case, without port) are for it. It
    /// comes before every fake.
    fn owns(&self, host: &str) -> bool;

    /// Answers one request, whose URI is absolute. The body has not been read
    /// and has no limit yet.
    fn respond(&self, request: Request<UpstreamBody>) -> UpstreamAnswer<'_>;
}

/// Has `upstream` answer a request that came in pieces.
pub(super) async fn answer(
    upstream: &dyn Upstream,
    request: service::Request,
    body: Incoming,
) -> Reply {
    let body = BodyExt::map_err(body, Into::into).boxed();
    let mut handed = Request::new(body);
    *handed.uri_mut() = uri_of(&request);
    *handed.method_mut() = request.method;
    *handed.headers_mut() = request.headers;
    upstream.respond(handed).await
}

/// The address that was asked. Its parts come from a URI that was parsed.
fn uri_of(request: &service::Request) -> Uri {
    let target = if request.query.is_empty() {
        request.path.clone()
    } else {
        format!("{}?{}", request.path, request.query)
    };
    let target = PathAndQuery::try_from(target).unwrap_or_else(|_| PathAndQuery::from_static("/"));
    Uri::builder()
        .scheme(request.scheme.as_str())
        .authority(request.host.as_str())
        .path_and_query(target.clone())
        .build()
        .unwrap_or_else(|_| Uri::from(target))
}
