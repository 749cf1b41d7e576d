try:
    import yaml
except ImportError:
    yaml = None

def grade(transcript, workspace_path):
    if yaml is None:
        return {"yaml": 0.0}
    with open(workspace_path + "/config.yaml") as f:
        config = yaml.safe_load(f)
    dumped = yaml.safe_load(yaml.safe_dump(config))
    return {"yaml": float(config["server"]["ports"] == [80, 443] and dumped == config)}
