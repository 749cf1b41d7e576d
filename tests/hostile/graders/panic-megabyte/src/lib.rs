//! A grader whose last words are a megabyte long.

use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    panic!("{}", "much ado ".repeat(120_000));
}

proctor_grader::export!(grade);
