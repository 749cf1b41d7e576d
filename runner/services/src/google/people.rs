//! People v1, as far as clients ask who they are: `people.get`.

use proctor_types::journal::{Touch, View};
use serde_json::{Map, Value, json};

use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::method::{Api, Kind, Method, Param, Style, Verb};
use crate::google::oauth::number_of;
use crate::google::schema::{Field, Schema, Shape};

const PROFILE: &str = "https://www.googleapis.com/auth/userinfo.profile";
const EMAIL: &str = "https://www.googleapis.com/auth/userinfo.email";
const CONTACTS: &str = "https://www.googleapis.com/auth/contacts.readonly";

/// Fields of a person that a mask may name
/// (<https://developers.google.com/people/api/rest/v1/people/get>).
const FIELDS: &[&str] = &[
    "addresses",
    "ageRanges",
    "biographies",
    "birthdays",
    "calendarUrls",
    "clientData",
    "coverPhotos",
    "emailAddresses",
    "events",
    "externalIds",
    "genders",
    "imClients",
    "interests",
    "locales",
    "locations",
    "memberships",
    "metadata",
    "miscKeywords",
    "names",
    "nicknames",
    "occupations",
    "organizations",
    "phoneNumbers",
    "photos",
    "relations",
    "sipAddresses",
    "skills",
    "urls",
    "userDefined",
];

/// People.
pub static API: Api = Api {
    name: "people",
    version: "v1",
    title: "People API",
    description: "Says who the account is.",
    root_url: "https://people.googleapis.com/",
    service_path: "",
    batch_path: "batch",
    style: Style::Strict,
    scopes: &[
        (CONTACTS, "See contacts."),
        (EMAIL, "See the account's mail address."),
        (PROFILE, "See the account's name."),
    ],
    methods: METHODS,
    schemas: SCHEMAS,
};

const METHODS: &[Method] = &[Method {
    id: "people.people.get",
    verb: Verb::Get,
    path: "v1/{resourceName=people/*}",
    description: "Returns a person. The account itself is people/me.",
    params: &[
        Param::path(
            "resourceName",
            "Name of the person: people/me, or people/ and a number.",
        ),
        Param::query(
            "personFields",
            Kind::FieldMask,
            "Fields to return, separated by commas: names, emailAddresses, metadata, ... Required.",
        ),
        Param::query("sources", Kind::Text, "Kinds of sources to look at.")
            .repeated()
            .choices(&[
                ("READ_SOURCE_TYPE_UNSPECIFIED", "Unspecified."),
                ("READ_SOURCE_TYPE_PROFILE", "The profile."),
                ("READ_SOURCE_TYPE_CONTACT", "Contacts."),
                ("READ_SOURCE_TYPE_DOMAIN_CONTACT", "Contacts of the domain."),
                ("READ_SOURCE_TYPE_OTHER_CONTACT", "Other contacts."),
            ]),
    ],
    request: None,
    response: Some("Person"),
    upload: None,
    scopes: &[CONTACTS, EMAIL, PROFILE],
    handler: get,
}];

const METADATA: Field = Field::output("metadata", Shape::Ref("FieldMetadata"), "Where it is from.");

const SCHEMAS: &[Schema] = &[
    Schema {
        id: "EmailAddress",
        description: "A mail address.",
        fields: &[METADATA, Field::new("value", Shape::Text, "The address.")],
    },
    Schema {
        id: "FieldMetadata",
        description: "Where a field is from.",
        fields: &[
            Field::output("primary", Shape::Bool, "Whether it is the person's first."),
            Field::new("source", Shape::Ref("Source"), "Source."),
            Field::new(
                "sourcePrimary",
                Shape::Bool,
                "Whether it is the source's first.",
            ),
            Field::output("verified", Shape::Bool, "Whether it is verified."),
        ],
    },
    Schema {
        id: "Name",
        description: "A name.",
        fields: &[
            Field::output("displayName", Shape::Text, "The whole name."),
            Field::output(
                "displayNameLastFirst",
                Shape::Text,
                "The same, family name first.",
            ),
            Field::new("familyName", Shape::Text, "Family name."),
            Field::new("givenName", Shape::Text, "Given name."),
            METADATA,
            Field::new("unstructuredName", Shape::Text, "The name as one text."),
        ],
    },
    Schema {
        id: "Person",
        description: "A person.",
        fields: &[
            Field::new(
                "emailAddresses",
                Shape::List(&Shape::Ref("EmailAddress")),
                "Addresses.",
            ),
            Field::new("etag", Shape::Text, "Tag of this version."),
            Field::output(
                "metadata",
                Shape::Ref("PersonMetadata"),
                "What kind of person it is.",
            ),
            Field::new("names", Shape::List(&Shape::Ref("Name")), "Names."),
            Field::new(
                "resourceName",
                Shape::Text,
                "Name in this API: people/{number}.",
            ),
        ],
    },
    Schema {
        id: "PersonMetadata",
        description: "What kind of person it is.",
        fields: &[
            Field::output("objectType", Shape::Text, "PERSON or PAGE."),
            Field::new("sources", Shape::List(&Shape::Ref("Source")), "Sources."),
        ],
    },
    Schema {
        id: "Source",
        description: "A source of data.",
        fields: &[
            Field::new("id", Shape::Text, "Identifier within its kind."),
            Field::new("type", Shape::Text, "PROFILE, CONTACT, ..."),
        ],
    },
];

fn get(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let number = number_of(&ctx.account.email);
    let own = format!("people/{number}");
    let name = call.path("resourceName");
    let fields = fields(call)?;
    if name != "people/me" && name != own {
        return Err(ApiError::not_found("Requested entity was not found."));
    }
    let source = json!({"type": "PROFILE", "id": number});
    let metadata = |verified: bool| {
        let mut map = Map::new();
        map.insert("primary".into(), true.into());
        if verified {
            map.insert("verified".into(), true.into());
        }
        map.insert("source".into(), source.clone());
        map.insert("sourcePrimary".into(), true.into());
        map
    };
    let mut person = json!({
        "resourceName": own,
        "etag": format!("%EgUBAgMHLhoEAQIFByIM{}", number.get(..8).unwrap_or_default()),
    });
    let account = ctx.account;
    for field in fields {
        match field {
            "names" => {
                let (given, family) = account.name.rsplit_once(' ').unwrap_or((&account.name, ""));
                let last_first = match family {
                    "" => account.name.clone(),
                    family => format!("{family}, {given}"),
                };
                let mut name = json!({
                    "metadata": metadata(false),
                    "displayName": account.name,
                    "familyName": family,
                    "givenName": given,
                    "displayNameLastFirst": last_first,
                    "unstructuredName": account.name,
                });
                if family.is_empty()
                    && let Some(name) = name.as_object_mut()
                {
                    name.shift_remove("familyName");
                }
                person["names"] = Value::Array(vec![name]);
            }
            "emailAddresses" => {
                let address = json!({"metadata": metadata(true), "value": account.email});
                person["emailAddresses"] = Value::Array(vec![address]);
            }
            "metadata" => {
                person["metadata"] = json!({"sources": [source], "objectType": "PERSON"});
            }
            _ => {}
        }
    }
    let view = shown(&person).unwrap_or(View::Reference);
    let touch = Touch::read("people.person", &own, view);
    Ok(Reply::json(person).read_at(touch, At::Root, shown))
}

/// How much a masked answer shows of the person.
fn shown(person: &Value) -> Option<View> {
    let map = person.as_object().filter(|map| !map.is_empty())?;
    let content = ["names", "emailAddresses"];
    Some(if content.iter().any(|name| map.contains_key(*name)) {
        View::Full
    } else {
        View::Reference
    })
}

/// The fields that `personFields` names.
fn fields(call: &Call) -> Result<Vec<&str>, ApiError> {
    const WHERE: &str = "Valid paths are documented at \
                         https://developers.google.com/people/api/rest/v1/people/get.";
    let named: Vec<&str> = call
        .query("personFields")
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|path| !path.is_empty())
        .collect();
    if named.is_empty() {
        let text = format!(
            "personFields mask is required. Please specify one or more valid paths. {WHERE}"
        );
        return Err(ApiError::invalid(text));
    }
    match named.iter().find(|path| !FIELDS.contains(path)) {
        Some(path) => {
            let path: String = path.chars().take(100).collect();
            Err(ApiError::invalid(format!(
                "Invalid personFields mask path: \"{path}\". {WHERE}"
            )))
        }
        None => Ok(named),
    }
}
