"""Whether one method gives better releases than another: paired tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.stats import wilcoxon

from starmin.gaps.aggregates import Aggregate

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

        Examples
        --------
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

    Parameters
    ----------
    found
        A line for each problem and method.

    Returns
    -------
    list
        All pairs in the order of the lines, those of no common problem left out.

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
    pairs = [
        pair
        for one, other in combinations(values, 2)
        if (pair := _pair(one, other, values)) is not None
    ]
    return _adjusted(pairs)


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
    differ = logs[logs != 0]
    p = None
    if len(differ) >= LEAST:
        p = float(wilcoxon(differ, method="auto").pvalue)
    counts = int((logs < 0).sum()), int((logs == 0).sum()), int((logs > 0).sum())
    return Paired(one, other, *counts, float(np.median(ratios)), p)


def _adjusted(pairs: list[Paired]) -> list[Paired]:
    """Adjust for many tests: the least p times their number, the next one times fewer.

    None of them becomes less than one before it.
    """
    tested = [pair for pair in pairs if pair.p is not None]
    known: dict[int, float] = {}
    least = 0.0
    for place, pair in enumerate(sorted(tested, key=lambda pair: pair.p or 0.0)):
        least = max(least, min(1.0, (len(tested) - place) * (pair.p or 0.0)))
        known[id(pair)] = least
    return [
        replace(pair, p=known[id(pair)]) if id(pair) in known else pair
        for pair in pairs
    ]
