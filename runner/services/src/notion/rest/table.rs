//! Which handler a request is for.

use http::Method;

use super::error::ApiError;
use super::version::Version::{self, V2022_06_28, V2025_09_03};
use super::{Handler, blocks, comments, data_sources, databases, decoded, pages, search, users};

/// Longest path that is looked at, in bytes.
const MAX_PATH: usize = 1024;

/// One method of the API.
pub(super) struct Route {
    verb: &'static str,
    /// Below `/v1/`; variables in braces.
    path: &'static str,
    pub(super) operation: &'static str,
    /// Versions that have it.
    pub(super) since: Version,
    pub(super) until: Option<Version>,
    pub(super) run: Handler,
}

const fn route(
    verb: &'static str,
    path: &'static str,
    operation: &'static str,
    run: Handler,
) -> Route {
    Route {
        verb,
        path,
        operation,
        since: V2022_06_28,
        until: None,
        run,
    }
}

const fn sources(
    verb: &'static str,
    path: &'static str,
    operation: &'static str,
    run: Handler,
) -> Route {
    Route {
        since: V2025_09_03,
        ..route(verb, path, operation, run)
    }
}

static ROUTES: [Route; 30] = [
    route("POST", "pages", "notion.pages.create", pages::create),
    route(
        "GET",
        "pages/{page_id}",
        "notion.pages.retrieve",
        pages::retrieve,
    ),
    route(
        "PATCH",
        "pages/{page_id}",
        "notion.pages.update",
        pages::update,
    ),
    route(
        "GET",
        "pages/{page_id}/properties/{property_id}",
        "notion.pages.properties.retrieve",
        pages::property,
    ),
    route(
        "POST",
        "pages/{page_id}/move",
        "notion.pages.move",
        pages::relocate,
    ),
    route(
        "GET",
        "pages/{page_id}/markdown",
        "notion.pages.markdown.retrieve",
        pages::markdown,
    ),
    route(
        "PATCH",
        "pages/{page_id}/markdown",
        "notion.pages.markdown.update",
        pages::update_markdown,
    ),
    route(
        "GET",
        "blocks/{block_id}",
        "notion.blocks.retrieve",
        blocks::retrieve,
    ),
    route(
        "PATCH",
        "blocks/{block_id}",
        "notion.blocks.update",
        blocks::update,
    ),
    route(
        "DELETE",
        "blocks/{block_id}",
        "notion.blocks.delete",
        blocks::delete,
    ),
    route(
        "GET",
        "blocks/{block_id}/children",
        "notion.blocks.children.list",
        blocks::children,
    ),
    route(
        "PATCH",
        "blocks/{block_id}/children",
        "notion.blocks.children.append",
        blocks::append,
    ),
    route(
        "POST",
        "databases",
        "notion.databases.create",
        databases::create,
    ),
    route(
        "GET",
        "databases/{database_id}",
        "notion.databases.retrieve",
        databases::retrieve,
    ),
    route(
        "PATCH",
        "databases/{database_id}",
        "notion.databases.update",
        databases::update,
    ),
    Route {
        until: Some(V2022_06_28),
        ..route(
            "POST",
            "databases/{database_id}/query",
            "notion.databases.query",
            databases::query,
        )
    },
    sources(
        "POST",
        "data_sources",
        "notion.data_sources.create",
        data_sources::create,
    ),
    sources(
        "GET",
        "data_sources/{data_source_id}",
        "notion.data_sources.retrieve",
        data_sources::retrieve,
    ),
    sources(
        "PATCH",
        "data_sources/{data_source_id}",
        "notion.data_sources.update",
        data_sources::update,
    ),
    sources(
        "POST",
        "data_sources/{data_source_id}/query",
        "notion.data_sources.query",
        data_sources::query,
    ),
    sources(
        "GET",
        "data_sources/{data_source_id}/templates",
        "notion.data_sources.templates.list",
        data_sources::templates,
    ),
    route("POST", "search", "notion.search", search::search),
    route("GET", "comments", "notion.comments.list", comments::list),
    route(
        "POST",
        "comments",
        "notion.comments.create",
        comments::create,
    ),
    route(
        "GET",
        "comments/{comment_id}",
        "notion.comments.retrieve",
        comments::retrieve,
    ),
    route(
        "PATCH",
        "comments/{comment_id}",
        "notion.comments.update",
        comments::update,
    ),
    route(
        "DELETE",
        "comments/{comment_id}",
        "notion.comments.delete",
        comments::delete,
    ),
    route("GET", "users", "notion.users.list", users::list),
    route("GET", "users/me", "notion.users.me", users::me),
    route(
        "GET",
        "users/{user_id}",
        "notion.users.retrieve",
        users::retrieve,
    ),
];

/// First segments of the API's paths, for the port that routes by path.
const ROOTS: [&str; 7] = [
    "pages",
    "blocks",
    "databases",
    "data_sources",
    "search",
    "comments",
    "users",
];

/// Whether a path is one of the API.
pub(crate) fn is_path(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/v1/") else {
        return false;
    };
    let first = rest.split('/').next().unwrap_or_default();
    ROOTS.contains(&first)
}

/// A method, and the variables of the path with their names.
pub(super) type Found = (&'static Route, Vec<(&'static str, String)>);

/// The method that a request is for, and the variables of its path.
pub(super) fn find(verb: &Method, path: &str) -> Result<Found, ApiError> {
    let rest = path.strip_prefix("/v1/").filter(|_| path.len() <= MAX_PATH);
    let Some(rest) = rest else {
        return Err(ApiError::url());
    };
    let segments: Vec<&str> = rest.trim_end_matches('/').split('/').collect();
    for route in &ROUTES {
        if route.verb == verb.as_str()
            && let Some(variables) = fit(route.path, &segments)
        {
            let decode = |(name, text)| Ok((name, decoded(text)?));
            let variables = variables
                .into_iter()
                .map(decode)
                .collect::<Result<_, ApiError>>()?;
            return Ok((route, variables));
        }
    }
    Err(ApiError::url())
}

fn fit<'p>(template: &'static str, segments: &[&'p str]) -> Option<Vec<(&'static str, &'p str)>> {
    let mut variables = Vec::new();
    let mut segments = segments.iter();
    for piece in template.split('/') {
        let segment = *segments.next()?;
        let variable = piece.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        match variable {
            Some(name) if !segment.is_empty() => variables.push((name, segment)),
            None if piece == segment => {}
            _ => return None,
        }
    }
    segments.next().is_none().then_some(variables)
}
