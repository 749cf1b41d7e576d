"""Ways into the world: HTTP, and tools over MCP or Composio's interface."""

from __future__ import annotations

import itertools
import json
import os
import ssl
import subprocess
import urllib.error
import urllib.parse
import urllib.request

MCP_URL = "https://mcp.proctor.test/mcp"
COMPOSIO = "https://backend.composio.dev/api/v3.1"
PROTOCOL = "2025-06-18"

_TLS = ssl.create_default_context()


class Refused(Exception):
    """A service said no."""


def http(method, url, body=None, headers=None, query=None):
    """Sends JSON, or nothing, and gives back what was answered as (text, headers)."""
    if query:
        url += "?" + urllib.parse.urlencode({k: v for k, v in query.items() if v is not None})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers or {}, method=method)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30, context=_TLS) as answer:
            return answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        raise Refused(f"{method} {url}: {error.code} {error.read().decode()}") from None


def rest(method, url, body=None, headers=None, query=None):
    """The same with the answer as JSON."""
    text, _ = http(method, url, body, headers, query)
    return json.loads(text) if text else None


class McpHttp:
    """The tools over MCP's streamable HTTP."""

    def __init__(self):
        self._ids = itertools.count(1)
        self._headers = {"Accept": "application/json, text/event-stream"}
        self._ask("initialize", hello())
        self._headers["MCP-Protocol-Version"] = PROTOCOL
        http("POST", MCP_URL, {"jsonrpc": "2.0", "method": "notifications/initialized"}, self._headers)

    def call(self, slug, arguments):
        return result(slug, self._ask("tools/call", {"name": slug, "arguments": arguments}))

    def _ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        text, headers = http("POST", MCP_URL, message, self._headers)
        if session := headers.get("Mcp-Session-Id"):
            self._headers["Mcp-Session-Id"] = session
        if "text/event-stream" in headers.get("Content-Type", ""):
            lines = [it[5:] for it in text.splitlines() if it.startswith("data:")]
            answers = [json.loads(it) for it in lines if it.strip()]
            return next(it for it in answers if it.get("id") == message["id"])
        return json.loads(text)


class McpStdio:
    """The tools over MCP's standard input and output, from a server of its own."""

    def __init__(self):
        self._ids = itertools.count(1)
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(["proctor-mcp"], stdin=pipe, stdout=pipe, text=True)
        self._ask("initialize", hello())
        self._tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, slug, arguments):
        return result(slug, self._ask("tools/call", {"name": slug, "arguments": arguments}))

    def _tell(self, message):
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()

    def _ask(self, method, params):
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        self._tell(message)
        for line in self._server.stdout:
            answer = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        raise Refused(f"{method}: the server of tools has ended")


class Composio:
    """The tools in a session of Composio's."""

    def __init__(self):
        self._headers = {"x-api-key": os.environ.get("COMPOSIO_API_KEY", "ak_world")}
        body = {"user_id": "user_123"}
        made = rest("POST", f"{COMPOSIO}/tool_router/session", body, self._headers)
        self._url = f"{COMPOSIO}/tool_router/session/{made['session_id']}/execute"

    def call(self, slug, arguments):
        body = {"tool_slug": slug, "arguments": arguments}
        answer = rest("POST", self._url, body, self._headers)
        if answer.get("error"):
            raise Refused(f"{slug}: {answer['error']}")
        return answer["data"]


def hello():
    client = {"name": "night", "version": "1"}
    return {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}


def result(slug, answer):
    """What a tool gave, out of MCP's answer."""
    if "error" in answer:
        raise Refused(f"{slug}: {answer['error']['message']}")
    given = answer["result"]
    document = given.get("structuredContent") or json.loads(given["content"][0]["text"])
    if given.get("isError") or not document.get("successful"):
        raise Refused(f"{slug}: {document.get('error')}")
    return document["data"]


TOOLS = {"mcp": McpHttp, "stdio": McpStdio, "composio": Composio}
