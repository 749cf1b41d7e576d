"""Access to Redis."""

import redis

from hydra.config import settings

SOCKET_TIMEOUT_SECONDS = 5


def get_redis_client() -> redis.StrictRedis:
    """A client for the Redis that the settings name."""
    return redis.StrictRedis(
        host=settings.REDIS_HOST,
        port=settings.REDIS_PORT,
        db=settings.REDIS_DB,
        password=settings.HYDRA_REDIS_API_KEY,
        socket_timeout=SOCKET_TIMEOUT_SECONDS,
    )
