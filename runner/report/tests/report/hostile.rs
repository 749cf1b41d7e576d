//! Every place that somebody else fills, filled with what would run if it could,
//! in a real browser.

use std::fs;

use serde_json::{Value, json};

use super::browser::Browser;
use super::builder::{JobDir, mail, world};

/// Runs if anything takes it for markup, a link or a script.
const EVIL: &str = "<script>window.pwned=1</script></script></style></title><!--\
    <img src=x onerror=\"window.pwned=1\"><svg onload=window.pwned=1>\
    <iframe srcdoc='<script>parent.pwned=1</script>'></iframe>\"'`><a href=\"javascript:window.pwned=1\">\
    x</a> javascript:window.pwned=1 {{7*7}} ${window.pwned=1}\u{1b}[31mred\u{1b}]8;;http://evil\u{7}\
    \u{202e}txt.exe\u{2066}\u{200b}\u{feff}\u{0}\u{9b}2J __proto__";
/// The same where a name of a file can be.
const NAME: &str = "<img src=x onerror=window.pwned=1>\u{202e}&\"'";

fn hostile() -> JobDir {
    let mut dir = JobDir::new();
    let trial = dir.trial(NAME, &format!("agent {NAME}"), 0);
    let criterion = json!({"id": EVIL, "title": EVIL, "category": EVIL, "status": "graded",
        "points": 1, "max": 1, "reason": EVIL, "citations": [EVIL]});
    let record = json!({
        "criteria": [criterion], "score": {"low": 1, "high": 1},
        "points": {"low": 1, "high": 1, "max": 1}, "result": EVIL, "agent_end": EVIL,
        "isolation": EVIL, "warnings": [EVIL, {"t": EVIL}],
        "failure": {"stage": EVIL, "kind": EVIL, "message": EVIL, "hint": EVIL},
        "model": {"name": EVIL, "models": [EVIL], "requests": 1, "cost": {"usd": 0.5, "prices": EVIL}},
        "seconds": {"run": 1.0, "total": 2.0, EVIL: 1.0}, "outcome": "agent_error",
    });
    // A warning is a text in a record; this one is none, and the report must stand it.
    let mut readable = record.clone();
    readable["warnings"] = json!([EVIL]);
    trial.record(&[], &readable);
    verdict(&trial.path);
    let mails = [mail("m1", EVIL, EVIL), mail(EVIL, EVIL, EVIL)];
    trial.json("world/before.json", &world(&mails[1..]));
    trial.json("world/after.json", &snapshot(&mails));
    trial.lines("transcript.jsonl", &transcript());
    let mut raw = fs::read(trial.path.join("evidence/transcript.jsonl")).unwrap();
    raw.extend_from_slice(format!("{EVIL}\n").as_bytes());
    raw.extend_from_slice(b"\xff\xfe<script>window.pwned=1</script>\n");
    trial.evidence("transcript.jsonl", raw);
    let sha256 = trial.body(EVIL);
    trial.lines("world/journal.jsonl", &journal(&sha256));
    trial.lines("model.jsonl", &[json!({"seq": EVIL, "asked": EVIL, "answered": EVIL, "stop": EVIL,
        "usage": {"input": EVIL}, "end": {"kind": EVIL, "reason": EVIL}, "clock": {"total_ms": EVIL}})]);
    fs::write(
        trial.path.join("judge.jsonl"),
        json!({"request": {"criterion": EVIL, "judge": EVIL, "user": EVIL, "system": EVIL, "vote": EVIL},
            "answer": EVIL, "model": EVIL, "failure": {"kind": EVIL, "problem": EVIL}})
        .to_string(),
    )
    .unwrap();
    trial.json(
        "manifest.json",
        &json!({"agent": {"name": EVIL, "transcript": EVIL},
        "clock": {"started_at": "2025-07-15T00:00:00Z"}}),
    );
    trial.json(
        "probes.json",
        &json!({"probes": [{"name": EVIL, "run": EVIL, "status": EVIL,
        "stdout": EVIL, "stderr": EVIL}]}),
    );
    trial.json(
        "workspace.json",
        &json!({"entries": [
        {"path": EVIL, "kind": "symlink", "target": EVIL, "mode": EVIL, "bytes": 1},
        {"path": EVIL, "kind": EVIL, "refused": EVIL, "bytes": 1}], "truncated": EVIL}),
    );
    trial.evidence(&format!("workspace/{NAME}.html"), EVIL);
    trial.evidence(&format!("workspace/{NAME}.txt"), EVIL);
    trial.evidence("prompt.md", EVIL);
    let damaged = dir.trial("damaged", NAME, 1);
    fs::write(damaged.path.join("trial.json"), EVIL).unwrap();
    fs::create_dir(dir.path().join("trials").join(format!("{NAME}.{NAME}.x"))).unwrap();
    dir.finish(EVIL);
    dir
}

fn verdict(trial: &std::path::Path) {
    let citations = [
        "after:gmail.message/m1",
        "after:notion.block/b1",
        "after:github.pull_request/o/r#1",
        "after:github.issue/o/r#2",
        "after:github.commit/o/r@abc",
        "after:tasks.task/t1",
        "after:odd/o1",
        "journal:1",
        "transcript:1",
        "workspace:evil.txt:1",
        EVIL,
        &format!("workspace:{NAME}.txt:1"),
        &format!("after:gmail.message/{EVIL}"),
        &format!("probe:{EVIL}"),
        "javascript:window.pwned=1",
    ];
    let one = json!({"id": EVIL, "title": EVIL, "category": EVIL, "status": "open", "points": null,
        "max": 1, "reason": EVIL, "citations": citations,
        "question": {"text": EVIL, "levels": [{"score": 1, "text": EVIL}],
            "exhibits": [{"title": EVIL, "citation": EVIL, "text": EVIL}]}});
    let verdict = json!({"criteria": [one], "notes": [EVIL, format!("claim backed: {EVIL}")],
        "adjustments": [{"id": EVIL, "title": EVIL, "kind": "penalty", "points": 1, "reason": EVIL,
            "citations": [EVIL]}],
        "grader": {"kind": EVIL, "sha256": EVIL, "fuel": EVIL}, "thresholds": {"pass": 1}});
    fs::write(trial.join("verdict.json"), verdict.to_string()).unwrap();
}

fn snapshot(mails: &[Value]) -> Value {
    let mut world = world(mails);
    world["mailboxes"] = json!({EVIL: {"messages": [mail("m9", EVIL, EVIL)]}});
    world["tasks"] = json!({"lists": [{"id": "l1", "title": EVIL, "tasks": [
        {"id": "t1", "title": EVIL, "notes": EVIL, "status": EVIL, "due": EVIL}]}]});
    world["notion"] = json!({"pages": [{"id": "p1", "path": [EVIL, EVIL], "title": EVIL,
        "properties": {EVIL: {"type": EVIL, "text": EVIL}}, "markdown": EVIL,
        "blocks": [{"id": "b1", "type": EVIL, "text": EVIL, "depth": EVIL},
            {"id": "b2", "type": "code", "text": EVIL}, {"id": "b3", "type": "table_row", "cells": [EVIL]}],
        "comments": [{"id": "k1", "text": EVIL, "created_by": EVIL}]}]});
    let file =
        json!({"filename": EVIL, "status": EVIL, "patch": format!("@@ {EVIL}\n+{EVIL}\n-{EVIL}")});
    world["github"] = json!({"repositories": [{"full_name": "o/r", "default_branch": EVIL,
        "branches": [{"name": EVIL, "sha": "abc"}],
        "commits": [{"sha": "abc", "tree": "t", "message": EVIL, "author": {"name": EVIL, "email": EVIL},
            "files": [file]}],
        "pull_requests": [{"number": 1, "title": EVIL, "body": EVIL, "user": EVIL, "state": EVIL,
            "head": {"ref": EVIL}, "base": {"ref": EVIL}, "files": [file], "labels": [EVIL],
            "comments": [{"id": 1, "user": EVIL, "body": EVIL}]}],
        "issues": [{"number": 2, "title": EVIL, "body": EVIL, "user": EVIL, "state": EVIL,
            "labels": [EVIL], "assignees": [EVIL]}]}]});
    world["odd"] = json!({"things": [{"id": "o1", "name": EVIL, EVIL: EVIL}]});
    world
}

fn transcript() -> Vec<Value> {
    let message =
        |message: Value| json!({"type": "message", "timestamp": EVIL, "message": message});
    vec![
        message(json!({"role": "user", "content": EVIL})),
        message(
            json!({"role": EVIL, "model": EVIL, "usage": {"output": EVIL}, "content": [
            {"type": "text", "text": EVIL},
            {"type": "toolCall", "id": EVIL, "name": EVIL, "arguments": {"command": EVIL}},
            {"type": "toolCall", "id": EVIL, "name": EVIL, "arguments": {EVIL: EVIL}},
            {"type": EVIL, "data": EVIL}]}),
        ),
        message(
            json!({"role": "toolResult", "toolName": EVIL, "isError": true,
            "details": {"exitCode": EVIL}, "content": [{"type": "text", "text": format!("{EVIL}\n{EVIL}").repeat(8)}]}),
        ),
        json!({"type": EVIL, EVIL: EVIL}),
        json!([EVIL]),
    ]
}

fn journal(sha256: &str) -> Vec<Value> {
    let touch = json!({"type": "gmail.message", "id": "m1", "view": "full", "change": EVIL, "fields": [EVIL]});
    vec![
        json!({"n": 1, "t_us": 5000, "kind": "request", "service": EVIL, "operation": EVIL, "actor": EVIL,
            "host": EVIL, "port": 8080, "method": EVIL, "path": EVIL, "query": EVIL, "status": 200,
            "read": [touch], "changed": [touch, {"type": EVIL, "id": EVIL}],
            "via": {"channel": EVIL, "tool": EVIL}, "note": EVIL,
            "request": {"bytes": 10, "sha256": sha256, "kept": true}, "response": {"bytes": 10}}),
        json!({"n": 2, "kind": "egress", "service": EVIL, "host": EVIL, "path": EVIL, "part_of": 1}),
        json!({"n": EVIL, "kind": EVIL, "status": EVIL, "read": EVIL, "t_us": EVIL, "part_of": EVIL}),
    ]
}

/// What there may be in the page, whatever the job says.
const CLEAN: &str = "(() => {
    const bad = [];
    if (window.pwned !== undefined) bad.push('it ran');
    for (const one of document.querySelectorAll('img, iframe, object, embed, link, base, video, audio')) {
        bad.push(one.outerHTML.slice(0, 200));
    }
    for (const one of document.querySelectorAll('script')) {
        if (one.type !== 'application/octet-stream' && !one.textContent.startsWith('\"use strict\"')) bad.push('a script');
    }
    for (const one of document.querySelectorAll('*')) {
        for (const attribute of one.attributes) {
            if (/^on|^srcdoc$|^formaction$/i.test(attribute.name)) bad.push(attribute.name);
        }
    }
    for (const one of document.querySelectorAll('a')) {
        if (!/^(#|\\.\\/trials\\/)/.test(one.getAttribute('href'))) bad.push('a link to ' + one.getAttribute('href'));
    }
    return bad;
})()";

/// Parts of the page that gave up on what the job says: none has to.
const GIVEN_UP: &str = "[...document.querySelectorAll('.warn')].map((one) => one.innerText)\
    .filter((text) => /cannot be (shown|unpacked)/.test(text))";

const OPEN_ALL: &str = "(() => {
    for (let round = 0; round < 6; round++) {
        for (const one of document.querySelectorAll('details:not([open])')) { one.fill?.(); one.open = true; }
    }
    return document.querySelectorAll('details').length;
})()";

#[test]
fn nothing_of_the_content_runs_in_a_browser() {
    let dir = hostile();
    let file = dir.path().join("report.html");
    fs::write(&file, dir.html()).unwrap();
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&file, "/");
    browser.eval(OPEN_ALL);
    assert_eq!(browser.eval(CLEAN), json!([]));
    let text = browser.eval("document.getElementById('main').innerText");
    assert!(
        text.as_str()
            .unwrap()
            .contains("<script>window.pwned=1</script>"),
        "{text}"
    );
    // What turns text around, or colours a terminal, is there to see.
    for mark in ["U+202E", "ESC", "U+0000", "U+009B"] {
        assert!(text.as_str().unwrap().contains(mark), "{mark}: {text}");
    }
    for trial in 0..3 {
        browser.open(&file, &format!("/t/{trial}"));
        assert!(browser.eval(OPEN_ALL).as_u64().is_some());
        assert_eq!(browser.eval(CLEAN), json!([]), "trial {trial}");
        assert_eq!(browser.eval(GIVEN_UP), json!([]), "trial {trial}");
    }
    browser.open(&file, "/t/0");
    let citations = browser
        .eval("document.querySelectorAll('.cite').length")
        .as_u64()
        .unwrap();
    assert!(citations >= 15, "{citations}");
    for at in 0..citations {
        browser.eval(&format!("document.querySelectorAll('.cite')[{at}].click()"));
        browser.until(&format!(
            "!document.getElementById('exhibit').hidden && decodeURIComponent(location.hash.split('/c/')[1]) === \
             document.querySelectorAll('.cite')[{at}].title"
        ));
        browser.eval(OPEN_ALL);
        assert_eq!(browser.eval(CLEAN), json!([]), "citation {at}");
        assert_eq!(browser.eval(GIVEN_UP), json!([]), "citation {at}");
    }
    browser.eval("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.eval(CLEAN), json!([]));
    // Places that somebody else made up.
    for place in [
        "/t/0/c/%",
        "/t/0/c/javascript:window.pwned=1",
        "/t/99999",
        "/t/0/s/%00",
        "/x/<img>",
    ] {
        browser.open(&file, place);
        assert_eq!(browser.eval(CLEAN), json!([]), "{place}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // The policy is one that a browser keeps: a script that gets in all the same does not run.
    browser.eval(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.pwned=2'; \
         document.body.append(one); const image = document.createElement('img'); image.src = 'x.png'; \
         document.body.append(image); })()",
    );
    assert_eq!(browser.eval("window.pwned"), Value::Null);
    browser.until("true");
    assert!(
        browser
            .complaints()
            .iter()
            .any(|one| one.contains("Content Security Policy"))
    );
}

#[test]
fn only_safe_files_are_linked() {
    let dir = hostile();
    let file = dir.path().join("report.html");
    fs::write(&file, dir.html()).unwrap();
    let Some(mut browser) = Browser::start() else {
        return;
    };
    browser.open(&file, "/t/0");
    let links = browser.eval("[...document.querySelectorAll('.raw a')].map((one) => decodeURIComponent(one.getAttribute('href')))");
    let links: Vec<&str> = links
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(links.iter().any(|link| ends(link, "txt")), "{links:?}");
    assert!(links.iter().all(|link| !ends(link, "html")), "{links:?}");
    // And they lead to the file.
    let there = links.iter().all(|link| dir.path().join(link).exists());
    assert!(there, "{links:?}");
}

fn ends(link: &str, ending: &str) -> bool {
    std::path::Path::new(link).extension() == Some(ending.as_ref())
}
