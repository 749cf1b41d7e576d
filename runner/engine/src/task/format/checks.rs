//! The sections "Automated Checks" and "Grading Criteria".

use pulldown_cmark::{Event, Tag, TagEnd};

use super::sections::{CodeBlock, Section};
use super::{FormatError, Place, Problem};
use crate::task::warning::{Warning, WarningKind};

/// The Python grader of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonGrader {
    /// The code between the fences.
    pub code: String,
    /// Line of its first line in the task file, so that a traceback can be
    /// pointed back at the file.
    pub line: u64,
}

/// The first Python block of "Automated Checks", if there is one.
pub(super) fn python(
    file: &str,
    section: &Section<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Option<PythonGrader>, FormatError> {
    let error = |line, problem| FormatError {
        place: Place {
            file: file.to_owned(),
            line: Some(line),
        },
        problem,
    };
    let blocks = section.code_blocks();
    let mut python = blocks.iter().filter(|block| is_python(block));
    let Some(first) = python.next() else {
        return match stray_grader(section, &blocks) {
            Some((line, where_)) => Err(error(line, Problem::UnfencedGrader { where_ })),
            None => Ok(None),
        };
    };
    if !first.code.lines().any(defines_grade) {
        return Err(error(first.line, Problem::NoGradeFunction));
    }
    warnings.extend(python.map(|extra| Warning {
        place: Place {
            file: file.to_owned(),
            line: Some(extra.line),
        },
        kind: WarningKind::ExtraPythonBlock { used: first.line },
    }));
    Ok(Some(PythonGrader {
        code: first.code.clone(),
        line: first.line + 1,
    }))
}

fn is_python(block: &CodeBlock) -> bool {
    matches!(block.language.as_deref(), Some("python" | "python3" | "py"))
}

/// Whether a line of Python defines the function `grade`.
fn defines_grade(line: &str) -> bool {
    let Some(rest) = line
        .strip_prefix("def ")
        .or_else(|| line.strip_prefix("async def "))
    else {
        return false;
    };
    rest.trim_start()
        .strip_prefix("grade")
        .is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// A `def grade` that no fence marks as Python: its line, and where it stands.
fn stray_grader(section: &Section<'_>, blocks: &[CodeBlock]) -> Option<(u64, String)> {
    let mut offset = 0;
    for line in section.body.split_inclusive('\n') {
        if defines_grade(line.trim_start()) {
            let end = offset + line.len();
            let block = blocks
                .iter()
                .find(|b| b.range.start < end && offset < b.range.end);
            let where_ = match block.map(|block| block.language.as_deref()) {
                None => "outside a code fence".to_owned(),
                Some(None) => "in indented code".to_owned(),
                Some(Some("")) => "in a code fence without a language".to_owned(),
                Some(Some(language)) => {
                    format!("in a code fence for `{}`", super::excerpt(language))
                }
            };
            return Some((section.line_at(offset), where_));
        }
        offset += line.len();
    }
    None
}

/// The items of "Grading Criteria": of its lists, or lines with a bullet.
pub(super) fn criteria(section: &Section<'_>) -> Vec<String> {
    let mut items = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in section.events() {
        match event {
            Event::Start(Tag::Item) => {
                if depth == 0 {
                    items.push(item_text(&section.body[range]));
                }
                depth += 1;
            }
            Event::End(TagEnd::Item) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if items.is_empty() {
        let bullets = ['•', '◦', '‣', '·', '–'];
        let lines = section.body.lines().map(str::trim);
        items = lines
            .filter_map(|line| line.strip_prefix(bullets))
            .map(one_line)
            .collect();
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Text of a list item without its marker and checkbox.
fn item_text(item: &str) -> String {
    let item = item.trim_start();
    let marker = item.find(char::is_whitespace).unwrap_or(item.len());
    let text = item[marker..].trim_start();
    let text = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(text);
    one_line(text)
}

/// The text with every run of white space as one space.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::format::sections;

    fn in_section<T>(body: &str, read: impl Fn(&Section<'_>) -> T) -> T {
        let text = format!("## Section\n{body}");
        read(&sections::split(&text, 1).unwrap()[0])
    }

    fn python_of(body: &str) -> Result<Option<PythonGrader>, String> {
        in_section(body, |section| {
            python("t.md", section, &mut Vec::new()).map_err(|error| error.to_string())
        })
    }

    #[test]
    fn the_first_python_fence_is_the_grader() {
        let body = "Intro\n\n```bash\nls\n```\n\n```python\ndef grade(t, w):\n    return {}\n```\n\n```python\nx = 1\n```\n";
        let (found, warnings) = in_section(body, |section| {
            let mut warnings = Vec::new();
            let found = python("t.md", section, &mut warnings).unwrap().unwrap();
            (
                found,
                warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
            )
        });
        assert_eq!(found.code, "def grade(t, w):\n    return {}\n");
        assert_eq!(found.line, 9);
        assert_eq!(
            warnings,
            ["t.md:13: only the first ```python block counts (line 8); this one has no effect"]
        );
    }

    #[test]
    fn graders_that_no_reader_would_find_are_errors_with_their_line() {
        for (body, line, where_) in [
            (
                "def grade(t, w):\n    return {}\n",
                2,
                "outside a code fence",
            ),
            (
                "text\n\n    def grade(t, w):\n        return {}\n",
                4,
                "in indented code",
            ),
            (
                "```\ndef grade(t, w): ...\n```\n",
                3,
                "in a code fence without a language",
            ),
            (
                "```js\nasync def grade (t, w): ...\n```\n",
                3,
                "in a code fence for `js`",
            ),
        ] {
            let error = python_of(body).unwrap_err();
            assert!(
                error.starts_with(&format!("t.md:{line}: `def grade` stands {where_};")),
                "{error}"
            );
        }
        let error =
            python_of("```python\ndef grader(t, w): ...\n    def grade(x): ...\n```").unwrap_err();
        assert_eq!(
            error,
            "t.md:2: the ```python block has no `def grade`; expected `def grade(transcript, workspace_path)`"
        );
        assert_eq!(python_of("None; see the module.\n"), Ok(None));
    }

    #[test]
    fn criteria_are_list_items_or_bullet_lines() {
        let list = "- [ ] Listed `tasks`\n- [x] Wrote\n  a file\n  - with two lines\n\n### More\n\n1. Third\n2) Fourth\n";
        assert_eq!(
            in_section(list, criteria),
            [
                "Listed `tasks`",
                "Wrote a file - with two lines",
                "Third",
                "Fourth"
            ]
        );
        assert_eq!(
            in_section("• One\n• Two\n\n•   \n", criteria),
            ["One", "Two"]
        );
        assert!(in_section("Nothing here.\n", criteria).is_empty());
    }
}
