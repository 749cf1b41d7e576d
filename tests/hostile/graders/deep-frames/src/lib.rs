//! A grader that calls itself without end, and keeps something in its memory each
//! time: that runs out before the stack does.

use std::hint::black_box;

use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    Err(Error::unfit(format!("{}", deeper(&[0; 16]))))
}

#[allow(unconditional_recursion, reason = "it is what this grader is for")]
fn deeper(above: &[u64; 16]) -> u64 {
    let mut here = black_box(*above);
    here[0] += 1;
    deeper(&here) + here[15]
}

proctor_grader::export!(grade);
