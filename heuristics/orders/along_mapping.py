"""Groups along a mapping of the rows to one dimension, for what ranges lose."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from heuristics.mappings import Mapping, Points
from heuristics.orders.along_order import curve_rows
from instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_diversity,
    least_size,
)

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Charge = Literal["ncp", "extent"]

_NEAR = 2  # times l: how many rows of the frontier are compared by what they lose


def solve_along(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    mapping: Mapping,
    charge: Charge,
    seed: int,
    display: bool,
) -> Result:
    """Map the rows to one dimension and form groups there.

    - k-anonymity: the best groups of consecutive rows, by dynamic programming; a
      group costs its size times NCP, or its extent in one dimension;
    - l-diversity (frequency form, one sensitive column), with k or without: the greedy
      heuristic (``l_groups_by_extent``); with ``ncp`` also the one that chooses rows by
      what the group loses (``l_groups_by_ncp``), among the next few values or among
      all, and the cheapest release is kept.
      With k > l groups that follow each other are joined;
    - any other requirement: the line is cut in two, again and again, as long as both
      parts satisfy it.

    Raises
    ------
    NotSupportedError
        The objective is to suppress few tuples.
    """
    if objective.kind == "tuples":
        raise NotSupportedError("Expected the objective gcp or stars, got tuples.")
    run = Run(table, requirement, objective, display=display)
    if no := run.infeasible():
        return no
    line = mapping(Points.of(table, objective), seed)
    ranks = line.ranks()
    rows, starts = curve_rows(table, objective.keep, ranks)
    values = line.values[ranks[table.row_types.inverse[rows]]]
    parts = requirement.parts
    plain = all(isinstance(part, KAnonymity | LDiversity) for part in parts)
    if plain and least_diversity(requirement) == 1:
        run.offer(_by_size(run, rows, starts, values, charge))
    elif plain and len(table.sensitive) == 1:
        run.offer(_diverse(run, rows, starts, values, None))
        if charge == "ncp":
            places = objective.scales_of(table).row_positions(table)[rows]
            l = least_diversity(requirement)
            for width in (_NEAR * l, len(table.dictionary(table.sensitive[0]))):
                run.offer(_diverse(run, rows, starts, values, places, width))
    else:
        from heuristics.orders.bisection import bisect

        run.offer(
            at_rows(rows, labels(len(rows), bisect(table, rows, starts, requirement)))
        )
    return run.result()


def _by_size(
    run: Run, rows: Ints, starts: Ints, values: npt.NDArray[np.number], charge: Charge
) -> Partition:
    from models.one_dimensional.k_ncp import k_ncp
    from models.one_dimensional.k_total import k_total

    table, objective, k = run.table, run.objective, least_size(run.requirement)
    if charge == "ncp":
        scales = objective.scales_of(table)
        prices = objective.range_prices(table)
        places = scales.row_positions(table)[rows]
        return at_rows(rows, labels(table.n, k_ncp(places, scales.arrays, prices, k)))
    found = [
        low + k_total(values[low:high], k) for low, high in stretches(starts, table.n)
    ]
    return at_rows(rows, labels(table.n, np.concatenate(found)))


def _diverse(
    run: Run,
    rows: Ints,
    starts: Ints,
    values: npt.NDArray[np.number],
    places: Codes | None,
    width: int = 0,
) -> Partition:
    """Groups of different sensitive values; by what they lose if places are given."""
    from heuristics.orders.l_groups_by_extent import joined, l_groups_by_extent

    table, objective = run.table, run.objective
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    sensitive = table.column(table.sensitive[0])[rows]
    groups, many = np.empty(table.n, np.int32), 0
    for low, high in stretches(starts, table.n):
        if places is None:
            x = values[low:high].astype(np.float64)
            found = l_groups_by_extent(sensitive[low:high], x, l, True)
        else:
            from heuristics.orders.l_groups_by_ncp import l_groups_by_ncp

            arrays = objective.scales_of(table).arrays
            prices = objective.range_prices(table)
            found = l_groups_by_ncp(
                sensitive[low:high], places[low:high], arrays, prices, l, width
            )
        groups[low:high] = many + joined(found, k)
        many = int(groups[low:high].max()) + 1
    return at_rows(rows, groups)


def stretches(starts: Ints, n: int) -> list[tuple[int, int]]:
    """Begin and end of each stretch of an order of n rows."""
    return list(zip(starts.tolist(), [*starts[1:].tolist(), n], strict=True))


def labels(n: int, starts: Ints) -> Codes:
    """The group of each of n rows, from where groups begin."""
    first = np.zeros(n, np.int32)
    first[starts[1:]] = 1
    return np.cumsum(first, dtype=np.int32)


def at_rows(rows: Ints, groups: Codes) -> Partition:
    """A partition from the groups of the rows in an order."""
    found = np.empty(len(rows), np.int32)
    found[rows] = groups
    return Partition(found)
