from datetime import datetime, timedelta, timezone, date

def grade(transcript, workspace_path):
    text = open(workspace_path + "/notes.md").read()
    due = datetime.strptime(text.split("due: ")[1].split("\n")[0], "%Y-%m-%d").date()
    start = datetime.fromisoformat("2025-12-30T10:00:00+02:00")
    return {
        "due": float(due == date(2026, 1, 9)),
        "weekday": float(due.strftime("%A") == "Friday"),
        "hours": (start.astimezone(timezone.utc) - timedelta(hours=3)).hour / 24,
    }
