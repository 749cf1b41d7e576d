//! The program as it is started in a room: with a model that answers from a
//! script, and a real world.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests, too")]

mod failures;
mod hostile;
mod nightshift;
mod work;

use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Output, Stdio};

use proctor_model::scripted::{Fault, Script, Seen, Server, ServerConfig};
use proctor_services::{Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle};
use proctor_transcripts::{Format, NativeFile, ReadLimits, Transcript};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A model, a folder to work in, and maybe a world.
struct Bench {
    model: Server,
    folder: TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Bench {
    fn new(steps: &Value) -> Self {
        // JSON is YAML.
        Self::with(&json!({"steps": steps}).to_string())
    }

    /// With a script as it stands in a file.
    fn with(script: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let script = Script::parse(script).unwrap();
        let config = ServerConfig { script, key: None };
        let model = runtime.block_on(Server::start(config)).unwrap();
        Self {
            model,
            folder: tempfile::tempdir().unwrap(),
            runtime,
        }
    }

    /// Has the next answer be this one.
    fn answer(&self, status: u16, body: &Value) {
        let fault = Fault::Status {
            status,
            headers: Vec::new(),
            body: body.to_string(),
        };
        self.model.fail(&fault, 1);
    }

    fn command(&self, api: &str, more: &[&str]) -> Command {
        std::fs::write(self.folder.path().join(".task"), "Do it.").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_proctor-loop"));
        command
            .args(["--model", "scripted", "--api", api])
            .args(["--base-url", &self.model.url(), "--attempts", "1"])
            .args(["--prompt-file", ".task"])
            .args(more)
            .current_dir(self.folder.path())
            .env_remove("http_proxy")
            .env_remove("HTTP_PROXY")
            .env_remove("https_proxy")
            .env_remove("HTTPS_PROXY")
            .env_remove("SSL_CERT_FILE")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, more: &[&str]) -> Ran {
        Ran::of(&self.command("anthropic", more).output().unwrap())
    }

    /// The bodies of all requests that the model got.
    fn asked(&self) -> Vec<Value> {
        let seen = self.model.seen();
        let body = |it: &Seen| serde_json::from_slice(&it.body).unwrap();
        seen.iter().map(body).collect()
    }

    /// A world with an empty mailbox.
    fn world(&self) -> Served {
        let options = SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        };
        let time = "2026-03-02T09:00:00Z".parse().unwrap();
        self.serve(World::unseeded(time, &options).unwrap())
    }

    fn serve(&self, world: World) -> Served {
        let config = GatewayConfig::new(world.services());
        let world = WorldHandle::new(world, JournalCaps::default());
        let _inside = self.runtime.enter();
        let gateway = Gateway::new(world.clone(), config).unwrap();
        let [plain, proxy] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [direct, through] = [&plain, &proxy].map(|it| it.local_addr().unwrap());
        gateway.spawn_plain(plain).unwrap();
        gateway.spawn_proxy(proxy).unwrap();
        Served {
            world,
            direct,
            through,
            _gateway: gateway,
        }
    }
}

/// A world that is served.
struct Served {
    world: WorldHandle,
    direct: SocketAddr,
    through: SocketAddr,
    _gateway: Gateway,
}

impl Served {
    fn url(&self) -> String {
        format!("http://{}/mcp", self.direct)
    }
}

/// A run that is over.
struct Ran {
    code: i32,
    events: Vec<Value>,
    stderr: String,
    transcript: Transcript,
}

impl Ran {
    fn of(output: &Output) -> Self {
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        let file = NativeFile::new("stdout", output.stdout.clone());
        let transcript =
            proctor_transcripts::read(Format::Canonical, &[file], &ReadLimits::default());
        let lines = output.stdout.split_inclusive(|byte| *byte == b'\n');
        let events: Vec<Value> = lines
            .map(|it| serde_json::from_slice(it).unwrap())
            .collect();
        // Whatever happens, its account of itself is complete.
        assert_eq!(events.last().unwrap()["type"], "end", "{stderr}");
        let transcript = transcript.unwrap();
        assert_eq!(transcript.unknown.count, 0, "{:?}", transcript.unknown);
        Self {
            code: output.status.code().unwrap(),
            events,
            stderr,
            transcript,
        }
    }

    fn end(&self) -> &Value {
        self.events.last().unwrap()
    }

    fn done(&self) {
        assert_eq!(
            (self.code, self.stderr.as_str()),
            (0, ""),
            "{:?}",
            self.events
        );
        assert_eq!(self.end()["outcome"], "completed");
    }

    /// Failed with this exit code, kind, and words among its reason.
    fn failed(&self, code: i32, kind: &str, reason: &str) {
        let end = self.end();
        assert_eq!((self.code, &end["failure"]), (code, &json!(kind)), "{end}");
        assert_eq!(end["outcome"], "failed");
        let said = end["reason"].as_str().unwrap();
        assert!(said.contains(reason), "{said}");
        assert!(self.stderr.contains(reason), "{}", self.stderr);
    }

    fn messages(&self, role: &str) -> Vec<&Value> {
        let messages = self.events.iter().map(|event| &event["message"]);
        messages.filter(|it| it["role"] == role).collect()
    }

    /// The texts of the results of tools, and whether they are errors.
    fn results(&self) -> Vec<(&str, bool)> {
        let results = self.messages("toolResult").into_iter();
        let result = |it: &'static str| it;
        let (text, error) = (result("/content/0/text"), result("isError"));
        results
            .map(|it| {
                let text = it.pointer(text).unwrap().as_str().unwrap();
                (text, it[error].as_bool().unwrap())
            })
            .collect()
    }
}

/// A reply in Anthropic's form.
fn reply(stop: &str, content: &Value) -> Value {
    json!({
        "type": "message", "id": "msg_1", "role": "assistant", "model": "scripted",
        "content": content, "stop_reason": stop, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}

fn tool_use(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}
