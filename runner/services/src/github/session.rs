//! One request's view of the fake: who acts, when, and on what.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use proctor_types::journal::{Change, Touch, View};

use super::error::{Error, Result};
use super::git;
use super::state::{GitHub, Repo, User, noreply};
use crate::service::Request;
use crate::world::{Ids, World};

/// Addresses that answers are made of, as the client wrote them.
#[derive(Debug, Clone)]
pub(crate) struct Urls {
    /// Root of the REST API, without a final slash.
    pub(crate) api: String,
    /// Root of the pages and of git.
    pub(crate) html: String,
}

impl Urls {
    pub(crate) fn of(request: &Request) -> Self {
        let host = request.host.as_str();
        if host.ends_with("github.com") || host.ends_with("githubusercontent.com") {
            return Self {
                api: "https://api.github.com".to_owned(),
                html: "https://github.com".to_owned(),
            };
        }
        let html = request.origin();
        let enterprise = request.path.starts_with("/api/");
        let api = if enterprise {
            format!("{html}/api/v3")
        } else {
            html.clone()
        };
        Self { api, html }
    }
}

/// What a request works with. It owns the fake's state while it runs.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) gh: GitHub,
    pub(crate) ids: Ids,
    pub(crate) now: Timestamp,
    /// Login of who asks; `None` where no credentials came.
    pub(crate) actor: Option<String>,
    pub(crate) urls: Urls,
    /// Length of the request's body.
    pub(crate) size: usize,
    pub(crate) read: Vec<Touch>,
    pub(crate) changed: Vec<Touch>,
}

impl Session {
    /// Takes the state out of the world; [`Session::close`] puts it back.
    pub(crate) fn open(world: &mut World, request: &Request) -> Result<Self> {
        let gh = world.github.take().unwrap_or_default();
        let ids = std::mem::replace(&mut world.ids, Ids::new(0));
        let mut session = Self {
            gh,
            ids,
            now: world.clock.now(),
            actor: None,
            urls: Urls::of(request),
            size: request.body.len(),
            read: Vec::new(),
            changed: Vec::new(),
        };
        match login_of(&session.gh, request) {
            Ok(actor) => session.actor = actor,
            Err(error) => {
                session.close(world);
                return Err(error);
            }
        }
        Ok(session)
    }

    /// Puts the state back; gives what was read and changed.
    pub(crate) fn close(self, world: &mut World) -> (Vec<Touch>, Vec<Touch>) {
        world.github = Some(self.gh);
        world.ids = self.ids;
        (self.read, self.changed)
    }

    /// The present moment, RFC 3339.
    pub(crate) fn time(&self) -> String {
        self.now.to_string()
    }

    /// A number that nothing else has.
    pub(crate) fn fresh(&mut self) -> u64 {
        fresh(&mut self.ids)
    }

    /// Login of who acts.
    pub(crate) fn actor(&self) -> Result<String> {
        self.actor.clone().ok_or_else(Error::unauthenticated)
    }

    /// Name and address of who acts, as a signature of this moment.
    pub(crate) fn signature(&self) -> Result<git2::Signature<'static>> {
        let login = self.actor()?;
        let user = self.gh.user(&login).ok_or_else(Error::unauthenticated)?;
        let (name, email) = identity(user);
        git::signature(&name, &email, self.now)
    }

    /// A repository that the actor may see.
    pub(crate) fn repo(&self, full_name: &str) -> Result<Arc<Repo>> {
        let repo = self.gh.by_full_name(full_name)?;
        if repo.private && !self.may_push(repo) {
            return Err(Error::not_found());
        }
        Ok(Arc::clone(repo))
    }

    /// Whether the actor may change a repository.
    pub(crate) fn may_push(&self, repo: &Repo) -> bool {
        self.actor.as_ref().is_some_and(|login| {
            repo.owner.eq_ignore_ascii_case(login) || repo.collaborators.contains(login)
        })
    }

    /// Checks that the actor may change a repository; gives its exact name.
    pub(crate) fn writable(&self, full_name: &str) -> Result<String> {
        let repo = self.repo(full_name)?;
        self.actor()?;
        if !self.may_push(&repo) {
            let text = "Resource not accessible: write access to the repository is needed";
            return Err(Error::new(403, text));
        }
        if repo.archived {
            let text = "Repository was archived so is read-only.";
            return Err(Error::new(403, text));
        }
        Ok(repo.full_name())
    }

    /// Checks that the actor may open issues and comment; gives the exact name.
    pub(crate) fn commentable(&self, full_name: &str) -> Result<String> {
        let repo = self.repo(full_name)?;
        self.actor()?;
        if repo.archived {
            let text = "Repository was archived so is read-only.";
            return Err(Error::new(403, text));
        }
        Ok(repo.full_name())
    }

    pub(crate) fn saw(&mut self, kind: &str, id: impl Into<String>, view: View) {
        self.read.push(Touch::read(kind, id, view));
    }

    pub(crate) fn did(&mut self, kind: &str, id: impl Into<String>, change: Change) {
        self.changed.push(Touch::changed(kind, id, change));
    }

    pub(crate) fn updated(&mut self, kind: &str, id: impl Into<String>, fields: &[&str]) {
        let touch = Touch::changed(kind, id, Change::Updated).fields(fields.iter().copied());
        self.changed.push(touch);
    }

    /// The exact logins of accounts; 422 for one that is not there.
    pub(crate) fn logins(&self, names: &[String], field: &str) -> Result<Vec<String>> {
        let exact = |name: &String| {
            let name = if name == "@me" {
                self.actor()?
            } else {
                name.clone()
            };
            let user = self.gh.user(&name);
            let user = user.ok_or_else(|| Error::field("Issue", field, "invalid"))?;
            Ok(user.login.clone())
        };
        names.iter().map(exact).collect()
    }
}

/// A number that nothing else has.
pub(crate) fn fresh(ids: &mut Ids) -> u64 {
    700_100_000 + ids.serial("github")
}

/// Name and address as somebody's commits carry them.
pub(crate) fn identity(user: &User) -> (String, String) {
    let name = user.name.clone().unwrap_or_else(|| user.login.clone());
    let email = user.email.clone().unwrap_or_else(|| noreply(user));
    (name, email)
}

/// Who asks: `Authorization` with `token`, `Bearer` or `Basic`.
fn login_of(gh: &GitHub, request: &Request) -> Result<Option<String>> {
    let Some(value) = request.header("authorization") else {
        return Ok(None);
    };
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value, ""));
    let rest = rest.trim();
    let token = match scheme.to_ascii_lowercase().as_str() {
        "token" | "bearer" => rest.to_owned(),
        "basic" => basic_token(rest).ok_or_else(Error::bad_credentials)?,
        _ => return Err(Error::bad_credentials()),
    };
    if token.is_empty() {
        return Err(Error::bad_credentials());
    }
    let login = gh.tokens.get(&token).unwrap_or(&gh.login);
    Ok(Some(login.clone()))
}

/// The token of Basic credentials: the password, or the user where the
/// password is empty or `x-oauth-basic`.
fn basic_token(encoded: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (user, password) = text.split_once(':')?;
    let token = match password {
        "" | "x-oauth-basic" => user,
        password => password,
    };
    Some(token.to_owned())
}
