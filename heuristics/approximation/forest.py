"""The forest of near neighbours: trees of rows, cut into groups."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.heuristics.approximation import FOREST
from starmin.heuristics.approximation.forest_loops import cut, grow, pack, spread
from starmin.heuristics.approximation.row_distance import column_costs
from starmin.heuristics.orders.lexicographic_suppression import offer_sorted
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints

MAX_TYPES = 100_000


@dataclass(frozen=True)
class ForestParams:
    """Constants that steer the search."""

    scanned: int = 200_000_000  # cells that are compared between two looks at the clock


def forest(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    params: ForestParams = ForestParams(),
) -> Result:
    """Approximate k-anonymity within a factor of max(2k - 1, 3k - 5).

    That is 3, 5, 7 and 10 for k = 2, 3, 4 and 5, for stars, weighted or not, and for
    suppressed tuples. It proves a lower bound too, and the factor holds against that.

    The idea: rows are linked to near neighbours until every tree has k rows, each row
    by at most one edge of its own; then the trees are cut into groups.

    *Growing.* Rows of one type are one tree. As long as a tree has fewer than k rows,
    its root is linked to the nearest row outside. One of the root's k - 1 nearest rows
    is outside, so the edge is no longer than the distance to the (k-1)-th nearest row,
    which every row of the root's type pays in every release:

    .. math::

        W = \\sum_u w(u) \\le \\sum_t s(t) \\, w(t) \\le \\mathrm{OPT}

    *Cutting.* From the leaves up, the edge above a row is cut where k rows hang
    together below it. Such a head has branches of fewer than k rows; so has the rest
    at the root of the tree, which becomes a branch of a head beside it. Head and
    branches are packed into bins: branches in descending order, and rows of the head's
    own type to fill up, until a bin has k rows. What is left at the end, fewer than k
    rows, joins the smallest bin.

    *Why the factor.* Bins have no edge in common, and a column on which a group
    differs differs along an edge of its tree: a group of s rows pays at most s times
    the weight of its edges. A bin that was filled up has k rows, with the rest 2k - 1.
    If there is a branch of k - 1 rows then the first bin is of that kind, and others
    have 2k - 2. If there is none, a bin reaches 2k - 4 rows at most (k > 3; from k - 1
    rows by a branch of k - 2 it would reach 2k - 3, but then it held longer branches
    only, all of k - 2, and one of them is fewer than k - 1, two are more), with the
    rest 3k - 5. Bins of the head's own rows only may be larger and pay nothing.

    Parameters
    ----------
    table
        At most 100,000 distinct rows, any number of rows.
    requirement
        k-anonymity.
    objective
        Stars, weighted or not, or tuples. Rows that differ in columns to be kept are
        never linked.
    time_limit
        Seconds. If the trees have not grown by then, the rows are grouped along a
        sorted order instead, without a guarantee.
    params
        Constants that steer the search.

    Raises
    ------
    NotSupportedError
        Another requirement, or more than 100,000 distinct rows.

    See Also
    --------
    starmin.heuristics.approximation.greedy_cover : another ratio, and smaller groups.
    starmin.heuristics.approximation.pattern_cover : a better ratio, and fewer stars.
    starmin.heuristics.approximation.cycle_cover : 1.6 for k = 2.
    starmin.heuristics.approximation.factor_cover :
        3 for k = 3, 2 where columns have two values.

    Notes
    -----
    O(m^2 d) time for m distinct rows, O(m d) memory: distances are not stored. Adult
    (18,109 types by 8 columns): 20,998 / 56,489 / 92,478 / 149,888 stars for k = 2 / 5
    / 10 / 25, 3 s each, bounds 15,524 / 24,157 / 28,058 / 31,699. 40,000 random types
    by 7 columns take 20 s; 10 million rows of 78,125 types, all frequent, 5 s.

    The worst ratios seen on 1,805 tables of up to 10 rows: 2.5, 2.33, 2.5 and 2 for
    k = 2, 3, 4 and 5.

    Aggarwal et al. state the algorithm for rows, with ratio O(k); how trees are cut
    here, and the proof, are ours.

    References
    ----------
    G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas, A. Zhu,
    Approximation algorithms for k-anonymity, Journal of Privacy Technology 2005.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "a"], ["2", "b"], ["2", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> result = forest(table, KAnonymity(2))
    >>> result.value, result.lower_bound, result.best.groups.tolist()
    (3, 1, [0, 1, 0, 1, 1])
    """
    run = Run(table, requirement, objective, time_limit, display, FOREST)
    if len(table.row_types) > MAX_TYPES:
        raise NotSupportedError(
            f"Expected at most {MAX_TYPES} row types, got {len(table.row_types)}."
        )

    def search() -> None:
        k, types = requirement.core.size, table.row_types
        parent, weight = _grown(run, k, params)
        run.raise_bound(int(types.counts @ weight), "forest")
        run.offer(Partition.from_loads(types, *_cut(parent, types.counts, k)))

    return run.carry_out(search, otherwise=lambda: offer_sorted(run))


def _grown(run: Run, k: int, params: ForestParams) -> tuple[Ints, Ints]:
    """Return for each row type the one it is linked to, or -1, and how far that is."""
    types = run.table.row_types
    m = len(types)
    parent, weight = np.full(m, -1, np.int64), np.zeros(m, np.int64)
    trees = (parent, weight, np.arange(m), types.counts.copy())
    costs, once = column_costs(run.table, run.objective)
    scans = max(1, params.scanned // types.codes.size)
    begin = 0
    while begin < m:
        run.check_time()
        begin = grow(types.codes, costs, once, k, begin, scans, *trees)
    return parent, weight


class _Loads(NamedTuple):
    """How many rows of which type go to which group."""

    group: Ints
    type_: Ints
    copies: Ints


def _cut(parent: Ints, counts: Ints, k: int) -> _Loads:
    """Cut the trees into groups of k rows or more."""
    head, rows, upwards = cut(parent, counts, k)
    heads = np.flatnonzero(head)
    branches = np.flatnonzero(~head)
    branches = branches[head[parent[branches]]]
    branches = branches[np.lexsort((-rows[branches], parent[branches]))]
    starts = np.searchsorted(parent[branches], np.append(heads, len(parent)))
    bins, group, owner, own = pack(starts, rows[branches], counts[heads], k)
    group_of = np.full(len(parent), -1)
    group_of[branches] = bins
    spread(upwards, parent, head, group_of)
    whole = np.flatnonzero(~head)
    return _Loads(
        np.concatenate([group_of[whole], group]),
        np.concatenate([whole, heads[owner]]),
        np.concatenate([counts[whole], own]),
    )
