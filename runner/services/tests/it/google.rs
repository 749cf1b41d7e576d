//! A seeded Google Workspace as a whole: any walk over its methods gives the
//! same bytes again, and a snapshot at any point goes on as the original would.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use bytes::Bytes;
use cap_std::ambient_authority;
use http::{HeaderMap, HeaderValue, Method};
use proctor_services::{JournalCaps, Request, Scheme, SeedOptions, World, WorldHandle};
use proctor_types::JournalEntry;
use proctor_types::world::{Gmail, Tasks};
use serde_json::{Value, json};

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
seed: 42
account: {email: sam@example.com, name: Sam Ode, time_zone: Europe/Berlin}
people: [{email: ada@example.com, name: Ada}]
";
const TASKS: &str = r#"{"lists": [{"title": "My Tasks", "tasks": [
    {"title": "Review", "due": "2026-03-05T00:00:00Z"}, {"title": "Done", "status": "completed"}]}]}"#;

pub(crate) fn seeded() -> World {
    let seed = cap_tempfile::tempdir(ambient_authority()).unwrap();
    seed.create_dir_all("google/mail").unwrap();
    seed.write("world.yaml", WORLD).unwrap();
    seed.write("google/tasks.json", TASKS).unwrap();
    for (n, subject) in ["Plans", "Re: Plans", "Lunch"].iter().enumerate() {
        let mail = format!(
            "From: Ada <ada@example.com>\r\nTo: sam@example.com\r\nSubject: {subject}\r\n\
             Date: Mon, 02 Mar 2026 08:0{n}:00 +0000\r\nMessage-ID: <{n}@example.com>\r\n\r\n\
             Number {n}.\r\n"
        );
        seed.write(format!("google/mail/{n}.eml"), mail).unwrap();
    }
    World::seed(
        &seed,
        &SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        },
    )
    .unwrap()
}

pub(crate) fn handle() -> WorldHandle {
    WorldHandle::new(seeded(), JournalCaps::default())
}

/// A generator of numbers that needs no quality, only to be the same each time.
pub(crate) struct Walk(pub(crate) u64);

impl Walk {
    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap()
    }

    fn one_of<'a>(&mut self, from: &'a [String]) -> &'a str {
        from.get(self.next(from.len()))
            .map_or("none", String::as_str)
    }

    /// A request that fits the world as it is, most of the time.
    pub(crate) fn request(&mut self, handle: &WorldHandle) -> Request {
        let now = handle.snapshot();
        if self.next(20) < 13 {
            let (method, path, body) = self.mail(&now.gmail.unwrap());
            request(
                method,
                "gmail.googleapis.com",
                &format!("/gmail/v1/users/me/{path}"),
                &body,
            )
        } else {
            let (method, path, body) = self.task(&now.tasks.unwrap());
            let path = format!("/tasks/v1/lists/@default/{path}");
            request(method, "tasks.googleapis.com", &path, &body)
        }
    }

    fn mail(&mut self, now: &Gmail) -> (Method, String, Value) {
        let mails: Vec<String> = now.messages.iter().map(|it| it.id.clone()).collect();
        let drafts: Vec<String> = now.drafts.iter().map(|it| it.id.clone()).collect();
        let labels: Vec<String> = now.labels.iter().map(|it| it.id.clone()).collect();
        let (mail, draft, label) = (
            self.one_of(&mails),
            self.one_of(&drafts),
            self.one_of(&labels),
        );
        let n = self.next(1000);
        let to = ["ada", "sam"][n % 2];
        let source = format!("To: {to}@example.com\r\nSubject: Note {n}\r\n\r\nText {n}.\r\n");
        let raw = json!({"raw": URL_SAFE.encode(source)});
        let draft_of = |raw: Value| json!({"message": raw});
        let labelled = json!({"addLabelIds": [label], "removeLabelIds": ["UNREAD"]});
        match self.next(14) {
            0 => (
                Method::GET,
                "messages?q=in:anywhere".to_owned(),
                Value::Null,
            ),
            1 => (
                Method::GET,
                format!("messages/{mail}?format=full"),
                Value::Null,
            ),
            2 | 3 => (Method::POST, "messages/send".to_owned(), raw),
            4 => (Method::POST, format!("messages/{mail}/modify"), labelled),
            5 => (Method::POST, format!("messages/{mail}/trash"), Value::Null),
            6 => (Method::DELETE, format!("messages/{mail}"), Value::Null),
            7 => (
                Method::POST,
                "labels".to_owned(),
                json!({"name": format!("L{n}")}),
            ),
            8 | 9 => (Method::POST, "drafts".to_owned(), draft_of(raw)),
            10 => (Method::PUT, format!("drafts/{draft}"), draft_of(raw)),
            11 => (Method::POST, "drafts/send".to_owned(), json!({"id": draft})),
            12 => (
                Method::GET,
                "history?startHistoryId=1".to_owned(),
                Value::Null,
            ),
            _ => (Method::GET, "threads".to_owned(), Value::Null),
        }
    }

    fn task(&mut self, now: &Tasks) -> (Method, String, Value) {
        let tasks: Vec<String> = now.lists[0].tasks.iter().map(|it| it.id.clone()).collect();
        let (task, other) = (self.one_of(&tasks), self.one_of(&tasks));
        let n = self.next(1000);
        let status = ["completed", "needsAction"][n % 2];
        match self.next(7) {
            0 | 1 => (
                Method::POST,
                "tasks".to_owned(),
                json!({"title": format!("T{n}")}),
            ),
            2 => (
                Method::PATCH,
                format!("tasks/{task}"),
                json!({"status": status}),
            ),
            3 => (Method::DELETE, format!("tasks/{task}"), Value::Null),
            4 => (
                Method::POST,
                format!("tasks/{task}/move?previous={other}"),
                Value::Null,
            ),
            5 => (Method::POST, "clear".to_owned(), Value::Null),
            _ => (Method::GET, "tasks?showHidden=true".to_owned(), Value::Null),
        }
    }
}

pub(crate) fn request(method: Method, host: &str, target: &str, body: &Value) -> Request {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = [
        (
            http::header::AUTHORIZATION,
            HeaderValue::from_static("Bearer token"),
        ),
        (
            http::header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
    ];
    Request {
        method,
        scheme: Scheme::Https,
        host: host.to_owned(),
        port: 443,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: HeaderMap::from_iter(headers),
        body: if body.is_null() {
            Bytes::new()
        } else {
            body.to_string().into()
        },
    }
}

fn ask(handle: &WorldHandle, request: &Request) -> (u16, Bytes) {
    let service = handle.world().services().remove(0);
    assert!(service.owns(&request.host), "{}", request.host);
    let answer = handle.answer(service.as_ref(), request);
    assert!(answer.status < 500, "{request:?}: {answer:?}");
    (answer.status, answer.body)
}

fn bytes(handle: &WorldHandle) -> Vec<u8> {
    serde_json::to_vec(&handle.world()).unwrap()
}

#[test]
fn a_snapshot_at_any_point_goes_on_as_the_original() {
    let mut accepted = 0;
    for seed in 1..=12 {
        let (original, mut walk) = (handle(), Walk(seed * 0x9e37_79b9));
        for _ in 0..walk.next(40) {
            let request = walk.request(&original);
            accepted += usize::from(ask(&original, &request).0 < 300);
        }
        let saved = bytes(&original);
        let restored = handle();
        restored.restore(serde_json::from_slice(&saved).unwrap());
        assert_eq!(bytes(&restored), saved, "walk {seed}");
        assert_eq!(restored.snapshot(), original.snapshot(), "walk {seed}");
        for _ in 0..25 {
            let request = walk.request(&original);
            assert_eq!(
                ask(&restored, &request),
                ask(&original, &request),
                "walk {seed}: {request:?}"
            );
        }
        assert_eq!(bytes(&restored), bytes(&original), "walk {seed}");
    }
    assert!(
        accepted > 100,
        "a walk that is refused everywhere shows nothing: {accepted}"
    );
}

#[test]
fn the_same_walk_gives_the_same_evidence() {
    let play = || {
        let (handle, mut walk) = (handle(), Walk(4711));
        for _ in 0..60 {
            let request = walk.request(&handle);
            ask(&handle, &request);
        }
        let evidence = handle.evidence();
        let timeless = |entry: JournalEntry| JournalEntry { t_us: 0, ..entry };
        let journal: Vec<_> = evidence.journal.into_iter().map(timeless).collect();
        serde_json::to_string(&(evidence.before, evidence.after, journal)).unwrap()
    };
    assert_eq!(play(), play());
}

#[test]
fn a_reset_is_the_seed_again() {
    let (handle, mut walk) = (handle(), Walk(99));
    let fresh = bytes(&handle);
    for _ in 0..30 {
        let request = walk.request(&handle);
        ask(&handle, &request);
    }
    assert_ne!(bytes(&handle), fresh);
    handle.reset();
    assert_eq!(bytes(&handle), fresh);
    assert_eq!(handle.journal(), []);
}

#[test]
fn an_answer_to_head_has_no_body_so_nothing_was_read() {
    let handle = handle();
    let mail = handle.snapshot().gmail.unwrap().messages.remove(0).id;
    let path = format!("/gmail/v1/users/me/messages/{mail}");
    for (method, reads) in [(Method::HEAD, 0), (Method::GET, 1)] {
        handle.clear_journal();
        let request = request(method.clone(), "gmail.googleapis.com", &path, &Value::Null);
        assert_eq!(ask(&handle, &request).0, 200);
        assert_eq!(handle.journal().remove(0).read.len(), reads, "{method}");
    }
    handle.clear_journal();
    let batch = batch(&[format!("HEAD {path}"), format!("GET {path}")]);
    let (status, body) = ask(&handle, &batch);
    let text = String::from_utf8(body.to_vec()).unwrap();
    assert_eq!((status, text.matches("\"snippet\"").count()), (200, 1));
    let reads: Vec<usize> = handle.journal().iter().map(|it| it.read.len()).collect();
    assert_eq!(reads, [0, 0, 1]);
}

/// A batch of these request lines.
fn batch(lines: &[String]) -> Request {
    let mut request = request(
        Method::POST,
        "www.googleapis.com",
        "/batch/gmail/v1",
        &Value::Null,
    );
    request.headers.insert(
        http::header::CONTENT_TYPE,
        HeaderValue::from_static("multipart/mixed; boundary=b"),
    );
    let part =
        |line: &String| format!("--b\r\nContent-Type: application/http\r\n\r\n{line}\r\n\r\n");
    let parts: String = lines.iter().map(part).collect();
    request.body = format!("{parts}--b--\r\n").into();
    request
}

#[test]
fn no_request_takes_more_of_the_journal_than_there_is() {
    let caps = JournalCaps {
        bytes: 256 << 10,
        ..JournalCaps::default()
    };
    let handle = WorldHandle::new(seeded(), caps);
    // Bytes that JSON writes as six, and answers that touch many objects.
    let long = format!("GET /{}?{}", "\u{1}".repeat(50_000), "\u{2}".repeat(50_000));
    let many = "GET /gmail/v1/users/me/labels".to_owned();
    let lines = [vec![long; 50], vec![many; 50]].concat();
    let request = batch(&lines);
    for _ in 0..3 {
        handle.answer(handle.world().services().remove(0).as_ref(), &request);
    }
    let journal = handle.journal();
    let size = serde_json::to_vec(&journal).unwrap().len();
    assert!(size < 768 << 10, "{size}");
    assert_eq!(
        journal.len(),
        1 + 100 + 1,
        "the first batch, and that there were others"
    );
    let note = journal[1].note.as_ref().unwrap();
    assert_eq!(note, "its path is cut off; its query is cut off");
    let note = journal[100].note.as_ref().unwrap();
    assert!(
        note.ends_with("objects that it read are not listed"),
        "{note}"
    );
}
