//! What goes wrong at the upstream, and what becomes of it.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

mod common;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use common::{Answer, KEY, Setup, Trial, body, model, post, quick, request};
use http::StatusCode;
use proctor_model::gateway::{
    GatewayError, JobConfig, JobModels, Limits, MemoryRecord, Mode, ModelGateway, TrialModels,
};
use proctor_model::scripted::{Fault, Script};
use proctor_model::{ModelApi, ModelRoute, Roots};
use proctor_types::manifest::FailureKind;
use proctor_types::model::{Exchange, ExchangeEnd};
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

const API: ModelApi = ModelApi::Anthropic;

async fn trial(limits: Limits) -> Trial {
    Trial::new(Setup {
        limits: Some(limits),
        ..Setup::default()
    })
    .await
}

/// One streamed request to a server that fails.
async fn failed(limits: Limits, fault: Fault, times: usize) -> (Trial, Answer, Exchange) {
    let trial = trial(limits).await;
    trial.server.fail(&fault, times);
    let answer = trial.ask(request(API, true)).await;
    let exchange = trial.exchange();
    (trial, answer, exchange)
}

fn status(status: u16, headers: &[(&str, &str)], body: &str) -> Fault {
    let headers = headers.iter();
    Fault::Status {
        status,
        headers: headers
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
        body: body.to_owned(),
    }
}

const BUSY: &str =
    r#"{"type":"error","error":{"type":"rate_limit_error","message":"too many requests"}}"#;

#[tokio::test]
async fn a_wrong_key_is_an_authentication_failure_without_a_trace_of_the_key() {
    for api in ModelApi::ALL {
        let trial = Trial::new(Setup {
            key: Some("sk-planted-but-wrong"),
            ..Setup::default()
        });
        let trial = trial.await;
        let answer = trial.ask(request(api, true)).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert!(answer.text().contains("operator's key was not accepted"));
        assert!(!answer.text().contains("planted"), "{}", answer.text());
        let exchange = trial.exchange();
        assert_eq!(exchange.failure, Some(FailureKind::Authentication), "{api}");
        assert!(matches!(
            exchange.end,
            ExchangeEnd::Upstream { status: 401, .. }
        ));
        assert_eq!((exchange.attempts, exchange.usage), (1, None));
        assert_eq!(
            trial.gateway.summary().failure,
            Some(FailureKind::Authentication)
        );
    }
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_as_it_says() {
    for (code, header, value) in [
        (429, "retry-after-ms", "1"),
        (529, "retry-after", "0"),
        (503, "retry-after-ms", "2"),
    ] {
        let fault = status(code, &[(header, value)], BUSY);
        let (trial, answer, exchange) = failed(quick(), fault, 2).await;
        assert_eq!(answer.status, StatusCode::OK, "{code}");
        assert_eq!((exchange.attempts, exchange.end.is_ok()), (3, true));
        assert_eq!(exchange.failure, None);
        let summary = trial.gateway.summary();
        assert_eq!((summary.retries, summary.answered), (2, 1));
        assert_eq!(trial.gateway.spent().requests, 1, "it is one request");
    }
}

#[tokio::test]
async fn a_storm_of_429_ends_and_is_the_providers_failure() {
    let fault = status(429, &[("retry-after-ms", "1")], BUSY);
    let (trial, answer, exchange) = failed(quick(), fault, 100).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.text(), BUSY, "the agent gets the provider's words");
    assert_eq!(answer.headers["retry-after-ms"], "1");
    assert_eq!(exchange.attempts, 3);
    assert_eq!(exchange.failure, Some(FailureKind::RateLimit));
    assert_eq!(trial.server.seen().len(), 3);
    let reason = trial.gateway.summary().reason.unwrap();
    assert_eq!(
        reason,
        "the model's service answered 429: rate_limit_error: too many requests"
    );
}

#[tokio::test]
async fn a_hint_beyond_all_patience_is_not_waited_for() {
    let fault = status(429, &[("retry-after", "86400")], BUSY);
    let (_, answer, exchange) = failed(quick(), fault, 1).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(exchange.attempts, 1);
    let broke = r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#;
    let (_, _, exchange) = failed(quick(), status(429, &[], broke), 1).await;
    assert_eq!(exchange.attempts, 1, "money does not come by waiting");
}

#[tokio::test]
async fn a_server_error_is_passed_on_and_is_the_upstreams_failure() {
    for code in [500, 502, 504] {
        let (_, answer, exchange) = failed(quick(), status(code, &[], "<html>oops"), 1).await;
        assert_eq!(answer.status.as_u16(), code);
        assert_eq!(answer.text(), "<html>oops");
        assert_eq!((exchange.attempts, exchange.usage), (1, None));
        assert_eq!(exchange.failure, Some(FailureKind::Upstream));
        let described = exchange.end.describe();
        assert_eq!(
            described,
            format!("the model's service answered {code}: <html>oops")
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = [("location", "http://127.0.0.1:1/v1/messages")];
    let (trial, answer, exchange) = failed(quick(), status(307, &elsewhere, ""), 1).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    assert!(!answer.headers.contains_key("location"));
    assert!(matches!(
        exchange.end,
        ExchangeEnd::Upstream { status: 307, .. }
    ));
    assert_eq!(trial.server.seen().len(), 1);
}

#[tokio::test]
async fn a_stream_that_breaks_off_breaks_off_for_the_agent_too() {
    let (trial, answer, exchange) = failed(quick(), Fault::Cut { pieces: 3 }, 1).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text().starts_with("event: message_start"));
    assert!(answer.error.is_some(), "it must not look complete");
    assert!(
        matches!(exchange.end, ExchangeEnd::Cut { .. }),
        "{:?}",
        exchange.end
    );
    assert_eq!(exchange.failure, Some(FailureKind::Upstream));
    assert_eq!(exchange.attempts, 1, "the agent has the beginning already");
    // It is paid for, as far as is known.
    assert!(exchange.estimated);
    assert_eq!(exchange.usage.unwrap().input, 100);
    assert!(trial.gateway.spent().usd > 0.0);

    let (_, answer, exchange) = failed(quick(), Fault::EndEarly { pieces: 3 }, 1).await;
    assert_eq!(answer.error, None);
    let described = exchange.end.describe();
    assert_eq!(
        described,
        "the reply broke off: it ends before its last event"
    );
}

#[tokio::test]
async fn an_endless_stream_comes_to_an_end() {
    let fault = Fault::Endless {
        every: Duration::from_millis(20),
    };
    let (_, answer, exchange) = failed(quick(), fault, 1).await;
    assert_eq!(
        answer.error.as_deref(),
        Some("the whole reply took too long")
    );
    assert!(matches!(exchange.end, ExchangeEnd::Timeout { .. }));
    assert!(exchange.clock.total_ms >= 900.0, "{:?}", exchange.clock);
    assert_eq!(exchange.failure, Some(FailureKind::Upstream));
}

#[tokio::test]
async fn silence_is_waited_out_only_so_long() {
    let (_, answer, exchange) = failed(quick(), Fault::Stall { pieces: 2 }, 1).await;
    assert_eq!(
        answer.error.as_deref(),
        Some("the next piece of the reply took too long")
    );
    assert!(matches!(exchange.end, ExchangeEnd::Timeout { .. }));

    let (_, answer, exchange) = failed(quick(), Fault::Hang, 1).await;
    assert_eq!(answer.status, StatusCode::GATEWAY_TIMEOUT);
    assert_eq!(
        exchange.end.describe(),
        "the reply's first byte took too long"
    );
    assert_eq!(exchange.failure, Some(FailureKind::Upstream));
    assert!(exchange.estimated, "the model may have read the prompt");
}

#[tokio::test]
async fn a_reply_of_200_mb_is_cut_off() {
    let fault = Fault::Huge { bytes: 200 << 20 };
    let (_, answer, exchange) = failed(Limits::default(), fault, 1).await;
    let limit = Limits::default().reply_bytes;
    assert_eq!(exchange.end, ExchangeEnd::TooLarge { limit });
    assert!(answer.error.is_some());
    assert!(answer.body.len() as u64 <= limit);
    assert!(answer.body.len() as u64 > limit / 2);
    let excerpt = exchange.reply.unwrap();
    assert!(excerpt.truncated && excerpt.text.len() <= Limits::default().excerpt);
}

#[tokio::test]
async fn what_is_no_json_is_passed_on_and_recorded_as_that() {
    let (_, answer, exchange) = failed(quick(), Fault::Garbage, 1).await;
    assert_eq!(
        (answer.status, answer.error.as_deref()),
        (StatusCode::OK, None)
    );
    let ExchangeEnd::Invalid { reason } = exchange.end else {
        panic!("{:?}", exchange.end)
    };
    assert!(reason.starts_with("event 1: it is no JSON"), "{reason}");
    assert_eq!(exchange.failure, Some(FailureKind::Upstream));

    let trial = trial(quick()).await;
    trial.server.fail(&status(200, &[], "{\"type\":"), 1);
    trial.ask(request(API, false)).await;
    assert!(matches!(trial.exchange().end, ExchangeEnd::Invalid { .. }));
}

#[tokio::test]
async fn a_packed_reply_is_passed_on_and_recorded_as_unreadable() {
    let (_, answer, exchange) = failed(quick(), Fault::Packed, 1).await;
    assert_eq!(answer.headers["content-encoding"], "gzip");
    let described = exchange.end.describe();
    assert!(described.contains("packed (gzip)"), "{described}");
    assert!(exchange.estimated);
}

#[tokio::test]
async fn a_conversation_that_does_not_fit_is_the_agents() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}"#;
    let (_, answer, exchange) = failed(quick(), status(400, &[], body), 1).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(exchange.failure, Some(FailureKind::Context));
}

#[tokio::test]
async fn a_404_is_the_upstreams_failure_only_where_it_means_the_model() {
    let model =
        r#"{"type":"error","error":{"type":"not_found_error","message":"claude-sonnet-4-5"}}"#;
    let other = r#"{"error":{"message":"no model","code":"previous_response_not_found"}}"#;
    for (body, failure) in [(model, Some(FailureKind::Upstream)), (other, None)] {
        let (trial, answer, exchange) = failed(quick(), status(404, &[], body), 1).await;
        assert_eq!(answer.text(), body);
        assert_eq!(exchange.failure, failure);
        assert_eq!(trial.gateway.summary().failure, failure);
    }
}

#[tokio::test]
async fn a_model_that_refuses_is_a_refusal() {
    let trial = Trial::new(Setup {
        script: Some("steps: [{say: I will not., stop: refusal}]"),
        ..Setup::default()
    });
    let trial = trial.await;
    trial.ask(request(API, true)).await;
    let exchange = trial.exchange();
    assert!(exchange.end.is_ok());
    assert_eq!(exchange.failure, Some(FailureKind::Refusal));
    let reason = trial.gateway.summary().reason;
    assert_eq!(reason.as_deref(), Some("the model stopped: refusal"));
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_said_to_be_unreachable() {
    let trial = trial(quick()).await;
    let Trial {
        server,
        gateway,
        record,
        ..
    } = trial;
    drop(server);
    // The port is free only when the server's task is gone.
    tokio::task::yield_now().await;
    let answer = Answer::read(gateway.respond(request(API, true)).await).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    let exchange = record.exchanges().remove(0);
    assert!(
        matches!(exchange.end, ExchangeEnd::Unreachable { .. }),
        "{:?}",
        exchange.end
    );
    assert_eq!(
        (exchange.failure, exchange.usage),
        (Some(FailureKind::Upstream), None)
    );
}

#[tokio::test]
async fn an_upstream_that_hangs_up_may_have_begun_and_is_asked_only_once() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let upstream = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read(&mut [0; 1 << 10]).await.unwrap()
    });
    let job = JobModels::new(JobConfig {
        limits: quick(),
        ..JobConfig::default()
    });
    let route = ModelRoute::new(API, vec![model(API).to_owned()], None);
    let trial = TrialModels {
        routes: vec![route.at(&address).unwrap()],
        ..TrialModels::default()
    };
    let record = Arc::new(MemoryRecord::default());
    let gateway = ModelGateway::new(&job.unwrap(), trial, record.clone()).unwrap();
    let answer = Answer::read(gateway.respond(request(API, true)).await).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    assert!(upstream.await.unwrap() > 0, "it had a request");
    let exchange = record.exchanges().remove(0);
    let described = exchange.end.describe();
    assert!(described.contains("the connection broke"), "{described}");
    assert_eq!(exchange.failure, Some(FailureKind::Upstream));
    assert_eq!(exchange.attempts, 1);
    assert!(exchange.estimated && exchange.usage.unwrap().input > 0);
}

#[tokio::test]
async fn an_estimate_is_of_what_the_model_reads_and_not_of_what_was_sent() {
    let trial = trial(quick()).await;
    trial.server.fail(&Fault::Hang, 1);
    let text = json!({
        "model": model(API), "max_tokens": 1,
        "messages": [{"role": "user", "content": "go ".repeat(10_000)}],
    });
    let text = text.to_string();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let packed = gzip.finish().unwrap();
    let sent = packed.len() as u64;
    let mut request = post(API.host(), "/v1/messages", &json!({}));
    let headers = request.headers_mut();
    headers.insert("content-encoding", "gzip".parse().unwrap());
    *request.body_mut() = body(packed);
    assert_eq!(trial.ask(request).await.status, StatusCode::GATEWAY_TIMEOUT);
    let exchange = trial.exchange();
    assert_eq!(exchange.request_bytes, sent);
    assert_eq!(exchange.usage.unwrap().input, text.len() as u64 / 4);
}

#[tokio::test]
async fn certificates_are_read_only_where_an_upstream_is_asked() {
    let job = JobModels::new(JobConfig {
        roots: Roots::Only(b"none".to_vec()),
        ..JobConfig::default()
    });
    let job = job.unwrap();
    let gateway = |mode| {
        let trial = TrialModels {
            routes: vec![ModelRoute::new(API, vec![model(API).to_owned()], None)],
            mode,
            ..TrialModels::default()
        };
        ModelGateway::new(&job, trial, Arc::new(MemoryRecord::default()))
    };
    let script = Script::parse(common::SCRIPT).unwrap();
    gateway(Mode::Scripted(script)).unwrap();
    let error = gateway(Mode::Live).unwrap_err();
    assert!(matches!(error, GatewayError::Transport(_)), "{error}");
}

#[test]
fn the_requests_that_a_trial_can_have_at_once_fit_into_memory() {
    let limits = Limits::default();
    assert!(limits.request_bytes * limits.in_flight <= 512 << 20);
}

#[tokio::test]
async fn a_failure_that_was_got_over_is_none_of_the_trials() {
    let trial = trial(quick()).await;
    trial.server.fail(&status(500, &[], ""), 1);
    trial.ask(request(API, true)).await;
    assert_eq!(trial.gateway.summary().failure, Some(FailureKind::Upstream));
    trial.ask(request(API, true)).await;
    let summary = trial.gateway.summary();
    assert_eq!(
        (summary.failure, summary.failed, summary.answered),
        (None, 1, 1)
    );
}

#[tokio::test]
async fn a_key_that_is_sent_back_reaches_nobody() {
    for code in [200, 400, 500] {
        for stream in [true, false] {
            let trial = trial(quick()).await;
            trial.server.fail(&Fault::EchoKey { status: code }, 1);
            let answer = trial.ask(request(API, stream)).await;
            assert!(answer.text().contains("you sent ****"), "{}", answer.text());
            let exchange = trial.exchange();
            let record = format!(
                "{}{exchange:?}{:?}{:?}",
                serde_json::to_string(&exchange).unwrap(),
                trial.gateway,
                trial.job,
            );
            for text in [answer.text(), &record] {
                assert!(
                    !text.contains(KEY) && !text.contains("operator-0001"),
                    "{text}"
                );
            }
        }
    }
}
