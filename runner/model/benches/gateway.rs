//! What the gateway adds to a streamed reply: time to its first byte, and time
//! to its last, against asking the scripted server directly. Both sides take
//! turns in one run, so that a slow moment of the machine hits both.
//!
//! `cargo bench --workspace --bench gateway`

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use proctor_model::gateway::{JobConfig, JobModels, Mode, ModelGateway, Record, TrialModels};
use proctor_model::scripted::{Script, Server, ServerConfig};
use proctor_model::{ModelApi, ModelRoute, Secret};
use proctor_types::model::Exchange;
use serde_json::json;

/// Bytes of a conversation in the middle of a trial.
const CONVERSATION: usize = 100 << 10;
/// Bytes of text of the short and of the long reply.
const SHORT: usize = 500;
const LONG: usize = 2 << 20;

struct Nowhere;

impl Record for Nowhere {
    fn exchange(&self, exchange: Exchange) {
        assert!(exchange.end.is_ok(), "{}", exchange.end.describe());
        assert!(exchange.usage.is_some());
    }
}

/// Time to the first byte, time to the last, bytes.
type Times = (Duration, Duration, usize);

struct Sides {
    server: Server,
    direct: Client<HttpConnector, Full<Bytes>>,
    gateway: ModelGateway,
    body: Bytes,
}

impl Sides {
    async fn new(reply: usize) -> Self {
        let script = format!("steps: [{{say: {:?}}}]", "word ".repeat(reply / 5));
        let config = ServerConfig {
            script: Script::parse(&script).expect("the script is one"),
            key: None,
        };
        let server = Server::start(config).await.expect("a loopback port");
        let key = Secret::new("sk-of-a-benchmark").expect("a key");
        let model = "claude-sonnet-4-5".to_owned();
        let route = ModelRoute::new(ModelApi::Anthropic, vec![model], Some(key));
        let trial = TrialModels {
            routes: vec![route.at(&server.url()).expect("an address")],
            mode: Mode::Live,
            ..TrialModels::default()
        };
        let job = JobModels::new(JobConfig::default()).expect("a budget");
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let body = json!({
            "model": "claude-sonnet-4-5", "stream": true, "max_tokens": 1000,
            "tools": [{"name": "Bash", "input_schema": {}}],
            "messages": [{"role": "user", "content": "word ".repeat(CONVERSATION / 5)}],
        });
        Self {
            direct: Client::builder(TokioExecutor::new()).build(connector),
            gateway: ModelGateway::new(&job, trial, Arc::new(Nowhere)).expect("a gateway"),
            server,
            body: Bytes::from(body.to_string()),
        }
    }

    fn request(&self, host: &str) -> Request<Full<Bytes>> {
        Request::post(format!("{host}/v1/messages"))
            .header("host", "api.anthropic.com")
            .header("content-type", "application/json")
            .header("x-api-key", "none")
            .body(Full::new(self.body.clone()))
            .expect("a request")
    }

    async fn directly(&self) -> Times {
        let request = self.request(&self.server.url());
        let began = Instant::now();
        let response = self.direct.request(request).await.expect("an answer");
        read(began, response.into_body()).await
    }

    async fn through_the_gateway(&self) -> Times {
        let request = self.request("");
        let began = Instant::now();
        let request = request.map(|body| body.map_err(|never| match never {}).boxed());
        let response = self.gateway.respond(request).await;
        read(began, response.into_body()).await
    }

    /// Both sides in turn; for each the times of all rounds.
    async fn measure(&self, rounds: usize) -> [Vec<Times>; 2] {
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..rounds + 5 {
            let pair = [self.directly().await, self.through_the_gateway().await];
            if round >= 5 {
                times[0].push(pair[0]);
                times[1].push(pair[1]);
            }
        }
        times
    }
}

async fn read<B>(began: Instant, mut body: B) -> Times
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
    B::Error: std::fmt::Debug,
{
    let mut first = None;
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.expect("the reply is complete");
        first.get_or_insert_with(|| began.elapsed());
        bytes += frame.data_ref().map_or(0, Bytes::len);
    }
    (first.unwrap_or_default(), began.elapsed(), bytes)
}

fn median(times: &[Times], of: impl Fn(&Times) -> Duration) -> Duration {
    let mut times: Vec<_> = times.iter().map(of).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built");
    // In a task of the runtime's, as the connections of agents are: outside, every
    // piece would wait for a thread to wake up, on both sides.
    let measured = runtime.spawn(async {
        let [direct, gateway] = Sides::new(SHORT).await.measure(500).await;
        let first = |times: &[Times]| median(times, |it| it.0);
        let (direct, gateway) = (first(&direct), first(&gateway));
        println!(
            "first byte, p50: {gateway:?} through the gateway, {direct:?} directly, {:?} more",
            gateway.saturating_sub(direct)
        );
        let [direct, gateway] = Sides::new(LONG).await.measure(20).await;
        let bytes = direct[0].2;
        assert_eq!(bytes, gateway[0].2, "both sides get the same reply");
        let whole = |times: &[Times]| median(times, |it| it.1);
        let (direct, gateway) = (whole(&direct), whole(&gateway));
        println!(
            "whole reply of {bytes} bytes, p50: {gateway:?} through the gateway, {direct:?} \
             directly, ratio {:.3}",
            gateway.as_secs_f64() / direct.as_secs_f64()
        );
    });
    runtime
        .block_on(measured)
        .expect("the measurement is complete");
}
