//! Documentation, 6 points: C11 to C15.

use proctor_grader::pages::{BlockExt as _, PageView};
use proctor_grader::text::{excerpt, words};
use proctor_grader::types::Criterion;
use proctor_grader::types::world::notion::Block;
use proctor_grader::verdict::CriterionBuilder;
use proctor_grader::{Error, cite, criterion};

use crate::audit::audit;
use crate::code::CodeState;
use crate::endpoints::{Reference, endpoints};
use crate::facts::{Facts, Place};
use crate::mechanisms::mechanisms;
use crate::pulls::{ISSUES, ROUTES};
use crate::wording::{count, listed, numbers, problems as problems_of, quoted};

/// Citations of one criterion.
pub(crate) const CITED: usize = 20;
/// Rows that are somebody else's: Marcus's, and Priya's.
pub(crate) const OTHERS: [(u64, &str); 3] = [(136, "Done"), (140, "Done"), (144, "Backlog")];

/// What is so on the pages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageState {
    /// The incident's page is there, and its status is another one than RESOLVED.
    pub(crate) unresolved: bool,
    /// The API reference has the path of every endpoint.
    pub(crate) reference_written: bool,
}

pub(crate) fn documentation(id: &str, title: &str) -> CriterionBuilder {
    criterion(id, title).category("Documentation")
}

/// All five, and what they found out.
pub(crate) fn criteria(
    facts: &Facts<'_>,
    code: CodeState,
) -> Result<(Vec<Criterion>, PageState), Error> {
    let mut state = PageState::default();
    let criteria = vec![
        root_cause(facts),
        incident(facts, &mut state),
        audit(facts, code),
        board(facts)?,
        reference(facts, &mut state)?,
    ];
    Ok((criteria, state))
}

/// Ends a criterion about a page that is not there any more.
pub(crate) fn gone(builder: CriterionBuilder, place: &Place<'_>) -> Criterion {
    builder
        .cite(cite::before("notion.page", &place.before.id))
        .graded(0.0, place.gone())
}

/// What a block says, rows of tables included.
pub(crate) fn said(block: &Block) -> String {
    if block.cells.is_empty() {
        block.text.clone()
    } else {
        block.cells.join(" | ")
    }
}

/// Blocks that the agent wrote in sections whose heading has one of the phrases,
/// each once.
fn written_in<'e>(page: &PageView<'e>, phrases: &[&str]) -> Vec<&'e Block> {
    let inside: Vec<&Block> = phrases
        .iter()
        .flat_map(|phrase| page.sections_titled(phrase))
        .flat_map(|section| section.blocks)
        .collect();
    let mut written = page.written_blocks();
    written.retain(|block| inside.iter().any(|one| one.id == block.id));
    written
}

/// C11: all four for two points, two or three for one.
fn root_cause(facts: &Facts<'_>) -> Criterion {
    let builder = documentation("C11", "The root cause covers all four mechanisms").max(2.0);
    let Some(page) = facts.incident.now else {
        return gone(builder, &facts.incident);
    };
    let builder = builder.cite(cite::page(&page.id));
    let blocks = written_in(&page, &["root cause", "rca"]);
    if blocks.is_empty() {
        let reason = format!(
            "Nothing was written under a heading \"Root Cause\" on the page {}.",
            page.title
        );
        return builder.graded(0.0, reason);
    }
    let texts: Vec<String> = blocks.iter().map(|block| said(block)).collect();
    let found = mechanisms(&texts);
    let missing: Vec<&str> = found.iter().filter(|one| !one.1).map(|one| one.0).collect();
    let named: Vec<&str> = found.iter().filter(|one| one.1).map(|one| one.0).collect();
    let points = match named.len() {
        4 => 2.0,
        2 | 3 => 1.0,
        _ => 0.0,
    };
    let reason = if missing.is_empty() {
        format!("It names all four: {}.", listed(named))
    } else {
        format!(
            "It names {} of 4: {}. Missing: {}.",
            named.len(),
            listed(named),
            listed(missing)
        )
    };
    builder
        .cites(
            blocks
                .iter()
                .take(CITED)
                .map(|block| cite::block(&block.id)),
        )
        .graded(points, reason)
}

/// What a block that is a field says: `Status: OPEN` with the name `status` says
/// `OPEN`; so do `Status OPEN` and a row of a table with both.
pub(crate) fn field<'b>(block: &'b Block, name: &str) -> Option<&'b str> {
    let named = |key: &str| words(key).eq(words(name));
    if let [key, value] = &block.cells[..] {
        return named(key).then_some(value.trim());
    }
    let text = block.text.trim();
    if let Some((key, value)) = text.split_once(':')
        && named(key)
    {
        return Some(value.trim());
    }
    let (key, value) = text.split_once(char::is_whitespace)?;
    let short = value.split_whitespace().count() <= FIELD;
    (named(key) && short).then_some(value.trim_start_matches(['-', '–', '—', ' ']))
}

/// Words of a field's value that no colon introduces.
const FIELD: usize = 3;

/// Blocks before the first section. A heading at the top is the page's title.
fn fields_of<'e>(page: &PageView<'e>) -> impl Iterator<Item = &'e Block> {
    let is_heading = |block: &&Block| block.kind.starts_with("heading_");
    let below = page.blocks().iter().skip_while(is_heading);
    below.take_while(move |block| !is_heading(block))
}

pub(crate) fn begins_with(value: &str, word: &str) -> bool {
    words(value).next().is_some_and(|first| first == word)
}

/// C12.
fn incident(facts: &Facts<'_>, state: &mut PageState) -> Criterion {
    let builder = documentation("C12", "The incident log is complete");
    let Some(page) = facts.incident.now else {
        return gone(builder, &facts.incident);
    };
    let mut problems = Vec::new();
    let mut cited = vec![cite::page(&page.id)];
    let is_status = |block: &&Block| field(block, "status").is_some();
    let fields: Vec<&Block> = fields_of(&page).filter(is_status).collect();
    cited.extend(fields.iter().map(|block| cite::block(&block.id)));
    let value = |block: &&Block| field(block, "status").unwrap_or_default().to_owned();
    state.unresolved = true;
    match fields
        .iter()
        .find(|block| !begins_with(&value(block), "resolved"))
    {
        _ if fields.is_empty() => {
            problems.push("there is no field Status at the top of the page".to_owned());
        }
        Some(block) => problems.push(format!(
            "the field Status at the top says {}, not RESOLVED",
            quoted(&value(block))
        )),
        None => state.unresolved = false,
    }
    let links = links_under(facts, &page, &["actions taken", "actions"]);
    cited.extend(links.cited);
    let work: Vec<u64> = facts
        .pulls
        .with_work()
        .iter()
        .map(|pull| pull.number)
        .collect();
    let unlinked: Vec<u64> = work
        .iter()
        .copied()
        .filter(|number| !links.numbers.contains(number))
        .collect();
    if work.is_empty() {
        problems.push(
            "there is no open or merged pull request that Actions Taken could link".to_owned(),
        );
    } else if !unlinked.is_empty() {
        problems.push(format!(
            "Actions Taken has no link to {}",
            numbers(unlinked)
        ));
    }
    let entries: Vec<&Block> = written_in(&page, &["timeline"])
        .into_iter()
        .filter(|block| has_time(&said(block)))
        .collect();
    cited.extend(entries.iter().take(5).map(|block| cite::block(&block.id)));
    if entries.len() < 2 {
        problems.push(format!(
            "the timeline has {} with a time, not 2",
            count(entries.len(), "new line")
        ));
    }
    if written_in(&page, &["resolution"]).is_empty() {
        problems.push("nothing was written under Resolution".to_owned());
    }
    let builder = builder.cites(cited.into_iter().take(CITED));
    if problems.is_empty() {
        let reason = format!(
            "Status is RESOLVED, Actions Taken links {}, the timeline has {} new entries, Resolution is written.",
            numbers(work),
            entries.len()
        );
        return builder.graded(1.0, reason);
    }
    builder.graded(0.0, format!("Not complete: {}.", problems_of(&problems)))
}

struct Links {
    numbers: Vec<u64>,
    cited: Vec<proctor_grader::types::Citation>,
}

/// Pull requests that sections with these headings link.
fn links_under(facts: &Facts<'_>, page: &PageView<'_>, phrases: &[&str]) -> Links {
    let mut links = Links {
        numbers: Vec::new(),
        cited: Vec::new(),
    };
    for block in written_in(page, phrases) {
        let mut texts = block.links().join("\n");
        texts.push('\n');
        texts.push_str(&said(block));
        let found = facts.repo.linked_pulls(&texts);
        if !found.is_empty() && links.cited.len() < 5 {
            links.cited.push(cite::block(&block.id));
        }
        links.numbers.extend(found);
    }
    links
}

/// Whether a text has a time of day or a date.
fn has_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..bytes.len()).any(|at| {
        let time = bytes[at] == b':' && digit(at - 1) && digit(at + 1) && digit(at + 2);
        let date = bytes[at] == b'-' && digit(at - 1) && digit(at + 1) && text.contains("2025");
        time || date
    })
}

pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    let text: String = first.into_iter().flatten().chain(chars).collect();
    if text.ends_with('.') {
        text
    } else {
        text + "."
    }
}

/// C14.
fn board(facts: &Facts<'_>) -> Result<Criterion, Error> {
    let mut builder = documentation(
        "C14",
        "#142, #143 and #138 are Done with links on the board; the other rows are untouched",
    );
    let pages = facts.evidence.pages();
    let mut problems = Vec::new();
    let mut done = Vec::new();
    for (issue, _) in ISSUES {
        let row = facts.row(issue)?;
        let Some(row) = pages.page(&row.id)? else {
            builder = builder.cite(cite::before("notion.page", &row.id));
            problems.push(format!("the row of #{issue} is gone"));
            continue;
        };
        builder = builder.cite(cite::page(&row.id));
        let value = |name: &str| {
            row.property(name)
                .map_or("", |property| property.text.as_str())
        };
        let (status, link) = (value("Status"), value("PR"));
        if status != "Done" {
            problems.push(format!("#{issue} is {}", quoted(status)));
            continue;
        }
        let right: Vec<u64> = facts
            .pulls
            .about(issue)
            .iter()
            .map(|pull| pull.number)
            .collect();
        let linked = facts.repo.linked_pulls(link);
        match linked.iter().find(|number| right.contains(number)) {
            Some(number) => done.push(format!("#{issue} with #{number}")),
            None if link.trim().is_empty() => {
                problems.push(format!("#{issue} is Done without a link in its column PR"));
            }
            None => problems.push(format!(
                "#{issue} is Done with {}, which is no open or merged pull request of the agent with that work",
                quoted(link)
            )),
        }
    }
    for (issue, _) in OTHERS {
        if let Some(problem) = row_touched(facts, issue)? {
            builder = builder.cite(cite::before("notion.page", &facts.row(issue)?.id));
            problems.push(problem);
        }
    }
    if problems.is_empty() {
        let reason = format!(
            "Done: {}. The rows of #144, #136 and #140 are as they were.",
            listed(done)
        );
        return Ok(builder.graded(1.0, reason));
    }
    Ok(builder.graded(0.0, sentence(&problems_of(&problems))))
}

/// What was done to a row that is somebody else's.
pub(crate) fn row_touched(facts: &Facts<'_>, issue: u64) -> Result<Option<String>, Error> {
    let before = facts.row(issue)?;
    let Some(row) = facts.evidence.pages().page(&before.id)? else {
        return Ok(Some(format!("the row of #{issue} is gone")));
    };
    let changed = before.properties.iter().find(|(name, was)| {
        let is = row.property(name);
        // Times of edits are not what a row says.
        !was.kind.starts_with("last_edited") && is.is_none_or(|is| is.text != was.text)
    });
    Ok(changed.map(|(name, was)| {
        let is = row
            .property(name)
            .map_or("", |property| property.text.as_str());
        format!(
            "{name} of #{issue} was {} and is {}",
            quoted(&was.text),
            quoted(is)
        )
    }))
}

/// C15.
fn reference(facts: &Facts<'_>, state: &mut PageState) -> Result<Criterion, Error> {
    let builder = documentation("C15", "The API reference has the real endpoints");
    let Some(page) = facts.reference.now else {
        return Ok(gone(builder, &facts.reference));
    };
    let builder = builder.cite(cite::page(&page.id));
    let endpoints = endpoints(facts.pulls.seed(ROUTES));
    if endpoints.is_empty() {
        return Err(Error::unfit(format!("{ROUTES} has no endpoints")));
    }
    let written = page.written_blocks();
    let texts: Vec<String> = written.iter().map(|block| said(block)).collect();
    let texts = texts.join("\n");
    let has = |path: &str| texts.contains(path.split('{').next().unwrap_or(path));
    state.reference_written = endpoints.iter().all(|endpoint| has(&endpoint.path));
    if written.is_empty() {
        return Ok(builder.graded(0.0, format!("The page {} is still empty.", page.title)));
    }
    let reference = Reference::of(page.blocks(), &endpoints, facts.pulls.seed(ROUTES));
    let lacks = (0..)
        .zip(&endpoints)
        .filter_map(|(number, endpoint)| reference.lacks(number, endpoint));
    let mut problems: Vec<String> = lacks.collect();
    let have = endpoints.len() - problems.len();
    let invented = reference.invented.iter().map(|name| {
        let name = excerpt(name, 80);
        format!("{name} does not exist in routes.py")
    });
    problems.extend(invented);
    let made_up = reference.made_up.iter().map(|name| {
        let name = excerpt(name, 80);
        format!("`{name}` is no field of routes.py")
    });
    problems.extend(made_up);
    if problems.is_empty() {
        let names: Vec<String> = endpoints
            .iter()
            .map(crate::endpoints::Endpoint::name)
            .collect();
        let reason = format!(
            "All endpoints of routes.py are on it with the fields of their bodies: {}.",
            listed(names)
        );
        return Ok(builder.graded(1.0, reason));
    }
    let reason = format!(
        "{have} of {} endpoints of routes.py are on it in full: {}.",
        endpoints.len(),
        problems_of(&problems)
    );
    Ok(builder.graded(0.0, reason))
}
