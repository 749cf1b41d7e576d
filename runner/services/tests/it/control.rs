//! The operator's endpoints, and who must not reach them.

use serde_json::Value;

use crate::rig::{Rig, Setup, get, post, rig, run, say, say_over};

async fn ask(rig: &Rig, args: &[&str], path: &str) -> String {
    let url = format!("http://{}{path}", rig.plain);
    let done = run("curl", &[&["-sS"], args, &[url.as_str()]].concat(), &[]).await;
    assert!(done.ok, "{}", done.stderr);
    done.stdout
}

#[tokio::test]
async fn the_world_can_be_read_reset_and_restored() {
    let rig = rig();
    let fresh = ask(&rig, &[], "/__proctor/snapshot").await;
    ask(&rig, &["-d", "\"Ada\""], "/notes/people").await;
    let state: Value = serde_json::from_str(&ask(&rig, &[], "/__proctor/state").await).unwrap();
    assert_eq!(state["schema"], "proctor.world/1");
    assert_eq!(state["clock"], "2026-03-02T09:00:01Z");
    let journal: Value = serde_json::from_str(&ask(&rig, &[], "/__proctor/journal").await).unwrap();
    assert_eq!(
        journal.as_array().unwrap().len(),
        1,
        "control requests are not listed"
    );
    assert_eq!(journal[0]["operation"], "notes.people.add");

    let with_ada = ask(&rig, &[], "/__proctor/snapshot").await;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &with_ada).unwrap();
    let data = format!("@{}", file.path().display());

    assert_eq!(
        ask(&rig, &["-X", "POST"], "/__proctor/reset").await,
        r#"{"epoch":1}"#
    );
    assert_eq!(ask(&rig, &[], "/__proctor/snapshot").await, fresh);
    assert_eq!(ask(&rig, &[], "/__proctor/journal").await, "[]");
    assert_eq!(
        ask(&rig, &["--data-binary", &data], "/__proctor/snapshot").await,
        r#"{"epoch":2}"#
    );
    assert_eq!(ask(&rig, &[], "/__proctor/snapshot").await, with_ada);
    assert!(ask(&rig, &[], "/notes/people").await.contains("Ada"));
    ask(&rig, &["-X", "POST"], "/__proctor/journal").await;
    assert_eq!(ask(&rig, &[], "/__proctor/journal").await, "[]");
    assert!(
        ask(&rig, &[], "/notes/people").await.contains("Ada"),
        "only the journal is empty"
    );
}

#[tokio::test]
async fn nonsense_is_refused_and_changes_nothing() {
    let rig = rig();
    let before = ask(&rig, &[], "/__proctor/snapshot").await;
    for (args, path, status) in [
        (&["-d", "{}"][..], "/__proctor/snapshot", 400),
        (&["-d", "nonsense"], "/__proctor/snapshot", 400),
        (&["-X", "DELETE"], "/__proctor/journal", 405),
        (&[], "/__proctor/reset", 405),
        (&[], "/__proctor/else", 404),
        (&[], "/__proctor", 404),
    ] {
        let shown = ask(&rig, &[&["-w", "%{http_code}"], args].concat(), path).await;
        assert!(shown.ends_with(&status.to_string()), "{path}: {shown}");
    }
    assert_eq!(ask(&rig, &[], "/__proctor/snapshot").await, before);
}

#[tokio::test]
async fn web_pages_cannot_use_them() {
    let rig = rig();
    for field in [
        "Origin: https://evil.example",
        "Host: evil.example",
        "Sec-Fetch-Site: same-origin",
    ] {
        let shown = ask(
            &rig,
            &["-w", "%{http_code}", "-H", field, "-d", ""],
            "/__proctor/reset",
        )
        .await;
        assert!(shown.ends_with("403"), "{field}: {shown}");
    }
    assert_eq!(rig.world.epoch(), 0);
}

#[tokio::test]
async fn they_are_off_unless_asked_for() {
    let rig = Setup {
        control: false,
        ..Setup::default()
    }
    .build();
    for path in [
        "/__proctor/state",
        "/__proctor/reset",
        "/__proctor/snapshot",
    ] {
        let shown = ask(&rig, &["-w", "%{http_code}", "-d", ""], path).await;
        assert!(shown.ends_with("404"), "{path}: {shown}");
    }
    assert_eq!(rig.world.epoch(), 0);
    let off = proctor_services::GatewayConfig::new(Vec::new());
    assert!(!off.control);
}

#[tokio::test]
async fn an_agent_does_not_reach_them() {
    let rig = rig();
    let path = "/__proctor/state";
    let reset = "/__proctor/reset";
    let plain = rig.plain.to_string();
    let mut replies = Vec::new();
    // From its network, by every host name it may think of.
    for host in [
        "notes.example",
        "evil.example",
        "localhost",
        "127.0.0.1",
        plain.as_str(),
    ] {
        for address in [rig.http, rig.extra] {
            replies.push(say(address, &get(host, path)).await);
            replies.push(say(address, &post(host, reset, "")).await);
        }
        let name = host.split(':').next().unwrap();
        let stream = rig.tls(name).await;
        replies.push(say_over(stream, &post(name, reset, "")).await);
        // Through the proxy: as a target, and to the proxy itself.
        let absolute = format!("http://{host}{reset}");
        replies.push(say(rig.proxy, &post(host, &absolute, "")).await);
        replies.push(say(rig.proxy, &post(host, reset, "")).await);
    }
    // Through a tunnel to the plain port.
    let tunnelled = [
        format!("CONNECT {plain} HTTP/1.1\r\n\r\n").into_bytes(),
        post(&plain, reset, ""),
    ];
    replies.push(say(rig.proxy, &tunnelled.concat()).await);
    for reply in replies {
        let body = reply.rsplit("\r\n\r\n").next().unwrap_or_default();
        assert!(
            !body.contains("proctor.world") && !body.contains("epoch"),
            "{reply}"
        );
        assert!(
            !reply.contains("HTTP/1.1 200") || body.contains("cannot be reached"),
            "{reply}"
        );
    }
    assert_eq!(rig.world.epoch(), 0);
}

#[tokio::test]
async fn the_plain_port_finds_services_by_path_and_by_host() {
    let rig = rig();
    let seen: Value = serde_json::from_str(&ask(&rig, &[], "/notes/seen?x").await).unwrap();
    assert_eq!(
        (&seen["path"], &seen["scheme"]),
        (&"/notes/seen".into(), &"http".into())
    );
    assert_eq!(seen["port"], rig.plain.port());
    let seen = ask(&rig, &["-H", "Host: notes.example"], "/seen").await;
    assert!(seen.contains("\"host\": \"notes.example\""), "{seen}");
    let lost = ask(&rig, &["-w", "%{http_code}"], "/else/where").await;
    assert!(
        lost.contains("no service of this world answers /else/where"),
        "{lost}"
    );
    assert!(lost.ends_with("404"), "{lost}");
}
