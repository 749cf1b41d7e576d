from pathlib import Path

def grade(transcript, workspace_path):
    root = Path(workspace_path)
    names = sorted(p.name for p in root.glob("*.md"))
    deep = sorted(str(p.relative_to(root)) for p in root.rglob("*.py"))
    return {
        "two": float(names == ["notes.md", "report.md"]),
        "deep": float(deep == ["src/calc.py", "src/pkg/util.py"]),
        "empty directory": float((root / "empty").is_dir() and not list((root / "empty").iterdir())),
        "no such": float(not (root / "nope").exists()),
    }
