//! The program as clients start it, in front of a real world.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use proctor_services::{Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle};
use serde_json::{Value, json};

struct Bench {
    world: WorldHandle,
    plain: SocketAddr,
    proxy: SocketAddr,
    _gateway: Gateway,
    _runtime: tokio::runtime::Runtime,
}

fn bench() -> Bench {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let options = SeedOptions {
        services: vec!["google".to_owned()],
        ..SeedOptions::default()
    };
    let world = World::unseeded("2026-03-02T09:00:00Z".parse().unwrap(), &options).unwrap();
    let config = GatewayConfig::new(world.services());
    let world = WorldHandle::new(world, JournalCaps::default());
    let inside = runtime.enter();
    let gateway = Gateway::new(world.clone(), config).unwrap();
    let [plain, proxy] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [&plain, &proxy].map(|it| it.local_addr().unwrap());
    gateway.spawn_plain(plain).unwrap();
    gateway.spawn_proxy(proxy).unwrap();
    drop(inside);
    Bench {
        world,
        plain: addresses[0],
        proxy: addresses[1],
        _gateway: gateway,
        _runtime: runtime,
    }
}

struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(variables: &[(&str, String)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_proctor-mcp"))
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    /// Closes its input; it must end well.
    fn end(self) {
        drop(self.input);
        let output = self.child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stderr, b"");
    }
}

fn url(address: SocketAddr) -> String {
    format!("http://{address}/mcp")
}

#[test]
fn a_client_works_over_standard_input_and_output() {
    let bench = bench();
    let address = format!("{}?from=stdio", url(bench.plain));
    let mut program = Program::start(&[("PROCTOR_MCP_URL", address)]);
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    program.say(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).to_string(),
    );
    assert_eq!(program.hear()["result"]["protocolVersion"], "2025-06-18");
    // Nobody waits for an answer to these.
    program.say(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    program.say("");
    let call = json!({"name": "GMAIL_GET_PROFILE", "arguments": {}});
    program.say(
        &json!({"jsonrpc": "2.0", "id": "two", "method": "tools/call", "params": call}).to_string(),
    );
    let answer = program.hear();
    assert_eq!(answer["id"], "two");
    assert_eq!(answer["result"]["structuredContent"]["successful"], true);
    program.end();
    let journal = bench.world.journal();
    let operations: Vec<_> = journal
        .iter()
        .map(|it| it.operation.as_deref().unwrap())
        .collect();
    assert_eq!(
        operations,
        [
            "initialize",
            "notifications/initialized",
            "tools/call",
            "gmail.users.getProfile"
        ]
    );
    assert!(journal.iter().take(3).all(|it| it.query == "from=stdio"));
}

#[test]
fn what_is_no_message_is_answered_as_such() {
    let bench = bench();
    let mut program = Program::start(&[("PROCTOR_MCP_URL", url(bench.plain))]);
    for line in ["{", "nonsense", "\u{0}"] {
        program.say(line);
        let answer = program.hear();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&Value::Null, &json!(-32700))
        );
    }
    program.say(r#"{"id": 5, "method": "ping"}"#);
    assert_eq!(program.hear()["id"], 5);
    program.say(r#"{"jsonrpc": "2.0", "id": 6, "method": "no/such"}"#);
    assert_eq!(program.hear()["error"]["code"], -32601);
    // What came before does not matter.
    program.say(r#"{"jsonrpc": "2.0", "id": 7, "method": "ping"}"#);
    assert_eq!(program.hear()["result"], json!({}));
    program.end();
    assert_eq!(bench.world.journal().len(), 6);
}

#[test]
fn it_goes_through_a_proxy_where_there_is_one() {
    let bench = bench();
    let mut program = Program::start(&[("http_proxy", format!("http://{}", bench.proxy))]);
    program.say(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#);
    assert_eq!(
        program.hear()["result"]["tools"].as_array().unwrap().len(),
        12
    );
    program.end();
    assert_eq!(bench.world.journal()[0].host, "mcp.proctor.test");
}

#[test]
fn the_newest_version_of_the_protocol_works_too() {
    let bench = bench();
    let mut program = Program::start(&[("PROCTOR_MCP_URL", url(bench.plain))]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({"name": "GMAIL_GET_PROFILE", "arguments": {}, "_meta": meta});
    program.say(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).to_string(),
    );
    let answer = program.hear();
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    program.end();
}

#[test]
fn without_a_server_it_says_so() {
    let nowhere = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let mut program = Program::start(&[("PROCTOR_MCP_URL", url(nowhere))]);
    program.say(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
    let text = program.hear()["error"]["message"].to_string();
    assert!(text.contains("cannot connect"), "{text}");
    program.end();
    let output = Command::new(env!("CARGO_BIN_EXE_proctor-mcp"))
        .env("PROCTOR_MCP_URL", "nonsense")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("PROCTOR_MCP_URL is `nonsense`"), "{text}");
}
