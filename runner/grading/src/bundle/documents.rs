//! The transcript, the journal and the two snapshots as a grader gets them:
//! one JSON text each, made once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use proctor_types::Probes;
use proctor_types::WorldSnapshot;
use proctor_types::bundle::{JOURNAL, PROBES, TRANSCRIPT, WORLD_AFTER, WORLD_BEFORE};
use proctor_types::citation::Moment;
use proctor_types::world::GitHub;
use serde::Deserialize;

use super::manifest::{SchemaOnly, check_object, check_schema, starts_object};
use super::objects::{self, Objects};
use super::{Bundle, EvidenceError};

/// Made from files of the bundle on first use.
#[derive(Debug, Default)]
pub(super) struct Documents {
    transcript: OnceLock<Result<Option<Lines>, EvidenceError>>,
    journal: OnceLock<Result<Option<Lines>, EvidenceError>>,
    probes: OnceLock<Result<Option<ProbeLines>, EvidenceError>>,
    before: World,
    after: World,
}

#[derive(Debug, Default)]
struct World {
    text: OnceLock<Result<Option<Arc<str>>, EvidenceError>>,
    objects: OnceLock<Result<Objects, EvidenceError>>,
    github: OnceLock<Result<Option<GitHub>, EvidenceError>>,
}

/// A document of one JSON object a line.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    /// All of them as a JSON array.
    pub(super) array: Arc<str>,
    /// How many there are.
    pub(super) count: u64,
}

/// How many lines of standard output are kept of each probe.
pub(super) type ProbeLines = HashMap<String, u64>;

impl Bundle {
    /// The transcript as a JSON array, where the bundle has one.
    pub fn transcript(&self) -> Result<Option<Arc<str>>, EvidenceError> {
        Ok(self.transcript_lines()?.map(|lines| lines.array))
    }

    /// The journal as a JSON array, where the bundle has one.
    pub fn journal(&self) -> Result<Option<Arc<str>>, EvidenceError> {
        Ok(self.journal_lines()?.map(|lines| lines.array))
    }

    /// The world before the agent's first request, where the bundle has one.
    pub fn world_before(&self) -> Result<Option<Arc<str>>, EvidenceError> {
        self.world(Moment::Before)
    }

    /// The world after the agent stopped, where the bundle has one.
    pub fn world_after(&self) -> Result<Option<Arc<str>>, EvidenceError> {
        self.world(Moment::After)
    }

    pub(super) fn transcript_lines(&self) -> Result<Option<Lines>, EvidenceError> {
        let make = || self.lines(TRANSCRIPT, |line, _| check_object(line));
        self.0.documents.transcript.get_or_init(make).clone()
    }

    pub(super) fn journal_lines(&self) -> Result<Option<Lines>, EvidenceError> {
        let make = || self.lines(JOURNAL, check_entry);
        self.0.documents.journal.get_or_init(make).clone()
    }

    pub(super) fn probe_lines(&self) -> Result<Option<&ProbeLines>, EvidenceError> {
        let make = || {
            let Some(text) = self.text(PROBES)? else {
                return Ok(None);
            };
            let malformed =
                |error: serde_json::Error| EvidenceError::malformed(PROBES, error.to_string());
            let SchemaOnly { schema } = serde_json::from_str(&text).map_err(malformed)?;
            check_schema(PROBES, &schema, proctor_types::probe::SCHEMA)?;
            let probes: Probes = serde_json::from_str(&text).map_err(malformed)?;
            let lines = |output: &str| output.lines().count() as u64;
            let of = probes.probes.into_iter();
            Ok(Some(
                of.map(|probe| (probe.name, lines(&probe.stdout))).collect(),
            ))
        };
        let found = self.0.documents.probes.get_or_init(make);
        found.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    pub(super) fn objects(&self, moment: Moment) -> Result<&Objects, EvidenceError> {
        let world = self.0.documents.world(moment);
        world
            .objects
            .get_or_init(|| self.index(moment))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The repositories of a snapshot, for citations of their files.
    pub(super) fn github(&self, moment: Moment) -> Result<Option<&GitHub>, EvidenceError> {
        #[derive(Deserialize)]
        struct Repositories {
            #[serde(default)]
            github: Option<GitHub>,
        }
        let make = || {
            let Some(text) = self.world(moment)? else {
                return Ok(None);
            };
            let Repositories { github } = serde_json::from_str(&text)
                .map_err(|error| EvidenceError::malformed(world_file(moment), error.to_string()))?;
            Ok(github)
        };
        let parsed = self.0.documents.world(moment).github.get_or_init(make);
        parsed.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn world(&self, moment: Moment) -> Result<Option<Arc<str>>, EvidenceError> {
        let make = || {
            let file = world_file(moment);
            let Some(text) = self.text(file)? else {
                return Ok(None);
            };
            let malformed = |what: String| EvidenceError::malformed(file, what);
            check_object(&text).map_err(malformed)?;
            let schema: SchemaOnly =
                serde_json::from_str(&text).map_err(|error| malformed(error.to_string()))?;
            check_schema(file, &schema.schema, proctor_types::world::SCHEMA)?;
            Ok(Some(text))
        };
        self.0
            .documents
            .world(moment)
            .text
            .get_or_init(make)
            .clone()
    }

    /// A file as text.
    fn text(&self, file: &'static str) -> Result<Option<Arc<str>>, EvidenceError> {
        let Some(content) = self.read(file)? else {
            return Ok(None);
        };
        match std::str::from_utf8(&content) {
            Ok(text) => Ok(Some(text.into())),
            Err(error) => {
                let what = format!("it is not UTF-8 from byte {} on", error.valid_up_to());
                Err(EvidenceError::malformed(file, what))
            }
        }
    }

    /// Joins the lines of a file to an array. `check` gets each line and its
    /// number from 1.
    fn lines(
        &self,
        file: &'static str,
        check: impl Fn(&str, u64) -> Result<(), String>,
    ) -> Result<Option<Lines>, EvidenceError> {
        let Some(text) = self.text(file)? else {
            return Ok(None);
        };
        let body = text.strip_suffix('\n').unwrap_or(&text);
        let mut array = String::with_capacity(text.len() + 2);
        let mut count = 0;
        array.push('[');
        if !body.is_empty() {
            for line in body.split('\n') {
                count += 1;
                check(line, count).map_err(|what| {
                    EvidenceError::malformed(file, format!("line {count}: {what}"))
                })?;
                if count > 1 {
                    array.push(',');
                }
                array.push_str(line);
            }
        }
        array.push(']');
        Ok(Some(Lines {
            array: array.into(),
            count,
        }))
    }

    fn index(&self, moment: Moment) -> Result<Objects, EvidenceError> {
        let Some(text) = self.world(moment)? else {
            return Ok(Objects::new());
        };
        let world: WorldSnapshot = serde_json::from_str(&text)
            .map_err(|error| EvidenceError::malformed(world_file(moment), error.to_string()))?;
        Ok(objects::index(&world))
    }
}

impl Documents {
    fn world(&self, moment: Moment) -> &World {
        match moment {
            Moment::Before => &self.before,
            Moment::After => &self.after,
        }
    }
}

pub(super) fn world_file(moment: Moment) -> &'static str {
    match moment {
        Moment::Before => WORLD_BEFORE,
        Moment::After => WORLD_AFTER,
    }
}

/// A journal numbers its entries from 1 without gaps, so that a number in a
/// citation can only mean one of them.
fn check_entry(line: &str, number: u64) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Numbered {
        n: u64,
    }
    starts_object(line)?;
    let Numbered { n } = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if n == number {
        Ok(())
    } else {
        Err(format!("its number is {n}; expected {number}"))
    }
}
