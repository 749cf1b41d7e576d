//! A grader that asks for files that are not in its bundle, in every way a path
//! can be written. It would give full points for any that it gets.

use proctor_grader::{Error, Evidence, Verdict, criterion};

const PATHS: &[&str] = &[
    "/etc/passwd",
    "../../../../../../etc/passwd",
    "workspace/../../../../../../etc/passwd",
    "workspace/../task.json",
    "workspace//summary.md",
    "./task.json",
    "workspace/summary.md/",
    "workspace",
    "",
    "manifest.json",
    "/proc/self/environ",
    "workspace/link",
    "workspace/link/passwd",
    "../other/evidence/task.json",
    "task.json\0.txt",
    "~/.ssh/id_ed25519",
    "file:///etc/passwd",
    "\\\\host\\share",
];

fn grade(evidence: &Evidence) -> Result<Verdict, Error> {
    let mut verdict = Verdict::new();
    for path in PATHS {
        let got = evidence.read(path).is_ok()
            || evidence.read_range(path, 0, 10).is_ok()
            || evidence.stat(path).is_some();
        if got {
            verdict.add(criterion("a", "A").category("Test").graded(1.0, *path));
            return Ok(verdict);
        }
    }
    Err(Error::unfit(format!(
        "none of {} paths led outside",
        PATHS.len()
    )))
}

proctor_grader::export!(grade);
