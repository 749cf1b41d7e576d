//! The list of models: the gateway's own, the same in every mode.

use bytes::Bytes;
use http::Response;
use http::StatusCode;
use proctor_types::model::ExchangeEnd;
use serde_json::{Value, json};

use super::exchange::Pending;
use super::refused::{Refused, json_headers, refuse};
use super::request::Refusal;
use super::respond::response;
use super::tail::whole;
use crate::Body;
use crate::api::{Endpoint, ModelApi};
use crate::route::ModelRoute;

/// The list of the trial's models, or one of them.
pub(super) fn answer(
    mut pending: Pending,
    route: &ModelRoute,
    endpoint: &Endpoint,
) -> Response<Body> {
    let api = endpoint.api;
    let entry = |model: &String| match api {
        ModelApi::Anthropic => json!({
            "type": "model", "id": model, "display_name": model,
            "created_at": "2025-01-01T00:00:00Z",
        }),
        ModelApi::OpenaiChat | ModelApi::OpenaiResponses => json!({
            "id": model, "object": "model", "created": 1_735_689_600, "owned_by": "proctor",
        }),
        ModelApi::Gemini => json!({
            "name": format!("models/{model}"), "displayName": model, "version": "1",
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        }),
    };
    let known = route.models.iter().chain(&route.rewrite_model);
    let body = match (&endpoint.model, api) {
        (Some(name), _) => {
            let Some(model) = known.into_iter().find(|model| *model == name) else {
                let refused = Refused::from(Refusal::Model(name.chars().take(200).collect()));
                return refuse(pending, api, refused);
            };
            entry(model)
        }
        (None, ModelApi::Gemini) => json!({"models": known.map(entry).collect::<Vec<Value>>()}),
        (None, _) => json!({
            "object": "list", "has_more": false,
            "data": known.map(entry).collect::<Vec<Value>>(),
        }),
    };
    let body = Bytes::from(body.to_string());
    pending.edit(|it| it.status = Some(200));
    pending.sends(&body);
    pending.end(ExchangeEnd::Ok);
    response(StatusCode::OK, json_headers(), whole(body))
}
