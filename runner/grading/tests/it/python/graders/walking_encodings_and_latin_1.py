import os, posixpath, shlex, locale, codecs

def grade(transcript, workspace_path):
    files = []
    for root, dirs, names in os.walk(workspace_path):
        dirs.sort()
        for name in sorted(names):
            files.append(posixpath.relpath(posixpath.join(root, name), workspace_path))
    latin = open(os.path.join(workspace_path, "latin.txt"), encoding="latin-1").read()
    loose = open(os.path.join(workspace_path, "latin.txt"), errors="replace").read()
    return {
        "files": float("src/pkg/__init__.py" in files and len(files) == 12),
        "latin": float(latin == "Größe"),
        "replaced": float("\ufffd" in loose),
        "utf16": float(codecs.decode(codecs.encode("Ä", "utf-16"), "utf-16") == "Ä"),
        "split": float(shlex.split("a 'b c' \"d\"") == ["a", "b c", "d"]),
        "size": float(os.path.getsize(os.path.join(workspace_path, "image.png")) == 24),
    }
