//! Google's token endpoints. Every refresh token, assertion and code is good,
//! and every access token stands for the account, except for those that the seed
//! gives to others: what is tested here is what
//! an agent does, not whether it can get in.

use http::Method;
use proctor_types::world::Account;
use serde_json::{Map, Value, json};

use crate::google::desk::Known;
use crate::google::frame::{Signature, holder};
use crate::google::wire;
use crate::service::{Answer, Request};
use crate::world::World;

/// Hosts of the token endpoints.
pub(crate) const HOSTS: &[&str] = &[
    "oauth2.googleapis.com",
    "accounts.google.com",
    "openidconnect.googleapis.com",
];

/// Scopes of a token that did not ask for any.
const SCOPE: &str = "https://mail.google.com/ https://www.googleapis.com/auth/tasks \
                     https://www.googleapis.com/auth/calendar openid \
                     https://www.googleapis.com/auth/userinfo.email \
                     https://www.googleapis.com/auth/userinfo.profile";
/// Lifetime of a token in seconds, as Google words it.
const LIFETIME: u32 = 3599;

/// What a path is on the token endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    Token,
    TokenInfo,
    UserInfo,
    Revoke,
}

fn endpoint(path: &str) -> Option<Endpoint> {
    match path {
        "/token" | "/o/oauth2/token" | "/oauth2/v3/token" | "/oauth2/v4/token" => {
            Some(Endpoint::Token)
        }
        "/tokeninfo" | "/oauth2/v1/tokeninfo" | "/oauth2/v2/tokeninfo" | "/oauth2/v3/tokeninfo" => {
            Some(Endpoint::TokenInfo)
        }
        "/v1/userinfo" | "/oauth2/v1/userinfo" | "/oauth2/v2/userinfo" | "/oauth2/v3/userinfo" => {
            Some(Endpoint::UserInfo)
        }
        "/revoke" | "/o/oauth2/revoke" => Some(Endpoint::Revoke),
        _ => None,
    }
}

/// Whether this path is one of the token endpoints.
pub(crate) fn is_oauth(path: &str) -> bool {
    endpoint(path).is_some()
}

/// Answers a request to a token endpoint.
pub(crate) fn answer(world: &mut World, request: &Request) -> Answer {
    let params = params(request);
    let get = |name: &str| {
        params
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let known = endpoint(&request.path);
    let operation = match known {
        Some(Endpoint::Token) => Some("oauth.token"),
        Some(Endpoint::TokenInfo) => Some("oauth.tokeninfo"),
        Some(Endpoint::UserInfo) => Some("oauth.userinfo"),
        Some(Endpoint::Revoke) => Some("oauth.revoke"),
        None => None,
    };
    let mut signature = Signature {
        operation,
        ..Signature::of("oauth")
    };
    let token = match known {
        Some(Endpoint::TokenInfo) => get("access_token").or(request.bearer()),
        Some(Endpoint::Revoke) => get("token"),
        Some(Endpoint::Token) => get("refresh_token"),
        _ => request.bearer().or(get("access_token")),
    };
    let account = account_of(world, token);
    let (status, body) = match known {
        Some(Endpoint::Token) if request.method == Method::POST => grant(world, &get),
        Some(Endpoint::Token) => (405, refusal("invalid_request", "Expected POST.")),
        Some(Endpoint::TokenInfo) => match token {
            Some(_) => (200, token_info(&account)),
            None => (
                400,
                refusal(
                    "invalid_request",
                    "Either access_token or id_token required",
                ),
            ),
        },
        Some(Endpoint::UserInfo) => match token {
            Some(_) => (200, user_info(&account, &request.path)),
            None => (
                401,
                refusal(
                    "invalid_request",
                    "Missing required parameter: access_token",
                ),
            ),
        },
        Some(Endpoint::Revoke) => match token {
            Some(_) => (200, json!({})),
            None => (
                400,
                refusal("invalid_request", "Missing required parameter: token"),
            ),
        },
        None => (404, refusal("not_found", "There is no such endpoint.")),
    };
    if status == 200 {
        signature.actor = Some(account.email);
    }
    signature.answer(status).body(
        wire::MEDIA_TYPE,
        wire::write(&body, true).unwrap_or_default(),
    )
}

/// Parameters from query, form and JSON body together.
fn params(request: &Request) -> Map<String, Value> {
    let mut params = match serde_json::from_slice(&request.body) {
        Ok(Value::Object(map)) if request.media_type() == "application/json" => map,
        _ => pairs(&request.body),
    };
    params.extend(pairs(request.query.as_bytes()));
    params
}

fn pairs(text: &[u8]) -> Map<String, Value> {
    form_urlencoded::parse(text)
        .take(100)
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect()
}

fn refusal(error: &str, description: &str) -> Value {
    json!({"error": error, "error_description": description})
}

fn grant<'a>(world: &mut World, get: &impl Fn(&str) -> Option<&'a str>) -> (u16, Value) {
    let Some(grant) = get("grant_type") else {
        return (
            400,
            refusal("invalid_request", "Missing required parameter: grant_type"),
        );
    };
    let needed = match grant {
        "refresh_token" => "refresh_token",
        "authorization_code" => "code",
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => "assertion",
        other => {
            let other: String = other.chars().take(100).collect();
            return (
                400,
                refusal(
                    "unsupported_grant_type",
                    &format!("Invalid grant_type: {other}"),
                ),
            );
        }
    };
    if get(needed).is_none() {
        let description = format!("Missing required parameter: {needed}");
        return (400, refusal("invalid_request", &description));
    }
    // A token that stands for somebody else goes on doing so.
    let google = world.google.as_ref();
    let others =
        get(needed).filter(|it| google.is_some_and(|google| google.tokens.contains_key(*it)));
    let access = match others {
        Some(token) => token.to_owned(),
        None => format!("ya29.{}", world.ids.base64url("oauth.access", 43)),
    };
    let mut answer = json!({
        "access_token": access,
        "expires_in": LIFETIME,
        "scope": get("scope").unwrap_or(SCOPE),
        "token_type": "Bearer",
    });
    if grant == "authorization_code" {
        answer["refresh_token"] = format!("1//{}", world.ids.base64url("oauth.refresh", 43)).into();
    }
    (200, answer)
}

/// Whose account a token is for.
fn account_of(world: &World, token: Option<&str>) -> Account {
    let email = holder(world, token);
    let known = email.and_then(|email| Known::of(world).account(&email));
    known.unwrap_or_else(|| world.account.clone())
}

/// A person's number, as Google numbers people: 21 digits that follow from a mail address.
pub(crate) fn number_of(email: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let digest: [u8; 32] = Sha256::digest(email.as_bytes()).into();
    let digits = digest
        .iter()
        .take(20)
        .map(|byte| char::from(b'0' + byte % 10));
    std::iter::once('1').chain(digits).collect()
}

fn token_info(account: &Account) -> Value {
    json!({
        "azp": "proctor.apps.googleusercontent.com",
        "aud": "proctor.apps.googleusercontent.com",
        "sub": number_of(&account.email),
        "scope": SCOPE,
        "expires_in": LIFETIME.to_string(),
        "email": account.email,
        "email_verified": "true",
        "access_type": "offline",
    })
}

fn user_info(account: &Account, path: &str) -> Value {
    let (given, family) = account.name.split_once(' ').unwrap_or((&account.name, ""));
    // The older versions name the same two members differently.
    let (id, verified) = if path.contains("/v2/") || path.starts_with("/oauth2/v1/") {
        ("id", "verified_email")
    } else {
        ("sub", "email_verified")
    };
    json!({
        id: number_of(&account.email),
        "name": account.name,
        "given_name": given,
        "family_name": family,
        "email": account.email,
        verified: true,
    })
}
