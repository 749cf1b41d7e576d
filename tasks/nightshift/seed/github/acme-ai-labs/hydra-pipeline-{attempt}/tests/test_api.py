import io
import json
import unittest

import tests  # noqa: F401 (brings a Redis of its own)
from hydra.api.app import create_app
from hydra.pipeline.model import Model

EVENTS = [
    {"event_id": "a", "features": {"device_risk": 3}},
    {"event_id": "b", "features": {"account_age": 1.5}},
]


class ApiTest(unittest.TestCase):
    def setUp(self):
        self.app = create_app(Model())
        self.addCleanup(self.app.context.executor.shutdown)

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_LENGTH": str(len(data)),
            "wsgi.input": io.BytesIO(data),
        }
        said = []
        answer = b"".join(self.app(environ, lambda status, headers: said.append(status)))
        return int(said[0].split()[0]), json.loads(answer)

    def test_health(self):
        status, answer = self.call("GET", "/health")
        self.assertEqual((status, answer["status"]), (200, "ok"))

    def test_models(self):
        status, answer = self.call("GET", "/v1/models")
        self.assertEqual(status, 200)
        self.assertEqual(answer["models"][0]["name"], "hydra-baseline")

    def test_infer(self):
        status, answer = self.call("POST", "/v1/infer", {"stream_id": "s", "events": EVENTS})
        self.assertEqual((status, answer["stream_id"]), (200, "s"))
        self.assertEqual([it["label"] for it in answer["predictions"]], ["flagged", "clear"])

    def test_a_batch_is_accepted_and_completed(self):
        body = {"stream_id": "s", "events": EVENTS, "priority": "high"}
        status, answer = self.call("POST", "/v1/batches", body)
        self.assertEqual((status, answer["status"]), (202, "queued"))
        batch_id = answer["batch_id"]
        self.app.context.batches[batch_id].future.result(timeout=10)
        status, answer = self.call("GET", f"/v1/batches/{batch_id}")
        self.assertEqual((status, answer["status"], answer["processed_events"]), (200, "completed", 2))

    def test_what_is_wrong_is_said(self):
        event = {"event_id": "a", "features": {}}
        for body, status, detail in [
            ({"events": [event]}, 422, "body.stream_id: missing"),
            ({"stream_id": 1, "events": [event]}, 422, "body.stream_id: expected str"),
            ({"stream_id": "s", "events": []}, 422, "body.events: expected 1 to 1000 events"),
            ({"stream_id": "s", "events": [{"event_id": "a"}]}, 422, "body.events[0].features: missing"),
            ({"stream_id": "s", "events": [event], "x": 1}, 422, "body.x: unknown field"),
            ({"stream_id": "s", "events": [event], "threshold": 2}, 422, "body.threshold: expected 0 to 1"),
        ]:
            with self.subTest(detail):
                said, answer = self.call("POST", "/v1/infer", body)
                self.assertEqual((said, answer["detail"]), (status, detail))

    def test_paths_and_methods(self):
        self.assertEqual(self.call("GET", "/nowhere")[0], 404)
        self.assertEqual(self.call("POST", "/health")[0], 405)
        self.assertEqual(self.call("GET", "/v1/batches/none")[0], 404)


if __name__ == "__main__":
    unittest.main()
