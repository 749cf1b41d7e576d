"""As much of redis-py as the service uses, with its data in this process."""

from __future__ import annotations

DATA: dict[str, list[bytes]] = {}


class RedisError(Exception):
    """As redis-py's."""


class ConnectionError(RedisError):  # noqa: A001
    """As redis-py's."""


class ConnectionPool:
    """Remembers what it was made with."""

    def __init__(
        self,
        connection_class: type | None = None,
        max_connections: int | None = None,
        **connection_kwargs,
    ) -> None:
        self.connection_class = connection_class
        self.max_connections = max_connections
        self.connection_kwargs = connection_kwargs

    def disconnect(self) -> None:
        """There is nothing to disconnect from."""


class BlockingConnectionPool(ConnectionPool):
    """As redis-py's."""


class StrictRedis:
    """A client. All of them see the same data."""

    def __init__(self, connection_pool: ConnectionPool | None = None, **kwargs) -> None:
        self.connection_pool = connection_pool or ConnectionPool(**kwargs)

    def ping(self) -> bool:
        return True

    def rpush(self, name: str, *values: bytes) -> int:
        DATA.setdefault(name, []).extend(values)
        return len(DATA[name])

    def lrange(self, name: str, start: int, end: int) -> list[bytes]:
        stop = None if end == -1 else end + 1
        return DATA.get(name, [])[start:stop]

    def delete(self, *names: str) -> int:
        return sum(DATA.pop(name, None) is not None for name in names)

    def close(self) -> None:
        """There is nothing to close."""


Redis = StrictRedis
