//! Sessions in databases: the agents' own, and such as were made to harm.

use std::fs;

use proctor_transcripts::{Format, NativeEnd, NativeFile, ReadError, ReadLimits, read};
use proctor_types::manifest::FailureKind;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::{failure, file, read_all, sample, told, usage, usages};

/// The table of `OpenClaw` 2026.9.6, without its checks.
const EVENTS: &str = "CREATE TABLE transcript_events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL,
    event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
    PRIMARY KEY (session_id, seq))";

/// A database that `fill` makes, with its log where it has one.
fn database(fill: impl FnOnce(&Connection)) -> Vec<NativeFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.sqlite");
    let connection = Connection::open(&path).unwrap();
    fill(&connection);
    let mut files = Vec::new();
    for suffix in ["", "-wal"] {
        let path = folder.path().join(format!("agent.sqlite{suffix}"));
        if let Ok(bytes) = fs::read(path) {
            files.push(NativeFile::new(format!("agent.sqlite{suffix}"), bytes));
        }
    }
    files
}

fn rows(name: &str) -> Vec<Value> {
    let text = String::from_utf8(sample(name).bytes).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn put(connection: &Connection, session: &str, row: &Value) {
    let compressed = row["event_zstd"]
        .as_str()
        .map(|text| hex::decode(text).unwrap());
    connection
        .execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                session,
                row["seq"].as_i64(),
                row["event_json"].as_str(),
                row["created_at"].as_i64(),
                compressed,
                row["event_utf8_bytes"].as_i64(),
            ],
        )
        .unwrap();
}

fn put_all(connection: &Connection, session: &str, name: &str) {
    for row in rows(name) {
        put(connection, session, &row);
    }
}

fn openclaw(names: &[(&str, &str)]) -> Vec<NativeFile> {
    database(|connection| {
        connection.execute_batch(EVENTS).unwrap();
        for (session, name) in names {
            put_all(connection, session, name);
        }
    })
}

#[test]
fn openclaw_rows_short_and_compressed() {
    let files = openclaw(&[("a", "openclaw-exit3.rows.jsonl")]);
    let read = read_all(Format::Openclaw, &files).unwrap();
    let lines = told(&read);
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[1].contains(r#"exec{"command":"seq 1 600; exit 3"} #call_66190f916bb57"#));
    assert!(lines[2].starts_with("exec #call_66190f916bb57 exit 3: 1/2/3/4/"));
    assert!(lines[2].ends_with("/599/600//(Command exited with code 3)"));
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(
        usages(&read),
        [usage(95, 5, 0, 20, 0), usage(96, 5, 0, 20, 0)]
    );
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
    let failed = openclaw(&[("b", "openclaw-401.rows.jsonl")]);
    let failed = read_all(Format::Openclaw, &failed).unwrap();
    assert_eq!(failure(&failed), Some(FailureKind::Authentication));
}

#[test]
fn the_result_names_the_session_that_counts() {
    let mut files = openclaw(&[
        ("a", "openclaw-401.rows.jsonl"),
        (
            "ab62bb6a-ca80-4be9-b627-ea9f7d9629c2",
            "openclaw-exit3.rows.jsonl",
        ),
    ]);
    let all = read_all(Format::Openclaw, &files).unwrap();
    assert_eq!(all.events.len(), 6);
    files.push(sample("openclaw-2026.9.6.exec.json"));
    let one = read_all(Format::Openclaw, &files).unwrap();
    assert_eq!((one.events.len(), one.turns), (4, Some(2)));
}

#[test]
fn what_is_only_in_the_write_ahead_log_is_read() {
    let files = database(|connection| {
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
            .unwrap();
        connection.execute_batch(EVENTS).unwrap();
        put_all(connection, "a", "openclaw-exit3.rows.jsonl");
    });
    // A connection that is still open has checkpointed nothing.
    let files = match files.len() {
        2 => files,
        other => panic!("{other} files"),
    };
    assert!(files[0].bytes.len() < files[1].bytes.len());
    assert_eq!(read_all(Format::Openclaw, &files).unwrap().events.len(), 4);
    let alone = read_all(Format::Openclaw, &files[..1]);
    assert!(
        matches!(alone, Err(ReadError::Database { .. })),
        "{alone:?}"
    );
}

#[test]
fn opencode_rows() {
    let files = database(|connection| {
        connection
            .execute_batch(
                "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
                 CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);",
            )
            .unwrap();
        for row in rows("opencode-exit3.rows.jsonl") {
            let text = |key: &str| row[key].as_str().map(str::to_owned);
            let time = row["time_created"].as_i64();
            let into = row["table"].as_str().unwrap();
            if into == "message" {
                connection.execute(
                    "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)",
                    params![text("id"), text("session_id"), time, text("data")],
                )
            } else {
                connection.execute(
                    "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
                    params![
                        text("id"),
                        text("message_id"),
                        text("session_id"),
                        time,
                        text("data")
                    ],
                )
            }
            .unwrap();
        }
    });
    let read = read_all(Format::Opencode, &files).unwrap();
    assert_eq!(
        told(&read),
        [
            "user: \"Write hello\"",
            r#"agent: I will write the file. | bash{"command":"seq 1 600; exit 3"} #call_66190f6e38820"#,
            "bash #call_66190f6e38820 exit 3 error: 1/2/3/600/",
            "agent: Done: wrote task_summary.md.",
        ]
    );
    assert_eq!(read.usage, usage(191, 10, 0, 40, 0));
    assert_eq!(read.end, Some(NativeEnd::Completed));
    assert_eq!(read.unknown.count, 0, "{:?}", read.unknown);
}

/// Reads a database that must be refused, in a time that is not felt.
fn refused(schema: &str) -> String {
    let files = database(|connection| connection.execute_batch(schema).unwrap());
    read_all(Format::Openclaw, &files).unwrap_err().to_string()
}

#[test]
fn schemas_that_run_are_refused() {
    let view = "CREATE VIEW transcript_events AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                SELECT 'a' AS session_id, x AS seq, '{}' AS event_json, 0 AS created_at, NULL AS event_zstd, \
                NULL AS event_utf8_bytes FROM n";
    assert_eq!(
        refused(view),
        "agent.sqlite: there is no table `transcript_events` in it"
    );
    let calculated = "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, created_at INTEGER, \
                      event_zstd BLOB, event_utf8_bytes INTEGER, \
                      event_json TEXT AS (hex(zeroblob(100000000))))";
    assert_eq!(
        refused(calculated),
        "agent.sqlite: its table `transcript_events` has calculated columns"
    );
    let virtual_table = "CREATE VIRTUAL TABLE transcript_events USING fts5(session_id, seq, event_json, \
                         created_at, event_zstd, event_utf8_bytes)";
    assert_eq!(
        refused(virtual_table),
        "agent.sqlite: there is no table `transcript_events` in it"
    );
    assert!(refused("CREATE TABLE other (x)").contains("there is no table"));
    assert!(refused("CREATE TABLE transcript_events (x)").contains("no such column"));
}

#[test]
fn views_and_triggers_beside_the_table_do_nothing() {
    let files = database(|connection| {
        connection.execute_batch(EVENTS).unwrap();
        put_all(connection, "a", "openclaw-exit3.rows.jsonl");
        connection
            .execute_batch(
                "CREATE VIEW session_windows AS SELECT load_extension('x');
                 CREATE TRIGGER t AFTER INSERT ON transcript_events BEGIN SELECT writefile('x', 'y'); END;",
            )
            .unwrap();
    });
    assert_eq!(read_all(Format::Openclaw, &files).unwrap().events.len(), 4);
}

#[test]
fn files_that_only_say_that_they_are_databases_are_refused() {
    let good = openclaw(&[("a", "openclaw-exit3.rows.jsonl")])
        .remove(0)
        .bytes;
    let mut attacks = vec![
        ("only the header", good[..16].to_vec()),
        ("half", good[..good.len() / 2].to_vec()),
        ("zeros", [&good[..16], &[0; 8000][..]].concat()),
        (
            "noise",
            [&good[..100], &b"\xff\x0d\xa5".repeat(4000)[..]].concat(),
        ),
    ];
    for at in [16, 28, 100, 101, 105, 4096, 4099, 4104] {
        let mut bytes = good.clone();
        bytes[at] ^= 0xff;
        attacks.push(("a flipped byte", bytes));
    }
    for (attack, bytes) in attacks {
        match read_all(Format::Openclaw, &[NativeFile::new("a.sqlite", bytes)]) {
            Err(
                ReadError::Database { .. }
                | ReadError::TooLarge { .. }
                | ReadError::NoMessages { .. }
                | ReadError::NotUnderstood { .. },
            ) => {}
            Ok(read) => assert!(!read.events.is_empty(), "{attack}"),
            Err(other) => panic!("{attack}: {other}"),
        }
    }
    let error = read_all(Format::Openclaw, &[file("a.sqlite", "I am a database")]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a.sqlite:1: nothing of it is openclaw:"),
        "{error}"
    );
}

#[test]
fn lying_rows_are_kept_as_strange_and_bombs_do_not_go_off() {
    let honest = rows("openclaw-exit3.rows.jsonl");
    let long = &honest[6];
    let bomb = ruzstd::encoding::compress_to_vec(
        &vec![b' '; 16 << 20][..],
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    for (attack, compressed, length, problem) in [
        (
            "too short",
            long["event_zstd"].clone(),
            100,
            "not the 100 bytes",
        ),
        (
            "too long",
            long["event_zstd"].clone(),
            4_000_000,
            "not the 4000000 bytes",
        ),
        (
            "much too long",
            long["event_zstd"].clone(),
            1_i64 << 40,
            "a row that says it has",
        ),
        (
            "negative",
            long["event_zstd"].clone(),
            -1,
            "a row that says it has 0",
        ),
        ("no frame", "00ff00ff00".into(), 100, "no Zstandard"),
        (
            "a bomb",
            hex::encode(bomb).into(),
            4_000_000,
            "not the 4000000 bytes",
        ),
        (
            "half a frame",
            long["event_zstd"].as_str().unwrap()[..600].into(),
            6382,
            "broken Zstandard",
        ),
        (
            "two frames",
            format!("{0}{0}", long["event_zstd"].as_str().unwrap()).into(),
            6382,
            "more than one frame",
        ),
        // A window of 2^41 bytes.
        ("a window", "28b52ffd00f8010000".into(), 100, "no Zstandard"),
    ] {
        let files = database(|connection| {
            connection.execute_batch(EVENTS).unwrap();
            let mut row = long.clone();
            row["event_zstd"] = compressed;
            row["event_utf8_bytes"] = length.into();
            for row in honest[..6].iter().chain([&row]).chain(&honest[7..]) {
                put(connection, "a", row);
            }
        });
        let read = read_all(Format::Openclaw, &files).unwrap();
        assert_eq!(read.unknown.count, 1, "{attack}");
        assert!(
            read.unknown.samples[0].contains(problem),
            "{attack}: {:?}",
            read.unknown
        );
        assert!(
            told(&read)[2].starts_with("raw"),
            "{attack}: {:?}",
            told(&read)
        );
    }
}

#[test]
fn rows_have_the_bounds_of_everything_else() {
    let files = openclaw(&[("a", "openclaw-exit3.rows.jsonl")]);
    let bytes: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
    let few = ReadLimits {
        events: 3,
        ..ReadLimits::default()
    };
    let error = read(Format::Openclaw, &files, &few).unwrap_err();
    assert_eq!(error.to_string(), "agent.sqlite: more than 3 rows");
    let tight = ReadLimits {
        bytes: bytes - 1,
        ..ReadLimits::default()
    };
    let error = read(Format::Openclaw, &files, &tight).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
}
