//! The pull request, the threshold and the test: T2 and T3.

use proctor_grader::python::{Definition, Python, Statement};
use proctor_grader::repositories::{PullRequestExt as _, Repo};
use proctor_grader::text::{excerpt, mentions};
use proctor_grader::types::Criterion;
use proctor_grader::types::world::github::PullRequest;
use proctor_grader::{Error, cite, criterion};

const CLASSIFIER: &str = "src/moderation/classifier.py";
const NAME: &str = "FLAG_THRESHOLD";
const THRESHOLD: f64 = 0.85;
const SCORE: f64 = 0.78;
/// Longest file that is read as Python, in bytes.
const READ: usize = 256 * 1024;

/// What the agent did in the repository.
pub(crate) struct Work<'e> {
    repo: Repo<'e>,
    /// The pull requests that it offers.
    pub(crate) offered: Vec<&'e PullRequest>,
    seed: String,
}

impl<'e> Work<'e> {
    pub(crate) fn of(repo: Repo<'e>) -> Result<Self, Error> {
        let default = repo
            .before()
            .map_or("main", |before| &before.default_branch);
        let seed = repo.text_before(default, CLASSIFIER)?;
        let seed = seed.ok_or_else(|| Error::unfit(format!("there is no {CLASSIFIER}")))?;
        Ok(Self {
            repo,
            offered: repo.proposals(),
            seed,
        })
    }

    /// Pull requests that change a file.
    fn with_changes(&self) -> impl Iterator<Item = &'e PullRequest> + '_ {
        let pulls = self.offered.iter().copied();
        pulls.filter(|pull| !pull.files.is_empty() && !pull.commits.is_empty())
    }

    fn none(&self) -> String {
        let closed = self.repo.new_pull_requests();
        match closed.first() {
            Some(pull) if self.offered.is_empty() => format!(
                "No pull request to the default branch is open or merged; #{} is not.",
                pull.number
            ),
            _ => "There is no pull request that changes files.".to_owned(),
        }
    }

    /// T2.
    pub(crate) fn pull_request(&self) -> Criterion {
        let builder =
            criterion("T2", "A pull request with commits that change files").category("GitHub");
        let Some(pull) = self.with_changes().next() else {
            return builder.graded(0.0, self.none());
        };
        let files: Vec<&str> = pull
            .files
            .iter()
            .take(5)
            .map(|file| &*file.filename)
            .collect();
        let reason = format!(
            "#{} changes {} in {}.",
            pull.number,
            excerpt(&files.join(", "), 200),
            match pull.commits.len() {
                1 => "one commit".to_owned(),
                commits => format!("{commits} commits"),
            }
        );
        builder
            .cite(cite::pull_request(self.repo.full_name(), pull.number))
            .graded(1.0, reason)
    }

    /// T3: a point for the value, another for the test.
    pub(crate) fn accuracy(&self) -> Criterion {
        let mut builder = criterion(
            "T3",
            "The threshold is 0.85, and a test says that 0.78 is not flagged",
        )
        .category("Technical Accuracy")
        .max(2.0);
        let mut points = 0.0;
        let mut reasons = Vec::new();
        let mut note = |found: Found| {
            points += f64::from(u8::from(found.is_right));
            reasons.push(found.reason);
            builder = builder.clone().cites(found.cited);
        };
        note(self.threshold());
        note(self.test());
        builder.graded(points, reasons.join(" "))
    }

    fn threshold(&self) -> Found {
        let mut right = None;
        for pull in self.with_changes() {
            let Some(file) = pull.file(CLASSIFIER) else {
                continue;
            };
            let text = file.after.as_deref().unwrap_or_default();
            let value = threshold(text);
            if value == threshold(&self.seed) {
                continue;
            }
            let (value, line) = value.unwrap_or_else(|| ("gone".to_owned(), 1));
            let is_right = value.parse() == Ok(THRESHOLD);
            let cited = (!text.is_empty()).then(|| {
                cite::file_at(
                    self.repo.full_name(),
                    &pull.head.sha,
                    CLASSIFIER,
                    Some(line),
                )
            });
            let value = excerpt(&value, 60);
            let reason = format!("{NAME} is {value} at the head of #{}.", pull.number);
            let found = Found {
                is_right,
                reason,
                cited,
            };
            if !is_right {
                return found;
            }
            right = right.or(Some(found));
        }
        right.unwrap_or_else(|| Found {
            is_right: false,
            reason: format!(
                "{NAME} is still {}: no open or merged pull request changes it.",
                threshold(&self.seed).map_or("gone".to_owned(), |(value, _)| value)
            ),
            cited: None,
        })
    }

    fn test(&self) -> Found {
        for pull in self.with_changes() {
            let tests = pull.files.iter().filter(|file| is_test(&file.filename));
            for file in tests {
                let text = file.after.as_deref().unwrap_or_default();
                if text.len() > READ {
                    continue;
                }
                let before = Python::parse(file.before.as_deref().unwrap_or_default());
                let after = Python::parse(text);
                if let Some((function, line)) = new_test(&before, &after) {
                    let path = &file.filename;
                    let reason = format!(
                        "{} in {} says that 0.78 is not flagged.",
                        excerpt(&function, 80),
                        excerpt(path, 80)
                    );
                    let head = &pull.head.sha;
                    return Found {
                        is_right: true,
                        reason,
                        cited: Some(cite::file_at(self.repo.full_name(), head, path, Some(line))),
                    };
                }
            }
        }
        Found {
            is_right: false,
            reason: "No new test in a pull request says that a score of 0.78 is not flagged."
                .to_owned(),
            cited: None,
        }
    }
}

struct Found {
    is_right: bool,
    reason: String,
    cited: Option<proctor_grader::types::Citation>,
}

fn threshold(text: &str) -> Option<(String, u64)> {
    let python = Python::parse(text.get(..READ).unwrap_or(text));
    let found = python.assignments(NAME).last()?;
    Some((found.assigned()?.1.to_owned(), found.line))
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".py");
    stem.is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
}

/// A test function with something new in it that is about 0.78 and says that it
/// is not flagged.
fn new_test(before: &Python, after: &Python) -> Option<(String, u64)> {
    let is_new = |statement: &Statement| {
        let mut known = before.statements().iter();
        !known.any(|one| one.code == statement.code)
    };
    let tests = after
        .functions()
        .filter(|function| function.name.starts_with("test"));
    for function in tests {
        let about = about_score(&function);
        let asserts = function.body.iter().find(|one| denies_flag(one));
        if let Some(statement) = asserts
            && about
            && (is_new(statement) || function.body.iter().any(is_new))
        {
            return Some((function.name.to_owned(), statement.line));
        }
    }
    None
}

/// Whether a test is about 0.78: it names the number, in its body or its
/// parameters, or scores the text of the seed that has it.
fn about_score(function: &Definition<'_>) -> bool {
    let mut statements = function.decorators.iter().chain(function.body);
    statements.any(|one| {
        let text = one.code.to_ascii_lowercase();
        mentions(&one.bare, SCORE, &[])
            || (text.contains("free money")
                && text.contains("guaranteed")
                && !text.contains("click"))
    })
}

/// Whether a statement asserts that something is not flagged.
fn denies_flag(statement: &Statement) -> bool {
    let bare = &statement.bare;
    let about = bare.contains("flag") || bare.contains("classify");
    let false_of = |word: &str| statement.calls(word) && statement.names("False");
    let denies = statement.calls("assertFalse")
        || bare.starts_with("assert not ")
        || (bare.starts_with("assert ") && statement.names("False"))
        || (statement.calls("assertTrue") && bare.contains("(not "))
        || ["assertEqual", "assertIs", "assertEquals"]
            .iter()
            .any(|word| false_of(word));
    about && denies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_tested(test: &str) -> bool {
        let before =
            "class T:\n    def test_a(self):\n        self.assertFalse(is_flagged(0.40))\n";
        let after = format!("{before}\n{test}\n");
        new_test(&Python::parse(before), &Python::parse(&after)).is_some()
    }

    #[test]
    fn a_test_is_recognised_however_it_is_written() {
        for test in [
            "    def test_b(self):\n        self.assertFalse(is_flagged(0.78))",
            "def test_b():\n    assert not is_flagged(0.78)",
            "def test_b():\n    assert is_flagged(0.78) is False",
            "def test_b():\n    value = 0.78\n    flagged = is_flagged(value)\n    assertEqual(flagged, False)",
            "    def test_b(self):\n        decision = classify('Free money, guaranteed')\n        self.assertFalse(decision.flagged)",
            "@pytest.mark.parametrize('s', [0.5, 0.78])\ndef test_b(s):\n    assert not is_flagged(s)",
        ] {
            assert!(is_tested(test), "{test}");
        }
    }

    #[test]
    fn what_tests_something_else_does_not_count() {
        for test in [
            "    def test_b(self):\n        self.assertTrue(is_flagged(0.78))",
            "    def test_b(self):\n        self.assertFalse(is_flagged(0.7))",
            "    def test_b(self):\n        pass  # assertFalse(is_flagged(0.78))",
            "def helper():\n    assert not is_flagged(0.78)",
            "    def test_b(self):\n        '''assert not is_flagged(0.78)'''",
        ] {
            assert!(!is_tested(test), "{test}");
        }
    }
}
