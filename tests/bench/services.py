"""The services: requests per second against Express, and memory per world."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import urllib.request

from measure import Figure, median, output, spread

# What agents ask most: the list of messages, one message, the list of tasks.
PATHS = {
    "messages.list": "/gmail/v1/users/me/messages",
    "messages.get": "/gmail/v1/users/me/messages/{message}",
    "tasks.list": "/tasks/v1/lists/@default/tasks",
}
TOKEN = {"Authorization": "Bearer bench"}
CONNECTIONS = 32


def figures(bench) -> list[Figure]:
    return [*throughput(bench), memory(bench), *nightshift(bench)]


def throughput(bench) -> list[Figure]:
    found = []
    seconds, rounds = (1, 1) if bench.quick else (3, 5)
    with proctor(bench) as ours:
        message = json.loads(get(ours + PATHS["messages.list"])[0])["messages"][0]["id"]
        for name, path in PATHS.items():
            url = ours + path.format(message=message)
            body, kind = get(url)
            file = bench.scratch / "body"
            file.write_bytes(body)
            with express(file, kind) as theirs:
                rates = {"ours": [], "theirs": []}
                # In turn, so that a slow moment of the machine hits both.
                for _ in range(rounds):
                    rates["ours"].append(load(url, seconds))
                    rates["theirs"].append(load(theirs, seconds))
            ratio = median(rates["ours"]) / median(rates["theirs"])
            against = (
                f"{len(body)} bytes, {CONNECTIONS} connections: proctor {spread(rates['ours'])} "
                f"requests/s, Express {spread(rates['theirs'])}"
            )
            figure = Figure(f"services, {name}, against Express", ratio, "x", 5, True, against)
            found.append(figure)
    return found


@contextlib.contextmanager
def proctor(bench):
    """`proctor serve` on ports of its own choice: its base URL."""
    argv = [bench.proctor, "serve", "--task", str(bench.task), "--format", "json"]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        described = json.loads(server.stdout.readline())
        yield re.search(r"http://127\.0\.0\.1:\d+", json.dumps(described["plain"])).group()
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def express(body: pathlib.Path, kind: str):
    """Express, answering everything with `body`: its URL."""
    modules = pathlib.Path(".tools/express/node_modules").resolve()
    env = {**os.environ, "NODE_ENV": "production", "NODE_PATH": str(modules)}
    argv = ["node", "tests/bench/express/server.js", str(body), kind]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    server = subprocess.Popen(argv, env=env, text=True, **pipes)
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
    finally:
        server.stdin.close()
        server.wait()


def get(url: str) -> tuple[bytes, str]:
    with urllib.request.urlopen(urllib.request.Request(url, headers=TOKEN)) as answer:
        return answer.read(), answer.headers["Content-Type"]


def load(url: str, seconds: int) -> float:
    """Requests per second that wrk gets answered, all of them with 2xx."""
    header = [f"{name}: {value}" for name, value in TOKEN.items()][0]
    argv = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-H", header, url]
    report = output(argv)
    if "Non-2xx" in report or "Socket errors" in report:
        raise RuntimeError(f"{url} answered with errors:\n{report}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", report).group(1))


def memory(bench) -> Figure:
    """`bench/worlds.rs` of the tests prints a JSON object of two byte counts."""
    last = bench.cargo_bench("proctor-tests", "worlds").splitlines()[-1]
    measured = json.loads(last)
    grown = measured["peak_bytes"] / 1e6
    against = f"process of {grown:.3g} MB at its peak, {measured['before_bytes'] / 1e6:.3g} MB before"
    return Figure(f"{measured['worlds']} seeded worlds", grown, "MB", 300, against=against)


def nightshift(bench) -> list[Figure]:
    """`bench/nightshift.rs` of the tests: times in milliseconds, and two byte counts."""
    measured = json.loads(bench.cargo_bench("proctor-tests", "nightshift").splitlines()[-1])
    beside, alone = measured["beside_ms"], measured["alone_ms"]
    against = f"{spread(beside)} ms beside others, {spread(alone)} ms with nothing to share"
    grown = measured["peak_bytes"] / 1e6
    before = f"{measured['before_bytes'] / 1e6:.3g} MB before"
    return [
        Figure("world of Nightshift, seeded, p50", median(beside), "ms", 30, against=against),
        Figure(f"{measured['worlds']} worlds of Nightshift", grown, "MB", 400, against=before),
    ]
