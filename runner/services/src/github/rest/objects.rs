//! git's objects and refs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use git2::{FileMode, Oid};
use proctor_types::journal::View;
use proctor_types::world::github::{self as kind, at_id};
use serde_json::{Value, json};

use super::super::error::{Error, Result};
use super::super::git;
use super::super::state::Repo;
use super::super::store::oid;
use super::call::{optional, required};
use super::contents::{person, wrapped};
use super::render::{node_id, signature};
use super::{Call, Reply, Route, route};

pub(super) static ROUTES: &[Route] = &[
    route("GET", "/repos/*/*/git/ref/**", "git/get-ref", get_ref),
    route(
        "GET",
        "/repos/*/*/git/matching-refs/**",
        "git/list-matching-refs",
        matching_refs,
    ),
    route("GET", "/repos/*/*/git/refs", "git/list-refs", all_refs),
    route("GET", "/repos/*/*/git/refs/**", "git/get-refs", get_refs),
    route("POST", "/repos/*/*/git/refs", "git/create-ref", create_ref),
    route(
        "PATCH",
        "/repos/*/*/git/refs/**",
        "git/update-ref",
        update_ref,
    ),
    route(
        "DELETE",
        "/repos/*/*/git/refs/**",
        "git/delete-ref",
        delete_ref,
    ),
    route("GET", "/repos/*/*/git/trees/**", "git/get-tree", get_tree),
    route(
        "POST",
        "/repos/*/*/git/trees",
        "git/create-tree",
        create_tree,
    ),
    route("GET", "/repos/*/*/git/blobs/*", "git/get-blob", get_blob),
    route(
        "POST",
        "/repos/*/*/git/blobs",
        "git/create-blob",
        create_blob,
    ),
    route(
        "GET",
        "/repos/*/*/git/commits/*",
        "git/get-commit",
        get_commit,
    ),
    route(
        "POST",
        "/repos/*/*/git/commits",
        "git/create-commit",
        create_commit,
    ),
    route("GET", "/repos/*/*/git/tags/*", "git/get-tag", get_tag),
    route("POST", "/repos/*/*/git/tags", "git/create-tag", create_tag),
];

fn get_ref(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let name = format!("refs/{}", call.arg(2).trim_start_matches("refs/"));
    let sha = repo.reference(&name).ok_or_else(Error::not_found)?;
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        call.s
            .saw(kind::BRANCH, at_id(&repo.full_name(), branch), View::Full);
    }
    Reply::ok(
        &call
            .s
            .render()
            .reference(&repo, &repo.objects.open()?, &name, sha),
    )
}

fn refs_under(call: &mut Call<'_>, prefix: &str) -> Result<Reply> {
    let repo = call.repo()?;
    let all = repo
        .refs
        .iter()
        .filter(|(name, _)| name.starts_with(prefix));
    let all: Vec<(String, String)> = all.map(|(name, sha)| (name.clone(), sha.clone())).collect();
    let git = repo.objects.open()?;
    call.list(all, |s, (name, sha)| {
        s.render().reference(&repo, &git, &name, &sha)
    })
}

fn matching_refs(call: &mut Call<'_>) -> Result<Reply> {
    let prefix = format!("refs/{}", call.arg(2));
    refs_under(call, &prefix)
}

fn all_refs(call: &mut Call<'_>) -> Result<Reply> {
    refs_under(call, "refs/")
}

/// The one ref of this name, else all that begin with it.
fn get_refs(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let name = format!("refs/{}", call.arg(2));
    if repo.reference(&name).is_some() {
        return get_ref(call);
    }
    if repo.refs.keys().any(|it| it.starts_with(&name)) {
        return refs_under(call, &name);
    }
    Err(Error::not_found())
}

/// An object of a repository that a body names.
fn object_of(repo: &Repo, sha: &str) -> Result<Oid> {
    let id = oid(sha).ok_or_else(|| {
        Error::new(
            422,
            "The sha parameter must be exactly 40 characters and contain only [0-9a-f].",
        )
    })?;
    repo.objects
        .open()?
        .find_object(id, None)
        .map_err(|_| Error::new(422, "Object does not exist"))?;
    Ok(id)
}

fn create_ref(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = required(&body, "Reference", "ref")?;
    let sha = required(&body, "Reference", "sha")?;
    let fits = name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
    if !fits || !git2::Reference::is_valid_name(&name) {
        return Err(Error::new(
            422,
            format!(
                "Reference name '{name}' is not valid: expected refs/heads/NAME or refs/tags/NAME"
            ),
        ));
    }
    let repo = call.s.gh.by_full_name(&full_name)?;
    if repo.reference(&name).is_some() {
        return Err(Error::new(422, "Reference already exists"));
    }
    let deeper = format!("{name}/");
    if repo
        .refs
        .keys()
        .any(|it| it.starts_with(&deeper) || name.starts_with(&format!("{it}/")))
    {
        return Err(Error::new(422, "Reference name conflicts with another one"));
    }
    let id = object_of(repo, &sha)?;
    call.s.move_ref(&full_name, &name, Some(id), false)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(
        &call
            .s
            .render()
            .reference(&repo, &repo.objects.open()?, &name, &sha),
    )
}

fn update_ref(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = format!("refs/{}", call.arg(2));
    let sha = required(&body, "Reference", "sha")?;
    let force = body.get("force").and_then(Value::as_bool).unwrap_or(false);
    let repo = call.s.gh.by_full_name(&full_name)?;
    if repo.reference(&name).is_none() || name.starts_with("refs/pull/") {
        return Err(Error::new(422, "Reference does not exist"));
    }
    let id = object_of(repo, &sha)?;
    call.s.move_ref(&full_name, &name, Some(id), force)?;
    let repo = call.s.repo(&full_name)?;
    Reply::ok(
        &call
            .s
            .render()
            .reference(&repo, &repo.objects.open()?, &name, &sha),
    )
}

fn delete_ref(call: &mut Call<'_>) -> Result<Reply> {
    let full_name = call.s.writable(&call.full_name())?;
    let name = format!("refs/{}", call.arg(2));
    let there = call
        .s
        .gh
        .by_full_name(&full_name)?
        .reference(&name)
        .is_some();
    if !there || name.starts_with("refs/pull/") {
        return Err(Error::new(422, "Reference does not exist"));
    }
    call.s.move_ref(&full_name, &name, None, false)?;
    Reply::empty()
}

fn tree_json(call: &Call<'_>, repo: &Repo, id: Oid, recursive: bool) -> Result<Value> {
    let git = repo.objects.open()?;
    let tree = git.find_tree(id)?;
    let url = call.s.render().repo_url(repo);
    let entries = git::entries(&tree, true)?;
    let shown = entries
        .into_iter()
        .filter(|it| recursive || !it.path.contains('/'));
    let shown: Vec<Value> = shown.map(|it| {
        let size = git.find_blob(it.id).ok().map(|blob| blob.size());
        let mut value = json!({"path": it.path, "mode": format!("{:06o}", it.mode), "type": it.kind.str(), "sha": it.id.to_string()});
        if let Some(size) = size {
            value["size"] = json!(size);
        }
        value["url"] = json!(format!("{url}/git/{}s/{}", it.kind.str(), it.id));
        value
    }).collect();
    Ok(
        json!({"sha": id.to_string(), "url": format!("{url}/git/trees/{id}"), "tree": shown, "truncated": false}),
    )
}

fn get_tree(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let name = call.arg(2);
    let found = oid(name).filter(|id| git.find_tree(*id).is_ok());
    let id = match found {
        Some(id) => id,
        None => git.find_commit(repo.resolve(&git, Some(name))?)?.tree_id(),
    };
    let recursive = call
        .query("recursive")
        .is_some_and(|it| it != "0" && it != "false");
    Reply::ok(&tree_json(call, &repo, id, recursive)?)
}

fn create_tree(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let base = optional(&body, "Tree", "base_tree")?;
    let Some(Value::Array(items)) = body.get("tree") else {
        return Err(Error::new(
            422,
            "Invalid request.\n\n\"tree\" wasn't supplied.",
        ));
    };
    let repo = call.s.gh.repo_mut(&full_name)?;
    let git = repo.objects.writable()?;
    let base = match base {
        None => None,
        Some(sha) => {
            let id = oid(&sha).ok_or_else(|| Error::new(422, "base_tree is not a valid tree"))?;
            let tree = git.find_object(id, None).and_then(|it| it.peel_to_tree());
            Some(tree.map_err(|_| Error::new(422, "base_tree is not a valid tree"))?)
        }
    };
    let mut changes = Vec::new();
    for item in items {
        let Value::Object(item) = item else {
            return Err(Error::new(422, "tree entries are objects"));
        };
        let path = required(item, "Tree", "path")?;
        let mode = match item.get("mode").and_then(Value::as_str) {
            Some("100644") | None => FileMode::Blob,
            Some("100755") => FileMode::BlobExecutable,
            Some("120000") => FileMode::Link,
            Some("040000") => FileMode::Tree,
            Some("160000") => FileMode::Commit,
            Some(_) => {
                return Err(Error::new(
                    422,
                    "tree.mode is not one of 100644, 100755, 040000, 160000, 120000",
                ));
            }
        };
        let change = match (item.get("sha"), item.get("content").and_then(Value::as_str)) {
            (_, Some(text)) => Some((git.blob(text.as_bytes())?, mode)),
            (Some(Value::String(sha)), None) => {
                let id = oid(sha).filter(|id| git.find_object(*id, None).is_ok());
                Some((
                    id.ok_or_else(|| {
                        Error::new(422, format!("tree.sha {sha} is not a valid blob"))
                    })?,
                    mode,
                ))
            }
            (Some(Value::Null), None) => None,
            _ => return Err(Error::new(422, "a tree entry needs `sha` or `content`")),
        };
        changes.push((path, change));
    }
    let id = git::edit_tree(&git, base.as_ref(), &changes)?;
    let repo = call.s.repo(&full_name)?;
    Reply::created(&tree_json(call, &repo, id, false)?)
}

fn get_blob(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let id = oid(call.arg(2)).ok_or_else(Error::not_found)?;
    let blob = git.find_blob(id)?;
    if call.wants("raw") {
        return Reply::media("raw", blob.content().to_vec());
    }
    let url = call.s.render().repo_url(&repo);
    Reply::ok(&json!({
        "sha": id.to_string(), "node_id": node_id("Blob", id), "size": blob.size(),
        "url": format!("{url}/git/blobs/{id}"), "content": wrapped(blob.content()), "encoding": "base64",
    }))
}

fn create_blob(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let content = required(&body, "Blob", "content")?;
    let content = match optional(&body, "Blob", "encoding")?.as_deref() {
        Some("base64") => {
            let text: String = content.split_whitespace().collect();
            STANDARD
                .decode(text)
                .map_err(|_| Error::new(422, "content is not valid Base64"))?
        }
        Some("utf-8") | None => content.into_bytes(),
        Some(_) => return Err(Error::field("Blob", "encoding", "invalid")),
    };
    let id = call
        .s
        .gh
        .repo_mut(&full_name)?
        .objects
        .writable()?
        .blob(&content)?;
    let repo = call.s.repo(&full_name)?;
    let url = call.s.render().repo_url(&repo);
    Reply::created(&json!({"sha": id.to_string(), "url": format!("{url}/git/blobs/{id}")}))
}

fn get_commit(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let commit = git.find_commit(oid(call.arg(2)).ok_or_else(Error::not_found)?)?;
    call.s.saw(
        kind::COMMIT,
        at_id(&repo.full_name(), call.arg(2).to_owned().as_str()),
        View::Full,
    );
    Reply::ok(&call.s.render().git_commit(&repo, &commit))
}

fn create_commit(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let message = required(&body, "Commit", "message")?;
    let tree = required(&body, "Commit", "tree")?;
    let own = call.s.signature()?;
    let author = person(call.s, &body, "author")?.unwrap_or(own);
    let committer = person(call.s, &body, "committer")?.unwrap_or_else(|| author.clone());
    let git = call.s.gh.repo_mut(&full_name)?.objects.writable()?;
    let tree = oid(&tree).and_then(|id| git.find_tree(id).ok());
    let tree = tree.ok_or_else(|| Error::new(422, "Tree SHA does not exist"))?;
    let mut parents = Vec::new();
    for sha in body
        .get("parents")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let parent = sha
            .as_str()
            .and_then(oid)
            .and_then(|id| git.find_commit(id).ok());
        parents.push(parent.ok_or_else(|| {
            Error::new(422, "Parent SHA does not exist or is not a commit object")
        })?);
    }
    let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
    let id = git.commit(None, &author, &committer, &message, &tree, &parents)?;
    let repo = call.s.repo(&full_name)?;
    let git = repo.objects.open()?;
    Reply::created(&call.s.render().git_commit(&repo, &git.find_commit(id)?))
}

fn tag_json(call: &Call<'_>, repo: &Repo, tag: &git2::Tag<'_>) -> Value {
    let url = call.s.render().repo_url(repo);
    let kind = tag.target_type().map_or("commit", |it| it.str());
    json!({
        "node_id": node_id("Tag", tag.id()),
        "tag": String::from_utf8_lossy(tag.name_bytes()),
        "sha": tag.id().to_string(),
        "url": format!("{url}/git/tags/{}", tag.id()),
        "message": tag.message_bytes().map(String::from_utf8_lossy),
        "tagger": tag.tagger().map(|it| signature(&it)),
        "object": {"type": kind, "sha": tag.target_id().to_string(), "url": format!("{url}/git/{kind}s/{}", tag.target_id())},
        "verification": {"verified": false, "reason": "unsigned", "signature": Value::Null, "payload": Value::Null},
    })
}

fn get_tag(call: &mut Call<'_>) -> Result<Reply> {
    let repo = call.repo()?;
    let git = repo.objects.open()?;
    let tag = git.find_tag(oid(call.arg(2)).ok_or_else(Error::not_found)?)?;
    Reply::ok(&tag_json(call, &repo, &tag))
}

fn create_tag(call: &mut Call<'_>) -> Result<Reply> {
    let body = call.body()?;
    let full_name = call.s.writable(&call.full_name())?;
    let name = required(&body, "Tag", "tag")?;
    let message = required(&body, "Tag", "message")?;
    let object = required(&body, "Tag", "object")?;
    let own = call.s.signature()?;
    let tagger = person(call.s, &body, "tagger")?.unwrap_or(own);
    let repo = call.s.gh.repo_mut(&full_name)?;
    let id = object_of(repo, &object)?;
    let git = repo.objects.writable()?;
    let id = git.tag_annotation_create(&name, &git.find_object(id, None)?, &tagger, &message)?;
    let repo = call.s.repo(&full_name)?;
    let git = repo.objects.open()?;
    Reply::created(&tag_json(call, &repo, &git.find_tag(id)?))
}
