//! The files as the spec wants them, and in other ways.

use super::{MANIFEST, PROCESSOR, SECRET, SETTINGS, seeded, swap};

/// Files with the changes that the spec asks for.
#[derive(Clone)]
pub(crate) struct Edits {
    pub(crate) processor: String,
    pub(crate) client: String,
    pub(crate) settings: String,
    pub(crate) example: String,
    pub(crate) manifest: String,
}

pub(crate) const APPEND: &str = "        self._batch_buffers.append(buf)\n";
pub(crate) const ASK: &str = "        redis = get_redis_client()\n";
pub(crate) const PUBLISH: &str = "        redis.rpush(settings.STREAM_NAME, bytes(buf[:used]))\n";
pub(crate) const LIST: &str = "        self._batch_buffers: list[bytearray] = []\n";
pub(crate) const COUNTERS: &str = "        self._counters = threading.Lock()\n";

impl Default for Edits {
    fn default() -> Self {
        let settings = swap(
            &seeded(SETTINGS),
            &format!("HYDRA_REDIS_API_KEY = \"{SECRET}\""),
            "HYDRA_REDIS_API_KEY = os.environ.get(\"HYDRA_REDIS_API_KEY\", \"\")",
        );
        let debug = "DEBUG = os.environ.get(\"HYDRA_DEBUG\", \"false\").lower() == \"true\"";
        let manifest = swap(&seeded(MANIFEST), "replicas: 3", "replicas: 5");
        Self {
            processor: fixed(&unleaked(&sized("2048"), true)),
            client: pooled("20"),
            settings: swap(&settings, "DEBUG = True", debug),
            example: example(),
            manifest: swap(&manifest, "memory: \"2Gi\"", "memory: \"4Gi\""),
        }
    }
}

pub(crate) fn sized(value: &str) -> String {
    swap(
        &seeded(PROCESSOR),
        "buffer_size: int = 512",
        &format!("buffer_size: int = {value}"),
    )
}

/// Without the list, and with or without an explicit release.
pub(crate) fn unleaked(text: &str, release: bool) -> String {
    let text = swap(&swap(text, APPEND, ""), LIST, "");
    if release {
        swap(&text, PUBLISH, &format!("{PUBLISH}        del buf\n"))
    } else {
        text
    }
}

/// With a client that is made once.
pub(crate) fn fixed(text: &str) -> String {
    let text = swap(text, ASK, "");
    let text = swap(
        &text,
        COUNTERS,
        &format!("        self._redis = get_redis_client()\n{COUNTERS}"),
    );
    swap(&text, "        redis.rpush(", "        self._redis.rpush(")
}

pub(crate) fn pooled(connections: &str) -> String {
    format!(
        "import redis\n\nfrom hydra.config import settings\n\n_POOL = redis.ConnectionPool(\n    host=settings.REDIS_HOST,\n    max_connections={connections},  # the spec\n)\n_CLIENT = redis.StrictRedis(connection_pool=_POOL)\n\n\ndef get_redis_client() -> redis.StrictRedis:\n    return _CLIENT\n"
    )
}

pub(crate) fn example() -> String {
    let names = [
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
    ];
    names.map(|name| format!("HYDRA_{name}\n")).concat()
}
