//! Files of a repository, one at a time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use git2::ObjectType;
use proctor_types::journal::{Change, View};
use proctor_types::world::github::{self as kind, file_id};
use serde_json::{Map, Value, json};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::push::FilesCommit;
use super::super::session::Session;
use super::super::state::Repo;
use super::call::{optional, required};
use super::render::path_in_url;
use super::{Call, Reply, Route, route};
use crate::service::Request;

pub(super) static ROUTES: &[Route] = &[
    route("GET", "/repos/*/*/readme", "repos/get-readme", readme),
    route("GET", "/repos/*/*/contents/**", "repos/get-content", get),
    route(
        "PUT",
        "/repos/*/*/contents/**",
        "repos/create-or-update-file-contents",
        put,
    ),
    route(
        "DELETE",
        "/repos/*/*/contents/**",
        "repos/delete-file",
        delete,
    ),
];

/// Longest file whose content stands in JSON.
const INLINE_CAP: usize = 1 << 20;

fn readme(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let id = repo.resolve(&git, call.query("ref"))?;
    let tree = git.find_commit(id)?.tree()?;
    let names = tree.iter().filter(|it| it.kind() == Some(ObjectType::Blob));
    let names = names.map(|it| String::from_utf8_lossy(it.name_bytes()).into_owned());
    let name = names
        .into_iter()
        .find(|name| name.to_ascii_lowercase().starts_with("readme"));
    show(call, &name.ok_or_else(Error::not_found)?)
}

fn get(call: &mut Call<'_>) -> Result<Reply> {
    let path = call.arg(2).to_owned();
    show(call, &path)
}

fn show(call: &mut Call<'_>, path: &str) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    if repo.branches().next().is_none() {
        return Err(Error::new(404, "This repository is empty."));
    }
    let at = call.query("ref").unwrap_or(&repo.default_branch).to_owned();
    let missing = |_| Error::new(404, format!("No commit found for the ref {at}"));
    let commit = repo.resolve(&git, Some(&at)).map_err(missing)?;
    let tree = git.find_commit(commit)?.tree()?;
    let path = path.trim_matches('/');
    let (id, kind) = if path.is_empty() {
        (tree.id(), ObjectType::Tree)
    } else {
        let entry = tree.get_path(path.as_ref())?;
        (entry.id(), entry.kind().unwrap_or(ObjectType::Commit))
    };
    if kind == ObjectType::Tree {
        let tree = git.find_tree(id)?;
        let entry = |it: &git2::TreeEntry<'_>| {
            let name = String::from_utf8_lossy(it.name_bytes()).into_owned();
            let path = if path.is_empty() {
                name
            } else {
                format!("{path}/{name}")
            };
            file_json(call.s, &repo, &git, &path, &at, it.id())
        };
        let values: Vec<Value> = tree.iter().map(|it| entry(&it)).collect();
        if call.wants("object") {
            let mut value = file_json(call.s, &repo, &git, path, &at, id);
            value["entries"] = json!(values);
            return Reply::ok(&value);
        }
        return Reply::ok(&Value::Array(values));
    }
    call.s.saw(
        kind::FILE,
        file_id(&repo.full_name(), &at, path, None),
        View::Full,
    );
    let blob = git.find_blob(id)?;
    if call.wants("raw") {
        return Reply::media("raw", blob.content().to_vec());
    }
    let mut value = file_json(call.s, &repo, &git, path, &at, id);
    if blob.size() <= INLINE_CAP {
        value["content"] = json!(wrapped(blob.content()));
        value["encoding"] = json!("base64");
    } else {
        value["content"] = json!("");
        value["encoding"] = json!("none");
    }
    Reply::ok(&value)
}

/// Base64 in lines of 60 characters, each ended.
pub(super) fn wrapped(bytes: &[u8]) -> String {
    let encoded = STANDARD.encode(bytes);
    let mut text = String::with_capacity(encoded.len() + encoded.len() / 60 + 1);
    for (index, c) in encoded.chars().enumerate() {
        text.push(c);
        if index % 60 == 59 {
            text.push('\n');
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A file or folder without its content.
fn file_json(
    s: &Session,
    repo: &Repo,
    git: &git2::Repository,
    path: &str,
    at: &str,
    id: git2::Oid,
) -> Value {
    let render = s.render();
    let object = git.find_object(id, None).ok();
    let kind = object.as_ref().and_then(git2::Object::kind);
    let (word, object_kind) = match kind {
        Some(ObjectType::Tree) => ("dir", "tree"),
        Some(ObjectType::Blob) => ("file", "blob"),
        _ => ("submodule", "tree"),
    };
    let size = object
        .as_ref()
        .and_then(git2::Object::as_blob)
        .map_or(0, git2::Blob::size);
    let shown = path_in_url(path);
    let url = format!("{}/contents/{shown}?ref={at}", render.repo_url(repo));
    let git_url = format!("{}/git/{object_kind}s/{id}", render.repo_url(repo));
    let html = format!("{}/{object_kind}/{at}/{shown}", render.html_url(repo));
    let download = format!(
        "https://raw.githubusercontent.com/{}/{at}/{shown}",
        repo.full_name()
    );
    json!({
        "name": path.rsplit('/').next(),
        "path": path,
        "sha": id.to_string(),
        "size": size,
        "url": url,
        "html_url": html,
        "git_url": git_url,
        "download_url": (word == "file").then_some(download),
        "type": word,
        "_links": {"self": url, "git": git_url, "html": html},
    })
}

/// A signature that a body gives.
pub(super) fn person(
    s: &Session,
    body: &Map<String, Value>,
    field: &str,
) -> Result<Option<git2::Signature<'static>>> {
    let Some(Value::Object(person)) = body.get(field) else {
        return Ok(None);
    };
    let name = required(person, "Commit", "name")?;
    let email = required(person, "Commit", "email")?;
    let at = match optional(person, "Commit", "date")? {
        Some(date) => date
            .parse()
            .map_err(|_| Error::field("Commit", "date", "invalid"))?,
        None => s.now,
    };
    Ok(Some(git::signature(&name, &email, at)?))
}

fn put(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let content = required(&body, "Content", "content")?;
    let content: String = content.split_whitespace().collect();
    let content = STANDARD
        .decode(content)
        .map_err(|_| Error::new(422, "content is not valid Base64"))?;
    if content.len() > git::BLOB_CAP {
        return Err(Error::new(
            422,
            "Sorry, your input was too large to process.",
        ));
    }
    change(call, &body, Some(content))
}

fn delete(call: &mut Call<'_>) -> Result<Reply> {
    let mut body = call.body()?;
    for name in ["message", "sha", "branch"] {
        if let (None, Some(value)) = (body.get(name), call.query(name)) {
            body.insert(name.to_owned(), json!(value));
        }
    }
    change(call, &body, None)
}

fn change(
    call: &mut Call<'_>,
    body: &Map<String, Value>,
    content: Option<Vec<u8>>,
) -> Result<Reply> {
    let path = call.arg(2).to_owned();
    let message = required(body, "Commit", "message")?;
    let sha = optional(body, "Content", "sha")?;
    let full_name = call.s.writable(&call.full_name())?;
    if let Some(problem) = git::bad_path(&path) {
        return Err(Error::new(
            422,
            format!("path contains a malformed path component: {problem}"),
        ));
    }
    let branch = {
        let repo = call.s.gh.by_full_name(&full_name)?;
        let branch = optional(body, "Content", "branch")?;
        let branch = branch.unwrap_or_else(|| repo.default_branch.clone());
        let branch = branch
            .strip_prefix("refs/heads/")
            .unwrap_or(&branch)
            .to_owned();
        if let Some(tip) = repo.branch(&branch).and_then(super::super::store::oid) {
            let git = repo.objects.open()?;
            let tree = git.find_commit(tip)?.tree()?;
            let there = tree
                .get_path(path.as_ref())
                .ok()
                .map(|it| it.id().to_string());
            match (&there, &sha) {
                (Some(_), None) => {
                    return Err(Error::new(
                        422,
                        "Invalid request.\n\n\"sha\" wasn't supplied.",
                    ));
                }
                (Some(there), Some(sha)) if there != sha => {
                    return Err(Error::new(409, format!("{path} does not match {sha}")));
                }
                (None, Some(sha)) if content.is_some() => {
                    return Err(Error::new(409, format!("{path} does not match {sha}")));
                }
                _ => {}
            }
        }
        branch
    };
    let removed = content.is_none();
    let created = sha.is_none();
    let author = person(call.s, body, "author")?;
    let committer = person(call.s, body, "committer")?;
    let commit = FilesCommit {
        branch: Some(branch.clone()),
        message,
        files: vec![(path.clone(), content)],
        author: author.or_else(|| committer.clone()),
        committer,
    };
    let id = call.s.commit_files(&full_name, commit)?;
    let change = if removed {
        Change::Deleted
    } else if created {
        Change::Created
    } else {
        Change::Updated
    };
    call.s.did(
        kind::FILE,
        file_id(&full_name, &branch, &path, None),
        change,
    );
    let repo = call.s.repo(&full_name)?;
    let git = repo.objects.open()?;
    let commit = git.find_commit(id)?;
    let shown = commit
        .tree()?
        .get_path(path.as_ref())
        .ok()
        .map(|it| file_json(call.s, &repo, &git, &path, &branch, it.id()));
    let value = json!({"content": shown, "commit": call.s.render().git_commit(&repo, &commit)});
    Ok(Reply::json(
        if created && !removed { 201 } else { 200 },
        &value,
    ))
}

/// `raw.githubusercontent.com/OWNER/REPO/REF/PATH`, where REF may have slashes.
pub(super) fn raw(s: &mut Session, request: &Request) -> Result<Reply> {
    let path = percent_encoding::percent_decode_str(request.path.trim_start_matches('/'));
    let path = path.decode_utf8().map_err(|_| Error::not_found())?;
    let mut parts = path.splitn(3, '/');
    let (Some(owner), Some(name), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Error::not_found());
    };
    let repo = s.repo(&format!("{owner}/{name}"))?;
    let git = repo.objects.open()?;
    let rest = rest.strip_prefix("refs/heads/").unwrap_or(rest);
    let splits = rest
        .match_indices('/')
        .filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    for (at, path) in splits {
        let Ok(commit) = repo.resolve(&git, Some(at)) else {
            continue;
        };
        let tree = git.find_commit(commit)?.tree()?;
        let blob = git.find_blob(tree.get_path(path.as_ref())?.id())?;
        s.saw(
            kind::FILE,
            file_id(&repo.full_name(), at, path, None),
            View::Full,
        );
        return Ok(Reply::raw(
            200,
            "text/plain; charset=utf-8",
            blob.content().to_vec(),
        ));
    }
    Err(Error::not_found())
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn content_comes_in_lines_of_sixty() {
        assert_eq!(wrapped(b"abc"), "YWJj\n");
        let text = wrapped(&[0; 100]);
        assert!(text.lines().all(|line| line.len() <= 60) && text.ends_with('\n'));
        assert_eq!(wrapped(b""), "");
    }
}
