"""The Python grader: runs a task's own `grade(transcript, workspace_path)`.

componentize-py imports this module once, when the component is built, and keeps
a snapshot of the interpreter. What is done at import time costs a grade nothing.
"""

import json
import linecache
import marshal
import os
import random
import sys
import types as python_types

import preload
import refused
import settle
from componentize_py_types import Err
from scores import Fault, scored
from words import explain
from wit_world import WitWorld as World
from wit_world.imports.types import Criterion, Status, Verdict

GRADER = "/grader/grader.py"
PLACE = "/grader/place.json"
TRANSCRIPT = "/evidence/transcript.jsonl"
# The same, where the host has read it already.
EVENTS = "/grader/events.marshal"

# How much of its own missing modules a grader is told about.
MAX_NOTES = 50

# Functions are compiled for what they were called with after a few calls.
WARM_UPS = 30


class WitWorld(World):
    """The component's export."""

    def grade(self) -> Verdict:
        """Grades the bundle; the error is the grader's own."""
        with open(PLACE, encoding="utf-8") as file:
            place = json.load(file)
        try:
            values, notes = run(place)
            criteria = [criterion(one) for one in values]
        except BaseException as error:  # noqa: B036 - sys.exit() is no verdict
            raise Err(explain(error, place["file"])) from None
        finally:
            flush()
        return Verdict(criteria, [], notes[:MAX_NOTES], None)


def run(place: dict) -> tuple[list, list[str]]:
    """Runs the grader and gives its values and what is to be said about them."""
    # The runtime has read the arguments anew: there are none.
    sys.argv[:] = ["grade"]
    transcript = load_transcript()
    grade = define(place)
    random.seed(0)
    result = grade(transcript, place["workspace"])
    if refused.first():
        # Caught or not: what it decided without is no finding about the agent.
        raise Fault(refused.first())
    values, notes = scored(result)
    return values, notes + refused.missing_modules()


def define(place: dict):
    """Executes the grader's source as a module of its own."""
    file, line = place["file"], place["line"]
    with open(GRADER, encoding="utf-8") as source_file:
        source = source_file.read()
    # Line feeds in front make Python's line numbers those of the task file.
    source = "\n" * (line - 1) + source
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = python_types.ModuleType("grader")
    module.__file__ = file
    sys.modules["grader"] = module
    refused.begin()
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    grade = module.__dict__.get("grade")
    if not callable(grade):
        raise Fault("it defines no function `grade`")
    return grade


def load_transcript() -> list:
    """The events, as graders expect them: dictionaries in a list."""
    try:
        with open(EVENTS, "rb") as file:
            return marshal.loads(file.read())
    except FileNotFoundError:
        pass
    with open(TRANSCRIPT, "rb") as file:
        # A line feed inside a string is written `\n`: those that are there end lines.
        lines = [line for line in file.read().split(b"\n") if line.strip()]
    return json.loads(b"[" + b",".join(lines) + b"]")


def criterion(value) -> Criterion:
    """A value as a criterion of one point."""
    return Criterion(
        id=value.id,
        title=value.title,
        category="automated",
        status=Status.GRADED,
        points=value.points,
        max=1.0,
        reason=f"grade() gave {value.text}.",
        citations=[],
        question=None,
    )


def flush() -> None:
    """Lets go of what was printed; a grader may have replaced the streams."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S110 - output is a convenience
            pass


def warm_up() -> None:
    """Grades something, some times over: the interpreter learns from it."""
    global GRADER, PLACE, TRANSCRIPT, EVENTS
    paths = GRADER, PLACE, TRANSCRIPT, EVENTS
    here = os.path.join(os.path.dirname(__file__), "warmup")
    GRADER, PLACE, TRANSCRIPT, EVENTS = (
        os.path.join(here, name)
        for name in ("grader.py", "place.json", "transcript.jsonl", "events.marshal")
    )
    # First as Python reads events by itself, then as the host does it.
    for _ in range(WARM_UPS):
        WitWorld().grade()
    events = load_transcript()
    with open(EVENTS, "wb") as file:
        marshal.dump(events, file)
    for _ in range(WARM_UPS):
        WitWorld().grade()
    GRADER, PLACE, TRANSCRIPT, EVENTS = paths


preload.everything()
refused.install()
settle.streams()
warm_up()
settle.forget()
settle.freeze()
