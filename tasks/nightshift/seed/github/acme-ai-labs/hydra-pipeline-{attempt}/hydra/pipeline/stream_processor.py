"""Groups events into batches, scores them and publishes the results."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from hydra.config import settings
from hydra.connectors.redis_client import get_redis_client
from hydra.pipeline.model import Model

logger = logging.getLogger(__name__)


@dataclass
class BatchConfig:
    """How events are grouped. Sizes of buffers are in bytes."""

    batch_size: int = 32
    buffer_size: int = 512
    threshold: float = 0.5


@dataclass(frozen=True)
class Event:
    """Something that happened in a customer's stream."""

    event_id: str
    features: dict[str, float]


@dataclass(frozen=True)
class Result:
    """What the model says about an event."""

    event_id: str
    label: str
    score: float


class StreamProcessor:
    """Scores the events of one process."""

    def __init__(self, model: Model, config: BatchConfig | None = None) -> None:
        self.model = model
        self.config = config or BatchConfig()
        self.batches_processed = 0
        self.events_processed = 0
        self._batch_buffers: list[bytearray] = []
        self._counters = threading.Lock()

    def process(self, events: Sequence[Event], threshold: float | None = None) -> list[Result]:
        """Scores events in batches, in their order, and publishes each batch."""
        limit = self.config.threshold if threshold is None else threshold
        results: list[Result] = []
        for start in range(0, len(events), self.config.batch_size):
            batch = events[start : start + self.config.batch_size]
            results.extend(self._process_batch(batch, limit))
        return results

    def _process_batch(self, batch: Sequence[Event], threshold: float) -> list[Result]:
        redis = get_redis_client()
        buf = bytearray(self.config.buffer_size)
        self._batch_buffers.append(buf)

        results = []
        used = 0
        for event in batch:
            score = self.model.score(event.features)
            label = "flagged" if score >= threshold else "clear"
            result = Result(event.event_id, label, round(score, 6))
            results.append(result)

            line = json.dumps(asdict(result)).encode() + b"\n"
            end = used + len(line)
            if end > len(buf):
                buf.extend(bytes(end - len(buf)))
            buf[used:end] = line
            used = end

        redis.rpush(settings.STREAM_NAME, bytes(buf[:used]))
        with self._counters:
            self.batches_processed += 1
            self.events_processed += len(batch)
        logger.debug("published %d results in %d bytes", len(results), used)
        return results
