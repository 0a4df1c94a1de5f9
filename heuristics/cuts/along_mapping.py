"""Groups along a mapping of the rows to one dimension, for what ranges lose."""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from starmin.heuristics.cuts.along_order import form_groups
from starmin.heuristics.cuts.l_groups_by_extent import l_groups_by_extent
from starmin.heuristics.cuts.l_groups_by_ncp import l_groups_by_ncp
from starmin.heuristics.cuts.row_order import RowOrder
from starmin.heuristics.mappings import Mapping, Points
from starmin.instances import Partition, Run
from starmin.instances.arrays import Int32s
from starmin.models.one_dimensional.k_ncp import k_ncp
from starmin.models.one_dimensional.k_total import k_total

Charge = Literal["ncp", "extent"]

# For l-diversity by NCP, this number times l of the next values are compared at first;
# a second release compares all values, and the cheaper one is kept.
_NEAR = 2
# Rows that are looked at before groups are formed by their extents after all: where
# one of many sensitive values is frequent, each group might take thousands of looks.
_WORK, _WORK_BY_ROW = 10_000_000, 100


def offer_along(run: Run, mapping: Mapping, charge: Charge, seed: int) -> None:
    """Offer a run, whose table is feasible, groups of rows near on a line.

    - k-anonymity: the best groups of consecutive rows, by dynamic programming; a
      group costs its size times NCP, or its extent in one dimension;
    - l-diversity (frequency form, one sensitive column), with k or without: the greedy
      heuristic (``l_groups_by_extent``); with ``ncp`` also the one that chooses rows by
      what the group loses (``l_groups_by_ncp``), among the next few values or among
      all. With k > l groups that follow each other are joined;
    - any other requirement: the line is cut in two, again and again, as long as both
      parts satisfy it.

    The objective is ``gcp`` or stars. ``mapping`` puts the rows on the line, and
    ``seed`` is for what is random in it. ``charge`` is what a group is charged for: NCP
    in all columns, or its extent on the line.
    """
    table, objective = run.table, run.objective
    line = mapping(Points.of(table, objective), seed)
    ranks = line.ranks()
    order = RowOrder.of(table, objective.apart(table), ranks)
    values = line.values[ranks[table.row_types.inverse[order.rows]]]

    def consecutive() -> Partition:
        return _consecutive(run, order, values, charge)

    form_groups(run, order, consecutive, _diverse(run, order, values, charge))


def _consecutive(
    run: Run, order: RowOrder, values: npt.NDArray[np.number], charge: Charge
) -> Partition:
    table, objective, k = run.table, run.objective, run.requirement.core.size
    if charge == "ncp":
        scales = objective.scales_of(table)
        weights = objective.range_prices(table)
        places = scales.row_positions(table)[order.rows]
        starts = [
            part.start + k_ncp(places[part], scales.arrays, weights, k)
            for part in order.stretches()
        ]
    else:
        starts = [part.start + k_total(values[part], k) for part in order.stretches()]
    return order.consecutive(np.concatenate(starts))


def _diverse(
    run: Run, order: RowOrder, values: npt.NDArray[np.number], charge: Charge
) -> Iterator[Callable[[slice], Int32s]]:
    """Yield ways to form l-diverse groups of the rows of a stretch."""
    table, objective = run.table, run.objective
    l = run.requirement.core.diversity
    sensitive = table.column(table.sensitive[0])[order.rows]

    known: dict[int, Int32s] = {}  # by extent, of each stretch

    def by_extent(stretch: slice) -> Int32s:
        x = values[stretch].astype(np.float64)
        found: Int32s = l_groups_by_extent(sensitive[stretch], x, l, True)
        known[stretch.start] = found
        return found

    yield by_extent
    if charge == "extent":
        return
    scales, weights = objective.scales_of(table), objective.range_prices(table)
    places = scales.row_positions(table)[order.rows]

    def by_ncp(width: int) -> Callable[[slice], Int32s]:
        def form(stretch: slice) -> Int32s:
            rows = sensitive[stretch], places[stretch]
            work = _WORK + _WORK_BY_ROW * len(rows[0])
            costs = scales.arrays, weights, l
            found: Int32s = l_groups_by_ncp(*rows, *costs, width, work)
            return found if len(found) else known[stretch.start]

        return form

    yield by_ncp(_NEAR * l)
    yield by_ncp(len(table.dictionary(table.sensitive[0])))
