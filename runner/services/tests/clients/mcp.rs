//! The protocol's own conformance suite, `@modelcontextprotocol/conformance`,
//! which needs a newer Node.js than Debian's.

use std::net::TcpListener;

use tokio::process::Command;

use crate::kit::{Bench, ended, tool};

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: agent@example.com, name: Agent Ode}
";
/// Scenarios of the suite that a server with tools and nothing else can pass.
/// Two of them call tools that only servers made for the suite have; they look
/// at the shape of the answer.
const SCENARIOS: [&str; 6] = [
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "dns-rebinding-protection",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_server_conforms_to_the_protocol() {
    let bench = Bench::new("google", &[("world.yaml", WORLD)]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    bench.gateway.spawn_plain(listener).unwrap();
    let node = tool("npm/node_modules/node/bin/node");
    let suite = tool("npm/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    for scenario in SCENARIOS {
        let mut run = Command::new(&node);
        run.arg(&suite)
            .args(["server", "--url", &url, "--scenario", scenario])
            .env_clear()
            .current_dir(bench.folder.path());
        let output = ended(&mut run).await;
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{scenario}: {text}");
        assert!(text.contains(" 0 failed, 0 warnings"), "{scenario}: {text}");
    }
    let journal = bench.world.journal();
    assert!(
        journal.iter().all(|entry| entry.service == "mcp"),
        "{journal:?}"
    );
    assert_eq!(bench.world.fault(), None);
}
