//! The row of the board: T4 and T5.

use proctor_grader::pages::{BlockExt as _, PageView};
use proctor_grader::repositories::Repo;
use proctor_grader::text::{excerpt, mentions};
use proctor_grader::types::Criterion;
use proctor_grader::types::world::notion::Page;
use proctor_grader::{Error, Evidence, cite, criterion};

const GONE: &str = "The row of #7 is in the trash; another one does not take its place.";

/// T4.
pub(crate) fn status(evidence: &Evidence, row: &Page) -> Result<Criterion, Error> {
    let builder = criterion("T4", "The task is Done on the Sprint 4 page").category("Notion");
    let Some(now) = evidence.pages().page(&row.id)? else {
        let builder = builder.cite(cite::before("notion.page", &row.id));
        return Ok(builder.graded(0.0, GONE));
    };
    let status = now
        .property("Status")
        .map_or("", |status| status.text.as_str());
    let is_done = status == "Done";
    let reason = format!("The status of #7 is \"{}\".", excerpt(status, 60));
    Ok(builder
        .cite(cite::page(&now.id))
        .graded(f64::from(u8::from(is_done)), reason))
}

/// T5.
pub(crate) fn cause(evidence: &Evidence, repo: &Repo<'_>, row: &Page) -> Result<Criterion, Error> {
    let builder = criterion(
        "T5",
        "Notion has the root cause, 0.70 for 0.85, and the link to the pull request",
    )
    .category("Documentation");
    let pages = evidence.pages();
    let Some(now) = pages.page(&row.id)? else {
        let builder = builder.cite(cite::before("notion.page", &row.id));
        return Ok(builder.graded(0.0, GONE));
    };
    let mut written = said(&now);
    let mut builder = builder.cite(cite::page(&now.id));
    if let Some(sprint) = pages.at("Sprint Tracker / Sprint 4")?
        && sprint.before().is_some()
        && !sprint.written_blocks().is_empty()
    {
        builder = builder.cite(cite::page(&sprint.id));
        written.push_str(&said(&sprint));
    }
    let offered = repo.proposals();
    let links = repo.linked_pulls(&written);
    let linked = offered.iter().find(|pull| links.contains(&pull.number));
    let mut missing = Vec::new();
    for (value, name) in [(0.7, "0.70"), (0.85, "0.85")] {
        if !mentions(&written, value, &[]) {
            missing.push(format!("nothing names {name}"));
        }
    }
    match linked {
        Some(pull) if missing.is_empty() => {
            let reason = format!("The row says 0.70 and 0.85, and links #{}.", pull.number);
            return Ok(builder.graded(1.0, reason));
        }
        Some(_) => {}
        None if links.is_empty() => missing.push("there is no link to a pull request".to_owned()),
        None => missing.push(format!(
            "#{} is no open or merged pull request of the agent",
            links[0]
        )),
    }
    let reason = format!("On row and page of #7, {}.", missing.join("; "));
    Ok(builder.graded(0.0, reason))
}

/// What the agent wrote on a page: properties, blocks with their links,
/// comments.
fn said(page: &PageView<'_>) -> String {
    let mut said = String::new();
    let mut add = |text: &str| {
        said.push_str(text);
        said.push('\n');
    };
    for (name, property) in &page.properties {
        let before = page.before().and_then(|before| before.properties.get(name));
        if before.is_none_or(|before| before.text != property.text) {
            add(&property.text);
            add(&property.value.to_string());
        }
    }
    for block in page.written_blocks() {
        add(&block.text);
        add(&block.cells.join(" "));
        add(&block.links().join(" "));
    }
    for comment in page.comments.iter().filter(|comment| !comment.seeded) {
        add(&comment.text);
    }
    said
}
