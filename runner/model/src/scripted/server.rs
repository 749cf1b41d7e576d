//! A scripted model behind a loopback port, for tests and measurements.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, Uri};
use http_body_util::BodyExt as _;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use super::fault::{Fault, FaultBody};
use super::{Script, ready};
use crate::BoxError;
use crate::api::{Endpoint, ModelApi, Operation, Problem};
use crate::gateway::Ready;

/// What a server answers.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// The script.
    pub script: Arc<Script>,
    /// The only key that is accepted; None accepts everything.
    pub key: Option<String>,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Method.
    pub method: String,
    /// Path and query.
    pub uri: Uri,
    /// Header fields, keys included: this is for tests.
    pub headers: HeaderMap,
    /// Body.
    pub body: Bytes,
}

/// A running server. It ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

#[derive(Debug)]
struct Shared {
    config: ServerConfig,
    faults: Mutex<VecDeque<Fault>>,
    seen: Mutex<Vec<Seen>>,
}

impl Server {
    /// Starts to serve on a free loopback port. Has to be called in a tokio
    /// runtime.
    ///
    /// # Errors
    /// When there is no port to be had.
    pub async fn start(config: ServerConfig) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            config,
            faults: Mutex::default(),
            seen: Mutex::default(),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Ok(Self {
            address,
            shared,
            task,
        })
    }

    /// Its address, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Has the next `times` answers go wrong, after those that already will.
    pub fn fail(&self, fault: &Fault, times: usize) {
        let mut faults = lock(&self.shared.faults);
        faults.extend(std::iter::repeat_n(fault.clone(), times));
    }

    /// The requests that came so far.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The connections are tasks of that task's.
        self.task.abort();
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        // Without: every small piece would wait for the last one's ACK.
        let _ = stream.set_nodelay(true);
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let service = service_fn(|request| answer(Arc::clone(&shared), request));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the scripted model ended");
            }
        });
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, BoxError>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => Bytes::new(),
    };
    let key = key_of(&parts.headers);
    let endpoint = Endpoint::of(&ModelApi::ALL, &parts.method, parts.uri.path());
    let mut reply = reply(&shared.config, endpoint.as_ref(), &key, &body);
    lock(&shared.seen).push(Seen {
        method: parts.method.to_string(),
        uri: parts.uri,
        headers: parts.headers,
        body,
    });
    let fault = lock(&shared.faults).pop_front();
    let (status, headers, body) = match fault {
        None => (
            reply.status,
            std::mem::take(&mut reply.headers),
            FaultBody::whole(reply.pieces),
        ),
        Some(fault) => match fault.apply(reply, &key) {
            Some(answer) => answer,
            None => std::future::pending().await,
        },
    };
    let mut response = Response::new(body.boxed());
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

fn reply(config: &ServerConfig, endpoint: Option<&Endpoint>, key: &str, body: &[u8]) -> Ready {
    let api = endpoint.map_or(ModelApi::OpenaiChat, |it| it.api);
    let refuse = |problem: Problem, message: &str| Ready {
        status: problem.status(),
        ..ready("application/json", [problem.body(api, None, message)])
    };
    let Some(endpoint) = endpoint else {
        return refuse(Problem::NotFound, "there is no such endpoint");
    };
    if config.key.as_deref().is_some_and(|wanted| wanted != key) {
        return refuse(Problem::Key, &format!("incorrect key provided: {key}"));
    }
    if matches!(
        endpoint.operation,
        Operation::ListModels | Operation::GetModel
    ) {
        return ready("application/json", [Bytes::from_static(b"{\"data\":[]}")]);
    }
    let in_body = || {
        let body: serde_json::Value = serde_json::from_slice(body).ok()?;
        Some(body.get("model")?.as_str()?.to_owned())
    };
    let model = endpoint.model.clone().or_else(in_body).unwrap_or_default();
    match config.script.answer(endpoint, &model, body) {
        Ok(reply) => reply,
        Err(reason) => Ready {
            status: StatusCode::BAD_REQUEST,
            ..refuse(Problem::Request, &reason)
        },
    }
}

/// The key that a request comes with, wherever its protocol has it.
fn key_of(headers: &HeaderMap) -> String {
    let names = ["x-api-key", "x-goog-api-key", "authorization"];
    let value = names
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok());
    let value = value.unwrap_or_default();
    value.strip_prefix("Bearer ").unwrap_or(value).to_owned()
}
