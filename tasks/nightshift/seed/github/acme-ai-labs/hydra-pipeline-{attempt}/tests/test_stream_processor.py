import json
import unittest

from hydra.config import settings
from hydra.pipeline.model import Model
from hydra.pipeline.stream_processor import BatchConfig, Event, StreamProcessor
from tests import fake_redis


def events(count):
    return [Event(f"e{n}", {"velocity": float(n)}) for n in range(count)]


class StreamProcessorTest(unittest.TestCase):
    def setUp(self):
        fake_redis.DATA.clear()
        self.processor = StreamProcessor(Model(), BatchConfig(batch_size=4))

    def test_results_come_in_the_order_of_the_events(self):
        results = self.processor.process(events(10))
        self.assertEqual([it.event_id for it in results], [f"e{n}" for n in range(10)])

    def test_events_are_scored_by_the_model(self):
        low, high = self.processor.process([Event("a", {}), Event("b", {"device_risk": 3.0})])
        self.assertEqual((low.label, high.label), ("clear", "flagged"))
        self.assertLess(low.score, high.score)

    def test_the_threshold_decides_the_label(self):
        [result] = self.processor.process([Event("a", {})], threshold=0.1)
        self.assertEqual(result.label, "flagged")

    def test_every_batch_is_published_once(self):
        self.processor.process(events(10))
        published = fake_redis.DATA[settings.STREAM_NAME]
        self.assertEqual([len(it.splitlines()) for it in published], [4, 4, 2])
        self.assertEqual(json.loads(published[0].splitlines()[0])["event_id"], "e0")

    def test_batches_and_events_are_counted(self):
        self.processor.process(events(10))
        self.processor.process(events(1))
        self.assertEqual(self.processor.batches_processed, 4)
        self.assertEqual(self.processor.events_processed, 11)

    def test_results_that_are_larger_than_the_buffer_are_whole(self):
        processor = StreamProcessor(Model(), BatchConfig(batch_size=100, buffer_size=16))
        processor.process(events(100))
        [published] = fake_redis.DATA[settings.STREAM_NAME]
        self.assertEqual(len(published.splitlines()), 100)

    def test_nothing_is_published_for_no_events(self):
        self.assertEqual(self.processor.process([]), [])
        self.assertEqual(fake_redis.DATA, {})


if __name__ == "__main__":
    unittest.main()
