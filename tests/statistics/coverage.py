"""How often intervals of a mean over tasks cover it: the table in docs/statistics.md.

    .tools/venv/bin/python tests/statistics/coverage.py

Worlds whose true mean is known are drawn over and over; each time the intervals of all
methods are made, and those that cover the truth are counted. Some minutes.
"""

import numpy as np
from scipy import stats

WORLDS = 2000
RESAMPLES = 1000
LEVEL = 0.95
MEAN = 0.6

RNG = np.random.default_rng(1)


def difficulties(spread, tasks):
    """The mean of each task: beta around MEAN, or MEAN for a spread of None or one task."""
    if spread is None or tasks == 1:
        return np.full((tasks, 1), MEAN)
    return RNG.beta(spread * MEAN, spread * (1 - MEAN), size=(tasks, 1))


def scores(tasks, attempts):
    """Scores that differ between tasks and between attempts."""
    mean = difficulties(3.0, tasks)
    return RNG.beta(4 * mean, 4 * (1 - mean), size=(tasks, attempts))


def passes(tasks, attempts):
    """Passes and failures; many tasks are nearly always passed, or nearly never."""
    return (RNG.random((tasks, attempts)) < difficulties(1.5, tasks)).astype(float)


def equal_tasks(tasks, attempts):
    """Scores that differ between attempts only."""
    mean = difficulties(None, tasks)
    return RNG.beta(4 * mean, 4 * (1 - mean), size=(tasks, attempts))


def resampled(world, within):
    """Means of resamples: of tasks, or of tasks and then attempts within."""
    tasks, attempts = world.shape
    if tasks == 1:
        return world[0][RNG.integers(attempts, size=(RESAMPLES, attempts))].mean(axis=1)
    drawn = RNG.integers(tasks, size=(RESAMPLES, tasks))
    if not within:
        return world.mean(axis=1)[drawn].mean(axis=1)
    inner = RNG.integers(attempts, size=(RESAMPLES, tasks, attempts))
    return world[drawn[:, :, None], inner].mean(axis=(1, 2))


def tail(expanded, count):
    half = (1 - LEVEL) / 2
    if not expanded:
        return half
    return stats.norm.cdf(stats.t.ppf(half, count - 1) * np.sqrt(count / (count - 1)))


def coverage(draw, tasks, attempts):
    """The share of worlds covered, for each way to resample and each method."""
    count = tasks if tasks > 1 else attempts
    covered = {(within, expanded): 0 for within in (False, True) for expanded in (False, True)}
    for _ in range(WORLDS):
        world = draw(tasks, attempts)
        for within in (False, True):
            means = resampled(world, within)
            for expanded in (False, True):
                outside = tail(expanded, count)
                low, high = np.quantile(means, [outside, 1 - outside])
                covered[within, expanded] += low <= MEAN <= high
    return [times / WORLDS for times in covered.values()]


def main():
    print("| tasks x attempts | world | tasks, percentile | tasks, expanded "
          "| both, percentile | both, expanded |")
    print("| --- | --- | --- | --- | --- | --- |")
    for tasks, attempts in [(1, 5), (1, 10), (3, 5), (5, 5), (10, 5), (30, 5)]:
        for draw in (scores, passes, equal_tasks):
            if tasks == 1 and draw is equal_tasks:
                continue  # The same as scores.
            shares = " | ".join(f"{share:.1%}" for share in coverage(draw, tasks, attempts))
            name = draw.__name__.replace("_", " ")
            print(f"| {tasks} x {attempts} | {name} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
