import os, shutil, tempfile
from pathlib import Path

def grade(transcript, workspace_path):
    with tempfile.TemporaryDirectory() as tmp:
        copy = Path(tmp) / "work"
        shutil.copytree(workspace_path, copy)
        (copy / "extra" / "deep").mkdir(parents=True)
        (copy / "extra" / "deep" / "x.txt").write_text("x\n" * 1000)
        os.rename(copy / "notes.md", copy / "extra" / "n.md")
        names = sorted(p.name for p in copy.rglob("*") if p.is_file())
        same = (copy / "report.md").read_bytes() == (Path(workspace_path) / "report.md").read_bytes()
    gone = not os.path.exists(tmp)
    with tempfile.NamedTemporaryFile("w+", suffix=".txt") as f:
        f.write("abc"); f.flush(); f.seek(1)
        rest = f.read()
    with tempfile.TemporaryFile() as f:
        f.write(b"12345"); f.truncate(3); f.seek(0)
        cut = f.read()
    return {
        "copied": float("x.txt" in names and "n.md" in names and "notes.md" not in names),
        "same": float(same), "gone": float(gone), "rest": float(rest == "bc"), "cut": float(cut == b"123"),
    }
