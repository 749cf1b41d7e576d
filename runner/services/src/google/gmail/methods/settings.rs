//! `users.getProfile` and `users.settings`.

use proctor_types::journal::{Change, View};
use serde::Serialize;
use serde_json::{Map, Value};

use super::render::{listed_whole, shown_whole};
use super::{changed, mailbox, read, text};
use crate::google::Ctx;
use crate::google::call::{At, Call, Reply};
use crate::google::error::ApiError;
use crate::google::gmail::settings::{FilterRule, IdentityError, Relay, SendAs};

/// Longest signature, and longest of the other texts of an identity, in bytes.
const LONGEST_TEXT: usize = 10_000;
/// Longest address or host name in bytes (RFC 3696 with its errata has 320 at
/// most).
const LONGEST_ADDRESS: usize = 320;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profile<'a> {
    email_address: &'a str,
    messages_total: usize,
    threads_total: usize,
    history_id: String,
}

pub(super) fn profile(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    super::check_user(ctx, call)?;
    let mailbox = &ctx.google.gmail;
    let (messages, threads) = mailbox.totals();
    call.reply(&Profile {
        email_address: &ctx.account.email,
        messages_total: messages,
        threads_total: threads,
        history_id: mailbox.history().newest().to_string(),
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    send_as_email: &'a str,
    display_name: &'a str,
    reply_to_address: &'a str,
    signature: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_primary: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_default: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    treat_as_alias: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smtp_msa: Option<ShownRelay<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_status: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownRelay<'a> {
    host: &'a str,
    port: i32,
    #[serde(skip_serializing_if = "str::is_empty")]
    username: &'a str,
    security_mode: &'a str,
}

impl<'a> Shown<'a> {
    fn new(it: &'a SendAs) -> Self {
        let verification = if it.verified { "accepted" } else { "pending" };
        Self {
            send_as_email: &it.email,
            display_name: &it.display_name,
            reply_to_address: &it.reply_to,
            signature: &it.signature,
            is_primary: it.is_primary,
            is_default: it.is_default,
            treat_as_alias: (!it.is_primary).then_some(it.treat_as_alias),
            smtp_msa: it.smtp.as_ref().map(|relay| ShownRelay {
                host: &relay.host,
                port: relay.port,
                username: &relay.username,
                security_mode: &relay.security,
            }),
            verification_status: (!it.is_primary).then_some(verification),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Identities<'a> {
    send_as: Vec<Shown<'a>>,
}

pub(super) fn list_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let identities = &mailbox(ctx, call)?.identities;
    let mut reply = call.reply(&Identities {
        send_as: identities.iter().map(Shown::new).collect(),
    })?;
    for (at, it) in identities.iter().enumerate() {
        let touch = read("gmail.send_as", &it.email, View::Full);
        reply = reply.read_at(touch, At::Item("sendAs", at), listed_whole);
    }
    Ok(reply)
}

pub(super) fn get_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let identities = &mailbox(ctx, call)?.identities;
    let it = identities
        .get(call.path("sendAsEmail"))
        .ok_or_else(ApiError::entity_not_found)?;
    let touch = read("gmail.send_as", &it.email, View::Full);
    Ok(call
        .reply(&Shown::new(it))?
        .read_at(touch, At::Root, shown_whole))
}

/// Adds an identity. One of the account's own domain needs no proof.
pub(super) fn create_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let domain = |email: &str| {
        email
            .rsplit_once('@')
            .map(|(_, domain)| domain.to_lowercase())
    };
    let home = domain(&ctx.account.email);
    let identities = &mut mailbox(ctx, call)?.identities;
    let email = text(call.body(), "sendAsEmail").unwrap_or_default();
    check_length("sendAsEmail", email, LONGEST_ADDRESS)?;
    let valid = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !domain.contains('@')
    });
    if !valid
        || email.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,\"".contains(c))
    {
        return Err(ApiError::invalid("Invalid sendAsEmail"));
    }
    let mut identity = SendAs::new(email);
    identity.verified = domain(email) == home;
    fill(&mut identity, call.body())?;
    identities.add(identity)?;
    let it = identities
        .get(email)
        .ok_or_else(ApiError::entity_not_found)?;
    let touch = changed("gmail.send_as", &it.email, Change::Created);
    Ok(call.reply(&Shown::new(it))?.changed(touch))
}

/// Replaces everything that a request can set.
pub(super) fn update_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, |it| SendAs {
        is_default: it.is_default,
        is_primary: it.is_primary,
        verified: it.verified,
        ..SendAs::new(&it.email)
    })
}

/// Changes what the request names.
pub(super) fn patch_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    put(ctx, call, SendAs::clone)
}

fn put(ctx: &mut Ctx<'_>, call: &Call, from: fn(&SendAs) -> SendAs) -> Result<Reply, ApiError> {
    let identities = &mut mailbox(ctx, call)?.identities;
    let found = identities.get(call.path("sendAsEmail"));
    let before = found.cloned().ok_or_else(ApiError::entity_not_found)?;
    let mut identity = from(&before);
    fill(&mut identity, call.body())?;
    identities.replace(identity);
    let it = identities
        .get(&before.email)
        .ok_or_else(ApiError::entity_not_found)?;
    let touch = changed("gmail.send_as", &it.email, Change::Updated).fields(different(&before, it));
    Ok(call.reply(&Shown::new(it))?.changed(touch))
}

fn different(before: &SendAs, after: &SendAs) -> Vec<&'static str> {
    let pairs = [
        ("displayName", before.display_name == after.display_name),
        ("replyToAddress", before.reply_to == after.reply_to),
        ("signature", before.signature == after.signature),
        ("isDefault", before.is_default == after.is_default),
        (
            "treatAsAlias",
            before.treat_as_alias == after.treat_as_alias,
        ),
        ("smtpMsa", before.smtp == after.smtp),
    ];
    pairs
        .into_iter()
        .filter(|(_, same)| !same)
        .map(|(name, _)| name)
        .collect()
}

/// Takes over what a body says. `null` empties a member.
fn fill(identity: &mut SendAs, body: &Map<String, Value>) -> Result<(), ApiError> {
    let texts = [
        ("displayName", &mut identity.display_name),
        ("replyToAddress", &mut identity.reply_to),
        ("signature", &mut identity.signature),
    ];
    for (name, slot) in texts {
        if let Some(value) = body.get(name) {
            let text = value.as_str().unwrap_or_default();
            check_length(name, text, LONGEST_TEXT)?;
            text.clone_into(slot);
        }
    }
    if let Some(value) = body.get("treatAsAlias") {
        identity.treat_as_alias = value.as_bool().unwrap_or_default();
    }
    if let Some(value) = body.get("smtpMsa") {
        identity.smtp = value.as_object().map(relay).transpose()?;
    }
    // Another identity can become the default; none can just cease to be it.
    if body.get("isDefault").and_then(Value::as_bool) == Some(true) && !identity.is_default {
        if !identity.verified {
            return Err(ApiError::failed_precondition(
                "The send-as alias must be verified before it can be the default",
            ));
        }
        identity.is_default = true;
    }
    Ok(())
}

fn check_length(name: &str, text: &str, most: usize) -> Result<(), ApiError> {
    if text.len() > most {
        return Err(ApiError::invalid(format!(
            "{name} is too long: it can have {most} bytes"
        )));
    }
    Ok(())
}

fn relay(value: &Map<String, Value>) -> Result<Relay, ApiError> {
    let host = text(value, "host").ok_or_else(|| ApiError::invalid("SMTP host required"))?;
    let port = value
        .get("port")
        .and_then(Value::as_i64)
        .and_then(|port| i32::try_from(port).ok());
    let port = port.filter(|port| (1..=65_535).contains(port));
    let security = text(value, "securityMode").unwrap_or("none");
    let username = text(value, "username").unwrap_or_default();
    for (name, text) in [
        ("host", host),
        ("username", username),
        ("securityMode", security),
    ] {
        check_length(name, text, LONGEST_ADDRESS)?;
    }
    Ok(Relay {
        host: host.to_owned(),
        port: port.ok_or_else(|| ApiError::invalid("Invalid SMTP port"))?,
        username: username.to_owned(),
        security: security.to_owned(),
    })
}

pub(super) fn delete_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let identities = &mut mailbox(ctx, call)?.identities;
    let found = identities
        .get(call.path("sendAsEmail"))
        .ok_or_else(ApiError::entity_not_found)?;
    let (email, is_primary) = (found.email.clone(), found.is_primary);
    if is_primary {
        return Err(ApiError::invalid(
            "Cannot delete the primary send-as address",
        ));
    }
    identities.remove(&email);
    Ok(Reply::empty().changed(changed("gmail.send_as", &email, Change::Deleted)))
}

/// Sends a mail to the address with a link that proves whose it is. Nobody
/// reads that mail here, so the address stays unproven.
pub(super) fn verify_send_as(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let identities = &mailbox(ctx, call)?.identities;
    let it = identities
        .get(call.path("sendAsEmail"))
        .ok_or_else(ApiError::entity_not_found)?;
    if it.verified {
        return Err(ApiError::failed_precondition(
            "The send-as alias is verified already",
        ));
    }
    Ok(Reply::empty().changed(changed("gmail.send_as", &it.email, Change::Updated)))
}

impl From<IdentityError> for ApiError {
    fn from(error: IdentityError) -> Self {
        match error {
            IdentityError::Exists => {
                Self::new(409, "ALREADY_EXISTS", "alreadyExists", error.to_string())
            }
            IdentityError::TooMany => Self::failed_precondition(error.to_string()),
        }
    }
}

#[derive(Serialize)]
struct Filters<'a> {
    #[serde(skip_serializing_if = "<[FilterRule]>::is_empty")]
    filter: &'a [FilterRule],
}

pub(super) fn list_filters(ctx: &mut Ctx<'_>, call: &Call) -> Result<Reply, ApiError> {
    let filters = &mailbox(ctx, call)?.filters;
    let mut reply = call.reply(&Filters { filter: filters })?;
    for (at, filter) in filters.iter().enumerate() {
        let touch = read("gmail.filter", &filter.id, View::Full);
        reply = reply.read_at(touch, At::Item("filter", at), listed_whole);
    }
    Ok(reply)
}
