//! A grader that panics. Its last words belong into the error message.

use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    panic!("the grader's own last words");
}

proctor_grader::export!(grade);
