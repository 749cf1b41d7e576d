//! Infrastructure, 4 points: C8 to C10.

use std::collections::BTreeSet;

use proctor_grader::types::world::github::{Commit, PullRequest};
use proctor_grader::types::{Citation, Criterion};
use proctor_grader::verdict::CriterionBuilder;
use proctor_grader::{cite, criterion};

use crate::conflict::overrides_limit;
use crate::facts::Facts;
use crate::mails::{Letter, Person};
use crate::manifest::{Value, values};
use crate::pulls::{ISSUES, K8S, MANIFEST, OOM, SECURITY, issues_of};
use crate::wording::{numbers, quoted};

const REPLICAS: &str = "5";
const MEMORY: &str = "4Gi";

/// What is so in the manifest that is offered.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ManifestState {
    pub(crate) replicas: bool,
    pub(crate) memory: bool,
}

fn infrastructure(id: &str, title: &str) -> CriterionBuilder {
    criterion(id, title).category("Infrastructure")
}

/// All three, and what they found out.
pub(crate) fn criteria(facts: &Facts<'_>) -> (Vec<Criterion>, ManifestState) {
    let mut state = ManifestState::default();
    let criteria = vec![
        replicas(facts, &mut state),
        memory(facts, &mut state),
        titles(facts),
    ];
    (criteria, state)
}

/// The only one of some values, or all of them.
fn only(found: &[Value]) -> Option<(String, u64)> {
    let first = found.first()?;
    let all: Vec<&str> = found.iter().map(|value| value.text.as_str()).collect();
    Some((all.join(", "), first.line))
}

/// How many replicas a manifest has. One in quotation marks is a text, which
/// Kubernetes refuses.
pub(crate) fn replicas_value(text: &str) -> Option<(String, u64)> {
    let mut found = values(text, &["spec", "replicas"]);
    // That of the deployment, not of its template.
    found.retain(|value| value.depth == 2);
    for value in found.iter_mut().filter(|value| value.quoted) {
        value.text = format!("\"{}\"", value.text);
    }
    only(&found)
}

/// The limit of memory of what runs: of containers, not of those that only
/// prepare.
pub(crate) fn memory_value(text: &str) -> Option<(String, u64)> {
    only(&values(
        text,
        &["containers", "resources", "limits", "memory"],
    ))
}

/// C8.
fn replicas(facts: &Facts<'_>, state: &mut ManifestState) -> Criterion {
    let settled = facts.pulls.settle(MANIFEST, REPLICAS, replicas_value);
    state.replicas = settled.is_right();
    let reason = settled.reason(&facts.pulls, MANIFEST, "spec.replicas", REPLICAS);
    infrastructure("C8", "The manifest has 5 replicas")
        .cites(settled.cited())
        .graded(f64::from(u8::from(state.replicas)), reason)
}

/// C9: a point for the value, another for telling Alex.
fn memory(facts: &Facts<'_>, state: &mut ManifestState) -> Criterion {
    let settled = facts.pulls.settle(MANIFEST, MEMORY, memory_value);
    state.memory = settled.is_right();
    let mut reason = settled.reason(&facts.pulls, MANIFEST, "limits.memory", MEMORY);
    let mut builder = infrastructure(
        "C9",
        "The memory limit is 4Gi, and Alex is told why not 3Gi",
    )
    .max(2.0)
    .cites(settled.cited());
    let mut points = f64::from(u8::from(state.memory));
    let to_alex = facts.mails.to(Person::Alex);
    let told = to_alex
        .letters
        .iter()
        .find_map(|letter| Some((letter, overrides_limit(letter)?)));
    let more = match told {
        _ if !state.memory => "His 3Gi was not overridden, so no mail can say so.".to_owned(),
        Some((letter, sentence)) => {
            builder = builder.cite(letter.cite());
            points += 1.0;
            format!(
                "The mail {} tells Alex: {}.",
                letter.subject(),
                quoted(&sentence)
            )
        }
        None if to_alex.letters.is_empty() => {
            builder = builder.cites(to_alex.cites_others());
            to_alex.none(Person::Alex)
        }
        None => {
            builder = builder.cites(to_alex.letters.iter().take(5).map(Letter::cite));
            "No mail to Alex says that his 3Gi was overridden.".to_owned()
        }
    };
    reason.push(' ');
    reason.push_str(&more);
    builder.graded(points, reason)
}

/// C10.
fn titles(facts: &Facts<'_>) -> Criterion {
    let builder = infrastructure(
        "C10",
        "Commit messages and titles of pull requests: type: description (#issue-number)",
    );
    let work = facts.pulls.with_work();
    if work.is_empty() {
        let reason = match facts.pulls.others.first() {
            Some(pull) => format!(
                "No pull request with work on the code is open or merged; #{} is not.",
                pull.number
            ),
            None => "There is no pull request with work on the code.".to_owned(),
        };
        return builder.graded(0.0, reason);
    }
    let cited: Vec<Citation> = work
        .iter()
        .take(20)
        .map(|pull| facts.pulls.cite_pull(pull))
        .collect();
    let builder = builder.cites(cited);
    for pull in &facts.pulls.offered {
        if let Err(problem) = titled(facts, pull) {
            let builder = builder.cite(facts.pulls.cite_pull(pull));
            return builder.graded(0.0, problem);
        }
    }
    let title_of = |issue: u64| {
        let mut about = facts.pulls.about(issue).iter();
        about.find(|pull| issue_of(&pull.title) == Some(issue))
    };
    for (issue, what) in [(OOM, "the OOM fix"), (SECURITY, "the security findings")] {
        if title_of(issue).is_none() {
            let reason = format!(
                "Two pull requests were asked for, and none with work on {what} has a title with (#{issue})."
            );
            return builder.graded(0.0, reason);
        }
    }
    if work.len() > 2 {
        let reason = format!(
            "Two pull requests were asked for, and {} have work: {}.",
            work.len(),
            numbers(work.iter().map(|pull| pull.number))
        );
        return builder.graded(0.0, reason);
    }
    let mut count = 0;
    for pull in &facts.pulls.offered {
        for commit in commits(facts, pull) {
            count += 1;
            if let Err(problem) = message(commit) {
                let cited = cite::commit(facts.repo.full_name(), &commit.sha);
                return builder.cite(cited).graded(0.0, problem);
            }
        }
    }
    let titles: Vec<String> = work.iter().map(|pull| quoted(&pull.title)).collect();
    let reason = format!(
        "Titles: {}. The messages of {count} commits have the same form, with the numbers of their issues.",
        titles.join(", ")
    );
    builder.graded(1.0, reason)
}

/// The agent's own commits in a pull request; merges and reverts are git's words.
fn commits<'e>(facts: &Facts<'e>, pull: &PullRequest) -> Vec<&'e Commit> {
    let listed: BTreeSet<&String> = pull.commits.iter().collect();
    let own = facts.repo.new_commits().filter(|commit| !commit.seeded);
    let by_git = |commit: &Commit| {
        let reverts = commit.message.starts_with("Revert \"")
            && commit.message.contains("This reverts commit ");
        reverts || commit.parents.len() > 1
    };
    own.filter(|commit| !by_git(commit) && listed.contains(&commit.sha))
        .collect()
}

fn titled(facts: &Facts<'_>, pull: &PullRequest) -> Result<(), String> {
    let number = pull.number;
    let title = quoted(&pull.title);
    let Some(issue) = issue_of(&pull.title) else {
        let problem = format!(
            "The title of #{number} is {title}, not of the form type: description (#issue-number)."
        );
        return Err(problem);
    };
    let mut right = Vec::new();
    for wanted in [OOM, SECURITY, K8S] {
        let about = facts.pulls.about(wanted);
        if about.iter().any(|one| one.number == number) {
            right.push(wanted);
        }
    }
    // The manifest goes into one of the two, which keeps its number.
    let fits = match right.first() {
        Some(first) => issue == *first || (issue != K8S && right.contains(&issue)),
        None => is_own(issue),
    };
    if fits {
        return Ok(());
    }
    let wanted = right.first().copied().unwrap_or(OOM);
    Err(format!(
        "The title of #{number} is {title}; what it changes belongs to #{wanted}."
    ))
}

fn message(commit: &Commit) -> Result<(), String> {
    let first = commit.message.lines().next().unwrap_or_default();
    let short = commit.sha.get(..7).unwrap_or(&commit.sha);
    let Some(issue) = issue_of(first) else {
        return Err(format!(
            "The message of commit {short} is {}, not of the form type: description (#issue-number).",
            quoted(first)
        ));
    };
    let mut right = commit
        .files
        .iter()
        .flat_map(|file| issues_of(&file.filename))
        .peekable();
    let fits = if right.peek().is_some() {
        right.any(|one| one == issue)
    } else {
        is_own(issue)
    };
    if fits {
        return Ok(());
    }
    Err(format!(
        "The message of commit {short} is {}, and what it changes belongs to another issue.",
        quoted(first)
    ))
}

fn is_own(issue: u64) -> bool {
    ISSUES.iter().any(|(own, _)| *own == issue)
}

/// The issue of a line of the form `type: description (#issue-number)`.
pub(crate) fn issue_of(line: &str) -> Option<u64> {
    let line = line.trim_end();
    let (kind, rest) = line.split_once(": ")?;
    let is_type = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_lowercase());
    let (description, number) = rest.strip_suffix(')')?.rsplit_once(" (#")?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_type && digits && !description.trim().is_empty())
        .then(|| number.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::issue_of;

    #[test]
    fn the_form_is_exact() {
        assert_eq!(issue_of("fix: stop the leak (#142)"), Some(142));
        assert_eq!(issue_of("chore: a (b) c: d (#138)"), Some(138));
        for other in [
            "Fix: stop the leak (#142)",
            "fix stop the leak (#142)",
            "fix: stop the leak #142",
            "fix: stop the leak (142)",
            "fix:stop the leak (#142)",
            "fix: (#142)",
            "fix: stop the leak (#142).",
            "fix: stop the leak (#142, #138)",
            "#142: stop the leak",
            "fix: stop the leak(#142)",
            "",
        ] {
            assert_eq!(issue_of(other), None, "{other}");
        }
    }
}
