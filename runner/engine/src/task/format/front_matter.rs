//! The front matter's keys: those of the public format, and `proctor:`.

use std::collections::BTreeMap;

use proctor_types::task::{GradingType, Weights};
use serde_json::Value as Json;

use super::fields::{Field, Fields};
use super::proctor::{self, Proctor};
use super::{At, FormatError, PathProblem, Problem, path};
use crate::task::warning::{Warning, WarningKind};

/// Longest identifier of a task, in bytes.
pub const MAX_ID_BYTES: usize = 64;
/// Longest time limit: a day.
const MAX_TIMEOUT_SECONDS: u64 = 86_400;
/// Most workspace files, sessions, prerequisites.
const MAX_ENTRIES: usize = 1_000;

/// What the front matter says.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontMatter {
    /// Identifier: lower-case letters, digits, `-` and `_`, at most
    /// [`MAX_ID_BYTES`].
    pub id: String,
    /// Name for people; the identifier where the task gives none.
    pub name: String,
    /// Category, free text; empty where the task gives none.
    pub category: String,
    /// How the score is put together.
    pub grading_type: GradingType,
    /// Shares of the two halves, summing to 1: 0.5 each unless the task says
    /// otherwise, and all in one half for a task that is not hybrid.
    pub weights: Weights,
    /// The agent's time limit.
    pub timeout_seconds: u64,
    /// Files to put into the workspace.
    pub workspace_files: Vec<At<WorkspaceFile>>,
    /// What has to be installed, as `KIND:NAME`.
    pub prerequisites: Vec<String>,
    /// Prompts of a task with several sessions, in order; empty otherwise.
    pub sessions: Vec<Session>,
    /// The key `proctor`; all defaults where the task has none.
    pub proctor: Proctor,
    /// Keys that Proctor does not know, in the order of the file. None of them
    /// has an effect.
    pub other: Vec<(String, Json)>,
}

/// A file to put into the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Path in the workspace.
    pub dest: String,
    /// Where its bytes come from.
    pub from: FileSource,
}

/// Where the bytes of a workspace file come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSource {
    /// A file, relative to the `assets/` folder.
    Asset(String),
    /// The text itself.
    Content(String),
}

/// One prompt of a task with several sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name: `session_1`, ... where the task gives none.
    pub id: String,
    /// The prompt.
    pub prompt: String,
    /// Whether the agent forgets what came before.
    pub new_session: bool,
}

/// Reads the mapping at the top.
pub(super) fn read(
    mut top: Fields<'_>,
    known_services: &[&str],
    warnings: &mut Vec<Warning>,
) -> Result<FrontMatter, FormatError> {
    let id = id(&top.required("id", "an identifier such as `task_01_calendar`")?)?;
    let name = match top.optional("name") {
        Some(field) => field.line_of_text("a name of one line")?.to_owned(),
        None => id.clone(),
    };
    let category = match top.optional("category") {
        Some(field) => field.line_of_text("a category of one line")?.to_owned(),
        None => String::new(),
    };
    let grading_type = grading_type(&top.required("grading_type", GRADING_TYPES)?)?;
    let timeout = "a time limit in whole seconds";
    let timeout_seconds =
        top.required("timeout_seconds", timeout)?
            .whole(1, MAX_TIMEOUT_SECONDS, timeout)?;
    let weights = weights(
        top.optional("grading_weights").as_ref(),
        grading_type,
        warnings,
    )?;
    let workspace_files = match top.optional("workspace_files") {
        Some(field) => workspace_files(&field, warnings)?,
        None => Vec::new(),
    };
    let prerequisites = match top.optional("prerequisites") {
        Some(field) => prerequisites(&field, warnings)?,
        None => Vec::new(),
    };
    let sessions = sessions(&mut top, warnings)?;
    let proctor = match top.optional("proctor") {
        Some(field) => proctor::read(&field, known_services, warnings)?,
        None => Proctor::default(),
    };
    let other = top.rest(warnings);
    Ok(FrontMatter {
        id,
        name,
        category,
        grading_type,
        weights,
        timeout_seconds,
        workspace_files,
        prerequisites,
        sessions,
        proctor,
        other,
    })
}

/// Whether `text` can be the identifier of a task.
pub fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= MAX_ID_BYTES
        && text.starts_with(plain)
        && text.chars().all(|c| plain(c) || c == '-' || c == '_')
}

fn id(field: &Field<'_>) -> Result<String, FormatError> {
    let expected = "lower-case letters, digits, `-` and `_`, beginning with a letter or digit, at \
                    most 64 of them";
    let text = field.text(expected)?;
    if is_id(text) {
        Ok(text.to_owned())
    } else {
        Err(field.not(expected))
    }
}

const GRADING_TYPES: &str = "`automated`, `llm_judge` or `hybrid`";

fn grading_type(field: &Field<'_>) -> Result<GradingType, FormatError> {
    match field.text(GRADING_TYPES)? {
        "automated" => Ok(GradingType::Automated),
        "llm_judge" => Ok(GradingType::LlmJudge),
        "hybrid" => Ok(GradingType::Hybrid),
        _ => Err(field.not(GRADING_TYPES)),
    }
}

fn weights(
    field: Option<&Field<'_>>,
    grading_type: GradingType,
    warnings: &mut Vec<Warning>,
) -> Result<Weights, FormatError> {
    let mut given = Weights {
        automated: 0.5,
        llm_judge: 0.5,
    };
    if let Some(field) = field {
        let share = "a share such as 0.6";
        let mut map = field.mapping("a mapping `{automated: 0.6, llm_judge: 0.4}`")?;
        given.automated = map.required("automated", share)?.number(share)?;
        given.llm_judge = map.required("llm_judge", share)?.number(share)?;
        map.rest(warnings);
        let sum = given.automated + given.llm_judge;
        if !(sum.is_finite() && sum > 0.0) {
            return Err(field.not("shares of which at least one is above 0"));
        }
        given.automated /= sum;
        given.llm_judge = 1.0 - given.automated;
        if grading_type != GradingType::Hybrid {
            warnings.push(field.warning(WarningKind::WeightsUnused));
        }
    }
    Ok(match grading_type {
        GradingType::Hybrid => given,
        GradingType::Automated => Weights {
            automated: 1.0,
            llm_judge: 0.0,
        },
        GradingType::LlmJudge => Weights {
            automated: 0.0,
            llm_judge: 1.0,
        },
    })
}

const WORKSPACE_FILE: &str = "`{source: FILE, dest: PATH}` or `{path: PATH, content: TEXT}`";

fn workspace_files(
    field: &Field<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<At<WorkspaceFile>>, FormatError> {
    let items = field.list(MAX_ENTRIES, &format!("a list of {WORKSPACE_FILE}"))?;
    let mut files = Vec::new();
    let mut taken: BTreeMap<String, u64> = BTreeMap::new();
    for item in &items {
        let file = workspace_file(item, warnings)?;
        if let Some(first) = taken.insert(file.dest.clone(), item.line()) {
            return Err(item.error(Problem::Twice {
                what: "workspace file",
                name: file.dest,
                first,
                advice: "give each file a path of its own",
            }));
        }
        files.push(item.at(file));
    }
    for (item, file) in items.iter().zip(&files) {
        let dest = &file.value.dest;
        for (end, _) in dest.match_indices('/') {
            if let Some(line) = taken.get(&dest[..end]) {
                let above = &dest[..end];
                return Err(item.error(Problem::Value {
                    key: item.name().to_owned(),
                    found: format!("the file `{dest}`"),
                    expected: format!("a path outside `{above}`, which is a file (line {line})"),
                }));
            }
        }
    }
    Ok(files)
}

fn workspace_file(
    item: &Field<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<WorkspaceFile, FormatError> {
    let mut map = item.mapping(WORKSPACE_FILE)?;
    let source = map.optional("source");
    let dest = map.optional("dest");
    let place = map.optional("path");
    let content = map.optional("content");
    map.rest(warnings);
    let (dest, from) = match (source, dest, place, content) {
        (Some(source), Some(dest), None, None) => {
            let source = relative(&source, "the `assets/` folder")?;
            (dest, FileSource::Asset(source))
        }
        (None, None, Some(place), Some(content)) => {
            let content = content.text("the text of the file")?.to_owned();
            (place, FileSource::Content(content))
        }
        _ => return Err(item.not(WORKSPACE_FILE)),
    };
    Ok(WorkspaceFile {
        dest: relative(&dest, "the workspace")?,
        from,
    })
}

/// A relative path, checked as far as the text goes.
pub(super) fn relative(field: &Field<'_>, base: &'static str) -> Result<String, FormatError> {
    let text = field.text("a path")?;
    path::relative(text, base).map_err(|problem: PathProblem| {
        field.error(Problem::Path {
            key: field.name().to_owned(),
            path: super::excerpt(text).into_owned(),
            problem,
        })
    })
}

fn prerequisites(
    field: &Field<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<String>, FormatError> {
    let mut found = Vec::new();
    for item in field.list(MAX_ENTRIES, "a list such as `[cli:gws, npm:cowsay]`")? {
        let text = item.line_of_text("text such as `cli:gws`")?;
        let well_formed = text
            .split_once(':')
            .is_some_and(|(kind, name)| !kind.trim().is_empty() && !name.trim().is_empty());
        if !well_formed {
            let text = super::excerpt(text).into_owned();
            warnings.push(item.warning(WarningKind::Prerequisite { text }));
        }
        found.push(text.to_owned());
    }
    Ok(found)
}

fn sessions(
    top: &mut Fields<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Session>, FormatError> {
    let switch = top.optional("multi_session");
    let multi = switch.as_ref().map_or(Ok(false), Field::boolean)?;
    let form = "a list of `{id: NAME, prompt: TEXT}`";
    let Some(field) = top.optional("sessions") else {
        return match switch {
            Some(switch) if multi => Err(switch.error(Problem::MissingKey {
                key: "sessions".to_owned(),
                expected: format!("{form} because `multi_session` is true"),
            })),
            _ => Ok(Vec::new()),
        };
    };
    let mut sessions: Vec<Session> = Vec::new();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (index, item) in field.list(MAX_ENTRIES, form)?.iter().enumerate() {
        let session = session(item, index + 1, warnings)?;
        if let Some(first) = lines.insert(session.id.clone(), item.line()) {
            return Err(item.error(Problem::Twice {
                what: "session",
                name: session.id,
                first,
                advice: "give each session an id of its own",
            }));
        }
        sessions.push(session);
    }
    if sessions.is_empty() && multi {
        return Err(field.not(format!("{form} with at least one entry")));
    }
    if !sessions.is_empty() && !multi {
        warnings.push(field.warning(WarningKind::SessionsWithoutSwitch));
    }
    Ok(sessions)
}

fn session(
    item: &Field<'_>,
    number: usize,
    warnings: &mut Vec<Warning>,
) -> Result<Session, FormatError> {
    let form =
        "`{id: NAME, prompt: TEXT}`, `{id: NAME, message: TEXT}` or the bare text of a prompt";
    let numbered = format!("session_{number}");
    let session = if let Some(text) = item.bare_text() {
        Session {
            id: numbered,
            prompt: text.trim().to_owned(),
            new_session: false,
        }
    } else {
        let mut map = item.mapping(form)?;
        let id = match map.optional("id") {
            Some(id) => id.line_of_text("a name of one line")?.to_owned(),
            None => numbered,
        };
        let prompt = map.optional("prompt");
        let message = map.optional("message");
        let new_session = map
            .optional("new_session")
            .map_or(Ok(false), |flag| flag.boolean())?;
        map.rest(warnings);
        let prompt = match (prompt, message) {
            (Some(prompt), None) | (None, Some(prompt)) => prompt.text("the text of a prompt")?,
            _ => return Err(item.not(form)),
        };
        Session {
            id,
            prompt: prompt.trim().to_owned(),
            new_session,
        }
    };
    if session.prompt.is_empty() {
        Err(item.not(form))
    } else {
        Ok(session)
    }
}
