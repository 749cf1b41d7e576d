//! A grader that hands the host a hundred million bytes.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    let reason = "x".repeat(100_000_000);
    verdict.add(criterion("a", "A").category("Test").graded(1.0, reason));
    Ok(verdict)
}

proctor_grader::export!(grade);
