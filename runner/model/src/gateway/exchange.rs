//! An exchange while it lasts.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http::request::Parts;
use jiff::Timestamp;
use proctor_types::manifest::FailureKind;
use proctor_types::model::{Cost, Excerpt, Exchange, ExchangeClock, ExchangeEnd, Usage};
use tokio::sync::OwnedSemaphorePermit;

use super::Trial;
use super::budget::Reservation;
use crate::prices;
use crate::redact::Redactor;
use crate::tap::Seen;

/// Bytes of a path that are kept.
const PATH: usize = 512;

/// One exchange, from the request's arrival to the reply's end. There is always
/// a record of it: what is dropped was abandoned by the agent.
pub(super) struct Pending {
    trial: Arc<Trial>,
    /// None when it is over.
    exchange: Option<Exchange>,
    began: Instant,
    reservations: Vec<Reservation>,
    /// Bytes of the request's body, unpacked: what the model reads.
    prompt: u64,
    /// Whether a model is asked for a reply.
    counts: bool,
    /// Whether a model may have read the request: then it is paid for, whatever
    /// comes of it.
    asked: bool,
    /// What this is as a failure, where the end does not say by itself.
    failure: Option<FailureKind>,
    reply: Collected,
    _permit: Option<OwnedSemaphorePermit>,
}

/// The beginning of a reply.
#[derive(Debug, Default)]
struct Collected {
    bytes: Vec<u8>,
    more: bool,
}

impl Pending {
    pub(super) fn new(
        trial: &Arc<Trial>,
        parts: &Parts,
        host: &str,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let mut path = parts.uri.path().chars().take(PATH).collect::<String>();
        if let Some(query) = parts.uri.query() {
            path.push('?');
            path.extend(shown_query(query).chars().take(PATH));
        }
        let exchange = Exchange {
            seq: trial.next.fetch_add(1, Ordering::Relaxed),
            clock: ExchangeClock {
                started: Timestamp::now().to_string(),
                ..ExchangeClock::default()
            },
            method: parts.method.as_str().chars().take(32).collect(),
            host: host.to_owned(),
            path: trial.redactor.text(&path),
            api: None,
            asked: None,
            rewritten: None,
            answered: None,
            removed: Vec::new(),
            streamed: false,
            status: None,
            attempts: 0,
            usage: None,
            estimated: false,
            cost: None,
            tool_calls: Vec::new(),
            stop: None,
            request_bytes: 0,
            reply_bytes: 0,
            end: ExchangeEnd::Abandoned,
            failure: None,
            request: None,
            reply: None,
        };
        Self {
            trial: Arc::clone(trial),
            exchange: Some(exchange),
            began: Instant::now(),
            reservations: Vec::new(),
            prompt: 0,
            counts: false,
            asked: false,
            failure: None,
            reply: Collected::default(),
            _permit: permit,
        }
    }

    pub(super) fn trial(&self) -> &Arc<Trial> {
        &self.trial
    }

    /// Changes the record, while there is one.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&mut Exchange)) {
        if let Some(exchange) = &mut self.exchange {
            edit(exchange);
        }
    }

    /// The time since the request was complete starts now. `body` is unpacked;
    /// the agent sent `sent` bytes.
    pub(super) fn complete(&mut self, body: &[u8], sent: u64) {
        self.began = Instant::now();
        self.prompt = body.len() as u64;
        let most = self.trial.job.limits.excerpt;
        let excerpt = excerpt(&self.trial.redactor, body, most);
        self.edit(|it| {
            it.clock.started = Timestamp::now().to_string();
            it.request_bytes = sent;
            it.request = excerpt;
        });
    }

    pub(super) fn counts(&mut self) {
        self.counts = true;
    }

    pub(super) fn reserved(&mut self, reservations: Vec<Reservation>) {
        self.reservations = reservations;
    }

    /// The upstream is asked once more.
    pub(super) fn attempt(&mut self) {
        self.asked = true;
        self.edit(|it| it.attempts += 1);
    }

    /// The last attempt reached nobody, or was refused: nothing to pay for.
    pub(super) fn unpaid(&mut self) {
        self.asked = false;
    }

    pub(super) fn waited(&mut self, wait: Duration) {
        self.edit(|it| it.clock.waited_ms += ms(wait));
    }

    pub(super) fn failure(&mut self, failure: Option<FailureKind>) {
        self.failure = failure;
    }

    /// A piece of the reply goes to the agent.
    pub(super) fn sends(&mut self, data: &[u8]) {
        let began = self.began;
        let most = self.trial.job.limits.excerpt;
        let room = most.saturating_sub(self.reply.bytes.len());
        if room > 0 {
            self.reply
                .bytes
                .extend_from_slice(&data[..data.len().min(room)]);
        }
        self.reply.more |= data.len() > room;
        self.edit(|it| {
            it.clock
                .first_byte_ms
                .get_or_insert_with(|| ms(began.elapsed()));
            it.reply_bytes += data.len() as u64;
        });
    }

    /// Ends it without a look at a reply.
    pub(super) fn end(mut self, end: ExchangeEnd) {
        self.finish(end, &mut Seen::default());
    }

    /// Ends it with what the reply showed.
    pub(super) fn finish(&mut self, end: ExchangeEnd, seen: &mut Seen) {
        let Some(mut exchange) = self.exchange.take() else {
            return;
        };
        exchange.clock.total_ms = ms(self.began.elapsed());
        exchange.answered = seen.model.take();
        exchange.tool_calls = std::mem::take(&mut seen.tool_calls);
        exchange.stop = seen.stop.take();
        if self.counts && self.asked {
            let (usage, estimated) = tokens(seen, self.prompt, &end);
            exchange.usage = usage;
            exchange.estimated = estimated;
        }
        let amount = self.price(&mut exchange);
        let tokens = exchange.usage.map_or(0, |usage| usage.total());
        for reservation in self.reservations.drain(..) {
            reservation.settle(tokens, amount);
        }
        let reply = std::mem::take(&mut self.reply);
        exchange.reply =
            excerpt(&self.trial.redactor, &reply.bytes, usize::MAX).map(|it| Excerpt {
                truncated: reply.more,
                ..it
            });
        exchange.failure = self.failure.or_else(|| failure_of(&end));
        exchange.end = end;
        tracing::debug!(
            seq = exchange.seq,
            host = exchange.host,
            status = exchange.status,
            end = exchange.end.describe(),
            "model exchange"
        );
        self.trial.note(exchange, self.counts);
    }

    /// Prices the exchange's tokens: by the model that answered, or, where its
    /// price is not known, by the one that was asked.
    fn price(&self, exchange: &mut Exchange) -> prices::Pico {
        let Some(usage) = exchange.usage else {
            return 0;
        };
        let table = &self.trial.job.prices;
        let names = [&exchange.answered, &exchange.rewritten, &exchange.asked];
        let amount = names
            .into_iter()
            .flatten()
            .find_map(|model| table.amount(model, &usage));
        exchange.cost = amount.map(|amount| Cost {
            usd: prices::usd(amount),
            prices: table.version().to_owned(),
        });
        amount.unwrap_or(0)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.finish(ExchangeEnd::Abandoned, &mut Seen::default());
    }
}

/// The tokens of a reply, and whether they are an estimate. Four bytes a token
/// is what providers say of English; a reply that ended early is not free, or
/// an agent could hang up before the last event of each. `prompt` is in bytes.
fn tokens(seen: &Seen, prompt: u64, end: &ExchangeEnd) -> (Option<Usage>, bool) {
    if seen.counted {
        return (seen.usage, false);
    }
    let paid = matches!(
        end,
        ExchangeEnd::Ok
            // Only where there was a connection: it is `unpaid` otherwise.
            | ExchangeEnd::Unreachable { .. }
            | ExchangeEnd::Cut { .. }
            | ExchangeEnd::Abandoned
            | ExchangeEnd::TooLarge { .. }
            | ExchangeEnd::Timeout { .. }
            | ExchangeEnd::Invalid { .. }
    );
    if !paid && seen.usage.is_none() {
        return (None, false);
    }
    let mut usage = seen.usage.unwrap_or(Usage {
        input: prompt / 4,
        ..Usage::default()
    });
    usage.output = usage.output.max(seen.written / 4);
    (Some(usage), true)
}

/// What an end is as a failure, where it says so by itself.
pub(super) fn failure_of(end: &ExchangeEnd) -> Option<FailureKind> {
    match end {
        ExchangeEnd::Unreachable { .. }
        | ExchangeEnd::Cut { .. }
        | ExchangeEnd::TooLarge { .. }
        | ExchangeEnd::Timeout { .. }
        | ExchangeEnd::Invalid { .. }
        | ExchangeEnd::CassetteMismatch { .. }
        | ExchangeEnd::Script { .. } => Some(FailureKind::Upstream),
        ExchangeEnd::Budget { .. } => Some(FailureKind::Budget),
        ExchangeEnd::Ok
        | ExchangeEnd::Refused { .. }
        | ExchangeEnd::Upstream { .. }
        | ExchangeEnd::Abandoned => None,
    }
}

/// A query without the values of parameters that hold keys.
fn shown_query(query: &str) -> String {
    let shown = query.split('&').map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let lower = name.to_ascii_lowercase();
        let secret = ["key", "token", "secret", "auth"];
        if secret.iter().any(|it| lower.contains(it)) {
            format!("{name}=***")
        } else {
            pair.to_owned()
        }
    });
    shown.collect::<Vec<_>>().join("&")
}

fn excerpt(redactor: &Redactor, body: &[u8], most: usize) -> Option<Excerpt> {
    if body.is_empty() || most == 0 {
        return None;
    }
    // A key may lie across the end: blanked before it is cut.
    let beyond = most.saturating_add(8 << 10).min(body.len());
    let text = redactor.text(&String::from_utf8_lossy(&body[..beyond]));
    Some(Excerpt {
        text: text[..text.floor_char_boundary(most)].to_owned(),
        truncated: body.len() > most,
    })
}

fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_queries_are_not_shown() {
        assert_eq!(
            shown_query("alt=sse&key=planted&Access_Token=planted"),
            "alt=sse&key=***&Access_Token=***"
        );
    }

    #[test]
    fn excerpts_are_cut_between_letters() {
        let of = |most| excerpt(&Redactor::default(), "a\u{e4}b".as_bytes(), most);
        let cut = |text: &str| {
            Some(Excerpt {
                text: text.to_owned(),
                truncated: true,
            })
        };
        assert_eq!((of(0), of(1), of(2)), (None, cut("a"), cut("a")));
        assert_eq!(of(3), cut("a\u{e4}"));
        let whole = of(usize::MAX).unwrap();
        assert_eq!((whole.text.as_str(), whole.truncated), ("a\u{e4}b", false));
    }

    #[test]
    fn a_reply_that_ended_early_is_estimated() {
        let cut = ExchangeEnd::Cut {
            reason: String::new(),
        };
        let mut seen = Seen {
            written: 400,
            ..Seen::default()
        };
        let (usage, estimated) = tokens(&seen, 4000, &cut);
        let usage = usage.unwrap();
        assert_eq!((usage.input, usage.output, estimated), (1000, 100, true));
        // What the provider said of the prompt goes before the estimate.
        seen.usage = Some(Usage {
            input: 7,
            output: 1,
            ..Usage::default()
        });
        let usage = tokens(&seen, 4000, &ExchangeEnd::Abandoned).0.unwrap();
        assert_eq!((usage.input, usage.output), (7, 100));
        let refused = ExchangeEnd::Refused {
            reason: String::new(),
        };
        assert_eq!(tokens(&Seen::default(), 4000, &refused), (None, false));
    }
}
