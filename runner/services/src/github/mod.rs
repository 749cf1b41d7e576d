//! GitHub: repositories that are real ones, what people say about them, and the
//! interfaces that clients use.
//!
//! `store` has git's objects, `state` everything else. `session` is one
//! request's view of both; what can be done (open, merge, comment, push) is
//! written once, in `issues`, `labels`, `pulls`, `push` and `repos`, for every
//! interface.
//! Those are git's own protocol (`git_http`, `push_list`), the REST interface (`rest`) and
//! the GraphQL interface (`graphql`).

use std::sync::Arc;

use proctor_types::WorldSnapshot;

use crate::service::{Answer, Request, Service};
use crate::world::World;

mod error;
mod git;
mod git_http;
mod graphql;
mod issues;
mod labels;
mod pulls;
mod push;
mod push_list;
mod repos;
mod rest;
mod room;
mod seed;
mod session;
mod snapshot;
mod state;
mod store;

#[cfg(test)]
mod tests;

pub use snapshot::Blobs;
pub use state::GitHub;

use session::Session;

/// GitHub's fake as one service.
#[derive(Debug, Clone, Copy, Default)]
pub struct GitHubService;

/// The fake of GitHub.
pub fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(GitHubService)]
}

/// Adds the service to the evidence.
pub(crate) fn add_to(hub: &GitHub, snapshot: &mut WorldSnapshot) {
    snapshot.github = Some(hub.snapshot().0);
}

const HOSTS: &[&str] = &[
    "github.com",
    "www.github.com",
    "api.github.com",
    "uploads.github.com",
    "raw.githubusercontent.com",
    "codeload.github.com",
];

/// Paths of the REST interface on the port that routes by path.
const PATHS: &[&str] = &[
    "/api/v3/",
    "/api/graphql",
    "/graphql",
    "/repos/",
    "/user",
    "/search/",
    "/orgs/",
    "/rate_limit",
    "/meta",
];

impl Service for GitHubService {
    fn name(&self) -> &'static str {
        "github"
    }

    fn owns(&self, host: &str) -> bool {
        HOSTS.contains(&host)
    }

    fn owns_path(&self, path: &str) -> bool {
        let of_git = ["/info/refs", "/git-upload-pack", "/git-receive-pack"];
        path == "/"
            || path == "/api/v3"
            || PATHS.iter().any(|prefix| path.starts_with(prefix))
            || of_git.iter().any(|suffix| path.ends_with(suffix))
    }

    fn takes_long(&self, request: &Request) -> bool {
        git_http::wish_of(request).is_some()
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        let mut session = match Session::open(world, request) {
            Ok(session) => session,
            Err(error) => return rest::refuse(&error),
        };
        let graphql = matches!(request.path.as_str(), "/graphql" | "/api/graphql");
        let (mut session, mut answer) = if graphql {
            graphql::answer(session, request)
        } else {
            let answer = route(&mut session, request);
            (session, answer)
        };
        session.read.dedup();
        answer.actor.clone_from(&session.actor);
        let (read, changed) = session.close(world);
        if answer.status < 400 {
            answer.read = read;
            answer.changed = changed;
        }
        answer
    }
}

fn route(session: &mut Session, request: &Request) -> Answer {
    if let Some((full_name, wish)) = git_http::wish_of(request) {
        return git_http::answer(session, request, &full_name, wish);
    }
    rest::answer(session, request)
}
