//! A key of the operator's is nowhere but on its way to the model's service.

use std::path::Path;

use proctor_tests::Desk;

use super::{KEY, Service, note_task};

/// Every file below `dir`, hidden ones too.
fn files(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files(&entry.path(), found);
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
}

fn key_file(desk: &Desk, mode: u32) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let key = desk.path("key");
    std::fs::write(&key, KEY).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
    key
}

fn contains(bytes: &[u8], needle: &str) -> bool {
    bytes
        .windows(needle.len())
        .any(|part| part == needle.as_bytes())
}

/// The agent looks everywhere that it can for a key, and writes down what it
/// sees; nothing of the job, nor what was printed, has it.
#[test]
fn a_planted_key_is_in_no_artifact() {
    let script = "steps:\n  - call: {shell: \"{ env; cat /proc/*/environ /proc/*/cmdline; \
        curl -sS http://model.proctor.test/v1/models; cat /etc/ssl/* /opt/proctor/*/*; } \
        > seen.txt 2>&1; true\"}\n  - say: I have looked everywhere.\n";
    let service = Service::start(script, Some(KEY));
    let desk = Desk::new();
    let task = note_task(&desk);
    let cassette = desk.path("cassette");
    let key = key_file(&desk, 0o600);
    let out = desk.path("job");
    let mut command = desk.proctor();
    command
        .arg("-vvv")
        .arg("run")
        .arg(&task)
        .args(["--agent", "loop", "--model", "openai-compatible/small"])
        .args(["--model-url", &service.url(), "--record"])
        .arg(&cassette)
        .arg("--out")
        .arg(&out)
        .arg("--key-file")
        .arg(&key);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let seen = service.server.seen();
    let with_key = seen
        .iter()
        .filter(|one| format!("{:?}", one.headers.get("authorization")).contains(KEY));
    assert_eq!(with_key.count(), seen.len());
    assert!(seen.len() >= 2);
    assert!(!contains(&output.stdout, KEY) && !contains(&output.stderr, KEY));
    let mut all = vec![cassette];
    files(&out, &mut all);
    assert!(all.len() > 10);
    // It did look, and all that it saw is kept.
    let seen = all.iter().find(|path| path.ends_with("workspace/seen.txt"));
    let seen = std::fs::read(seen.unwrap()).unwrap();
    assert!(contains(&seen, "PATH=") && contains(&seen, "small"));
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!contains(&bytes, KEY), "{}", path.display());
    }
}

/// A file that others can read is no place for a key.
#[test]
fn a_key_file_that_others_can_read_is_refused() {
    let desk = Desk::new();
    let task = note_task(&desk);
    let key = key_file(&desk, 0o644);
    let arguments = [
        "run",
        task.to_str().unwrap(),
        "--agent",
        "loop",
        "--model",
        "anthropic/claude-x",
        "--key-file",
        key.to_str().unwrap(),
    ];
    let ended = desk.run(arguments);
    assert_ne!(ended.code, 0);
    assert!(ended.err.contains("chmod 600"), "{}", ended.err);
    assert!(!ended.err.contains(KEY));
}
