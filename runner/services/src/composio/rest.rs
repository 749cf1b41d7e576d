//! The interface itself: paths, bodies, answers.

use http::Method;
use serde_json::{Map, Value, json};

use super::sessions::{self, Session};
use super::{CHANNEL, Refusal, json_answer, meta, search, tools};
use crate::mcp::{self, Run, Toolkit, tool};
use crate::service::{Answer, Request};
use crate::world::World;

/// Versions of the interface, which are alike in what is here. On the plain
/// port the second is GitHub's, where there is a GitHub.
const PREFIXES: [&str; 2] = ["/api/v3.1/", "/api/v3/"];

/// The path below the version, where it is one of this interface's.
pub(super) fn path_of(path: &str) -> Option<&str> {
    let rest = PREFIXES
        .iter()
        .find_map(|prefix| path.strip_prefix(prefix))?;
    let first = rest.split('/').next().unwrap_or_default();
    ["tool_router", "tools"].contains(&first).then_some(rest)
}

fn segments(path: &str) -> Vec<&str> {
    let rest = path_of(path).unwrap_or_default();
    rest.split('/').filter(|part| !part.is_empty()).collect()
}

/// What a request does, for the journal.
pub(super) fn operation(method: &Method, path: &str) -> Option<&'static str> {
    let get = method == Method::GET;
    let post = method == Method::POST;
    Some(match segments(path).as_slice() {
        ["tool_router", "session"] if post => "tool_router.session.create",
        ["tool_router", "session", _] if get => "tool_router.session.retrieve",
        ["tool_router", "session", _] if method == Method::PATCH => "tool_router.session.patch",
        ["tool_router", "session", _] if method == Method::DELETE => "tool_router.session.delete",
        ["tool_router", "session", _, "attach"] if post => "tool_router.session.attach",
        ["tool_router", "session", _, "tools"] if get => "tool_router.session.tools",
        ["tool_router", "session", _, "toolkits"] if get => "tool_router.session.toolkits",
        ["tool_router", "session", _, "search"] if post => "tool_router.session.search",
        ["tool_router", "session", _, "execute"] if post => "tool_router.session.execute",
        ["tool_router", "session", _, "execute_meta"] if post => "tool_router.session.execute_meta",
        ["tools"] if get => "tools.list",
        ["tools", "execute", _] if post => "tools.execute",
        ["tools", _] if get => "tools.retrieve",
        _ => return None,
    })
}

/// Answers a request.
pub(super) fn answer(world: &mut World, request: &Request) -> Result<Answer, Refusal> {
    let unknown = || {
        Refusal::new(
            404,
            "HTTP_NotFound",
            format!("{} {} is not there.", request.method, request.path),
        )
        .fix("There are tool_router/session and tools, below /api/v3.1.")
    };
    let operation = operation(&request.method, &request.path).ok_or_else(unknown)?;
    let segments = segments(&request.path);
    if let ["tools", rest @ ..] = segments.as_slice() {
        return of_tools(world, request, rest);
    }
    let Some(&id) = segments.get(2) else {
        let id = sessions::create(world, &body_of(request)?)?;
        let session = session_of(world, &id)?;
        return Ok(json_answer(201, &session.json(&id, world, request)));
    };
    let session = session_of(world, id)?;
    let value = match operation {
        "tool_router.session.patch" => {
            sessions::update(world, id, &body_of(request)?)?;
            session_of(world, id)?.json(id, world, request)
        }
        "tool_router.session.delete" => {
            let deleted = world.composio.remove(id);
            json!({"session_id": id, "deleted": deleted, "success": deleted})
        }
        "tool_router.session.tools" => {
            let own = meta::TOOLS.iter().map(tools::meta);
            let all = own.chain(session.listed(world).into_iter().map(tools::json));
            paged(request, all.collect())
        }
        "tool_router.session.toolkits" => {
            let all = Toolkit::of(world).into_iter();
            let all = all.map(|toolkit| connected(world, &session, toolkit));
            paged(request, all.collect())
        }
        "tool_router.session.search" => search::answer(world, &session, id, &body_of(request)?)?,
        "tool_router.session.execute" | "tool_router.session.execute_meta" => {
            return execute(world, request, &session, id);
        }
        _ => session.json(id, world, request),
    };
    Ok(json_answer(200, &value))
}

fn session_of(world: &World, id: &str) -> Result<Session, Refusal> {
    let session = world.composio.get(id);
    session.cloned().ok_or_else(|| Refusal::session(id))
}

fn of_tools(world: &mut World, request: &Request, rest: &[&str]) -> Result<Answer, Refusal> {
    match rest {
        [] => Ok(json_answer(200, &list(world, request)?)),
        ["execute", slug] => {
            let tool = tool::find(world, slug)?;
            let body = body_of(request)?;
            let arguments = arguments_of(&body)?;
            let done = mcp::run(world, CHANNEL, tool, arguments, request);
            let log = world.ids.hex("composio.log", 16);
            let mut value = done.outcome.json();
            value["log_id"] = format!("log_{log}").into();
            Ok(done_as(done, tool.slug, &value))
        }
        [slug, ..] => {
            let own = meta::TOOLS.iter().find(|tool| tool.slug == *slug);
            let value = match own {
                Some(tool) => tools::meta(tool),
                None => tools::json(tool::find(world, slug)?),
            };
            Ok(json_answer(200, &value))
        }
    }
}

/// Tools by slug, by toolkit, or by words.
fn list(world: &World, request: &Request) -> Result<Value, Refusal> {
    let query = |names: [&str; 2]| {
        let mut pairs = form_urlencoded::parse(request.query.as_bytes());
        let found = pairs.find(|(name, value)| names.contains(&name.as_ref()) && !value.is_empty());
        found.map(|(_, value)| value.into_owned())
    };
    let mut found: Vec<_> = tool::offered(world).collect();
    if let Some(slugs) = query(["tool_slugs", "tool_slug"]) {
        let slugs: Vec<&str> = slugs.split(',').map(str::trim).collect();
        found = slugs
            .into_iter()
            .map(|slug| tool::find(world, slug))
            .collect::<Result<_, _>>()?;
    }
    if let Some(toolkits) = query(["toolkit_slug", "toolkits"]) {
        let toolkits: Vec<String> = toolkits.split(',').map(str::to_lowercase).collect();
        found.retain(|tool| {
            toolkits
                .iter()
                .any(|name| name.trim() == tool.toolkit.slug())
        });
    }
    if let Some(words) = query(["query", "search"]) {
        found = search::best(&found, &words);
    }
    Ok(paged(request, found.into_iter().map(tools::json).collect()))
}

fn paged(request: &Request, items: Vec<Value>) -> Value {
    let pairs: Vec<_> = form_urlencoded::parse(request.query.as_bytes()).collect();
    let of = |name: &str| {
        let found = pairs.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_ref())
    };
    tools::page(items, of("cursor"), of("limit"))
}

/// A service as a session lists it.
fn connected(world: &World, session: &Session, toolkit: Toolkit) -> Value {
    let slug = toolkit.slug();
    json!({
        "slug": slug,
        "name": toolkit.title(),
        "enabled": session.has(toolkit),
        "is_no_auth": false,
        "composio_managed_auth_schemes": ["OAUTH2"],
        "meta": {"description": toolkit.description(), "logo": "", "isNoAuth": false},
        "connected_account": {
            "id": format!("ca_{slug}"),
            "status": "ACTIVE",
            "user_id": session.user(),
            "created_at": world.clock.start().to_string(),
            "auth_config": {
                "id": format!("ac_{slug}"),
                "auth_scheme": "OAUTH2",
                "is_composio_managed": true,
            },
        },
    })
}

/// Executes a tool in a session: `{"tool_slug", "arguments"}`.
fn execute(
    world: &mut World,
    request: &Request,
    session: &Session,
    id: &str,
) -> Result<Answer, Refusal> {
    let body = body_of(request)?;
    let slug = ["tool_slug", "slug"]
        .into_iter()
        .find_map(|name| body.get(name)?.as_str());
    let slug = slug.ok_or_else(|| {
        Refusal::body("`tool_slug` must be a text, for example `GMAIL_SEND_EMAIL`.")
    })?;
    let arguments = arguments_of(&body)?;
    let own = meta::run(world, session, id, slug, &arguments, request);
    let done = if let Some(done) = own {
        done
    } else {
        let tool = session.tool(world, slug)?;
        mcp::run(world, CHANNEL, tool, arguments, request)
    };
    let log = world.ids.hex("composio.log", 16);
    let value = json!({
        "result_type": if done.outcome.successful { "completed" } else { "failed" },
        "data": done.outcome.data,
        "error": done.outcome.error,
        "log_id": format!("log_{log}"),
    });
    Ok(done_as(done, slug, &value))
}

fn done_as(done: Run, slug: &str, value: &Value) -> Answer {
    let mut answer = json_answer(200, value);
    answer.via = Some(mcp::via(CHANNEL, slug));
    answer.lasting = done.lasting;
    answer.parts = done.parts;
    answer
}

fn arguments_of(body: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    match body.get("arguments") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(arguments)) => Ok(arguments.clone()),
        Some(_) => Err(Refusal::body("`arguments` must be an object.")),
    }
}

fn body_of(request: &Request) -> Result<Map<String, Value>, Refusal> {
    if request.body.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Refusal::body("The body must be a JSON object.")),
        Err(error) => Err(Refusal::body(format!("The body is no JSON: {error}."))),
    }
}
