//! The GraphQL interface: queries are executed, not recognised.
//!
//! `schema.graphql` says what there is, in the language's own terms; [`resolve`]
//! gives the value of each field, [`mutate`] does what mutations ask for.

mod mutate;
mod node;
mod resolve;
mod schema;

use std::sync::{Arc, Mutex, PoisonError};

use async_graphql::{Request as Query, Variables};
use serde_json::{Value, json};

use super::error::{Error, Result};
use super::session::Session;
use crate::service::{Answer, Request};

/// Longest query in bytes.
const QUERY_CAP: usize = 256 << 10;

/// Mutations by the name of their first field, as the journal calls them.
const OPERATIONS: &[(&str, &str)] = &[
    ("createIssue", "graphql.createIssue"),
    ("updateIssue", "graphql.updateIssue"),
    ("closeIssue", "graphql.closeIssue"),
    ("reopenIssue", "graphql.reopenIssue"),
    ("addComment", "graphql.addComment"),
    ("updateIssueComment", "graphql.updateIssueComment"),
    ("deleteIssueComment", "graphql.deleteIssueComment"),
    ("addLabelsToLabelable", "graphql.addLabelsToLabelable"),
    (
        "removeLabelsFromLabelable",
        "graphql.removeLabelsFromLabelable",
    ),
    ("createPullRequest", "graphql.createPullRequest"),
    ("updatePullRequest", "graphql.updatePullRequest"),
    ("closePullRequest", "graphql.closePullRequest"),
    ("reopenPullRequest", "graphql.reopenPullRequest"),
    (
        "markPullRequestReadyForReview",
        "graphql.markPullRequestReadyForReview",
    ),
    (
        "convertPullRequestToDraft",
        "graphql.convertPullRequestToDraft",
    ),
    ("mergePullRequest", "graphql.mergePullRequest"),
    ("requestReviews", "graphql.requestReviews"),
    ("addPullRequestReview", "graphql.addPullRequestReview"),
    ("createRepository", "graphql.createRepository"),
];

/// What resolvers share: the session, and the first mutation that ran.
pub(crate) struct Shared {
    pub(crate) session: Session,
    pub(crate) mutation: Option<String>,
}

/// Answers a query. The session is moved through the execution.
pub(crate) fn answer(session: Session, request: &Request) -> (Session, Answer) {
    if session.actor.is_none() {
        let error = Error::new(401, "This endpoint requires you to be authenticated.");
        return (session, super::rest::refuse(&error));
    }
    let query = match query_of(request) {
        Ok(query) => query,
        Err(error) => return (session, super::rest::refuse(&error)),
    };
    let schema = match schema::schema() {
        Ok(schema) => schema,
        Err(error) => {
            let error = Error::new(500, format!("the schema is broken: {error}"));
            return (session, super::rest::refuse(&error));
        }
    };
    let shared = Arc::new(Mutex::new(Shared {
        session,
        mutation: None,
    }));
    let query = query.data(Arc::clone(&shared));
    // Resolvers never wait: this runs to its end in one go.
    let response = futures_executor::block_on(schema.execute(query));
    let mut body = serde_json::to_value(&response).unwrap_or_default();
    drop(response);
    typed_errors(&mut body);
    let mut answer = super::rest::json_answer(200, &body);
    let Some(shared) = Arc::into_inner(shared) else {
        unreachable!("the execution is over, and its data gone with it");
    };
    let Shared { session, mutation } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let known = mutation.and_then(|name| OPERATIONS.iter().find(|it| it.0 == name));
    answer.operation = Some(known.map_or("graphql.query", |it| it.1));
    (session, answer)
}

fn query_of(request: &Request) -> Result<Query> {
    let problem = || Error::new(400, "Problems parsing JSON");
    if request.method != http::Method::POST {
        return Err(Error::new(404, "Not Found"));
    }
    if request.body.len() > QUERY_CAP {
        return Err(Error::new(413, "The query is too large"));
    }
    let body: Value = serde_json::from_slice(&request.body).map_err(|_| problem())?;
    let text = body["query"].as_str();
    let text = text.ok_or_else(|| {
        Error::new(
            400,
            "A query attribute must be specified and must be a string.",
        )
    })?;
    let variables = match &body["variables"] {
        Value::Null => json!({}),
        variables => variables.clone(),
    };
    let query = Query::new(text).variables(Variables::from_json(variables));
    Ok(match body["operationName"].as_str() {
        Some(name) if !name.is_empty() => query.operation_name(name),
        _ => query,
    })
}

/// Puts the type of an error where GitHub has it, and leaves `data` out where
/// nothing was executed.
fn typed_errors(body: &mut Value) {
    for error in body["errors"].as_array_mut().into_iter().flatten() {
        let kind = error["extensions"]["type"].take();
        if kind.is_string() {
            error["type"] = kind;
        }
        if let Some(error) = error.as_object_mut() {
            error.shift_remove("extensions");
        }
    }
    if let Some(map) = body.as_object_mut() {
        map.retain(|name, value| name != "errors" || !value.is_null());
        map.shift_remove("extensions");
    }
}
