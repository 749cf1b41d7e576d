"""Grading: the whole process against Python, and a grade in a warm process."""

import json
import os
import pathlib
import re
import sys

from measure import Figure, interleaved, median, output, spread, wall

# What a runner in Python does to grade: read the transcript, call the task's
# function, keep the answer.
PYTHON_GRADER = """\
import json, pathlib, sys

{grade}

bundle = pathlib.Path(sys.argv[1])
lines = (bundle / "transcript.jsonl").read_text().splitlines()
scores = grade([json.loads(line) for line in lines], str(bundle / "workspace"))
json.dump(scores, sys.stdout)
"""


# The same in a process that has started: the time of one grade in seconds.
IN_PROCESS = """\
import json, pathlib, statistics, sys, time

source = pathlib.Path(sys.argv[1]).read_text()
bundle = pathlib.Path(sys.argv[2])
times = []
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    lines = (bundle / "transcript.jsonl").read_text().splitlines()
    names = {}
    exec(source, names)
    names["grade"]([json.loads(line) for line in lines], str(bundle / "workspace"))
    times.append(time.perf_counter() - start)
print(statistics.median(times))
"""


def figures(bench) -> list[Figure]:
    milliseconds = estimate(bench, "grade")
    return [
        process(bench),
        warm(milliseconds),
        growth(bench),
        *python_component(bench, milliseconds),
        first_use(bench),
    ]


def process(bench) -> Figure:
    out, summary = bench.job("oracle")
    trial = out / summary["trials"][0]["dir"]
    script = bench.scratch / "grade.py"
    script.write_text(PYTHON_GRADER.format(grade=seed_grader(bench.task)))
    commands = {
        "proctor": [bench.proctor, "grade", str(trial)],
        "python": [python(), str(script), str(trial / "evidence")],
    }
    times = interleaved(commands, runs=10 if bench.quick else 100)
    ratio = median(times["proctor"]) / median(times["python"])
    against = (
        f"`proctor grade` {spread(times['proctor'], 1e3)} ms, "
        f"`python3` {spread(times['python'], 1e3)} ms"
    )
    return Figure("grade, whole process, against Python", ratio, "x", 1 / 3, against=against)


def seed_grader(task: pathlib.Path) -> str:
    """The Python of the task's section "Automated Checks"."""
    text = (task / "task.md").read_text()
    section = text.split("\n## Automated Checks\n", 1)[1]
    return re.search(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE).group(1)


def python() -> str:
    """A real interpreter, not a shell script that looks for one."""
    debian = pathlib.Path("/usr/bin/python3")
    return str(debian) if debian.exists() else sys.executable


def estimate(bench, name: str) -> dict[str, float]:
    """The median of the grading crate's benchmark `NAME/warm` in milliseconds,
    with its interval of confidence."""
    estimates = pathlib.Path(f"target/criterion/{name}/warm/new/estimates.json")
    # What an earlier run has left must not pass for this one's.
    estimates.unlink(missing_ok=True)
    bench.cargo_bench("proctor-grading", name)
    found = json.loads(estimates.read_text())["median"]
    interval = found["confidence_interval"]
    named = {
        "p50": found["point_estimate"],
        "low": interval["lower_bound"],
        "high": interval["upper_bound"],
    }
    return {name: nanoseconds / 1e6 for name, nanoseconds in named.items()}


def warm(grade: dict[str, float]) -> Figure:
    against = f"95 % interval {grade['low']:.3g} to {grade['high']:.3g} ms"
    return Figure("grade, warm process, p50", grade["p50"], "ms", 0.6, against=against)


def growth(bench) -> Figure:
    """What a process holds after 10,000 grades beyond what it held after 500."""
    arguments = ["--", "1000"] if bench.quick else []
    said = json.loads(bench.cargo_bench("proctor-grading", "growth", *arguments))
    grew = (said["end_kib"] - said["warm_kib"]) / 1024
    against = (
        f"{said['warm_kib'] / 1024:.3g} MB after {said['warm']}, "
        f"{said['end_kib'] / 1024:.3g} MB after {said['grades']} grades on two threads"
    )
    return Figure("10,000 grades in one process, growth", grew, "MB", 1.0, against=against)


def python_component(bench, grade: dict[str, float]) -> list[Figure]:
    """The seed's `grade()` in the Python component and our grader of the same task,
    against a real Python on the same evidence."""
    component = estimate(bench, "python")["p50"]
    evidence = pathlib.Path("target/bench-evidence")
    source = bench.scratch / "seed.py"
    source.write_text(seed_grader(bench.task))
    loop, script = bench.scratch / "loop.py", bench.scratch / "grade.py"
    loop.write_text(IN_PROCESS)
    script.write_text(PYTHON_GRADER.format(grade=seed_grader(bench.task)))
    runs = 20 if bench.quick else 300
    inside = float(output([python(), str(loop), str(source), str(evidence), str(runs)])) * 1e3
    command = {"python": [python(), str(script), str(evidence)]}
    outside = median(interleaved(command, runs=10 if bench.quick else 100)["python"]) * 1e3
    mine = f"component {component:.3g} ms"
    return [
        Figure(
            "grade, warm, against CPython in its process", grade["p50"] / inside, "x", 0.5,
            against=f"{grade['p50']:.3g} ms, CPython {inside:.3g} ms",
        ),
        Figure(
            "grade in Python, warm, against a `python3` process", component / outside, "x", 1 / 3,
            against=f"{mine}, `python3` {outside:.3g} ms",
        ),
        Figure(
            "grade in Python, warm, against CPython in its process", component / inside, "x", 12,
            against=f"{mine}, CPython {inside:.3g} ms",
        ),
    ]


def first_use(bench) -> Figure:
    """A whole `proctor grade` with the Python component while no cache has it
    compiled, and the same once one has."""
    out, summary = bench.job("nop")
    trial = out / summary["trials"][0]["dir"]
    argv = [bench.proctor, "grade", str(trial), "--grader", "python"]
    first, second = [], []
    for run in range(1 if bench.quick else 5):
        cache = bench.scratch / f"cache-{run}"
        env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        first.append(wall(argv, env))
        if not any(path.is_file() for path in cache.rglob("*")):
            raise RuntimeError(f"nothing was compiled into {cache}")
        second.append(wall(argv, env))
    return Figure(
        "grade in Python, first use, compiled", median(first), "s", 15,
        against=f"{spread(first)} s; from the cache {spread(second)} s",
    )
