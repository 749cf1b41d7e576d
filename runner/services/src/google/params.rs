//! The query of a request: system parameters, and those of the method.

use crate::google::accept::{quoted, snake};
use crate::google::call::is_true;
use crate::google::error::ApiError;
use crate::google::method::{Kind, Method, Param, Place, Style};

/// Most parameters in one query. Google's own limit on the length of a URL
/// is far below.
const MAX_PAIRS: usize = 2000;

/// Parameters that every method takes
/// (<https://cloud.google.com/apis/docs/system-parameters>).
#[derive(Debug, Clone, Default)]
pub(crate) struct System {
    pub(crate) fields: Option<String>,
    /// `prettyPrint=false` was asked for.
    pub(crate) compact: bool,
    pub(crate) token: Option<String>,
    pub(crate) upload_type: Option<String>,
    pub(crate) upload_id: Option<String>,
    /// `$.xgafv=2`: errors without the `errors` list.
    pub(crate) short_errors: bool,
    alt: Option<String>,
}

/// System parameters as a discovery document lists them: name, type,
/// default, description.
pub(crate) const DOCUMENTED: &[(&str, &str, Option<&str>, &str)] = &[
    (
        "access_token",
        "string",
        None,
        "OAuth access token, instead of the Authorization header.",
    ),
    ("alt", "string", Some("json"), "Format of the answer."),
    (
        "fields",
        "string",
        None,
        "Selector of the fields that the answer shall have.",
    ),
    (
        "key",
        "string",
        None,
        "API key. Accepted and not looked at: a token is needed all the same.",
    ),
    (
        "oauth_token",
        "string",
        None,
        "OAuth access token, under its older name.",
    ),
    (
        "prettyPrint",
        "boolean",
        Some("true"),
        "Whether the answer is indented.",
    ),
    (
        "quotaUser",
        "string",
        None,
        "Name under which quota is counted. Accepted and not looked at.",
    ),
    (
        "uploadType",
        "string",
        None,
        "How media is uploaded: media, multipart or resumable.",
    ),
    (
        "upload_protocol",
        "string",
        None,
        "How media is uploaded: raw or multipart.",
    ),
];

/// A query, decoded: system parameters, and the others in order.
pub(crate) type Parsed = (System, Vec<(String, String)>);

/// Takes a query (or a form) apart.
pub(crate) fn parse(query: &[u8]) -> Result<Parsed, ApiError> {
    let mut system = System::default();
    let mut pretty = None;
    let mut others = Vec::new();
    for (name, value) in form_urlencoded::parse(query) {
        // Of these the first counts where one comes twice: measured by others,
        // see `wire.rs`. `$.xgafv` is the exception.
        let first = |slot: &mut Option<String>| {
            slot.get_or_insert_with(|| value.clone().into_owned());
        };
        match name.strip_prefix('$').unwrap_or(&name) {
            "fields" => first(&mut system.fields),
            "prettyPrint" | "pp" => first(&mut pretty),
            "alt" => first(&mut system.alt),
            "access_token" | "oauth_token" | "bearer_token" => first(&mut system.token),
            "uploadType" | "upload_protocol" => first(&mut system.upload_type),
            "upload_id" => first(&mut system.upload_id),
            "key" | "quotaUser" | "userIp" | "userip" | "trace" => {}
            ".xgafv" => system.short_errors = value == "2",
            _ => others.push((name.into_owned(), value.into_owned())),
        }
        if others.len() > MAX_PAIRS {
            return Err(ApiError::bad_request(
                "badRequest",
                "Too many query parameters.",
            ));
        }
    }
    system.compact = pretty.is_some_and(|text| !is_true(&text));
    system.fields = system.fields.filter(|text| !text.is_empty());
    system.token = system.token.filter(|text| !text.is_empty());
    Ok((system, others))
}

impl System {
    /// These parameters, and where one is absent, the other's.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            fields: self.fields.or(other.fields),
            compact: self.compact || other.compact,
            token: self.token.or(other.token),
            upload_type: self.upload_type.or(other.upload_type),
            upload_id: self.upload_id.or(other.upload_id),
            short_errors: self.short_errors || other.short_errors,
            alt: self.alt.or(other.alt),
        }
    }

    /// Refuses formats that no method here answers in. Google does so before
    /// it looks at credentials.
    pub(crate) fn check_alt(&self) -> Result<(), ApiError> {
        let Some(alt) = &self.alt else { return Ok(()) };
        match alt.to_ascii_lowercase().as_str() {
            "" | "json" => Ok(()),
            "media" => Err(ApiError::bad_request(
                "badRequest",
                "Unsupported alt type \"media\" for non byte stream request.",
            )),
            _ => Err(ApiError::bad_request(
                "badRequest",
                format!(
                    "Invalid value {} for query parameter 'alt'.",
                    quoted(&alt.as_str().into())
                ),
            )),
        }
    }
}

/// Holds parameters against the method's table entry: unknown ones, wrong
/// types, missing ones. Gives them back under the table's names.
pub(crate) fn check(
    style: Style,
    method: &Method,
    given: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, ApiError> {
    let mut known = Vec::with_capacity(given.len());
    for (name, value) in given {
        match find(method, &name) {
            Some(param) => {
                check_value(style, param, &value)?;
                known.push((param.name.to_owned(), value));
            }
            None if style == Style::Strict => return Err(unknown(&name)),
            None => {}
        }
    }
    let missing = method.params.iter().find(|param| {
        param.place == Place::Query
            && param.required
            && !known.iter().any(|(name, _)| name == param.name)
    });
    match missing {
        Some(param) => {
            let message = format!("Required parameter: {}", param.name);
            let error = ApiError::bad_request("required", message).at("parameter", param.name);
            Err(if style == Style::Lenient {
                error.without_status()
            } else {
                error
            })
        }
        None => Ok(known),
    }
}

fn find(method: &Method, name: &str) -> Option<&'static Param> {
    let mut query = method
        .params
        .iter()
        .filter(|param| param.place == Place::Query);
    // The names of protocol buffers (`page_token`) are accepted as well.
    query
        .clone()
        .find(|it| it.name == name)
        .or_else(|| query.find(|it| snake(it.name) == name))
}

fn unknown(name: &str) -> ApiError {
    let short: String = name.chars().take(80).collect();
    ApiError::bad_request(
        "badRequest",
        format!(
            "Invalid JSON payload received. Unknown name {}: Cannot bind query parameter. Field \
             '{short}' could not be found in request message.",
            quoted(&short.as_str().into()),
        ),
    )
    .violating("")
}

fn check_value(style: Style, param: &Param, value: &str) -> Result<(), ApiError> {
    let (fits, kind) = match param.kind {
        Kind::Text | Kind::FieldMask => (true, "TYPE_STRING"),
        Kind::Bool => {
            let known = ["true", "false", "1", "0"];
            (
                known.iter().any(|word| value.eq_ignore_ascii_case(word)),
                "TYPE_BOOL",
            )
        }
        Kind::Int32 => (value.parse::<i32>().is_ok(), "TYPE_INT32"),
        Kind::Uint32 => (value.parse::<u32>().is_ok(), "TYPE_UINT32"),
        Kind::Uint64 => (value.parse::<u64>().is_ok(), "TYPE_UINT64"),
        Kind::DateTime => (value.parse::<jiff::Timestamp>().is_ok(), "TYPE_STRING"),
    };
    let chosen = param.choices.is_empty() || param.choices.iter().any(|(name, _)| *name == value);
    if fits && chosen {
        return Ok(());
    }
    Err(match style {
        Style::Strict => {
            let kind = if fits { "TYPE_ENUM" } else { kind };
            ApiError::wrong_type(&snake(param.name), kind, &quoted(&value.into()))
        }
        Style::Lenient => {
            let message = format!(
                "Invalid value for {}: {}",
                param.name,
                quoted(&value.into())
            );
            ApiError::bad_request("invalidParameter", message)
                .at("parameter", param.name)
                .without_status()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::tasks;

    fn list() -> &'static Method {
        tasks::API
            .methods
            .iter()
            .find(|method| method.id == "tasks.tasks.list")
            .unwrap()
    }

    fn checked(query: &str) -> Result<Vec<(String, String)>, String> {
        let (_, given) = parse(query.as_bytes()).unwrap();
        check(Style::Strict, list(), given).map_err(|error| error.message)
    }

    #[test]
    fn parameters_come_under_their_own_names() {
        let wanted = vec![
            ("maxResults".to_owned(), "5".to_owned()),
            ("showHidden".to_owned(), "true".to_owned()),
            ("pageToken".to_owned(), "a b".to_owned()),
        ];
        assert_eq!(
            checked("maxResults=5&showHidden=true&page_token=a+b&alt=json&key=k"),
            Ok(wanted)
        );
    }

    #[test]
    fn what_the_method_does_not_take_is_refused() {
        for (query, message) in [
            (
                "q=x",
                "Invalid JSON payload received. Unknown name \"q\": Cannot bind query parameter. \
                 Field 'q' could not be found in request message.",
            ),
            (
                "maxResults=abc",
                "Invalid value at 'max_results' (TYPE_INT32), \"abc\"",
            ),
            (
                "maxResults=",
                "Invalid value at 'max_results' (TYPE_INT32), \"\"",
            ),
            (
                "maxResults=99999999999",
                "Invalid value at 'max_results' (TYPE_INT32), \"99999999999\"",
            ),
            (
                "showCompleted=maybe",
                "Invalid value at 'show_completed' (TYPE_BOOL), \"maybe\"",
            ),
        ] {
            assert_eq!(checked(query), Err(message.to_owned()), "{query}");
        }
        // A path variable is no query parameter.
        assert!(checked("tasklist=x").is_err());
        let long = checked(&"x".repeat(1_000_000)).unwrap_err();
        assert!(long.len() < 400);
    }

    #[test]
    fn system_parameters_are_taken_out() {
        let (system, others) =
            parse(b"fields=id&fields=x&prettyPrint=false&$.xgafv=2&access_token=t&a=%ff&b")
                .unwrap();
        assert_eq!(system.fields.as_deref(), Some("id"));
        assert!(system.compact && system.short_errors);
        assert_eq!(system.token.as_deref(), Some("t"));
        let names: Vec<_> = others
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(names, [("a", "\u{fffd}"), ("b", "")]);
        assert!(parse("a=1&".repeat(3000).as_bytes()).is_err());
    }

    #[test]
    fn only_json_is_answered() {
        let alt = |query: &str| parse(query.as_bytes()).unwrap().0.check_alt();
        for query in ["", "alt=", "alt=json", "alt=JSON", "alt=json&alt=zzz"] {
            assert_eq!(alt(query), Ok(()), "{query}");
        }
        for query in ["alt=media", "alt=proto", "alt=zzz"] {
            assert_eq!(alt(query).unwrap_err().code, 400, "{query}");
        }
    }
}
