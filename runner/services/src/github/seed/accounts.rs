//! Accounts of the world's people and of whoever owns a repository.

use std::collections::{BTreeMap, BTreeSet};

use super::super::session::fresh;
use super::super::state::{GitHub, User};
use crate::world::{Ids, SeedContext};

/// The accounts of the world's people.
pub(super) fn people(context: &mut SeedContext<'_>) -> GitHub {
    let account = context.account;
    let named = context.people.iter().filter_map(|it| it.github.as_ref());
    let named = context.accounts.github.iter().chain(named);
    let mut taken: BTreeSet<String> = named.map(|it| it.to_ascii_lowercase()).collect();
    let mut login_of = |named: Option<&String>, email: &str| {
        named
            .cloned()
            .unwrap_or_else(|| free_login(&mut taken, email))
    };
    let login = login_of(context.accounts.github.as_ref(), &account.email);
    let mut hub = GitHub {
        login: login.clone(),
        ..GitHub::default()
    };
    let mut logins = BTreeMap::from([(account.email.clone(), login.clone())]);
    let mut all = vec![(login, &account.name, &account.email)];
    for person in context.people {
        let login = login_of(person.github.as_ref(), &person.email);
        logins.insert(person.email.to_ascii_lowercase(), login.clone());
        all.push((login, &person.name, &person.email));
    }
    for (login, name, email) in all {
        hub.add(context.ids, &login, Some(name), Some(email), false);
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

/// A login made of an address, which nobody has: `ada.byron@example.com` is
/// `ada-byron`, or `ada-byron-2`.
fn free_login(taken: &mut BTreeSet<String>, email: &str) -> String {
    let local = email.split('@').next().unwrap_or_default();
    let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let dashed: String = local
        .to_ascii_lowercase()
        .chars()
        .take(30)
        .map(fits)
        .collect();
    let base = match dashed.trim_matches('-') {
        "" => "user",
        login => login,
    };
    let mut login = base.to_owned();
    for number in 2.. {
        if taken.insert(login.clone()) {
            break;
        }
        login = format!("{base}-{number}");
    }
    login
}
