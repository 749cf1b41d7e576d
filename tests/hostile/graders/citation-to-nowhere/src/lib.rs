//! A grader that cites what is not in the bundle.

use proctor_grader::{Error, Evidence, Verdict, cite, criterion};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    verdict.add(
        criterion("a", "A")
            .category("Test")
            .cite(cite::journal(4_000_000_000))
            .graded(1.0, "Seen in an entry that does not exist."),
    );
    Ok(verdict)
}

proctor_grader::export!(grade);
