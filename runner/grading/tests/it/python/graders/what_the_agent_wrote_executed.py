import contextlib, io

def grade(transcript, workspace_path):
    source = open(workspace_path + "/src/calc.py").read()
    out = io.StringIO()
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(out):
        exec(compile(source, "calc.py", "exec"), namespace)
    return {"printed": float("mean: 2.0" in out.getvalue())}
