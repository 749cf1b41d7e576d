//! The task format: Markdown with YAML front matter.
//!
//! [`parse`] reads one file and touches no other. Everything that is wrong
//! comes back as a [`FormatError`] with file, line and what was expected;
//! everything that is merely odd as a [`Warning`]. `docs/task-format.md`
//! describes the format for authors.

mod checks;
mod fields;
mod front_matter;
mod path;
mod problem;
mod proctor;
mod rubric;
mod sections;
mod size;
mod yaml;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use proctor_types::task::{GradingType, RubricCriterion, SCHEMA, TaskInfo};

pub use self::checks::PythonGrader;
pub use self::front_matter::{
    FileSource, FrontMatter, MAX_ID_BYTES, Session, WorkspaceFile, is_id,
};
pub use self::problem::{FormatError, PathProblem, Place, Problem};
pub use self::proctor::{GraderName, Limits, OciReference, PROBE_SECONDS, Probe, Proctor};
use self::sections::Section;
use super::warning::{Warning, WarningKind, nearest};

pub(in crate::task) use self::path::portable;
pub(in crate::task) use self::proctor::is_sha256;

/// Most bytes of a task file. The longest one seen in the field has 60 KB.
pub const MAX_BYTES: usize = 1 << 20;

/// A value with the line on which it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Line in the task file, from 1.
    pub line: u64,
}

/// A task file, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The front matter.
    pub front: FrontMatter,
    /// "Prompt"; the first session's prompt where the file has sessions and no
    /// such section.
    pub prompt: String,
    /// "Expected Behavior"; empty where the file has none.
    pub expected_behavior: String,
    /// The items of "Grading Criteria".
    pub criteria: Vec<String>,
    /// The Python block of "Automated Checks".
    pub python: Option<PythonGrader>,
    /// The criteria of "LLM Judge Rubric", weights summing to 1.
    pub rubric: Vec<RubricCriterion>,
    /// "Workspace Files": a description for people.
    pub workspace_notes: String,
    /// "Additional Notes".
    pub notes: String,
    /// What is odd, in order of line.
    pub warnings: Vec<Warning>,
}

impl Document {
    /// What graders and reports may know about the task.
    pub fn info(&self) -> TaskInfo {
        TaskInfo {
            schema: SCHEMA.to_owned(),
            id: self.front.id.clone(),
            name: self.front.name.clone(),
            category: self.front.category.clone(),
            grading_type: self.front.grading_type,
            weights: self.front.weights,
            timeout_seconds: self.front.timeout_seconds,
            services: self.front.proctor.services.clone(),
            criteria: self.criteria.clone(),
            expected: self.expected_behavior.clone(),
            rubric: self.rubric.clone(),
            thresholds: self.front.proctor.thresholds,
        }
    }
}

/// Reads a task file. `file` is its name for messages; `known_services` are
/// the services that a world can have.
///
/// # Errors
/// The first thing that is wrong, with its line.
pub fn parse(file: &str, bytes: &[u8], known_services: &[&str]) -> Result<Document, FormatError> {
    let error = |(line, problem): (u64, Problem)| FormatError {
        place: Place {
            file: file.to_owned(),
            line: Some(line),
        },
        problem,
    };
    let text = decode(bytes).map_err(error)?;
    let front = FrontText::find(&text).map_err(error)?;
    let mut warnings = Vec::new();
    let root = yaml::parse(front.yaml, 1).map_err(error)?;
    let fields = fields::Fields::top(file, &root)?;
    let front_matter = front_matter::read(fields, known_services, &mut warnings)?;
    let all = sections::split(front.body, front.body_line).map_err(error)?;
    let body = Body::sort(file, front.body, front.body_line, &all, &mut warnings)?;
    body.read(front_matter, warnings)
}

/// The bytes as text with `\n` line ends and without a byte order mark.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, (u64, Problem)> {
    if bytes.len() > MAX_BYTES {
        return Err((1, Problem::TooLarge { limit: MAX_BYTES }));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        (
            1 + sections::newlines(&bytes[..error.valid_up_to()]),
            Problem::NotUtf8,
        )
    })?;
    if let Some(nul) = text.find('\0') {
        return Err((1 + sections::newlines(&bytes[..nul]), Problem::Nul));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') {
        return Ok(Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")));
    }
    Ok(Cow::Borrowed(text))
}

/// A task file cut into front matter and Markdown.
struct FrontText<'a> {
    yaml: &'a str,
    body: &'a str,
    body_line: u64,
}

impl<'a> FrontText<'a> {
    fn find(text: &'a str) -> Result<Self, (u64, Problem)> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        if first.trim_end() != "---" {
            let found = match first.trim() {
                "" => "an empty line".to_owned(),
                line => format!("`{}`", excerpt(line)),
            };
            return Err((1, Problem::NoFrontMatter { found }));
        }
        let mut end = 0;
        for (line, number) in rest.split_inclusive('\n').zip(2..) {
            if line.trim_end() == "---" {
                let body = &rest[end + line.len()..];
                return Ok(Self {
                    yaml: &rest[..end],
                    body,
                    body_line: number + 1,
                });
            }
            end += line.len();
        }
        Err((1, Problem::FrontMatterNotClosed))
    }
}

/// The known sections of a file.
struct Body<'a> {
    file: &'a str,
    text: &'a str,
    first_line: u64,
    found: Vec<(&'static str, Section<'a>)>,
}

impl<'a> Body<'a> {
    /// Finds the known sections among all, and warns about the others.
    fn sort(
        file: &'a str,
        text: &'a str,
        first_line: u64,
        all: &[Section<'a>],
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, FormatError> {
        let mut body = Self {
            file,
            text,
            first_line,
            found: Vec::new(),
        };
        let mut previous: Option<&str> = None;
        for section in all {
            let title = known_title(section.title);
            if let Some(title) = title {
                if let Some(first) = body.get(title) {
                    let problem = Problem::Twice {
                        what: "section",
                        name: title.to_owned(),
                        first: first.line,
                        advice: "put both under one heading",
                    };
                    return Err(body.error(section.line, problem));
                }
                body.found.push((title, *section));
            } else {
                let kind = WarningKind::UnknownSection {
                    title: excerpt(section.title).into_owned(),
                    ends: previous.map(str::to_owned),
                    nearest: nearest(section.title, sections::TITLES).map(str::to_owned),
                };
                let place = body.place(section.line);
                warnings.push(Warning { place, kind });
            }
            previous = title;
        }
        Ok(body)
    }

    fn get(&self, title: &str) -> Option<&Section<'a>> {
        self.found
            .iter()
            .find(|(known, _)| *known == title)
            .map(|(_, section)| section)
    }

    fn text_of(&self, title: &str) -> String {
        self.get(title)
            .map_or_else(String::new, |section| section.text().to_owned())
    }

    fn place(&self, line: u64) -> Place {
        Place {
            file: self.file.to_owned(),
            line: Some(line),
        }
    }

    fn error(&self, line: u64, problem: Problem) -> FormatError {
        FormatError {
            place: self.place(line),
            problem,
        }
    }

    /// A section that has to be there, with text.
    fn needed(&self, title: &'static str, why: &'static str) -> Result<&Section<'a>, FormatError> {
        match self.get(title) {
            Some(section) if section.is_empty() => Err(self.error(
                section.line,
                Problem::EmptySection {
                    section: title,
                    why,
                },
            )),
            Some(section) => Ok(section),
            None => {
                let problem = Problem::MissingSection {
                    section: title,
                    hint: self.hint(title),
                    why,
                };
                Err(FormatError {
                    place: Place {
                        file: self.file.to_owned(),
                        line: None,
                    },
                    problem,
                })
            }
        }
    }

    /// Where a line looks like the heading of a section that is missing.
    fn hint(&self, title: &str) -> String {
        let looks = |line: &str| {
            let text = line.trim().trim_matches(['#', '*', ':', '_']).trim();
            known_title(text) == Some(title)
        };
        let lines = self.text.lines().zip(self.first_line..);
        lines
            .filter(|(line, _)| looks(line))
            .map(|(_, number)| number)
            .next()
            .map_or_else(String::new, |line| {
                format!(
                    " (line {line} looks like it, but is no level-2 heading outside code, quotes, \
                     lists and HTML)"
                )
            })
    }

    fn read(self, front: FrontMatter, mut warnings: Vec<Warning>) -> Result<Document, FormatError> {
        let prompt = match front.sessions.first() {
            Some(first) if self.get(sections::PROMPT).is_none_or(Section::is_empty) => {
                first.prompt.clone()
            }
            _ => self
                .needed(sections::PROMPT, "it is what the agent is asked")?
                .text()
                .to_owned(),
        };
        let python = match self.get(sections::AUTOMATED_CHECKS) {
            Some(section) => checks::python(self.file, section, &mut warnings)?,
            None => None,
        };
        self.check_grader(&front, python.is_some())?;
        let rubric = self.rubric(front.grading_type, &mut warnings)?;
        let criteria = self.get(sections::GRADING_CRITERIA).map(checks::criteria);
        warnings.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(Document {
            prompt,
            expected_behavior: self.text_of(sections::EXPECTED_BEHAVIOR),
            criteria: criteria.unwrap_or_default(),
            python,
            rubric,
            workspace_notes: self.text_of(sections::WORKSPACE_FILES),
            notes: self.text_of(sections::NOTES),
            warnings,
            front,
        })
    }

    /// A task that is graded automatically needs something that grades it.
    fn check_grader(&self, front: &FrontMatter, python: bool) -> Result<(), FormatError> {
        let grading_type = match front.grading_type {
            GradingType::LlmJudge => return Ok(()),
            GradingType::Automated => "automated",
            GradingType::Hybrid => "hybrid",
        };
        if python || front.proctor.grader.is_some() {
            return Ok(());
        }
        let line = self
            .get(sections::AUTOMATED_CHECKS)
            .map(|section| section.line);
        let place = Place {
            file: self.file.to_owned(),
            line,
        };
        Err(FormatError {
            place,
            problem: Problem::NoGrader { grading_type },
        })
    }

    fn rubric(
        &self,
        grading_type: GradingType,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<RubricCriterion>, FormatError> {
        if grading_type == GradingType::Automated {
            if let Some(section) = self
                .get(sections::RUBRIC)
                .filter(|section| !section.is_empty())
            {
                let place = self.place(section.line);
                warnings.push(Warning {
                    place,
                    kind: WarningKind::RubricUnused,
                });
            }
            return Ok(Vec::new());
        }
        let section = self.needed(sections::RUBRIC, "it is what a judge grades by")?;
        rubric::read(self.file, section, warnings)
    }
}

/// The title of the format that `title` is, whatever its case and spaces.
fn known_title(title: &str) -> Option<&'static str> {
    let title = checks::one_line(title);
    if title.eq_ignore_ascii_case("Expected Behaviour") {
        return Some(sections::EXPECTED_BEHAVIOR);
    }
    sections::TITLES
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(&title))
}

/// At most 60 characters of `text` on one line, for messages.
pub(in crate::task) fn excerpt(text: &str) -> Cow<'_, str> {
    const MAX: usize = 60;
    let cut = text.char_indices().nth(MAX).map(|(at, _)| at);
    let shown = &text[..cut.unwrap_or(text.len())];
    if cut.is_none() && !shown.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown: String = shown
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if cut.is_some() {
        shown.push('…');
    }
    Cow::Owned(shown)
}
