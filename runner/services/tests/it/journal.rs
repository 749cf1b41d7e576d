//! The journal's bounds and its silence about secrets.

use proctor_services::{Evidence, JournalCaps};
use proctor_types::JournalEntry;
use proctor_types::journal::EntryKind;

use crate::rig::{Rig, Setup, get, post, rig, say};

fn capped(caps: JournalCaps) -> Rig {
    Setup {
        caps,
        ..Setup::default()
    }
    .build()
}

#[tokio::test]
async fn a_full_journal_says_so_and_lets_nothing_happen_unrecorded() {
    let rig = capped(JournalCaps {
        requests: 3,
        ..JournalCaps::default()
    });
    for n in 0..6 {
        let reply = say(
            rig.http,
            &post("notes.example", "/people", &format!("\"{n}\"")),
        )
        .await;
        let expected = if n < 3 {
            "HTTP/1.1 200"
        } else {
            "HTTP/1.1 429"
        };
        assert!(reply.starts_with(expected), "{n}: {reply}");
    }
    assert_eq!(rig.world.world().people.len(), 3);
    assert_eq!(rig.world.snapshot().clock, "2026-03-02T09:00:03Z");
    let journal = rig.journal();
    let marker = journal.last().unwrap();
    assert_eq!((marker.n, marker.kind), (4, EntryKind::Truncated));
    let note = marker.note.as_deref().unwrap();
    assert!(
        note.contains("full") && note.contains("3 attempts"),
        "{note}"
    );
    assert!(!marker.ok());
    // Egress has room of its own, and is listed before the marker.
    say(rig.http, &get("evil.example", "/")).await;
    let kinds: Vec<EntryKind> = rig.journal().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds[3..], [EntryKind::Egress, EntryKind::Truncated]);
    assert_eq!(rig.journal()[4].n, 5);
}

#[tokio::test]
async fn egress_beyond_its_cap_is_counted_and_does_not_hurt_requests() {
    let rig = capped(JournalCaps {
        egress: 2,
        ..JournalCaps::default()
    });
    for _ in 0..7 {
        let reply = say(rig.http, &get("evil.example", "/")).await;
        assert!(reply.starts_with("HTTP/1.1 403"), "{reply}");
    }
    let reply = say(rig.http, &get("notes.example", "/people")).await;
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    let journal = rig.journal();
    let kinds: Vec<EntryKind> = journal.iter().map(|entry| entry.kind).collect();
    let expected = [
        EntryKind::Egress,
        EntryKind::Egress,
        EntryKind::Request,
        EntryKind::Truncated,
    ];
    assert_eq!(kinds, expected);
    assert!(
        journal[3]
            .note
            .as_deref()
            .unwrap()
            .starts_with("5 attempts")
    );
}

#[tokio::test]
async fn a_rolling_journal_holds_the_latest_entries() {
    let rig = capped(JournalCaps {
        requests: 10,
        ..JournalCaps::rolling()
    });
    for n in 0..95 {
        let reply = say(rig.http, &get("notes.example", &format!("/seen?{n}"))).await;
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    }
    let mut journal = rig.journal();
    let marker = journal.pop().unwrap();
    assert_eq!(marker.kind, EntryKind::Truncated);
    assert!((5..=10).contains(&journal.len()));
    let first = journal[0].n;
    for (entry, n) in journal.iter().zip(first..) {
        assert_eq!(
            (entry.n, entry.query.clone()),
            (n, (n - 1).to_string()),
            "no gaps"
        );
    }
    assert_eq!(journal.last().unwrap().n, 95);
    let note = marker.note.unwrap();
    assert!(
        note.contains(&format!("the first {} entries", first - 1)),
        "{note}"
    );
}

#[tokio::test]
async fn long_entries_meet_the_cap_on_bytes() {
    let rig = capped(JournalCaps {
        bytes: 64 << 10,
        ..JournalCaps::default()
    });
    let path = format!("/{}", "x".repeat(16 << 10));
    for _ in 0..20 {
        say(rig.http, &get("evil.example", &path)).await;
        say(rig.http, &get("notes.example", &path)).await;
    }
    let size = serde_json::to_string(&rig.journal()).unwrap().len();
    assert!(size < 128 << 10, "{size}");
    assert_eq!(rig.journal().last().unwrap().kind, EntryKind::Truncated);
}

#[tokio::test]
async fn bodies_are_kept_once_and_up_to_their_caps() {
    let caps = JournalCaps {
        body_bytes: 100,
        bodies_bytes: 150,
        ..JournalCaps::default()
    };
    let rig = capped(caps);
    for body in [
        "a".repeat(100),
        "a".repeat(100),
        "b".repeat(101),
        "c".repeat(100),
        "d".repeat(50),
    ] {
        say(rig.http, &post("notes.example", "/echo", &body)).await;
    }
    let said: Vec<(bool, bool)> = rig
        .journal()
        .iter()
        .map(|it| (it.request.kept, it.request.sha256.is_some()))
        .collect();
    assert_eq!(
        said,
        [
            (true, true),
            (true, true),
            (false, false),
            (false, true),
            (true, true)
        ]
    );
    let bodies = rig.world.bodies();
    assert_eq!(bodies.values().map(bytes::Bytes::len).sum::<usize>(), 150);
    for entry in rig.journal().iter().filter(|entry| entry.request.kept) {
        let body = &bodies[entry.request.sha256.as_ref().unwrap()];
        assert_eq!(body.len() as u64, entry.request.bytes);
    }
}

#[tokio::test]
async fn credentials_leave_no_trace() {
    let rig = rig();
    let form = "grant_type=refresh_token&refresh_token=hush-1&client_secret=hush-2";
    let host = "notes.example";
    let request = format!(
        "POST /echo?access_token=hush-3&Key=hush-4 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Authorization: Bearer hush-5\r\nProxy-Authorization: Basic hush-6\r\nCookie: hush-7\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    say(rig.http, request.as_bytes()).await;
    say(rig.http, request.replace(host, "evil.example").as_bytes()).await;
    let Evidence {
        journal, bodies, ..
    } = rig.world.evidence();
    assert_eq!(journal.len(), 2);
    assert!(bodies.is_empty());
    let text = serde_json::to_string(&journal).unwrap();
    assert!(!text.contains("hush"), "{text}");
    assert!(
        text.contains("access_token=REDACTED&Key=REDACTED"),
        "{text}"
    );
    assert_eq!(journal[0].request.bytes, form.len() as u64);
}

#[tokio::test]
async fn requests_inside_a_batch_are_entries_of_their_own() {
    let rig = rig();
    say(
        rig.http,
        &post("notes.example", "/batch", "\"Ada\"\n\"Grace\""),
    )
    .await;
    let journal = rig.journal();
    let parts: Vec<_> = journal
        .iter()
        .map(|entry| (entry.n, entry.part_of))
        .collect();
    assert_eq!(parts, [(1, None), (2, Some(1)), (3, Some(1))]);
    assert!(journal[1].did("notes.people.add") && journal[2].did("notes.people.add"));
    assert_eq!(
        rig.world.snapshot().clock,
        "2026-03-02T09:00:01Z",
        "one request, one second"
    );
}

#[tokio::test]
async fn the_same_requests_give_the_same_journal() {
    let play = || async {
        let rig = rig();
        rig.world.start_clock();
        for request in [
            post("notes.example", "/people", "\"Ada\""),
            get("notes.example", "/people"),
            get("evil.example", "/?q=1"),
            post("notes.example", "/people", "nonsense"),
        ] {
            say(rig.http, &request).await;
        }
        let evidence = rig.world.evidence();
        let timeless = |entry: JournalEntry| JournalEntry { t_us: 0, ..entry };
        let journal: Vec<_> = evidence.journal.into_iter().map(timeless).collect();
        serde_json::to_string(&(journal, evidence.before, evidence.after)).unwrap()
    };
    assert_eq!(play().await, play().await);
}
