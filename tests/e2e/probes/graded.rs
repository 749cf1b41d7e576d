//! A grader gives points for what a probe found out about what the agent wrote.

use proctor_tests::{Desk, Trial};

/// A task whose only points are for code that does what it should, which only
/// running it can tell.
const TASK: &str = r#"---
id: fibonacci
grading_type: automated
timeout_seconds: 60
proctor:
  probes:
    - name: unit-tests
      run: |
        python3 -I - <<'EOF'
        import importlib.util
        spec = importlib.util.spec_from_file_location("fib", "fib.py")
        fib = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(fib)
        right = [fib.fib(n) for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]
        raise SystemExit(0 if right else "wrong numbers")
        EOF
      timeout_seconds: 30
---

## Prompt

Write `fib.py` with a function `fib(n)`.

## Automated Checks

```python
import json
from pathlib import Path


def grade(transcript, workspace_path):
    probes = json.loads(Path("/evidence/probes.json").read_text())["probes"]
    tests = next(probe for probe in probes if probe["name"] == "unit-tests")
    passed = tests["status"] == "exited" and tests["exit_code"] == 0
    return {
        "written": Path(workspace_path, "fib.py").is_file(),
        "passes": passed,
        "says_why": passed or "wrong numbers" in tests["stderr"] or "No such file" in tests["stderr"],
    }
```
"#;

fn graded(agent: &str) -> Trial {
    let desk = Desk::new();
    let task = desk.path("task_fibonacci.md");
    std::fs::write(&task, TASK).unwrap();
    let trial = desk.trial(&task, &desk.steps(&[agent]), &[]);
    assert_eq!(trial.outcome(), "scored", "{}", trial.record);
    trial
}

#[test]
fn points_come_from_what_the_probe_found_and_not_from_what_was_written() {
    let right = "printf 'def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        \
                 a, b = b, a + b\n    return a\n' > fib.py";
    let wrong = "printf 'def fib(n):\n    return n\n' > fib.py; echo 'all tests pass'";
    for (agent, expected) in [
        (right, [1.0, 1.0, 1.0]),
        (wrong, [1.0, 0.0, 1.0]),
        ("echo '{\"exit_code\": 0}' > probes.json", [0.0, 0.0, 1.0]),
    ] {
        let trial = graded(agent);
        let ids = ["written", "passes", "says_why"];
        let points = ids.map(|id| trial.points(id).unwrap());
        assert_eq!(points, expected, "{agent}: {}", trial.record);
    }
}
