//! Settings of the account: whom it can send as, and its filters.

use serde::{Deserialize, Serialize};

use super::label::LabelId;

/// Most identities of one account.
const MOST_IDENTITIES: usize = 99;

/// The identities that the account can send as. There always is a primary one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identities(Vec<SendAs>);

/// An identity that the account can send as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "the switches are the API's, each its own"
)]
#[serde(deny_unknown_fields)]
pub struct SendAs {
    /// Address, lower-case.
    pub email: String,
    /// Name that stands before it; may be empty.
    pub display_name: String,
    /// Where answers go; empty: to the address.
    pub reply_to: String,
    /// HTML under new mails in Gmail's own interface.
    pub signature: String,
    /// Whether it is used where a mail names no sender.
    pub is_default: bool,
    /// Whether it is the account's own address.
    pub is_primary: bool,
    /// Whether mail to it is mail to the account.
    pub treat_as_alias: bool,
    /// Whether the address has proved to be the account's.
    pub verified: bool,
    /// Relay for mail sent with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smtp: Option<Relay>,
}

/// A relay for outgoing mail. The password is never kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relay {
    /// Host name.
    pub host: String,
    /// Port.
    pub port: i32,
    /// User name; may be empty.
    pub username: String,
    /// `none`, `ssl` or `starttls`.
    pub security: String,
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterRule {
    /// Identifier.
    pub id: String,
    /// Which mails it is for.
    pub criteria: Criteria,
    /// What happens to them.
    pub action: Action,
}

/// Which mails a filter is for, in the API's own names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Criteria {
    /// Sender.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// Recipient.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub to: String,
    /// Words of the subject.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Query that must match.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Query that must not match.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub negated_query: String,
    /// Whether there must be a file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_attachment: bool,
}

/// What happens to the mails of a filter, in the API's own names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Action {
    /// Labels that they get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_label_ids: Vec<LabelId>,
    /// Labels that they lose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_label_ids: Vec<LabelId>,
    /// Address that they are passed on to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub forward: String,
}

/// Why an identity cannot be added or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// It is there already.
    #[error("Send-as alias already exists")]
    Exists,
    /// There are too many.
    #[error("Too many send-as aliases: an account can have {MOST_IDENTITIES}")]
    TooMany,
}

impl SendAs {
    /// An identity as a request makes it where it says only the address.
    pub(super) fn new(email: &str) -> Self {
        Self {
            email: email.to_lowercase(),
            display_name: String::new(),
            reply_to: String::new(),
            signature: String::new(),
            is_default: false,
            is_primary: false,
            treat_as_alias: true,
            verified: false,
            smtp: None,
        }
    }
}

impl Default for Identities {
    fn default() -> Self {
        Self::new("", "")
    }
}

impl Identities {
    /// The identity that every account has.
    pub(super) fn new(email: &str, name: &str) -> Self {
        let primary = SendAs {
            display_name: name.to_owned(),
            is_default: true,
            is_primary: true,
            verified: true,
            ..SendAs::new(email)
        };
        Self(vec![primary])
    }

    /// All of them, the primary one first.
    pub fn iter(&self) -> impl Iterator<Item = &SendAs> {
        self.0.iter()
    }

    /// The identity with this address.
    pub fn get(&self, email: &str) -> Option<&SendAs> {
        self.0
            .iter()
            .find(|it| it.email.eq_ignore_ascii_case(email))
    }

    /// The address that every account has.
    pub(super) fn primary(&self) -> &str {
        self.0.first().map_or("", |it| it.email.as_str())
    }

    /// Addresses that are the account.
    pub(super) fn me(&self) -> Vec<String> {
        self.0
            .iter()
            .filter(|it| it.verified)
            .map(|it| it.email.clone())
            .collect()
    }

    /// Whether mail may say that it comes from this address.
    pub(super) fn may_send_as(&self, email: &str) -> bool {
        self.get(email).is_some_and(|it| it.verified)
    }

    /// Whether mail to this address comes to the account: `ada+tag@` is `ada@`.
    pub(super) fn receives(&self, email: &str) -> bool {
        let plain = email.rsplit_once('@').map(|(local, domain)| {
            format!("{}@{domain}", local.split('+').next().unwrap_or(local))
        });
        let own = |address: &str| {
            self.get(address)
                .is_some_and(|it| it.verified && (it.is_primary || it.treat_as_alias))
        };
        own(email) || plain.is_some_and(|plain| own(&plain))
    }

    /// The identity that is used where a mail names no sender.
    pub(super) fn default_sender(&self) -> &SendAs {
        static NOBODY: std::sync::LazyLock<SendAs> = std::sync::LazyLock::new(|| SendAs::new(""));
        self.0
            .iter()
            .find(|it| it.is_default)
            .or_else(|| self.0.first())
            .unwrap_or(&NOBODY)
    }

    /// Adds an identity.
    pub(super) fn add(&mut self, identity: SendAs) -> Result<(), IdentityError> {
        if self.get(&identity.email).is_some() {
            return Err(IdentityError::Exists);
        }
        if self.0.len() >= MOST_IDENTITIES {
            return Err(IdentityError::TooMany);
        }
        let email = identity.email.clone();
        let becomes_default = identity.is_default;
        self.0.push(identity);
        if becomes_default {
            self.make_default(&email);
        }
        Ok(())
    }

    /// Replaces the identity with this address; whether there was one.
    pub(super) fn replace(&mut self, identity: SendAs) -> bool {
        let Some(slot) = self.0.iter_mut().find(|it| it.email == identity.email) else {
            return false;
        };
        let email = identity.email.clone();
        let becomes_default = identity.is_default && identity.verified;
        *slot = SendAs {
            is_default: slot.is_default,
            ..identity
        };
        if becomes_default {
            self.make_default(&email);
        }
        true
    }

    /// Removes an identity that is not the primary one; whether there was one.
    pub(super) fn remove(&mut self, email: &str) -> bool {
        let before = self.0.len();
        self.0
            .retain(|it| it.is_primary || !it.email.eq_ignore_ascii_case(email));
        if !self.0.iter().any(|it| it.is_default)
            && let Some(primary) = self.0.first_mut()
        {
            primary.is_default = true;
        }
        self.0.len() < before
    }

    fn make_default(&mut self, email: &str) {
        for it in &mut self.0 {
            it.is_default = it.email == email;
        }
    }
}
