"""The endpoints of the inference API, with what they take and what they answer.

Bodies are JSON. An error is answered with its HTTP status and an `ErrorResponse`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

import hydra
from hydra.config import settings
from hydra.pipeline.model import Model
from hydra.pipeline.stream_processor import Event, Result, StreamProcessor

MAX_EVENTS = 1000
PRIORITIES = ("low", "normal", "high")


@dataclass
class Context:
    """What the endpoints work with."""

    model: Model
    processor: StreamProcessor
    executor: Executor
    started: float = field(default_factory=time.monotonic)
    batches: dict[str, Batch] = field(default_factory=dict)


@dataclass
class Batch:
    """Events that were handed in to be scored later."""

    total: int
    future: Future[list[Result]]


@dataclass(frozen=True)
class Route:
    """One endpoint."""

    method: str
    path: str
    status: int
    request: type | None
    handler: Callable[..., Any]


class ApiError(Exception):
    """An answer other than success."""

    def __init__(self, status: int, error: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.error = error
        self.detail = detail


ROUTES: list[Route] = []


def route(method: str, path: str, *, request: type | None = None, status: int = 200):
    """Registers a function as an endpoint."""

    def register(handler: Callable[..., Any]) -> Callable[..., Any]:
        ROUTES.append(Route(method, path, status, request, handler))
        return handler

    return register


# What goes in


@dataclass
class EventInput:
    event_id: str
    features: dict[str, float]


@dataclass
class InferRequest:
    stream_id: str
    events: list[EventInput]
    threshold: float = 0.5


@dataclass
class BatchRequest:
    stream_id: str
    events: list[EventInput]
    priority: str = "normal"
    callback_url: str | None = None


# What comes out


@dataclass
class ErrorResponse:
    error: str
    detail: str


@dataclass
class HealthResponse:
    status: str
    version: str
    uptime_seconds: float


@dataclass
class ModelInfo:
    name: str
    version: str
    features: list[str]


@dataclass
class ModelsResponse:
    models: list[ModelInfo]
    recs_v2_enabled: bool


@dataclass
class Prediction:
    event_id: str
    label: str
    score: float


@dataclass
class InferResponse:
    request_id: str
    stream_id: str
    model_version: str
    predictions: list[Prediction]
    latency_ms: float


@dataclass
class BatchAccepted:
    batch_id: str
    stream_id: str
    status: str
    total_events: int


@dataclass
class BatchStatusResponse:
    batch_id: str
    status: str
    total_events: int
    processed_events: int
    predictions: list[Prediction]


# The endpoints


@route("GET", "/health")
def health(context: Context) -> HealthResponse:
    """Whether the process answers. For the probes of Kubernetes."""
    uptime = time.monotonic() - context.started
    return HealthResponse("ok", hydra.__version__, round(uptime, 3))


@route("GET", "/v1/models")
def models(context: Context) -> ModelsResponse:
    """The models that are loaded."""
    model = context.model
    info = ModelInfo(model.name, model.version, sorted(model.weights))
    return ModelsResponse([info], settings.FEATURE_FLAG_RECS_V2)


@route("POST", "/v1/infer", request=InferRequest)
def infer(context: Context, body: InferRequest) -> InferResponse:
    """Scores events at once."""
    begin = time.perf_counter()
    if not 0.0 <= body.threshold <= 1.0:
        raise ApiError(422, "invalid_request", "body.threshold: expected 0 to 1")
    results = context.processor.process(_events(body.events), body.threshold)
    return InferResponse(
        request_id=str(uuid.uuid4()),
        stream_id=body.stream_id,
        model_version=context.model.version,
        predictions=_predictions(results),
        latency_ms=round((time.perf_counter() - begin) * 1000, 3),
    )


@route("POST", "/v1/batches", request=BatchRequest, status=202)
def submit_batch(context: Context, body: BatchRequest) -> BatchAccepted:
    """Takes events to be scored in the background."""
    if body.priority not in PRIORITIES:
        detail = f"body.priority: expected one of {', '.join(PRIORITIES)}"
        raise ApiError(422, "invalid_request", detail)
    events = _events(body.events)
    batch_id = str(uuid.uuid4())
    future = context.executor.submit(context.processor.process, events)
    context.batches[batch_id] = Batch(len(events), future)
    return BatchAccepted(batch_id, body.stream_id, "queued", len(events))


@route("GET", "/v1/batches/{batch_id}")
def batch_status(context: Context, batch_id: str) -> BatchStatusResponse:
    """How far a batch is: `queued`, `completed` (with its predictions) or `failed`."""
    batch = context.batches.get(batch_id)
    if batch is None:
        raise ApiError(404, "not_found", f"there is no batch {batch_id}")
    if not batch.future.done():
        return BatchStatusResponse(batch_id, "queued", batch.total, 0, [])
    if batch.future.exception() is not None:
        return BatchStatusResponse(batch_id, "failed", batch.total, 0, [])
    predictions = _predictions(batch.future.result())
    return BatchStatusResponse(batch_id, "completed", batch.total, len(predictions), predictions)


def _events(inputs: list[EventInput]) -> list[Event]:
    if not 1 <= len(inputs) <= MAX_EVENTS:
        raise ApiError(422, "invalid_request", f"body.events: expected 1 to {MAX_EVENTS} events")
    return [Event(it.event_id, it.features) for it in inputs]


def _predictions(results: list[Result]) -> list[Prediction]:
    return [Prediction(it.event_id, it.label, it.score) for it in results]
