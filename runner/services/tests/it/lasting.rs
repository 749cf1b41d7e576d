//! Answers that are given again without asking the service: nobody can tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{HeaderValue, Method, header};
use proctor_services::google::apis;
use proctor_services::google::method::Verb;
use proctor_services::{Answer, JournalCaps, Request, Service, WhenFull, World, WorldHandle};
use proctor_types::JournalEntry;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::google::{Walk, handle, request, seeded};

/// Google, with a count of how often it is really asked.
struct Counted(Arc<dyn Service>, AtomicUsize);

impl Counted {
    fn new() -> Self {
        Self(seeded().services().remove(0), AtomicUsize::new(0))
    }

    fn asked(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

impl Service for Counted {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn owns(&self, host: &str) -> bool {
        self.0.owns(host)
    }

    fn owns_path(&self, path: &str) -> bool {
        self.0.owns_path(path)
    }

    fn handle(&self, world: &mut World, request: &Request) -> Answer {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.handle(world, request)
    }
}

fn get(target: &str) -> Request {
    request(Method::GET, "www.googleapis.com", target, &Value::Null)
}

fn post(target: &str, body: &Value) -> Request {
    request(Method::POST, "www.googleapis.com", target, body)
}

/// One request to every GET method that there is, to things that exist where
/// the walk has not deleted them.
fn looks(world: &World) -> Vec<Request> {
    let now = world.snapshot();
    let (gmail, tasks) = (now.gmail.unwrap(), now.tasks.unwrap());
    let mail = gmail.messages.first().map(|it| it.id.clone());
    let thread = gmail.messages.first().map(|it| it.thread_id.clone());
    let draft = gmail.drafts.first().map(|it| it.id.clone());
    let task = tasks.lists[0].tasks.first().map(|it| it.id.clone());
    let fill = |path: &str| {
        let id = match path {
            path if path.contains("/messages") => mail.as_deref(),
            path if path.contains("/threads") => thread.as_deref(),
            path if path.contains("/drafts") => draft.as_deref(),
            path if path.contains("/labels") => Some("INBOX"),
            _ => None,
        };
        let variables = [
            ("{userId}", "me"),
            ("{messageId}", mail.as_deref().unwrap_or("1")),
            ("{id}", id.unwrap_or("1")),
            ("{tasklist}", "@default"),
            ("{task}", task.as_deref().unwrap_or("1")),
            ("{calendarId}", "primary"),
            ("{resourceName=people/*}", "people/me"),
        ];
        variables
            .iter()
            .fold(path.to_owned(), |path, (name, value)| {
                path.replace(name, value)
            })
    };
    let reads = apis().iter().flat_map(|api| {
        let methods = api.methods.iter().filter(|it| it.verb == Verb::Get);
        methods.map(|it| format!("/{}{}", api.service_path, fill(it.path)))
    });
    let extra = [
        "/gmail/v1/users/me/history?startHistoryId=1".to_owned(),
        "/gmail/v1/users/me/messages?q=newer_than:1h".to_owned(),
        fill("/gmail/v1/users/me/messages/{id}?format=metadata"),
        fill("/gmail/v1/users/me/messages/{id}?fields=snippet"),
        "/v1/people:searchContacts?query=Ada&readMask=names".to_owned(),
        "/oauth2/v3/userinfo".to_owned(),
        "/discovery/v1/apis".to_owned(),
    ];
    reads.chain(extra).map(|target| get(&target)).collect()
}

/// Asks the handle, and a world that remembers nothing; both say the same.
fn compare(handle: &WorldHandle, counted: &Counted, plain: &mut World, request: &Request) {
    let answer = handle.answer(counted, request);
    plain.clock.tick();
    let wanted = counted.0.handle(plain, request);
    let undated = |answer: &Answer| {
        let mut headers = answer.headers.clone();
        headers.remove(header::DATE);
        (answer.status, headers, answer.body.clone())
    };
    assert_eq!(undated(&answer), undated(&wanted), "{request:?}");
    let journal = handle.journal();
    let entry = journal.iter().rfind(|it| it.part_of.is_none()).unwrap();
    let sha256 = (!answer.body.is_empty()).then(|| hex::encode(Sha256::digest(&answer.body)));
    assert_eq!(
        (
            &entry.read,
            &entry.changed,
            &entry.actor,
            &entry.response.sha256
        ),
        (&wanted.read, &wanted.changed, &wanted.actor, &sha256),
        "{request:?}"
    );
    assert_eq!(
        (
            entry.service.as_str(),
            entry.operation.as_deref(),
            entry.status
        ),
        (wanted.service, wanted.operation, wanted.status),
    );
    assert_eq!((&entry.path, &entry.query), (&request.path, &request.query));
}

#[test]
fn a_walk_with_many_looks_is_answered_as_if_nothing_were_remembered() {
    let mut requests = 0;
    let counted = Counted::new();
    for seed in 1..=4 {
        let (handle, mut plain) = (handle(), seeded());
        let mut walk = Walk(seed * 0x9e37_79b9);
        for _ in 0..20 {
            let step = walk.request(&handle);
            // What is remembered when the world changes is different each time.
            let mut looks = looks(&plain);
            let first = walk.next(looks.len());
            looks.rotate_left(first);
            let twice = looks.iter().flat_map(|look| [look, look]);
            for request in twice.chain([&step]) {
                compare(&handle, &counted, &mut plain, request);
                requests += 1;
            }
        }
        assert_eq!(
            serde_json::to_value(handle.world()).unwrap(),
            serde_json::to_value(&plain).unwrap()
        );
    }
    assert!(
        counted.asked() < requests * 3 / 4,
        "{} of {requests}: too little was remembered to show anything",
        counted.asked()
    );
}

fn first_mail(handle: &WorldHandle) -> String {
    let id = handle.snapshot().gmail.unwrap().messages.remove(0).id;
    format!("/gmail/v1/users/me/messages/{id}")
}

#[test]
fn each_request_is_listed_and_dated_by_itself() {
    let (handle, counted) = (handle(), Counted::new());
    let request = get(&first_mail(&handle));
    let dates = [0, 1, 2].map(|_| {
        let answer = handle.answer(&counted, &request);
        answer.headers[header::DATE].to_str().unwrap().to_owned()
    });
    assert_eq!(counted.asked(), 1);
    let seconds = dates.map(|date| date[20..25].to_owned());
    assert_eq!(seconds, ["00:01", "00:02", "00:03"]);
    let journal = handle.journal();
    let numbers: Vec<u64> = journal.iter().map(|entry| entry.n).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let alike = |entry: &JournalEntry| JournalEntry {
        n: 0,
        t_us: 0,
        ..entry.clone()
    };
    assert!(journal.iter().all(|it| alike(it) == alike(&journal[0])));
    assert!(journal.is_sorted_by_key(|entry| entry.t_us));
    assert_eq!(journal[2].read.len(), 1);
}

#[test]
fn a_changed_mail_has_a_changed_answer() {
    let (handle, counted) = (handle(), Counted::new());
    let mail = first_mail(&handle);
    let look = || -> Value {
        let answer = handle.answer(&counted, &get(&mail));
        serde_json::from_slice(&answer.body).unwrap()
    };
    let before = look();
    assert_eq!(look(), before);
    let change = json!({"addLabelIds": ["STARRED"]});
    handle.answer(&counted, &post(&format!("{mail}/modify"), &change));
    let after = look();
    assert!(
        after["labelIds"]
            .as_array()
            .unwrap()
            .contains(&json!("STARRED"))
    );
    assert_ne!(after["historyId"], before["historyId"]);
    handle.reset();
    assert_eq!(look(), before);
    let asked = counted.asked();
    handle.restore(serde_json::from_slice(&serde_json::to_vec(&seeded()).unwrap()).unwrap());
    assert_eq!(look(), before);
    assert_eq!(counted.asked(), asked + 1, "another world has to be asked");
}

#[test]
fn everything_about_a_request_counts() {
    let (handle, counted) = (handle(), Counted::new());
    let mail = first_mail(&handle);
    let with = |name: header::HeaderName, value: &'static str| {
        let mut request = get(&mail);
        request
            .headers
            .insert(name, HeaderValue::from_static(value));
        request
    };
    let mut nobody = get(&mail);
    nobody.headers.remove(header::AUTHORIZATION);
    let mut other_host = get(&mail);
    other_host.host = "tasks.googleapis.com".to_owned();
    let head = request(Method::HEAD, "www.googleapis.com", &mail, &Value::Null);
    handle.answer(&counted, &get(&mail));
    let asked: Vec<(u16, usize)> = [
        get(&format!("{mail}?fields=snippet")),
        get(&format!("{mail}?format=raw")),
        with(header::ACCEPT, "text/html"),
        head,
        other_host,
        nobody,
    ]
    .iter()
    .map(|request| (handle.answer(&counted, request).status, counted.asked()))
    .collect();
    let statuses = [200, 200, 200, 200, 404, 401];
    assert_eq!(asked, statuses.into_iter().zip(2..).collect::<Vec<_>>());
    let reads: Vec<usize> = handle.journal().iter().map(|it| it.read.len()).collect();
    assert_eq!(reads, [1, 1, 1, 1, 0, 0, 0]);
}

#[test]
fn what_depends_on_the_time_is_asked_again() {
    let (handle, counted) = (handle(), Counted::new());
    // The mails are of 08:00, 08:01 and 08:02; it is 09:00:00, and a second
    // later with every request.
    let look = || {
        let request = get("/gmail/v1/users/me/messages?q=newer_than:1h");
        let answer = handle.answer(&counted, &request);
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        body["messages"].as_array().map_or(0, Vec::len)
    };
    let found: Vec<usize> = (0..130).map(|_| look()).collect();
    assert!(found.is_sorted_by(|one, next| one >= next));
    assert_eq!((found[0], found[90], found[129]), (2, 1, 0));
}

#[test]
fn what_is_remembered_takes_its_room_of_the_journal() {
    let listed = |target: &dyn Fn(usize) -> String| {
        let caps = JournalCaps {
            bytes: 64 << 10,
            ..JournalCaps::default()
        };
        let (handle, counted) = (WorldHandle::new(seeded(), caps), Counted::new());
        let statuses = (100..400).map(|n| handle.answer(&counted, &get(&target(n))).status);
        statuses.filter(|status| *status == 200).count()
    };
    let mail = first_mail(&handle());
    let same = listed(&|_| format!("{mail}?quotaUser=100"));
    let other = listed(&|n| format!("{mail}?quotaUser={n}"));
    assert_eq!(same, other);
    assert!((20..100).contains(&same), "{same}");
}

#[test]
fn a_journal_that_forgets_keeps_its_numbers() {
    let caps = JournalCaps {
        requests: 10,
        when_full: WhenFull::Forget,
        ..JournalCaps::default()
    };
    let (handle, counted) = (WorldHandle::new(seeded(), caps), Counted::new());
    let request = get(&first_mail(&handle));
    for _ in 0..33 {
        assert_eq!(handle.answer(&counted, &request).status, 200);
    }
    assert_eq!(counted.asked(), 1);
    let mut journal = handle.journal();
    journal.pop_if(|last| last.note.is_some());
    assert!(
        journal
            .iter()
            .map(|it| it.n)
            .eq(34 - journal.len() as u64..=33)
    );
    assert!((5..=10).contains(&journal.len()), "{}", journal.len());
}
