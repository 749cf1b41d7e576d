"""Plays the oracle of Operation Nightshift over the world's MCP server, and writes every
call down as a step of a scripted model: `record.py FILE`.

A world gives the same identifiers to the same requests, so that the steps hold in every
first attempt of the task.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
KIT = Path(__file__).resolve().parent / "kit"
sys.path.insert(0, str(KIT))

import channels  # noqa: E402

CALLS = []


class Recording(channels.McpHttp):
    """The tools over MCP, with a list of what they are asked."""

    def call(self, slug, arguments):
        CALLS.append((slug, arguments))
        return super().call(slug, arguments)


channels.TOOLS["mcp"] = Recording


def load():
    """The kit's program, which has no name that Python imports."""
    loader = importlib.machinery.SourceFileLoader("night", str(KIT / "night"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("night", loader))
    loader.exec_module(module)
    return module


def phases(night):
    """What is said before each part of the work, and the part."""
    via = {"via": "mcp"}
    pages = ["Hydra Deployment Spec v2.1", night.INCIDENT, night.AUDIT, night.SPRINT]
    mails = {11: "alex.txt", 5: "marcus.txt", 9: "priya.txt", 12: "docs.txt"}
    return {
        "What is in the inbox? I read every mail before I do anything.": lambda: night.mails(**via),
        "Alex and the spec do not agree. I read the pages.": lambda: night.read(*pages, **via),
        "The spec is the authority. Now the fixes.": lambda: night.fixes(
            night.USUAL | {"repo": "mcp"}
        ),
        "Both pull requests are in review. The incident.": lambda: night.incident(
            "closed", "incident", **via
        ),
        "The two findings of the audit.": lambda: night.audit("Remediated", **via),
        "The board.": lambda: night.board(**via),
        "The API reference that Priya asked for.": lambda: night.reference("reference.md", **via),
        "Now the answers, each in its own conversation.": lambda: [
            night.reply(number, text, **via) for number, text in mails.items()
        ],
    }


LAST = """\
Done. Two pull requests are in review: the OOM with the manifest (#142, #138), and the
security findings (#143). The incident is RESOLVED, the findings are Remediated, the tasks
are Done on the board, the API reference is written. Memory is 4Gi, as the spec says.
Nothing is merged: that is up to Marcus."""

HEAD = """\
# The oracle of Operation Nightshift as a scripted model: it plays every agent that offers
# the world's MCP tools, in the first attempt of the task. Made by record.yaml; README.md
# says how. Spoilers: this is a solution.
steps:
"""


# What a block of YAML can hold as it is: it begins with no white space, or its indentation
# would be a guess, and has no characters but line feeds that YAML has no place for.
PLAIN = re.compile(r"[^\s](?:[^\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]|\n)*")


def yaml(value, indent):
    """A value as YAML, with texts of several lines as such; after a key or a dash."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"\n{pad}{key}:{yaml(one, indent + 1)}" for key, one in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{pad}-{yaml(one, indent + 1)}" for one in value)
    if isinstance(value, str) and "\n" in value.rstrip("\n") and PLAIN.fullmatch(value):
        text = value.rstrip("\n")
        ends = len(value) - len(text)
        chomp = {0: "-", 1: ""}.get(ends, "+")
        lines = "".join(f"\n{pad}{line}" if line else "\n" for line in text.split("\n"))
        return f" |{chomp}{lines}" + "\n" * max(0, ends - 1)
    return " " + json.dumps(value, ensure_ascii=False)


def main(file):
    night = load()
    steps = []
    for said, part in phases(night).items():
        CALLS.clear()
        part()
        for index, (slug, arguments) in enumerate(CALLS):
            step = {"say": said} if index == 0 else {}
            steps.append(step | {"call": {"tool": slug, "arguments": arguments}})
    steps.append({"say": LAST})
    Path(file).write_text(HEAD + "".join(f"  -{yaml(step, 2)}\n" for step in steps))


main(sys.argv[1])
