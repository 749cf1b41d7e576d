//! How long a grade takes: warm, with a fresh bundle, and with everything
//! fresh but the module cache. Run with
//! `cargo bench -p proctor-grading --bench grade`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a benchmark is a program, and criterion's macros write its main"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use proctor_grader::testing;
use proctor_grader::types::world::TaskStatus;
use proctor_grader::types::{Change, Event, Touch, View, transcript};
use proctor_grading::{
    Bundle, BundleLimits, Compiler, GraderHost, HostConfig, Limits, score, to_canonical_json,
};

/// The grader of the Google Workspace task, from the crate: cargo runs
/// benchmarks there.
const GRADER: &str = "../../tasks/gws-task-management/grader.wasm";

fn grade(criterion: &mut Criterion) {
    let Ok(wasm) = std::fs::read(GRADER) else {
        eprintln!("nothing to measure: there is no {GRADER}");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (evidence, cache) = (
        directory.path().join("evidence"),
        directory.path().join("modules"),
    );
    trial().write(&evidence).unwrap();
    // Modules are compiled before anything is measured.
    let host = || GraderHost::new(HostConfig::new(Compiler::InProcess).cache(&cache));
    let open = || Bundle::open(&evidence, BundleLimits::default()).unwrap();
    let limits = Limits::default();
    let grader = host().load(&wasm, None).unwrap();
    let bundle = open();

    let mut group = criterion.benchmark_group("grade");
    group.bench_function("warm", |bencher| {
        bencher.iter(|| grader.grade_blocking(&bundle, &limits).unwrap());
    });
    group.bench_function("fresh bundle", |bencher| {
        bencher.iter(|| grader.grade_blocking(&open(), &limits).unwrap());
    });
    group.bench_function("fresh host and bundle, to verdict.json", |bencher| {
        bencher.iter(|| {
            let (host, bundle) = (host(), open());
            let grader = host.load(&wasm, None).unwrap();
            let graded = grader.grade_blocking(&bundle, &limits).unwrap();
            let task = bundle.task().unwrap();
            let verdict = score(task, bundle.sha256(), graded.grader, graded.verdict);
            to_canonical_json(&verdict).unwrap()
        });
    });
    group.finish();
}

/// A trial like the oracle's, with a transcript of some 66 KB.
fn trial() -> testing::Bundle {
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
    seeded.iter_mut().for_each(|task| task.seeded = true);
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

criterion_group!(benches, grade);
criterion_main!(benches);
