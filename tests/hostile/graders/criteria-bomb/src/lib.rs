//! A grader that decides a million things.

use proctor_grader::{Error, Evidence, Verdict, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    for n in 0..1_000_000 {
        verdict.add(
            criterion(format!("c{n}"), "C")
                .category("T")
                .graded(1.0, "Y"),
        );
    }
    Ok(verdict)
}

proctor_grader::export!(grade);
