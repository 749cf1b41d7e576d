"""The model that scores events: a logistic regression over named features."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_WEIGHTS = {"velocity": 1.8, "amount": 0.9, "device_risk": 2.4, "account_age": -1.1}


@dataclass(frozen=True)
class Model:
    """Weights by feature. Features that the model does not know count nothing."""

    name: str = "hydra-baseline"
    version: str = "2025.06"
    bias: float = -1.5
    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))

    @classmethod
    def load(cls, path: str) -> Model:
        """The model of a JSON file, or the baseline where no path is given."""
        if not path:
            return cls()
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return cls(data["name"], data["version"], data["bias"], data["weights"])

    def score(self, features: Mapping[str, float]) -> float:
        """Probability between 0 and 1 that the event is of interest."""
        logit = self.bias
        for name, value in features.items():
            logit += self.weights.get(name, 0.0) * value
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, logit))))
