//! Search: words and qualifiers (`repo:a/b is:open label:"x y" word`).

use std::sync::Arc;

use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id, file_id, numbered_id};
use serde_json::{Value, json};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::session::Session;
use super::super::state::{Issue, Repo};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route(
        "GET",
        "/search/issues",
        "search/issues-and-pull-requests",
        issues,
    ),
    route("GET", "/search/repositories", "search/repos", repositories),
    route("GET", "/search/code", "search/code", code),
    route("GET", "/search/commits", "search/commits", commits),
    route("GET", "/search/users", "search/users", users),
];

/// A search, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Query {
    words: Vec<String>,
    qualifiers: Vec<(String, String, bool)>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for (negated, token) in tokens(text) {
            match token.split_once(':') {
                Some((name, value))
                    if !value.is_empty()
                        && name.chars().all(|c| c.is_ascii_alphabetic() || c == '-') =>
                {
                    query
                        .qualifiers
                        .push((name.to_ascii_lowercase(), value.to_owned(), negated));
                }
                _ => query.words.push(token.to_lowercase()),
            }
        }
        query
    }

    fn all(&self, name: &str) -> impl Iterator<Item = (&str, bool)> {
        let own = self.qualifiers.iter().filter(move |it| it.0 == name);
        own.map(|(_, value, negated)| (value.as_str(), *negated))
    }

    /// Whether a value meets every qualifier of a name; several of one name are
    /// alternatives for `repo`, `user` and `org`.
    fn meets(&self, name: &str, fits: impl Fn(&str) -> bool) -> bool {
        self.all(name)
            .all(|(value, negated)| fits(value) != negated)
    }

    fn repo_fits(&self, repo: &Repo) -> bool {
        let name = repo.full_name();
        let mut repos = self.all("repo").peekable();
        let mut owners = self.all("user").chain(self.all("org")).peekable();
        (repos.peek().is_none() || repos.any(|(it, not)| it.eq_ignore_ascii_case(&name) != not))
            && (owners.peek().is_none()
                || owners.any(|(it, not)| it.eq_ignore_ascii_case(&repo.owner) != not))
    }

    /// Whether a search for repositories finds this one.
    pub(crate) fn names(&self, repo: &Repo) -> bool {
        let about = repo.description.as_deref().unwrap_or_default();
        self.repo_fits(repo) && self.words_in(&format!("{} {about}", repo.full_name()))
    }

    fn words_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.words.iter().all(|word| text.contains(word))
    }

    pub(crate) fn issue_fits(&self, actor: Option<&str>, repo: &Repo, issue: &Issue) -> bool {
        let pull = issue.pull.as_ref();
        let who = |value: &str, login: &str| {
            let value = if value == "@me" {
                actor.unwrap_or_default()
            } else {
                value
            };
            value.eq_ignore_ascii_case(login)
        };
        let is = |value: &str| match value {
            "issue" => pull.is_none(),
            "pr" | "pull-request" => pull.is_some(),
            "open" => !issue.closed,
            "closed" => issue.closed,
            "merged" => issue.merged().is_some(),
            "unmerged" => pull.is_some() && issue.merged().is_none(),
            "draft" => pull.is_some_and(|it| it.draft),
            "private" => repo.private,
            "public" => !repo.private,
            "archived" => repo.archived,
            "locked" => issue.locked,
            _ => true,
        };
        let no = |value: &str| match value {
            "label" => issue.labels.is_empty(),
            "assignee" => issue.assignees.is_empty(),
            "milestone" => issue.milestone.is_none(),
            _ => true,
        };
        let milestone = repo
            .milestones
            .iter()
            .find(|it| Some(it.number) == issue.milestone);
        let reviewers = || pull.into_iter().flat_map(|it| &it.requested_reviewers);
        let reviewed = || {
            pull.into_iter()
                .flat_map(|it| &it.reviews)
                .map(|it| &it.user)
        };
        let commenters = || issue.comments.iter().map(|it| &it.user);
        let involved = |it: &str| {
            who(it, &issue.user)
                || issue.assignees.iter().any(|own| who(it, own))
                || commenters().any(|own| who(it, own))
                || issue.body.contains(&format!(
                    "@{}",
                    if it == "@me" {
                        actor.unwrap_or_default()
                    } else {
                        it
                    }
                ))
        };
        let mut text = format!("{}\n{}", issue.title, issue.body);
        for comment in &issue.comments {
            text.push('\n');
            text.push_str(&comment.body);
        }
        self.repo_fits(repo)
            && self.meets("is", is)
            && self.meets("type", is)
            && self.meets("state", is)
            && self.meets("no", no)
            && self.meets("draft", |it| {
                pull.is_some_and(|pull| pull.draft == (it == "true"))
            })
            && self.meets("author", |it| who(it, &issue.user))
            && self.meets("assignee", |it| {
                issue.assignees.iter().any(|own| who(it, own))
            })
            && self.meets("mentions", |it| issue.body.contains(&format!("@{it}")))
            && self.meets("commenter", |it| commenters().any(|own| who(it, own)))
            && self.meets("involves", involved)
            && self.meets("review-requested", |it| reviewers().any(|own| who(it, own)))
            && self.meets("reviewed-by", |it| reviewed().any(|own| who(it, own)))
            && self.meets("label", |it| {
                issue.labels.iter().any(|own| own.eq_ignore_ascii_case(it))
            })
            && self.meets("milestone", |it| {
                milestone.is_some_and(|own| own.title.eq_ignore_ascii_case(it))
            })
            && self.meets("head", |it| pull.is_some_and(|pull| pull.head_ref == it))
            && self.meets("base", |it| pull.is_some_and(|pull| pull.base_ref == it))
            && self.words_in(&text)
    }
}

/// Words and `name:value`, each with whether a `-` stands before it. Quotes
/// hold spaces together.
fn tokens(text: &str) -> Vec<(bool, String)> {
    let mut tokens = Vec::new();
    let (mut token, mut quoted) = (String::new(), false);
    for c in text.chars().chain([' ']) {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if !token.is_empty() {
                    let negated = token.len() > 1 && token.starts_with('-');
                    let word = if negated {
                        token.split_off(1)
                    } else {
                        token.clone()
                    };
                    tokens.push((negated, word));
                }
                token.clear();
            }
            c => token.push(c),
        }
    }
    if !token.trim().is_empty() {
        tokens.push((false, token.trim().to_owned()));
    }
    tokens
}

impl Session {
    /// Issues and pull requests that a search finds, newest first.
    pub(crate) fn search_issues(&self, query: &Query) -> Vec<(Arc<Repo>, u64)> {
        let seen = self
            .gh
            .repositories
            .values()
            .filter(|repo| !repo.private || self.may_push(repo));
        let mut found: Vec<(Arc<Repo>, u64)> = Vec::new();
        for repo in seen {
            for issue in repo.issues.values() {
                if query.issue_fits(self.actor.as_deref(), repo, issue) {
                    found.push((Arc::clone(repo), issue.number));
                }
            }
        }
        let key = |it: &(Arc<Repo>, u64)| {
            it.0.issues
                .get(&it.1)
                .map(|issue| (issue.created_at.clone(), issue.number))
        };
        found.sort_by_key(|it| std::cmp::Reverse(key(it)));
        found
    }
}

fn query_of(call: &Call<'_>) -> Result<Query> {
    let text = call
        .query("q")
        .ok_or_else(|| Error::field("Search", "q", "missing"))?;
    if text.len() > 4_096 {
        return Err(Error::custom(
            "Search",
            "The search is longer than 256 characters.",
        ));
    }
    Ok(Query::parse(text))
}

fn found<T>(
    call: &mut Call<'_>,
    all: Vec<T>,
    render: impl FnMut(&mut Session, T) -> Value,
) -> Result<Reply> {
    let total = all.len();
    let reply = call.list(all, render)?;
    let items: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let body = json!({"total_count": total, "incomplete_results": false, "items": items});
    let mut whole = Reply::json(200, &body);
    whole.headers = reply.headers;
    Ok(whole)
}

fn issues(call: &mut Call<'_>) -> Result<Reply> {
    let query = query_of(call)?;
    let mut all = call.s.search_issues(&query);
    if call.query("order") == Some("asc") {
        all.reverse();
    }
    found(call, all, |s, (repo, number)| {
        let Ok(issue) = repo.issue(number) else {
            return Value::Null;
        };
        s.saw(
            issue.kind(),
            numbered_id(&repo.full_name(), number),
            View::Full,
        );
        let mut value = s.render().issue(&repo, issue);
        value["score"] = json!(1.0);
        value
    })
}

fn seen(s: &Session) -> Vec<Arc<Repo>> {
    let all =
        s.gh.repositories
            .values()
            .filter(|repo| !repo.private || s.may_push(repo));
    all.map(Arc::clone).collect()
}

fn repositories(call: &mut Call<'_>) -> Result<Reply> {
    let query = query_of(call)?;
    let mut all = seen(call.s);
    all.retain(|repo| query.names(repo));
    found(call, all, |s, repo| {
        s.saw(kind::REPOSITORY, repo.full_name(), View::Summary);
        let mut value = s.render().repo(&repo);
        value["score"] = json!(1.0);
        value
    })
}

fn code(call: &mut Call<'_>) -> Result<Reply> {
    let query = query_of(call)?;
    let mut all: Vec<(Arc<Repo>, String, git2::Oid, String)> = Vec::new();
    for repo in seen(call.s) {
        let Some(tip) = repo
            .branch(&repo.default_branch)
            .and_then(super::super::store::oid)
        else {
            continue;
        };
        if !query.repo_fits(&repo) {
            continue;
        }
        let git = repo.objects.open()?;
        for entry in git::entries(&git.find_commit(tip)?.tree()?, false)? {
            let name = entry.path.rsplit('/').next().unwrap_or_default().to_owned();
            let fits = query.meets("filename", |it| name.contains(it))
                && query.meets("extension", |it| name.ends_with(&format!(".{it}")))
                && query.meets("path", |it| {
                    entry.path.starts_with(it.trim_start_matches('/'))
                });
            if !fits {
                continue;
            }
            if let Some(text) = git::text_of(&git, entry.id)
                && (query.words_in(&text) || query.words_in(&entry.path))
            {
                let word = query.words.first().cloned().unwrap_or_default();
                let line = text
                    .lines()
                    .find(|line| line.to_lowercase().contains(&word));
                let line = line.unwrap_or_default().to_owned();
                all.push((Arc::clone(&repo), entry.path, entry.id, line));
            }
        }
    }
    found(call, all, |s, (repo, path, id, line)| {
        s.saw(
            kind::FILE,
            file_id(&repo.full_name(), &repo.default_branch, &path, None),
            View::Summary,
        );
        let render = s.render();
        let at = &repo.default_branch;
        json!({
            "name": path.rsplit('/').next(),
            "path": path,
            "sha": id.to_string(),
            "url": format!("{}/contents/{path}?ref={at}", render.repo_url(&repo)),
            "git_url": format!("{}/git/blobs/{id}", render.repo_url(&repo)),
            "html_url": format!("{}/blob/{at}/{path}", render.html_url(&repo)),
            "repository": render.repo(&repo),
            "score": 1.0,
            "text_matches": [{"object_type": "FileContent", "property": "content", "fragment": line, "matches": []}],
        })
    })
}

fn commits(call: &mut Call<'_>) -> Result<Reply> {
    let query = query_of(call)?;
    let mut all = Vec::new();
    for repo in seen(call.s) {
        let Some(tip) = repo
            .branch(&repo.default_branch)
            .and_then(super::super::store::oid)
        else {
            continue;
        };
        if !query.repo_fits(&repo) {
            continue;
        }
        let git = repo.objects.open()?;
        for id in git::between(&git, None, tip)? {
            let commit = git.find_commit(id)?;
            let email = String::from_utf8_lossy(commit.author().email_bytes()).into_owned();
            let login = call
                .s
                .gh
                .user_by_email(&email)
                .map(|user| user.login.clone())
                .unwrap_or_default();
            if query.meets("author", |it| it.eq_ignore_ascii_case(&login))
                && query.words_in(&git::message(&commit))
            {
                all.push((Arc::clone(&repo), id));
            }
        }
    }
    found(call, all, |s, (repo, id)| {
        s.saw(
            kind::COMMIT,
            at_id(&repo.full_name(), &id.to_string()),
            View::Summary,
        );
        let git = repo.objects.open().ok();
        let commit = git.as_ref().and_then(|git| git.find_commit(id).ok());
        let mut value = commit.map_or(Value::Null, |it| s.render().commit(&repo, &it));
        value["repository"] = s.render().repo(&repo);
        value["score"] = json!(1.0);
        value
    })
}

fn users(call: &mut Call<'_>) -> Result<Reply> {
    let query = query_of(call)?;
    let all = call.s.gh.users.values().filter(|it| {
        let text = format!(
            "{} {} {}",
            it.login,
            it.name.as_deref().unwrap_or_default(),
            it.email.as_deref().unwrap_or_default()
        );
        query.words_in(&text)
    });
    let all: Vec<String> = all.map(|it| it.login.clone()).collect();
    found(call, all, |s, login| s.render().user(&login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_words_and_qualifiers() {
        let query = Query::parse("Memory is:open -label:\"good first issue\" repo:a/b leak");
        assert_eq!(query.words, ["memory", "leak"]);
        let names: Vec<_> = query
            .qualifiers
            .iter()
            .map(|it| (it.0.as_str(), it.1.as_str(), it.2))
            .collect();
        assert_eq!(
            names,
            [
                ("is", "open", false),
                ("label", "good first issue", true),
                ("repo", "a/b", false)
            ]
        );
    }
}
