//! What a hostile client sends.

use std::time::Duration;

use proctor_services::GatewayLimits;
use proctor_types::journal::EntryKind;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::rig::{Rig, Setup, get, post, rig, run, say, say_over, to_end, within};

const SOON: Duration = Duration::from_millis(100);

fn impatient(shorten: impl FnOnce(&mut GatewayLimits)) -> Rig {
    let mut setup = Setup::default();
    shorten(&mut setup.limits);
    setup.build()
}

#[tokio::test]
async fn header_fields_that_never_end_are_cut_off() {
    let rig = impatient(|limits| limits.header_timeout = SOON);
    let reply = say(
        rig.http,
        b"GET /people HTTP/1.1\r\nHost: notes.example\r\nX: ",
    )
    .await;
    assert_eq!(reply, "");
    let stream = rig.tls("notes.example").await;
    let reply = say_over(stream, b"GET /people HT").await;
    assert_eq!(reply, "");
    for entry in rig.entries(2).await {
        assert_eq!(entry.status, 0);
        let note = entry.note.unwrap();
        assert!(note.contains("no complete, valid request"), "{note}");
    }
}

#[tokio::test]
async fn silence_is_cut_off_and_listed() {
    let rig = impatient(|limits| {
        limits.handshake_timeout = SOON;
        limits.silence = SOON;
    });
    for address in [rig.https, rig.http, rig.extra] {
        assert_eq!(say(address, b"").await, "");
    }
    // A TLS record that announces more than ever comes.
    assert_eq!(say(rig.https, &[0x16, 3, 1, 2, 0, 1]).await, "");
    let journal = rig.entries(4).await;
    let transports: Vec<&str> = journal.iter().map(|entry| entry.service.as_str()).collect();
    assert_eq!(transports, ["tcp", "tcp", "tcp", "tls"]);
    assert!(journal.iter().all(|entry| entry.kind == EntryKind::Egress));
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_off() {
    let rig = impatient(|limits| limits.body_timeout = SOON);
    let start = b"POST /echo HTTP/1.1\r\nHost: notes.example\r\nContent-Length: 10\r\n\r\nhalf";
    let reply = say(rig.http, start).await;
    assert!(reply.starts_with("HTTP/1.1 408"), "{reply}");
    let entry = &rig.journal()[0];
    assert_eq!((entry.service.as_str(), entry.status), ("notes", 408));
    assert!(!entry.ok());
}

#[tokio::test]
async fn header_fields_beyond_the_limit_are_refused() {
    let rig = rig();
    let huge = format!(
        "GET /people HTTP/1.1\r\nHost: notes.example\r\nX: {}\r\n\r\n",
        "x".repeat(1 << 20)
    );
    let many = format!(
        "GET /people HTTP/1.1\r\nHost: notes.example\r\n{}\r\n",
        "a: b\r\n".repeat(5000)
    );
    let long = format!(
        "GET /{} HTTP/1.1\r\nHost: notes.example\r\n\r\n",
        "x".repeat(1 << 20)
    );
    for request in [huge, many, long] {
        let reply = say(rig.http, request.as_bytes()).await;
        let status = reply.split(' ').nth(1);
        assert!(matches!(status, Some("400" | "414" | "431")), "{reply}");
    }
    let many: Vec<String> = (0..2000)
        .map(|n| format!("x-{n}: {}", "y".repeat(100)))
        .collect();
    let args: Vec<&str> = many.iter().flat_map(|field| ["-H", field]).collect();
    let done = rig
        .curl(&[&["--http2", "https://notes.example/people"], &args[..]].concat())
        .await;
    assert!(!done.stdout.starts_with('['), "{}", done.stdout);
    assert!(rig.journal().iter().all(|entry| !entry.ok()));
}

#[tokio::test]
async fn a_body_over_the_cap_gets_413_and_does_not_reach_the_service() {
    let mut setup = Setup::default();
    setup.limits.body_bytes = 1000;
    let rig = setup.build();
    let long = "x".repeat(1001);
    let announced = post("notes.example", "/echo", &long);
    let chunked = format!(
        "POST /echo HTTP/1.1\r\nHost: notes.example\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
        long.len()
    );
    let waiting = "POST /echo HTTP/1.1\r\nHost: notes.example\r\nContent-Length: 99999999\r\n\
                   Connection: close\r\nExpect: 100-continue\r\n\r\n";
    for request in [&announced[..], chunked.as_bytes(), waiting.as_bytes()] {
        let reply = say(rig.http, request).await;
        assert!(reply.starts_with("HTTP/1.1 413"), "{reply}");
    }
    // A client that sends it all before it looks gets its answer too.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "x".repeat(3900)).unwrap();
    let data = format!("@{}", file.path().display());
    for version in ["--http1.1", "--http2"] {
        let args = [
            version,
            "-H",
            "Expect:",
            "--data-binary",
            &data,
            "-w",
            "%{http_code}",
        ];
        let done = rig
            .curl(&[&args[..], &["https://notes.example/echo"]].concat())
            .await;
        assert!(
            done.stdout.ends_with("413"),
            "{}{}",
            done.stdout,
            done.stderr
        );
    }
    let journal = rig.journal();
    assert_eq!(journal.len(), 5);
    assert!(
        journal
            .iter()
            .all(|entry| entry.service == "notes" && entry.status == 413)
    );
    let ok = say(rig.http, &post("notes.example", "/echo", &"x".repeat(1000))).await;
    assert!(ok.starts_with("HTTP/1.1 200"), "{ok}");
}

#[tokio::test]
async fn requests_framed_in_two_ways_are_refused() {
    let rig = rig();
    for framing in [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: +5",
        "Content-Length: 0x5",
        "Content-Length: -1",
        "Content-Length: 99999999999999999999999",
        "Content-Length : 5",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding:\u{b}chunked",
        "X: a\r\n Content-Length: 5",
    ] {
        let request =
            format!("POST /echo HTTP/1.1\r\nHost: notes.example\r\n{framing}\r\n\r\nhello");
        let reply = say(rig.http, request.as_bytes()).await;
        assert!(reply.starts_with("HTTP/1.1 400"), "{framing}: {reply}");
    }
    assert!(
        rig.journal().iter().all(|entry| entry.status != 200),
        "{:?}",
        rig.journal()
    );
}

#[tokio::test]
async fn a_body_with_length_and_chunks_is_read_in_one_way_only() {
    let rig = rig();
    // Were the length believed, the second request would be part of the body.
    let inner = "GET /people HTTP/1.1\r\nHost: notes.example\r\nConnection: close\r\n\r\n";
    let body = format!("0\r\n\r\n{inner}");
    let request = format!(
        "POST /echo HTTP/1.1\r\nHost: notes.example\r\nContent-Length: {}\r\n\
         Transfer-Encoding: chunked\r\n\r\n{body}",
        body.len()
    );
    say(rig.http, request.as_bytes()).await;
    let paths: Vec<_> = rig
        .journal()
        .into_iter()
        .map(|it| (it.path, it.request.bytes))
        .collect();
    assert_eq!(paths.first(), Some(&("/echo".to_owned(), 0)), "{paths:?}");
    assert!(paths.len() <= 2);
}

#[tokio::test]
async fn a_host_that_disagrees_with_the_tls_name_is_refused() {
    let rig = rig();
    let cases = [
        ("notes.example", "evil.example"),
        ("evil.example", "notes.example"),
    ];
    for (name, host) in cases {
        let reply = say_over(rig.tls(name).await, &get(host, "/people")).await;
        assert!(reply.starts_with("HTTP/1.1 421"), "{reply}");
        let absolute = format!(
            "GET https://{host}/people HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
        );
        let reply = say_over(rig.tls(name).await, absolute.as_bytes()).await;
        assert!(reply.starts_with("HTTP/1.1 421"), "{reply}");
        for version in ["--http1.1", "--http2"] {
            let field = format!("Host: {host}");
            let url = format!("https://{name}/people");
            let done = rig.curl(&[version, "-i", "-H", &field, &url]).await;
            assert!(
                done.stdout.contains(" 421"),
                "{}{}",
                done.stdout,
                done.stderr
            );
        }
    }
    let journal = rig.journal();
    assert_eq!(journal.len(), 8);
    assert!(
        journal
            .iter()
            .all(|entry| entry.kind == EntryKind::Egress && entry.status == 421)
    );
    let same = get("NOTES.example.:443", "/people");
    let reply = say_over(rig.tls("notes.example").await, &same).await;
    assert!(
        reply.starts_with("HTTP/1.1 200"),
        "the same host in other words: {reply}"
    );
}

#[tokio::test]
async fn a_request_without_a_clear_host_is_refused() {
    let rig = rig();
    for fields in [
        "",
        "Host: notes.example\r\nHost: evil.example\r\n",
        "Host: a@notes.example\r\n",
    ] {
        let request = format!("GET /people HTTP/1.1\r\n{fields}Connection: close\r\n\r\n");
        let reply = say(rig.http, request.as_bytes()).await;
        assert!(reply.starts_with("HTTP/1.1 400"), "{fields}: {reply}");
    }
    let connect = b"CONNECT notes.example:443 HTTP/1.1\r\nHost: notes.example:443\r\n\r\n";
    let stream = TcpStream::connect(rig.http).await.unwrap();
    let reply = say_over(
        stream,
        &[&connect[..], &get("notes.example", "/people")].concat(),
    )
    .await;
    assert!(reply.starts_with("HTTP/1.1 405"), "{reply}");
}

#[tokio::test]
async fn bytes_that_are_no_tls_are_listed_and_closed() {
    let rig = rig();
    assert_eq!(say(rig.https, &get("notes.example", "/people")).await, "");
    assert_eq!(say(rig.https, &[0xff; 600]).await, "");
    let plain = &rig.entries(2).await[0];
    assert_eq!((plain.service.as_str(), plain.port), ("tcp", 443));
    let note = plain.note.as_deref().unwrap();
    assert!(note.contains(r"GET /people HTTP/1.1\r\n"), "{note}");
    assert!(note.len() < 300, "no more than the beginning: {note}");
    let garbage = [&[0x16, 3, 1, 0, 4][..], &[0xff; 4]].concat();
    say(rig.https, &garbage).await;
    assert_eq!(rig.entries(3).await[2].service, "tls");
}

#[tokio::test]
async fn a_client_that_does_not_trust_the_authority_shows_in_the_journal() {
    let rig = rig();
    let to = format!("::{}", rig.https);
    for host in ["notes.example", "evil.example"] {
        let url = format!("https://{host}/people");
        let done = run("curl", &["-sS", "--connect-to", &to, &url], &[]).await;
        assert!(
            !done.ok && done.stderr.contains("certificate"),
            "{}",
            done.stderr
        );
    }
    let [ours, evil] = <[_; 2]>::try_from(rig.entries(2).await).unwrap();
    assert_eq!(
        (ours.kind, ours.service.as_str()),
        (EntryKind::Request, "notes")
    );
    assert_eq!(
        (evil.kind, evil.service.as_str()),
        (EntryKind::Egress, "tls")
    );
    assert_eq!(evil.host, "evil.example");
    for entry in [ours, evil] {
        assert!(!entry.ok());
        assert!(entry.note.unwrap().contains("TLS handshake failed"));
    }
}

#[tokio::test]
async fn tls_without_a_request_is_an_attempt() {
    let rig = rig();
    drop(rig.tls("evil.example").await);
    let entry = rig.entries(1).await.remove(0);
    assert_eq!(
        (entry.kind, entry.host.as_str()),
        (EntryKind::Egress, "evil.example")
    );
}

/// Clients race connections and drop those that they do not need: which, is
/// luck, and equal runs have equal journals.
#[tokio::test]
async fn connections_to_a_service_that_ask_nothing_are_not_listed() {
    let rig = rig();
    drop(TcpStream::connect(rig.https).await.unwrap());
    assert_eq!(rig.entries(1).await[0].host, "127.0.0.1");
    for step in 0..3 {
        let mut stream = rig.tls("notes.example").await;
        if step == 1 {
            stream.shutdown().await.unwrap();
        }
        // A client that dies: what it has not read makes the kernel reset.
        stream.get_ref().0.set_zero_linger().unwrap();
        drop(stream);
    }
    // A handshake that the client lets go of.
    let mut hello = TcpStream::connect(rig.https).await.unwrap();
    hello
        .write_all(&client_hello("notes.example"))
        .await
        .unwrap();
    hello.read_u8().await.unwrap();
    drop(hello);
    let stream = rig.tls("notes.example").await;
    say_over(stream, &get("notes.example", "/people")).await;
    drop(rig.tls("evil.example").await);
    let journal = rig.entries(3).await;
    let hosts: Vec<&str> = journal.iter().map(|entry| entry.host.as_str()).collect();
    assert_eq!(hosts[1..], ["notes.example", "evil.example"]);
    rig.gateway.shutdown().await;
    assert_eq!(rig.world.journal().len(), 3);
}

/// The first message of a TLS client.
fn client_hello(name: &str) -> Vec<u8> {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let name = name.to_owned().try_into().unwrap();
    let mut client = rustls::ClientConnection::new(config.into(), name).unwrap();
    let mut hello = Vec::new();
    client.write_tls(&mut hello).unwrap();
    hello
}

#[tokio::test]
async fn many_names_cost_no_memory_that_stays() {
    let rig = rig();
    for n in 0..1100 {
        drop(rig.tls(&format!("h{n}.example")).await);
    }
    let reply = say_over(
        rig.tls("notes.example").await,
        &get("notes.example", "/people"),
    )
    .await;
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let rig = rig();
    let one = b"GET /seen?1 HTTP/1.1\r\nHost: notes.example\r\n\r\n";
    let reply = say(
        rig.http,
        &[&one[..], one, &get("notes.example", "/seen?3")].concat(),
    )
    .await;
    assert_eq!(reply.matches("HTTP/1.1 200").count(), 3, "{reply}");
    let queries: Vec<String> = rig.journal().into_iter().map(|entry| entry.query).collect();
    assert_eq!(queries, ["1", "1", "3"]);
}

#[tokio::test]
async fn dns_over_tcp_survives_nonsense() {
    let rig = rig();
    for bytes in [&b"\xff\xff"[..], b"\0\x04junk", b"\0\0", b"\0"] {
        let mut stream = TcpStream::connect(rig.dns_tcp).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        assert_eq!(to_end(&mut stream).await, "");
    }
    // A query for a.b, type A, twice on one connection.
    let query = b"\0\x15\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01";
    let mut stream = TcpStream::connect(rig.dns_tcp).await.unwrap();
    for _ in 0..2 {
        stream.write_all(query).await.unwrap();
        let length = within(stream.read_u16()).await.unwrap();
        let mut reply = vec![0; usize::from(length)];
        within(stream.read_exact(&mut reply)).await.unwrap();
        assert_eq!(&reply[..2], b"\x12\x34");
        assert_eq!(reply[7], 1, "one answer");
    }
}

#[tokio::test]
async fn dns_over_udp_survives_nonsense() {
    let rig = rig();
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.connect(rig.dns_udp).await.unwrap();
    for bytes in [&b""[..], b"x", &[0xff; 4000]] {
        socket.send(bytes).await.unwrap();
    }
    let query = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x01a\x01b\0\0\x01\0\x01";
    socket.send(query).await.unwrap();
    let mut reply = [0; 512];
    let length = within(socket.recv(&mut reply)).await.unwrap();
    assert_eq!(&reply[..2], b"\x12\x34", "only the query was answered");
    assert!(length > query.len());
}
