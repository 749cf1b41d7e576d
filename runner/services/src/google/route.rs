//! Which method a request is for.
//!
//! Paths are split on literal slashes first and decoded afterwards: clients
//! encode everything in an identifier, so `%2F` is part of one. A colon in the
//! last segment separates a custom verb where the table has one.

use std::collections::HashMap;
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;

use crate::google::apis;
use crate::google::error::ApiError;
use crate::google::method::{Api, Method, Verb};

/// Longest path that is looked at, in bytes.
const MAX_PATH: usize = 8192;

/// A method, and what the path says.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) api: &'static Api,
    pub(crate) method: &'static Method,
    /// Whether it came to the method's upload path.
    pub(crate) upload: bool,
    pub(crate) path: Vec<(&'static str, String)>,
}

/// One segment of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// Exactly this.
    Literal(&'static str),
    /// Anything but nothing, followed by `:verb`.
    Suffixed(&'static str),
    /// Anything but nothing.
    Any,
}

/// A parsed path template.
#[derive(Debug)]
struct Template {
    pieces: Vec<Piece>,
    /// Variables with the segments they span.
    variables: Vec<(&'static str, std::ops::Range<usize>)>,
}

#[derive(Debug)]
struct Entry {
    api: &'static Api,
    method: &'static Method,
    upload: bool,
    template: Template,
}

/// Entries by verb and number of segments, the most literal ones first.
static TABLE: LazyLock<HashMap<(Verb, usize), Vec<Entry>>> = LazyLock::new(|| {
    let mut table: HashMap<(Verb, usize), Vec<Entry>> = HashMap::new();
    for api in apis() {
        for method in api.methods {
            let uploads = method.upload.map(|upload| (upload.path, true));
            let paths = [(method.path, false)].into_iter().chain(uploads);
            for (path, upload) in paths {
                let prefix = if upload { "" } else { api.service_path };
                let template = Template::parse(prefix, path);
                let key = (method.verb, template.pieces.len());
                table.entry(key).or_default().push(Entry {
                    api,
                    method,
                    upload,
                    template,
                });
            }
        }
    }
    for entries in table.values_mut() {
        entries.sort_by(|a, b| a.template.pieces.cmp(&b.template.pieces));
    }
    table
});

impl Template {
    /// Reads a template of the table.
    fn parse(prefix: &'static str, path: &'static str) -> Self {
        let mut template = Self {
            pieces: Vec::new(),
            variables: Vec::new(),
        };
        template.pieces.extend(
            prefix
                .split('/')
                .filter(|it| !it.is_empty())
                .map(Piece::Literal),
        );
        let mut rest = path;
        while !rest.is_empty() {
            rest = template.take_segment(rest.trim_start_matches('/'));
        }
        template
    }

    /// Takes the first segment (or variable) off `text`.
    fn take_segment(&mut self, text: &'static str) -> &'static str {
        let Some((name, after)) = text.strip_prefix('{').and_then(|text| text.split_once('}'))
        else {
            let (segment, after) = text.split_once('/').unwrap_or((text, ""));
            self.pieces.push(Piece::Literal(segment));
            return after;
        };
        let (suffix, after) = after.split_once('/').unwrap_or((after, ""));
        let (name, inner) = name.split_once('=').unwrap_or((name, "*"));
        let start = self.pieces.len();
        for segment in inner.split('/') {
            self.pieces.push(if segment == "*" {
                Piece::Any
            } else {
                Piece::Literal(segment)
            });
        }
        self.variables.push((name, start..self.pieces.len()));
        if !suffix.is_empty()
            && let Some(last) = self.pieces.last_mut()
        {
            *last = Piece::Suffixed(suffix);
        }
        after
    }

    fn fits(&self, segments: &[&str]) -> bool {
        self.pieces
            .iter()
            .zip(segments)
            .all(|(piece, segment)| match piece {
                Piece::Literal(literal) => {
                    literal == segment
                        || segment.contains('%') && percent_decode_str(segment).eq(literal.bytes())
                }
                Piece::Any => !segment.is_empty(),
                Piece::Suffixed(suffix) => segment
                    .strip_suffix(suffix)
                    .is_some_and(|before| !before.is_empty()),
            })
    }

    fn variables(&self, segments: &[&str]) -> Result<Vec<(&'static str, String)>, ApiError> {
        self.variables
            .iter()
            .map(|(name, range)| {
                let mut value = String::new();
                for at in range.clone() {
                    let mut segment = segments.get(at).copied().unwrap_or_default();
                    if let Some(Piece::Suffixed(suffix)) = self.pieces.get(at) {
                        segment = segment.strip_suffix(suffix).unwrap_or(segment);
                    }
                    if at > range.start {
                        value.push('/');
                    }
                    value.push_str(&decode(segment)?);
                }
                Ok((*name, value))
            })
            .collect()
    }
}

/// Undoes percent-encoding.
fn decode(text: &str) -> Result<String, ApiError> {
    percent_decode_str(text)
        .decode_utf8()
        .map(std::borrow::Cow::into_owned)
        .map_err(|_| ApiError::bad_request("badRequest", "Invalid request path: it is not UTF-8."))
}

/// The method that `verb` on `path` (percent-encoded) is; `None` where no API
/// of `allowed` (empty: all) has one.
pub(crate) fn find(
    allowed: Option<&str>,
    verb: Verb,
    path: &str,
) -> Result<Option<Route>, ApiError> {
    if path.len() > MAX_PATH {
        return Err(ApiError::new(
            414,
            "INVALID_ARGUMENT",
            "uriTooLong",
            "Request-URI Too Long",
        ));
    }
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = match path.strip_prefix("resumable/") {
        Some(upload) if upload.starts_with("upload/") => upload,
        _ => path,
    };
    let segments: Vec<&str> = path.split('/').collect();
    let entries = TABLE
        .get(&(verb, segments.len()))
        .map(Vec::as_slice)
        .unwrap_or_default();
    entries
        .iter()
        .find(|entry| {
            allowed.is_none_or(|name| name == entry.api.name) && entry.template.fits(&segments)
        })
        .map(|entry| {
            Ok(Route {
                api: entry.api,
                method: entry.method,
                upload: entry.upload,
                path: entry.template.variables(&segments)?,
            })
        })
        .transpose()
}

/// The first segments of an API's paths: `gmail/v1`.
fn prefix(api: &Api) -> String {
    let path = if api.service_path.is_empty() {
        api.methods.first().map_or("", |method| method.path)
    } else {
        api.service_path
    };
    // `v1/{resourceName=people/*}` begins with `v1/people`.
    let plain = path.replace("{resourceName=", "");
    let segments: Vec<&str> = plain.split('/').take(2).collect();
    segments.join("/")
}

static PREFIXES: LazyLock<Vec<(String, &'static Api)>> =
    LazyLock::new(|| apis().iter().map(|api| (prefix(api), *api)).collect());

/// The API that a path without a method belongs to: by its first segments.
pub(crate) fn api_of_path(path: &str) -> Option<&'static Api> {
    let path = path.strip_prefix("/resumable").unwrap_or(path);
    let path = path
        .strip_prefix("/upload")
        .unwrap_or(path)
        .trim_start_matches('/');
    let mut known = PREFIXES.iter();
    let found = known.find(|(prefix, _)| {
        path.strip_prefix(prefix.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    found.map(|(_, api)| *api)
}

/// Whether a path is below one of the APIs.
pub(crate) fn is_api_path(path: &str) -> bool {
    api_of_path(path).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verb: Verb, path: &str) -> Option<(&'static str, Vec<(&'static str, String)>)> {
        find(None, verb, path)
            .unwrap()
            .map(|route| (route.method.id, route.path))
    }

    /// A path that the template must be found by.
    fn example(template: &str) -> String {
        let mut path = String::new();
        for (n, part) in template.split(['{', '}']).enumerate() {
            if n % 2 == 0 {
                path.push_str(part);
            } else {
                let inner = part.split_once('=').map_or("*", |(_, inner)| inner);
                path.push_str(&inner.replace('*', "x%2Fy%3Az"));
            }
        }
        path
    }

    #[test]
    fn every_path_of_the_table_routes_to_itself() {
        for api in apis() {
            for method in api.methods {
                let path = format!("/{}{}", api.service_path, example(method.path));
                let route = find(None, method.verb, &path).unwrap().unwrap();
                assert_eq!(route.method.id, method.id, "{path}");
                assert!(!route.upload);
                for (name, value) in &route.path {
                    assert!(value.contains("x/y:z"), "{name} of {path} is {value}");
                }
                let Some(upload) = method.upload else {
                    continue;
                };
                for prefix in ["/", "/resumable/"] {
                    let path = format!("{prefix}{}", example(upload.path));
                    let route = find(None, method.verb, &path).unwrap().unwrap();
                    assert_eq!((route.method.id, route.upload), (method.id, true), "{path}");
                }
            }
        }
    }

    #[test]
    fn no_two_methods_share_a_path() {
        for entries in TABLE.values() {
            for pair in entries.windows(2) {
                let [one, two] = pair else { continue };
                assert_ne!(
                    one.template.pieces, two.template.pieces,
                    "{}",
                    two.method.id
                );
            }
        }
    }

    #[test]
    fn identifiers_come_decoded() {
        let (id, path) = found(
            Verb::Get,
            "/tasks/v1/lists/MDE%3A0%3A0/tasks/a%2Fb%5F%2D%2E",
        )
        .unwrap();
        assert_eq!(id, "tasks.tasks.get");
        assert_eq!(
            path,
            [
                ("tasklist", "MDE:0:0".to_owned()),
                ("task", "a/b_-.".to_owned())
            ]
        );
        let (_, path) = found(Verb::Get, "/tasks/v1/lists/@default/tasks").unwrap();
        assert_eq!(path, [("tasklist", "@default".to_owned())]);
        let (id, path) = found(Verb::Get, "/tasks/v1/users/%40me/lists/%40default").unwrap();
        assert_eq!(id, "tasks.tasklists.get");
        assert_eq!(path, [("tasklist", "@default".to_owned())]);
    }

    #[test]
    fn a_variable_may_span_segments() {
        let (id, path) = found(Verb::Get, "/v1/people/me").unwrap();
        assert_eq!(id, "people.people.get");
        assert_eq!(path, [("resourceName", "people/me".to_owned())]);
        assert_eq!(found(Verb::Get, "/v1/other/me"), None);
    }

    #[test]
    fn strange_paths_lead_nowhere() {
        for path in [
            "",
            "/",
            "//",
            "tasks",
            "/tasks/v1/lists//tasks",
            "/tasks/v1/lists/a/tasks/",
            "/tasks/v1/lists/a/tasks/b/c/d",
            "/tasks/v1/../v1/users/@me/lists",
            "/TASKS/v1/users/@me/lists",
            "/tasks%2Fv1/users/@me/lists",
            "/tasks/v1/users/@me/lists/",
            "/%00",
            "/tasks/v2/users/@me/lists",
        ] {
            assert_eq!(found(Verb::Get, path), None, "{path}");
        }
        // Dots are no way up: they are an identifier like another.
        let (_, path) = found(Verb::Get, "/tasks/v1/lists/../tasks/..%2f..").unwrap();
        assert_eq!(
            path,
            [("tasklist", "..".to_owned()), ("task", "../..".to_owned())]
        );
        assert!(find(None, Verb::Get, "/tasks/v1/lists/%ff/tasks").is_err());
        assert!(find(None, Verb::Get, &format!("/{}", "a".repeat(9000))).is_err());
        let many = "/a".repeat(4000);
        assert_eq!(found(Verb::Get, &many), None);
    }

    #[test]
    fn the_host_can_limit_the_apis() {
        let path = "/tasks/v1/users/@me/lists";
        assert!(find(Some("tasks"), Verb::Get, path).unwrap().is_some());
        assert!(find(Some("gmail"), Verb::Get, path).unwrap().is_none());
    }
}
