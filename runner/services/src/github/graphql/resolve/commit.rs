//! Fields of commits.

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id};
use serde_json::Map;

use super::super::node::{Node, Out, connection, record};
use super::Args;
use crate::github::error::{Error, Result};
use crate::github::git;
use crate::github::session::Session;
use crate::github::state::Repo;
use crate::github::store::oid;

/// A field of a commit.
pub(super) fn field(
    s: &mut Session,
    repo: &Repo,
    sha: &str,
    name: &str,
    args: &Args,
) -> Result<Out> {
    let git = repo.objects.open()?;
    let object = git.find_object(oid(sha).ok_or_else(Error::not_found)?, None)?;
    let commit = object.peel_to_commit()?;
    let message = git::message(&commit);
    let (headline, rest) = message.split_once('\n').unwrap_or((&message, ""));
    let person = |it: &git2::Signature<'_>| {
        let email = String::from_utf8_lossy(it.email_bytes()).into_owned();
        let user =
            s.gh.user_by_email(&email)
                .map(|user| Node::User(user.login.clone()));
        record(
            "GitActor",
            [
                ("name", Out::of(String::from_utf8_lossy(it.name_bytes()))),
                ("email", Out::of(email)),
                ("date", Out::of(git::date(it))),
                ("user", Out::maybe(user)),
            ],
        )
    };
    Ok(match name {
        "oid" => Out::of(commit.id().to_string()),
        "abbreviatedOid" => Out::of(sha.get(..7)),
        "message" => {
            s.saw(kind::COMMIT, at_id(&repo.full_name(), sha), View::Summary);
            Out::of(message)
        }
        "messageHeadline" => Out::of(headline),
        "messageBody" => Out::of(rest.trim()),
        "url" => Out::of(format!("{}/commit/{sha}", s.render().html_url(repo))),
        "committedDate" => Out::of(git::date(&commit.committer())),
        "authoredDate" => Out::of(git::date(&commit.author())),
        "author" => Out::Node(person(&commit.author())),
        "committer" => Out::Node(person(&commit.committer())),
        "authors" => Out::Node(connection(vec![person(&commit.author())], args)),
        "additions" | "deletions" | "changedFiles" => {
            let old = commit.parent(0).and_then(|it| it.tree()).ok();
            let files = git::diff(&git, old.as_ref(), Some(&commit.tree()?))?;
            Out::of(match name {
                "additions" => files.iter().map(|it| it.additions).sum(),
                "deletions" => files.iter().map(|it| it.deletions).sum(),
                _ => files.len(),
            })
        }
        "history" => {
            let all = git::between(&git, None, commit.id())?;
            let all = all
                .iter()
                .map(|id| Node::Commit(repo.full_name(), id.to_string()));
            Out::Node(connection(all.collect(), args))
        }
        "statusCheckRollup" => rollup(repo, sha),
        _ => Out::Null,
    })
}

/// What the statuses of a commit come to.
fn rollup(repo: &Repo, sha: &str) -> Out {
    let Some(statuses) = repo.statuses.get(sha) else {
        return Out::Null;
    };
    let contexts = statuses.iter().map(|it| {
        record(
            "StatusContext",
            [
                ("context", Out::of(&it.context)),
                ("state", Out::of(it.state.to_uppercase())),
                (
                    "targetUrl",
                    Out::of(it.target_url.clone().unwrap_or_default()),
                ),
                ("createdAt", Out::of(&it.created_at)),
                ("description", Out::of(&it.description)),
                ("isRequired", Out::of(false)),
            ],
        )
    });
    let contexts = connection(contexts.collect(), &Map::new());
    let has = |state: &str| statuses.iter().any(|it| it.state == state);
    let state = if has("failure") || has("error") {
        "FAILURE"
    } else if has("pending") {
        "PENDING"
    } else {
        "SUCCESS"
    };
    Out::Node(record(
        "StatusCheckRollup",
        [("state", Out::of(state)), ("contexts", Out::Node(contexts))],
    ))
}
