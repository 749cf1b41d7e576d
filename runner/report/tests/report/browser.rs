//! Headless Chromium over its debugging pipe: two file descriptors, JSON between
//! zero bytes. A shell gives the descriptors their numbers.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

/// Longest wait for any answer of the browser.
const PATIENCE: Duration = Duration::from_mins(1);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    messages: mpsc::Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// Everything that the browser said by itself.
    pub(crate) events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium; nothing where there is none, which it says loudly.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = names.into_iter().find(|name| {
            let asked = Command::new(name).arg("--version").output();
            asked.is_ok_and(|output| output.status.success())
        });
        let Some(program) = found else {
            eprintln!(
                "SKIPPED: no chromium on the PATH; nothing is known of the page in a browser"
            );
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let script = format!(
            "exec {program} --headless=new --no-sandbox --disable-gpu --no-first-run \
             --user-data-dir=\"$1\" --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1"
        );
        let mut child = Command::new("sh")
            .args(["-c", &script, "sh"])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || read(output, &sender));
        let mut browser = Self {
            input: child.stdin.take(),
            child,
            messages,
            session: None,
            last: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the protocol.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    /// The answer to a call, an error too.
    fn answer(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let input = self.input.as_mut().unwrap();
        input.write_all(message.to_string().as_bytes()).unwrap();
        input.write_all(b"\0").unwrap();
        input.flush().unwrap();
        loop {
            let answer = self
                .messages
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("no answer to {method}: {error}"));
            if answer["id"] == json!(self.last) {
                return answer;
            }
            self.events.push(answer);
        }
    }

    /// Evaluates an expression; a promise is waited for.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true,
        });
        let answer = self.call("Runtime.evaluate", &params);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].clone()
    }

    /// Opens a page of the report in `file` and waits until it is there. `place`
    /// is what stands behind the `#`.
    pub(crate) fn open(&mut self, file: &Path, place: &str) {
        // A place of the same page would not load it again.
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        self.until("location.href === 'about:blank'");
        let url = format!("file://{}#{place}", file.display());
        self.call("Page.navigate", &json!({"url": url}));
        self.until("document.documentElement?.dataset.ready === '1'");
    }

    /// Waits until an expression is true, looking at it whenever the page draws.
    pub(crate) fn until(&mut self, condition: &str) {
        for _ in 0..600 {
            // Between two pages there is none that could be asked.
            let params = json!({
                "expression": format!(
                    "new Promise((done) => setTimeout(() => done(!!({condition})), 20))"
                ),
                "awaitPromise": true, "returnByValue": true,
            });
            if self.answer("Runtime.evaluate", &params)["result"]["result"]["value"] == json!(true)
            {
                return;
            }
        }
        let body = self.eval("document.body.innerText.slice(0, 2000)");
        panic!("never came true: {condition}; the page says {body}");
    }

    /// Clicks the first element that fits, as a person with a mouse or a key.
    pub(crate) fn click(&mut self, selector: &str) {
        let selector = json!(selector);
        let found = self.eval(&format!(
            "(() => {{ const one = document.querySelector({selector}); one?.click(); return !!one; }})()"
        ));
        assert_eq!(found, json!(true), "no {selector}");
    }

    /// What the console, the log and uncaught exceptions said, and requests for
    /// anything but the page itself.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let mut found = Vec::new();
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                    found.push(params.to_string());
                }
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    if !url.contains("/report.html") && !url.starts_with("about:") {
                        found.push(format!("asked for {url}"));
                    }
                }
                "Page.javascriptDialogOpening" => found.push(format!("dialog: {params}")),
                _ => {}
            }
        }
        found
    }
}

fn read(output: ChildStdout, sender: &mpsc::Sender<Value>) {
    let mut output = BufReader::new(output);
    let mut message = Vec::new();
    while output
        .read_until(0, &mut message)
        .is_ok_and(|read| read > 0)
    {
        message.pop();
        let Ok(value) = serde_json::from_slice(&message) else {
            return;
        };
        if sender.send(value).is_err() {
            return;
        }
        message.clear();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of its pipe is the end of the browser.
        drop(self.input.take());
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
