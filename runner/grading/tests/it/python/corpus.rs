//! Graders in the styles of public tasks, in our own words, and a native
//! `python3` that has to agree on every value.

use std::path::Path;
use std::process::Command;

use proctor_grading::Limits;

use super::kit::{grade_in, values};
use crate::kit::bundle::Builder;

/// The graders, by name of their file.
fn graders() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/python/graders");
    let files = std::fs::read_dir(directory).unwrap();
    let mut graders: Vec<(String, String)> = files
        .map(|file| file.unwrap().path())
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    graders.sort();
    graders
}

const CALC: &str = "\"\"\"Sums.\"\"\"\n\ndef add(a, b):\n    \"\"\"The sum.\"\"\"\n    return a + b\n\n\n\
                    def mean(numbers):\n    return sum(numbers) / len(numbers)\n\n\n\
                    if __name__ == \"__main__\":\n    print(\"mean:\", mean([1, 2, 3]))\n";

fn transcript() -> String {
    let call = r#"{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a.md"},"input":{"path":"a.md"},"params":{"file_path":"a.md"}}"#;
    [
        r#"{"type":"message","message":{"role":"user","content":[{"type":"text","text":"Do it"}]}}"#.to_owned(),
        format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"Fine ✓"}},{call}]}}}}"#
        ),
        r#"{"type":"message","message":{"role":"assistant","content":"plain"}}"#.to_owned(),
        r#"{"type":"text","text":"one"}"#.to_owned(),
        r#"{"type":"text","text":"two"}"#.to_owned(),
        r#"{"type":"toolCall","name":"exec","params":{"command":"ls"}}"#.to_owned(),
        r#"{"type":"tool_use","name":"bash","input":{"command":"pwd"}}"#.to_owned(),
    ]
    .map(|line| line + "\n")
    .concat()
}

/// A bundle with something for each of them.
pub(crate) fn bundle() -> Builder {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 2, 128, 0, 0, 1, 224]);
    let listing = serde_json::json!({
        "schema": "proctor.workspace/1",
        "entries": [
            {"path": "empty", "kind": "directory", "mode": "755", "bytes": 0},
            {"path": "link", "kind": "symlink", "mode": "777", "bytes": 3, "target": "/etc/passwd",
             "refused": "symbolic links are not followed"},
        ],
    });
    Builder::new()
        .without("workspace/summary.md")
        .file("transcript.jsonl", transcript())
        .file("workspace.json", listing.to_string())
        .file(
            "workspace/report.md",
            "# Umsätze\n\n## Risiken\n\n## Next steps\n",
        )
        .file(
            "workspace/notes.md",
            "- one\n* two\n  - three\n- four\n\ndue: 2026-01-09\nseen 2025-12-30\n",
        )
        .file(
            "workspace/data.json",
            r#"{"name": "Müller & Söhne", "items": [{"price": 10}, {"price": 2.5}]}"#,
        )
        .file(
            "workspace/config.yaml",
            "server:\n  host: a\n  ports: [80, 443]\n",
        )
        .file(
            "workspace/sales.csv",
            "region,amount\nnorth,10\nsouth,20.5\nnorth,30\neast,\"12\"\n",
        )
        .file("workspace/src/calc.py", CALC)
        .file("workspace/src/pkg/__init__.py", "")
        .file(
            "workspace/src/pkg/util.py",
            "def double(x):\n    return 2 * x\n",
        )
        .file("workspace/image.png", png)
        .file(
            "workspace/page.html",
            "<p><a href='https://example.com/?a=1&amp;b=2'>x</a>",
        )
        .file("workspace/latin.txt", b"Gr\xf6\xdfe".to_vec())
        .file("workspace/.hidden", "x")
}

#[test]
fn every_grader_of_the_corpus_gives_what_a_native_python_gives() {
    let (directory, bundle) = bundle().open();
    std::fs::create_dir(directory.path().join("workspace/empty")).unwrap();
    let graders = graders();
    assert_eq!(graders.len(), 16);
    for (name, source) in &graders {
        let graded = grade_in(source, &bundle, &Limits::python())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let native = native(source, directory.path());
        let titles: Vec<(String, f64)> = graded
            .verdict
            .criteria
            .iter()
            .map(|one| (one.title.clone(), one.points.unwrap()))
            .collect();
        assert_eq!(titles, native, "{name}");
        // Most of them find what they look for: they are no row of zeros.
        assert!(titles.iter().any(|(_, points)| *points > 0.0), "{name}");
        // Once more: the same verdict and the same fuel.
        let again = grade_in(source, &bundle, &Limits::python()).unwrap();
        assert_eq!(again.verdict, graded.verdict, "{name}");
        assert_eq!(again.grader.fuel, graded.grader.fuel, "{name}");
        assert_eq!(values(&again).len(), titles.len());
    }
}

/// The values of the same source in the machine's own Python.
fn native(source: &str, bundle: &Path) -> Vec<(String, f64)> {
    let program = format!(
        "{source}\n\nimport json, sys\n\
         events = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n\
         print(json.dumps([[k, repr(float(v))] for k, v in grade(events, sys.argv[2]).items()]))\n"
    );
    let output = Command::new("python3")
        .args(["-X", "utf8", "-B", "-c", &program])
        .arg(bundle.join("transcript.jsonl"))
        .arg(bundle.join("workspace"))
        .env("PYTHONPATH", python_path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // As text: reading a number from JSON may miss by a unit in the last place.
    let values: Vec<(String, String)> = serde_json::from_slice(&output.stdout).unwrap();
    values
        .into_iter()
        .map(|(title, number)| (title, number.parse().unwrap()))
        .collect()
}

/// `PyYAML` for the native Python is that of the component's own build.
fn python_path() -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/python-grader/lib");
    let found = std::fs::read_dir(&tools)
        .ok()
        .and_then(|mut entries| entries.next())
        .and_then(Result::ok)
        .map(|entry| entry.path().join("site-packages"));
    found.map_or_else(String::new, |path| path.display().to_string())
}
