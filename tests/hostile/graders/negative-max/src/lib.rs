//! A grader with a criterion whose maximum is below zero.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    verdict.add(
        criterion("a", "A")
            .category("Test")
            .max(-1.0)
            .graded(-1.0, "Below nothing."),
    );
    Ok(verdict)
}

proctor_grader::export!(grade);
