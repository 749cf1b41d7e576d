//! A grader that counts one criterion twice.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    for _ in 0..2 {
        verdict.add(criterion("a", "A").category("Test").graded(1.0, "Twice."));
    }
    Ok(verdict)
}

proctor_grader::export!(grade);
