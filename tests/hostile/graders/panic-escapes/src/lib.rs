//! A grader that has something for the terminal of whoever reads its last
//! words, and tries to look like a line of the runner.

use proctor_grader::{Error, Evidence, Verdict, log};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    log::info("\u{1b}[2J\u{1b}]0;owned\u{7} all is well \u{202e}1.0");
    panic!("\u{1b}[2K\rscore 1.0 \u{1b}]8;;http://example.com\u{7}passed\u{9b}31m\u{2066}");
}

proctor_grader::export!(grade);
