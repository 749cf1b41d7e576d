//! What can go wrong with a model's service, on demand.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use hyper::body::{Body as HttpBody, Frame};
use tokio::time::Interval;

use crate::BoxError;
use crate::gateway::Ready;

/// Something that goes wrong with one answer of a [`super::Server`].
#[derive(Debug, Clone)]
pub enum Fault {
    /// Another answer altogether.
    Status {
        /// HTTP status.
        status: u16,
        /// Header fields besides the media type, which is JSON.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The connection breaks after so many pieces.
    Cut {
        /// Pieces that are sent.
        pieces: usize,
    },
    /// The answer ends after so many pieces as if it were complete.
    EndEarly {
        /// Pieces that are sent.
        pieces: usize,
    },
    /// Nothing more comes after so many pieces.
    Stall {
        /// Pieces that are sent.
        pieces: usize,
    },
    /// No answer comes.
    Hang,
    /// Events that say nothing follow the first piece for ever.
    Endless {
        /// Time between two of them.
        every: Duration,
    },
    /// Text follows the first piece until the answer has so many bytes.
    Huge {
        /// Bytes.
        bytes: u64,
    },
    /// What comes is no JSON.
    Garbage,
    /// The answer says that it is packed.
    Packed,
    /// The answer holds the key that the request came with.
    EchoKey {
        /// HTTP status.
        status: u16,
    },
}

/// A body that may go wrong.
#[derive(Debug)]
pub(super) struct FaultBody {
    pieces: VecDeque<Bytes>,
    then: Then,
}

/// What follows the pieces.
#[derive(Debug)]
enum Then {
    End,
    /// An error; once everything before it is on its way.
    Break {
        flushed: bool,
    },
    Silence,
    Tick(Interval),
    Fill(u64),
}

const PING: &[u8] = b": nothing\n\n";
const FILLER: &[u8] = b"data: {\"type\":\"ping\",\"choices\":[],\"filler\":\"................................................................................................................................................................................................................................................................................................................\"}\n\n";

impl FaultBody {
    pub(super) fn whole(pieces: VecDeque<Bytes>) -> Self {
        Self {
            pieces,
            then: Then::End,
        }
    }
}

impl Fault {
    /// Status, fields and body in the place of a reply. None for no answer.
    pub(super) fn apply(
        &self,
        reply: Ready,
        key: &str,
    ) -> Option<(StatusCode, HeaderMap, FaultBody)> {
        let Ready {
            mut status,
            mut headers,
            mut pieces,
        } = reply;
        let then = match self {
            Self::Hang => return None,
            Self::Status {
                status: other,
                headers: fields,
                body,
            } => {
                status = StatusCode::from_u16(*other).unwrap_or(status);
                headers = json_fields();
                for (name, value) in fields {
                    if let (Ok(name), Ok(value)) =
                        (name.parse::<HeaderName>(), value.parse::<HeaderValue>())
                    {
                        headers.insert(name, value);
                    }
                }
                pieces = VecDeque::from([Bytes::from(body.clone())]);
                Then::End
            }
            Self::Cut { pieces: most } => {
                pieces.truncate(*most);
                Then::Break { flushed: false }
            }
            Self::EndEarly { pieces: most } => {
                pieces.truncate(*most);
                Then::End
            }
            Self::Stall { pieces: most } => {
                pieces.truncate(*most);
                Then::Silence
            }
            Self::Endless { every } => {
                pieces.truncate(1);
                Then::Tick(tokio::time::interval(*every))
            }
            Self::Huge { bytes } => {
                pieces.truncate(1);
                Then::Fill(*bytes)
            }
            Self::Garbage => {
                pieces = VecDeque::from([Bytes::from_static(b"data: {\"what\": is this\n\n")]);
                Then::End
            }
            Self::Packed => {
                headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                Then::End
            }
            Self::EchoKey { status: other } => {
                status = StatusCode::from_u16(*other).unwrap_or(status);
                let text = format!("data: {{\"error\":{{\"message\":\"you sent {key}\"}}}}\n\n");
                // In two pieces, with the key across the border.
                let (first, second) = text.split_at(text.len() - 20);
                pieces = VecDeque::from([first, second].map(|it| Bytes::from(it.to_owned())));
                Then::End
            }
        };
        Some((status, headers, FaultBody { pieces, then }))
    }
}

fn json_fields() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers
}

impl HttpBody for FaultBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Some(piece) = this.pieces.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let piece = match &mut this.then {
            Then::End => return Poll::Ready(None),
            Then::Break { flushed: true } => {
                return Poll::Ready(Some(Err("broken on purpose".into())));
            }
            Then::Break { flushed } => {
                // The server flushes when there is nothing more for now.
                *flushed = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Then::Silence => return Poll::Pending,
            Then::Tick(interval) => {
                if interval.poll_tick(cx).is_pending() {
                    return Poll::Pending;
                }
                PING
            }
            Then::Fill(left) => {
                if *left == 0 {
                    return Poll::Ready(None);
                }
                *left = left.saturating_sub(FILLER.len() as u64);
                FILLER
            }
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(piece)))))
    }
}
