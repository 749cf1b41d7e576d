//! Clone, fetch and push: git's smart HTTP protocol, answered by
//! `git http-backend`.
//!
//! The program runs in a layer of the repository that only this world writes
//! to. Its surroundings are built from nothing: no settings but the layer's, no
//! hooks, no other repository. What a push may do to protected branches is
//! decided here, before the program sees it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use proctor_types::journal::View;
use proctor_types::world::github as kind;

use super::error::{Error, Result};
use super::git;
use super::push::Moved;
use super::push_list::{Push, RefCommand};
use super::room::Matter;
use super::session::Session;
use super::state::Repo;
use crate::service::{Answer, Request};

/// Longest that one request to git may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most bytes that git may answer.
const ANSWER_CAP: u64 = 256 << 20;
/// Most bytes of one pack, as GitHub has it: 2 GB there.
const PACK_CAP: u64 = 64 << 20;
/// Longest file of a push (GitHub's error GH001).
const FILE_CAP: usize = 100 << 20;
const ZERO: &str = "0000000000000000000000000000000000000000";

/// What a request asks git for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The refs, before a fetch (`false`) or a push (`true`).
    Refs { push: bool },
    /// Objects.
    Fetch,
    /// New objects and refs.
    Push,
}

impl Wish {
    fn pushes(self) -> bool {
        matches!(self, Self::Refs { push: true } | Self::Push)
    }

    fn operation(self) -> &'static str {
        match self {
            Self::Refs { .. } => "git/refs",
            Self::Fetch => "git/upload-pack",
            Self::Push => "git/receive-pack",
        }
    }
}

/// Repository and wish of a request to git; `None` where it is not one.
pub(crate) fn wish_of(request: &Request) -> Option<(String, Wish)> {
    let path = percent_encoding::percent_decode_str(&request.path);
    let path = path.decode_utf8().ok()?;
    let mut parts = path.trim_start_matches('/').splitn(3, '/');
    let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let wish = match (&request.method, rest) {
        (&Method::GET, "info/refs") => match request.query.as_str() {
            "service=git-upload-pack" => Wish::Refs { push: false },
            "service=git-receive-pack" => Wish::Refs { push: true },
            _ => return None,
        },
        (&Method::POST, "git-upload-pack") => Wish::Fetch,
        (&Method::POST, "git-receive-pack") => Wish::Push,
        _ => return None,
    };
    let name = name.strip_suffix(".git").unwrap_or(name);
    Some((format!("{owner}/{name}"), wish))
}

/// Answers a request to git.
pub(crate) fn answer(
    session: &mut Session,
    request: &Request,
    full_name: &str,
    wish: Wish,
) -> Answer {
    let answered = serve(session, request, full_name, wish);
    let mut answer = answered.unwrap_or_else(|error| {
        let mut answer = Answer::new("github", error.status)
            .body("text/plain; charset=utf-8", format!("{}\n", error.line()));
        if error.status == 401 {
            let realm = HeaderValue::from_static("Basic realm=\"GitHub\"");
            answer.headers.insert(http::header::WWW_AUTHENTICATE, realm);
        }
        answer
    });
    answer.operation = Some(wish.operation());
    answer
}

fn serve(session: &mut Session, request: &Request, full_name: &str, wish: Wish) -> Result<Answer> {
    let found = session.repo(full_name);
    // Who has not said who they are may be asked before anything is denied.
    if session.actor.is_none() && (found.is_err() || wish.pushes()) {
        return Err(Error::unauthenticated());
    }
    let full_name = found?.full_name();
    if wish.pushes() {
        session.writable(&full_name)?;
    }
    if wish == Wish::Push {
        return push(session, request, &full_name);
    }
    let answer = run(session, request, &full_name, wish, &[])?;
    session.saw(kind::REPOSITORY, full_name, View::Reference);
    Ok(answer)
}

/// Takes a push, where nothing speaks against it.
fn push(session: &mut Session, request: &Request, full_name: &str) -> Result<Answer> {
    let body = plain_body(request)?;
    let push = Push::read(&body).ok_or_else(|| Error::new(400, "no list of refs"))?;
    let repo = session.gh.by_full_name(full_name)?;
    let refusals: Vec<_> = push.commands.iter().map(|it| refusal(repo, it)).collect();
    if refusals.iter().any(Option::is_some) {
        return Ok(push.refused(&refusals));
    }
    let strict = push.commands.iter().any(|it| {
        let rules = repo.protection_of(&it.name);
        rules.is_some_and(|rules| !rules.allow_force_pushes)
    });
    let room = PACK_CAP.min(session.gh.room()).max(1);
    let settings = [
        format!("receive.denyNonFastForwards={strict}"),
        format!("receive.maxInputSize={room}"),
    ];
    let before = packs(session, full_name)?;
    let answer = run(session, request, full_name, Wish::Push, &settings)?;
    let after = packs(session, full_name)?;
    let new: Vec<_> = after.iter().filter(|it| !before.contains(it)).collect();
    let bytes = new.iter().map(|(_, bytes)| bytes).sum();
    session.gh.fill(Matter::Objects, bytes);
    if !new.is_empty()
        && let Some(problem) = too_large(session, full_name)?
    {
        return Ok(push.declined(&problem));
    }
    adopt(session, full_name)?;
    Ok(answer)
}

/// The packs that lie in a repository's uppermost layer, with their lengths.
fn packs(session: &mut Session, full_name: &str) -> Result<Vec<(OsString, u64)>> {
    let broken = |error: std::io::Error| Error::new(500, format!("git: {error}"));
    let repo = session.gh.repo_mut(full_name)?;
    let dir = repo.objects.own().map_err(broken)?.join("objects/pack");
    let mut packs = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let bytes = entry.metadata().map_err(broken)?.len();
        packs.push((entry.file_name(), bytes));
    }
    Ok(packs)
}

/// What GitHub says of a pushed file that is too large; `None` where there is
/// none among the files at the tips.
fn too_large(session: &Session, full_name: &str) -> Result<Option<String>> {
    let repo = session.gh.by_full_name(full_name)?;
    let git = repo.objects.open()?;
    let odb = git.odb()?;
    let known: BTreeSet<&String> = repo.refs.values().collect();
    for reference in git.references()? {
        let reference = reference?;
        let is_known = |id: git2::Oid| known.contains(&id.to_string());
        if reference.target().is_some_and(is_known) {
            continue;
        }
        let tip = reference.peel_to_commit();
        let Ok(tree) = tip.and_then(|tip| tip.tree()) else {
            continue;
        };
        for entry in git::entries(&tree, false)? {
            let Ok((bytes, _)) = odb.read_header(entry.id) else {
                continue;
            };
            if bytes > FILE_CAP {
                let hundredths = bytes * 100 / (1 << 20);
                return Ok(Some(format!(
                    "error: File {} is {}.{:02} MB; this exceeds GitHub's file size limit of \
                     100.00 MB\nerror: GH001: Large files detected. You may want to try Git Large \
                     File Storage - https://git-lfs.github.com.\n",
                    entry.path,
                    hundredths / 100,
                    hundredths % 100,
                )));
            }
        }
    }
    Ok(None)
}

/// The body without its transfer's compression.
fn plain_body(request: &Request) -> Result<Bytes> {
    match request.header("content-encoding") {
        None | Some("identity") => Ok(request.body.clone()),
        // git compresses what it asks for, never the packs it sends.
        Some(_) => Err(Error::new(415, "a push comes without content encoding")),
    }
}

/// Runs git's program on the repository.
fn run(
    session: &mut Session,
    request: &Request,
    full_name: &str,
    wish: Wish,
    settings: &[String],
) -> Result<Answer> {
    let actor = session.actor.clone().unwrap_or_default();
    let repo = session.gh.repo_mut(full_name)?;
    let broken = |error: std::io::Error| Error::new(500, format!("git: {error}"));
    let dir = repo.objects.own().map_err(broken)?.to_owned();
    write_refs(repo, &dir).map_err(broken)?;
    let rest = match wish {
        Wish::Refs { .. } => "/info/refs",
        Wish::Fetch => "/git-upload-pack",
        Wish::Push => "/git-receive-pack",
    };
    let mut command = Command::new("git");
    for setting in settings {
        command.args(["-c", setting]);
    }
    command
        .arg("http-backend")
        .current_dir(&dir)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", &dir)
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_PROJECT_ROOT", &dir)
        .env("PATH_INFO", rest)
        .env("REQUEST_METHOD", request.method.as_str())
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .env("REMOTE_ADDR", "127.0.0.1");
    if !actor.is_empty() {
        command.env("REMOTE_USER", &actor);
    }
    for (variable, field) in [
        ("CONTENT_TYPE", "content-type"),
        ("HTTP_CONTENT_ENCODING", "content-encoding"),
        ("GIT_PROTOCOL", "git-protocol"),
    ] {
        if let Some(value) = request.header(field) {
            command.env(variable, value);
        }
    }
    let output = output_of(command, request.body.clone()).map_err(broken)?;
    cgi_answer(&output).ok_or_else(|| Error::new(500, "git gave no answer"))
}

/// Writes the refs as git's programs read them.
fn write_refs(repo: &Repo, dir: &std::path::Path) -> std::io::Result<()> {
    use std::fmt::Write as _;
    for folder in ["refs/heads", "refs/tags", "refs/pull"] {
        match std::fs::remove_dir_all(dir.join(folder)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    std::fs::create_dir_all(dir.join("refs/heads"))?;
    let mut packed = "# pack-refs with: sorted\n".to_owned();
    for (name, id) in &repo.refs {
        let _ = writeln!(packed, "{id} {name}");
    }
    std::fs::write(dir.join("packed-refs"), packed)?;
    let head = format!("ref: refs/heads/{}\n", repo.default_branch);
    std::fs::write(dir.join("HEAD"), head)
}

/// Takes over what a push did to the refs.
fn adopt(session: &mut Session, full_name: &str) -> Result<()> {
    let repo = session.gh.repo_mut(full_name)?;
    let git = repo.objects.open()?;
    let mut refs = std::collections::BTreeMap::new();
    for reference in git.references()? {
        let reference = reference?;
        let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
        if let Some(id) = reference.target() {
            refs.insert(name, id.to_string());
        }
    }
    drop(git);
    let mut moved = Vec::new();
    for name in repo.refs.keys().chain(refs.keys()) {
        let (old, new) = (repo.refs.get(name), refs.get(name));
        if old != new && !moved.iter().any(|it: &Moved| it.name == *name) {
            moved.push(Moved {
                name: name.clone(),
                old: old.cloned(),
                new: new.cloned(),
            });
        }
    }
    let first = repo.branches().next().is_none();
    repo.refs = refs;
    let begun = repo.branches().next().map(|(name, _)| name.to_owned());
    if let Some(name) = begun.filter(|_| first && repo.branch(&repo.default_branch).is_none()) {
        repo.default_branch = name;
    }
    session.settle(full_name, &moved)
}

/// Feeds a program and reads what it prints, within time and size.
fn output_of(mut command: Command, input: Bytes) -> std::io::Result<Vec<u8>> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // The program has others do the work: all of them end together.
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id()).map(Pid::from_raw);
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let writer = std::thread::spawn(move || {
        // A program that has read enough closes its end: that is no failure.
        stdin.map(|mut stdin| stdin.write_all(&input))
    });
    let (done, output) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map(|out| out.take(ANSWER_CAP + 1).read_to_end(&mut bytes));
        let _ = done.send(read.transpose().map(|_| bytes));
    });
    let deadline = Instant::now() + PATIENCE;
    let read = output.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    let fits = matches!(&read, Ok(Ok(bytes)) if bytes.len() as u64 <= ANSWER_CAP);
    if let Ok(group) = group
        && !fits
    {
        // There may be nobody left.
        let _ = killpg(group, Signal::SIGKILL);
    }
    child.wait()?;
    if reader.join().is_err() || writer.join().is_err() {
        return Err(std::io::Error::other("a pipe broke"));
    }
    match read {
        Ok(Ok(bytes)) if bytes.len() as u64 <= ANSWER_CAP => Ok(bytes),
        Ok(Ok(_)) => Err(std::io::Error::other("the answer is too large")),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(std::io::Error::other("took too long")),
    }
}

/// What a CGI program printed, as an answer.
fn cgi_answer(output: &[u8]) -> Option<Answer> {
    let (end, gap) = [&b"\r\n\r\n"[..], b"\n\n"]
        .into_iter()
        .filter_map(|gap| Some((memchr::memmem::find(output, gap)?, gap.len())))
        .min()?;
    let mut answer = Answer::new("github", 200);
    for line in std::str::from_utf8(output.get(..end)?).ok()?.lines() {
        let (name, value) = line.split_once(':')?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            answer.status = value.split(' ').next()?.parse().ok()?;
        } else {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            answer
                .headers
                .insert(name, HeaderValue::from_str(value).ok()?);
        }
    }
    answer.body = Bytes::copy_from_slice(output.get(end + gap..)?);
    Some(answer)
}

/// Why a ref cannot be pushed, in GitHub's words.
fn refusal(repo: &Repo, command: &RefCommand) -> Option<String> {
    let rules = repo.protection_of(&command.name)?;
    let why = if command.new == ZERO {
        (!rules.allow_deletions).then_some("Cannot delete a protected branch.")
    } else {
        let there = repo.refs.contains_key(&command.name);
        repo.direct_change_refusal(&command.name).filter(|_| there)
    }?;
    let name = &command.name;
    Some(format!(
        "error: GH006: Protected branch update failed for {name}.\nerror: {why}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_becomes_an_answer() {
        let answer = cgi_answer(b"Status: 404 Not Found\r\nExpires: never\r\n\r\nbody").unwrap();
        assert_eq!((answer.status, &answer.body[..]), (404, &b"body"[..]));
        assert_eq!(answer.headers["expires"], "never");
        assert!(cgi_answer(b"no header").is_none());
    }
}
