//! Repositories from the seed: a folder tree for the content of each, and a
//! file beside it for everything else.
//!
//! `github/OWNER/NAME/` is the first commit of the default branch; what
//! `history` in `github/OWNER/NAME.yaml` lists comes on top of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use git2::{FileMode, Oid};
use jiff::Timestamp;
use serde::Deserialize;
use serde_saphyr::Spanned;
use sha2::{Digest as _, Sha256};

use super::git;
use super::session::{fresh, identity};
use super::state::{
    Comment, DEFAULT_LABELS, GitHub, Issue, Label, Merged, Milestone, Protection, Pull, Repo,
    Review, User,
};
use super::store::{Layer, Objects};
use crate::world::{Ids, SeedContext, SeedDir, SeedError, SeedFile};

/// Deepest folder of a tree.
const DEPTH_CAP: usize = 64;

/// `NAME.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RepoFile {
    description: Option<String>,
    homepage: Option<String>,
    private: bool,
    archived: bool,
    default_branch: Option<String>,
    /// Message, author and date of the first commit.
    message: Option<String>,
    author: Option<Spanned<String>>,
    date: Option<Spanned<String>>,
    history: Vec<Spanned<CommitEntry>>,
    tags: BTreeMap<String, Spanned<String>>,
    labels: Option<Vec<LabelEntry>>,
    milestones: Vec<MilestoneEntry>,
    issues: Vec<Spanned<IssueEntry>>,
    pulls: Vec<Spanned<PullEntry>>,
    protection: BTreeMap<String, Protection>,
    collaborators: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommitEntry {
    message: String,
    author: Option<Spanned<String>>,
    date: Option<Spanned<String>>,
    /// Branch that it goes to: the default one, or one that begins at `from`.
    branch: Option<String>,
    from: Option<String>,
    /// Text by path; nothing removes the file.
    #[serde(default)]
    files: BTreeMap<String, Option<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelEntry {
    name: String,
    color: Option<String>,
    description: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MilestoneEntry {
    title: String,
    description: Option<String>,
    due_on: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommentEntry {
    author: Spanned<String>,
    body: String,
    date: Option<Spanned<String>>,
    /// For reviews: `APPROVED`, `CHANGES_REQUESTED` or `COMMENTED`.
    state: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct IssueEntry {
    number: Option<u64>,
    title: String,
    #[serde(default)]
    body: String,
    author: Option<Spanned<String>>,
    date: Option<Spanned<String>>,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    assignees: Vec<Spanned<String>>,
    milestone: Option<Spanned<String>>,
    #[serde(default)]
    comments: Vec<CommentEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PullEntry {
    number: Option<u64>,
    title: String,
    #[serde(default)]
    body: String,
    author: Option<Spanned<String>>,
    date: Option<Spanned<String>>,
    head: Spanned<String>,
    base: Option<Spanned<String>>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    closed: bool,
    /// Whether the head was merged: it must be part of the base then.
    #[serde(default)]
    merged: bool,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    assignees: Vec<Spanned<String>>,
    #[serde(default)]
    reviewers: Vec<Spanned<String>>,
    #[serde(default)]
    comments: Vec<CommentEntry>,
    #[serde(default)]
    reviews: Vec<CommentEntry>,
}

/// A file of a seed's tree.
struct TreeFile {
    path: String,
    bytes: Vec<u8>,
    executable: bool,
}

/// What is built once for all worlds of one seed.
#[derive(Debug, Clone)]
struct Template {
    refs: BTreeMap<String, String>,
    commits: Arc<BTreeSet<String>>,
}

/// Objects of seeds that are in use, by the digest of what they are made of.
static TEMPLATES: LazyLock<Mutex<Templates>> = LazyLock::new(Mutex::default);

type Templates = BTreeMap<[u8; 32], (Weak<Layer>, Template)>;

impl GitHub {
    /// The service as the seed's `github/` folder describes it; one without
    /// repositories where there is no folder.
    ///
    /// # Errors
    /// Names the file and the line, and says what was expected.
    pub fn seed(context: &mut SeedContext<'_>) -> Result<Self, SeedError> {
        let mut hub = people(context);
        let Some(dir) = context.dir else {
            return Ok(hub);
        };
        for owner in dir.names()? {
            let path = dir.path_of(&owner);
            if !is_name(&owner) {
                return Err(SeedError::file(path, "expected the login of an owner"));
            }
            let folder = dir.folder(&owner)?;
            let folder = folder.ok_or_else(|| SeedError::file(path, "missing"))?;
            if hub.user(&owner).is_none() {
                hub.add(context.ids, &owner, None, None, true);
            }
            let names = folder.names()?.into_iter();
            let stem = |name: String| match name.strip_suffix(".yaml") {
                Some(stem) => stem.to_owned(),
                None => name,
            };
            for name in names.map(stem).collect::<BTreeSet<_>>() {
                if !is_name(&name) || name.to_ascii_lowercase().ends_with(".git") {
                    let problem = "expected the name of a repository";
                    return Err(SeedError::file(folder.path_of(&name), problem));
                }
                let repo = repository(&hub, context, &folder, &owner, &name)?;
                hub.repositories
                    .insert(repo.full_name().to_ascii_lowercase(), Arc::new(repo));
            }
        }
        Ok(hub)
    }

    pub(crate) fn add(
        &mut self,
        ids: &mut Ids,
        login: &str,
        name: Option<&str>,
        email: Option<&str>,
        organization: bool,
    ) {
        let user = User {
            id: fresh(ids),
            login: login.to_owned(),
            name: name.map(str::to_owned),
            email: email.map(str::to_owned),
            organization,
        };
        self.users.insert(login.to_ascii_lowercase(), user);
    }
}

/// The accounts of the world's people.
fn people(context: &mut SeedContext<'_>) -> GitHub {
    let account = context.account;
    let own = context.accounts.github.clone();
    let login = own.unwrap_or_else(|| login_from(&account.email));
    let mut hub = GitHub {
        login: login.clone(),
        ..GitHub::default()
    };
    hub.add(
        context.ids,
        &login,
        Some(&account.name),
        Some(&account.email),
        false,
    );
    let mut logins = BTreeMap::new();
    for person in context.people {
        let login = person.github.clone();
        let login = login.unwrap_or_else(|| login_from(&person.email));
        if hub.user(&login).is_none() {
            hub.add(
                context.ids,
                &login,
                Some(&person.name),
                Some(&person.email),
                false,
            );
        }
        logins.insert(person.email.clone(), login);
    }
    let tokens = context.accounts.tokens.iter();
    hub.tokens = tokens
        .filter_map(|(token, email)| Some((token.clone(), logins.get(email)?.clone())))
        .collect();
    hub
}

/// A login made of an address: `ada.byron@example.com` is `ada-byron`.
fn login_from(email: &str) -> String {
    let local = email.split('@').next().unwrap_or_default();
    let dashed: String = local
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    dashed.trim_matches('-').to_owned()
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 100 && !name.starts_with('.') && name.chars().all(fits)
}

/// What an entry of a seed can refer to.
struct Desk<'a> {
    hub: &'a GitHub,
    /// The YAML file.
    file: String,
    start: Timestamp,
}

impl Desk<'_> {
    fn wrong<T>(&self, at: &Spanned<T>, problem: impl Into<String>) -> SeedError {
        SeedError::at(&self.file, at.referenced.line(), problem)
    }

    /// The login that an entry names, by login or address.
    fn login(&self, name: &Spanned<String>) -> Result<String, SeedError> {
        let found = self
            .hub
            .user(&name.value)
            .or_else(|| self.hub.user_by_email(&name.value));
        let found = found.ok_or_else(|| {
            let problem = format!(
                "`{}` is neither a login nor an address of the world's people",
                name.value
            );
            self.wrong(name, problem)
        })?;
        Ok(found.login.clone())
    }

    fn login_or_own(&self, name: Option<&Spanned<String>>) -> Result<String, SeedError> {
        name.map_or_else(|| Ok(self.hub.login.clone()), |name| self.login(name))
    }

    fn logins(&self, names: &[Spanned<String>]) -> Result<Vec<String>, SeedError> {
        names.iter().map(|name| self.login(name)).collect()
    }

    fn date(&self, date: Option<&Spanned<String>>) -> Result<Timestamp, SeedError> {
        let Some(date) = date else {
            return Ok(self.start);
        };
        date.value.parse().map_err(|_| {
            let problem = format!(
                "`{}` is no RFC 3339 time like `2026-03-02T09:00:00Z`",
                date.value
            );
            self.wrong(date, problem)
        })
    }

    /// A signature: of one of the world's people, or `Name <address>`.
    fn signature(
        &self,
        name: Option<&Spanned<String>>,
        at: Timestamp,
    ) -> Result<git2::Signature<'static>, SeedError> {
        let stranger = name.and_then(|name| {
            let (name, rest) = name.value.split_once('<')?;
            Some((name.trim().to_owned(), rest.strip_suffix('>')?.to_owned()))
        });
        let (name_text, email) = if let Some(stranger) = stranger {
            stranger
        } else {
            let login = self.login_or_own(name)?;
            self.hub.user(&login).map(identity).unwrap_or_default()
        };
        git::signature(&name_text, &email, at)
            .map_err(|error| SeedError::file(&self.file, error.message))
    }
}

fn repository(
    hub: &GitHub,
    context: &mut SeedContext<'_>,
    folder: &SeedDir,
    owner: &str,
    name: &str,
) -> Result<Repo, SeedError> {
    let yaml_name = format!("{name}.yaml");
    let yaml = folder.optional_file(&yaml_name)?;
    let file: RepoFile = yaml
        .as_ref()
        .map(SeedFile::yaml)
        .transpose()?
        .unwrap_or_default();
    let desk = Desk {
        hub,
        file: folder.path_of(&yaml_name),
        start: context.clock.start(),
    };
    let mut files = Vec::new();
    if let Some(tree) = folder.folder(name)? {
        collect(&tree, "", 0, &mut files)?;
    }
    let mut digest = Sha256::new();
    let source = [
        yaml.as_ref().map_or(&b""[..], |it| &it.bytes),
        desk.start.to_string().as_bytes(),
    ]
    .concat();
    let who = serde_json::to_string(&hub.users).unwrap_or_default();
    for part in [source.as_slice(), who.as_bytes(), hub.login.as_bytes()] {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    for file in &files {
        digest.update((file.path.len() as u64).to_be_bytes());
        digest.update(&file.path);
        digest.update([u8::from(file.executable)]);
        digest.update((file.bytes.len() as u64).to_be_bytes());
        digest.update(&file.bytes);
    }
    let branch = file
        .default_branch
        .clone()
        .unwrap_or_else(|| "main".to_owned());
    let (objects, template) = template(digest.finalize().into(), &desk, &file, &files, &branch)?;
    let collaborators = match &file.collaborators {
        Some(names) => desk.logins(names)?.into_iter().collect(),
        None => hub.users.values().map(|user| user.login.clone()).collect(),
    };
    let now = desk.start.to_string();
    let mut repo = Repo {
        id: fresh(context.ids),
        owner: hub
            .user(owner)
            .map_or_else(|| owner.to_owned(), |it| it.login.clone()),
        name: name.to_owned(),
        description: file.description.clone(),
        homepage: file.homepage.clone(),
        private: file.private,
        archived: file.archived,
        default_branch: branch,
        seeded: true,
        fork_of: None,
        created_at: now.clone(),
        updated_at: now.clone(),
        pushed_at: now,
        objects,
        refs: template.refs,
        protection: file.protection.clone(),
        labels: Vec::new(),
        milestones: Vec::new(),
        collaborators,
        issues: BTreeMap::new(),
        pushers: BTreeMap::new(),
        seeded_commits: template.commits,
        statuses: BTreeMap::new(),
    };
    repo.labels = match &file.labels {
        Some(labels) => labels.iter().map(|it| label(context.ids, it)).collect(),
        None => default_labels(context.ids),
    };
    for (number, it) in (1..).zip(&file.milestones) {
        repo.milestones.push(Milestone {
            id: fresh(context.ids),
            number,
            title: it.title.clone(),
            description: it.description.clone(),
            due_on: it.due_on.clone(),
            creator: hub.login.clone(),
            created_at: repo.created_at.clone(),
            updated_at: repo.created_at.clone(),
            ..Milestone::default()
        });
    }
    for entry in &file.issues {
        issue(&desk, context.ids, &mut repo, entry)?;
    }
    for entry in &file.pulls {
        pull(&desk, context.ids, &mut repo, entry)?;
    }
    Ok(repo)
}

fn label(ids: &mut Ids, it: &LabelEntry) -> Label {
    Label {
        id: fresh(ids),
        name: it.name.clone(),
        color: it.color.clone().unwrap_or_else(|| "ededed".to_owned()),
        description: it.description.clone(),
    }
}

/// Labels of a repository that says nothing of labels.
pub(crate) fn default_labels(ids: &mut Ids) -> Vec<Label> {
    let label = |(name, color, description): &(&str, &str, &str)| Label {
        id: fresh(ids),
        name: (*name).to_owned(),
        color: (*color).to_owned(),
        description: Some((*description).to_owned()),
    };
    DEFAULT_LABELS.iter().map(label).collect()
}

/// Reads the files of a tree.
fn collect(
    dir: &SeedDir,
    under: &str,
    depth: usize,
    files: &mut Vec<TreeFile>,
) -> Result<(), SeedError> {
    for name in dir.all_names()? {
        let path = format!("{under}{name}");
        let shown = dir.path_of(&name);
        if let Some(problem) = git::bad_path(&path) {
            return Err(SeedError::file(shown, problem));
        }
        if depth > DEPTH_CAP {
            return Err(SeedError::file(
                shown,
                format!("more than {DEPTH_CAP} folders deep"),
            ));
        }
        if dir.is_folder(&name)? {
            if let Some(folder) = dir.folder(&name)? {
                collect(&folder, &format!("{path}/"), depth + 1, files)?;
            }
        } else {
            files.push(TreeFile {
                bytes: dir.file(&name)?.bytes,
                executable: dir.is_executable(&name)?,
                path,
            });
        }
    }
    Ok(())
}

/// The objects of a seed: those that another world has already, or new ones.
fn template(
    digest: [u8; 32],
    desk: &Desk<'_>,
    file: &RepoFile,
    files: &[TreeFile],
    branch: &str,
) -> Result<(Objects, Template), SeedError> {
    let mut templates = TEMPLATES.lock().unwrap_or_else(PoisonError::into_inner);
    templates.retain(|_, (layer, _)| layer.strong_count() > 0);
    let known = templates.get(&digest);
    if let Some((layer, template)) = known.and_then(|(weak, it)| Some((weak.upgrade()?, it))) {
        return Ok((Objects::on(layer), template.clone()));
    }
    let mut objects =
        Objects::new().map_err(|error| SeedError::file(&desk.file, error.to_string()))?;
    let template = build(&mut objects, desk, file, files, branch)?;
    templates.insert(digest, (Arc::downgrade(objects.top()), template.clone()));
    Ok((objects, template))
}

fn build(
    objects: &mut Objects,
    desk: &Desk<'_>,
    file: &RepoFile,
    files: &[TreeFile],
    branch: &str,
) -> Result<Template, SeedError> {
    let failed = |error: super::error::Error| SeedError::file(&desk.file, error.message);
    let git = objects.writable().map_err(|error| failed(error.into()))?;
    let mut refs: BTreeMap<String, Oid> = BTreeMap::new();
    let mut commits = BTreeSet::new();
    if !files.is_empty() {
        let at = desk.date(file.date.as_ref())?;
        let author = desk.signature(file.author.as_ref(), at)?;
        let message = file.message.as_deref().unwrap_or("Initial commit");
        let mut changes = Vec::new();
        for it in files {
            let mode = if it.executable {
                FileMode::BlobExecutable
            } else {
                FileMode::Blob
            };
            let id = git.blob(&it.bytes).map_err(|error| failed(error.into()))?;
            changes.push((it.path.clone(), Some((id, mode))));
        }
        let id = commit(&git, None, &changes, &author, message).map_err(failed)?;
        commits.insert(id.to_string());
        refs.insert(format!("refs/heads/{branch}"), id);
    }
    for entry in &file.history {
        let it = &entry.value;
        let at = desk.date(it.date.as_ref())?;
        let author = desk.signature(it.author.as_ref(), at)?;
        let name = it.branch.as_deref().unwrap_or(branch);
        let full = format!("refs/heads/{name}");
        if !git2::Reference::is_valid_name(&full) {
            return Err(desk.wrong(entry, format!("`{name}` is no name of a branch")));
        }
        let from = it.from.as_deref().unwrap_or(branch);
        let begin = refs.get(&format!("refs/heads/{from}"));
        if it.from.is_some() && begin.is_none() {
            return Err(desk.wrong(entry, format!("there is no branch `{from}` yet")));
        }
        let parent = refs.get(&full).or(begin).copied();
        let mut changes = Vec::new();
        for (path, text) in &it.files {
            if let Some(problem) = git::bad_path(path) {
                return Err(desk.wrong(entry, format!("path `{path}`: {problem}")));
            }
            let blob = match text {
                Some(text) => {
                    let id = git
                        .blob(text.as_bytes())
                        .map_err(|error| failed(error.into()))?;
                    Some((id, FileMode::Blob))
                }
                None => None,
            };
            changes.push((path.clone(), blob));
        }
        let made = commit(&git, parent, &changes, &author, &it.message);
        let id = made.map_err(|error| desk.wrong(entry, error.message))?;
        commits.insert(id.to_string());
        refs.insert(full, id);
    }
    for (name, target) in &file.tags {
        let id = refs.get(&format!("refs/heads/{}", target.value)).copied();
        let id =
            id.ok_or_else(|| desk.wrong(target, format!("there is no branch `{}`", target.value)))?;
        refs.insert(format!("refs/tags/{name}"), id);
    }
    Ok(Template {
        refs: refs
            .into_iter()
            .map(|(name, id)| (name, id.to_string()))
            .collect(),
        commits: Arc::new(commits),
    })
}

fn commit(
    git: &git2::Repository,
    parent: Option<Oid>,
    changes: &[(String, Option<(Oid, FileMode)>)],
    author: &git2::Signature<'_>,
    message: &str,
) -> super::error::Result<Oid> {
    let parent = parent.map(|id| git.find_commit(id)).transpose()?;
    let base = parent.as_ref().map(git2::Commit::tree).transpose()?;
    let tree = git.find_tree(git::edit_tree(git, base.as_ref(), changes)?)?;
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    Ok(git.commit(None, author, author, message, &tree, &parents)?)
}

fn number<T>(
    desk: &Desk<'_>,
    repo: &Repo,
    entry: &Spanned<T>,
    wanted: Option<u64>,
) -> Result<u64, SeedError> {
    match wanted {
        Some(number) if repo.issues.contains_key(&number) || number == 0 => {
            Err(desk.wrong(entry, format!("number {number} cannot be used here")))
        }
        Some(number) => Ok(number),
        None => Ok(repo.next_number()),
    }
}

fn comments(
    desk: &Desk<'_>,
    ids: &mut Ids,
    entries: &[CommentEntry],
) -> Result<Vec<Comment>, SeedError> {
    let comment = |it: &CommentEntry| {
        let at = desk.date(it.date.as_ref())?.to_string();
        Ok(Comment {
            id: fresh(ids),
            user: desk.login(&it.author)?,
            body: it.body.clone(),
            created_at: at.clone(),
            updated_at: at,
            seeded: true,
        })
    };
    entries.iter().map(comment).collect()
}

fn issue(
    desk: &Desk<'_>,
    ids: &mut Ids,
    repo: &mut Repo,
    entry: &Spanned<IssueEntry>,
) -> Result<(), SeedError> {
    let it = &entry.value;
    let number = number(desk, repo, entry, it.number)?;
    let at = desk.date(it.date.as_ref())?.to_string();
    let milestone = match &it.milestone {
        Some(title) => {
            let mut known = repo.milestones.iter();
            let found = known.find(|it| it.title == title.value);
            Some(
                found
                    .ok_or_else(|| desk.wrong(title, "there is no such milestone"))?
                    .number,
            )
        }
        None => None,
    };
    add_labels(ids, repo, &it.labels);
    let issue = Issue {
        id: fresh(ids),
        number,
        title: it.title.clone(),
        body: it.body.clone(),
        user: desk.login_or_own(it.author.as_ref())?,
        closed: it.closed,
        state_reason: it.closed.then(|| "completed".to_owned()),
        closed_at: it.closed.then(|| at.clone()),
        labels: it.labels.clone(),
        assignees: desk.logins(&it.assignees)?,
        milestone,
        comments: comments(desk, ids, &it.comments)?,
        created_at: at.clone(),
        updated_at: at,
        seeded: true,
        ..Issue::default()
    };
    repo.issues.insert(number, Arc::new(issue));
    Ok(())
}

fn add_labels(ids: &mut Ids, repo: &mut Repo, names: &[String]) {
    for name in names {
        if repo.label(name).is_none() {
            let entry = LabelEntry {
                name: name.clone(),
                color: None,
                description: None,
            };
            repo.labels.push(label(ids, &entry));
        }
    }
}

fn pull(
    desk: &Desk<'_>,
    ids: &mut Ids,
    repo: &mut Repo,
    entry: &Spanned<PullEntry>,
) -> Result<(), SeedError> {
    let it = &entry.value;
    let number = number(desk, repo, entry, it.number)?;
    let at = desk.date(it.date.as_ref())?.to_string();
    let tip = |name: &Spanned<String>| {
        let tip = repo.branch(&name.value).map(str::to_owned);
        tip.ok_or_else(|| desk.wrong(name, format!("there is no branch `{}`", name.value)))
    };
    let head_sha = tip(&it.head)?;
    let base_ref = it
        .base
        .as_ref()
        .map_or(&repo.default_branch, |base| &base.value)
        .clone();
    let base_sha = match &it.base {
        Some(base) => tip(base)?,
        None => repo
            .branch(&base_ref)
            .map(str::to_owned)
            .ok_or_else(|| desk.wrong(entry, "the repository has no commit"))?,
    };
    let user = desk.login_or_own(it.author.as_ref())?;
    let reviews = it.reviews.iter().map(|review| {
        let state = review
            .state
            .as_ref()
            .map_or("COMMENTED", |state| &state.value);
        if !matches!(state, "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED") {
            let problem = "expected APPROVED, CHANGES_REQUESTED or COMMENTED";
            return Err(desk.wrong(&review.author, problem));
        }
        Ok(Review {
            id: fresh(ids),
            user: desk.login(&review.author)?,
            body: review.body.clone(),
            state: state.to_owned(),
            commit_id: head_sha.clone(),
            submitted_at: desk.date(review.date.as_ref())?.to_string(),
            seeded: true,
        })
    });
    let reviews = reviews.collect::<Result<Vec<_>, _>>()?;
    let merged = it.merged.then(|| Merged {
        at: at.clone(),
        by: user.clone(),
        sha: base_sha.clone(),
        base: base_sha.clone(),
    });
    let closed = it.closed || it.merged;
    add_labels(ids, repo, &it.labels);
    repo.refs
        .insert(format!("refs/pull/{number}/head"), head_sha.clone());
    let issue = Issue {
        id: fresh(ids),
        number,
        title: it.title.clone(),
        body: it.body.clone(),
        user,
        closed,
        closed_at: closed.then(|| at.clone()),
        labels: it.labels.clone(),
        assignees: desk.logins(&it.assignees)?,
        comments: comments(desk, ids, &it.comments)?,
        created_at: at.clone(),
        updated_at: at,
        seeded: true,
        pull: Some(Pull {
            draft: it.draft,
            head_ref: it.head.value.clone(),
            head_sha,
            base_ref,
            base_sha,
            merged,
            requested_reviewers: desk.logins(&it.reviewers)?,
            reviews,
            ..Pull::default()
        }),
        ..Issue::default()
    };
    repo.issues.insert(number, Arc::new(issue));
    Ok(())
}
