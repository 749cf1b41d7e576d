//! Worlds side by side.

use std::net::TcpListener;

use proctor_services::{Gateway, GatewayConfig, JournalCaps, World, WorldHandle};

use crate::notes;
use crate::rig::{get, post, rig, say, within, world};

#[tokio::test]
async fn two_worlds_share_nothing() {
    let (one, two) = (rig(), rig());
    say(one.http, &post("notes.example", "/people", "\"Ada\"")).await;
    assert!(
        say(one.http, &get("notes.example", "/people"))
            .await
            .contains("Ada")
    );
    assert!(
        !say(two.http, &get("notes.example", "/people"))
            .await
            .contains("Ada")
    );
    assert_eq!((one.journal().len(), two.journal().len()), (2, 1));
    assert_ne!(one.gateway.ca_pem(), two.gateway.ca_pem());
    let to = format!("::{}", one.https);
    let args = [
        "-sS",
        "--connect-to",
        &to,
        "--cacert",
        two.ca_path(),
        "https://notes.example/",
    ];
    let done = crate::rig::run("curl", &args, &[]).await;
    assert!(!done.ok, "one trial's authority means nothing in another");
    let copy = WorldHandle::new(one.world.world(), JournalCaps::default());
    one.world.reset();
    assert_eq!(copy.world().people.len(), 1, "a copy stays as it was taken");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_runtime_holds_many_worlds() {
    let mut gateways = Vec::new();
    let mut clients = tokio::task::JoinSet::new();
    for n in 0..100 {
        let handle = WorldHandle::new(world(), JournalCaps::default());
        let config = GatewayConfig::new(notes::services());
        let gateway = Gateway::new(handle.clone(), config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        gateway.spawn_plain(listener).unwrap();
        clients.spawn(async move {
            for _ in 0..=n % 5 {
                say(
                    address,
                    &post("localhost", "/notes/people", &format!("\"{n}\"")),
                )
                .await;
            }
        });
        gateways.push((gateway, handle));
    }
    within(clients.join_all()).await;
    for (n, (gateway, handle)) in gateways.into_iter().enumerate() {
        let people = handle.world().people;
        assert_eq!(people.len(), n % 5 + 1);
        assert!(people.iter().all(|person| person.name == n.to_string()));
        within(gateway.shutdown()).await;
    }
}

/// A random walk over a world's operations: what a snapshot gives back is the
/// same world, down to its bytes, and goes on as the original would have.
#[tokio::test]
async fn a_restored_world_is_the_same_world() {
    for seed in 0..20_u64 {
        let handle = WorldHandle::new(world(), JournalCaps::default());
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..next() % 30 {
            step(&handle, next());
        }
        let saved = serde_json::to_vec(&handle.world()).unwrap();
        let other = WorldHandle::new(world(), JournalCaps::default());
        other.restore(serde_json::from_slice::<World>(&saved).unwrap());
        assert_eq!(serde_json::to_vec(&other.world()).unwrap(), saved);
        assert_eq!(other.snapshot(), handle.snapshot());
        for _ in 0..10 {
            let draw = next();
            assert_eq!(step(&handle, draw), step(&other, draw));
        }
        assert_eq!(
            serde_json::to_vec(&other.world()).unwrap(),
            serde_json::to_vec(&handle.world()).unwrap()
        );
    }
}

fn step(handle: &WorldHandle, draw: u64) -> (u16, bytes::Bytes) {
    let service = notes::services().remove(0);
    let (method, path, body) = match draw % 3 {
        0 => (http::Method::GET, "/people", String::new()),
        1 => (http::Method::POST, "/people", format!("\"{draw}\"")),
        _ => (http::Method::POST, "/batch", format!("\"{draw}\"\n\"x\"")),
    };
    let request = proctor_services::Request {
        method,
        scheme: proctor_services::Scheme::Https,
        host: notes::HOST.to_owned(),
        port: 443,
        path: path.to_owned(),
        query: String::new(),
        headers: http::HeaderMap::new(),
        body: body.into(),
    };
    let answer = handle.answer(service.as_ref(), &request);
    (answer.status, answer.body)
}
