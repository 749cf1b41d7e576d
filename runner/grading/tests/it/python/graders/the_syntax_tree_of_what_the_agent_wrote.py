import ast
from pathlib import Path

def grade(transcript, workspace_path):
    tree = ast.parse((Path(workspace_path) / "src" / "calc.py").read_text())
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    documented = [n for n in functions.values() if ast.get_docstring(n)]
    return {
        "functions": float({"add", "mean"} <= set(functions)),
        "documented": len(documented) / max(len(functions), 1),
    }
