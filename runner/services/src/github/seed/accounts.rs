//! Accounts of the world's people and of whoever owns a repository.

use std::collections::BTreeMap;

use super::super::session::fresh;
use super::super::state::{GitHub, User};
use crate::world::{Ids, SeedContext};

/// The accounts of the world's people.
pub(super) fn people(context: &mut SeedContext<'_>) -> GitHub {
    let account = context.account;
    let own = context.accounts.github.clone();
    let login = own.unwrap_or_else(|| login_from(&account.email));
    let mut hub = GitHub {
        login: login.clone(),
        ..GitHub::default()
    };
    hub.add(
        context.ids,
        &login,
        Some(&account.name),
        Some(&account.email),
        false,
    );
    let mut logins = BTreeMap::new();
    for person in context.people {
        let login = person.github.clone();
        let login = login.unwrap_or_else(|| login_from(&person.email));
        if hub.user(&login).is_none() {
            hub.add(
                context.ids,
                &login,
                Some(&person.name),
                Some(&person.email),
                false,
            );
        }
        logins.insert(person.email.clone(), login);
    }
    let tokens = context.accounts.tokens.iter();
    hub.tokens = tokens
        .filter_map(|(token, email)| Some((token.clone(), logins.get(email)?.clone())))
        .collect();
    hub
}

impl GitHub {
    pub(super) fn add(
        &mut self,
        ids: &mut Ids,
        login: &str,
        name: Option<&str>,
        email: Option<&str>,
        organization: bool,
    ) {
        let user = User {
            id: fresh(ids),
            login: login.to_owned(),
            name: name.map(str::to_owned),
            email: email.map(str::to_owned),
            organization,
        };
        self.users.insert(login.to_ascii_lowercase(), user);
    }
}

/// A login made of an address: `ada.byron@example.com` is `ada-byron`.
fn login_from(email: &str) -> String {
    let local = email.split('@').next().unwrap_or_default();
    let dashed: String = local
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    dashed.trim_matches('-').to_owned()
}
