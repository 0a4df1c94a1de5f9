"""Summarize runs of several seeds, and compare methods by paired tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import wilcoxon

Point: TypeAlias = Sequence[float | None]  # seconds, value, bound
Points: TypeAlias = Sequence[Point]


def primal_integral(points: Points, best: float | None, limit: float) -> float | None:
    """Return the mean gap of the value to the best known one, over the limit.

    The gap of a value v to the best one b is ``|v - b| / max(v, b)``, and 1 before the
    first value (Berthold, 2013: the integral, here as a share of the limit). Points are
    seconds, value and bound at each improvement, by seconds; ``best`` is the least
    value known, None where nothing is; ``limit`` is in seconds.

    >>> primal_integral([(1.0, 20, None), (2.0, 10, None)], 10, 4.0)
    0.375
    """
    if best is None:
        return None
    return _mean(points, limit, lambda value, _: _apart(value, best))


def gap_integral(points: Points, limit: float) -> float:
    """Return the mean gap between value and bound, over the limit.

    The gap is ``(v - b) / v``, and 1 where one of them is not known. Points are
    seconds, value and bound at each improvement, by seconds; ``limit`` is in seconds.

    >>> gap_integral([(1.0, 20, 10), (2.0, 10, 10)], 4.0)
    0.375
    """
    return _mean(points, limit, _apart)


def seconds_to(points: Points, most: float) -> float | None:
    """Return when the value was first as small as that; None where it never was.

    >>> seconds_to([(1.0, 20, None), (2.0, 10, None)], 10.1)
    2.0
    """
    for seconds, value, _ in points:
        if value is not None and value <= most:
            return seconds
    return None


def _mean(
    points: Points, limit: float, gap: Callable[[float | None, float | None], float]
) -> float:
    total, at, open_share = 0.0, 0.0, 1.0
    for seconds, value, bound in points:
        until = min(seconds or 0.0, limit)
        total += open_share * max(0.0, until - at)
        at, open_share = max(at, until), gap(value, bound)
    return (total + open_share * (limit - at)) / limit


def _apart(value: float | None, other: float | None) -> float:
    if value is None or other is None:
        return 1.0
    if value == other:
        return 0.0
    return abs(value - other) / max(abs(value), abs(other))


Row = Mapping[str, Any]

MEASURES = ("value", "lower_bound", "gap", "seconds", "primal_integral", "gap_integral")


@dataclass(frozen=True)
class Spread:
    """The first quartile, the median and the third quartile of some runs."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread | None":
        """Return that of some numbers; None where there are none.

        >>> Spread.of([1, 2, 3, 4, 9])
        Spread(low=2.0, median=3.0, high=4.0)
        """
        if not values:
            return None
        return cls(*map(float, np.percentile(values, (25, 50, 75))))


@dataclass(frozen=True)
class Aggregate:
    """The runs of a method on a problem, whatever their seeds."""

    problem: str
    table: str
    asked: str
    method: str
    kind: str
    runs: int  # runs, failed: how many there are, and how many of these gave no result
    failed: int
    # by measure: its quartiles; None where no run has it
    spreads: Mapping[str, Spread | None]

    def median(self, measure: str) -> float | None:
        """Return the median of a measure; None where a run failed or none has it."""
        spread = self.spreads[measure]
        return None if spread is None or self.failed else spread.median

    def as_row(self) -> dict[str, Any]:
        """Return it as a line of a table: three columns for each measure."""
        row = {k: v for k, v in vars(self).items() if k not in ("spreads", "problem")}
        for name, spread in self.spreads.items():
            for part in ("low", "median", "high"):
                row[f"{name}_{part}"] = "" if spread is None else getattr(spread, part)
        return row


def aggregates(rows: Sequence[Row]) -> list[Aggregate]:
    """Return one line for each problem and method, in the order of the rows.

    >>> row = {"problem": "t --k 2", "table": "t", "asked": "k 2", "method": "a"}
    >>> row |= {"kind": "heuristic", "outcome": "ok"}
    >>> one, = aggregates([row | {"value": 4}, row | {"value": 8}])
    >>> one.runs, one.median("value"), one.median("gap")
    (2, 6.0, None)
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["problem"], row["method"]), []).append(row)
    return [_aggregate(own) for own in groups.values()]


def _aggregate(own: Sequence[Row]) -> Aggregate:
    good = [row for row in own if row["outcome"] == "ok"]
    first = own[0]
    spreads = {
        name: Spread.of([row[name] for row in good if row.get(name) is not None])
        for name in MEASURES
    }
    failed = sum(row["outcome"] not in ("ok", "infeasible") for row in own)
    names = "problem", "table", "asked", "method", "kind"
    told: dict[str, Any] = {name: first[name] for name in names}
    return Aggregate(**told, runs=len(own), failed=failed, spreads=spreads)


# Whether one method gives better releases than another: paired tests.

LEAST = 6  # pairs that differ: with fewer no difference can be significant at 5 %
LEVEL = 0.05


@dataclass(frozen=True)
class Paired:
    """Two methods on the problems that both have solved."""

    first: str
    second: str
    # better, equal, worse: on how many problems the first has the smaller, an equal, a
    # larger value
    better: int
    equal: int
    worse: int
    ratio: float  # the median of the first's value divided by the second's
    # of Wilcoxon's signed-rank test, two-sided, by Holm's method for as many tests as
    # there are; None where fewer than six problems differ
    p: float | None

    @property
    def verdict(self) -> str:
        """What can be said of them.

        >>> Paired("a", "b", 3, 0, 1, 0.9, None).verdict
        'too few problems'
        >>> Paired("a", "b", 9, 0, 0, 0.9, 0.004).verdict
        'a is better'
        """
        if self.p is None:
            return "too few problems"
        if self.p > LEVEL:
            return "no significant difference"
        return f"{self.first if self.better > self.worse else self.second} is better"


def paired_tests(found: Sequence[Aggregate]) -> list[Paired]:
    """Compare the values of all pairs of methods, problem by problem.

    Of several seeds the median counts. Values are compared as logarithms of ratios, so
    that large tables weigh no more than small ones; a value of 0 beside one that is not
    is the largest difference. Methods that give no releases are left out, and so are
    problems that one of the two has not solved in all runs.

    ``found`` has a line for each problem and method; pairs come in the order of the
    lines, those of no common problem left out.

    References
    ----------
    F. Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1, 1945.
    S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian
    Journal of Statistics 6, 1979.
    """
    values: dict[str, dict[str, float]] = {}
    for each in found:
        value = each.median("value")
        if each.kind not in ("bound", "release") and value is not None:
            values.setdefault(each.method, {})[each.problem] = value
    pairs = (_pair(*both, values) for both in combinations(values, 2))
    return _adjusted([pair for pair in pairs if pair is not None])


def _pair(
    one: str, other: str, values: Mapping[str, Mapping[str, float]]
) -> Paired | None:
    common = [problem for problem in values[one] if problem in values[other]]
    if not common:
        return None
    first = np.array([values[one][problem] for problem in common])
    second = np.array([values[other][problem] for problem in common])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(first == second, 1.0, first / second)
        logs = np.nan_to_num(np.log(ratios), posinf=1e9, neginf=-1e9)
    differ, p = logs[logs != 0], None
    if len(differ) >= LEAST:
        p = float(wilcoxon(differ, method="auto").pvalue)
    counts = int((logs < 0).sum()), int((logs == 0).sum()), int((logs > 0).sum())
    return Paired(one, other, *counts, float(np.median(ratios)), p)


def _adjusted(pairs: list[Paired]) -> list[Paired]:
    """Adjust for many tests, by Holm: the least p times their number, and so on."""
    adjusted, least = [*pairs], 0.0
    tested = [place for place, pair in enumerate(pairs) if pair.p is not None]
    tested.sort(key=lambda place: pairs[place].p or 0.0)
    for before, place in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - before) * (pairs[place].p or 0.0)))
        adjusted[place] = replace(pairs[place], p=least)
    return adjusted
