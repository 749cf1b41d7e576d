//! The world behind a proxy, with real clients.

use proctor_services::{proxy_env, trust_env};
use proctor_types::journal::EntryKind;
use serde_json::Value;

use crate::rig::{Rig, get, rig, run, say};

fn env(rig: &Rig) -> Vec<(String, String)> {
    [proxy_env(rig.proxy), trust_env(rig.ca_path())].concat()
}

#[tokio::test]
async fn curl_follows_the_variables() {
    let rig = rig();
    for (url, scheme, port) in [
        ("https://notes.example/seen", "https", 443),
        ("http://notes.example/seen", "http", 80),
    ] {
        let done = run("curl", &["-sS", url], &env(&rig)).await;
        assert!(done.ok, "{}", done.stderr);
        let seen: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(
            (&seen["scheme"], &seen["port"]),
            (&scheme.into(), &port.into())
        );
        assert_eq!(seen["host"], "notes.example");
    }
    let done = run(
        "curl",
        &[
            "-sS",
            "--http2",
            "-w",
            "%{http_version}",
            "https://notes.example/seen",
        ],
        &env(&rig),
    )
    .await;
    assert!(done.stdout.ends_with('2'), "{}", done.stdout);
}

#[tokio::test]
async fn python_follows_the_variables() {
    let rig = rig();
    let script = "import json, urllib.request as u\n\
        r = u.Request('https://notes.example/people', data=json.dumps('Ada').encode(), method='POST')\n\
        print(u.urlopen(r).status)\n\
        print(u.urlopen('https://notes.example/people').read().decode())\n\
        try: u.urlopen('https://evil.example/')\n\
        except u.HTTPError as e: print(e.code, json.load(e)['error']['message'])\n";
    let done = run("python3", &["-c", script], &env(&rig)).await;
    assert!(done.ok, "{}", done.stderr);
    assert!(done.stdout.starts_with("200\n"), "{}", done.stdout);
    assert!(done.stdout.contains("\"Ada\""), "{}", done.stdout);
    assert!(
        done.stdout.contains("403 evil.example cannot be reached"),
        "{}",
        done.stdout
    );
}

#[tokio::test]
async fn node_reaches_the_world_through_a_tunnel() {
    let rig = rig();
    let script = "
        const http = require('http'), https = require('https');
        const [host, port] = new URL(process.env.HTTPS_PROXY).host.split(':');
        http.request({host, port, method: 'CONNECT', path: 'notes.example:443'})
            .on('connect', (reply, socket) => {
                https.get({host: 'notes.example', path: '/people', socket, agent: false}, (answer) => {
                    console.log(reply.statusCode, answer.statusCode);
                    answer.pipe(process.stdout);
                });
            }).end();";
    let done = run("node", &["-e", script], &env(&rig)).await;
    assert!(
        done.ok && done.stdout.starts_with("200 200\n"),
        "{}{}",
        done.stdout,
        done.stderr
    );
    assert!(rig.journal()[0].did("notes.people.list"));
}

#[tokio::test]
async fn unknown_hosts_are_refused_in_words() {
    let rig = rig();
    for (url, transport) in [
        ("https://evil.example/x", "https"),
        ("http://evil.example/x", "http"),
        ("https://notes.example:8443/people", "https"),
        ("http://notes.example:8080/people", "http"),
        ("http://127.0.0.1:1/", "http"),
    ] {
        let done = run("curl", &["-sS", url], &env(&rig)).await;
        assert!(
            done.ok && done.stdout.contains("cannot be reached"),
            "{url}: {}{}",
            done.stdout,
            done.stderr
        );
        let entry = rig.journal().pop().unwrap();
        assert_eq!(
            (entry.kind, entry.service.as_str()),
            (EntryKind::Egress, transport),
            "{url}"
        );
        assert_eq!(entry.status, 403);
    }
}

#[tokio::test]
async fn a_tunnel_to_something_else_is_listed_and_closed() {
    let rig = rig();
    let connect = "CONNECT evil.example:22 HTTP/1.1\r\n\r\nSSH-2.0-x\r\n";
    let reply = say(rig.proxy, connect.as_bytes()).await;
    assert!(
        reply.starts_with("HTTP/1.1 200") && reply.ends_with("\r\n\r\n"),
        "{reply}"
    );
    let entry = rig.entries(1).await.remove(0);
    assert_eq!(
        (entry.host.as_str(), entry.port, entry.service.as_str()),
        ("evil.example", 22, "tcp")
    );
    assert_eq!(entry.kind, EntryKind::Egress);
}

#[tokio::test]
async fn a_tunnel_cannot_change_its_host_inside() {
    let rig = rig();
    let to = format!("http://{}", rig.proxy);
    let args = [
        "-sS",
        "-i",
        "-x",
        &to,
        "--cacert",
        rig.ca_path(),
        "-H",
        "Host: notes.example",
    ];
    let done = run(
        "curl",
        &[&args[..], &["https://evil.example/people"]].concat(),
        &[],
    )
    .await;
    assert!(
        done.stdout.contains(" 421"),
        "{}{}",
        done.stdout,
        done.stderr
    );
}

#[tokio::test]
async fn requests_to_the_proxy_itself_are_refused() {
    let rig = rig();
    for request in [
        get("notes.example", "/people"),
        b"CONNECT notes.example HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(),
        b"CONNECT /x HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(),
    ] {
        let reply = say(rig.proxy, &request).await;
        assert!(reply.starts_with("HTTP/1.1 400"), "{reply}");
    }
    assert!(rig.journal().iter().all(|entry| !entry.ok()));
}
