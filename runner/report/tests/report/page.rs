//! What a reader does with the page, in a real browser.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::browser::Browser;
use super::builder::{JobDir, mail, world};

fn job() -> JobDir {
    let mut dir = JobDir::new();
    let criteria = [("c1", Some(1.0), 1.0), ("c2", None, 1.0)];
    for attempt in 0..3 {
        let trial = dir.trial("office", "loop", attempt);
        let cost = json!({"model": {"name": "m/x", "requests": 2, "answered": 2,
            "usage": {"input": 100, "output": 10}, "cost": {"usd": 0.25 + f64::from(attempt), "prices": "p"}}});
        trial.record(&criteria, &cost);
        let citations = [
            "after:gmail.message/m2",
            "workspace:notes.md:2",
            "journal:2",
            "transcript:2",
        ];
        trial.verdict(&criteria, &citations);
        trial.json("world/before.json", &world(&[mail("m1", "First", "one")]));
        trial.json(
            "world/after.json",
            &world(&[
                mail("m1", "First", "one"),
                mail("m2", "Answer to Alex", "Done.\nSam"),
            ]),
        );
        trial.evidence("workspace/notes.md", "one\ntwo\nthree\n");
        trial.json("manifest.json", &json!({"clock": {"started_at": "2025-07-15T00:00:00Z"}, "agent": {"transcript": "agent"}}));
        let said = |second: u32, role: &str, text: &str| {
            json!({"type": "message",
            "timestamp": format!("2025-07-15T00:00:0{second}Z"),
            "message": {"role": role, "content": [{"type": "text", "text": text}]}})
        };
        trial.lines(
            "transcript.jsonl",
            &[
                said(0, "user", "Do it."),
                said(1, "assistant", "I answer Alex."),
                said(4, "assistant", "Done."),
            ],
        );
        let asked = |n: u64, t_us: u64, part_of: Option<u64>| {
            json!({"n": n, "t_us": t_us, "kind": "request", "service": "gmail",
            "operation": format!("op{n}"), "host": "gmail.googleapis.com", "port": 443, "method": "POST", "path": "/x",
            "query": "", "status": 200, "part_of": part_of, "request": {"bytes": 1}, "response": {"bytes": 1},
            "changed": [{"type": "gmail.message", "id": "m2", "change": "created"}]})
        };
        trial.lines(
            "world/journal.jsonl",
            &[
                asked(1, 2_000_000, None),
                asked(2, 2_100_000, Some(1)),
                asked(3, 4_500_000, None),
            ],
        );
    }
    let failed = json!({"outcome": "infrastructure", "score": null, "points": null, "criteria": [],
        "failure": {"stage": "run", "kind": "disk", "message": "no space"}});
    dir.trial("office", "loop", 3).record(&[], &failed);
    dir.plan("office", "loop", 4);
    dir.finish("a job");
    dir
}

#[test]
fn the_overview_says_its_denominators_and_leads_to_the_trials() {
    let dir = job();
    let file = dir.path().join("report.html");
    fs::write(&file, dir.html()).unwrap();
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&file, "/");
    let figures = browser.eval("[...document.querySelectorAll('.figures div')].map((one) => one.innerText.replace(/\\s+/g, ' '))");
    assert_eq!(
        figures,
        json!([
            "5 planned",
            "4 finished",
            "3 graded",
            "3 open",
            "0 ungraded",
            "1 infrastructure"
        ])
    );
    let main = browser.eval("document.getElementById('main').innerText");
    let main = main.as_str().unwrap();
    for words in [
        "Means and rates are over the 3 graded trials of 5.",
        "50–100 %",
        "3 of 5",
        "0–3 of 3",
    ] {
        assert!(main.contains(words), "{words}: {main}");
    }
    // Cost against score, open points as a line.
    assert_eq!(
        browser.eval("document.querySelectorAll('.scatter .mark').length"),
        json!(3)
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('.scatter .span').length"),
        json!(3)
    );
    // The tree for those who do not see it.
    for (what, many) in [
        ("main", 1),
        ("h1", 1),
        ("table th[scope]", 10),
        ("[role=img][aria-label]", 3),
        ("a.skip", 1),
    ] {
        let found = browser.eval(&format!(
            "document.querySelectorAll({}).length",
            json!(what)
        ));
        assert!(found.as_u64().unwrap() >= many, "{what}: {found}");
    }
    let nameless = "[...document.querySelectorAll('a, button, input, select')].filter((one) => \
        !(one.innerText || one.getAttribute('aria-label') || one.labels?.length)).length";
    assert_eq!(browser.eval(nameless), json!(0));
    browser.click(".matrix .cell");
    browser.until("document.title === 'office / loop #0' && document.querySelector('.score')");
    assert_eq!(browser.eval("document.activeElement.id"), json!("main"));
    browser.eval("history.back()");
    browser.until("document.querySelector('.figures')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn citations_lead_to_what_they_point_at_and_back() {
    let dir = job();
    let file = dir.path().join("report.html");
    fs::write(&file, dir.html()).unwrap();
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&file, "/t/1");
    let exhibit = "document.getElementById('exhibit')";
    browser.click(".cite[title='after:gmail.message/m2']");
    browser.until(&format!(
        "!{exhibit}.hidden && {exhibit}.querySelector('.mail')"
    ));
    let text = browser.eval(&format!("{exhibit}.innerText"));
    assert!(
        text.as_str().unwrap().contains("Answer to Alex")
            && text.as_str().unwrap().contains("Done.\nSam"),
        "{text}"
    );
    assert_eq!(browser.eval("document.activeElement.tagName"), json!("H2"));
    browser.click(".cite[title='workspace:notes.md:2']");
    browser.until(&format!("{exhibit}.querySelector('.line.cited')"));
    assert_eq!(
        browser.eval(&format!("{exhibit}.querySelector('.cited').textContent")),
        json!("two\n")
    );
    // A request that a call made is inside of the call, and found there.
    browser.click(".cite[title='journal:2']");
    browser.until(&format!("{exhibit}.innerText.includes('op2')"));
    browser.click("#exhibit .more");
    browser.until("document.querySelector('#request-1 #request-2.found')");
    browser.click(".cite[title='transcript:2']");
    browser.until(&format!("{exhibit}.innerText.includes('I answer Alex.')"));
    // Escape closes, and the reader is where they were.
    browser.call(
        "Input.dispatchKeyEvent",
        &json!({"type": "keyDown", "key": "Escape"}),
    );
    browser.until(&format!("{exhibit}.hidden && location.hash === '#/t/1'"));
    // Requests stand beside the event after which they came.
    let beside = browser.eval("[...document.querySelectorAll('.row')].map((row) => row.querySelectorAll('.asked > .requests > li').length)");
    assert_eq!(beside, json!([0, 1, 1]));
    let changes = browser.eval("document.getElementById('changes').innerText");
    assert!(
        changes.as_str().unwrap().contains("Answer to Alex"),
        "{changes}"
    );
    // A place can be linked to.
    browser.open(&file, "/t/2/c/workspace%3Anotes.md%3A2");
    browser.until(&format!("{exhibit}.querySelector('.line.cited')"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn two_thousand_trials_open_at_once() {
    let mut dir = JobDir::new();
    for number in 0..2_000_u32 {
        let trial = dir.trial(
            &format!("task-{}", number % 20),
            &format!("agent-{}", number / 20 % 5),
            number / 100,
        );
        trial.record(
            &[
                ("c1", Some(1.0), 1.0),
                ("c2", Some(f64::from(number % 5) / 4.0), 1.0),
            ],
            &json!({}),
        );
        let words: Vec<String> = (0..400_u32)
            .map(|word| format!("{:x}", word.wrapping_mul(7919).wrapping_mul(number + 1)))
            .collect();
        let event = json!({"type": "message", "message": {"role": "assistant", "content": words.join(" ")}});
        trial.lines("transcript.jsonl", &vec![event; 8]);
    }
    dir.finish("large");
    let html = dir.html();
    assert!(html.len() < 48 << 20, "{}", html.len());
    let file = dir.path().join("report.html");
    fs::write(&file, html).unwrap();
    let Some(mut browser) = Browser::start() else {
        return;
    };
    // The best of three: others may use the machine, too.
    let took = (0..3).map(|_| {
        let begun = Instant::now();
        browser.open(&file, "/");
        begun.elapsed()
    });
    let took = took.min().unwrap();
    assert!(took < Duration::from_secs(2), "{took:?}");
    // All are reached, a page of them at a time.
    let status = browser.eval("document.querySelector('#all [role=status]').innerText");
    assert_eq!(status, json!("2,000 of 2,000 trials"));
    let nodes = browser
        .eval("document.querySelectorAll('*').length")
        .as_u64()
        .unwrap();
    assert!(nodes < 30_000, "{nodes}");
    browser.eval("document.getElementById('filter').value = 'task-7 / agent-3 #9'; document.getElementById('filter').dispatchEvent(new Event('input'))");
    assert_eq!(
        browser.eval("document.querySelector('#all [role=status]').innerText"),
        json!("1 of 2,000 trials")
    );
    browser.open(&file, "/t/1999");
    browser.until("document.querySelector('.row')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
