"""Unit tests. They talk to a Redis of their own, whether redis-py is installed or not."""

import sys

from tests import fake_redis

sys.modules["redis"] = fake_redis
