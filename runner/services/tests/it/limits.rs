//! Bounds on memory and time, and the end of a gateway.

use proctor_services::{Gateway, GatewayConfig, JournalCaps, WorldHandle};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::rig::{Setup, get, post, rig, say, tls_over, to_end, within, world};

#[tokio::test]
async fn answers_that_nobody_reads_hold_up_only_the_one_who_asked() {
    let mut setup = Setup::default();
    setup.limits.in_flight_bytes = 1 << 20;
    let rig = setup.build();
    let mut lazy = TcpStream::connect(rig.http).await.unwrap();
    lazy.write_all(&get("notes.example", "/large?30000000"))
        .await
        .unwrap();
    let mut start = [0; 12];
    within(lazy.read_exact(&mut start)).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    let busy = say(rig.http, &get("notes.example", "/people")).await;
    assert!(busy.starts_with("HTTP/1.1 503"), "{busy}");
    let rest = to_end(&mut lazy).await;
    assert!(rest.len() >= 30_000_000);
    let reply = say(rig.http, &get("notes.example", "/people")).await;
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_their_turn() {
    let mut setup = Setup::default();
    setup.limits.connections = 1;
    let rig = setup.build();
    let mut clients = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let address = rig.http;
        clients.spawn(async move { say(address, &get("notes.example", "/people")).await });
    }
    let replies = within(clients.join_all()).await;
    assert!(
        replies
            .iter()
            .all(|reply| reply.starts_with("HTTP/1.1 200"))
    );
}

#[tokio::test]
async fn a_shutdown_ends_whatever_is_open() {
    let mut setup = Setup::default();
    setup.limits.drain = std::time::Duration::from_millis(50);
    let rig = setup.build();
    let mut open = Vec::new();
    for address in [
        rig.https,
        rig.http,
        rig.extra,
        rig.plain,
        rig.proxy,
        rig.dns_tcp,
    ] {
        open.push(TcpStream::connect(address).await.unwrap());
    }
    let mut half = TcpStream::connect(rig.http).await.unwrap();
    half.write_all(b"POST /echo HTTP/1.1\r\nHost: notes.example\r\nContent-Length: 9\r\n\r\nx")
        .await
        .unwrap();
    open.push(half);
    let mut kept = TcpStream::connect(rig.plain).await.unwrap();
    kept.write_all(b"GET /notes/people HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut status = [0; 12];
    within(kept.read_exact(&mut status)).await.unwrap();
    open.push(kept);
    let mut tunnel = TcpStream::connect(rig.proxy).await.unwrap();
    tunnel
        .write_all(b"CONNECT notes.example:443 HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    let mut accepted = [0; 12];
    within(tunnel.read_exact(&mut accepted)).await.unwrap();
    open.push(tunnel);
    let mut idle_tls = rig.tls("notes.example").await;
    within(rig.gateway.shutdown()).await;
    for mut stream in open {
        to_end(&mut stream).await;
    }
    to_end(&mut idle_tls).await;
    assert!(
        TcpStream::connect(rig.http).await.is_err(),
        "nobody listens"
    );
}

#[tokio::test]
async fn a_shutdown_lets_an_answer_finish() {
    let rig = rig();
    let mut stream = TcpStream::connect(rig.http).await.unwrap();
    let request = post("notes.example", "/echo", "hello");
    let (start, end) = request.split_at(request.len() - 1);
    stream.write_all(start).await.unwrap();
    let handle = rig.world.clone();
    // The request is under way once another one, sent later, was answered.
    assert!(
        say(rig.http, &get("notes.example", "/people"))
            .await
            .starts_with("HTTP/1.1 200")
    );
    let (reply, ()) = tokio::join!(
        async {
            stream.write_all(end).await.unwrap();
            to_end(&mut stream).await
        },
        rig.gateway.shutdown()
    );
    assert!(reply.ends_with("hello"), "{reply}");
    assert_eq!(handle.journal().len(), 2);
}

#[tokio::test]
async fn dropping_a_gateway_ends_it_at_once() {
    let rig = rig();
    let mut idle = TcpStream::connect(rig.http).await.unwrap();
    idle.write_all(b"GET /people HTTP/1.1\r\nHost: notes.example\r\n\r\n")
        .await
        .unwrap();
    let mut status = [0; 12];
    within(idle.read_exact(&mut status)).await.unwrap();
    drop(rig.gateway);
    to_end(&mut idle).await;
}

#[tokio::test]
async fn a_fault_of_a_service_is_a_500_and_no_more() {
    let rig = rig();
    let reply = say(rig.http, &get("notes.example", "/panic")).await;
    assert!(reply.starts_with("HTTP/1.1 500"), "{reply}");
    assert!(reply.contains("the notes are on fire"), "{reply}");
    let fault = rig.world.fault().unwrap();
    assert_eq!(
        (fault.service.as_str(), fault.request.as_str()),
        ("notes", "GET /panic")
    );
    let reply = say(rig.http, &get("notes.example", "/people")).await;
    assert!(
        reply.starts_with("HTTP/1.1 500"),
        "nothing is answered after a fault: {reply}"
    );
    let journal = rig.journal();
    assert_eq!(
        (journal[0].status, journal[0].path.as_str()),
        (500, "/panic")
    );
    assert!(rig.world.evidence().fault.is_some());
    rig.world.reset();
    assert_eq!(rig.world.fault(), None);
    let reply = say(rig.http, &get("notes.example", "/people")).await;
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[test]
fn a_gateway_needs_a_runtime_and_says_so() {
    let world = WorldHandle::new(world(), JournalCaps::default());
    let config = GatewayConfig::new(Vec::new());
    let error = Gateway::new(world, config).err().unwrap().to_string();
    assert!(error.contains("tokio runtime"), "{error}");
}

#[tokio::test]
async fn tls_inside_a_tunnel_ends_with_the_gateway() {
    let rig = rig();
    let mut stream = TcpStream::connect(rig.proxy).await.unwrap();
    stream
        .write_all(b"CONNECT notes.example:443 HTTP/1.1\r\n\r\n")
        .await
        .unwrap();
    let mut head = [0; 19];
    within(stream.read_exact(&mut head)).await.unwrap();
    let mut stream = tls_over(&rig, stream, "notes.example").await;
    drop(rig.gateway);
    to_end(&mut stream).await;
}
