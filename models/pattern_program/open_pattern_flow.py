"""Find the best release for a fixed set of open patterns by a min-cost flow."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.models.patterns.patterns import Patterns


def open_pattern_flow(
    patterns: Patterns, is_open: Bools, k: int, full: Bools | None = None
) -> Ints | None:
    r"""Solve k-anonymity exactly once it is known which patterns are open.

    With the set of open patterns fixed, the pattern formulation loses its binaries
    and is a flow with lower bounds: s(t) units leave each type, each may go to an
    open pattern that it fits at the pattern's cost, and each pattern must take k:

    .. math::
        \min \sum_{p,t} cost_p x_{pt}, \quad \sum_p x_{pt} = s_t, \quad
        \sum_t x_{pt} \ge k.

    Its vertices are integral, which is why ``x`` may be continuous in the integer
    program.

    Parameters
    ----------
    patterns
        The patterns, with m distinct rows.
    is_open
        Which of them are open: all of these take at least k rows.
    k
        Least number of rows of an open pattern.
    full
        Which of the open patterns must take k rows; default: all. Where it is not known
        of some whether they are open, that is a relaxation.

    Returns
    -------
    array or None
        Copies of each type in each pattern, one number per pair of
        ``patterns``; None where no release has exactly these patterns open.

    Notes
    -----
    One run of cost scaling on at most ``d`` distinct costs; 1,500 types by 1,000
    open patterns take milliseconds.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4: the program solved for
    each set of open patterns.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS)
    >>> patterns.starred.tolist()
    [[False], [False], [True]]
    >>> open_pattern_flow(patterns, np.array([False, False, True]), 3).tolist()
    [0, 0, 2, 1]
    >>> open_pattern_flow(patterns, np.array([True, False, True]), 2) is None
    True
    """
    from ortools.graph.python import min_cost_flow  # a tenth of a second to import

    used = np.flatnonzero(is_open[patterns.pattern])
    m, opened = len(patterns.counts), np.flatnonzero(is_open)
    sink = m + len(opened)
    must = np.ones(len(opened), bool) if full is None else full[opened]
    asked = np.where(must, k, 0)
    surplus = int(patterns.counts.sum()) - int(asked.sum())
    if surplus < 0:
        return None
    node = np.zeros(len(patterns), np.int64)
    node[opened] = m + np.arange(len(opened))
    tails = patterns.types[used].astype(np.int32)
    heads = node[patterns.pattern[used]].astype(np.int32)
    flow = min_cost_flow.SimpleMinCostFlow()
    arcs = flow.add_arcs_with_capacity_and_unit_cost(
        np.concatenate([tails, node[opened].astype(np.int32)]),
        np.concatenate([heads, np.full(len(opened), sink, np.int32)]),
        np.concatenate([patterns.counts[tails], np.full(len(opened), max(surplus, 1))]),
        np.concatenate(
            [patterns.cost[patterns.pattern[used]], np.zeros(len(opened), np.int64)]
        ),
    )
    # The lower bound k of a pattern is a demand of k at its node.
    supplies = np.concatenate([patterns.counts, -asked, np.array([-surplus])])
    flow.set_nodes_supplies(np.arange(sink + 1, dtype=np.int32), supplies)
    if flow.solve() != flow.OPTIMAL:
        return None
    loads = np.zeros(len(patterns.types), np.int64)
    loads[used] = flow.flows(arcs[: len(used)])
    return loads
