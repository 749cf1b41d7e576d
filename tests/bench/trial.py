"""Trials: from starting a sandbox to a command in it, and a whole `nop` trial."""

import re

from measure import Figure, median


def figures(bench) -> list[Figure]:
    return [sandbox(bench), nop(bench)]


def sandbox(bench) -> Figure:
    """The sandbox crate's benchmark `start` prints the quantiles of each step."""
    report = bench.cargo_bench("proctor-sandbox", "start")
    p50, p95 = re.search(r"first exec: p50 (\S+), p95 (\S+)", report).groups()
    against = f"p95 {milliseconds(p95):.3g} ms"
    return Figure("sandbox, start to exec, p50", milliseconds(p50), "ms", 12, against=against)


def milliseconds(text: str) -> float:
    """A duration as Rust prints it."""
    number, unit = re.fullmatch(r"([\d.]+)(s|ms|µs|ns)", text).groups()
    return float(number) * {"s": 1e3, "ms": 1, "µs": 1e-3, "ns": 1e-6}[unit]


def nop(bench) -> Figure:
    attempts = 10 if bench.quick else 60
    _, summary = bench.job("nop", attempts)
    times = [trial["seconds"]["total"] * 1e3 for trial in summary["trials"]]
    stages = {}
    for trial in summary["trials"]:
        for stage, seconds in trial["seconds"].items():
            stages.setdefault(stage, []).append(seconds)
    parts = ", ".join(f"{stage} {median(all_) * 1e3:.3g}" for stage, all_ in stages.items())
    return Figure("`nop` trial, whole, p50", median(times), "ms", 60, against=f"p50 by stage: {parts} ms")
