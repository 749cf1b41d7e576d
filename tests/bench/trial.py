"""Trials: from starting a sandbox to a command in it, and a whole `nop` trial."""

import json

from measure import Figure, median, spread


def figures(bench) -> list[Figure]:
    return [sandbox(bench), nop(bench)]


def sandbox(bench) -> Figure:
    """`bench/sandbox.rs` of the tests prints one JSON list of milliseconds."""
    times = json.loads(bench.cargo_bench("proctor-tests", "sandbox").splitlines()[-1])
    return Figure("sandbox, start to exec, p50", median(times), "ms", 12, against=spread(times) + " ms")


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
