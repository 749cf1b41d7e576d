//! An agent's network: real clients against the captive sockets.

use proctor_types::View;
use proctor_types::journal::EntryKind;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::rig::{get, post, rig, run, say, say_over};

#[tokio::test]
async fn curl_speaks_http_1_and_http_2_over_tls() {
    let rig = rig();
    for (flag, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
        let shown = rig
            .curl(&[
                flag,
                "-w",
                "%{http_version}",
                "https://notes.example/seen?q=a%20b&key=SECRET",
            ])
            .await;
        assert!(shown.ok, "{}", shown.stderr);
        let (body, spoken) = shown.stdout.split_at(shown.stdout.rfind('}').unwrap() + 1);
        assert_eq!(spoken, version);
        let seen: Value = serde_json::from_str(body).unwrap();
        assert_eq!(seen["scheme"], "https");
        assert_eq!(seen["host"], "notes.example");
        assert_eq!(seen["port"], 443);
        assert_eq!(seen["path"], "/seen");
        assert_eq!(seen["query"], "q=a%20b&key=SECRET");
    }
    let journal = rig.journal();
    assert_eq!(journal.len(), 2);
    for entry in &journal {
        assert_eq!(entry.kind, EntryKind::Request);
        assert_eq!((entry.service.as_str(), entry.status), ("notes", 200));
        assert_eq!((entry.host.as_str(), entry.port), ("notes.example", 443));
        assert_eq!(entry.query, "q=a%20b&key=REDACTED");
    }
}

#[tokio::test]
async fn parallel_requests_are_numbered_without_gaps() {
    let rig = rig();
    for version in ["--http2", "--http1.1"] {
        let url = "https://notes.example/people?[1-40]";
        let done = rig
            .curl(&[version, "-Z", "--parallel-max", "40", url])
            .await;
        assert!(done.ok, "{}", done.stderr);
    }
    let numbers: Vec<u64> = rig.journal().iter().map(|entry| entry.n).collect();
    assert_eq!(numbers, (1..=80).collect::<Vec<_>>());
    let clock = rig.world.snapshot().clock;
    assert_eq!(clock, "2026-03-02T09:01:20Z", "one second per request");
}

#[tokio::test]
async fn the_journal_says_what_was_read_and_changed_and_by_whom() {
    let rig = rig();
    let token = "Authorization: Bearer abcdefgh-secret";
    rig.curl(&["-H", token, "-d", "\"Ada\"", "https://notes.example/people"])
        .await;
    let listed = rig
        .curl(&["-H", token, "https://notes.example/people"])
        .await;
    assert!(listed.stdout.contains("Ada"), "{}", listed.stdout);
    let [added, read] = <[_; 2]>::try_from(rig.journal()).unwrap();
    assert!(added.did("notes.people.add") && read.did("notes.people.list"));
    assert_eq!(added.actor.as_deref(), Some("agent@example.com"));
    assert_eq!(added.changed[0].id, read.read[0].id);
    assert_eq!(read.read[0].view, Some(View::Full));
    assert_eq!(added.request.bytes, 5);
    let kept = rig.world.bodies();
    assert!(added.request.kept);
    assert_eq!(kept[added.request.sha256.as_ref().unwrap()], "\"Ada\"");
    assert_eq!(read.response.bytes, listed.stdout.len() as u64);
    let everything = serde_json::to_string(&rig.journal()).unwrap();
    assert!(!everything.contains("secret"), "{everything}");
}

#[tokio::test]
async fn what_no_service_owns_is_refused_in_words() {
    let rig = rig();
    for (url, scheme, port) in [
        ("https://evil.example/up?a=1", "https", 443),
        ("http://evil.example/up?a=1", "http", 80),
    ] {
        let done = rig.curl(&["-d", "stolen", "-w", "%{http_code}", url]).await;
        assert!(done.ok, "{}", done.stderr);
        assert!(done.stdout.ends_with("403"), "{}", done.stdout);
        assert!(
            done.stdout.contains("evil.example cannot be reached"),
            "{}",
            done.stdout
        );
        let entry = rig.journal().pop().unwrap();
        assert_eq!(entry.kind, EntryKind::Egress);
        assert_eq!(
            (entry.service.as_str(), entry.port, entry.status),
            (scheme, port, 403)
        );
        assert_eq!(
            (entry.host.as_str(), entry.path.as_str()),
            ("evil.example", "/up")
        );
        assert_eq!(
            (entry.method.as_str(), entry.query.as_str()),
            ("POST", "a=1")
        );
        let body = rig.world.bodies()[entry.request.sha256.as_ref().unwrap()].clone();
        assert_eq!(body, "stolen", "what it tried to send is evidence");
    }
    assert_eq!(
        rig.world.snapshot().clock,
        "2026-03-02T09:00:00Z",
        "refusals move no clock"
    );
}

#[tokio::test]
async fn an_address_without_a_name_is_served_too() {
    let rig = rig();
    let url = format!("https://{}/x", rig.https);
    let done = run("curl", &["-sS", "--cacert", rig.ca_path(), &url], &[]).await;
    assert!(
        done.ok,
        "the certificate is for the address: {}",
        done.stderr
    );
    assert!(
        done.stdout.contains("127.0.0.1 cannot be reached"),
        "{}",
        done.stdout
    );
    assert_eq!(rig.journal()[0].host, "127.0.0.1");
}

#[tokio::test]
async fn a_long_lived_http_1_connection_serves_many_requests() {
    let rig = rig();
    let urls = ["https://notes.example/people"; 5];
    let count = ["--http1.1", "-w", "%{num_connects}\n", "-o", "/dev/null"];
    let args: Vec<&str> = urls
        .iter()
        .flat_map(|url| count.iter().chain([url]))
        .copied()
        .collect();
    let done = rig.curl(&args).await;
    let connects: u32 = done
        .stdout
        .lines()
        .map(|line| line.parse::<u32>().unwrap_or(0))
        .sum();
    assert_eq!(connects, 1, "{}{}", done.stdout, done.stderr);
}

#[tokio::test]
async fn methods_without_bodies_have_none() {
    let rig = rig();
    for version in ["--http1.1", "--http2"] {
        let head = rig
            .curl(&[version, "-I", "https://notes.example/people"])
            .await;
        let lower = head.stdout.to_lowercase();
        assert!(
            lower.contains("content-length: 2"),
            "{}{}",
            head.stdout,
            head.stderr
        );
        assert!(
            lower.contains("date: mon, 02 mar 2026 09:00:0"),
            "the world's time: {lower}"
        );
        let empty = rig
            .curl(&[version, "-i", "https://notes.example/empty"])
            .await;
        assert!(
            empty.ok && empty.stdout.contains(" 204"),
            "{}",
            empty.stdout
        );
        let options = rig
            .curl(&[
                version,
                "-i",
                "-X",
                "OPTIONS",
                "https://notes.example/people",
            ])
            .await;
        assert!(
            options.ok && options.stdout.contains(" 204"),
            "{}",
            options.stdout
        );
    }
}

#[tokio::test]
async fn uploads_that_wait_for_permission_get_it() {
    let rig = rig();
    let body = "x".repeat(3 << 20);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &body).unwrap();
    let data = format!("@{}", file.path().display());
    for version in ["--http1.1", "--http2"] {
        let done = rig
            .curl(&[
                version,
                "-H",
                "Expect: 100-continue",
                "--data-binary",
                &data,
                "https://notes.example/echo",
            ])
            .await;
        assert!(done.ok && done.stdout == body, "{}", done.stderr);
    }
    let entry = rig.journal().pop().unwrap();
    assert_eq!(entry.request.bytes, body.len() as u64);
    assert_eq!(entry.request.sha256, None, "longer than the journal's cap");
    assert!(!entry.request.kept);
}

#[tokio::test]
async fn http_1_0_and_connections_that_close_work() {
    let rig = rig();
    let reply = say(
        rig.http,
        b"GET /people HTTP/1.0\r\nHost: notes.example\r\n\r\n",
    )
    .await;
    assert!(
        reply.starts_with("HTTP/1.0 200") || reply.starts_with("HTTP/1.1 200"),
        "{reply}"
    );
    let reply = say(rig.http, &post("notes.example:80", "/echo", "hello")).await;
    assert!(reply.ends_with("hello"), "{reply}");
}

#[tokio::test]
async fn extra_ports_are_refused_in_whatever_is_spoken_there() {
    let rig = rig();
    let reply = say(rig.extra, &get("notes.example", "/people")).await;
    assert!(
        reply.starts_with("HTTP/1.1 403"),
        "no service is on this port: {reply}"
    );
    let stream = TcpStream::connect(rig.extra).await.unwrap();
    let stream = crate::rig::tls_over(&rig, stream, "db.example").await;
    let reply = say_over(stream, &get("db.example", "/")).await;
    assert!(reply.contains("db.example cannot be reached"), "{reply}");
    let reply = say(rig.extra, b"SSH-2.0-OpenSSH_9.2\r\n").await;
    assert_eq!(reply, "", "closed without a word");
    let journal = rig.entries(3).await;
    let services: Vec<&str> = journal.iter().map(|entry| entry.service.as_str()).collect();
    assert_eq!(services, ["http", "https", "tcp"]);
    for entry in &journal {
        assert_eq!(
            (entry.kind, entry.port),
            (EntryKind::Egress, rig.extra.port())
        );
    }
    let note = journal[2].note.as_deref().unwrap();
    assert!(note.contains(r"SSH-2.0-OpenSSH_9.2\r\n"), "{note}");
    assert_eq!((journal[2].status, journal[2].method.as_str()), (0, ""));
}
