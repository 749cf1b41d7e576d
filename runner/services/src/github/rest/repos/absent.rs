//! What no repository of a world has: clients ask, and there is nothing.

use serde_json::{Value, json};

use crate::github::error::Result;
use crate::github::rest::{Call, Reply, Route, route};

pub(crate) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/repos/*/*/commits/*/check-runs",
        "checks/list-for-ref",
        |call| counted(call, "check_runs"),
    ),
    route(
        "GET",
        "/repos/*/*/commits/*/check-suites",
        "checks/list-suites-for-ref",
        |call| counted(call, "check_suites"),
    ),
    route(
        "GET",
        "/repos/*/*/languages",
        "repos/list-languages",
        |call| empty(call, &json!({})),
    ),
    route(
        "GET",
        "/repos/*/*/releases",
        "repos/list-releases",
        |call| empty(call, &json!([])),
    ),
    route("GET", "/repos/*/*/hooks", "repos/list-webhooks", |call| {
        empty(call, &json!([]))
    }),
    route("GET", "/repos/*/*/topics", "repos/get-all-topics", |call| {
        empty(call, &json!({"names": []}))
    }),
    route(
        "GET",
        "/repos/*/*/actions/runs",
        "actions/list-workflow-runs-for-repo",
        |call| counted(call, "workflow_runs"),
    ),
    route(
        "GET",
        "/repos/*/*/actions/workflows/*/runs",
        "actions/list-workflow-runs",
        |call| counted(call, "workflow_runs"),
    ),
    route(
        "GET",
        "/repos/*/*/actions/workflows",
        "actions/list-repo-workflows",
        |call| counted(call, "workflows"),
    ),
];

fn empty(call: &Call<'_>, nothing: &Value) -> Result<Reply> {
    call.repo()?;
    Reply::ok(nothing)
}

/// A list under a name of its own, with its length.
fn counted(call: &Call<'_>, name: &str) -> Result<Reply> {
    empty(call, &json!({"total_count": 0, name: []}))
}
