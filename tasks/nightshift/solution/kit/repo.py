"""The repository, over GitHub's interface or tools. With git and gh the scripts
work themselves."""

from __future__ import annotations

import base64
import os

from channels import TOOLS, rest

OWNER = "acme-ai-labs"
NAME = f"hydra-pipeline-{os.environ.get('PROCTOR_ATTEMPT', '0')}"
API = f"https://api.github.com/repos/{OWNER}/{NAME}"


class RestRepo:
    """Commits are made of blobs and trees."""

    def __init__(self):
        self._headers = {
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
        }

    def ask(self, method, path, body=None, query=None):
        return rest(method, f"{API}/{path}", body, self._headers, query)

    def read(self, path, ref="main"):
        found = self.ask("GET", f"contents/{path}", query={"ref": ref})
        return base64.b64decode(found["content"]).decode()

    def branch(self, name, start="main"):
        head = self.ask("GET", f"git/ref/heads/{start}")["object"]["sha"]
        self.ask("POST", "git/refs", {"ref": f"refs/heads/{name}", "sha": head})

    def commit(self, branch, message, files):
        head = self.ask("GET", f"git/ref/heads/{branch}")["object"]["sha"]
        base = self.ask("GET", f"git/commits/{head}")["tree"]["sha"]
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "content": text}
            for path, text in files.items()
        ]
        tree = self.ask("POST", "git/trees", {"base_tree": base, "tree": entries})["sha"]
        body = {"message": message, "tree": tree, "parents": [head]}
        made = self.ask("POST", "git/commits", body)["sha"]
        self.ask("PATCH", f"git/refs/heads/{branch}", {"sha": made})

    def pull(self, branch, title, body):
        body = {"head": branch, "base": "main", "title": title, "body": body}
        return self.ask("POST", "pulls", body)["html_url"]


class WebRepo(RestRepo):
    """As the editor in the browser works: each file is a commit."""

    def commit(self, branch, message, files):
        for path, text in files.items():
            old = self.ask("GET", f"contents/{path}", query={"ref": branch})["sha"]
            content = base64.b64encode(text.encode()).decode()
            body = {"message": message, "content": content, "branch": branch, "sha": old}
            self.ask("PUT", f"contents/{path}", body)


class ToolRepo:
    def __init__(self, tools):
        self._tools = tools

    def _call(self, slug, **arguments):
        return self._tools.call(f"GITHUB_{slug}", {"owner": OWNER, "repo": NAME, **arguments})

    def read(self, path, ref="main"):
        return self._call("GET_REPOSITORY_CONTENT", path=path, ref=ref)["content"]

    def branch(self, name, start="main"):
        head = self._call("GET_A_REFERENCE", ref=f"heads/{start}")["object"]["sha"]
        self._call("CREATE_A_REFERENCE", ref=f"refs/heads/{name}", sha=head)

    def commit(self, branch, message, files):
        files = [{"path": path, "content": text} for path, text in files.items()]
        self._call("COMMIT_MULTIPLE_FILES", branch=branch, message=message, upserts=files)

    def pull(self, branch, title, body):
        made = self._call("CREATE_A_PULL_REQUEST", head=branch, base="main", title=title, body=body)
        return made["html_url"]


def repo_via(channel):
    if channel == "rest":
        return RestRepo()
    return WebRepo() if channel == "web" else ToolRepo(TOOLS[channel]())
