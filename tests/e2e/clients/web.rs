//! Plain HTTP clients: curl, Node's fetch, requests.

use proctor_tests::{Desk, root, tool};
use serde_json::json;

use super::mail::{ANSWER, OFFER};
use super::play::{play, run};
use super::{entries, journal, mail_of};

const API: &str = "https://gmail.googleapis.com/gmail/v1/users/me";
const BEARER: &str = "-H \"Authorization: Bearer $GOOGLE_WORKSPACE_CLI_TOKEN\"";

#[test]
fn curl_speaks_both_versions_of_http_and_reads_googles_errors() {
    let desk = Desk::new();
    let curl = |rest: &str| run(&format!("curl -sS {rest}"));
    let calls = [
        curl(&format!("--http1.1 {BEARER} '{API}/messages?q=is:unread' -w '%{{http_version}} %{{http_code}}'"))
            .ids("/messages", &[ANSWER, OFFER])
            .says("1.1 200"),
        curl(&format!("--http2 {BEARER} '{API}/messages?q=is:unread' -w '%{{http_version}} %{{http_code}}'"))
            .ids("/messages", &[ANSWER, OFFER])
            .says("2 200"),
        // Forty at once over one connection.
        curl(&format!("--http2 -Z {BEARER} '{API}/labels/INBOX?fields=id&n=[1-40]' -o /dev/null -w '%{{http_code}}\\n' | sort | uniq -c"))
            .says("40 400"),
        curl(&format!("'{API}/profile'"))
            .has("/error/code", 401)
            .has("/error/status", "UNAUTHENTICATED"),
        curl(&format!("{BEARER} '{API}/messages/19cad0000000afff'"))
            .has("/error/code", 404)
            .has("/error/status", "NOT_FOUND")
            .has("/error/errors/0/domain", "global")
            .has("/error/errors/0/reason", "notFound"),
        curl(&format!("{BEARER} -H 'Content-Type: application/json' -d '{{oops' '{API}/messages/send'"))
            .has("/error/code", 400)
            .has("/error/status", "INVALID_ARGUMENT"),
        curl(&format!("{BEARER} -X DELETE -w '%{{http_code}}' '{API}/messages/19cad0000000a007'"))
            .says("204"),
        curl(&format!("{BEARER} -X PATCH '{API}/nonsense' -w '%{{http_code}}'"))
            .has("/error/code", 404)
            .says("404"),
        curl("'https://gmail.googleapis.com/$discovery/rest?version=v1' | grep rootUrl")
            .says("\"https://gmail.googleapis.com/\""),
        curl(&format!("--compressed -D - -o /dev/null {BEARER} https://tasks.googleapis.com/tasks/v1/users/@me/lists"))
            .says("content-type: application/json"),
        // The name in the request decides, not the address.
        curl(&format!("--resolve gmail.googleapis.com:443:203.0.113.9 {BEARER} '{API}/profile'"))
            .has("/emailAddress", "sam.ode@example.com"),
    ];
    let trial = play(&desk, &calls, &[]).trial;
    let after = trial.evidence_json("world/after.json");
    assert!(mail_of(&after, "19cad0000000a007").is_none());
    let journal = journal(&trial);
    assert!(journal.iter().all(|entry| entry["kind"] == "request"));
    assert_eq!(entries(&journal, "gmail.users.labels.get").len(), 40);
    let unknown: Vec<_> = journal
        .iter()
        .filter(|entry| entry.get("operation").is_none())
        .map(|entry| (&entry["path"], &entry["status"]))
        .collect();
    assert_eq!(
        unknown,
        [(&json!("/gmail/v1/users/me/nonsense"), &json!(404))]
    );
}

#[test]
fn node_fetches_without_proxy_variables() {
    let desk = Desk::new();
    let scripts = root().join("tests/clients/scripts");
    let calls = [run("node /opt/proctor/tools/scripts/fetch.mjs")
        .has("/id", ANSWER)
        .has("/subjects", json!(["Re: The offer for Acme"]))
        .has("/broken", json!([400, "INVALID_ARGUMENT"]))
        .has("/elsewhere/0", 403)
        .says("api.openai.com cannot be reached from here")
        .keep("sent", "/sent")];
    let played = play(&desk, &calls, &["--tool", scripts.to_str().unwrap()]);
    let after = played.trial.evidence_json("world/after.json");
    assert_eq!(
        mail_of(&after, played.kept("sent")).unwrap()["subject"],
        "From Node"
    );
    let journal = journal(&played.trial);
    assert_eq!(entries(&journal, "gmail.users.messages.get").len(), 25);
    let outside: Vec<_> = journal
        .iter()
        .filter(|entry| entry["kind"] == "egress")
        .collect();
    assert_eq!(outside.len(), 1);
    assert_eq!(outside[0]["host"], "api.openai.com");
}

#[test]
fn pythons_own_clients_trust_the_room() {
    let desk = Desk::new();
    let venv = tool("venv/bin/python");
    let venv = venv.ancestors().nth(2).unwrap();
    let url = "https://www.googleapis.com/discovery/v1/apis/tasks/v1/rest";
    let calls = [
        run(&format!("/opt/proctor/tools/venv/bin/python -c \"import requests; print(requests.get('{url}').text)\""))
            .has("/name", "tasks"),
        run(&format!("python3 -c \"import urllib.request as u; print(u.urlopen('{url}').read().decode())\""))
            .has("/name", "tasks"),
    ];
    play(&desk, &calls, &["--tool", venv.to_str().unwrap()]);
}
