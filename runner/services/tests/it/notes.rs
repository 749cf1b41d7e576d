//! A service small enough to see through: it keeps people.

use std::sync::Arc;

use proctor_services::world::Person;
use proctor_services::{Answer, Request, Service, World};
use proctor_types::{Change, Touch, View};
use serde_json::{Value, json};

pub(crate) const HOST: &str = "notes.example";

struct Notes;

pub(crate) fn services() -> Vec<Arc<dyn Service>> {
    vec![Arc::new(Notes)]
}

impl Service for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn owns(&self, host: &str) -> bool {
        host == HOST
    }

    fn owns_path(&self, path: &str) -> bool {
        path.starts_with("/notes/")
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        let path = request.path.strip_prefix("/notes").unwrap_or(&request.path);
        let mut answer = match (request.method.as_str(), path) {
            ("GET" | "HEAD", "/people") => list(world),
            ("POST", "/people") => add(world, &request.body),
            ("POST", "/echo") => Answer::new("notes", 200).body("text/plain", request.body.clone()),
            ("POST", "/batch") => batch(world, request),
            ("GET", "/large") => {
                let bytes = request.query.parse().unwrap_or(0);
                Answer::new("notes", 200).body("application/octet-stream", vec![b'x'; bytes])
            }
            ("GET", "/empty") | ("OPTIONS", "/people") => Answer::new("notes", 204),
            ("GET", "/seen") => Answer::new("notes", 200).json(&json!({
                "scheme": request.scheme.as_str(),
                "host": request.host,
                "port": request.port,
                "path": request.path,
                "query": request.query,
                "agent": request.header("user-agent"),
            })),
            ("GET", "/panic") => panic!("the notes are on fire"),
            _ => Answer::new("notes", 404).json(&json!({"error": "no such note"})),
        };
        answer.actor = request.bearer().map(|_| world.account.email.clone());
        answer
    }
}

fn list(world: &World) -> Answer {
    let mut answer = Answer::new("notes", 200).json(&world.people);
    answer.operation = Some("notes.people.list");
    let read = |person: &Person| Touch::read("notes.person", &person.email, View::Full);
    answer.read = world.people.iter().map(read).collect();
    answer
}

fn add(world: &mut World, body: &[u8]) -> Answer {
    let Ok(Value::String(name)) = serde_json::from_slice(body) else {
        return Answer::new("notes", 400).json(&json!({"error": "expected a name"}));
    };
    let email = format!("{}@notes.example", world.ids.hex("person", 12));
    world.people.push(Person {
        email: email.clone(),
        name,
        title: Some(world.clock.now().to_string()),
        organization: None,
        phone: None,
        github: None,
        notion: None,
    });
    let mut answer = Answer::new("notes", 200).json(&json!({"email": email}));
    answer.operation = Some("notes.people.add");
    answer.changed = vec![Touch::changed("notes.person", email, Change::Created)];
    answer
}

/// One name a line, each added by a request of its own.
fn batch(world: &mut World, request: &Request) -> Answer {
    let mut answer = Answer::new("notes", 200);
    for line in request.body.split(|byte| *byte == b'\n') {
        let mut inner = request.clone();
        "/people".clone_into(&mut inner.path);
        inner.body = line.to_vec().into();
        let part = add(world, &inner.body);
        answer.parts.push((inner, part));
    }
    answer
}
