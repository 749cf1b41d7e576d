"""Scores posts, and flags those that a moderator should see first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Posts with this score or a higher one are flagged.
FLAG_THRESHOLD = 0.70

# How much a term adds to the score of a post.
TERM_WEIGHTS: Mapping[str, float] = {
    "free money": 0.55,
    "click here": 0.35,
    "guaranteed": 0.23,
    "limited offer": 0.30,
    "wire transfer": 0.45,
}


@dataclass(frozen=True)
class Decision:
    """What the classifier says about a post."""

    score: float
    flagged: bool


def score(text: str) -> float:
    """From 0, harmless, to 1."""
    words = re.sub(r"\s+", " ", text).strip().lower()
    total = sum(weight for term, weight in TERM_WEIGHTS.items() if term in words)
    return round(min(total, 1.0), 2)


def is_flagged(value: float) -> bool:
    """Whether a post with this score is flagged."""
    return value >= FLAG_THRESHOLD


def classify(text: str) -> Decision:
    """Scores a post and decides about it."""
    value = score(text)
    return Decision(value, is_flagged(value))
