//! Discovery documents, written from the table that routes the requests
//! (<https://developers.google.com/discovery/v1/reference/apis>).

use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::google::error::ApiError;
use crate::google::frame::Signature;
use crate::google::method::{Api, Kind, Method, Param, Place, Style};
use crate::google::params::System;
use crate::google::schema::{Field, Schema, Shape};
use crate::google::{apis, fields, is_google_host, params, wire};
use crate::service::{Answer, Request};

/// An API's document, with Google's own addresses in it.
struct Document {
    value: Value,
    /// The same as it goes over the wire.
    written: Bytes,
}

static DOCUMENTS: LazyLock<Vec<Document>> = LazyLock::new(|| {
    let written = |value: &Value| wire::write(value, true).unwrap_or_default().into();
    let documents = apis().iter().map(|api| document(api));
    documents
        .map(|value| Document {
            written: written(&value),
            value,
        })
        .collect()
});

/// Whether this path asks for discovery.
pub(crate) fn is_discovery(path: &str) -> bool {
    path == "/$discovery/rest"
        || path == "/discovery/v1/apis"
        || path.starts_with("/discovery/v1/apis/")
}

/// Answers a request for the directory or for a document. Needs no
/// credentials.
pub(crate) fn answer(request: &Request) -> Answer {
    let operation = match request.path.as_str() {
        "/discovery/v1/apis" | "/discovery/v1/apis/" => "discovery.apis.list",
        _ => "discovery.apis.getRest",
    };
    let signature = Signature {
        operation: Some(operation),
        ..Signature::of("discovery")
    };
    match find(request) {
        Ok(body) => signature.answer(200).body(wire::MEDIA_TYPE, body).lasting(),
        Err(error) => signature.error(&error),
    }
}

fn find(request: &Request) -> Result<Bytes, ApiError> {
    let (system, query) = params::parse(request.query.as_bytes())?;
    let get = |name: &str| {
        query
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    };
    if request.path == "/$discovery/rest" {
        let name = request.host.split('.').next().unwrap_or_default();
        return rest(request, &system, name, get("version"));
    }
    let path = request.path.trim_start_matches("/discovery/v1/apis");
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    match (
        segments.next(),
        segments.next(),
        segments.next(),
        segments.next(),
    ) {
        (None, ..) => written(&system, directory(get("name"))),
        (Some(name), Some(version), Some("rest"), None) => {
            rest(request, &system, name, Some(version))
        }
        _ => Err(ApiError::entity_not_found()),
    }
}

/// The document of an API, as the request wants it.
fn rest(
    request: &Request,
    system: &System,
    name: &str,
    version: Option<&str>,
) -> Result<Bytes, ApiError> {
    let found = apis()
        .iter()
        .zip(DOCUMENTS.iter())
        .find(|(api, _)| api.name == name && version.is_none_or(|version| version == api.version));
    let Some((api, document)) = found else {
        return Err(ApiError::entity_not_found());
    };
    let elsewhere = !is_google_host(&request.host);
    if !elsewhere && !system.compact && system.fields.is_none() {
        return Ok(document.written.clone());
    }
    let mut value = document.value.clone();
    // Asked at another address than Google's, the API is there as well.
    if elsewhere {
        let root = format!(
            "{}://{}:{}/",
            request.scheme.as_str(),
            request.host,
            request.port
        );
        value["baseUrl"] = format!("{root}{}", api.service_path).into();
        value["rootUrl"] = root.into();
    }
    written(system, value)
}

fn written(system: &System, mut value: Value) -> Result<Bytes, ApiError> {
    if let Some(text) = &system.fields {
        let mask = fields::Mask::parse(text).map_err(|bad| bad.into_error(Style::Strict))?;
        mask.apply(&mut value);
    }
    Ok(wire::write(&value, !system.compact)
        .unwrap_or_default()
        .into())
}

fn directory(name: Option<&str>) -> Value {
    let items: Vec<Value> = apis()
        .iter()
        .filter(|api| name.is_none_or(|name| name == api.name))
        .map(|api| {
            json!({
                "kind": "discovery#directoryItem",
                "id": format!("{}:{}", api.name, api.version),
                "name": api.name,
                "version": api.version,
                "title": api.title,
                "description": api.description,
                "discoveryRestUrl": format!(
                    "https://www.googleapis.com/discovery/v1/apis/{}/{}/rest",
                    api.name, api.version
                ),
                "preferred": true,
            })
        })
        .collect();
    json!({"kind": "discovery#directoryList", "discoveryVersion": "v1", "items": items})
}

fn document(api: &Api) -> Value {
    let scopes: Map<String, Value> = api
        .scopes
        .iter()
        .map(|(address, text)| ((*address).to_owned(), json!({"description": text})))
        .collect();
    let parameters: Map<String, Value> = params::DOCUMENTED
        .iter()
        .map(|(name, kind, default, description)| {
            let mut param = json!({"type": kind, "location": "query", "description": description});
            if let Some(default) = default {
                param["default"] = (*default).into();
            }
            if *name == "alt" {
                param["enum"] = json!(["json"]);
                param["enumDescriptions"] = json!(["Media type application/json."]);
            }
            ((*name).to_owned(), param)
        })
        .collect();
    let mut document = json!({
        "kind": "discovery#restDescription",
        "discoveryVersion": "v1",
        "id": format!("{}:{}", api.name, api.version),
        "name": api.name,
        "version": api.version,
        "revision": "20260101",
        "title": api.title,
        "description": api.description,
        "ownerDomain": "google.com",
        "ownerName": "Google",
        "documentationLink": "https://developers.google.com/workspace/",
        "protocol": "rest",
        "rootUrl": api.root_url,
        "servicePath": api.service_path,
        "baseUrl": format!("{}{}", api.root_url, api.service_path),
        "batchPath": api.batch_path,
        "parameters": parameters,
        "auth": {"oauth2": {"scopes": scopes}},
        "schemas": api.schemas.iter().map(schema).collect::<Map<_, _>>(),
        "resources": {},
    });
    for one in api.methods {
        place(&mut document, one);
    }
    document
}

/// Puts a method where its identifier says: `gmail.users.messages.list` is
/// `list` of `messages` of `users`.
fn place(document: &mut Value, method: &Method) {
    let mut names: Vec<&str> = method.id.split('.').skip(1).collect();
    let Some(last) = names.pop() else { return };
    let mut at = document;
    for name in names {
        at = &mut at["resources"][name];
    }
    at["methods"][last] = describe(method);
}

fn describe(method: &Method) -> Value {
    let (path, flat) = paths(method.path);
    let parameters: Map<String, Value> = method
        .params
        .iter()
        .map(|param| (param.name.to_owned(), parameter(param, method)))
        .collect();
    let order: Vec<&str> = method
        .params
        .iter()
        .filter(|param| param.required)
        .map(|param| param.name)
        .collect();
    let mut out = json!({
        "id": method.id,
        "path": path,
        "flatPath": flat,
        "httpMethod": method.verb.as_str(),
        "description": method.description,
        "parameters": parameters,
        "parameterOrder": order,
        "scopes": method.scopes,
    });
    if let Some(schema) = method.request {
        out["request"] = json!({"$ref": schema});
    }
    if let Some(schema) = method.response {
        out["response"] = json!({"$ref": schema});
    }
    if let Some(upload) = method.upload {
        let protocol =
            |prefix: &str| json!({"multipart": true, "path": format!("{prefix}/{}", upload.path)});
        out["supportsMediaUpload"] = true.into();
        out["mediaUpload"] = json!({
            "accept": upload.accept,
            "maxSize": upload.max_bytes.to_string(),
            "protocols": {"simple": protocol(""), "resumable": protocol("/resumable")},
        });
    }
    out
}

/// A template as `path` (RFC 6570) and as `flatPath`, where a variable that
/// spans segments is spelt out: `v1/{+resourceName}`, `v1/people/{peopleId}`.
fn paths(template: &str) -> (String, String) {
    let (mut path, mut flat) = (String::new(), String::new());
    for (n, part) in template.split(['{', '}']).enumerate() {
        let (plain, spelt) = match (n % 2, part.split_once('=')) {
            (0, _) => (part.to_owned(), part.to_owned()),
            (_, None) => (format!("{{{part}}}"), format!("{{{part}}}")),
            (_, Some((name, inner))) => {
                let collection = inner.split('/').next().unwrap_or_default();
                let spelt = inner.replace('*', &format!("{{{collection}Id}}"));
                (format!("{{+{name}}}"), spelt)
            }
        };
        path.push_str(&plain);
        flat.push_str(&spelt);
    }
    (path, flat)
}

fn parameter(param: &Param, method: &Method) -> Value {
    let (kind, format) = match param.kind {
        Kind::Text => ("string", None),
        Kind::Bool => ("boolean", None),
        Kind::Int32 => ("integer", Some("int32")),
        Kind::Uint32 => ("integer", Some("uint32")),
        Kind::Uint64 => ("string", Some("uint64")),
        Kind::DateTime => ("string", Some("date-time")),
        Kind::FieldMask => ("string", Some("google-fieldmask")),
    };
    let location = if param.place == Place::Path {
        "path"
    } else {
        "query"
    };
    let mut out = json!({"type": kind, "location": location, "description": param.description});
    if let Some(format) = format {
        out["format"] = format.into();
    }
    if param.required {
        out["required"] = true.into();
    }
    if param.repeated {
        out["repeated"] = true.into();
    }
    if let Some(default) = param.default {
        out["default"] = default.into();
    }
    if let Some((from, to)) = param.range {
        out["minimum"] = from.to_string().into();
        out["maximum"] = to.to_string().into();
    }
    choices(&mut out, param.choices);
    let spanning = format!("{{{}=", param.name);
    if let Some((_, rest)) = method.path.split_once(&spanning)
        && let Some((inner, _)) = rest.split_once('}')
    {
        out["pattern"] = format!("^{}$", inner.replace('*', "[^/]+")).into();
    }
    out
}

fn choices(out: &mut Value, choices: &[(&str, &str)]) {
    if choices.is_empty() {
        return;
    }
    out["enum"] = choices.iter().map(|(name, _)| *name).collect();
    out["enumDescriptions"] = choices.iter().map(|(_, text)| *text).collect();
}

fn schema(schema: &Schema) -> (String, Value) {
    let out = json!({
        "id": schema.id,
        "type": "object",
        "description": schema.description,
        "properties": properties(schema.fields),
    });
    (schema.id.to_owned(), out)
}

fn properties(fields: &[Field]) -> Map<String, Value> {
    fields
        .iter()
        .map(|field| {
            let mut out = shape(field.shape);
            out["description"] = field.description.into();
            if field.read_only {
                out["readOnly"] = true.into();
            }
            choices(&mut out, field.choices);
            (field.name.to_owned(), out)
        })
        .collect()
}

fn shape(it: Shape) -> Value {
    let of = |kind: &str, format: &str| json!({"type": kind, "format": format});
    match it {
        Shape::Text => json!({"type": "string"}),
        Shape::Bytes => of("string", "byte"),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::Int32 => of("integer", "int32"),
        Shape::Uint32 => of("integer", "uint32"),
        Shape::Int64 => of("string", "int64"),
        Shape::Uint64 => of("string", "uint64"),
        Shape::Date => of("string", "date"),
        Shape::DateTime => of("string", "date-time"),
        Shape::Any => json!({"type": "any"}),
        Shape::Ref(id) => json!({"$ref": id}),
        Shape::List(item) => json!({"type": "array", "items": shape(*item)}),
        Shape::Map(item) => json!({"type": "object", "additionalProperties": shape(*item)}),
        Shape::Object(fields) => json!({"type": "object", "properties": properties(fields)}),
    }
}
