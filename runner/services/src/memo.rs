//! Answers that hold until the world changes.
//!
//! Agents look at the same things again and again. While nothing changes, the
//! same request gets the same answer, byte for byte, so it is written and
//! hashed once. Every request is still listed in the journal by itself.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};

use crate::journal::Facts;
use crate::service::{Answer, Request};

/// Most bytes of what one world remembers. Thousands of worlds may live in one
/// process.
const CAP: usize = 128 << 10;
/// Most bytes of one answer, so that there is room for several.
const ANSWER_CAP: usize = CAP / 4;
/// What an answer takes besides its bytes: header fields and tables, amply.
const OVERHEAD: usize = 2 << 10;

/// A request without a body, in all that an answer can depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// The key of a request to a service. `None`: the request may be meant to
    /// change something.
    pub(crate) fn of(service: &str, request: &Request) -> Option<Self> {
        let safe = matches!(request.method, Method::GET | Method::HEAD);
        if !safe || !request.body.is_empty() {
            return None;
        }
        let mut key = Vec::with_capacity(512);
        let mut add = |text: &[u8]| {
            // With its length, so that no two lists of texts are one key.
            key.extend_from_slice(&text.len().to_ne_bytes());
            key.extend_from_slice(text);
        };
        for text in [
            service,
            request.method.as_str(),
            request.scheme.as_str(),
            &request.host,
            &request.path,
            &request.query,
        ] {
            add(text.as_bytes());
        }
        add(&request.port.to_ne_bytes());
        for (name, value) in &request.headers {
            add(name.as_str().as_bytes());
            add(value.as_bytes());
        }
        Some(Self(key))
    }
}

/// An answer, and what the journal says of it.
#[derive(Debug)]
pub(crate) struct Known {
    service: &'static str,
    operation: Option<&'static str>,
    status: u16,
    headers: HeaderMap,
    body: Bytes,
    pub(crate) facts: Arc<Facts>,
}

impl Known {
    /// The answer once more. What it read is in the journal's entry.
    pub(crate) fn answer(&self) -> Answer {
        Answer {
            operation: self.operation,
            headers: self.headers.clone(),
            body: self.body.clone(),
            ..Answer::new(self.service, self.status)
        }
    }
}

/// The answers that hold now. Lives under the same lock as the world.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    known: HashMap<Key, Arc<Known>>,
    bytes: usize,
}

impl Memo {
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Known>> {
        self.known.get(key).map(Arc::clone)
    }

    /// Remembers an answer, if it is not too long. Where there is no room, all
    /// others make way: what is asked for often comes back by itself.
    pub(crate) fn keep(&mut self, key: Key, answer: &Answer, facts: Arc<Facts>) {
        let bytes = OVERHEAD + key.0.capacity() + answer.body.len() + facts.bytes();
        if bytes > ANSWER_CAP {
            return;
        }
        if self.bytes + bytes > CAP {
            self.clear();
        }
        self.bytes += bytes;
        let known = Known {
            service: answer.service,
            operation: answer.operation,
            status: answer.status,
            headers: answer.headers.clone(),
            // A copy is as long as it says; a buffer that was written into is
            // longer.
            body: Bytes::copy_from_slice(&answer.body),
            facts,
        };
        self.known.insert(key, Arc::new(known));
    }

    /// Forgets everything: the world may be another one now.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Journal, JournalCaps, payload_of};
    use crate::service::Scheme;

    fn request(path: &str) -> Request {
        Request {
            method: Method::GET,
            scheme: Scheme::Https,
            host: "h".to_owned(),
            port: 443,
            path: path.to_owned(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    fn key(path: &str) -> Key {
        Key::of("s", &request(path)).unwrap()
    }

    fn keep(memo: &mut Memo, path: &str, length: usize) {
        let mut answer = Answer::new("s", 200).body("text/plain", vec![b'x'; length]);
        let request = request(path);
        let facts = Journal::new(JournalCaps::default()).answered(
            &request,
            payload_of(&request, 0),
            &mut answer,
            None,
        );
        memo.keep(key(path), &answer, facts);
    }

    #[test]
    fn only_requests_that_ask_have_keys() {
        assert!(Key::of("s", &request("/")).is_some());
        let mut posted = request("/");
        posted.method = Method::POST;
        assert_eq!(Key::of("s", &posted), None);
        let mut full = request("/");
        full.body = Bytes::from_static(b"x");
        assert_eq!(Key::of("s", &full), None);
    }

    #[test]
    fn texts_do_not_run_into_each_other() {
        let mut one = request("/a");
        one.query = "b".to_owned();
        let mut two = request("/ab");
        two.query = String::new();
        assert_ne!(Key::of("s", &one), Key::of("s", &two));
        assert_ne!(Key::of("s", &one), Key::of("t", &one));
    }

    #[test]
    fn there_is_a_bound_on_what_is_remembered() {
        let (mut memo, mut most) = (Memo::default(), 0);
        keep(&mut memo, "/long", ANSWER_CAP);
        assert!(memo.get(&key("/long")).is_none());
        for n in 0..1000 {
            let path = format!("/{n}");
            keep(&mut memo, &path, 1000);
            assert_eq!(memo.get(&key(&path)).unwrap().body.len(), 1000);
            let bodies: usize = memo.known.values().map(|known| known.body.len()).sum();
            assert!(bodies < memo.bytes && memo.bytes <= CAP);
            most = most.max(memo.known.len());
        }
        assert!(most > 10, "{most}");
        memo.clear();
        assert!(memo.get(&key("/999")).is_none());
        assert_eq!(memo.bytes, 0);
    }
}
