//! The audit's page: C13.

use proctor_grader::cite;
use proctor_grader::pages::PageView;
use proctor_grader::types::Criterion;
use proctor_grader::types::world::notion::Block;

use crate::code::CodeState;
use crate::documentation::{CITED, begins_with, documentation, field, gone, said, sentence};
use crate::facts::Facts;
use crate::manifest;
use crate::pulls::{DOCKERFILE, MANIFEST};
use crate::wording::{problems as problems_of, quoted};

/// C13.
pub(crate) fn audit(facts: &Facts<'_>, code: CodeState) -> Criterion {
    let builder = documentation(
        "C13",
        "SEC-004 and SEC-011 are Remediated; SEC-017 and SEC-022 are untouched",
    );
    let Some(page) = facts.audit.now else {
        return gone(builder, &facts.audit);
    };
    let mut cited = vec![cite::page(&page.id)];
    let mut problems = Vec::new();
    for (finding, fixed, criterion) in [
        ("SEC-004", code.key_gone, "C5"),
        ("SEC-011", code.debug_gated, "C6"),
    ] {
        let blocks = statuses(&page, finding);
        cited.extend(blocks.iter().take(3).map(|block| cite::block(&block.id)));
        let value = |block: &Block| field(block, "status").unwrap_or(&block.text).to_owned();
        let wrong = |block: &&&Block| !begins_with(&value(block), "remediated");
        if blocks.is_empty() {
            problems.push(format!("{finding} has no status"));
        } else if let Some(block) = blocks.iter().find(wrong) {
            problems.push(format!(
                "the status of {finding} says {}, not Remediated",
                quoted(&value(block))
            ));
        } else if !fixed {
            problems.push(format!(
                "{finding} says Remediated, and is not (see {criterion})"
            ));
        }
    }
    for finding in ["SEC-017", "SEC-022"] {
        if let Some(problem) = touched_on_page(&page, finding) {
            problems.push(problem);
        }
    }
    problems.extend(touched_in_code(facts));
    let builder = builder.cites(cited.into_iter().take(CITED));
    if problems.is_empty() {
        let reason = "SEC-004 and SEC-011 are marked Remediated where their status stands; \
                      SEC-017 and SEC-022 are as they were, on the page and in the code.";
        return builder.graded(1.0, reason);
    }
    builder.graded(0.0, sentence(&problems_of(&problems)))
}

/// The blocks of a finding's section that say its status. To-dos that somebody
/// added beside it are none.
fn statuses<'e>(page: &PageView<'e>, finding: &str) -> Vec<&'e Block> {
    let sections = page.sections_titled(finding);
    let blocks = sections.flat_map(|section| section.blocks);
    let (fields, others): (Vec<&Block>, Vec<&Block>) =
        blocks.partition(|block| field(block, "status").is_some());
    if !fields.is_empty() {
        return fields;
    }
    let is_to_do = |block: &&Block| block.kind == "to_do";
    others.into_iter().filter(is_to_do).collect()
}

/// What was done to a deferred finding on the page.
fn touched_on_page(page: &PageView<'_>, finding: &str) -> Option<String> {
    let before = page.before()?;
    let was = section_of(&before.blocks, finding);
    let is = section_of(&page.page().blocks, finding);
    let same = |one: &&Block, other: &&Block| {
        one.text.trim() == other.text.trim()
            && one.checked == other.checked
            && one.cells == other.cells
    };
    for block in &was {
        if !is.iter().any(|one| same(one, block)) {
            return Some(format!(
                "{finding} was touched: {} is not there as it was",
                quoted(&said(block))
            ));
        }
    }
    let added = is.iter().find(|block| {
        let is_new = !was.iter().any(|one| same(one, block));
        is_new && (block.kind == "to_do" || field(block, "status").is_some())
    });
    added.map(|block| format!("{finding} was touched: it has {} now", quoted(&said(block))))
}

/// Blocks of the section of a finding, its heading included.
fn section_of<'b>(blocks: &'b [Block], finding: &str) -> Vec<&'b Block> {
    let is_heading = |block: &&Block| block.kind.starts_with("heading_");
    let mut inside = blocks
        .iter()
        .skip_while(|block| !(is_heading(block) && block.text.contains(finding)));
    let heading = inside.next();
    let below = inside.take_while(|block| !is_heading(block));
    heading.into_iter().chain(below).collect()
}

/// Work on deferred findings in what is offered.
pub(crate) fn touched_in_code(facts: &Facts<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    let seeded = manifest::key(facts.pulls.seed(MANIFEST), "securityContext").is_some();
    for change in facts.pulls.changing(MANIFEST) {
        if !seeded && manifest::key(&change.text, "securityContext").is_some() {
            problems.push(format!(
                "#{} adds a securityContext (SEC-017, deferred)",
                change.pull.number
            ));
        }
    }
    let images = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| line.to_ascii_uppercase().starts_with("FROM "))
            .map(str::to_owned)
            .collect()
    };
    let seed = images(facts.pulls.seed(DOCKERFILE));
    for change in facts.pulls.changing(DOCKERFILE) {
        if images(&change.text) != seed {
            problems.push(format!(
                "#{} changes the base image (SEC-022, deferred)",
                change.pull.number
            ));
        }
    }
    problems
}
