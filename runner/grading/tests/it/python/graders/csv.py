import csv, statistics
from collections import Counter

def grade(transcript, workspace_path):
    with open(workspace_path + "/sales.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    by = Counter(row["region"] for row in rows)
    return {
        "rows": float(len(rows) == 4),
        "regions": float(by["north"] == 2),
        "mean": round(statistics.mean(float(r["amount"]) for r in rows) / 100, 4),
    }
