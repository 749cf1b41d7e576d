//! Looking at a request's body, and changing what has to be changed.

mod fetched;
mod hosted;

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::api::{Endpoint, ModelApi, Operation};
use crate::route::ModelRoute;
use fetched::Fetched;
use hosted::Unreadable;

/// Most top-level fields of a request. Those of the APIs have some 40.
const FIELDS: usize = 200;
/// Bytes of a model's name.
const NAME: usize = 256;

/// A JSON object whose fields are let be until they are needed.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of<'a>(std::marker::PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Of<'a> {
            type Value = Fields<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'a>, A::Error> {
                let mut fields: Vec<(Cow<'a, str>, &'a RawValue)> = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    // Which of two counts differs between parsers, and some do
                    // not mind upper and lower case.
                    if fields.iter().any(|it| it.0.eq_ignore_ascii_case(&name)) {
                        return Err(A::Error::custom("a field is there twice"));
                    }
                    if fields.len() == FIELDS {
                        return Err(A::Error::custom("it has too many fields"));
                    }
                    fields.push((name, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Of(std::marker::PhantomData))
    }
}

/// A name, borrowed where it has no escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of<'a>(std::marker::PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for Of<'a> {
            type Value = Name<'a>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Name<'a>, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Of(std::marker::PhantomData))
    }
}

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&RawValue> {
        let mut fields = self.0.iter();
        fields.find(|it| it.0 == name).map(|it| it.1)
    }

    fn read<'b, T: Deserialize<'b>>(&'b self, name: &str) -> Option<T> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }
}

/// What a request asks for, and what goes out in its place.
#[derive(Debug)]
pub(super) struct Checked {
    /// The body that goes out.
    pub(super) body: Bytes,
    /// The model that it names.
    pub(super) asked: String,
    /// Most tokens of the reply, as far as it says.
    pub(super) most: Option<u64>,
    /// Whether the last event of the reply is the gateway's own wish.
    pub(super) drop_usage_event: bool,
    /// Tools that were taken out.
    pub(super) removed: Vec<String>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It cannot be understood.
    Body(String),
    /// It asks for a model that the trial does not have.
    Model(String),
}

/// Checks a request for a reply or a count of tokens.
pub(super) fn check(
    route: &ModelRoute,
    endpoint: &Endpoint,
    body: &Bytes,
) -> Result<Checked, Refusal> {
    let bad = |reason: String| Refusal::Body(format!("the request's body {reason}"));
    let fields: Fields<'_> =
        serde_json::from_slice(body).map_err(|error| bad(format!("is no JSON object: {error}")))?;
    let asked = match &endpoint.model {
        Some(model) => model.clone(),
        None => fields
            .read::<String>("model")
            .ok_or_else(|| bad("names no model".to_owned()))?,
    };
    if asked.len() > NAME {
        return Err(bad("names a model at great length".to_owned()));
    }
    if !route.allows(&asked) {
        return Err(Refusal::Model(asked));
    }
    // The reply would have to be asked for at an endpoint that there is none of.
    if fields.read::<bool>("background") == Some(true) {
        return Err(bad("asks for a reply in the background".to_owned()));
    }
    let streams = match endpoint.operation {
        Operation::Generate { stream: Some(is) } => is,
        _ => fields.read("stream").unwrap_or(false),
    };
    let mut edits = Edits::default();
    if let (Some(model), None) = (&route.rewrite_model, &endpoint.model) {
        edits.set("model", &Value::from(model.as_str()));
    }
    let mut removed = Vec::new();
    if !route.hosted_tools {
        hosted::take_out(endpoint.api, &fields, &mut edits, &mut removed)
            .map_err(|Unreadable| bad("has tools that cannot be read".to_owned()))?;
        fetched::look(body).map_err(|found| match found {
            Fetched::At(address) => bad(format!(
                "has content at an address, {address:?}, which the provider would fetch from \
                 outside of the world: send the content itself"
            )),
            Fetched::Unreadable => bad("has content that cannot be read".to_owned()),
        })?;
    }
    let drop_usage_event =
        streams && endpoint.api == ModelApi::OpenaiChat && with_usage(&fields, &mut edits);
    let most = most_tokens(&fields);
    let changed = edits.apply(&fields);
    Ok(Checked {
        body: changed.unwrap_or_else(|| body.clone()),
        asked,
        most,
        drop_usage_event,
        removed,
    })
}

fn most_tokens(fields: &Fields<'_>) -> Option<u64> {
    let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    let direct = names.into_iter().find_map(|name| fields.read(name));
    direct.or_else(|| {
        let config: Value = fields.read("generationConfig")?;
        config.get("maxOutputTokens")?.as_u64()
    })
}

/// Asks for the event that counts a stream's tokens; whether it was not asked
/// for already.
fn with_usage(fields: &Fields<'_>, edits: &mut Edits) -> bool {
    let options = fields.read::<Value>("stream_options");
    let mut options = match options {
        Some(Value::Object(options)) => options,
        _ => serde_json::Map::new(),
    };
    if options.get("include_usage") == Some(&Value::Bool(true)) {
        return false;
    }
    options.insert("include_usage".to_owned(), Value::Bool(true));
    edits.set("stream_options", &Value::Object(options));
    true
}

/// Changes of top-level fields.
#[derive(Debug, Default)]
struct Edits(Vec<(&'static str, Option<Box<RawValue>>)>);

impl Edits {
    fn set(&mut self, name: &'static str, value: &Value) {
        // A value that was read from JSON is JSON.
        if let Ok(raw) = to_raw_value(value) {
            self.0.push((name, Some(raw)));
        }
    }

    fn remove(&mut self, name: &'static str) {
        self.0.push((name, None));
    }

    /// The changed body; everything else in it stays byte for byte. None when
    /// there is no change.
    fn apply(&self, fields: &Fields<'_>) -> Option<Bytes> {
        if self.0.is_empty() {
            return None;
        }
        let edit = |name: &str| self.0.iter().find(|it| it.0 == name);
        let mut all: Vec<(&str, &str)> = Vec::with_capacity(fields.0.len() + 1);
        for (name, value) in &fields.0 {
            match edit(name) {
                None => all.push((name, value.get())),
                Some((name, Some(value))) => all.push((name, value.get())),
                Some((_, None)) => {}
            }
        }
        for (name, value) in &self.0 {
            if let (Some(value), None) = (value, fields.get(name)) {
                all.push((name, value.get()));
            }
        }
        let mut text = String::from("{");
        for (index, (name, value)) in all.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&Value::from(name).to_string());
            text.push(':');
            text.push_str(value);
        }
        text.push('}');
        Some(Bytes::from(text))
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    pub(super) fn checked(api: ModelApi, path: &str, body: &str) -> Result<Checked, Refusal> {
        let route = ModelRoute::new(api, vec!["m".to_owned(), "small".to_owned()], None);
        run(&route, path, body)
    }

    fn run(route: &ModelRoute, path: &str, body: &str) -> Result<Checked, Refusal> {
        let endpoint = Endpoint::of(&route.apis, &Method::POST, path).unwrap();
        check(route, &endpoint, &Bytes::copy_from_slice(body.as_bytes()))
    }

    const CHAT: &str = "/v1/chat/completions";

    #[test]
    fn a_request_that_is_fine_goes_out_byte_for_byte() {
        let body = r#"{ "model":"m", "max_tokens":7,"x":[1.0e5, "\u00e4"] }"#;
        let checked = checked(ModelApi::Anthropic, "/v1/messages", body).unwrap();
        assert_eq!(checked.body, body);
        assert_eq!((checked.asked.as_str(), checked.most), ("m", Some(7)));
    }

    #[test]
    fn tricks_with_the_models_name_are_refused() {
        for body in [
            r#"{"model":"other"}"#,
            r#"{"model":"M"}"#,
            r#"{"model":"m "}"#,
            r#"{"model":"m","model":"other"}"#,
            r#"{"model":"m","Model":"other"}"#,
            r#"{"model":"m","mod\u0065l":"other"}"#,
            r#"{"MODEL":"m"}"#,
            r#"{"model":["m"]}"#,
            r#"["m"]"#,
            r#""m""#,
            "{}",
            "",
            "model=m",
        ] {
            assert!(checked(ModelApi::OpenaiChat, CHAT, body).is_err(), "{body}");
        }
        let gemini = |path| checked(ModelApi::Gemini, path, "{}");
        assert!(gemini("/v1beta/models/m:generateContent").is_ok());
        for path in [
            "/v1beta/models/other:generateContent",
            "/v1beta/models/m%2e:generateContent",
            "/v1beta/models/../m:generateContent",
        ] {
            assert!(matches!(gemini(path), Err(Refusal::Model(_))), "{path}");
        }
    }

    #[test]
    fn every_request_can_be_sent_to_one_model() {
        let route = ModelRoute::new(ModelApi::OpenaiChat, vec![], None).rewriting_to("local/m");
        let checked = run(&route, CHAT, r#"{"a":1.50,"model":"gpt-5","b":[]}"#).unwrap();
        assert_eq!(checked.body, r#"{"a":1.50,"model":"local/m","b":[]}"#);
        assert_eq!(checked.asked, "gpt-5");
    }

    #[test]
    fn a_stream_of_chat_is_made_to_count() {
        let asks = |body: &str| {
            let checked = checked(ModelApi::OpenaiChat, CHAT, body).unwrap();
            let body = String::from_utf8(checked.body.to_vec()).unwrap();
            (body, checked.drop_usage_event)
        };
        let wish = r#""stream_options":{"include_usage":true}"#;
        assert_eq!(
            asks(r#"{"model":"m","stream":true}"#),
            (format!(r#"{{"model":"m","stream":true,{wish}}}"#), true)
        );
        let already = format!(r#"{{"model":"m","stream":true,{wish}}}"#);
        assert_eq!(asks(&already.clone()), (already.clone(), false));
        assert_eq!(
            asks(r#"{"model":"m","stream":true,"stream_options":{"include_usage":false}}"#),
            (already.clone(), true)
        );
        let whole = r#"{"model":"m"}"#;
        assert_eq!(asks(whole), (whole.to_owned(), false));
    }

    #[test]
    fn a_reply_in_the_background_is_refused() {
        let body = r#"{"model":"m","background":true}"#;
        assert!(checked(ModelApi::OpenaiResponses, "/v1/responses", body).is_err());
    }
}
