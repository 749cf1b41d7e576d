//! Agents that hang up, or do not read, and what becomes of their requests.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{Setup, Trial, model, post, request};
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use proctor_model::cassette::Recorder;
use proctor_model::gateway::{Budget, Limits, Mode};
use proctor_model::scripted::{Fault, Script};
use proctor_model::{Body, ModelApi};
use proctor_types::manifest::FailureKind;
use proctor_types::model::ExchangeEnd;
use serde_json::json;

const API: ModelApi = ModelApi::Anthropic;
/// More pieces than any reply has: nothing is missing, but it does not end.
const ALL: Fault = Fault::Stall { pieces: 1000 };

async fn recorded() -> (Trial, Arc<Recorder>) {
    let recorder = Recorder::new(Box::new(std::io::sink())).unwrap();
    let trial = Trial::new(Setup {
        mode: Mode::Record(Arc::clone(&recorder)),
        ..Setup::default()
    });
    (trial.await, recorder)
}

async fn scripted() -> Trial {
    let script = Script::parse(common::SCRIPT).unwrap();
    let trial = Trial::new(Setup {
        mode: Mode::Scripted(script),
        ..Setup::default()
    });
    trial.await
}

fn count_tokens() -> Request<Body> {
    let value = json!({"model": model(API), "messages": []});
    post(API.host(), "/v1/messages/count_tokens", &value)
}

/// Reads a reply until it has said `text`, and hangs up.
async fn hang_up_after(trial: &Trial, request: Request<Body>, text: &str) {
    let mut body = trial.gateway.respond(request).await.into_body();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(text) {
        let frame = body.frame().await.expect("it is not over before").unwrap();
        read.extend_from_slice(frame.data_ref().unwrap());
    }
}

#[tokio::test]
async fn after_the_last_event_nothing_is_missing() {
    let last = "{\"type\":\"message_stop\"}\n\n";
    let (live, recorder) = recorded().await;
    live.server.fail(&ALL, 1);
    let scripted = scripted().await;
    for trial in [&live, &scripted] {
        hang_up_after(trial, request(API, true), last).await;
        let exchange = trial.exchange();
        assert_eq!(exchange.end, ExchangeEnd::Ok);
        assert!(!exchange.estimated);
    }
    assert_eq!(recorder.finish().unwrap(), 1);
}

#[tokio::test]
async fn what_is_passed_on_without_a_look_is_complete_only_at_its_end() {
    let (live, recorder) = recorded().await;
    let scripted = scripted().await;
    for trial in [&live, &scripted] {
        drop(trial.gateway.respond(count_tokens()).await);
        assert_eq!(trial.exchange().end, ExchangeEnd::Abandoned);
    }
    assert_eq!(recorder.finish().unwrap(), 0, "no empty reply is kept");
    // Of known length, and dropped with its last byte.
    hang_up_after(&scripted, count_tokens(), "}").await;
    assert_eq!(scripted.record.exchanges()[1].end, ExchangeEnd::Ok);
    assert_eq!(live.ask(count_tokens()).await.status, StatusCode::OK);
    assert_eq!(live.record.exchanges()[1].end, ExchangeEnd::Ok);
    assert_eq!(recorder.finish().unwrap(), 1);
}

#[tokio::test]
async fn a_chat_that_may_lack_its_last_events_is_not_kept() {
    let (trial, recorder) = recorded().await;
    let chat = || request(ModelApi::OpenaiChat, true);
    let whole = trial.ask(chat()).await;
    assert_eq!(recorder.finish().unwrap(), 1);
    // The event that counts tokens came before `[DONE]` and was taken out.
    let events = whole.text().matches("data: ").count();
    let pieces = events - 1;
    trial.server.fail(&Fault::Stall { pieces }, 1);
    hang_up_after(&trial, chat(), "\"finish_reason\":\"tool_calls\"").await;
    let exchange = trial.record.exchanges().remove(1);
    assert_eq!((exchange.end, exchange.estimated), (ExchangeEnd::Ok, true));
    assert_eq!(recorder.finish().unwrap(), 1);

    trial.server.fail(&ALL, 1);
    hang_up_after(&trial, chat(), "data: [DONE]\n\n").await;
    assert!(!trial.record.exchanges()[2].estimated);
    assert_eq!(recorder.finish().unwrap(), 2);
}

fn busy() -> Fault {
    Fault::Status {
        status: 429,
        headers: vec![("retry-after-ms".to_owned(), "1".to_owned())],
        body: r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#.to_owned(),
    }
}

#[tokio::test]
async fn an_agent_that_gives_up_on_a_busy_provider_was_not_served() {
    let trial = Trial::new(Setup::default()).await;
    trial.server.fail(&busy(), 1);
    trial.server.fail(&Fault::Hang, 1);
    let gateway = trial.gateway.clone();
    let asking = tokio::spawn(async move { gateway.respond(request(API, true)).await });
    let asked_again = async {
        while trial.server.seen().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_mins(1), asked_again).await;
    in_time.expect("it is asked again");
    asking.abort();
    assert!(asking.await.is_err_and(|error| error.is_cancelled()));
    let exchange = trial.exchange();
    assert_eq!(exchange.end, ExchangeEnd::Abandoned);
    assert_eq!(exchange.failure, Some(FailureKind::RateLimit));
    assert_eq!(
        trial.gateway.summary().failure,
        Some(FailureKind::RateLimit)
    );
}

#[tokio::test]
async fn an_agent_that_hangs_up_on_a_reply_was_served() {
    let trial = Trial::new(Setup::default()).await;
    trial.server.fail(&busy(), 1);
    trial.server.fail(&Fault::Stall { pieces: 1 }, 1);
    hang_up_after(&trial, request(API, true), "message_start").await;
    let exchange = trial.exchange();
    assert_eq!((exchange.attempts, exchange.failure), (2, None));
    assert_eq!(exchange.end, ExchangeEnd::Abandoned);
}

#[tokio::test]
async fn a_reply_that_is_not_read_does_not_keep_others_waiting_for_ever() {
    let trial = Trial::new(Setup {
        limits: Some(Limits {
            total: Duration::from_millis(300),
            ..Limits::default()
        }),
        budget: Budget {
            tokens: Some(50),
            ..Budget::default()
        },
        ..Setup::default()
    });
    let trial = trial.await;
    let unread = trial.gateway.respond(request(API, true)).await;
    let answer = trial.ask(request(API, true)).await;
    assert_eq!(answer.status, StatusCode::PAYMENT_REQUIRED);
    let reason = "reserved what is left of this trial's budget, took too long";
    assert!(answer.text().contains(reason), "{}", answer.text());
    let exchange = trial.exchange();
    assert!(matches!(exchange.end, ExchangeEnd::Timeout { .. }));
    assert_eq!(
        (exchange.failure, exchange.attempts, exchange.usage),
        (Some(FailureKind::Budget), 0, None)
    );
    assert_eq!(trial.server.seen().len(), 1);
    drop(unread);
}
