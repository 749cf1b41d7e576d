//! Shared helpers of the end-to-end tests: they start the real `proctor`, as a
//! user would, and read what it printed and left on disk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The Google Workspace task.
pub const GWS: &str = "tasks/gws-task-management";

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("the checkout")
}

/// A program that this build made: tests stand one folder below it.
///
/// # Panics
/// When it was not built; the message says how to.
pub fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let path = test
        .ancestors()
        .skip(1)
        .take(3)
        .map(|dir| dir.join(name))
        .find(|path| path.is_file());
    path.unwrap_or_else(|| panic!("{name} is not built: run `cargo build --workspace` first"))
}

/// A folder of its own for one test, and the `proctor` that works in it.
#[derive(Debug)]
pub struct Desk {
    dir: TempDir,
}

impl Default for Desk {
    fn default() -> Self {
        Self::new()
    }
}

impl Desk {
    /// An empty folder.
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// `proctor` in the checkout.
    pub fn proctor(&self) -> Command {
        self.program(built("proctor"))
    }

    /// A program in the checkout, with the tools of the checkout on its PATH.
    /// Compiled graders are shared between tests; rooms of this desk are not.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let tools = root().join(".tools").join("bin");
        let paths = std::iter::once(tools).chain(std::env::split_paths(&path));
        let runtime = self.path("runtime");
        std::fs::create_dir_all(&runtime).expect("the runtime folder");
        command
            .current_dir(root())
            .env("PATH", std::env::join_paths(paths).expect("a PATH"))
            .env("XDG_CACHE_HOME", root().join("target").join("test-cache"))
            .env("XDG_RUNTIME_DIR", runtime)
            .env_remove("RUST_LOG");
        command
    }

    /// Runs a verb to its end.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Ended {
        Ended::of(
            &self
                .proctor()
                .args(arguments)
                .output()
                .expect("proctor starts"),
        )
    }

    /// `proctor run TASK --agent AGENT` with more arguments, into the folder
    /// `job`.
    pub fn trial(&self, task: impl AsRef<OsStr>, agent: &str, more: &[&str]) -> Trial {
        self.trial_into("job", task, agent, more)
    }

    /// The same into another folder of the desk.
    pub fn trial_into(
        &self,
        job: &str,
        task: impl AsRef<OsStr>,
        agent: &str,
        more: &[&str],
    ) -> Trial {
        let out = self.path(job);
        let ended = Ended::of(
            &self
                .proctor()
                .arg("run")
                .arg(task)
                .args(["--agent", agent, "--format", "json", "--out"])
                .arg(&out)
                .args(more)
                .output()
                .expect("proctor starts"),
        );
        let job = ended.json();
        let record = job["trials"][0].clone();
        assert!(record.is_object(), "no trial in {job}: {ended:?}");
        let dir = out.join(record["dir"].as_str().expect("the trial's folder"));
        Trial {
            ended,
            job,
            record,
            dir,
        }
    }

    /// A copy of the Google Workspace task with its file changed by `edit`.
    pub fn task(&self, edit: impl Fn(&str) -> String) -> PathBuf {
        let to = self.path("task");
        copy(&root().join(GWS), &to);
        let file = to.join("task.md");
        let text = std::fs::read_to_string(&file).expect("task.md");
        std::fs::write(&file, edit(&text)).expect("task.md");
        to
    }

    /// A steps file that runs `commands` one after the other; the agent to play
    /// it.
    pub fn steps(&self, commands: &[&str]) -> String {
        let steps: Vec<Value> = commands
            .iter()
            .map(|run| serde_json::json!({"run": run, "timeout_seconds": 60}))
            .collect();
        self.script(&steps)
    }

    /// A steps file of `steps`; the agent to play it.
    pub fn script(&self, steps: &[Value]) -> String {
        let file = self.path("steps.yaml");
        // JSON is YAML.
        std::fs::write(&file, serde_json::json!({"steps": steps}).to_string()).expect("steps");
        format!("scripted:{}", file.display())
    }
}

/// A `proctor` that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ended {
    /// What `output` says.
    pub fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Checks the exit code and that the error names every one of `parts`.
    pub fn refused(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:?}");
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in: {}", self.err);
        }
    }
}

/// A trial that was run.
#[derive(Debug)]
pub struct Trial {
    /// How the runner ended.
    pub ended: Ended,
    /// What it printed.
    pub job: Value,
    /// The one trial of it.
    pub record: Value,
    /// The trial's folder.
    pub dir: PathBuf,
}

impl Trial {
    /// How it came out.
    pub fn outcome(&self) -> &str {
        self.record["outcome"].as_str().expect("an outcome")
    }

    /// Points of a criterion; `None` while it is open.
    ///
    /// # Panics
    /// When the verdict has no such criterion.
    pub fn points(&self, id: &str) -> Option<f64> {
        let criteria = self.record["criteria"].as_array().expect("criteria");
        let found = criteria.iter().find(|criterion| criterion["id"] == id);
        found.unwrap_or_else(|| panic!("no criterion {id} in {criteria:?}"))["points"].as_f64()
    }

    /// Points of every criterion that is decided, by id.
    pub fn decided(&self) -> Vec<(String, f64)> {
        let criteria = self.record["criteria"].as_array().expect("criteria");
        criteria
            .iter()
            .filter_map(|one| Some((one["id"].as_str()?.to_owned(), one["points"].as_f64()?)))
            .collect()
    }

    /// A file of the evidence.
    pub fn evidence(&self, path: &str) -> Vec<u8> {
        let path = self.dir.join("evidence").join(path);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A JSON file of the evidence.
    pub fn evidence_json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.evidence(path)).expect("JSON")
    }

    /// A file of JSON lines of the evidence.
    pub fn evidence_lines(&self, path: &str) -> Vec<Value> {
        let text = String::from_utf8(self.evidence(path)).expect("text");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    /// What the steps of a scripted agent printed, in order.
    pub fn outputs(&self) -> Vec<String> {
        self.results().into_iter().map(|one| one.text).collect()
    }

    /// How the commands of a scripted agent ended, in order.
    pub fn results(&self) -> Vec<StepResult> {
        self.evidence_lines("transcript.jsonl")
            .iter()
            .map(|event| &event["message"])
            .filter(|message| message["role"] == "toolResult")
            .map(|message| StepResult {
                text: message["content"][0]["text"]
                    .as_str()
                    .unwrap_or("")
                    .to_owned(),
                exit: message["details"]["exitCode"].as_i64().unwrap_or(-1),
            })
            .collect()
    }
}

/// How a command of a scripted agent ended.
#[derive(Debug, Clone)]
pub struct StepResult {
    /// Standard output, then standard error.
    pub text: String,
    /// Exit code.
    pub exit: i64,
}

/// The path of a tool that `tools/setup.sh test` installs.
///
/// # Panics
/// When it is not there: a client that is missing must not pass for one that
/// works.
pub fn tool(path: &str) -> PathBuf {
    let tool = root().join(".tools").join(path);
    assert!(
        tool.exists(),
        "{} is not there: run tools/setup.sh test",
        tool.display()
    );
    tool
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
