def grade(transcript: list, workspace_path: str) -> dict:
    from pathlib import Path
    report = Path(workspace_path) / "report.md"
    if not report.exists():
        return {"exists": 0.0, "sections": 0.0}
    text = report.read_text()
    wanted = ["Umsätze", "Risiken", "Next steps"]
    return {"exists": 1.0, "sections": sum(w in text for w in wanted) / len(wanted)}
