//! A grader that gives points which are no number.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    verdict.add(
        criterion("a", "A")
            .category("Test")
            .graded(f64::NAN, "Not a number."),
    );
    Ok(verdict)
}

proctor_grader::export!(grade);
