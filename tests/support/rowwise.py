"""The non-homogeneous optimum by trying every regular graph: the oracle."""

from functools import cache
from itertools import combinations

import numpy as np

from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Table,
    expect_k,
)

MAX_ROWS = 8


def rowwise_optimum(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> int | None:
    r"""Return the least cost of a non-homogeneous release of at most 8 rows.

    Every released row in turn takes every set of k originals of which none has been
    taken k times yet: all k-regular graphs. The best completion depends only on how
    often each original has been taken.

    .. math::
        f(j, c) = \min_{|N| = k} cost_j(N) + f(j + 1, c + 1_N), \qquad c \le k

    Nothing else is used: no row types, no codes, no row that is matched to itself.

    The requirement is k-anonymity; the objective may be any: stars, tuples or gcp, with
    weights and kept columns. Returns the optimum, or None where there is no release.
    Raises NotSupportedError for more than 8 rows, or another requirement.

    Notes
    -----
    At most n (k + 1)^n states of binomial(n, k) choices each.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> rowwise_optimum(Table.from_rows(["a", "b"], rows, ["a", "b"]), KAnonymity(2))
    4
    """
    k, n = expect_k(requirement), table.n
    if n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {n}.")
    objective.check(table)
    positions = objective.scales_of(table).row_positions(table)
    rows = list(zip(*(table.cells(c) for c in table.qi), strict=True))
    weights = [objective.weights.get(column, 1) for column in table.qi]

    def cost(record: int, originals: tuple[int, ...]) -> int | None:
        starred = [
            a
            for a, own in enumerate(rows[record])
            if any(rows[i][a] != own for i in originals)
        ]
        if any(table.qi[a] in objective.keep for a in starred):
            return None
        if objective.once:
            return int(bool(starred))
        if objective.by_node:
            here = positions[[*originals, record]]
            low, high = here.min(axis=0)[None], here.max(axis=0)[None]
            return objective.range_costs(table, np.ones(1, np.int64), low, high)
        return sum(weights[a] for a in starred)

    @cache
    def best(record: int, left: tuple[int, ...]) -> int | None:
        if record == n:
            return 0
        found: list[int] = []
        for originals in combinations([i for i in range(n) if left[i]], k):
            here = cost(record, originals)
            if here is not None:
                rest = tuple(c - (i in originals) for i, c in enumerate(left))
                then = best(record + 1, rest)
                if then is not None:
                    found.append(here + then)
        return min(found, default=None)

    return best(0, (k,) * n)
