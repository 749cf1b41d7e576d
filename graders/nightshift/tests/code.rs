//! C1 to C4: earned, half earned, and not earned by what looks like it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{
    APPEND, ASK, CLIENT, COUNTERS, Night, OOM_TITLE, PROCESSOR, PUBLISH, SETTINGS, fixed, pooled,
    seeded, sized, swap, unleaked,
};

#[test]
fn the_buffer_has_one_right_size() {
    for value in ["2048", "2_048", "2 * 1024"] {
        Night::processor(&sized(value)).expect("C1", 1.0, "`2048` at the head of #145");
    }
    for value in [
        "1024",
        "4096",
        "2047",
        "2048.0",
        "int(os.environ.get('B', '2048'))",
    ] {
        Night::processor(&sized(value)).expect("C1", 0.0, "at the head of #145, not `2048`");
    }
    let commented = swap(
        &seeded(PROCESSOR),
        "buffer_size: int = 512",
        "buffer_size: int = 512  # 2048",
    );
    Night::processor(&commented).expect("C1", 0.0, "still `512` at the head of every pull request");
    let elsewhere = format!("{}\nbuffer_size = 2048\n", seeded(PROCESSOR));
    Night::processor(&elsewhere).expect("C1", 0.0, "");
}

#[test]
fn all_pull_requests_count_and_not_the_convenient_one() {
    let mut night = Night::processor(&sized("2048"));
    night.commit("other", OOM_TITLE, &[(PROCESSOR, &sized("1024"))]);
    night.open("other", OOM_TITLE);
    night.expect("C1", 0.0, "`1024` at the head of #146");
    // One that leaves it as it was says nothing about it.
    let mut night = Night::processor(&sized("2048"));
    night.commit(
        "other",
        OOM_TITLE,
        &[(PROCESSOR, &unleaked(&seeded(PROCESSOR), true))],
    );
    night.open("other", OOM_TITLE);
    night.expect("C1", 1.0, "#145");
    night.expect("C2", 2.0, "#146");
}

#[test]
#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn a_leak_is_fixed_in_several_ways() {
    let seed = seeded(PROCESSOR);
    let after = |text: &str, lines: &str| swap(text, PUBLISH, &format!("{PUBLISH}{lines}"));
    let buf = "        buf = bytearray(self.config.buffer_size)\n";
    for (points, reason, text) in [
        (2.0, "`del buf`", unleaked(&seed, true)),
        (
            2.0,
            "`del buf`",
            after(&swap(&seed, APPEND, ""), "        del buf\n"),
        ),
        (
            2.0,
            "remove(buf)",
            after(
                &seed,
                "        self._batch_buffers.remove(buf)\n        del buf\n",
            ),
        ),
        (
            2.0,
            "clear()",
            after(&seed, "        self._batch_buffers.clear()\n"),
        ),
        (
            2.0,
            "pop()",
            after(
                &seed,
                "        try:\n            pass\n        finally:\n            self._batch_buffers.pop()\n",
            ),
        ),
        (
            2.0,
            "release",
            after(&seed, "        self._release(buf)\n")
                + "\n    def _release(self, buf):\n        self._batch_buffers.remove(buf)\n",
        ),
        (
            2.0,
            "no batch makes a buffer",
            swap(
                &swap(&seed, APPEND, ""),
                buf,
                "        buf = self._buffer\n",
            ),
        ),
        (
            1.0,
            "nothing releases it explicitly",
            unleaked(&seed, false),
        ),
        (
            1.0,
            "nothing releases",
            after(
                &seed,
                "        if len(self._batch_buffers) > 99:\n            self._batch_buffers.clear()\n",
            ),
        ),
        (
            1.0,
            "nothing releases",
            swap(
                &seed,
                "list[bytearray] = []",
                "deque[bytearray] = deque(maxlen=9)",
            ),
        ),
        (
            0.0,
            "`self._batch_buffers.append(buf)`",
            after(&seed, "        del buf\n"),
        ),
        (
            0.0,
            "`self._batch_buffers.append(buf)`",
            after(&seed, "        # self._batch_buffers.remove(buf)\n"),
        ),
        (
            0.0,
            "`self._batch_buffers += [buf]`",
            swap(&seed, APPEND, "        self._batch_buffers += [buf]\n"),
        ),
        (
            0.0,
            "buffers.append(buf)",
            swap(
                &seed,
                APPEND,
                "        buffers = self._batch_buffers\n        buffers.append(buf)\n",
            ),
        ),
        (
            0.0,
            "append(buf)",
            swap(&seed, APPEND, "        self._keep(buf)\n")
                + "\n    def _keep(self, buf):\n        self._all_buffers.append(buf)\n",
        ),
        (
            0.0,
            "there is no _process_batch",
            seed.replace("_process_batch", "_work"),
        ),
    ] {
        let night = Night::processor(&text);
        night.expect("C2", points, reason);
    }
}

#[test]
fn the_call_is_gone_or_it_is_not() {
    let seed = seeded(PROCESSOR);
    let attribute = |made: &str| {
        let text = swap(
            &swap(&seed, ASK, ""),
            "        redis.rpush(",
            "        self._redis.rpush(",
        );
        swap(&text, COUNTERS, &format!("{made}{COUNTERS}"))
    };
    let module = swap(
        &swap(&seed, ASK, ""),
        "logger = ",
        "redis = get_redis_client()\nlogger = ",
    );
    let passed = swap(
        &swap(&seed, ASK, ""),
        "batch: Sequence[Event], threshold: float)",
        "batch: Sequence[Event], threshold: float, redis)",
    );
    let lazy = attribute("        self._client = None\n")
        .replace("self._redis.rpush", "self._redis().rpush")
        + "\n    def _redis(self):\n        if self._client is None:\n            self._client = get_redis_client()\n        return self._client\n";
    for text in [fixed(&seed), module, passed, lazy] {
        Night::processor(&text).expect("C3", 1.0, "neither calls");
    }
    let renamed = swap(&seed, ASK, "        client = get_redis_client()\n")
        .replace("redis.rpush", "client.rpush");
    let chained = swap(
        &swap(&seed, ASK, ""),
        "        redis.rpush(",
        "        get_redis_client().rpush(",
    );
    let alias = swap(
        &swap(
            &seed,
            "import get_redis_client",
            "import get_redis_client as connect",
        ),
        ASK,
        "        redis = connect()\n",
    );
    let kept = swap(
        &attribute("        self._connect = get_redis_client\n"),
        "        self._redis.rpush(",
        "        self._connect().rpush(",
    );
    let made = swap(
        &seed,
        ASK,
        "        redis = StrictRedis(host='localhost')\n",
    );
    let hidden = swap(&seed, ASK, "        redis = self._client()\n")
        + "\n    def _client(self):\n        return get_redis_client()\n";
    let guarded = swap(
        &seed,
        ASK,
        "        if self._redis is None:\n            self._redis = get_redis_client()\n        redis = self._redis\n",
    );
    for (text, reason) in [
        (seed.replace("512", "2048"), "`redis = get_redis_client()`"),
        (renamed, "`client = get_redis_client()`"),
        (chained, "get_redis_client().rpush"),
        (alias, "calls connect()"),
        (kept, "calls _connect()"),
        (made, "calls StrictRedis()"),
        (
            hidden,
            "uses _client, which calls get_redis_client() each time",
        ),
        (guarded, "still calls get_redis_client()"),
        (
            swap(&seed, ASK, ""),
            "publishes with `redis`, which is nothing any more",
        ),
        (
            attribute(""),
            "publishes with `self._redis`, which is nothing any more",
        ),
    ] {
        Night::processor(&text).expect("C3", 0.0, reason);
    }
    let documented = swap(
        &fixed(&seed),
        "        results = []\n",
        "        # no get_redis_client() here\n        \"\"\"get_redis_client()\"\"\"\n        results = []\n",
    );
    Night::processor(&documented).expect("C3", 1.0, "");
    Night::offering(CLIENT, &pooled("20")).expect(
        "C3",
        0.0,
        "No pull request that is open or merged changes hydra/pipeline",
    );
}

#[test]
fn a_pool_is_one_and_has_twenty_connections() {
    let head = "import redis\nfrom hydra.config import settings\n";
    let lazy = format!(
        "{head}_client = None\ndef get_redis_client():\n    global _client\n    if _client is None:\n        pool = redis.ConnectionPool(max_connections=20)\n        _client = redis.StrictRedis(connection_pool=pool)\n    return _client\n"
    );
    let cached = format!(
        "{head}@functools.lru_cache(maxsize=None)\ndef _pool():\n    return redis.BlockingConnectionPool(max_connections=20)\ndef get_redis_client():\n    return redis.StrictRedis(connection_pool=_pool())\n"
    );
    let named = pooled("MAX").replace("_POOL = ", "MAX: int = 20\n_POOL = ");
    let kwargs = format!(
        "{head}KW = {{\"max_connections\": 20}}\nPOOL = redis.ConnectionPool(**KW)\ndef get_redis_client():\n    return redis.StrictRedis(connection_pool=POOL)\n"
    );
    let made = format!(
        "{head}def _make():\n    return redis.ConnectionPool(max_connections=20)\nPOOL = _make()\ndef get_redis_client():\n    return redis.Redis(connection_pool=POOL)\n"
    );
    let url = pooled("20").replace(
        "redis.ConnectionPool(\n",
        "redis.ConnectionPool.from_url(\n    URL,\n",
    );
    for text in [pooled("20"), lazy, cached, named, kwargs, made, url] {
        Night::offering(CLIENT, &text).expect(
            "C4",
            2.0,
            "one ConnectionPool for the process; max_connections is `20`",
        );
    }
    let each = format!(
        "{head}def get_redis_client():\n    pool = redis.ConnectionPool(max_connections=20)\n    return redis.StrictRedis(connection_pool=pool)\n"
    );
    let client = format!(
        "{head}_C = redis.StrictRedis(max_connections=20)\ndef get_redis_client():\n    return _C\n"
    );
    let unused = pooled("20").replace("connection_pool=_POOL", "host='x'");
    for (points, text, reason) in [
        (1.0, pooled("10"), "max_connections is `10`"),
        (1.0, pooled("200"), "max_connections is `200`"),
        (
            1.0,
            pooled("20").replace("    max_connections=20,  # the spec\n", ""),
            "max_connections is not set",
        ),
        (
            1.0,
            each,
            "get_redis_client makes a ConnectionPool each time",
        ),
        (1.0, client, "there is no ConnectionPool"),
        (0.0, unused, "does not use the ConnectionPool"),
        (
            0.0,
            format!("{}# ConnectionPool(max_connections=20)\n", seeded(CLIENT)),
            "there is no ConnectionPool",
        ),
    ] {
        Night::offering(CLIENT, &text).expect("C4", points, reason);
    }
    let mut settings = Night::new();
    let file = format!("{}\nREDIS_POOL = 20\n", seeded(SETTINGS));
    settings.commit(
        "w",
        OOM_TITLE,
        &[(CLIENT, &pooled("settings.REDIS_POOL")), (SETTINGS, &file)],
    );
    settings.open("w", OOM_TITLE);
    settings.expect("C4", 2.0, "");
}
