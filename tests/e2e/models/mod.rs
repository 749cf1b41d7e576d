//! Agents with a model: real programs in the room, a gateway between them and a
//! model that plays a script.

mod clis;
mod failures;
mod inference;
mod judges;
mod secrets;

use std::path::PathBuf;

use proctor_model::scripted::{Script, Server, ServerConfig};
use proctor_tests::root;

/// The script of a model that does the Google Workspace task.
fn office() -> PathBuf {
    root().join("tests/agents/office.yaml")
}

/// A model's service on a loopback port, with the threads that it needs.
struct Service {
    server: Server,
    _runtime: tokio::runtime::Runtime,
}

impl Service {
    fn start(script: &str, key: Option<&str>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let config = ServerConfig {
            script: Script::parse(script).unwrap_or_else(|error| panic!("{error}")),
            key: key.map(str::to_owned),
        };
        let server = runtime.block_on(Server::start(config)).unwrap();
        Self {
            server,
            _runtime: runtime,
        }
    }

    fn url(&self) -> String {
        format!("{}/v1", self.server.url())
    }
}

/// Two steps: a file, and a word about it.
const NOTE: &str =
    "steps:\n  - call: {shell: \"echo hello > note.txt\"}\n  - say: The note is there.\n";

/// A task whose grader is a line of Python: whether the note is there.
fn note_task(desk: &proctor_tests::Desk) -> PathBuf {
    let task = desk.path("task_note.md");
    let text = "---\nid: note\ngrading_type: automated\ntimeout_seconds: 120\n---\n\n## Prompt\n\n\
        Write `hello` into note.txt.\n\n## Automated Checks\n\n```python\n\
        def grade(transcript, workspace_path):\n    import os\n    \
        path = os.path.join(workspace_path, 'note.txt')\n    \
        return {'note': 1.0 if os.path.exists(path) else 0.0}\n```\n";
    std::fs::write(&task, text).unwrap();
    task
}

/// The key of the tests: nobody else's, and easy to find.
const KEY: &str = "sk-planted-9f31c07a5d";
