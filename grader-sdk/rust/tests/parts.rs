//! What an agent offers in a repository, and how pages are divided.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proctor_grader::testing::{self, Bundle, Repo};
use proctor_grader::types::world::github::State;
use proctor_grader::types::world::notion::Block;

#[test]
fn proposals_are_new_pull_requests_that_stand_and_go_to_the_default_branch() {
    let mut seed = Repo::new("acme/hydra", &[("a", "1\n")]);
    seed.commit("old", "old (#1)", &[("a", Some("0\n"))]);
    seed.pull_request("old", "old (#1)");
    let mut after = seed.clone();
    for branch in ["open", "closed", "merged", "elsewhere"] {
        after.commit(branch, branch, &[("a", Some(branch))]);
        after.pull_request(branch, branch);
    }
    let pulls = &mut after.repository.pull_requests;
    (pulls[2].state, pulls[3].state) = (State::Closed, State::Closed);
    pulls[3].merged = true;
    pulls[4].base.name = "old".to_owned();
    let evidence = Bundle::new().repositories(&[seed], &[after]).evidence();
    let repo = evidence.repositories().get("hydra").unwrap();
    let titles: Vec<&str> = repo.proposals().iter().map(|pull| &*pull.title).collect();
    assert_eq!(titles, ["open", "merged"]);
    let text = "https://github.com/Acme/Hydra/pull/12/files, https://github.com/acme/hydra/pull/3 \
                /acme/hydra/pull/12 /acme/hydra/pull/x /acme/other/pull/9 \
                /acme/hydra/pull/99999999999999999999999";
    assert_eq!(repo.linked_pulls(text), [12, 3]);
}

#[test]
fn sections_of_a_page_go_by_headings_and_written_blocks_by_what_they_say() {
    let before = testing::page(
        "p",
        &["P"],
        "Status: OPEN\n# One\na\n## Two\nb\n# Three\nc\n",
    );
    let after = testing::page(
        "p",
        &["P"],
        "Status: DONE\n# One\na\n## Two\nnew\nb\n# Three\n- c\n| x | y |\n",
    );
    let evidence = Bundle::new().pages(&[before], &[after]).evidence();
    let page = evidence.pages().at("P").unwrap().unwrap();
    let texts = |blocks: &[Block]| -> Vec<String> {
        blocks.iter().map(|block| block.text.clone()).collect()
    };
    let sections: Vec<(&str, usize)> = page
        .sections()
        .map(|section| (&*section.heading.text, section.blocks.len()))
        .collect();
    assert_eq!(sections, [("One", 4), ("Two", 2), ("Three", 3)]);
    assert_eq!(texts(page.preamble()), ["Status: DONE"]);
    assert_eq!(page.sections_titled("two").count(), 1);
    let written: Vec<&str> = page
        .written_blocks()
        .iter()
        .map(|block| &*block.text)
        .collect();
    assert_eq!(written, ["Status: DONE", "new", ""]);

    let before = testing::page("p", &["P"], "a\n");
    let mut after = before.clone();
    after.blocks.push(Block {
        kind: "bookmark".to_owned(),
        content: serde_json::json!({"url": "https://github.com/acme/hydra/pull/1"}),
        ..Block::default()
    });
    after.blocks.push(Block {
        kind: "divider".to_owned(),
        ..Block::default()
    });
    let evidence = Bundle::new().pages(&[before], &[after]).evidence();
    let page = evidence.pages().at("P").unwrap().unwrap();
    let kinds: Vec<&str> = page
        .written_blocks()
        .iter()
        .map(|block| &*block.kind)
        .collect();
    assert_eq!(kinds, ["bookmark"]);
}
