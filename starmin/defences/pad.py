"""Padding: classes that closure tells in full publish less."""

from typing import Any

import numpy as np

from starmin.instances import Objective, Partition, Problem, TableError
from starmin.instances.arrays import Ints
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.releases.nested_partition import PaddedPartition
from starmin.instances.scales.scales import Scales
from starmin.outputs.recodings import publish
from starmin.verify.audit.classes import MOST, classes_of
from starmin.verify.audit.hidden_cells import known_in_full
from starmin.verify.cells.read_cells import read_cells


def pad(problem: Problem, partition: Partition) -> tuple[Partition, dict[str, Any]]:
    """Hide more of each class whose hidden cells are known in full by closure.

    Of such a class one column publishes a star, or the next node of its tree, though
    its rows agree there, or would be covered by a lower node: whichever costs least,
    of equal ones that which may stand for most values. That is repeated until no class
    is known in full, neither to who knows which values each column has nor to who
    takes those that the release shows for all. Beside the groups it is returned how
    many classes and rows of them were known in full, and how many rows still are, where
    nothing may be hidden.

    >>> from starmin.instances import KAnonymity, Table
    >>> rows = [["f", "1"], ["m", "1"], ["f", "2"], ["f", "2"]]
    >>> table = Table.from_rows(["sex", "age"], rows, ["sex", "age"])
    >>> groups = Partition(np.array([0, 0, 1, 1], np.int32))
    >>> padded, told = pad(Problem(table, KAnonymity(2)), groups)
    >>> padded.value(table), told
    (4, {'classes': 1, 'rows': 2, 'rows_left': 0})
    """
    best, stuck, known = partition, set[int](), set[int]()
    room = _Room(problem)
    while True:
        open_to_all = _known_groups(problem, best)
        known |= open_to_all
        low, high = best.ranges(problem.table, room.scales)
        further = []
        for group in sorted(open_to_all - stuck):
            wider = room.next(low[group], high[group])
            if wider is None:
                stuck.add(group)
            else:
                further.append((group, *wider))
        if not further:
            break
        best = PaddedPartition.of(best, further)
    sizes = best.sizes
    return best, {
        "classes": len(known),
        "rows": sum(int(sizes[group]) for group in known),
        "rows_left": sum(int(sizes[group]) for group in open_to_all),
    }


def expect_room(problem: Problem, name: str) -> None:
    """Raise TableError where no two columns can be hidden: one cannot hide the other.

    It is raised for a column with too many values, too. The user calls the defence
    ``name``.
    """
    for column, size in zip(
        problem.table.qi, problem.table.qi_cardinalities, strict=True
    ):
        if size**2 > MOST:
            raise TableError(f"{name}: column {column!r} has too many values, {size:,}")
    if _Room(problem).columns < 2:
        raise TableError(
            f"{name}: needs two quasi-identifiers with two values or more that may be "
            "hidden (see keep and max-level)"
        )


def scales_of(problem: Problem) -> Scales:
    """Return the scales by whose positions groups are published and counted."""
    table, goal = problem.table, problem.objective
    if goal.scales is not None:
        return goal.scales
    if problem.coding.recoding == GENERALIZATION:
        return problem.coding.scales(table)
    return Scales.of(table)


class _Room:
    """What columns can publish beyond what groups ask for, and at which cost."""

    def __init__(self, problem: Problem) -> None:
        table, goal = problem.table, problem.objective
        self.scales = scales_of(problem)
        charged = goal
        if not goal.by_node:
            charged = Objective("gcp", goal.weights, scales=self.scales)
        self._prices = charged.units(table)
        self._kept = goal.kept(table)
        self._by_node = problem.coding.recoding == GENERALIZATION
        self._present = [
            np.unique(scale.positions[np.unique(table.column(column))])
            for column, scale in zip(table.qi, self.scales.scales, strict=True)
        ]

    @property
    def columns(self) -> int:
        """How many columns can be hidden of some row, and then hide something."""
        return sum(
            any(self._wider(j, at, at) is not None for at in present.tolist())
            for j, present in enumerate(self._present)
        )

    def next(self, low: Ints, high: Ints) -> tuple[int, int, int] | None:
        """Return a column and from where to where it is to be hidden, at least cost.

        ``low`` and ``high`` are the least and the greatest position of a group, by
        column. None where no column can be hidden further.
        """
        options = []
        for j, scale in enumerate(self.scales.scales):
            wider = self._wider(j, int(low[j]), int(high[j]))
            if wider is None:
                continue
            ends = np.array([low[j], wider[0]]), np.array([high[j], wider[1]])
            before, after = scale.extents(*ends).tolist()
            cost = self._prices[j] * (after - before)
            options.append((cost, -self._values(j, *wider), j, *wider))
        return min(options)[2:] if options else None

    def _values(self, j: int, low: int, high: int) -> int:
        """Count the values of the table from a position to another one."""
        return int(np.searchsorted(self._present[j], [low, high + 1]) @ [-1, 1])

    def _wider(self, j: int, low: int, high: int) -> tuple[int, int] | None:
        """Return the next range above that has two values or more, if it may be."""
        scale = self.scales.scales[j]
        if self._kept[j] or len(self._present[j]) < 2:
            return None
        layout = scale.layout
        if not self._by_node or layout.tree is None:
            return (0, scale.size - 1) if low == high else None
        node = int(scale.lowest(np.array([low]), np.array([high]))[0])
        while (above := int(layout.parents[node])) != node:
            node = above
            span = int(layout.first[node]), int(layout.last[node])
            if not layout.allowed[node]:
                return None
            if span != (low, high) and self._values(j, *span) > 1:
                return span
        return None


def _known_groups(problem: Problem, best: Partition) -> set[int]:
    """Return the groups whose class closure tells in full, as they are published."""
    coding, table = problem.coding, problem.public
    released = publish(table, best, coding).tables()[""]
    cells = read_cells(released, coding, table)
    bounded = frozenset(coding.max_levels) | {*coding.floors.columns}
    found = set[int]()
    for original in (table, None):
        (classes,) = classes_of([released], cells, original, None, bounded)
        rows = known_in_full(classes)[classes.of_row]
        found |= {*best.groups[rows].tolist()}
    return found
