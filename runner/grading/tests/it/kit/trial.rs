//! Evidence of a trial of the Google Workspace task, made up.

use proctor_grader::testing;
use proctor_grader::types::world::TaskStatus;
use proctor_grader::types::{Change, Event, Touch, View, transcript};

/// A trial like the oracle's, with a transcript of some 66 KB.
pub(crate) fn trial() -> testing::Bundle {
    let mails: Vec<_> = (0..5)
        .map(|n| {
            let text = format!(
                "Please finish report {n} by Friday. {}",
                "Details. ".repeat(50)
            );
            let subject = format!("Report {n} is due");
            testing::mail(&format!("m{n}"), "Dana <dana@example.com>", &subject, &text)
        })
        .collect();
    let mut seeded = vec![
        testing::task("t1", "Review Q3 proposal", TaskStatus::NeedsAction),
        testing::task("t2", "Update documentation", TaskStatus::Completed),
    ];
    for task in &mut seeded {
        task.seeded = true;
    }
    let mut after = seeded.clone();
    let mut journal = vec![testing::request("tasks.tasks.list")];
    for n in 0..5 {
        let mut read = testing::request("gmail.users.messages.get");
        read.read
            .push(Touch::read("gmail.message", format!("m{n}"), View::Full));
        let id = format!("n{n}");
        let mut insert = testing::request("tasks.tasks.insert");
        insert
            .changed
            .push(Touch::changed("tasks.task", &id, Change::Created).within("list-1"));
        journal.extend([read, insert]);
        after.push(testing::task(
            &id,
            &format!("Finish report {n}"),
            TaskStatus::NeedsAction,
        ));
    }
    let world =
        |tasks| testing::with_tasks(testing::with_mail(testing::world(), mails.clone()), tasks);
    testing::Bundle::new()
        .world(&world(seeded), &world(after))
        .journal(&journal)
        .transcript(&transcript())
        .workspace(
            "task_summary.md",
            "# Summary\n\n## Created\n- Finish report 0\n",
        )
}

fn transcript() -> Vec<Event> {
    let message = |n: usize| {
        let text = format!("step {n}: {}", "what the agent says about it. ".repeat(20));
        let part = transcript::Part::text(text);
        Event::message(
            None,
            transcript::Message::new(transcript::Role::Assistant, vec![part]),
        )
    };
    (0..100).map(message).collect()
}
