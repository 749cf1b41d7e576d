//! `redis_client.py`: whether there is one pool for the process, and how large
//! it is.

use proctor_grader::python::{Definition, Python, Statement};
use proctor_grader::text::excerpt;

use crate::flow::is_making;
use crate::names::{aliases, number, root};
use crate::once::makes_once;

const POOLS: [&str; 2] = ["ConnectionPool", "BlockingConnectionPool"];
const CLIENTS: [&str; 2] = ["StrictRedis", "Redis"];
const SIZE: &str = "max_connections";

/// What a file does about its connections.
pub(crate) struct Pool {
    /// One pool, made once, that clients use; or what is there instead.
    pub(crate) single: Result<u64, (String, u64)>,
    /// The value of `max_connections`, resolved where it is a name. Of several
    /// the first that is not the wanted one.
    pub(crate) size: Option<(String, u64)>,
    /// Whether there is a pool that not every client uses: its size limits
    /// nothing.
    pub(crate) bypassed: bool,
}

impl Pool {
    /// Looks at a file. `elsewhere` finds the value of a name of another module.
    pub(crate) fn of(
        python: &Python,
        wanted: &str,
        elsewhere: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let makers = Makers::of(python);
        Self {
            single: makers.single(),
            size: makers.size(wanted, elsewhere),
            bypassed: makers.bypass().is_some(),
        }
    }
}

/// Functions of a file that give a new client or pool whenever they are called.
pub(crate) fn factories(python: &Python, known: &[&str]) -> Vec<String> {
    let makers = Makers::of(python);
    let mut found: Vec<String> = known.iter().map(ToString::to_string).collect();
    for function in python.functions().take(FUNCTIONS) {
        let new = |one: &&Statement| makers.client(one) || makers.pool(one);
        let mut made = function.body.iter().filter(new);
        let each = made.any(|one| !makes_once(python, &function, one));
        let asks = |one: &Statement| found.iter().any(|name| one.calls(name));
        if each || function.body.iter().any(asks) {
            found.push(function.name.to_owned());
        }
    }
    found
}

/// What a file makes clients and pools with, as values that tell whether it does
/// something else about it than another file.
pub(crate) fn summary(python: &Python) -> Vec<String> {
    let makers = Makers::of(python);
    let made = python.statements().iter();
    let made = made.filter(|one| makers.client(one) || makers.pool(one));
    let once = |one: &Statement| {
        let mut functions = python.functions().filter(|function| has(function, one));
        functions.all(|function| makes_once(python, &function, one))
    };
    made.take(FUNCTIONS)
        .map(|one| format!("{} {}", once(one), excerpt(&one.code, 400)))
        .collect()
}

/// Functions of a file that are looked at.
const FUNCTIONS: usize = 200;

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

fn has(function: &Definition<'_>, statement: &Statement) -> bool {
    function.body.iter().any(|one| std::ptr::eq(one, statement))
}

/// The names that clients and pools are made by in a file.
struct Makers<'p> {
    python: &'p Python,
    pools: Vec<String>,
    clients: Vec<String>,
}

impl<'p> Makers<'p> {
    fn of(python: &'p Python) -> Self {
        Self {
            python,
            pools: aliases(python, &POOLS),
            clients: aliases(python, &CLIENTS),
        }
    }

    /// Also by `ConnectionPool.from_url(..)`.
    fn pool(&self, statement: &Statement) -> bool {
        let calls = |name: &String| {
            statement.calls(name) || (statement.names(name) && statement.calls("from_url"))
        };
        self.pools.iter().any(calls)
    }

    fn client(&self, statement: &Statement) -> bool {
        let calls = |name: &String| statement.calls(name);
        let made = self.clients.iter().any(calls) || statement.calls("from_pool");
        made || (statement.calls("from_url") && !self.pool(statement))
    }

    fn single(&self) -> Result<u64, (String, u64)> {
        let statements = self.python.statements();
        let pools = statements.iter().filter(|one| self.pool(one));
        let pools: Vec<&Statement> = pools.take(FUNCTIONS).collect();
        let Some(pool) = pools.first() else {
            let client = statements.iter().find(|one| self.client(one));
            let line = client.map_or(1, |one| one.line);
            return Err(("there is no ConnectionPool".to_owned(), line));
        };
        for pool in &pools {
            for function in self.python.functions().filter(|one| has(one, pool)) {
                if !makes_once(self.python, &function, pool) && !self.is_called_once(&function) {
                    let reason = format!(
                        "{} makes a ConnectionPool each time",
                        excerpt(function.name, 60)
                    );
                    return Err((reason, pool.line));
                }
            }
        }
        match self.bypass() {
            Some(instead) => Err(instead),
            None => Ok(pool.line),
        }
    }

    /// A client that is made without the pool of the file, or that there is none.
    fn bypass(&self) -> Option<(String, u64)> {
        let statements = self.python.statements();
        let pools = statements.iter().filter(|one| self.pool(one));
        let pools: Vec<&Statement> = pools.take(FUNCTIONS).collect();
        let line = pools.first()?.line;
        let mut clients = statements.iter().filter(|one| self.client(one)).peekable();
        if clients.peek().is_none() {
            return Some(("no client uses the ConnectionPool".to_owned(), line));
        }
        let other = clients.find(|client| !self.has_pool(client, &pools))?;
        let shown = excerpt(&other.code, 60);
        let reason = format!("`{shown}` does not use the ConnectionPool");
        Some((reason, other.line))
    }

    /// Names that pools are assigned to, also by way of a function that makes one.
    fn holders(&self, pools: &[&Statement]) -> Vec<&'p str> {
        let makes = |name: &str| {
            let mut functions = self.python.functions().filter(|one| one.name == name);
            functions.any(|function| pools.iter().any(|pool| has(&function, pool)))
        };
        let holding = self.python.statements().iter().filter_map(|one| {
            let (target, value) = one.assigned()?;
            let is_pool = pools.iter().any(|pool| std::ptr::eq(*pool, one));
            (is_pool || makes(last_name(root(value)))).then(|| last_name(target))
        });
        holding.take(FUNCTIONS).collect()
    }

    /// Whether a client is made with the pool: `connection_pool=` is what a pool
    /// was assigned to, what makes one, or what a function that has one gives.
    fn has_pool(&self, client: &Statement, pools: &[&Statement]) -> bool {
        let holders = self.holders(pools);
        let is_pool = |text: &str| {
            let last = last_name(root(text));
            let made = self.pools.iter().any(|name| name == last);
            let given = self.python.function(last).is_some_and(|function| {
                let mut body = function.body.iter();
                body.any(|one| {
                    let makes = pools.iter().any(|pool| std::ptr::eq(*pool, one));
                    makes || holders.iter().any(|name| one.names(name))
                })
            });
            !last.is_empty() && (holders.contains(&last) || made || given)
        };
        if client.calls("from_pool") {
            let at = client.bare.find("from_pool").unwrap_or_default();
            let (_, argument) = client.code[at..].split_once('(').unwrap_or_default();
            return is_pool(argument);
        }
        match argument(client, "connection_pool") {
            Some(value) => is_pool(&value),
            None if client.bare.contains("**") => self.python.statements().iter().any(|one| {
                let entry = argument(one, "connection_pool");
                !std::ptr::eq(one, client) && entry.is_some_and(|value| is_pool(&value))
            }),
            None => false,
        }
    }

    /// Whether all calls of a function are made once: when the module is read
    /// (`_POOL = _make_pool()`), or behind a guard. What makes an object is called by
    /// the name of its class.
    fn is_called_once(&self, function: &Definition<'_>) -> bool {
        let name = if is_making(function.name) {
            self.class_of(function)
        } else {
            Some(function.name)
        };
        let Some(name) = name else { return false };
        let calls = |one: &&Statement| one.calls(name);
        let calls = self.python.statements().iter().filter(calls);
        let calls: Vec<&Statement> = calls.take(FUNCTIONS).collect();
        let once = |call: &&Statement| {
            let mut around = self.python.functions().filter(|one| has(one, call));
            around.all(|one| makes_once(self.python, &one, call))
        };
        !calls.is_empty() && calls.iter().all(once)
    }

    /// The class that a method is in.
    fn class_of(&self, method: &Definition<'_>) -> Option<&'p str> {
        let classes = self.python.statements().iter().filter_map(|one| {
            let rest = one.bare.strip_prefix("class ")?;
            Some(root(rest))
        });
        let mut classes = classes.take(FUNCTIONS);
        classes.find(|name| {
            let class = self.python.class(name);
            class.is_some_and(|class| has(&class, method.head))
        })
    }

    /// What pools are given; where there is none, what clients are. Whatever else
    /// sets another size is wrong, and what nobody uses says nothing.
    fn size(
        &self,
        wanted: &str,
        elsewhere: impl Fn(&str) -> Option<String>,
    ) -> Option<(String, u64)> {
        let statements = self.python.statements();
        let has_pool = statements.iter().any(|one| self.pool(one));
        let makers = statements.iter().filter(|one| {
            if has_pool {
                self.pool(one)
            } else {
                self.client(one)
            }
        });
        let makers: Vec<&Statement> = makers.take(FUNCTIONS).collect();
        let mut first = None;
        for statement in statements {
            let given = makers.iter().any(|one| std::ptr::eq(*one, statement));
            let is_entry = statement.assigned().is_some_and(|(target, _)| {
                let options = last_name(root(target));
                let unpacks = |one: &&Statement| one.bare.contains("**") && one.names(options);
                makers.iter().copied().any(|one| unpacks(&one))
            });
            let sets = statement.assigned().is_some_and(|(target, _)| {
                target
                    .rsplit_once('.')
                    .is_some_and(|(_, name)| name == SIZE)
            });
            let value = argument(statement, SIZE).filter(|_| given || is_entry || sets);
            let Some(value) = value else { continue };
            let resolved = number(self.python, &value)
                .or_else(|| elsewhere(value.rsplit('.').next().unwrap_or(&value)));
            let found = (resolved.unwrap_or(value), statement.line);
            if found.0 != wanted {
                return Some(found);
            }
            first = first.or(Some(found));
        }
        first
    }
}

/// The value that a statement gives a name: as an argument, or an entry of a
/// dictionary that becomes the arguments.
fn argument(statement: &Statement, name: &str) -> Option<String> {
    let code = &statement.code;
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let at = if statement.names(name) {
        statement.bare.find(name)? + name.len()
    } else {
        quoted
            .iter()
            .find_map(|key| Some(code.find(key.as_str())? + key.len()))?
    };
    if statement.bare.starts_with("def ") {
        return None;
    }
    let rest = code[at..].trim_start().strip_prefix(['=', ':', ']'])?;
    let rest = rest.trim_start().trim_start_matches('=');
    let mut depth = 0_usize;
    let end = rest.find(|char| match char {
        '(' | '[' | '{' => {
            depth += 1;
            false
        }
        ')' | ']' | '}' if depth > 0 => {
            depth -= 1;
            false
        }
        ',' | '\n' => depth == 0,
        ')' | ']' | '}' => true,
        _ => false,
    });
    Some(rest[..end.unwrap_or(rest.len())].trim().to_owned())
}
