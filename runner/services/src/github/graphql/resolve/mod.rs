//! The value of each field: [`root::field`] begins a query, [`field`] goes
//! on from any object that it has come to.

mod account;
mod commit;
mod issue;
mod issues;
mod pull;
mod repository;
pub(super) mod root;
mod said;

use serde_json::{Map, Value};

use super::super::error::Result;
use super::super::session::Session;
use super::node::{Node, Out};

pub(super) type Args = Map<String, Value>;

pub(super) fn text<'a>(args: &'a Args, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A field of an object.
pub(super) fn field(s: &mut Session, node: &Node, name: &str, args: &Args) -> Result<Out> {
    if name == "id" {
        return Ok(Out::of(node.id()));
    }
    match node {
        Node::Record(_, fields) => Ok(fields.get(name).cloned().unwrap_or(Out::Null)),
        Node::Repository(repo) => {
            let repo = s.repo(repo)?;
            repository::field(s, &repo, name, args)
        }
        Node::Issue(repo, number) => issue::field(s, repo, *number, name, args),
        Node::PullRequest(repo, number) => pull::field(s, repo, *number, name, args),
        Node::User(login) | Node::Organization(login) => account::field(s, login, name, args),
        Node::Label(repo, label) => repository::label(s, repo, label, name),
        Node::Milestone(repo, number) => repository::milestone(s, repo, *number, name),
        Node::Comment(repo, id) => said::comment(s, repo, *id, name),
        Node::Review(repo, number, id) => said::review(s, repo, *number, *id, name),
        Node::Commit(repo, sha) => {
            let repo = s.repo(repo)?;
            commit::field(s, &repo, sha, name, args)
        }
        Node::Ref(repo, reference) => repository::reference(s, repo, reference, name),
    }
}
