//! A grader that gives more points than there are.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    verdict.add(
        criterion("a", "A")
            .category("Test")
            .max(1.0)
            .graded(1.5, "More than all."),
    );
    Ok(verdict)
}

proctor_grader::export!(grade);
