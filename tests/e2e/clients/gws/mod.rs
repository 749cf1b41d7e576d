//! The `gws` command line.

mod errors;
mod helpers;
mod mailbox;
mod reading;
mod tasks;

use serde_json::{Value, json};

use super::play::Call;

/// Parameters of the account's own mailbox, and more.
fn me(more: Value) -> Value {
    let mut params = json!({"userId": "me"});
    if let (Some(all), Value::Object(more)) = (params.as_object_mut(), more) {
        all.extend(more);
    }
    params
}

/// What these tests are for: a client is served well when it is used in all the
/// ways it has.
#[test]
fn the_tables_have_more_than_a_hundred_different_calls_and_every_method() {
    let tables = [
        reading::calls(),
        reading::searches(),
        mailbox::calls(),
        tasks::calls(),
        errors::calls(),
        helpers::calls(),
    ];
    let mut lines: Vec<String> = tables
        .iter()
        .flatten()
        .map(|call: &Call| call.line().to_owned())
        .collect();
    lines.sort();
    lines.dedup();
    assert!(lines.len() > 100, "{}", lines.len());
    for word in METHODS.split_whitespace().chain(HELPERS.split_whitespace()) {
        let words = format!("gws {} ", word.replace('.', " "));
        assert!(
            lines.iter().any(|line| format!("{line} ").contains(&words)),
            "nothing calls `{words}`"
        );
    }
}

/// Every method of the two services that gws can call.
const METHODS: &str = "\
    gmail.users.getProfile \
    gmail.users.drafts.create gmail.users.drafts.delete gmail.users.drafts.get \
    gmail.users.drafts.list gmail.users.drafts.send gmail.users.drafts.update \
    gmail.users.history.list \
    gmail.users.labels.create gmail.users.labels.delete gmail.users.labels.get \
    gmail.users.labels.list gmail.users.labels.patch gmail.users.labels.update \
    gmail.users.messages.attachments.get gmail.users.messages.batchDelete \
    gmail.users.messages.batchModify gmail.users.messages.delete gmail.users.messages.get \
    gmail.users.messages.import gmail.users.messages.insert gmail.users.messages.list \
    gmail.users.messages.modify gmail.users.messages.send gmail.users.messages.trash \
    gmail.users.messages.untrash \
    gmail.users.settings.filters.list gmail.users.settings.sendAs.create \
    gmail.users.settings.sendAs.delete gmail.users.settings.sendAs.get \
    gmail.users.settings.sendAs.list gmail.users.settings.sendAs.patch \
    gmail.users.settings.sendAs.update gmail.users.settings.sendAs.verify \
    gmail.users.threads.delete gmail.users.threads.get gmail.users.threads.list \
    gmail.users.threads.modify gmail.users.threads.trash gmail.users.threads.untrash \
    tasks.tasklists.delete tasks.tasklists.get tasks.tasklists.insert tasks.tasklists.list \
    tasks.tasklists.patch tasks.tasklists.update \
    tasks.tasks.clear tasks.tasks.delete tasks.tasks.get tasks.tasks.insert tasks.tasks.list \
    tasks.tasks.move tasks.tasks.patch tasks.tasks.update";

/// Every helper that touches Gmail, Tasks or the calendar. `gmail +watch` is
/// not among them: it needs Pub/Sub, which no world has.
const HELPERS: &str = "\
    gmail.+triage gmail.+read gmail.+send gmail.+reply gmail.+reply-all gmail.+forward \
    workflow.+standup-report workflow.+meeting-prep workflow.+email-to-task \
    workflow.+weekly-digest calendar.+agenda calendar.+insert";
