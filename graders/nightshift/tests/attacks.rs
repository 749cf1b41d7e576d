//! Code that has the words of the fixes and does not work, or undoes them
//! somewhere else.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{
    APPEND, CLIENT, COUNTERS, EXAMPLE, Edits, MANIFEST, Night, PROCESSOR, PUBLISH, SECRET,
    SETTINGS, example, fixed, pooled, seeded, sized, swap, unleaked,
};

fn after_publishing(text: &str, lines: &str) -> String {
    swap(text, PUBLISH, &format!("{PUBLISH}{lines}"))
}

#[test]
fn another_size_is_in_use() {
    let right = sized("2048");
    let buffer = "bytearray(self.config.buffer_size)";
    let config = "config or BatchConfig()";
    for (text, found) in [
        (
            swap(&right, buffer, "bytearray(512)"),
            "`buf = bytearray(512)`",
        ),
        (
            swap(&right, buffer, "bytearray(self.config.buffer_size // 4)"),
            "`buf = bytearray(self.config.buffer_size // 4)`",
        ),
        (
            swap(&right, config, "config or BatchConfig(buffer_size=512)"),
            "`self.config = config or BatchConfig(buffer_size=512)`",
        ),
        (
            swap(
                &right,
                COUNTERS,
                &format!("        self.config.buffer_size = SMALL\n{COUNTERS}"),
            ) + "SMALL = 512\n",
            "`self.config.buffer_size = SMALL`",
        ),
    ] {
        Night::processor(&text).expect("C1", 0.0, &format!("buffer_size is {found}"));
    }
    let named = swap(
        &sized("DEFAULT_SIZE"),
        "@dataclass\nclass BatchConfig",
        "DEFAULT_SIZE: int = 2048\n\n\n@dataclass\nclass BatchConfig",
    );
    for text in [
        named,
        sized("field(default=2048)"),
        sized("1 << 11"),
        sized("2**11"),
        swap(&right, buffer, "bytearray(2048)"),
    ] {
        Night::processor(&text).expect("C1", 1.0, "");
    }
}

#[test]
fn a_buffer_is_kept_by_another_way() {
    let seed = seeded(PROCESSOR);
    let kept = |lines: &str| swap(&seed, APPEND, lines);
    for text in [
        kept("        keep = self._batch_buffers.append\n        keep(buf)\n"),
        after_publishing(
            &swap(&seed, APPEND, ""),
            "        payload = bytes(buf[:used])\n        self._history.append(payload)\n        del buf\n",
        ),
        kept("        self._batch_buffers = [*self._batch_buffers, buf]\n"),
        kept("        self._kept.setdefault(len(batch), []).append(buf)\n"),
        kept("        self._kept[id(buf)] = buf\n"),
        kept("        list.append(self._kept, buf)\n"),
        kept("        heapq.heappush(self._kept, (1, buf))\n"),
        kept("        StreamProcessor._kept.append(buf)\n"),
        kept("        setattr(self, f\"b{id(buf)}\", buf)\n"),
        swap(
            &kept("        self._keep(buf)\n"),
            COUNTERS,
            &format!("        self._keep = self._batch_buffers.append\n{COUNTERS}"),
        ),
        swap(
            &seed,
            "list[bytearray] = []",
            "deque[bytearray] = deque(maxlen=None)",
        ),
    ] {
        Night::processor(&text).expect("C2", 0.0, "every batch still leaves its buffer");
    }
}

#[test]
fn what_never_runs_releases_nothing() {
    let seed = seeded(PROCESSOR);
    let clear = "self._batch_buffers.clear()";
    for lines in [
        format!("        if False:\n            {clear}\n"),
        format!("        while False:\n            {clear}\n"),
        format!("        if False: {clear}\n"),
        format!("        for _ in ():\n            {clear}\n"),
        format!(
            "        try:\n            pass\n        except ValueError:\n            {clear}\n"
        ),
        format!("        def later():\n            {clear}\n"),
        format!("        later = lambda: {clear}\n"),
        format!("        {clear} if False else None\n"),
        format!("        if used:\n            return results\n        {clear}\n"),
        "        self._batch_buffers: list[bytearray] = 0 and []\n".to_owned(),
    ] {
        let text = after_publishing(&seed, &lines);
        Night::processor(&text).expect("C2", 0.0, "`self._batch_buffers.append(buf)`");
    }
    let late = swap(
        &seed,
        "        return results\n\n    def _process",
        "        return results\n\n    def _process",
    );
    let late = late.trim_end().to_owned() + &format!("\n        {clear}\n");
    Night::processor(&late).expect("C2", 0.0, "");
    let before = swap(&seed, APPEND, &format!("        {clear}\n{APPEND}"));
    Night::processor(&before).expect("C2", 0.0, "");
    let unused = unleaked(&seed, false).trim_end().to_owned() + "\n        del buf\n";
    Night::processor(&unused).expect("C2", 1.0, "nothing releases");
}

#[test]
fn a_list_may_be_emptied_elsewhere() {
    let seed = seeded(PROCESSOR);
    let filter =
        "        self._batch_buffers = [one for one in self._batch_buffers if one is not buf]\n";
    Night::processor(&after_publishing(&seed, filter)).expect("C2", 2.0, "is not buf");
    let call = "            results.extend(self._process_batch(batch, limit))\n";
    let in_loop = swap(
        &seed,
        call,
        &format!("{call}            self._batch_buffers.clear()\n"),
    );
    Night::processor(&in_loop).expect("C2", 2.0, "clear()");
    let finally = swap(
        &seed,
        call,
        &format!(
            "            try:\n    {call}            finally:\n                self._batch_buffers.clear()\n"
        ),
    );
    Night::processor(&finally).expect("C2", 2.0, "clear()");
    let guarded = swap(
        &seed,
        APPEND,
        &format!(
            "{APPEND}        try:\n            if not batch:\n                return []\n        finally:\n            self._batch_buffers.pop()\n"
        ),
    );
    Night::processor(&guarded).expect("C2", 2.0, "pop()");
}

#[test]
fn a_client_is_asked_for_by_another_way() {
    let good = fixed(&seeded(PROCESSOR));
    let made = "        self._redis = get_redis_client()\n";
    let publish = "        self._redis.rpush(";
    let call = "            results.extend(self._process_batch(batch, limit))\n";
    let moved = swap(&swap(&good, made, ""), call, &format!("    {made}{call}"));
    let passed = swap(
        &swap(
            &swap(&good, made, ""),
            call,
            "            redis = get_redis_client()\n            results.extend(self._process_batch(batch, limit, redis))\n",
        ),
        publish,
        "        redis.rpush(",
    );
    let passed = swap(
        &passed,
        "batch: Sequence[Event], threshold: float)",
        "batch: Sequence[Event], threshold: float, redis)",
    );
    let with = |init: &str, receiver: &str| {
        swap(
            &swap(&good, made, init),
            publish,
            &format!("        {receiver}.rpush("),
        )
    };
    let factory = swap(
        &with("        self._factory = factory\n", "self._factory()"),
        "config: BatchConfig | None = None)",
        "config: BatchConfig | None = None, factory=get_redis_client)",
    );
    let local = swap(
        &factory,
        "        self._factory().rpush(",
        "        client = self._factory()\n        client.rpush(",
    );
    let listed = with("        self._get = [get_redis_client]\n", "self._get[0]()");
    let by_name = with("", "getattr(redis_client, \"get_redis\" + \"_client\")()");
    let property = swap(
        &swap(&factory, "self._factory().rpush", "self._client.rpush"),
        "    def process(",
        "    @property\n    def _client(self):\n        return self._factory()\n\n    def process(",
    );
    for text in [moved, passed, factory, local, listed, by_name, property] {
        let night = Night::processor(&text);
        let found = night.criterion("C3");
        assert_eq!(found.points, Some(0.0), "{}\n{text}", found.reason);
    }
    let fresh = swap(&good, publish, "        fresh_client().rpush(");
    let fresh = swap(
        &fresh,
        "import get_redis_client",
        "import fresh_client, get_redis_client",
    );
    let mut night = Night::new();
    let client = pooled("20")
        + "\n\ndef fresh_client():\n    return redis.StrictRedis(connection_pool=_POOL)\n";
    night.commit(
        "oom",
        common::OOM_TITLE,
        &[(PROCESSOR, &fresh), (CLIENT, &client)],
    );
    night.open("oom", common::OOM_TITLE);
    night.expect("C3", 0.0, "still calls fresh_client()");
    // A pipeline of the one client is no other client.
    let pipeline = swap(
        &good,
        publish,
        "        pipe = self._redis.pipeline()\n        pipe.rpush(",
    );
    Night::processor(&pipeline).expect("C3", 1.0, "");
    let scoped = swap(
        &good,
        publish,
        "        with self._redis.pipeline() as pipe:\n            pipe.rpush(",
    );
    Night::processor(&scoped).expect("C3", 1.0, "");
}

#[test]
fn a_guard_tests_what_is_remembered() {
    let good = fixed(&seeded(PROCESSOR));
    let lazy = |body: &str| {
        swap(
            &good,
            "        self._redis.rpush(",
            "        self._client().rpush(",
        )
        .trim_end()
        .to_owned()
            + &format!("\n\n    def _client(self):\n{body}")
    };
    for body in [
        "        if self._redis is None:\n            self._redis = get_redis_client()\n        return self._redis\n",
        "        if self._redis is not None:\n            return self._redis\n        self._redis = get_redis_client()\n        return self._redis\n",
        "        if not hasattr(self, \"_one\"):\n            self._one = get_redis_client()\n        return self._one\n",
        "        self._redis = self._redis or get_redis_client()\n        return self._redis\n",
    ] {
        Night::processor(&lazy(body)).expect("C3", 1.0, "");
    }
    for body in [
        "        if self.other is None:\n            return get_redis_client()\n",
        "        client = None\n        if client is None:\n            client = get_redis_client()\n        return client\n",
        "        if self._redis is None or True:\n            self._redis = get_redis_client()\n        return self._redis\n",
        "        if not self.other:\n            self._redis = get_redis_client()\n        return self._redis\n",
        "        if self._redis is not None:\n            pass\n        self._redis = get_redis_client()\n        return self._redis\n",
    ] {
        Night::processor(&lazy(body)).expect("C3", 0.0, "each time");
    }
    let head = "import redis\n_client = None\ndef get_redis_client():\n";
    let made = "redis.StrictRedis(connection_pool=redis.ConnectionPool(max_connections=20))";
    for body in [
        format!("    if _client is None:\n        return {made}\n"),
        format!(
            "    _client = None\n    if _client is None:\n        _client = {made}\n    return _client\n"
        ),
    ] {
        Night::offering(CLIENT, &format!("{head}{body}")).expect("C4", 1.0, "each time");
    }
}

#[test]
fn a_pool_is_the_only_one_and_in_use() {
    let good = pooled("20");
    let client = "_CLIENT = redis.StrictRedis(connection_pool=_POOL)\n";
    let parameter = swap(
        &swap(&good, client, ""),
        "get_redis_client()",
        "get_redis_client(connection_pool=None)",
    )
    .replace(
        "return _CLIENT",
        "return redis.StrictRedis(host=settings.REDIS_HOST)",
    );
    let beside = good.replace(
        "    return _CLIENT",
        "    return redis.StrictRedis(host=settings.REDIS_HOST)",
    );
    let nothing = good.replace("connection_pool=_POOL", "connection_pool=None");
    for text in [parameter, beside, nothing] {
        Night::offering(CLIENT, &text).expect("C4", 0.0, "does not use the ConnectionPool");
    }
    let second = good.replace("    return _CLIENT", "    pool = redis.ConnectionPool(max_connections=2000)\n    return redis.StrictRedis(connection_pool=pool)");
    Night::offering(CLIENT, &second).expect(
        "C4",
        0.0,
        "makes a ConnectionPool each time; max_connections is `2000`",
    );
    let head = "from hydra.config import settings\n";
    let renamed = format!(
        "from redis import ConnectionPool as RedisPool, StrictRedis as Client\n{head}P = RedisPool(max_connections=20)\nC = Client(connection_pool=P)\ndef get_redis_client():\n    return C\n"
    );
    let options = format!(
        "import redis\n{head}_OPTIONS = dict(host=settings.REDIS_HOST, max_connections=20)\nP = redis.ConnectionPool(**_OPTIONS)\ndef get_redis_client():\n    return redis.Redis(connection_pool=P)\n"
    );
    for text in [renamed, options] {
        Night::offering(CLIENT, &text).expect("C4", 2.0, "");
    }
}

fn security(settings: &str, env: &str) -> Night {
    let mut night = Night::new();
    night.commit(
        "security",
        common::SECURITY_TITLE,
        &[(SETTINGS, settings), (EXAMPLE, env)],
    );
    night.open("security", common::SECURITY_TITLE);
    night
}

#[test]
fn the_key_is_hidden_or_another_one() {
    let edits = Edits::default();
    let (one, two) = SECRET.split_at(30);
    let hex: Vec<String> = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let hex = hex.concat();
    let reversed: String = SECRET.chars().rev().collect();
    for hidden in [
        format!("\"{one}\" \"{two}\""),
        format!("\"{one}\" + \\\n    \"{two}\""),
        format!("bytes.fromhex(\"{hex}\").decode()"),
        format!("\"{reversed}\"[::-1]"),
        // In Base64, behind none, one and two other characters.
        "base64.b64decode(\"c2staHlkcmEtcHJvZC03ZjNhOWMyYjRlOGQxZjYwYTVjN2IzZTkyZDE0ZjhhNg==\")"
            .to_owned(),
        "base64.b64decode(\"eHNrLWh5ZHJhLXByb2QtN2YzYTljMmI0ZThkMWY2MGE1YzdiM2U5MmQxNGY4YTY=\")"
            .to_owned(),
        "base64.b64decode(\"eHhzay1oeWRyYS1wcm9kLTdmM2E5YzJiNGU4ZDFmNjBhNWM3YjNlOTJkMTRmOGE2\")"
            .to_owned(),
    ] {
        let text = edits
            .settings
            .replace("_KEY\", \"\")", &format!("_KEY\", {hidden})"));
        security(&text, &edits.example).expect("C5", 1.0, "stands in hydra/config/settings.py");
    }
    let another = edits
        .settings
        .replace("_KEY\", \"\")", "_KEY\", \"hunter2\")");
    security(&another, &edits.example).expect("C5", 1.0, "not only what the environment has");
    let later = format!(
        "{}HYDRA_REDIS_API_KEY = HYDRA_REDIS_API_KEY or \"x\"\n",
        edits.settings
    );
    security(&later, &edits.example).expect("C5", 1.0, "not only what the environment has");
}

#[test]
fn real_values_in_brackets_are_real() {
    let settings = Edits::default().settings;
    for (name, value) in [
        ("api-port", "8080"),
        ("redis-host", "127.0.0.1"),
        ("redis-host", "localhost"),
        ("log-level", "INFO"),
        ("true-or-false", "false"),
    ] {
        let env = example().replace(&format!("<{name}>"), &format!("<{value}>"));
        security(&settings, &env).expect("C5", 1.0, &format!("the value `<{value}>`"));
    }
    let env = example()
        .replace("<redis-host>", "<your-redis-host>")
        .replace("<environment>", "<env>");
    security(&settings, &env).expect("C5", 2.0, "");
}

#[test]
fn a_name_is_bound_by_another_statement() {
    let good = Edits::default().settings;
    for line in [
        "DEBUG |= True",
        "DEBUG, _ = True, None",
        "globals()[\"DEBUG\"] = True",
        "if ENV:\n    DEBUG = True",
        "for DEBUG in (True,):\n    pass",
        "from hydra.config.local import *",
        "LOG = DEBUG = True",
        "(DEBUG := True)",
        "exec('DEBUG = True')",
    ] {
        security(&format!("{good}{line}\n"), &example()).expect("C6", 0.0, "at the head of #145");
    }
    let reads = format!(
        "{good}LOG_LEVEL = \"DEBUG\" if DEBUG else LOG_LEVEL\nTRACES = {{\"debug\": DEBUG == True}}\n"
    );
    security(&reads, &example()).expect("C6", 1.0, "");
    for line in [
        "FEATURE_FLAG_RECS_V2, _ = True, None",
        "FEATURE_FLAG_RECS_V2 |= True",
        "globals()['FEATURE_FLAG_RECS_V2'] = True",
    ] {
        security(&format!("{good}{line}\n"), &example()).expect("C7", 0.0, "was touched");
    }
    let mut outside = security(&good, &example());
    let app = "from hydra.config import settings\nfrom hydra.config.settings import FEATURE_FLAG_RECS_V2\nprint(settings.FEATURE_FLAG_RECS_V2)\n";
    outside.commit("security", common::SECURITY_TITLE, &[("hydra/app.py", app)]);
    outside.expect("C7", 1.0, "");
    outside.commit(
        "security",
        common::SECURITY_TITLE,
        &[(
            "hydra/app.py",
            "setattr(settings, 'FEATURE_FLAG_RECS_V2', True)\n",
        )],
    );
    outside.expect("C7", 0.0, "was touched");
}

#[test]
fn a_comment_is_no_work() {
    let mut night = Night::new();
    let noted = |path: &str| seeded(path) + "# looked at\n";
    night.commit(
        "oom",
        common::OOM_TITLE,
        &[
            (PROCESSOR, &noted(PROCESSOR)),
            (CLIENT, &noted(CLIENT)),
            (MANIFEST, &noted(MANIFEST)),
        ],
    );
    night.open("oom", common::OOM_TITLE);
    night.commit(
        "security",
        common::SECURITY_TITLE,
        &[(SETTINGS, &noted(SETTINGS)), (EXAMPLE, "# later\n")],
    );
    night.open("security", common::SECURITY_TITLE);
    night.documents();
    night.mails();
    // The root cause, the reference and the deferral rest on no code.
    night.expect_all([&[0; 7], &[0; 3], &[2, 0, 0, 0, 1], &[0, 0, 0, 1, 1]]);
}

#[test]
fn two_pull_requests_are_two() {
    let edits = Edits::default();
    let mut night = Night::new();
    night.commit(
        "all",
        common::OOM_TITLE,
        &[(PROCESSOR, &edits.processor), (SETTINGS, &edits.settings)],
    );
    night.open("all", common::OOM_TITLE);
    night.commit(
        "hollow",
        common::SECURITY_TITLE,
        &[(SETTINGS, &(seeded(SETTINGS) + "# later\n"))],
    );
    night.open("hollow", common::SECURITY_TITLE);
    night.expect("C10", 0.0, "none with work on the security findings");
    let mut night = Night::good();
    night.expect("C10", 1.0, "");
    let manifest = seeded(MANIFEST).replace("replicas: 3", "replicas: 5");
    night.commit("k8s", "chore: replicas (#138)", &[(MANIFEST, &manifest)]);
    night.open("k8s", "chore: replicas (#138)");
    night.expect(
        "C10",
        0.0,
        "Two pull requests were asked for, and 3 have work",
    );
}
