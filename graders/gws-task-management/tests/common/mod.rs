//! A trial of the task, action by action, as the journal and the world would
//! have it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses its part")]

use gws_task_management::grade;
use proctor_grader::testing::{self, Bundle};
use proctor_grader::types::journal::JournalEntry;
use proctor_grader::types::world::{Mail, Task, TaskStatus};
use proctor_grader::types::{Change, Criterion, Touch, View};
use proctor_grader::{Error, Verdict};

pub(crate) const PLANNING: &str = "mail-planning";
pub(crate) const REVIEW: &str = "mail-review";
pub(crate) const CI: &str = "mail-ci";
pub(crate) const TIMESHEET: &str = "mail-timesheet";
pub(crate) const PENDING: &str = "task-proposal";
pub(crate) const COMPLETED: &str = "task-docs";

/// A trial in the making.
#[derive(Clone)]
pub(crate) struct Trial {
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) mails: Vec<Mail>,
    pub(crate) before: Vec<Task>,
    pub(crate) after: Vec<Task>,
    pub(crate) bundle: Bundle,
}

/// Mails like those of the seed, in words of their own.
fn mails() -> Vec<Mail> {
    let mut timesheet = testing::mail(
        TIMESHEET,
        "Payroll <payroll@example.com>",
        "Reminder: submit your timesheet",
        "Hi Alex,\n\nplease submit your timesheet for this week by Friday noon.\n\nPayroll",
    );
    timesheet.label_ids = vec!["INBOX".to_owned()];
    vec![
        timesheet,
        testing::mail(
            PLANNING,
            "Dana Whitfield <dana@example.com>",
            "Q3 planning meeting on Thursday",
            "Hi Alex,\n\nwe meet on Thursday at 14:00 to plan Q3. Please bring the budget estimate \
             for your team and review the proposal beforehand.\n\nDana",
        ),
        testing::mail(
            REVIEW,
            "Samir Patel <samir@example.com>",
            "Code review request: PR #482 rate limiter",
            "Hi Alex,\n\ncould you review pull request #482? It adds a rate limiter to the API \
             gateway and blocks the release on Friday.\n\nSamir",
        ),
        testing::mail(
            CI,
            "Build Bot <ci@example.com>",
            "CI failed: build 1907 on main",
            "The pipeline failed on main after the last merge. Job integration-tests: \
             test_checkout_total timed out. Please fix it before the next deploy.",
        ),
    ]
}

fn seeded_tasks() -> Vec<Task> {
    let mut tasks = vec![
        testing::task(PENDING, "Review Q3 proposal", TaskStatus::NeedsAction),
        testing::task(COMPLETED, "Update documentation", TaskStatus::Completed),
    ];
    for task in &mut tasks {
        task.seeded = true;
    }
    tasks
}

impl Trial {
    /// An agent that has done nothing yet.
    pub(crate) fn new() -> Self {
        let tasks = seeded_tasks();
        Self {
            journal: Vec::new(),
            mails: mails(),
            before: tasks.clone(),
            after: tasks,
            bundle: Bundle::new(),
        }
    }

    /// An agent that did everything well.
    pub(crate) fn good() -> Self {
        let mut trial = Self::new();
        trial.list_tasks();
        trial.list_mails();
        for mail in [PLANNING, REVIEW, CI, TIMESHEET] {
            trial.read_mail(mail, View::Full);
        }
        trial.patch(COMPLETED, br#"{"status":"completed"}"#, &[]);
        trial.create(
            "new-1",
            "Prepare budget estimate for the Q3 planning meeting",
        );
        trial.create("new-2", "Review pull request #482 (rate limiter)");
        trial.create("new-3", "Fix failing integration test in CI build 1907");
        trial.summary(
            "# Task summary\n\n## Existing tasks\n- Review Q3 proposal (pending)\n- Update documentation\n\n\
             ## Created tasks\n\
             - Prepare budget estimate for the Q3 planning meeting\n  - Due: Thursday\n\
             - Review pull request #482 (rate limiter)\n\
             - Fix failing integration test in CI build 1907\n\n\
             ## Completed\n- Update documentation\n",
        )
    }

    pub(crate) fn request(&mut self, operation: &str) -> &mut JournalEntry {
        self.journal.push(testing::request(operation));
        self.journal.last_mut().unwrap()
    }

    /// A listing that shows every task there is at the moment.
    pub(crate) fn list_tasks(&mut self) -> &mut JournalEntry {
        let ids: Vec<String> = self.after.iter().map(|task| task.id.clone()).collect();
        let entry = self.request("tasks.tasks.list");
        entry.read = ids
            .iter()
            .map(|id| Touch::read("tasks.task", id, View::Full))
            .collect();
        entry
    }

    /// A listing of the inbox, which carries identifiers only.
    pub(crate) fn list_mails(&mut self) {
        let ids: Vec<String> = self.mails.iter().map(|mail| mail.id.clone()).collect();
        let entry = self.request("gmail.users.messages.list");
        entry.read = ids
            .iter()
            .map(|id| Touch::read("gmail.message", id, View::Reference))
            .collect();
    }

    pub(crate) fn read_mail(&mut self, id: &str, view: View) -> &mut JournalEntry {
        let entry = self.request("gmail.users.messages.get");
        entry.read.push(Touch::read("gmail.message", id, view));
        entry
    }

    /// An accepted patch whose body the journal kept. It does not change the
    /// world: do that beside it.
    pub(crate) fn patch(&mut self, id: &str, body: &[u8], fields: &[&str]) -> &mut JournalEntry {
        self.bundle = self.bundle.clone().body(body);
        let payload = testing::payload(body);
        let entry = self.request("tasks.tasks.patch");
        entry.request = payload;
        entry.changed.push(
            Touch::changed("tasks.task", id, Change::Updated)
                .within("list-1")
                .fields(fields.iter().copied()),
        );
        entry
    }

    /// A new task, through the API.
    pub(crate) fn create(&mut self, id: &str, title: &str) -> &mut Task {
        let entry = self.request("tasks.tasks.insert");
        entry
            .changed
            .push(Touch::changed("tasks.task", id, Change::Created).within("list-1"));
        self.after
            .push(testing::task(id, title, TaskStatus::NeedsAction));
        self.after.last_mut().unwrap()
    }

    /// A task as the agent left it.
    pub(crate) fn task(&mut self, id: &str) -> &mut Task {
        self.after.iter_mut().find(|task| task.id == id).unwrap()
    }

    #[must_use]
    pub(crate) fn summary(mut self, text: &str) -> Self {
        self.bundle = self.bundle.workspace("task_summary.md", text);
        self
    }

    pub(crate) fn frozen(&self) -> Bundle {
        let world = |tasks: &[Task]| {
            let world = testing::with_mail(testing::world(), self.mails.clone());
            testing::with_tasks(world, tasks.to_vec())
        };
        self.bundle
            .clone()
            .world(&world(&self.before), &world(&self.after))
            .journal(&self.journal)
    }

    pub(crate) fn try_grade(&self) -> Result<Verdict, Error> {
        grade(&self.frozen().evidence())
    }

    pub(crate) fn grade(&self) -> Verdict {
        self.try_grade().unwrap()
    }

    /// One criterion of the verdict.
    pub(crate) fn criterion(&self, id: &str) -> Criterion {
        self.grade().criterion(id).unwrap().clone()
    }
}

/// Points of a criterion.
pub(crate) fn points(criterion: &Criterion) -> f64 {
    criterion.points.unwrap()
}

/// Fails unless the criterion has these points and its reason this text.
#[track_caller]
pub(crate) fn assert_graded(criterion: &Criterion, expected: f64, reason: &str) {
    let got = points(criterion);
    assert!(
        (got - expected).abs() < 1e-9,
        "{got} instead of {expected}: {}",
        criterion.reason
    );
    assert!(
        criterion.reason.contains(reason),
        "no {reason:?} in {:?}",
        criterion.reason
    );
}

/// The citations as strings.
pub(crate) fn citations(criterion: &Criterion) -> Vec<String> {
    criterion
        .citations
        .iter()
        .map(ToString::to_string)
        .collect()
}
