//! A grader that logs four billion bytes, and would then give full points.

use proctor_grader::{Error, Evidence, Verdict, criterion, log};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let line = "x".repeat(1 << 20);
    for _ in 0..4096 {
        log::info(&line);
    }
    let mut verdict = Verdict::new();
    verdict.add(criterion("a", "A").category("Test").graded(1.0, "Logged."));
    Ok(verdict)
}

proctor_grader::export!(grade);
