//! The reply's body on its way to the agent.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

use proctor_types::model::ExchangeEnd;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::{Instant, Sleep};

use super::Limits;
use super::exchange::Pending;
use crate::BoxError;
use crate::cassette::Take;
use crate::redact::{Redactor, Scrubber};
use crate::tap::{Tap, TapEnd};
use crate::transport::chain;

/// Bytes of an event that is looked at as a whole; longer ones pass.
const EVENT: usize = 1 << 20;

/// Where a reply comes from.
#[derive(Debug)]
pub(super) enum Origin {
    /// The upstream.
    Upstream(Incoming),
    /// A cassette or a script: pieces that are there already.
    Pieces(VecDeque<Bytes>),
}

/// A reply's body. It passes pieces on as they come, never more than one
/// unread; where a bound is met or the upstream fails, it fails.
pub(super) struct ReplyBody {
    from: Origin,
    tap: Tap,
    scrubber: Scrubber,
    filter: Option<UsageFilter>,
    take: Option<Take>,
    pending: Option<Pending>,
    received: u64,
    most: u64,
    idle: Duration,
    /// When the last piece came.
    last: Instant,
    /// When the whole has to be there.
    deadline: Instant,
    timer: Pin<Box<Sleep>>,
}

impl ReplyBody {
    pub(super) fn new(from: Origin, tap: Tap, pending: Pending, limits: &Limits) -> Self {
        let now = Instant::now();
        let redactor = match from {
            Origin::Upstream(_) => pending.trial().redactor.clone(),
            Origin::Pieces(_) => Redactor::default(),
        };
        Self {
            from,
            tap,
            scrubber: Scrubber::new(redactor),
            filter: None,
            take: None,
            pending: Some(pending),
            received: 0,
            most: limits.reply_bytes,
            idle: limits.idle,
            last: now,
            deadline: now + limits.total,
            timer: Box::pin(tokio::time::sleep(limits.idle.min(limits.total))),
        }
    }

    /// Holds back the event that only the gateway asked for.
    pub(super) fn without_usage_event(mut self) -> Self {
        self.filter = Some(UsageFilter::default());
        self
    }

    /// Keeps the reply on a cassette when it is complete.
    pub(super) fn recorded(mut self, take: Take) -> Self {
        self.take = Some(take);
        self
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        match &mut self.from {
            Origin::Pieces(pieces) => Poll::Ready(pieces.pop_front().map(Ok)),
            Origin::Upstream(body) => loop {
                return Poll::Ready(match ready!(Pin::new(&mut *body).poll_frame(cx)) {
                    None => None,
                    Some(Err(error)) => Some(Err(error.into())),
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(data) if data.is_empty() => continue,
                        Ok(data) => Some(Ok(data)),
                        Err(_) => continue, // trailers
                    },
                });
            },
        }
    }

    /// Which bound on time is met, if any; otherwise the timer wakes this task
    /// when the next one is.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Option<&'static str> {
        // The timer is set for the earliest moment, and moved when it is over:
        // not with each piece.
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if now >= self.deadline {
                return Some("the whole reply");
            }
            let idle = self.last + self.idle;
            if now >= idle {
                return Some("the next piece of the reply");
            }
            self.timer.as_mut().reset(idle.min(self.deadline));
        }
        None
    }

    /// Whether all of it has come.
    fn is_over(&self) -> bool {
        match &self.from {
            Origin::Upstream(body) => body.is_end_stream(),
            Origin::Pieces(pieces) => pieces.is_empty(),
        }
    }

    /// What goes on of a piece.
    fn pass(&mut self, data: Bytes) -> Bytes {
        self.tap.feed(&data);
        let data = match &mut self.filter {
            Some(filter) => filter.push(&data),
            None => data,
        };
        if !data.is_empty()
            && let Some(pending) = &mut self.pending
        {
            pending.sends(&data);
        }
        data
    }

    /// The next piece, complete end, or failure.
    fn take_piece(&mut self, piece: Option<Result<Bytes, BoxError>>) -> Step {
        match piece {
            Some(Ok(data)) => {
                self.last = Instant::now();
                self.received += data.len() as u64;
                if self.received > self.most {
                    return self.fail(ExchangeEnd::TooLarge { limit: self.most });
                }
                if self.last >= self.deadline {
                    return self.fail(ExchangeEnd::Timeout {
                        what: "the whole reply".to_owned(),
                    });
                }
                let data = self.scrubber.push(data);
                if let Some(take) = &mut self.take {
                    take.piece(&data);
                }
                let data = self.pass(data);
                if data.is_empty() {
                    Step::More
                } else {
                    Step::Data(data)
                }
            }
            Some(Err(error)) => {
                let reason = chain(error.as_ref());
                let reason = match &self.pending {
                    Some(pending) => pending.trial().redactor.text(&reason),
                    None => reason,
                };
                self.fail(ExchangeEnd::Cut { reason })
            }
            None => self.complete(),
        }
    }

    fn fail(&mut self, end: ExchangeEnd) -> Step {
        self.take = None;
        let message = end.describe();
        self.end(end);
        Step::Failed(message)
    }

    fn complete(&mut self) -> Step {
        let held = self.scrubber.finish();
        if let Some(take) = &mut self.take {
            take.piece(&held);
        }
        let held = self.pass(held);
        let rest = match self.filter.take() {
            Some(filter) => filter.finish(),
            None => Bytes::new(),
        };
        if let (false, Some(pending)) = (rest.is_empty(), &mut self.pending) {
            pending.sends(&rest);
        }
        let end = self.tap.finish(true);
        self.settle(end);
        if held.is_empty() && rest.is_empty() {
            Step::Done
        } else {
            Step::Data(Bytes::from([held, rest].concat()))
        }
    }

    /// Writes down how the reply ended, as its protocol tells it.
    fn settle(&mut self, end: TapEnd) {
        let end = match end {
            TapEnd::Complete => ExchangeEnd::Ok,
            TapEnd::Cut => ExchangeEnd::Cut {
                reason: "it ends before its last event".to_owned(),
            },
            TapEnd::Invalid(reason) => ExchangeEnd::Invalid { reason },
            TapEnd::Error(error) => {
                if let Some(pending) = &mut self.pending {
                    pending.failure(Some(error.failure_in_stream()));
                }
                ExchangeEnd::Upstream {
                    status: 200,
                    reason: error.describe(),
                }
            }
        };
        if end.is_ok() {
            if let Some(take) = self.take.take() {
                take.keep();
            }
            if let Some(pending) = &mut self.pending {
                pending.failure(self.tap.seen.failure());
            }
        }
        self.end(end);
    }

    fn end(&mut self, end: ExchangeEnd) {
        if let Some(mut pending) = self.pending.take() {
            pending.finish(end, &mut self.tap.seen);
        }
    }
}

enum Step {
    Data(Bytes),
    More,
    Done,
    Failed(String),
}

impl Drop for ReplyBody {
    /// Clients hang up once they have the last event, and a body of known length
    /// is dropped with its last byte: what was complete by then is.
    fn drop(&mut self) {
        if self.pending.is_none() {
            return;
        }
        let held = self.scrubber.finish();
        self.tap.feed(&held);
        let ended = held.is_empty() && self.is_over();
        match self.tap.finish(ended) {
            end @ (TapEnd::Complete | TapEnd::Error(_)) => {
                // Some servers end before what is elsewhere the last event: what
                // would have followed is not known.
                let seen = &self.tap.seen;
                if !(ended || seen.last || seen.counted) {
                    self.take = None;
                }
                if let Some(take) = &mut self.take {
                    take.piece(&held);
                }
                self.settle(end);
            }
            TapEnd::Cut | TapEnd::Invalid(_) => self.end(ExchangeEnd::Abandoned),
        }
    }
}

impl HttpBody for ReplyBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        loop {
            if this.pending.is_none() {
                return Poll::Ready(None);
            }
            let step = match this.poll_piece(cx) {
                Poll::Ready(piece) => this.take_piece(piece),
                Poll::Pending => match this.poll_late(cx) {
                    None => return Poll::Pending,
                    Some(what) => this.fail(ExchangeEnd::Timeout {
                        what: what.to_owned(),
                    }),
                },
            };
            return Poll::Ready(match step {
                Step::More => continue,
                Step::Data(data) => Some(Ok(Frame::data(data))),
                Step::Done => None,
                Step::Failed(message) => Some(Err(message.into())),
            });
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.from {
            Origin::Pieces(pieces) if self.filter.is_none() => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            _ => SizeHint::default(),
        }
    }
}

/// Takes the event out of a stream of chat completions that only says what
/// tokens there were. An event is held back until it is complete.
#[derive(Debug, Default)]
struct UsageFilter {
    held: BytesMut,
    /// Where in `held` nothing has been looked at yet.
    seen: usize,
}

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<IgnoredAny>,
    usage: Option<IgnoredAny>,
}

impl UsageFilter {
    fn push(&mut self, data: &[u8]) -> Bytes {
        self.held.extend_from_slice(data);
        let mut out = BytesMut::new();
        while let Some(end) = self.event_end() {
            let event = self.held.split_to(end);
            self.seen = 0;
            if !is_usage(&event) {
                out.extend_from_slice(&event);
            }
        }
        if self.held.len() > EVENT {
            out.extend_from_slice(&self.held.split());
            self.seen = 0;
        }
        out.freeze()
    }

    fn finish(self) -> Bytes {
        if is_usage(&self.held) {
            return Bytes::new();
        }
        self.held.freeze()
    }

    /// Where the first complete event ends: after an empty line.
    fn event_end(&mut self) -> Option<usize> {
        let mut from = self.seen;
        while let Some(at) = memchr::memchr(b'\n', &self.held[from..]) {
            let line = from + at;
            let rest = &self.held[line + 1..];
            let empty = match rest.first() {
                Some(b'\n') => Some(1),
                Some(b'\r') if rest.get(1) == Some(&b'\n') => Some(2),
                Some(b'\r') if rest.len() == 1 => None,
                None => None,
                Some(_) => {
                    from = line + 1;
                    continue;
                }
            };
            self.seen = line;
            return empty.map(|length| line + 1 + length);
        }
        self.seen = self.held.len();
        None
    }
}

fn is_usage(event: &[u8]) -> bool {
    let mut lines = event.split(|&byte| byte == b'\n');
    lines.any(|line| {
        let Some(data) = line.strip_prefix(b"data:") else {
            return false;
        };
        let chunk = serde_json::from_slice::<Chunk>(data.trim_ascii());
        chunk.is_ok_and(|chunk| chunk.choices.is_empty() && chunk.usage.is_some())
    })
}

/// A body that is there already.
pub(super) fn whole(bytes: Bytes) -> crate::Body {
    Full::new(bytes).map_err(|never| match never {}).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_event_with_usage_goes_wherever_the_stream_is_cut() {
        let keep = "data: {\"choices\":[{\"delta\":{}}],\"usage\":null}\n\n: ping\r\n\r\n";
        let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\r\n\r\n";
        let done = "data: [DONE]\n\n";
        let text = format!("{keep}{usage}{done}");
        for at in 0..text.len() {
            let mut filter = UsageFilter::default();
            let mut out = filter.push(&text.as_bytes()[..at]).to_vec();
            out.extend_from_slice(&filter.push(&text.as_bytes()[at..]));
            out.extend_from_slice(&filter.finish());
            assert_eq!(
                String::from_utf8(out).unwrap(),
                format!("{keep}{done}"),
                "{at}"
            );
        }
    }

    #[test]
    fn an_event_is_passed_on_as_soon_as_it_is_complete() {
        let mut filter = UsageFilter::default();
        let event = b"data: {\"choices\":[1]}\n\n";
        assert_eq!(filter.push(event), &event[..]);
        assert_eq!(filter.push(b"data: x"), "");
        let long = vec![b'x'; EVENT];
        assert_eq!(filter.push(&long).len(), EVENT + 7);
    }
}
