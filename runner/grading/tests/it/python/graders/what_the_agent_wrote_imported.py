import importlib.util, sys
from pathlib import Path

def grade(transcript, workspace_path):
    path = Path(workspace_path) / "src" / "calc.py"
    spec = importlib.util.spec_from_file_location("calc", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.insert(0, str(path.parent))
    from pkg.util import double
    return {
        "add": float(module.add(2, 3) == 5),
        "mean": float(module.mean([1, 2, 3, 4]) == 2.5),
        "package": float(double(21) == 42),
    }
