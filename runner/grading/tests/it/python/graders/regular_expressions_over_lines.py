import re

def grade(transcript, workspace_path):
    with open(f"{workspace_path}/notes.md", encoding="utf-8") as f:
        lines = f.read().splitlines()
    bullets = [l for l in lines if re.match(r"^\s*[-*]\s+\S", l)]
    dates = re.findall(r"\b\d{4}-\d{2}-\d{2}\b", "\n".join(lines))
    return {"bullets": min(len(bullets) / 4, 1.0), "dates": float(len(dates) == 2)}
