"""What the dictionary that `grade` returned comes to."""

import collections.abc
import inspect
import math
import re
from dataclasses import dataclass

# Sums of tenths miss by some units in the last place; that is no mistake.
TOLERANCE = 1e-9
# Longest id and title that the host accepts.
ID_BYTES = 100
TITLE_BYTES = 300


class Fault(Exception):
    """The grader's own mistake, in words."""


@dataclass
class Value:
    """A numeric value of the dictionary."""

    id: str
    title: str
    points: float
    text: str


def scored(result) -> tuple[list[Value], list[str]]:
    """The numeric values, from 0 to 1, and notes about the others."""
    if inspect.isawaitable(result) or inspect.isasyncgen(result):
        if inspect.iscoroutine(result):
            result.close()
        raise Fault("`grade` is an `async def`; expected a plain function")
    if not isinstance(result, collections.abc.Mapping):
        raise Fault(f"`grade` returned {kind(result)}; expected a dict of numbers from 0 to 1")
    values, notes, ids = [], [], set()
    for key, value in dict(result).items():
        title = one_line(str(key))
        if not isinstance(value, (bool, int, float)):
            notes.append(f"The value of `{title}` is {kind(value)} and does not count.")
            continue
        values.append(Value(unique(title, ids), title, number(title, value), shown(value)))
    if not values:
        raise Fault("`grade` returned no number; expected a dict of numbers from 0 to 1")
    return values, notes


def number(title: str, value) -> float:
    """The value as points, where it is any."""
    try:
        points = float(value)
    except OverflowError:
        points = math.inf
    if not -TOLERANCE <= points <= 1 + TOLERANCE:
        raise Fault(f"the value of `{title}` is {shown(value)}; expected a number from 0 to 1")
    return min(max(points, 0.0), 1.0)


def unique(title: str, ids: set[str]) -> str:
    """An id made of the key, of the characters that ids have."""
    base = re.sub(r"[^A-Za-z0-9_.-]+", "_", title)[: ID_BYTES - 8] or "_"
    name, count = base, 1
    while name in ids:
        count += 1
        name = f"{base}-{count}"
    ids.add(name)
    return name


def one_line(text: str) -> str:
    """A key for people: one line that is not empty and not long."""
    line = " ".join(text.split()).encode("utf-8", "replace")[:TITLE_BYTES]
    return line.decode("utf-8", "ignore") or "(no name)"


def kind(value) -> str:
    """A type in words."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def shown(value) -> str:
    """A number as Python writes it, as long as that is short."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of more digits than Python writes"
    return text if len(text) <= 40 else f"{text[:40]}..."
