//! Writing and reading back.

use std::io::Write;
use std::sync::{Arc, Mutex};

use super::*;
use crate::secret::Secret;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(data);
        Ok(data.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn asked(body: &Bytes) -> Asked<'_> {
    Asked {
        method: "POST",
        host: "api.anthropic.com",
        path: "/v1/messages".to_owned(),
        query: None,
        body,
    }
}

fn body(text: &str) -> Bytes {
    let text = serde_json::json!({"model": "m", "messages": [{"role": "user", "content": text}]});
    Bytes::from(text.to_string())
}

/// A cassette with replies to the given texts, and its bytes.
fn record(texts: &[&str]) -> (Arc<Cassette>, String) {
    let file = Shared::default();
    let recorder = Recorder::new(Box::new(file.clone())).unwrap();
    let redactor = Redactor::new(&[Secret::new("sk-planted-0001").unwrap()]);
    for (index, text) in texts.iter().enumerate() {
        let body = body(text);
        let mut take = recorder.take(&asked(&body), &redactor);
        let mut headers = HeaderMap::new();
        headers.insert(
            "content-type",
            HeaderValue::from_static("text/event-stream"),
        );
        take.begins(StatusCode::OK, &headers);
        take.piece(format!("data: {index}\n").as_bytes());
        take.piece(b"\xff\xfe");
        take.keep();
        // What is not kept is not there.
        recorder.take(&asked(&body), &redactor).piece(b"broken off");
    }
    assert_eq!(recorder.finish().unwrap(), texts.len() as u64);
    let bytes = file.0.lock().unwrap().clone();
    let cassette = Cassette::read(&bytes[..]).unwrap();
    (cassette, String::from_utf8(bytes).unwrap())
}

#[test]
fn what_was_recorded_is_played_in_the_same_pieces_and_order() {
    let long = "long ".repeat(200);
    let (cassette, text) = record(&["one", &long, "one"]);
    assert_eq!(cassette.len(), 3);
    assert_eq!(text.matches(&long).count(), 1);
    for _ in 0..2 {
        let player = Arc::clone(&cassette).player();
        for (text, index) in [("one", 0), ("one", 2), (long.as_str(), 1)] {
            let reply = player.play(&asked(&body(text))).unwrap();
            assert_eq!(reply.status, StatusCode::OK);
            assert_eq!(reply.headers["content-type"], "text/event-stream");
            assert_eq!(reply.pieces.len(), 2);
            assert_eq!(reply.pieces[0], format!("data: {index}\n"));
            assert_eq!(reply.pieces[1], &b"\xff\xfe"[..]);
        }
        assert_eq!(player.unplayed(), 0);
        let report = player.play(&asked(&body("one"))).unwrap_err();
        assert!(
            report.contains("recorded 2 times and was asked once more"),
            "{report}"
        );
        let report = player.play(&asked(&body("two"))).unwrap_err();
        assert!(
            report.ends_with("everything that is recorded was played"),
            "{report}"
        );
    }
}

#[test]
fn a_mismatch_says_what_is_nearest() {
    let (cassette, _) = record(&["write a file", "write a letter"]);
    let player = cassette.player();
    let report = player.play(&asked(&body("write a lettuce"))).unwrap_err();
    assert_eq!(
        report,
        "asked POST https://api.anthropic.com/v1/messages; nearest recorded: line 3; first \
         difference at /messages/0/content: asked \"write a lettuce\", recorded \"write a \
         letter\""
    );
    assert_eq!(player.unplayed(), 2);
}

#[test]
fn no_key_is_on_a_cassette() {
    let (_, text) = record(&["my key is sk-planted-0001"]);
    assert!(!text.contains("planted"), "{text}");
}

#[test]
fn broken_files_are_refused_with_their_line() {
    for (text, expected) in [
        ("", "no cassette"),
        ("{}\n", "no cassette"),
        ("{\"cassette\":\"proctor.cassette/2\"}\n", "no cassette"),
        ("{\"cassette\":\"proctor.cassette/1\"}\n\n{\n", "line 3"),
        (
            "{\"cassette\":\"proctor.cassette/1\"}\n{\"request\":{\"n\":0,\"method\":\"POST\",\
             \"host\":\"h\",\"path\":\"/\",\"body\":{},\"status\":20,\"pieces\":[]}}\n",
            "line 2",
        ),
        (
            "{\"cassette\":\"proctor.cassette/1\"}\n{\"request\":{\"n\":0,\"method\":\"POST\",\
             \"host\":\"h\",\"path\":\"/\",\"body\":{},\"status\":200,\
             \"pieces\":[{\"base64\":\"?\"}]}}\n",
            "line 2",
        ),
    ] {
        let error = Cassette::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
