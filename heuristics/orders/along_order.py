"""Forms groups along an order of the rows, the way that fits the requirement."""

import numpy as np
import numpy.typing as npt

from instances import (
    KAnonymity,
    LDiversity,
    Partition,
    Run,
    Table,
    group_by,
    least_diversity,
    least_size,
)

Ints = npt.NDArray[np.int64]


def offer_groups(run: Run, rows: Ints, starts: Ints) -> None:
    """Offer ``run``, whose table is feasible, groups of rows near in an order.

    k-anonymity: the optimum among consecutive groups. Frequency l-diversity of one
    sensitive column: rows of different values, nearest first. Any requirement, the
    one above included: stretches cut in two as long as both parts satisfy it.

    Parameters
    ----------
    rows
        The rows in their order.
    starts
        Where the stretches begin that agree on the columns that must not be starred.
    """
    from heuristics.orders.best_cuts import cheapest_cuts
    from heuristics.orders.l_groups_by_frontier import l_groups_by_frontier

    table, requirement = run.table, run.requirement
    k, l = least_size(requirement), least_diversity(requirement)
    plain = all(isinstance(part, KAnonymity | LDiversity) for part in requirement.parts)
    if plain and l == 1:
        codes = np.ascontiguousarray(table.codes[table.positions(table.qi)][:, rows].T)
        prices = run.objective.column_weights(table)
        prices[run.objective.kept(table)] = -1
        once = run.objective.kind == "tuples"
        run.offer(_consecutive(rows, cheapest_cuts(codes, prices, once, k)))
        return
    if plain and len(table.sensitive) == 1:
        values = table.column(table.sensitive[0])[rows]
        groups, ends = np.empty(table.n, np.int32), np.append(starts[1:], table.n)
        many = 0
        for low, high in zip(starts, ends, strict=True):
            groups[low:high] = many + l_groups_by_frontier(values[low:high], k, l)
            many = int(groups[low:high].max()) + 1
        run.offer(_at_rows(rows, groups))
    from heuristics.orders.bisection import bisect

    run.offer(_consecutive(rows, bisect(table, rows, starts, requirement)))


def curve_rows(table: Table, keep: tuple[str, ...], place: Ints) -> tuple[Ints, Ints]:
    """The rows by the place of their row type, those that agree on ``keep`` together.

    Rows of one type come with different sensitive values in turn. Also returned: where
    the stretches begin that agree on ``keep``.
    """
    turn = np.zeros(table.n, np.int32)
    if table.sensitive:
        types = table.sensitive_types
        by_type = np.argsort(types.inverse, kind="stable")
        begin = np.cumsum(types.counts) - types.counts
        turn[by_type] = np.arange(table.n) - np.repeat(begin, types.counts)
    classes = np.zeros(table.n, np.int32)
    if keep:
        sizes = [len(table.dictionary(column)) for column in keep]
        classes = group_by([table.column(column) for column in keep], sizes).inverse
    rows = np.lexsort((turn, place[table.row_types.inverse], classes))
    ordered = classes[rows]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return rows.astype(np.int64), starts.astype(np.int64)


def _consecutive(rows: Ints, starts: Ints) -> Partition:
    first = np.zeros(len(rows), np.int32)
    first[starts[1:]] = 1
    return _at_rows(rows, np.cumsum(first, dtype=np.int32))


def _at_rows(rows: Ints, groups: npt.NDArray[np.int32]) -> Partition:
    labels = np.empty(len(rows), np.int32)
    labels[rows] = groups
    return Partition(labels)
