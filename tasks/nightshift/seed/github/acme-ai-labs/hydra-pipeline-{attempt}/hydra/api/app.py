"""The inference API as a WSGI application."""

from __future__ import annotations

import json
import logging
import re
import threading
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from wsgiref.simple_server import make_server

from hydra.api.routes import ROUTES, ApiError, Context, ErrorResponse, Route
from hydra.api.schema import SchemaError, parse
from hydra.config import settings
from hydra.pipeline.model import Model
from hydra.pipeline.stream_processor import StreamProcessor

logger = logging.getLogger(__name__)

MAX_BODY_BYTES = 8 << 20


class App:
    """Finds the endpoint of a request, calls it and answers in JSON."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._routes = [(_pattern(route.path), route) for route in ROUTES]

    def __call__(self, environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        try:
            status, answer = self._answer(environ)
        except ApiError as error:
            status, answer = error.status, ErrorResponse(error.error, error.detail)
        except Exception:
            logger.exception("%s %s", environ["REQUEST_METHOD"], environ.get("PATH_INFO"))
            detail = traceback.format_exc() if settings.DEBUG else "see the log of the service"
            status, answer = 500, ErrorResponse("internal_error", detail)
        body = json.dumps(asdict(answer)).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response(f"{status} {HTTPStatus(status).phrase}", headers)
        return [body]

    def _answer(self, environ: dict[str, Any]) -> tuple[int, Any]:
        route, arguments = self._find(environ["REQUEST_METHOD"], environ.get("PATH_INFO", "/"))
        if route.request is not None:
            arguments["body"] = _body(environ, route.request)
        return route.status, route.handler(self.context, **arguments)

    def _find(self, method: str, path: str) -> tuple[Route, dict[str, Any]]:
        is_known = False
        for pattern, route in self._routes:
            match = pattern.fullmatch(path)
            if match and route.method == method:
                return route, match.groupdict()
            is_known = is_known or match is not None
        if is_known:
            raise ApiError(405, "method_not_allowed", f"{method} is not allowed here")
        raise ApiError(404, "not_found", f"there is no endpoint {path}")


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))


def _body(environ: dict[str, Any], kind: type) -> Any:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAX_BODY_BYTES:
        raise ApiError(413, "too_large", f"a body has at most {MAX_BODY_BYTES} bytes")
    try:
        return parse(kind, json.loads(environ["wsgi.input"].read(length)))
    except json.JSONDecodeError as error:
        raise ApiError(400, "invalid_json", str(error)) from None
    except SchemaError as error:
        raise ApiError(422, "invalid_request", str(error)) from None


def create_app(model: Model | None = None) -> App:
    """The application with a model, by default that of the settings."""
    model = model or Model.load(settings.MODEL_PATH)
    executor = ThreadPoolExecutor(settings.API_WORKERS, thread_name_prefix="batch")
    return App(Context(model, StreamProcessor(model), executor))


def metrics(processor: StreamProcessor) -> Callable:
    """A WSGI application that tells Prometheus what was processed."""

    def answer(environ: dict[str, Any], start_response: Callable) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain; version=0.0.4")])
        text = (
            f"hydra_batches_processed_total {processor.batches_processed}\n"
            f"hydra_events_processed_total {processor.events_processed}\n"
        )
        return [text.encode()]

    return answer


def main() -> None:
    """Serves API and metrics without gunicorn, for development."""
    logging.basicConfig(level=settings.LOG_LEVEL)
    app = create_app()
    monitor = make_server(settings.API_HOST, settings.METRICS_PORT, metrics(app.context.processor))
    threading.Thread(target=monitor.serve_forever, daemon=True).start()
    logger.info("%s on %s:%d", settings.ENV, settings.API_HOST, settings.API_PORT)
    make_server(settings.API_HOST, settings.API_PORT, app).serve_forever()


if __name__ == "__main__":
    main()
