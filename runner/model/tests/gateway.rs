//! What passes the gateway, in all protocols, and what does not.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

mod common;

use std::io::Write as _;
use std::sync::{Arc, Mutex};

use common::{AGENTS_KEY, KEY, Setup, Trial, body, model, post, request, request_for};
use http::{Request, StatusCode};
use proctor_model::cassette::{Cassette, Recorder};
use proctor_model::gateway::{
    Budget, GatewayError, JobConfig, JobModels, JsonLines, MemoryRecord, Mode, ModelGateway,
    Record as _, TrialModels,
};
use proctor_model::scripted::{Fault, Script};
use proctor_model::{ModelApi, ModelRoute};
use proctor_types::manifest::FailureKind;
use proctor_types::model::{BudgetKind, BudgetScope, Exchange, ExchangeEnd};
use serde_json::json;

#[tokio::test]
async fn every_protocol_passes_streamed_and_whole_and_is_counted() {
    for api in ModelApi::ALL {
        for stream in [false, true] {
            let trial = Trial::new(Setup::default()).await;
            assert!(trial.gateway.owns(api.host()));
            let answer = trial.ask(request(api, stream)).await;
            assert_eq!(answer.status, StatusCode::OK, "{api}: {}", answer.text());
            assert_eq!(answer.error, None);
            assert!(answer.text().contains("I will write the file."));

            let exchange = trial.exchange();
            assert_eq!(exchange.end, ExchangeEnd::Ok, "{api} {stream}");
            assert_eq!(exchange.api.as_deref(), Some(api.name()));
            assert_eq!(exchange.asked.as_deref(), Some(model(api)));
            assert_eq!(exchange.answered.as_deref(), Some(model(api)));
            assert_eq!((exchange.streamed, exchange.attempts), (stream, 1));
            assert_eq!(exchange.status, Some(200));
            assert_eq!(exchange.reply_bytes, answer.body.len() as u64);
            assert_eq!(exchange.tool_calls.len(), 1);
            assert!(exchange.stop.is_some() && !exchange.estimated);
            let usage = exchange.usage.unwrap();
            assert_eq!(
                (usage.input, usage.cache_read, usage.output),
                (100, 5, 20),
                "{api}"
            );
            let wrote = if api == ModelApi::Anthropic { 7 } else { 0 };
            assert_eq!(usage.cache_write, wrote);
            let cost = exchange.cost.unwrap();
            let expected = trial.job.prices().cost(model(api), &usage).unwrap();
            assert!(cost.usd > 0.0);
            assert_eq!(cost, expected);
            assert!((trial.gateway.spent().usd - cost.usd).abs() < 1e-12);
            assert_eq!(trial.job.spent(), trial.gateway.spent());

            // The operator's key goes out in the place of the agent's.
            let seen = &trial.server.seen()[0];
            let shown = format!("{} {:?}", seen.uri, seen.headers);
            assert!(!shown.contains(AGENTS_KEY), "{shown}");
            assert!(seen.headers.values().any(|it| {
                it.to_str()
                    .is_ok_and(|it| it.trim_start_matches("Bearer ") == KEY)
            }));
            assert_eq!(seen.headers["accept-encoding"], "identity");
        }
    }
}

#[tokio::test]
async fn a_stream_of_chat_is_counted_and_the_agent_sees_what_it_asked_for() {
    let trial = Trial::new(Setup::default()).await;
    let answer = trial.ask(request(ModelApi::OpenaiChat, true)).await;
    let sent: serde_json::Value = serde_json::from_slice(&trial.server.seen()[0].body).unwrap();
    assert_eq!(sent["stream_options"]["include_usage"], json!(true));
    assert!(
        !answer.text().contains("prompt_tokens"),
        "{}",
        answer.text()
    );
    assert!(answer.text().ends_with("data: [DONE]\n\n"));
    assert_eq!(trial.exchange().usage.unwrap().output, 20);
}

#[tokio::test]
async fn pieces_are_passed_on_as_they_come() {
    use http_body_util::BodyExt as _;
    let trial = Trial::new(Setup::default()).await;
    trial.server.fail(&Fault::Stall { pieces: 1 }, 1);
    let response = trial
        .gateway
        .respond(request(ModelApi::Anthropic, true))
        .await;
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"event: message_start"));
    assert!(trial.record.exchanges().is_empty(), "it is not over");
    drop(body);
    let exchange = trial.exchange();
    assert_eq!(exchange.end, ExchangeEnd::Abandoned);
    // What the stream said of the prompt is paid for.
    assert_eq!(exchange.usage.unwrap().input, 100);
    assert!(exchange.estimated && exchange.failure.is_none());
    assert!(trial.gateway.spent().tokens >= 100);
}

#[tokio::test]
async fn other_models_endpoints_and_hosts_are_refused_in_the_apis_own_shape() {
    for (api, pointer) in [
        (ModelApi::Anthropic, "/error/type"),
        (ModelApi::OpenaiChat, "/error/code"),
        (ModelApi::OpenaiResponses, "/error/code"),
        (ModelApi::Gemini, "/error/status"),
    ] {
        let trial = Trial::new(Setup::default()).await;
        let answer = trial.ask(request_for(api, "other-model", true)).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        let kind = answer
            .json()
            .pointer(pointer)
            .unwrap()
            .as_str()
            .unwrap()
            .to_lowercase();
        assert!(kind.contains("not_found"), "{api}: {kind}");
        assert!(
            answer
                .text()
                .contains("\\\"other-model\\\" is none of this trial's")
        );
        assert_eq!(answer.headers["x-should-retry"], "false");
        assert!(trial.server.seen().is_empty(), "nothing goes out");
        let exchange = trial.exchange();
        assert!(matches!(exchange.end, ExchangeEnd::Refused { .. }));
        assert_eq!(
            (exchange.status, exchange.attempts, exchange.usage),
            (Some(404), 0, None)
        );
        assert_eq!(trial.gateway.summary().refused, 1);

        let elsewhere = trial.ask(post(api.host(), "/v1/files", &json!({}))).await;
        assert_eq!(elsewhere.status, StatusCode::NOT_FOUND);
        assert!(elsewhere.json().get("error").is_some());
    }
    let trial = Trial::new(Setup::default()).await;
    assert!(!trial.gateway.owns("example.com"));
    let answer = trial
        .ask(post("example.com", "/v1/messages", &json!({})))
        .await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert!(trial.server.seen().is_empty());
}

#[tokio::test]
async fn every_model_can_be_sent_to_one() {
    let trial = Trial::new(Setup {
        rewrite: Some("local-model"),
        ..Setup::default()
    });
    let trial = trial.await;
    for api in ModelApi::ALL {
        let answer = trial.ask(request_for(api, "whatever-small", true)).await;
        assert_eq!(answer.status, StatusCode::OK, "{api}");
    }
    for exchange in trial.record.exchanges() {
        assert_eq!(exchange.asked.as_deref(), Some("whatever-small"));
        assert_eq!(exchange.rewritten.as_deref(), Some("local-model"));
        assert_eq!(exchange.answered.as_deref(), Some("local-model"));
        assert_eq!(exchange.cost, None, "its price is not known");
    }
    let summary = trial.gateway.summary();
    assert_eq!((summary.unpriced, summary.cost), (4, None));
    assert_eq!(summary.models, ["local-model"]);
}

#[tokio::test]
async fn models_are_listed_without_asking_anybody() {
    let trial = Trial::new(Setup::default()).await;
    for (api, path) in [
        (ModelApi::Anthropic, "/v1/models"),
        (ModelApi::OpenaiChat, "/v1/models"),
        (ModelApi::Gemini, "/v1beta/models"),
    ] {
        let get = |path: &str| {
            let request = Request::get(path).header("host", api.host());
            trial.ask(request.body(body("")).unwrap())
        };
        let answer = get(path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert!(answer.text().contains(model(api)), "{}", answer.text());
        assert_eq!(
            get(&format!("{path}/{}", model(api))).await.status,
            StatusCode::OK
        );
        assert_eq!(
            get(&format!("{path}/other")).await.status,
            StatusCode::NOT_FOUND
        );
    }
    assert!(trial.server.seen().is_empty());
    assert_eq!(trial.gateway.spent().requests, 0);
}

#[tokio::test]
async fn counting_tokens_counts_as_a_request_and_costs_nothing() {
    let trial = Trial::new(Setup::default()).await;
    let value = json!({"model": model(ModelApi::Anthropic), "messages": []});
    let answer = trial
        .ask(post(
            "api.anthropic.com",
            "/v1/messages/count_tokens",
            &value,
        ))
        .await;
    assert_eq!(answer.json(), json!({"input_tokens": 10}));
    let exchange = trial.exchange();
    assert_eq!((exchange.end, exchange.usage), (ExchangeEnd::Ok, None));
    let spent = trial.gateway.spent();
    assert_eq!((spent.requests, spent.tokens), (1, 0));
}

#[tokio::test]
async fn packed_requests_are_unpacked_checked_and_sent_plain() {
    let trial = Trial::new(Setup::default()).await;
    for name in [model(ModelApi::OpenaiChat), "other"] {
        let value = json!({"model": name, "input": "go", "tools": []}).to_string();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(value.as_bytes()).unwrap();
        let mut request = post("api.openai.com", "/v1/responses", &json!({}));
        request
            .headers_mut()
            .insert("content-encoding", "gzip".parse().unwrap());
        *request.body_mut() = body(gzip.finish().unwrap());
        let expected = if name == "other" { 404 } else { 200 };
        assert_eq!(trial.ask(request).await.status, expected);
    }
    let seen = trial.server.seen();
    assert_eq!(seen.len(), 1);
    assert!(!seen[0].headers.contains_key("content-encoding"));
    assert!(seen[0].body.starts_with(b"{\"model\""));
}

#[tokio::test]
async fn budgets_end_a_trial_with_words() {
    let requests = Budget {
        requests: Some(2),
        ..Budget::default()
    };
    let tokens = Budget {
        tokens: Some(200),
        ..Budget::default()
    };
    let usd = Budget {
        usd: Some(0.0005),
        ..Budget::default()
    };
    for (trial_budget, job_budget, scope, of, passes) in [
        (
            requests,
            Budget::default(),
            BudgetScope::Trial,
            BudgetKind::Requests,
            2,
        ),
        (
            Budget::default(),
            tokens,
            BudgetScope::Job,
            BudgetKind::Tokens,
            2,
        ),
        (
            usd,
            Budget::default(),
            BudgetScope::Trial,
            BudgetKind::Usd,
            1,
        ),
    ] {
        let trial = Trial::new(Setup {
            budget: trial_budget,
            job_budget,
            ..Setup::default()
        });
        let trial = trial.await;
        let mut passed = 0;
        let refused = loop {
            let answer = trial.ask(request(ModelApi::Anthropic, true)).await;
            if answer.status != StatusCode::OK {
                break answer;
            }
            passed += 1;
            assert!(passed < 10, "the budget has no end");
        };
        assert_eq!(passed, passes, "{of:?}");
        assert_eq!(refused.status, StatusCode::PAYMENT_REQUIRED);
        assert_eq!(refused.json()["error"]["type"], "billing_error");
        assert!(refused.text().contains("is used up"), "{}", refused.text());
        let summary = trial.gateway.summary();
        let exceeded = summary.exceeded.unwrap();
        assert_eq!((exceeded.scope, exceeded.of), (scope, of));
        assert_eq!(summary.failure, Some(FailureKind::Budget));
        assert_eq!(trial.server.seen().len(), passes);
    }
}

#[tokio::test]
async fn a_budget_in_dollars_needs_prices() {
    let job = JobModels::new(JobConfig::default()).unwrap();
    let trial = TrialModels {
        routes: vec![ModelRoute::new(
            ModelApi::Anthropic,
            vec!["claude-unheard-of".into()],
            None,
        )],
        budget: Budget {
            usd: Some(1.0),
            ..Budget::default()
        },
        mode: Mode::Live,
    };
    let error = ModelGateway::new(&job, trial, Arc::new(MemoryRecord::default())).unwrap_err();
    assert!(matches!(error, GatewayError::NoPrice { .. }), "{error}");
}

#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for File {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(data);
        Ok(data.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_recorded_session_plays_without_key_or_network_byte_for_byte() {
    let file = File::default();
    let recorder = Recorder::new(Box::new(file.clone())).unwrap();
    let live = Trial::new(Setup {
        mode: Mode::Record(Arc::clone(&recorder)),
        ..Setup::default()
    });
    let live = live.await;
    let mut answers = Vec::new();
    for api in ModelApi::ALL {
        for stream in [true, false] {
            answers.push(live.ask(request(api, stream)).await);
        }
    }
    assert_eq!(recorder.finish().unwrap(), 8);
    let bytes = file.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(!text.contains(KEY) && !text.contains(AGENTS_KEY));

    let replay = Trial::new(Setup {
        mode: Mode::Replay(Cassette::read(&bytes[..]).unwrap()),
        ..Setup::default()
    });
    let replay = replay.await;
    let mut index = 0;
    for api in ModelApi::ALL {
        for stream in [true, false] {
            let answer = replay.ask(request(api, stream)).await;
            assert_eq!(answer.body, answers[index].body);
            assert_eq!(
                answer.headers["content-type"],
                answers[index].headers["content-type"]
            );
            index += 1;
        }
    }
    assert!(replay.server.seen().is_empty(), "no network");
    assert_eq!(replay.gateway.unplayed(), Some(0));
    assert_eq!(replay.gateway.spent(), live.gateway.spent());

    let answer = replay.ask(request(ModelApi::Anthropic, true)).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(
        answer.text().contains("asked once more"),
        "{}",
        answer.text()
    );
    let last = replay.record.exchanges().pop().unwrap();
    assert!(matches!(last.end, ExchangeEnd::CassetteMismatch { .. }));
    assert_eq!(last.failure, Some(FailureKind::Upstream));
}

#[tokio::test]
async fn a_script_answers_inside_the_gateway() {
    let script = Script::parse(common::SCRIPT).unwrap();
    let scripted = Trial::new(Setup {
        mode: Mode::Scripted(script),
        ..Setup::default()
    });
    let scripted = scripted.await;
    let live = Trial::new(Setup::default()).await;
    for api in ModelApi::ALL {
        let inside = scripted.ask(request(api, true)).await;
        let outside = live.ask(request(api, true)).await;
        assert_eq!(inside.text(), outside.text(), "{api}");
    }
    assert!(scripted.server.seen().is_empty());
    assert_eq!(scripted.gateway.spent(), live.gateway.spent());

    let value = json!({"model": model(ModelApi::OpenaiChat), "tools": [{"name": "fly"}]});
    let answer = scripted
        .ask(post("api.openai.com", "/v1/responses", &value))
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(
        answer.text().contains("offers no shell tool"),
        "{}",
        answer.text()
    );
    let last = scripted.record.exchanges().pop().unwrap();
    assert!(matches!(last.end, ExchangeEnd::Script { .. }));
}

#[tokio::test]
async fn records_are_lines_of_json_up_to_a_bound() {
    let trial = Trial::new(Setup::default()).await;
    trial.ask(request(ModelApi::Anthropic, true)).await;
    let exchange = trial.exchange();
    let file = File::default();
    let line = serde_json::to_string(&exchange).unwrap() + "\n";
    let most = 8 * line.len();
    let lines = JsonLines::new(file.clone(), most as u64);
    for _ in 0..100 {
        lines.exchange(exchange.clone());
    }
    let dropped = lines.finish().unwrap();
    let text = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
    assert!(text.len() <= most, "{} of {most} bytes", text.len());
    let read = text.lines().map(serde_json::from_str);
    let read: Vec<Exchange> = read.collect::<Result<_, _>>().unwrap();
    assert_eq!(read.len() as u64 + dropped, 100);
    // The last quarter of the room is for more of what is shorter.
    let (whole, short) = read.split_at(6);
    assert!(whole.iter().all(|it| *it == exchange));
    assert!(short.len() > 2, "{} are short", short.len());
    for it in short {
        assert_eq!((&it.request, &it.reply), (&None, &None));
        assert_eq!(it.tool_calls, exchange.tool_calls);
    }
}
