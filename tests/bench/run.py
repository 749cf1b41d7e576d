"""Runs the benchmarks and prints their figures as one Markdown table."""

import argparse
import json
import pathlib
import sys
import tempfile

import grade
import services
import trial
from measure import machine, output, table

TASK = pathlib.Path("tasks/gws-task-management")
PARTS = {"grade": grade.figures, "trial": trial.figures, "services": services.figures}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"what to measure: {', '.join(PARTS)}; all by default")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="directory of the binaries")
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it works")
    arguments = parser.parse_args()
    if unknown := [part for part in arguments.parts if part not in PARTS]:
        parser.error(f"there is no {unknown[0]}: choose from {', '.join(PARTS)}")

    print(f"{machine()}\n", flush=True)
    figures = []
    with tempfile.TemporaryDirectory(prefix="proctor-bench-") as scratch:
        bench = Bench(arguments.bin.resolve(), pathlib.Path(scratch), arguments.quick)
        for name in arguments.parts or PARTS:
            print(f"measuring: {name}", file=sys.stderr, flush=True)
            figures += PARTS[name](bench)
    print(table(figures))
    missed = [figure.what for figure in figures if not figure.holds]
    if missed:
        print(f"\nnot reached: {'; '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


class Bench:
    """What a benchmark needs to know."""

    def __init__(self, binaries: pathlib.Path, scratch: pathlib.Path, quick: bool):
        self.task = TASK
        self.binaries = binaries
        self.proctor = str(binaries / "proctor")
        self.scratch = scratch
        self.quick = quick
        self.release = binaries.name == "release"

    def job(self, agent: str, attempts: int = 1) -> tuple[pathlib.Path, dict]:
        """Runs a job over the task: its directory and its summary."""
        out = self.scratch / f"job-{agent}-{attempts}"
        argv = [self.proctor, "run", str(self.task), "--agent", agent, "--out", str(out)]
        summary = json.loads(output([*argv, "--attempts", str(attempts), "--format", "json"]))
        return out, summary

    def cargo_bench(self, package: str, bench: str, *arguments: str) -> str:
        """Runs a benchmark of a crate, in the profile of the binaries."""
        profile = [] if self.release else ["--profile", "dev"]
        return output(["cargo", "bench", "--quiet", "-p", package, "--bench", bench, *profile, *arguments])


if __name__ == "__main__":
    sys.exit(main())
