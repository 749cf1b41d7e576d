//! The Markdown below the front matter, split at its level-2 headings.
//!
//! A heading counts where `CommonMark` says there is one: not inside a code
//! fence (of backticks or tildes, with fences of other lengths inside), not in
//! indented code, a list, a quote or an HTML comment. Underlined headings do
//! not count, though `CommonMark` gives them level 2 as well: in prompts, a
//! paragraph above a line of dashes is far more often a paragraph.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Parser, Tag, TagEnd};

use super::Problem;

/// Titles of the format's sections, in their usual order.
pub(super) const TITLES: [&str; 7] = [
    PROMPT,
    EXPECTED_BEHAVIOR,
    GRADING_CRITERIA,
    AUTOMATED_CHECKS,
    RUBRIC,
    WORKSPACE_FILES,
    NOTES,
];
pub(super) const PROMPT: &str = "Prompt";
pub(super) const EXPECTED_BEHAVIOR: &str = "Expected Behavior";
pub(super) const GRADING_CRITERIA: &str = "Grading Criteria";
pub(super) const AUTOMATED_CHECKS: &str = "Automated Checks";
pub(super) const RUBRIC: &str = "LLM Judge Rubric";
pub(super) const WORKSPACE_FILES: &str = "Workspace Files";
pub(super) const NOTES: &str = "Additional Notes";

/// One section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Section<'a> {
    /// The title as written.
    pub(super) title: &'a str,
    /// Line of the heading in the file, from 1.
    pub(super) line: u64,
    /// Everything up to the next section.
    pub(super) body: &'a str,
    /// Line on which the body begins.
    pub(super) body_line: u64,
}

/// A code block of a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodeBlock {
    /// First word behind the fence, lower-case; `None` for indented code.
    pub(super) language: Option<String>,
    /// The code, without fences and without the indentation of what holds it.
    pub(super) code: String,
    /// Line of the opening fence in the file.
    pub(super) line: u64,
    /// Where it stands in the body.
    pub(super) range: Range<usize>,
}

/// Splits `text`, which begins at line `first_line` of the file.
///
/// # Errors
/// A fence that is never closed, with its line: it would swallow sections.
pub(super) fn split(text: &str, first_line: u64) -> Result<Vec<Section<'_>>, (u64, Problem)> {
    let mut lines = Lines::new(text, first_line);
    let mut starts: Vec<(usize, u64)> = Vec::new();
    let mut depth = 0_usize;
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    match tag {
                        Tag::Heading {
                            level: HeadingLevel::H2,
                            ..
                        } if text[range.clone()].trim_start().starts_with('#') => {
                            starts.push((range.start, lines.at(range.start)));
                        }
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                            if let Some(fence) = unclosed_fence(&text[range.clone()]) {
                                let problem = Problem::OpenFence { fence };
                                return Err((lines.at(range.start), problem));
                            }
                        }
                        _ => {}
                    }
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|(start, _)| *start)
        .chain([text.len()]);
    Ok(starts
        .iter()
        .zip(ends)
        .map(|(&(start, line), end)| section(&text[start..end], line))
        .collect())
}

fn section(text: &str, line: u64) -> Section<'_> {
    let (heading, body) = text.split_once('\n').unwrap_or((text, ""));
    let title = heading.trim().trim_start_matches('#').trim();
    // `## Title ##` is `Title`; `## C#` is `C#`.
    let title = match title.rsplit_once(char::is_whitespace) {
        Some((before, hashes)) if hashes.chars().all(|c| c == '#') => before.trim_end(),
        _ => title,
    };
    Section {
        title,
        line,
        body,
        body_line: line + 1,
    }
}

/// What would close the fenced block, if nothing does.
fn unclosed_fence(block: &str) -> Option<String> {
    let block = block.trim_start();
    let mark = block.chars().next()?;
    let length = block.chars().take_while(|c| *c == mark).count();
    let last = block.lines().skip(1).last().unwrap_or_default().trim();
    let closed = last.len() >= length && last.chars().all(|c| c == mark);
    (!closed).then(|| super::excerpt(&mark.to_string().repeat(length)).into_owned())
}

impl<'a> Section<'a> {
    /// The body without blank lines around it.
    pub(super) fn text(&self) -> &'a str {
        self.body.trim_matches('\n').trim_end()
    }

    /// Whether there is anything in it.
    pub(super) fn is_empty(&self) -> bool {
        self.body.trim().is_empty()
    }

    /// Markdown events of the body with their place in it.
    pub(super) fn events(&self) -> OffsetIter<'a> {
        Parser::new(self.body).into_offset_iter()
    }

    /// Line in the file of a place in the body.
    pub(super) fn line_at(&self, offset: usize) -> u64 {
        self.body_line + newlines(&self.body.as_bytes()[..offset.min(self.body.len())])
    }

    /// All code blocks, in order.
    pub(super) fn code_blocks(&self) -> Vec<CodeBlock> {
        let mut blocks = Vec::new();
        let mut open: Option<CodeBlock> = None;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(info) => Some(language(&info)),
                        CodeBlockKind::Indented => None,
                    };
                    let line = self.line_at(range.start);
                    open = Some(CodeBlock {
                        language,
                        code: String::new(),
                        line,
                        range,
                    });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut open {
                        block.code.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }
}

/// The first word behind a fence: `python` of ```` ```python {.numbered} ````.
fn language(info: &str) -> String {
    let word = info
        .trim_start()
        .split(|c: char| c.is_whitespace() || c == '{' || c == ',')
        .next();
    word.unwrap_or_default().to_lowercase()
}

/// How many lines end in `bytes`.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

/// Turns rising offsets into line numbers in one pass over the text.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, first_line: u64) -> Self {
        Self {
            text,
            offset: 0,
            line: first_line,
        }
    }

    fn at(&mut self, offset: usize) -> u64 {
        if let Some(between) = self.text.get(self.offset..offset) {
            self.line += newlines(between.as_bytes());
            self.offset = offset;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<(u64, &str, &str)> {
        split(text, 1)
            .unwrap()
            .iter()
            .map(|s| (s.line, s.title, s.text()))
            .collect()
    }

    #[test]
    fn headings_split_with_their_lines() {
        assert_eq!(
            titles("# Name\n\n## Prompt\n\nDo it.\n\n##   Notes  ##  \nDone\n## C#\n"),
            [(3, "Prompt", "Do it."), (7, "Notes", "Done"), (9, "C#", "")]
        );
    }

    #[test]
    fn headings_inside_code_quotes_lists_and_comments_do_not_split() {
        for inside in [
            "```\n## Not\n```",
            "````\n```\n## Not\n```\n## Not\n````",
            "~~~\n```\n## Not\n~~~",
            "```md\n~~~\n## Not\n```",
            "para\n\n    ## Not",
            "> ## Not",
            "- a\n\n  ## Not",
            "<!--\n## Not\n-->",
            "### Not\n\n#### Not",
            "##Not",
            "####### Not",
            "\\## Not",
            "```\n``\n## Not\n ``` x\n```",
        ] {
            let text = format!("## Prompt\n\n{inside}\n\n## Notes\nend\n");
            assert_eq!(
                titles(&text).iter().map(|t| (t.1, t.2)).collect::<Vec<_>>(),
                [("Prompt", inside), ("Notes", "end")],
                "{inside}"
            );
        }
    }

    #[test]
    fn a_paragraph_over_dashes_is_no_section() {
        let text = "## Prompt\n\nPlan\n----\n\nand\nmore\n---\n\n## Notes\n";
        assert_eq!(titles(text)[0].2, "Plan\n----\n\nand\nmore\n---");
    }

    #[test]
    fn a_fence_without_end_is_an_error_at_its_line() {
        let error = split("## Prompt\n\ntext\n````py\n```\n\n## Notes\n", 10).unwrap_err();
        assert_eq!(
            error,
            (
                13,
                Problem::OpenFence {
                    fence: "````".to_owned()
                }
            )
        );
        let error = split("## Prompt\n```", 1).unwrap_err();
        assert_eq!(
            error,
            (
                2,
                Problem::OpenFence {
                    fence: "```".to_owned()
                }
            )
        );
        let error = split("## Prompt\n~~~\n```\n~~", 1).unwrap_err();
        assert_eq!(
            error,
            (
                2,
                Problem::OpenFence {
                    fence: "~~~".to_owned()
                }
            )
        );
    }

    #[test]
    fn code_blocks_keep_backticks_that_do_not_end_them() {
        let text = "## A\n\nsome `code`\n\n```Python title=\"x\"\nx = '```'\n```json\n    ``` not\n```\n\n- item\n\n  ~~~ py\n  y\n  ~~~\n";
        let sections = split(text, 1).unwrap();
        let blocks = sections[0].code_blocks();
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].language.as_deref(), Some("python"));
        assert_eq!(blocks[0].code, "x = '```'\n```json\n    ``` not\n");
        assert_eq!((blocks[0].line, blocks[1].line), (5, 13));
        assert_eq!(blocks[1].code, "y\n");
    }
}
