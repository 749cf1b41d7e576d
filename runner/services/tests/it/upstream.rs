//! Hosts that are no fake: handed over as they come, streamed in both ways.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use proctor_services::{Upstream, UpstreamAnswer, UpstreamBody};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::rig::{Setup, get, say, tls_over, to_end, within};

/// Says what it was asked; to a `POST` gives its body back as it arrives.
#[derive(Debug)]
struct Echo;

impl Upstream for Echo {
    fn owns(&self, host: &str) -> bool {
        // The second is a fake's as well.
        ["model.example", "notes.example"].contains(&host)
    }

    fn respond(&self, request: Request<UpstreamBody>) -> UpstreamAnswer<'_> {
        Box::pin(async move {
            if request.method() == "POST" {
                return Response::new(request.into_body());
            }
            let text = format!("{} {}", request.method(), request.uri());
            let body = Full::new(Bytes::from(text)).map_err(|never| match never {});
            Response::new(body.boxed())
        })
    }
}

fn setup() -> Setup {
    Setup {
        upstream: Some(Arc::new(Echo)),
        ..Setup::default()
    }
}

#[tokio::test]
async fn an_upstream_gets_what_was_asked_and_comes_before_every_fake() {
    let rig = setup().build();
    for (url, seen) in [
        (
            "https://model.example/v1/x?a=b%20c",
            "GET https://model.example/v1/x?a=b%20c",
        ),
        ("http://model.example/", "GET http://model.example/"),
        (
            "https://notes.example/people",
            "GET https://notes.example/people",
        ),
    ] {
        let done = rig.curl(&[url]).await;
        assert_eq!(done.stdout, seen, "{}", done.stderr);
    }
    assert!(rig.journal().is_empty());
    let other = rig.curl(&["https://other.example/"]).await;
    assert!(other.stdout.contains("no such service"), "{}", other.stdout);
    assert_eq!(rig.journal().len(), 1);
}

#[tokio::test]
async fn an_upstream_is_not_on_the_plain_port() {
    let rig = setup().build();
    let reply = say(rig.plain, &get("model.example", "/")).await;
    assert!(reply.starts_with("HTTP/1.1 404"), "{reply}");
}

/// Each piece is back before the next is sent: nothing waits for the end.
#[tokio::test]
async fn bodies_stream_in_both_directions() {
    let rig = setup().build();
    let stream = TcpStream::connect(rig.https).await.unwrap();
    let mut stream = tls_over(&rig, stream, "model.example").await;
    let head = "POST /v1 HTTP/1.1\r\nHost: model.example\r\nConnection: close\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut seen = String::new();
    for piece in ["first", "again", "third"] {
        let chunk = format!("5\r\n{piece}\r\n");
        stream.write_all(chunk.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        while !seen.contains(piece) {
            let mut some = [0; 256];
            let read = within(stream.read(&mut some)).await.unwrap();
            assert_ne!(read, 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&some[..read]));
        }
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    seen.push_str(&to_end(&mut stream).await);
    assert!(seen.ends_with("0\r\n\r\n"), "{seen}");
}
