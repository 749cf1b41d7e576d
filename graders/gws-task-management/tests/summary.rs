//! `task_summary.md`: what it names must be there, and what it claims must
//! have happened.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{COMPLETED, Trial, assert_graded, citations};
use proctor_grader::types::Criterion;

fn graded(trial: &Trial) -> Criterion {
    trial.criterion("summary_created")
}

/// The good agent with another summary.
fn with(text: &str) -> Criterion {
    graded(&Trial::good().summary(text))
}

#[test]
fn missing_blank_and_refused_files_earn_nothing() {
    assert_graded(&graded(&Trial::new()), 0.0, "There is no task_summary.md");
    for blank in ["", " \n\t\n", "---\n***\n"] {
        assert_graded(&with(blank), 0.0, "is blank");
    }
    let mut linked = Trial::new();
    linked.bundle = linked.bundle.symlink("task_summary.md", "/etc/passwd");
    assert_graded(&graded(&linked), 0.0, "a symbolic link is never followed");
}

#[test]
fn each_quarter_is_for_its_own_kind_of_task() {
    assert_graded(
        &with("I did what you asked."),
        0.0,
        "names 0 of 2 found tasks",
    );
    let found = "Existing:\n- Review Q3 proposal\n- Update documentation\n";
    assert_graded(&with(found), 0.5, "names 0 of 1 completed task");
    let completed = "Existing:\n- Review Q3 proposal\n- Update documentation (completed)\n";
    assert_graded(&with(completed), 0.75, "names 0 of 3 created tasks");
    let one = format!("{completed}\nCreated:\n- Review pull request #482 (rate limiter)\n");
    let criterion = with(&one);
    assert_graded(
        &criterion,
        0.75 + 0.25 / 3.0,
        "names 1 of 3 created tasks, but not “Prepare",
    );
    assert_eq!(
        citations(&criterion),
        [
            "workspace:task_summary.md",
            "workspace:task_summary.md:2",
            "workspace:task_summary.md:3",
            "workspace:task_summary.md:6",
        ]
    );
}

#[test]
fn layouts_that_agents_use_are_understood() {
    for text in [
        "**Found:** Review Q3 proposal, Update documentation\n\n**Created:** Prepare budget estimate for the Q3 planning meeting; Review pull request #482 (rate limiter); Fix failing integration test in CI build 1907\n\n**Completed:** Update documentation\n",
        "| Task | Status |\n|---|---|\n| Review Q3 proposal | pending |\n| Update documentation | ✅ completed |\n\n## New tasks (3)\n| Title | Source |\n|---|---|\n| Prepare budget estimate for the Q3 planning meeting | Dana |\n| Review pull request #482 (rate limiter) | Samir |\n| Fix failing integration test in CI build 1907 | CI |\n",
        "1. Review Q3 proposal\n2. [x] Update documentation\n\nI created 3 tasks:\n\n* *Prepare the budget estimate for Q3 planning meeting*\n    * from: Dana, about the Q3 planning meeting\n* Review pull request 482, rate limiter\n* Fix failing integration test in CI build #1907\n",
        "# Task Summary\n## Tasks Found\n- **Review Q3 proposal** – needsAction\n- **Update documentation** – completed\n## Tasks Created From Emails\n1. **Prepare budget estimate for the Q3 planning meeting**\n   - Source: Dana Whitfield, \"Q3 planning meeting on Thursday\"\n   - Due: Thursday\n2. **Review pull request #482 (rate limiter)**\n   - Source: Samir Patel\n3. **Fix failing integration test in CI build 1907**\n## Tasks Completed\n- **Update documentation** marked as done\n",
    ] {
        assert_graded(&with(text), 1.0, "names 3 of 3 created tasks");
    }
}

#[test]
fn creations_that_did_not_happen_earn_nothing_and_cost_the_first_quarter() {
    let mut trial = Trial::good();
    trial.after.truncate(2);
    // The file of the good agent, in a world without the new tasks.
    let criterion = graded(&trial);
    assert_graded(
        &criterion,
        0.5,
        "says that a task was created, but there is no new task",
    );
    assert!(
        criterion
            .reason
            .contains("No task was created that it could name")
    );
    for claim in [
        "I created 3 tasks from the emails.",
        "Created: 3",
        "Added tasks for everything.",
        "## New tasks\n\n- Write to Dana\n",
        "Created a reminder for the Q3 planning meeting.",
    ] {
        let text = format!("Review Q3 proposal, Update documentation (done)\n\n{claim}\n");
        assert_graded(
            &graded(&trial.clone().summary(&text)),
            0.5,
            "there is no new task",
        );
    }
}

#[test]
fn a_single_invented_creation_beside_real_ones_is_found() {
    let mut trial = Trial::good();
    trial.after.retain(|task| task.id != "new-3");
    assert_graded(
        &graded(&trial),
        0.75,
        "created for “CI failed: build 1907 on main”",
    );
}

#[test]
fn saying_that_nothing_was_created_is_no_claim() {
    let mut trial = Trial::good();
    trial.after.truncate(2);
    for honest in [
        "No tasks were created.",
        "Created: none",
        "Created tasks:\n- None\n",
        "Tasks created: 0",
        "## Created\n\nNothing.\n",
        "I was unable to create the tasks; none was created.",
        "This file was created on 2026-01-05.",
    ] {
        let text = format!("Review Q3 proposal, Update documentation (done)\n\n{honest}\n");
        assert_graded(
            &graded(&trial.clone().summary(&text)),
            0.75,
            "No task was created",
        );
    }
}

#[test]
fn titles_that_the_agent_was_never_shown_earn_nothing() {
    // The titles stand in the public task document: naming them proves nothing.
    let cheat = Trial::new().summary(
        "Found: Review Q3 proposal, Update documentation\n\
         Created: Prepare for Q3 planning meeting, Review code, Fix CI\n\
         Completed: Update documentation\n",
    );
    let verdict = cheat.grade();
    for criterion in verdict.criteria() {
        assert_graded(criterion, 0.0, "");
    }
    let criterion = graded(&cheat);
    assert_graded(&criterion, 0.0, "which the agent was never shown");
}

#[test]
fn a_summary_that_names_nothing_earns_nothing() {
    for text in ["I could not reach the service. Nothing was done.\n", "x"] {
        for trial in [Trial::new(), Trial::good()] {
            assert_graded(
                &graded(&trial.summary(text)),
                0.0,
                "names no task that was found, created or completed",
            );
        }
    }
}

#[test]
fn only_text_is_a_summary() {
    let text = "Found: Review Q3 proposal, Update documentation (done)\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    // Bytes of a linear congruential generator: the same every time.
    let random = (0..4096_u32).scan(1_u32, |state, _| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(state.to_be_bytes()[0])
    });
    let random: Vec<u8> = random.collect();
    let hidden = [text.as_bytes(), &random].concat();
    for bytes in [utf16, random, hidden, vec![0; 100], vec![0xff; 100]] {
        let mut trial = Trial::good();
        trial.bundle = trial.bundle.workspace("task_summary.md", bytes);
        assert_graded(&graded(&trial), 0.0, "is not text in UTF-8");
    }
    // One stray byte does not keep a text from being one.
    let stray = [text.as_bytes(), b"For Jonas M\xfcller.\n"].concat();
    let mut trial = Trial::good();
    trial.bundle = trial.bundle.workspace("task_summary.md", stray);
    assert_graded(&graded(&trial), 0.75, "names 2 of 2 found tasks");
}

#[test]
fn a_long_text_that_is_cut_inside_a_character_is_text() {
    let text = "Found: Review Q3 proposal, Update documentation (done)\nMüller ü";
    for padding in 0..2 {
        let text = format!("{}{text}{}", "x".repeat(padding), "ü".repeat(40_000));
        assert_graded(&with(&text), 0.75, "Only its first 65536 bytes");
    }
}

#[test]
fn a_completed_task_has_to_be_completed() {
    let mut trial = Trial::good();
    trial.task(COMPLETED).deleted = true;
    assert_graded(&graded(&trial), 0.75, "No completed task was seen");
}
