//! The key `proctor`: everything that other readers of the format ignore.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use proctor_types::task::Thresholds;

use super::fields::{Field, Fields};
use super::front_matter::relative;
use super::{At, FormatError, Problem, size};
use crate::task::warning::{Warning, nearest};

/// Most attempts that a task may ask for.
const MAX_ATTEMPTS: u64 = 1_000;
/// Most services, hosts, probes.
const MAX_ENTRIES: usize = 64;
/// Default time limit of a probe.
pub const PROBE_SECONDS: u64 = 60;
/// Longest time limit of a probe: an hour.
const MAX_PROBE_SECONDS: u64 = 3_600;
/// What a task may ask for its agent's workspace, in bytes: 64 KiB to 4 GiB. It
/// lies in the memory of the operator's machine.
const WORKSPACE_BYTES: RangeInclusive<u64> = 64 << 10..=4 << 30;
/// What a task may ask for its agent's memory, in bytes: 64 MiB to 16 GiB. With
/// less no interpreter starts.
const MEMORY_BYTES: RangeInclusive<u64> = 64 << 20..=16 << 30;
/// How many processes and threads a task may ask for.
const PROCESSES: RangeInclusive<u64> = 16..=4_096;
/// In words: what files of a pack are relative to.
const IN_PACK: &str = "the task's folder";

/// What a task says under `proctor`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proctor {
    /// Services of the world, in the order of the task.
    pub services: Vec<String>,
    /// Folder with the world's seed, relative to the task's folder.
    pub seed: Option<At<String>>,
    /// The grader module.
    pub grader: Option<At<GraderName>>,
    /// File with the system prompt, relative to the task's folder.
    pub system_prompt: Option<At<String>>,
    /// Thresholds in points.
    pub thresholds: Option<Thresholds>,
    /// How many attempts a job makes unless the operator says otherwise.
    pub attempts: Option<u32>,
    /// Hosts that the agent may reach for real, besides the model API.
    pub network_allow: Vec<String>,
    /// Limits of the agent's sandbox, where the task asks for its own.
    pub limits: Limits,
    /// Commands to run in the agent's sandbox after it stopped.
    pub probes: Vec<Probe>,
    /// The oracle's steps file, relative to the task's folder.
    pub oracle: Option<At<String>>,
    /// Points that an agent gets which does nothing; 0 where `None`.
    pub floor: Option<f64>,
}

/// How a task names its grader module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraderName {
    /// A file, relative to the task's folder.
    File(String),
    /// An artifact in a registry, pinned by digest.
    Oci(OciReference),
}

/// `oci://REGISTRY/NAME@sha256:DIGEST`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciReference {
    /// Registry and name: `ghcr.io/example/grader`.
    pub repository: String,
    /// SHA-256 of the manifest, lower-case hex.
    pub sha256: String,
}

/// Limits of the agent's sandbox; `None` is the runner's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Size of the workspace in bytes.
    pub workspace_bytes: Option<u64>,
    /// Memory of each of the agent's processes, in bytes.
    pub memory_bytes: Option<u64>,
    /// Most processes and threads at one time.
    pub processes: Option<u64>,
}

/// A command to run in the agent's sandbox after it stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Name, unique in the task: letters, digits, `-`, `_`, `.`.
    pub name: String,
    /// Shell command.
    pub run: String,
    /// Its time limit.
    pub timeout_seconds: u64,
}

impl std::fmt::Display for OciReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "oci://{}@sha256:{}", self.repository, self.sha256)
    }
}

/// Reads the mapping under `proctor`.
pub(super) fn read(
    field: &Field<'_>,
    known_services: &[&str],
    warnings: &mut Vec<Warning>,
) -> Result<Proctor, FormatError> {
    let mut map = field.mapping("a mapping of Proctor's own keys")?;
    let file = |map: &mut Fields<'_>, key| match map.optional(key) {
        Some(field) => Ok(Some(field.at(relative(&field, IN_PACK)?))),
        None => Ok(None),
    };
    let services = match map.optional("services") {
        Some(field) => services(&field, known_services)?,
        None => Vec::new(),
    };
    let seed = file(&mut map, "seed")?;
    let grader = match map.optional("grader") {
        Some(field) => Some(field.at(grader(&field)?)),
        None => None,
    };
    let system_prompt = file(&mut map, "system_prompt")?;
    let thresholds = match map.optional("verdict") {
        Some(field) => Some(thresholds(&field, warnings)?),
        None => None,
    };
    let attempts = match map.optional("attempts") {
        Some(field) => u32::try_from(field.whole(1, MAX_ATTEMPTS, "a number of attempts")?).ok(),
        None => None,
    };
    let network_allow = match map.optional("network") {
        Some(field) => network(&field, warnings)?,
        None => Vec::new(),
    };
    let limits = match map.optional("limits") {
        Some(field) => limits(&field, warnings)?,
        None => Limits::default(),
    };
    let probes = match map.optional("probes") {
        Some(field) => probes(&field, warnings)?,
        None => Vec::new(),
    };
    let oracle = file(&mut map, "oracle")?;
    let floor = match map.optional("floor") {
        Some(field) => Some(field.number("a number of points")?),
        None => None,
    };
    map.rest(warnings);
    Ok(Proctor {
        services,
        seed,
        grader,
        system_prompt,
        thresholds,
        attempts,
        network_allow,
        limits,
        probes,
        oracle,
        floor,
    })
}

fn services(field: &Field<'_>, known: &[&str]) -> Result<Vec<String>, FormatError> {
    let mut found: Vec<String> = Vec::new();
    let all = known.join("`, `");
    for item in field.list(MAX_ENTRIES, &format!("a list of services (`{all}`)"))? {
        let name = item.text("the name of a service")?;
        if !known.contains(&name) {
            let hint = nearest(name, known.iter().copied())
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(item.not(format!("one of `{all}`{hint}")));
        }
        if found.iter().any(|other| other == name) {
            return Err(item.not("each service once"));
        }
        found.push(name.to_owned());
    }
    Ok(found)
}

fn grader(field: &Field<'_>) -> Result<GraderName, FormatError> {
    let expected = "a file of the task's folder, or `oci://REGISTRY/NAME@sha256:DIGEST`";
    let text = field.text(expected)?;
    if let Some(reference) = text.strip_prefix("oci://") {
        let reference = oci(reference).ok_or_else(|| {
            field.not(
                "`oci://REGISTRY/NAME@sha256:DIGEST` with all 64 hex digits of the digest, so that \
                 the module can never change unnoticed",
            )
        })?;
        return Ok(GraderName::Oci(reference));
    }
    if text.contains("://") {
        return Err(field.not(expected));
    }
    relative(field, IN_PACK).map(GraderName::File)
}

fn oci(text: &str) -> Option<OciReference> {
    let (repository, digest) = text.split_once("@sha256:")?;
    let (registry, name) = repository.split_once('/')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "./_-".contains(c);
    let registry_ok = !registry.is_empty() && registry.chars().all(|c| plain(c) || c == ':');
    let name_ok = name.chars().all(plain)
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'));
    (registry_ok && name_ok && repository.len() <= 255 && is_sha256(digest)).then(|| OciReference {
        repository: repository.to_owned(),
        sha256: digest.to_owned(),
    })
}

/// Whether `text` is a SHA-256 in lower-case hex.
pub(in crate::task) fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn thresholds(field: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<Thresholds, FormatError> {
    let points = "a number of points";
    let mut map = field.mapping("a mapping `{pass: 18, borderline: 14}`")?;
    let pass = map.required("pass", points)?.number(points)?;
    let borderline = match map.optional("borderline") {
        Some(field) => {
            let value = field.number(points)?;
            if value > pass {
                return Err(field.not(format!("at most `pass`, which is {pass}")));
            }
            Some(value)
        }
        None => None,
    };
    map.rest(warnings);
    Ok(Thresholds { pass, borderline })
}

fn network(field: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<Vec<String>, FormatError> {
    let mut map = field.mapping("a mapping `{allow: [HOST, ...]}`")?;
    let mut hosts: Vec<String> = Vec::new();
    if let Some(allow) = map.optional("allow") {
        for item in allow.list(MAX_ENTRIES, "a list of host names")? {
            let expected = "a full host name such as `api.example.com`, without scheme, port, path \
                            or wildcard";
            let host = item.text(expected)?.to_ascii_lowercase();
            if !is_host(&host) {
                return Err(item.not(expected));
            }
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
    }
    map.rest(warnings);
    Ok(hosts)
}

/// Whether `text` is a host name of at least two labels, and no address.
fn is_host(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.len() <= 253
        && text.contains('.')
        && text.split('.').all(label)
        && !last.bytes().all(|b| b.is_ascii_digit())
}

fn limits(field: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<Limits, FormatError> {
    let mut map = field.mapping("a mapping `{workspace: 256MiB, memory: 4GiB, processes: 512}`")?;
    let bytes = |map: &mut Fields<'_>, key, range: &RangeInclusive<u64>, most: &str| {
        let Some(field) = map.optional(key) else {
            return Ok(None);
        };
        match field.bare_text().and_then(size::parse) {
            Some(bytes) if range.contains(&bytes) => Ok(Some(bytes)),
            Some(_) => Err(field.not(format!("a size from {most}"))),
            None => Err(field.not(size::EXPECTED)),
        }
    };
    let limits = Limits {
        workspace_bytes: bytes(&mut map, "workspace", &WORKSPACE_BYTES, "64KiB to 4GiB")?,
        memory_bytes: bytes(&mut map, "memory", &MEMORY_BYTES, "64MiB to 16GiB")?,
        processes: match map.optional("processes") {
            Some(field) => Some(field.whole(
                *PROCESSES.start(),
                *PROCESSES.end(),
                "a number of processes",
            )?),
            None => None,
        },
    };
    map.rest(warnings);
    Ok(limits)
}

fn probes(field: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<Vec<Probe>, FormatError> {
    let form = "`{name: NAME, run: SHELL COMMAND, timeout_seconds: 60}`";
    let mut probes: Vec<Probe> = Vec::new();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for item in field.list(MAX_ENTRIES, &format!("a list of {form}"))? {
        let mut map = item.mapping(form)?;
        let name_form = "letters, digits, `-`, `_` and `.`, at most 64 of them";
        let name = map.required("name", name_form)?;
        let text = name.text(name_form)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=64).contains(&text.len()) || !text.chars().all(plain) {
            return Err(name.not(name_form));
        }
        let run = map.required("run", "a shell command")?;
        let command = run.text("a shell command")?.trim();
        if command.is_empty() {
            return Err(run.not("a shell command"));
        }
        let timeout_seconds = match map.optional("timeout_seconds") {
            Some(field) => field.whole(1, MAX_PROBE_SECONDS, "a time limit in whole seconds")?,
            None => PROBE_SECONDS,
        };
        map.rest(warnings);
        if let Some(first) = lines.insert(text.to_owned(), item.line()) {
            return Err(item.error(Problem::Twice {
                what: "probe",
                name: text.to_owned(),
                first,
                advice: "give each probe a name of its own",
            }));
        }
        probes.push(Probe {
            name: text.to_owned(),
            run: command.to_owned(),
            timeout_seconds,
        });
    }
    Ok(probes)
}
