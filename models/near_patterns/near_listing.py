"""Patterns near the least cost of their row types: a list linear in the types."""

from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.near_patterns.column_sets import UNKNOWN, agreeing, sets_by_cost
from starmin.models.near_patterns.near_loops import near_members
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE, PriceUnit


@dataclass(frozen=True, eq=False)
class NearPatterns:
    r"""The pairs of a pattern and a row type with a cost near the least of the type.

    The *own cost* of a type is that of its cheapest pattern that k rows fit. A pair is
    *near* if the pattern costs at most ``slack`` more than the own cost of the type.
    With the near pairs are those of the coarsest patterns, so that a release within
    them exists whenever there is one.
    """

    patterns: Patterns  # with their near types alone
    own: Ints  # the own cost of each type
    slack: int  # in the unit of costs
    # for each pattern what a row costs there at least beyond its price whose type fits
    # it but is not near, if no price exceeds own cost and slack; in units of
    # ``PriceUnit``
    outside: Ints


def near_patterns(
    run: Run, types: RowTypes, k: int, where: Executor, slack: int | None = None
) -> NearPatterns:
    """List the patterns that cost at most ``slack`` more than their types pay at least.

    Sets of starred columns are taken in the order of their costs, so that the own cost
    of a type is known when the first pattern is met that k rows fit. A pattern is
    listed if its near types have k rows, or if one of them may have a price above its
    cost: all others have no choice of negative value at prices up to own cost and
    slack (``starmin.models.lagrangian_relaxation.price_bound``).

    Parameters
    ----------
    run
        The problem, k-anonymity and stars, and its clock.
    types
        The row types by QI.
    k
        The least size of a group.
    where
        Where the sets of one cost are looked at, side by side: threads.
    slack
        In the unit of costs; for prices at least 1. Default: what a star costs on
        average.

    Raises
    ------
    NotSupportedError
        More than 12 columns may be starred.
    TimeoutError
        The time of the run was up.

    Notes
    -----
    A group-by of the m types for each set of columns that is near for some type: no
    more than 2^d. The pairs are some 25 m on census tables where all are 200 m.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from starmin.instances import KAnonymity, Table
    >>> rows = [["0", "x"], ["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> with ThreadPoolExecutor(1) as where:
    ...     near = near_patterns(
    ...         Run(table, KAnonymity(2)), table.row_types, 2, where
    ...     )
    >>> near.own.tolist(), len(near.patterns)
    ([0, 1, 1], 5)
    """
    table, unit = run.table, PriceUnit.of(run.table, run.objective)
    if slack is None:
        slack = usual_slack(run)
    sets, costs = sets_by_cost(run)
    columns = [np.ascontiguousarray(column) for column in types.codes.T]
    own = np.full(len(types), UNKNOWN, np.int32)

    def members(starred: Bools, cost: int, slack: int) -> tuple[Ints, Int32s]:
        run.check_time()
        groups, size = agreeing(columns, table.qi_cardinalities, starred)
        found: tuple[Ints, Int32s] = near_members(
            groups, size, types.counts, own, cost, slack, k
        )
        return found

    parts: list[tuple[int, int, Ints, Int32s]] = []
    coarsest = len(sets) - 1
    for cost, level in groupby(range(coarsest), key=costs.tolist().__getitem__):
        if not (far := own < cost - slack).all():
            outside = INFEASIBLE
            if far.any():
                outside = (cost - slack - int(own[far].max())) * unit.per_cost
            those = list(level)
            lists = where.map(
                lambda at: members(sets[at], int(costs[at]), slack), those
            )
            for at, (lengths, found) in zip(those, lists, strict=True):
                parts.append((at, outside, lengths, found))
    everything = members(sets[coarsest], int(costs[coarsest]), UNKNOWN)
    parts.append((coarsest, INFEASIBLE, *everything))
    return _joined(types, sets, costs, parts, own.astype(np.int64), slack, unit)


def usual_slack(run: Run) -> int:
    """Return what a star costs on average, at least 1."""
    return max(1, round(mean_star_cost(run.table, run.objective)))


def _joined(
    types: RowTypes,
    sets: Bools,
    costs: Ints,
    parts: list[tuple[int, int, Ints, Int32s]],
    own: Ints,
    slack: int,
    unit: PriceUnit,
) -> NearPatterns:
    """Join the patterns of all sets of starred columns."""
    many = [len(lengths) for _, _, lengths, _ in parts]
    starts = np.concatenate([[0], np.cumsum(np.concatenate([p[2] for p in parts]))])
    members = np.concatenate([part[3] for part in parts])
    at = np.repeat([part[0] for part in parts], many)
    nodes = types.codes[members[starts[:-1]]]
    nodes[sets[at]] = -1
    outside = np.repeat(np.array([part[1] for part in parts], np.int64), many)
    patterns = Patterns(nodes, costs[at], starts, members, types.counts, unit)
    return NearPatterns(patterns, own, slack, outside)
