"""What the benchmarks share: timing, statistics, the table of results."""

import dataclasses
import os
import platform
import statistics
import subprocess
import time


@dataclasses.dataclass
class Figure:
    """One measured figure, beside what it is measured against."""

    what: str
    value: float
    unit: str
    limit: float
    """What the value may be at most; at least, where `higher` is set."""
    higher: bool = False
    against: str = ""
    """What the value is a ratio of, with both sides."""

    @property
    def holds(self) -> bool:
        return self.value >= self.limit if self.higher else self.value <= self.limit

    def row(self) -> str:
        bound = f"{'≥' if self.higher else '≤'} {self.limit:g} {self.unit}"
        verdict = "yes" if self.holds else "NO"
        return f"| {self.what} | {self.value:.3g} {self.unit} | {bound} | {verdict} | {self.against} |"


HEADER = """\
| figure | measured | wanted | holds | from |
| --- | ---: | ---: | --- | --- |"""


def table(figures: list[Figure]) -> str:
    return "\n".join([HEADER, *(figure.row() for figure in figures)])


def machine() -> str:
    """The machine in a line."""
    model = "unknown processor"
    with open("/proc/cpuinfo") as lines:
        for line in lines:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def wall(argv: list[str], env: dict[str, str] | None = None) -> float:
    """Seconds from starting a process to having reaped it."""
    # posix_spawn and waitpid are all there is between the two clock readings.
    actions = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env or os.environ, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        raise RuntimeError(f"{' '.join(argv)} ended with {code}")
    return seconds


def interleaved(commands: dict[str, list[str]], runs: int) -> dict[str, list[float]]:
    """Times each command `runs` times, in turn, so that a slow moment of the
    machine hits all of them. One round before that is not counted."""
    times = {name: [] for name in commands}
    for counted in range(-1, runs):
        for name, argv in commands.items():
            seconds = wall(argv)
            if counted >= 0:
                times[name].append(seconds)
    return times


def median(values: list[float]) -> float:
    return statistics.median(values)


def spread(values: list[float], scale: float = 1.0) -> str:
    """Median with the 10th and 90th percentile."""
    deciles = statistics.quantiles(values, n=10) if len(values) > 1 else [values[0]] * 9
    low, high = deciles[0] * scale, deciles[-1] * scale
    return f"{median(values) * scale:.3g} ({low:.3g} to {high:.3g})"


def output(argv: list[str], **options) -> str:
    """Standard output of a command that has to succeed."""
    done = subprocess.run(argv, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
