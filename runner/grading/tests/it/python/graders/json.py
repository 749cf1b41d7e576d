import json, os

def grade(transcript, workspace_path):
    scores = {}
    try:
        data = json.load(open(os.path.join(workspace_path, "data.json")))
        scores["valid"] = 1.0
    except (OSError, json.JSONDecodeError):
        return {"valid": 0.0, "total": 0.0}
    scores["total"] = 1.0 if abs(sum(i["price"] for i in data["items"]) - 12.5) < 1e-6 else 0.0
    scores["unicode"] = float(data["name"] == "Müller & Söhne")
    return scores
