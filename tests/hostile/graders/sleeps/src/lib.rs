//! A grader that sleeps for an hour.

use proctor_grader::{Error, Evidence, Verdict};

fn grade(_: &Evidence) -> Result<Verdict, Error> {
    std::thread::sleep(std::time::Duration::from_hours(1));
    Err(Error::unfit("slept well"))
}

proctor_grader::export!(grade);
