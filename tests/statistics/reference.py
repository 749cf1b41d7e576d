"""The statistics of proctor-stats by other means: NumPy, SciPy and statsmodels.

Reads a JSON list of requests, `{"what": NAME, ...}`, and prints a JSON list with a list
of numbers for each. Values are pairs [low, high]. What a request is asked for is in the
function of its name. The numbers are compared by runner/stats/tests/statistics.
"""

import json
import math
import sys
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

# statsmodels is imported where it is used: it takes seconds, and most requests do
# without it.


def ends(values):
    """The low ends and the high ends, as two arrays."""
    array = np.array(values, dtype=float).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def describe(values):
    """Figures of values that are known."""
    low, _ = ends(values)
    figures = [low.sum(), np.mean(low), np.var(low, ddof=1), np.std(low, ddof=1), stats.sem(low)]
    return figures + list(np.quantile(low, [0, 0.25, 0.5, 0.75, 1]))


def quantile(values, q):
    """Both ends of a quantile."""
    return [np.quantile(end, q, method="linear") for end in ends(values)]


def variance_bounds(values):
    """The least variance, by bounded least squares, and what none exceeds, by the dual."""
    low, high = ends(values)
    count = len(low)
    centering = np.eye(count) - np.full((count, count), 1 / count)
    is_open = low < high
    known = np.where(is_open, 0, low)
    solved = optimize.lsq_linear(
        centering[:, is_open],
        -centering @ known,
        bounds=(low[is_open], high[is_open]),
        method="bvls",
        tol=1e-15,
    )

    def farthest(center):
        return np.sum(np.maximum(np.abs(low - center), np.abs(high - center)) ** 2)

    dual = optimize.minimize_scalar(
        farthest, bounds=(low.min(), high.max()), method="bounded", options={"xatol": 1e-13}
    )
    return [2 * solved.cost / (count - 1), dual.fun / (count - 1)]


def wilson(low, high, count, level):
    """The ends of Wilson's interval, with the fewest and with the most passes."""
    from statsmodels.stats.proportion import proportion_confint

    least = proportion_confint(low, count, alpha=1 - level, method="wilson")
    most = proportion_confint(high, count, alpha=1 - level, method="wilson")
    return [least[0], most[1]]


def pass_curves(tasks):
    """pass@k, then pass^k, for every k; whole numbers until the last division."""
    largest = max(count for _, count in tasks)
    figures = []
    for chosen in (
        lambda c, n, k: 1 - Fraction(math.comb(n - c, k), math.comb(n, k)),
        lambda c, n, k: Fraction(math.comb(c, k), math.comb(n, k)),
    ):
        for k in range(1, largest + 1):
            with_enough = [chosen(c, n, k) for c, n in tasks if n >= k]
            figures.append(float(sum(with_enough) / len(with_enough)))
    return figures


def mcnemar(table):
    """The exact p-value, and the difference of the pass rates (second less first)."""
    from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_table

    (both, only_a), (only_b, neither) = table
    count = both + only_a + only_b + neither
    return [mcnemar_of_table(table, exact=True).pvalue, (only_b - only_a) / count]


def flip_signs(values):
    """The exact two-sided p-value of flipping signs."""
    low, _ = ends(values)
    result = stats.permutation_test(
        (low,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
    )
    return [result.pvalue]


def swap_labels(a, b):
    """The exact two-sided p-value of a permutation of labels, and the difference."""
    (a, _), (b, _) = ends(a), ends(b)

    def difference(b, a, axis):
        return np.mean(b, axis=axis) - np.mean(a, axis=axis)

    result = stats.permutation_test(
        (b, a), difference, permutation_type="independent", n_resamples=np.inf, vectorized=True
    )
    return [result.pvalue, result.statistic]


def clustered_error(tasks):
    """The cluster-robust standard error of the mean; tasks have as many attempts each."""
    from statsmodels.regression.linear_model import OLS

    scores = np.array([low for task in tasks for low, _ in task])
    groups = np.repeat(np.arange(len(tasks)), [len(task) for task in tasks])
    fit = OLS(scores, np.ones_like(scores)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True}
    )
    return [fit.params[0], fit.bse[0]]


def pairs_needed(effect, deviation, level, power):
    """The size of a sample for a z-test, without the tail on the wrong side."""
    from statsmodels.stats.power import NormalIndPower

    size = NormalIndPower(ddof=0).solve_power(
        effect_size=effect / deviation,
        alpha=(1 - level) / 2,
        power=power,
        ratio=0,
        alternative="larger",
    )
    return [math.ceil(size)]


# The bootstrap, resample by resample: the same generator, out of NumPy, and the same way
# from its words to indices; everything after that is NumPy's and SciPy's.


class Words:
    """The words of PCG64 for a seed, as proctor-stats draws them."""

    MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
    STREAM = 0x0A02BDBF7BB3C0A7AC28FA16A64ABF96

    def __init__(self, seed):
        mask = (1 << 128) - 1
        increment = ((self.STREAM << 1) | 1) & mask
        state = ((seed + increment) * self.MULTIPLIER + increment) & mask
        self.generator = np.random.PCG64()
        full = self.generator.state
        full["state"] = {"state": state, "inc": increment}
        self.generator.state = full

    def below(self, count, size):
        words = self.generator.random_raw(size).tolist()
        return [(word * count) >> 64 for word in words]


def tail(level, method, count):
    """The fraction of resamples outside of the interval, on each side."""
    half = (1 - level) / 2
    if method == "percentile":
        return half
    student = stats.t.ppf(half, count - 1)
    return min(half, stats.norm.cdf(student * math.sqrt(count / (count - 1))))


def interval(low, high, level, method, count):
    outside = tail(level, method, count)
    return [np.quantile(low, outside), np.quantile(high, 1 - outside)]


def bootstrap(values, level, method, resamples, seed):
    """The interval of a mean, resample by resample."""
    low, high = (np.sort(end) for end in ends(values))
    indices = np.array(Words(seed).below(len(low), resamples * len(low)))
    indices = indices.reshape(resamples, len(low))
    means = [end[indices].mean(axis=1) for end in (low, high)]
    return interval(*means, level, method, len(low))


def bootstrap_clustered(tasks, level, method, resamples, seed, within):
    """The interval of a mean over tasks, resample by resample."""
    tasks = [[np.sort(end) for end in ends(task)] for task in tasks]
    if not within:
        means = [[end.mean() for end in task] for task in tasks]
        return bootstrap(means, level, method, resamples, seed)
    tasks.sort(key=lambda task: [end.tolist() for end in task])
    words = Words(seed)
    lows, highs = [], []
    for _ in range(resamples):
        means = []
        for _ in tasks:
            (drawn,) = words.below(len(tasks), 1)
            low, high = tasks[drawn]
            indices = words.below(len(low), len(low))
            means.append((low[indices].mean(), high[indices].mean()))
        low, high = ends(means)
        lows.append(low.mean())
        highs.append(high.mean())
    return interval(lows, highs, level, method, len(tasks))


def bootstrap_difference(a, b, level, method, resamples, seed):
    """The interval of a difference of two means, resample by resample."""
    a_low, a_high, b_low, b_high = (np.sort(end) for side in (a, b) for end in ends(side))
    words = Words(seed)
    lows, highs = [], []
    for _ in range(resamples):
        from_a = words.below(len(a_low), len(a_low))
        from_b = words.below(len(b_low), len(b_low))
        lows.append(b_low[from_b].mean() - a_high[from_a].mean())
        highs.append(b_high[from_b].mean() - a_low[from_a].mean())
    return interval(lows, highs, level, method, min(len(a_low), len(b_low)))


def scipy_bootstrap(values, level):
    """SciPy's own percentile interval, with draws of its own."""
    low, _ = ends(values)
    result = stats.bootstrap(
        (low,),
        np.mean,
        n_resamples=100_000,
        batch=1000,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(7),
    )
    return list(result.confidence_interval)


ANSWERS = [
    describe,
    quantile,
    variance_bounds,
    wilson,
    pass_curves,
    mcnemar,
    flip_signs,
    swap_labels,
    clustered_error,
    pairs_needed,
    bootstrap,
    bootstrap_clustered,
    bootstrap_difference,
    scipy_bootstrap,
]


def main():
    by_name = {answer.__name__: answer for answer in ANSWERS}
    results = []
    for request in json.load(sys.stdin):
        answer = by_name[request.pop("what")]
        results.append([float(number) for number in answer(**request)])
    json.dump(results, sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main()
