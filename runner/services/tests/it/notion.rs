//! A seeded Notion behind the gateway: by host name over TLS, and by path on
//! the plain port.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, UdpSocket};

use cap_std::ambient_authority;
use proctor_services::{
    CaptiveListeners, Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle,
};
use serde_json::{Value, json};

use crate::rig::run;

const WORLD: &str = "\
clock: 2025-07-14T22:00:00Z
account: {email: agent@example.com, name: Agent}
people: [{email: ada@example.com, name: Ada King}]
";
const AUDIT: &str = "\
# Findings
- [ ] SEC-004: hardcoded key
- [ ] SEC-017: deferred
";

struct Bench {
    world: WorldHandle,
    https: SocketAddr,
    plain: SocketAddr,
    ca: tempfile::NamedTempFile,
    _gateway: Gateway,
}

fn bench() -> Bench {
    let seed = cap_tempfile::tempdir(ambient_authority()).unwrap();
    seed.create_dir_all("notion/Engineering").unwrap();
    seed.write("world.yaml", WORLD).unwrap();
    seed.write("notion/Engineering/Audit.md", AUDIT).unwrap();
    let services = vec!["google".to_owned(), "notion".to_owned()];
    let world = World::seed(
        &seed,
        &SeedOptions {
            services,
            ..SeedOptions::default()
        },
    )
    .unwrap();
    let config = GatewayConfig::new(world.services());
    let world = WorldHandle::new(world, JournalCaps::default());
    let gateway = Gateway::new(world.clone(), config).unwrap();
    let [https, http, dns_tcp, plain] = std::array::from_fn(|_| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    });
    let listeners = CaptiveListeners {
        https: https.0,
        http: http.0,
        dns_tcp: dns_tcp.0,
        dns_udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
        extra: Vec::new(),
    };
    gateway.spawn_captive(listeners).unwrap();
    gateway.spawn_plain(plain.0).unwrap();
    let mut ca = tempfile::NamedTempFile::new().unwrap();
    ca.write_all(gateway.ca_pem().as_bytes()).unwrap();
    Bench {
        world,
        https: https.1,
        plain: plain.1,
        ca,
        _gateway: gateway,
    }
}

impl Bench {
    /// Runs curl against an address of the API; gives status and body.
    async fn curl(&self, method: &str, url: &str, body: Option<&str>) -> (u16, Value) {
        let to = format!("::{}", self.https);
        let mut args = vec![
            "-sS",
            "--max-time",
            "30",
            "--connect-to",
            &to,
            "--cacert",
            self.ca.path().to_str().unwrap(),
            "-X",
            method,
            "-H",
            "Authorization: Bearer ntn_x",
            "-H",
            "Notion-Version: 2025-09-03",
            "-w",
            "\n%{http_code}",
            url,
        ];
        if let Some(body) = body {
            args.extend([
                "-H",
                "Content-Type: application/json",
                "--data-binary",
                body,
            ]);
        }
        let done = run("curl", &args, &[]).await;
        assert!(done.ok, "{}", done.stderr);
        let (body, status) = done.stdout.rsplit_once('\n').unwrap();
        let body = serde_json::from_str(body).unwrap_or(Value::Null);
        (status.parse().unwrap(), body)
    }

    async fn api(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let url = format!("https://api.notion.com/v1/{path}");
        let body = body.map(|body| body.to_string());
        let (status, value) = self.curl(method, &url, body.as_deref()).await;
        assert_eq!(status, 200, "{value}");
        value
    }
}

#[tokio::test]
async fn an_agent_reads_and_ticks_over_tls() {
    let bench = bench();
    let found = bench
        .api("POST", "search", Some(json!({"query": "audit"})))
        .await;
    let page = found["results"][0]["id"].as_str().unwrap().to_owned();
    let blocks = bench
        .api("GET", &format!("blocks/{page}/children"), None)
        .await;
    let todo = blocks["results"][1]["id"].as_str().unwrap();
    let tick = json!({"to_do": {"checked": true}});
    bench
        .api("PATCH", &format!("blocks/{todo}"), Some(tick))
        .await;
    let markdown = bench
        .api("GET", &format!("pages/{page}/markdown"), None)
        .await;
    let expected = AUDIT.replacen("[ ]", "[x]", 1);
    assert_eq!(markdown["markdown"], expected.trim_end());

    let evidence = bench.world.evidence();
    let tick = |pages: Vec<proctor_types::world::notion::Page>| {
        let audit = pages
            .into_iter()
            .find(|page| page.title == "Audit")
            .unwrap();
        (audit.blocks[1].checked, audit.blocks[2].checked)
    };
    let before = evidence.before.notion.unwrap();
    let after = evidence.after.notion.unwrap();
    assert_eq!(tick(before.pages), (Some(false), Some(false)));
    assert_eq!(tick(after.pages), (Some(true), Some(false)));
    let operations: Vec<_> = evidence
        .journal
        .iter()
        .map(|entry| entry.operation.clone().unwrap())
        .collect();
    assert_eq!(
        operations,
        [
            "notion.search",
            "notion.blocks.children.list",
            "notion.blocks.update",
            "notion.pages.markdown.retrieve",
        ]
    );
    let actors: Vec<_> = evidence
        .journal
        .iter()
        .map(|it| it.actor.as_deref())
        .collect();
    assert_eq!(actors, [Some("agent@example.com"); 4]);
    // What was read twice was answered once more, and is listed twice.
    bench
        .api("GET", &format!("pages/{page}/markdown"), None)
        .await;
    let journal = bench.world.journal();
    assert_eq!(journal[4].read, journal[3].read);
    assert_eq!(journal[4].response, journal[3].response);
}

#[tokio::test]
async fn the_plain_port_serves_it_beside_the_others() {
    let bench = bench();
    let base = format!("http://{}", bench.plain);
    let curl = |path: &str| {
        let url = format!("{base}{path}");
        let bench = &bench;
        async move {
            // No name is redirected: this is the port itself.
            let args = [
                "-sS",
                "-H",
                "Authorization: Bearer ntn_x",
                "-H",
                "Notion-Version: 2026-03-11",
                &url,
            ];
            let done = run("curl", &args, &[]).await;
            assert!(done.ok, "{} {}", bench.plain, done.stderr);
            serde_json::from_str::<Value>(&done.stdout).unwrap()
        }
    };
    assert_eq!(curl("/v1/users/me").await["type"], "bot");
    assert_eq!(curl("/v1/blocks/x").await["code"], "validation_error");
    let tasks = curl("/tasks/v1/users/@me/lists").await;
    assert_eq!(tasks["kind"], "tasks#taskLists");
}

#[tokio::test]
async fn what_is_too_large_is_refused_and_changes_nothing() {
    let bench = bench();
    let before = bench.world.snapshot();
    let page = before.notion.unwrap().pages[1].id.clone();
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = "x".repeat(5 << 20);
    let body = json!({"type": "replace_content", "replace_content": {"new_str": text}});
    std::fs::write(file.path(), body.to_string()).unwrap();
    let from = format!("@{}", file.path().display());
    let url = format!("https://api.notion.com/v1/pages/{page}/markdown");
    let (status, error) = bench.curl("PATCH", &url, Some(&from)).await;
    assert_eq!((status, &error["object"]), (413, &json!("error")));
    let journal = bench.world.journal();
    assert_eq!((journal[0].status, journal[0].changed.len()), (413, 0));
    let after = bench.world.snapshot().notion.unwrap();
    assert_eq!(after.pages[1].markdown, AUDIT.trim_end());
}
