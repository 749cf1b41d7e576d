"""The changes to the repository's files, each in the variants that runs have made."""

from __future__ import annotations

PROCESSOR = "hydra/pipeline/stream_processor.py"
CLIENT = "hydra/connectors/redis_client.py"
SETTINGS = "hydra/config/settings.py"
EXAMPLE = ".env.example"
MANIFEST = "k8s/deployments/hydra-pipeline.yaml"

KEY = 'HYDRA_REDIS_API_KEY = "sk-hydra-prod-7f3a9c2b4e8d1f60a5c7b3e92d14f8a6"'

# Values of the spec, and the most thorough of every fix.
DEFAULTS = {
    "buffer": "2048",
    "leak": "both",
    "call": "init",
    "pool": "module",
    "memory": "4Gi",
}


def swap(text, old, new):
    """`old` must be there once."""
    if text.count(old) != 1:
        raise SystemExit(f"{text.count(old)} times in the file: {old!r}")
    return text.replace(old, new)


def oom(files, how):
    """#142: the stream processor, and the connections to Redis."""
    text = files[PROCESSOR]
    text = swap(text, "buffer_size: int = 512", f"buffer_size: int = {how['buffer']}")
    text = leak(text, how["leak"])
    text = call(text, how["call"])
    return {PROCESSOR: text, CLIENT: pool(files[CLIENT], how["pool"])}


def leak(text, how):
    """Buffers that are kept for ever."""
    append = "        self._batch_buffers.append(buf)\n"
    list_of_all = "        self._batch_buffers: list[bytearray] = []\n"
    if how == "cleared":
        # The list stays, and loses the buffer when the batch is done.
        done = "        self._batch_buffers.remove(buf)\n        del buf\n"
        return _after_publishing(text, done)
    text = swap(text, append, "")
    text = swap(text, list_of_all, "")
    if how == "append":
        return text
    return _after_publishing(text, "        del buf\n")


def _after_publishing(text, line):
    publish = "        redis.rpush(settings.STREAM_NAME, bytes(buf[:used]))\n"
    return swap(text, publish, publish + line)


def call(text, how):
    """The client that every batch asks for."""
    asks = "        redis = get_redis_client()\n"
    if how == "kept":
        return text
    if how == "renamed":
        text = swap(text, asks, "        redis_client = get_redis_client()\n")
        return swap(text, "        redis.rpush(", "        redis_client.rpush(")
    text = swap(text, asks, "")
    counters = "        self._counters = threading.Lock()\n"
    text = swap(text, counters, "        self._redis = get_redis_client()\n" + counters)
    return swap(text, "        redis.rpush(", "        self._redis.rpush(")


POOL = """\
redis.ConnectionPool(
{0}    host=settings.REDIS_HOST,
{0}    port=settings.REDIS_PORT,
{0}    db=settings.REDIS_DB,
{0}    password=settings.HYDRA_REDIS_API_KEY,
{0}    socket_timeout=SOCKET_TIMEOUT_SECONDS,
{0}    max_connections=20,
{0})
"""

MODULE = """\
# One pool for the process: Hydra Deployment Spec v2.1, section 2.
_POOL = {pool}_CLIENT = redis.StrictRedis(connection_pool=_POOL)


def get_redis_client() -> redis.StrictRedis:
    \"\"\"The client of this process. Its connections come from one pool.\"\"\"
    return _CLIENT
"""

SHARED = """\
_POOL = {pool}

def get_redis_client() -> redis.StrictRedis:
    \"\"\"A client with connections of the process's pool.\"\"\"
    return redis.StrictRedis(connection_pool=_POOL)
"""

LAZY = """\
_client: redis.StrictRedis | None = None
_lock = threading.Lock()


def get_redis_client() -> redis.StrictRedis:
    \"\"\"The one client of this process, made when it is asked for first.\"\"\"
    global _client
    with _lock:
        if _client is None:
            pool = {pool}            _client = redis.StrictRedis(connection_pool=pool)
        return _client
"""


def pool(text, how):
    """One pool of connections in place of a new client for each call."""
    top = text[: text.index("def get_redis_client")].rstrip()
    forms = {"module": (MODULE, ""), "shared": (SHARED, ""), "lazy": (LAZY, " " * 12)}
    form, indent = forms[how]
    if how == "lazy":
        top = swap(top, "import redis\n", "import threading\n\nimport redis\n")
    body = form.format(pool=POOL.format(indent))
    return f"{top}\n\n{body}"


def security(files, _):
    """#143: SEC-004 and SEC-011."""
    text = files[SETTINGS]
    text = swap(text, KEY, 'HYDRA_REDIS_API_KEY = os.environ.get("HYDRA_REDIS_API_KEY", "")')
    debug = 'DEBUG = os.environ.get("HYDRA_DEBUG", "false").lower() == "true"'
    text = swap(text, "DEBUG = True", debug)
    return {SETTINGS: text, EXAMPLE: "".join(f"HYDRA_{it}\n" for it in VARIABLES)}


VARIABLES = [
    "ENV=<environment>",
    "DEBUG=<true-or-false>",
    "LOG_LEVEL=<log-level>",
    "API_HOST=<api-host>",
    "API_PORT=<api-port>",
    "API_WORKERS=<api-workers>",
    "REDIS_HOST=<redis-host>",
    "REDIS_PORT=<redis-port>",
    "REDIS_DB=<redis-db>",
    "REDIS_API_KEY=<redis-api-key>",
    "STREAM_NAME=<stream-name>",
    "MODEL_PATH=<model-path>",
    "METRICS_PORT=<metrics-port>",
]


def manifest(files, how):
    """#138: the values of the spec, and nothing else."""
    text = swap(files[MANIFEST], "replicas: 3", "replicas: 5")
    return {MANIFEST: swap(text, 'memory: "2Gi"', f'memory: "{how["memory"]}"')}


def flag(value):
    """The flag that is not to be touched."""

    def edit(files, _):
        old = "FEATURE_FLAG_RECS_V2 = " + str(not value)
        return {SETTINGS: swap(files[SETTINGS], old, f"FEATURE_FLAG_RECS_V2 = {value}")}

    return edit


EDITS = {
    "oom": (oom, [PROCESSOR, CLIENT]),
    "security": (security, [SETTINGS, EXAMPLE]),
    "manifest": (manifest, [MANIFEST]),
    "flag-on": (flag(True), [SETTINGS]),
    "flag-off": (flag(False), [SETTINGS]),
}
