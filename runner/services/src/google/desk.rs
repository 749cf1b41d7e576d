//! Further people of the world: their own mail, tasks and calendars, who a
//! token stands for, and mail that goes from one to the other.
//!
//! Whatever a handler works on is in [`Google`]'s own fields. For a request of
//! somebody else than the account, that person's services lie there while it
//! is answered, and the account's among those of the others.

use std::collections::BTreeMap;

use proctor_types::world::{Account, Gmail};
use serde::{Deserialize, Serialize};

use super::Google;
use super::calendar::CalendarStore;
use super::gmail::{Head, Mail, Mailbox};
use super::tasks::TaskStore;
use crate::world::{Accounts, Clock, Ids, Person, SeedContext, SeedError, World};

/// The services of one person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Desk {
    pub(super) gmail: Mailbox,
    pub(super) tasks: TaskStore,
    pub(super) calendar: CalendarStore,
}

/// Everybody who has a mailbox in the world.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Whose world it is.
    pub account: &'a Account,
    /// People that the account knows.
    pub people: &'a [Person],
}

impl<'a> Known<'a> {
    /// Everybody of the world `world`.
    pub(super) fn of(world: &'a World) -> Self {
        Self {
            account: &world.account,
            people: &world.people,
        }
    }

    /// The account of whoever has this address, lower-case.
    pub(super) fn account(self, email: &str) -> Option<Account> {
        if self.account.email == email {
            return Some(self.account.clone());
        }
        let mut people = self.people.iter();
        let person = people.find(|it| it.email.eq_ignore_ascii_case(email))?;
        Some(Account {
            email: person.email.to_ascii_lowercase(),
            name: person.name.clone(),
            time_zone: self.account.time_zone.clone(),
        })
    }

    /// Whom of these people, except for `sender`, a mail is addressed to: each
    /// once, in the order of the seed. Mail to `ada+tag@` is for `ada@`.
    pub(super) fn addressed(self, head: &Head, sender: &str) -> Vec<String> {
        let people = self.people.iter().map(|it| it.email.to_ascii_lowercase());
        let all = std::iter::once(self.account.email.clone()).chain(people);
        let is_addressed = |email: &String| {
            head.recipients()
                .any(|it| *it.email == **email || without_tag(&it.email) == *email)
        };
        all.filter(|email| email != sender && is_addressed(email))
            .collect()
    }
}

fn without_tag(email: &str) -> String {
    match email.rsplit_once('@') {
        Some((local, domain)) => {
            let local = local.split('+').next().unwrap_or(local);
            format!("{local}@{domain}")
        }
        None => email.to_owned(),
    }
}

impl Desk {
    /// Services without anything in them.
    fn empty(account: &Account, clock: &Clock, ids: &mut Ids) -> Result<Self, SeedError> {
        let mut context = SeedContext {
            dir: None,
            account,
            people: &[],
            clock,
            ids,
            accounts: &Accounts::default(),
        };
        Ok(Self {
            gmail: Mailbox::new(&account.email, &account.name),
            tasks: TaskStore::seed(&mut context)?,
            calendar: CalendarStore::seed(&mut context)?,
        })
    }
}

impl Google {
    /// Whom a token stands for: somebody whom the seed names for it, else the
    /// account.
    pub(super) fn holder<'a>(&'a self, token: &str, account: &'a Account) -> &'a str {
        self.tokens.get(token).unwrap_or(&account.email)
    }

    /// Puts the services of `whose` in place of those of `owner`, and the other
    /// way round.
    fn exchange(&mut self, whose: Desk, owner: &str) {
        let Desk {
            gmail,
            tasks,
            calendar,
        } = whose;
        let desk = Desk {
            gmail: std::mem::replace(&mut self.gmail, gmail),
            tasks: std::mem::replace(&mut self.tasks, tasks),
            calendar: std::mem::replace(&mut self.calendar, calendar),
        };
        self.desks.insert(owner.to_owned(), desk);
    }

    /// Has `work` done with the services of `actor` in Google's own fields.
    /// `None`: there is no such person.
    pub(super) fn as_actor<T>(
        &mut self,
        (known, actor): (Known<'_>, &str),
        (clock, ids): (&Clock, &mut Ids),
        work: impl FnOnce(&mut Self, &mut Ids, &Account) -> T,
    ) -> Option<T> {
        let owner = &known.account.email;
        if actor == owner {
            self.gmail.set_elsewhere(self.desks.values());
            let done = work(self, ids, known.account);
            self.gmail.set_elsewhere([]);
            return Some(done);
        }
        let account = known.account(actor)?;
        let desk = self.take(&account, clock, ids)?;
        self.exchange(desk, owner);
        self.gmail.set_elsewhere(self.desks.values());
        let done = work(self, ids, &account);
        self.gmail.set_elsewhere([]);
        let own = self.desks.remove(owner)?;
        self.exchange(own, &account.email);
        Some(done)
    }

    /// Takes somebody's services out of those of the others.
    fn take(&mut self, account: &Account, clock: &Clock, ids: &mut Ids) -> Option<Desk> {
        let known = self.desks.remove(&account.email);
        known.or_else(|| Desk::empty(account, clock, ids).ok())
    }

    /// Puts copies of a mail that was sent now into the mailboxes of these
    /// people. Gives the identifier of each copy, with whose it is before it.
    pub(super) fn deliver(
        &mut self,
        (known, to): (Known<'_>, &[String]),
        (clock, ids): (&Clock, &mut Ids),
        mail: &Mail,
    ) -> Vec<String> {
        let mut delivered = Vec::new();
        for email in to {
            let Some(account) = known.account(email) else {
                continue;
            };
            let Some(mut desk) = self.take(&account, clock, ids) else {
                continue;
            };
            let id = desk.gmail.receive(ids, clock, mail, &account.email);
            delivered.push(format!("{email}/{id}"));
            self.desks.insert(account.email, desk);
        }
        delivered
    }

    /// Mailboxes of people beside the account, of those that have any mail.
    pub(super) fn mailboxes(&self) -> BTreeMap<String, Gmail> {
        let desks = self.desks.iter();
        let used = desks.filter(|(_, desk)| desk.gmail.messages().next().is_some());
        used.map(|(email, desk)| (email.clone(), desk.gmail.snapshot()))
            .collect()
    }
}
