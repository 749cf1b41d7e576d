import unittest

import tests  # noqa: F401 (brings a Redis of its own)
from hydra.config import settings
from hydra.connectors.redis_client import get_redis_client


class RedisClientTest(unittest.TestCase):
    def test_the_client_answers(self):
        self.assertTrue(get_redis_client().ping())

    def test_the_settings_say_where_redis_is(self):
        where = get_redis_client().connection_pool.connection_kwargs
        self.assertEqual(where["host"], settings.REDIS_HOST)
        self.assertEqual(where["port"], settings.REDIS_PORT)
        self.assertEqual(where["db"], settings.REDIS_DB)


if __name__ == "__main__":
    unittest.main()
