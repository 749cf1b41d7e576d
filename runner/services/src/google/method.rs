//! The table of methods that everything is driven by.
//!
//! A [`Method`] says once what routing, discovery documents, parameter checks
//! and clients all need to know: what `gws gmail --help` shows is exactly what
//! works, because both come from here.

use crate::google::Ctx;
use crate::google::call::{Call, Reply};
use crate::google::error::ApiError;
use crate::google::schema::Schema;

/// What answers a call.
pub type Handler = fn(&mut Ctx<'_>, &Call) -> Result<Reply, ApiError>;

/// One API: its methods, its schemas, and what its discovery document says of
/// it.
#[derive(Debug)]
pub struct Api {
    /// Name: `gmail`. Also the service under which the journal lists its
    /// requests.
    pub name: &'static str,
    /// Version: `v1`.
    pub version: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// One sentence about it.
    pub description: &'static str,
    /// `https://gmail.googleapis.com/`, with the slash.
    pub root_url: &'static str,
    /// What follows the root URL before every method's `path`; empty for the
    /// newer APIs. Without leading slash, with trailing slash.
    pub service_path: &'static str,
    /// Path of the batch endpoint under the root URL: `batch`.
    pub batch_path: &'static str,
    /// How it behaves where the APIs differ.
    pub style: Style,
    /// OAuth scopes: address and what it allows.
    pub scopes: &'static [(&'static str, &'static str)],
    /// The methods.
    pub methods: &'static [Method],
    /// Shapes of bodies and answers.
    pub schemas: &'static [Schema],
}

impl Api {
    /// The schema of that name.
    pub fn schema(&self, id: &str) -> Option<&'static Schema> {
        self.schemas.iter().find(|schema| schema.id == id)
    }
}

/// Google's APIs come in two generations that check bodies and render errors
/// differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Gmail, Tasks, People: bodies are checked field by field, unknown query
    /// parameters are refused.
    Strict,
    /// Calendar v3: unknown fields and parameters are ignored, errors carry no
    /// canonical status.
    Lenient,
}

/// HTTP verb of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// GET (HEAD is answered like it).
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

impl Verb {
    /// The verb as HTTP writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// One method of an API.
#[derive(Debug)]
pub struct Method {
    /// Identifier, which also says where it stands in the tree of resources:
    /// `gmail.users.messages.list`.
    pub id: &'static str,
    /// HTTP verb.
    pub verb: Verb,
    /// Path template below the API's service path. `{userId}` is one segment;
    /// `{resourceName=people/*}` is several, of which `*` may be anything:
    /// `gmail/v1/users/{userId}/messages/{id}`.
    pub path: &'static str,
    /// What it does, for `--help`.
    pub description: &'static str,
    /// Parameters: those of the path in the order of the path, then the query.
    pub params: &'static [Param],
    /// Schema of the request body.
    pub request: Option<&'static str>,
    /// Schema of the answer.
    pub response: Option<&'static str>,
    /// Whether and how media can be uploaded.
    pub upload: Option<Upload>,
    /// Scopes of which any one suffices (addresses, as in [`Api::scopes`]).
    pub scopes: &'static [&'static str],
    /// What answers it.
    pub handler: Handler,
}

/// How media is uploaded to a method.
#[derive(Debug, Clone, Copy)]
pub struct Upload {
    /// Path template: `upload/gmail/v1/users/{userId}/messages/send`. The same
    /// behind `resumable/` takes resumable uploads too.
    pub path: &'static str,
    /// Media types that are taken: `message/*`.
    pub accept: &'static [&'static str],
    /// Largest media in bytes.
    pub max_bytes: u64,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
}

/// Type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// Signed 32-bit number.
    Int32,
    /// Unsigned 32-bit number.
    Uint32,
    /// Unsigned 64-bit number; JSON has it as a string.
    Uint64,
    /// RFC 3339 moment.
    DateTime,
    /// Comma-separated field paths.
    FieldMask,
}

/// One parameter of a method.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Name.
    pub name: &'static str,
    /// Path or query.
    pub place: Place,
    /// Type.
    pub kind: Kind,
    /// Whether a request without it is refused.
    pub required: bool,
    /// Whether it may be given more than once.
    pub repeated: bool,
    /// Value where it is not given, for the documents.
    pub default: Option<&'static str>,
    /// Smallest and largest number, for the documents.
    pub range: Option<(i64, i64)>,
    /// The only values allowed, each with what it means; empty: any.
    pub choices: &'static [(&'static str, &'static str)],
    /// What it does.
    pub description: &'static str,
}

impl Param {
    /// A variable of the path.
    pub const fn path(name: &'static str, description: &'static str) -> Self {
        let mut param = Self::query(name, Kind::Text, description);
        param.place = Place::Path;
        param.required = true;
        param
    }

    /// An optional parameter of the query.
    pub const fn query(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self {
            name,
            place: Place::Query,
            kind,
            required: false,
            repeated: false,
            default: None,
            range: None,
            choices: &[],
            description,
        }
    }

    /// The same, refused where absent.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same, allowed more than once.
    #[must_use]
    pub const fn repeated(mut self) -> Self {
        self.repeated = true;
        self
    }

    /// The same, with a documented default.
    #[must_use]
    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    /// The same, with documented bounds.
    #[must_use]
    pub const fn range(mut self, from: i64, to: i64) -> Self {
        self.range = Some((from, to));
        self
    }

    /// The same, allowed only these values.
    #[must_use]
    pub const fn choices(mut self, choices: &'static [(&'static str, &'static str)]) -> Self {
        self.choices = choices;
        self
    }
}
