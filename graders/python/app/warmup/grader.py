"""A grader that does a little of what graders do, so that the interpreter has
done it before: it runs while the component is built, and never after."""

import csv
import json
import os
import re
from datetime import datetime
from pathlib import Path


def grade(transcript: list, workspace_path: str) -> dict:
    scores = {}
    workspace = Path(workspace_path)

    def commands(events):
        found = []
        for event in events:
            if event.get("type") != "message":
                continue
            message = event.get("message", {})
            for item in message.get("content", []):
                kind = item.get("type", "")
                if kind in ("tool_use", "toolCall"):
                    command = (
                        item.get("input", {}).get("command", "")
                        or item.get("arguments", {}).get("command", "")
                        or item.get("params", {}).get("command", "")
                    )
                    if command:
                        found.append(command)
        return found

    said = [
        item["text"]
        for event in transcript
        for item in event.get("message", {}).get("content", [])
        if item.get("type") == "text"
    ]
    for command in commands(transcript):
        if "list" in command and ("a" in command or "b" in command):
            scores["listed"] = 1.0
    summary = workspace / "summary.md"
    scores["summary"] = 1.0 if summary.exists() else 0.0
    scores["missing"] = float(not (workspace / "missing.md").exists())
    text = summary.read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    bullets = [line for line in lines if re.match(r"^[-*]\s+\S", line)]
    scores["bullets"] = min(len(bullets) / 3, 1.0)
    scores["words"] = sum(word in text.lower() for word in ("one", "two")) / 2
    scores["dates"] = float(bool(re.findall(r"\b\d{4}-\d{2}-\d{2}\b", text)))
    names = sorted(path.name for path in workspace.glob("*.md"))
    scores["names"] = float("summary.md" in names)
    with open(os.path.join(workspace_path, "data.json")) as file:
        data = json.load(file)
    try:
        scores["total"] = 1.0 if sum(item["n"] for item in data["items"]) == 3 else 0.0
    except (KeyError, TypeError):
        scores["total"] = 0.0
    rows = list(csv.DictReader(["a,b", "1,2"]))
    scores["rows"] = float(rows[0]["a"] == "1")
    scores["day"] = float(datetime(2025, 1, 6).strftime("%A") == "Monday")
    scores["said"] = float(any(f"{word}" in " ".join(said) for word in ("hello",)))
    return scores
