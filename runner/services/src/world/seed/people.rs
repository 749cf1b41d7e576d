//! Who is in a world: each person is one, whatever service they are met in.

use std::collections::{BTreeMap, HashMap};

use serde_saphyr::{Location, Spanned};

use super::super::Person;
use super::{AccountEntry, SeedError};

/// Checks that addresses, logins and tokens are such, and that each belongs to
/// one person.
pub(super) fn check(
    file: &str,
    account: &AccountEntry,
    people: &[Spanned<Person>],
    tokens: &BTreeMap<String, Spanned<String>>,
) -> Result<(), SeedError> {
    let mut names = Names {
        file,
        known: HashMap::new(),
    };
    names.address(&account.email.value, account.email.referenced)?;
    if let Some(login) = &account.github {
        names.login(&login.value, login.referenced)?;
    }
    for person in people {
        names.address(&person.value.email, person.referenced)?;
        if let Some(login) = &person.value.github {
            names.login(login, person.referenced)?;
        }
    }
    for (token, address) in tokens {
        if token.is_empty() || token.contains(|c: char| !c.is_ascii_graphic()) {
            let problem = format!("`{token}` is no token: printable ASCII without spaces");
            return Err(names.wrong(address.referenced, problem));
        }
        let key = ("address", address.value.to_ascii_lowercase());
        if !names.known.contains_key(&key) {
            let problem = format!("`{}` is nobody of `people`", address.value);
            return Err(names.wrong(address.referenced, problem));
        }
    }
    Ok(())
}

struct Names<'f> {
    file: &'f str,
    /// Lines by what kind of name it is and, in lower case, the name.
    known: HashMap<(&'static str, String), u64>,
}

impl Names<'_> {
    fn wrong(&self, at: Location, problem: String) -> SeedError {
        SeedError::at(self.file, at.line(), problem)
    }

    fn address(&mut self, address: &str, at: Location) -> Result<(), SeedError> {
        if !is_address(address) {
            let problem = format!("`{address}` is no mail address like `ada@example.com`");
            return Err(self.wrong(at, problem));
        }
        self.once("address", address, at)
    }

    fn login(&mut self, login: &str, at: Location) -> Result<(), SeedError> {
        if !is_login(login) {
            let problem = format!(
                "`{login}` is no login of GitHub: at most 39 letters, digits and `-` between them"
            );
            return Err(self.wrong(at, problem));
        }
        self.once("login", login, at)
    }

    fn once(&mut self, kind: &'static str, name: &str, at: Location) -> Result<(), SeedError> {
        let key = (kind, name.to_ascii_lowercase());
        match self.known.insert(key, at.line()) {
            Some(line) => {
                let problem =
                    format!("the {kind} `{name}` is that of somebody else in line {line}");
                Err(self.wrong(at, problem))
            }
            None => Ok(()),
        }
    }
}

/// Far from the grammar of RFC 5322, and enough to catch a name in the wrong
/// place.
fn is_address(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !domain.is_empty()
            && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,;\"".contains(c))
            && !domain.contains('@')
    })
}

fn is_login(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (1..=39).contains(&text.len())
        && text.chars().all(fits)
        && !text.starts_with('-')
        && !text.ends_with('-')
}
