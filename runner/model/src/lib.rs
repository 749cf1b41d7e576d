//! Model APIs: the gateway to upstreams, usage, prices, budgets, cassettes, a
//! scripted model, and a small client.
//!
//! A trial's agent asks its model by the model's real host name; the captive
//! network leads it to a [`gateway::ModelGateway`], which checks what is asked,
//! puts the operator's key in, streams the reply back and writes down what it
//! was and what it cost. Nothing here knows of worlds, tasks or sandboxes, and
//! no key leaves the host: a [`secret::Secret`] shows itself to nobody but the
//! upstream that it is for.
//!
//! | module | job |
//! | --- | --- |
//! | [`gateway`] | one trial's way to its models |
//! | [`client`] | asking a model ourselves: the judge, our own agent |
//! | [`cassette`] | recorded traffic, replayed without key or network |
//! | [`scripted`] | a model that answers from a steps file, and a server for it |
//! | [`prices`] | what tokens cost |
//! | [`api`], [`route`] | protocols, hosts, upstreams |

pub mod api;
pub mod cassette;
pub mod client;
pub mod gateway;
pub mod prices;
mod redact;
mod reply;
pub mod route;
pub mod scripted;
pub mod secret;
mod sse;
mod tap;
mod transport;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;

pub use api::ModelApi;
pub use route::ModelRoute;
pub use secret::Secret;
pub use transport::{Roots, TransportError};

/// What a body can fail with.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body, streamed.
pub type Body = BoxBody<Bytes, BoxError>;
