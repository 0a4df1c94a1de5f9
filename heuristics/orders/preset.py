"""Methods that put the rows on a line and cut it: one function, and a name for each."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.orders.mappings import Mapping, Points
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.runs.method import Method


@dataclass(frozen=True, eq=False)
class RowOrder:
    """All rows in an order, cut into stretches that no group may cross."""

    rows: Ints  # the rows, first to last
    # the places where the stretches begin: rows of one stretch may share a group
    starts: Ints

    @classmethod
    def of(cls, table: Table, apart: Sequence[Int32s], place: Ints) -> "RowOrder":
        """Sort the rows by the place of their row type, within the stretches.

        Rows of one type come with different sensitive values in turn. ``apart`` has
        arrays by row: rows that differ in one are in different stretches, as by
        ``Objective.apart``. ``place`` is by row type.

        Examples
        --------
        >>> rows = [["F", "1"], ["M", "0"], ["F", "0"]]
        >>> table = Table.from_rows(["sex", "q"], rows, qi=["sex", "q"])
        >>> place = table.row_types.codes[:, 1]
        >>> order = RowOrder.of(table, [table.column("sex")], place)
        >>> order.starts.tolist()
        [0, 2]
        """
        turn = np.zeros(table.n, np.int32)
        if table.sensitive:
            types = table.sensitive_types
            by_type = np.argsort(types.inverse, kind="stable")
            begin = np.cumsum(types.counts) - types.counts
            turn[by_type] = np.arange(table.n) - np.repeat(begin, types.counts)
        classes = np.zeros(table.n, np.int32)
        if apart:
            classes = group_by(apart).inverse
        rows = np.lexsort((turn, place[table.row_types.inverse], classes))
        ordered = classes[rows]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        return cls(rows.astype(np.int64), starts.astype(np.int64))

    @classmethod
    def along(
        cls, mapping: Mapping, table: Table, objective: Objective, seed: int
    ) -> "tuple[RowOrder, Ints | Floats]":
        """Return the rows as a mapping puts them on a line, and their numbers there."""
        line = mapping(Points.of(table, objective), seed)
        ranks = line.ranks()
        order = cls.of(table, objective.apart(table), ranks)
        return order, line.values[ranks[table.row_types.inverse[order.rows]]]

    def partition(self, groups: Int32s) -> Partition:
        """Make a partition of the groups of the rows in this order."""
        found = np.empty(len(self.rows), np.int32)
        found[self.rows] = groups
        return Partition(found)

    def consecutive(self, starts: Ints) -> Partition:
        """Make a partition of consecutive groups from the places where they begin.

        Examples
        --------
        >>> order = RowOrder(np.array([2, 0, 1]), np.array([0]))
        >>> order.consecutive(np.array([0, 1])).groups.tolist()
        [1, 1, 0]
        """
        first = np.zeros(len(self.rows), np.int32)
        first[starts[1:]] = 1
        return self.partition(np.cumsum(first, dtype=np.int32))

    def stretches(self) -> list[slice]:
        """Return the places of each stretch."""
        begins, ends = self.starts.tolist(), [*self.starts[1:].tolist(), len(self.rows)]
        return [slice(low, high) for low, high in zip(begins, ends, strict=True)]

    def by_stretch(self, form: Callable[[slice], Int32s]) -> Partition:
        """Make a partition of the groups 0, 1, .. that ``form`` makes of a stretch."""
        groups, many = np.empty(len(self.rows), np.int32), 0
        for stretch in self.stretches():
            groups[stretch] = many + form(stretch)
            many = int(groups[stretch].max()) + 1
        return self.partition(groups)


_DOCSTRING = """{told}

Parameters
----------
table, requirement
    {takes}.
    Rows that differ in columns to be kept are never grouped.
objective
    ``gcp`` with any scales, or stars.
seed
    Draws the sample of ``idistance``; the Hilbert curve and the Gray code are not
    drawn at random.

Raises
------
NotSupportedError
    {refused}

Notes
-----
{cost}

References
----------
G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.

Examples
--------
>>> from starmin.instances import {requirement}, Objective, Scales, Table
>>> rows = [["1", "5", "a"], ["9", "1", "b"], ["2", "5", "b"], ["9", "2", "a"]]
>>> table = Table.from_rows(["p", "q", "s"], rows, ["p", "q"], ["s"])
>>> gcp = Objective("gcp", scales=Scales.of(table, ["p", "q"]))
>>> {name}(table, {requirement}(2), objective=gcp).best.groups.tolist()
[0, 1, 0, 1]
"""

_TAKES = {
    "any": "Any",
    "k": "k-anonymity",
    "l": "l-diversity by frequency, l a whole number; one sensitive column",
}
_NO_TUPLES = "The objective is to suppress few tuples."
_BOUNDARIES = (
    "Several sensitive columns, or more rows and values than the program ends for."
)


def preset(
    method: Method,
    offer: Callable[[Run, int], None],
    told: str,
    cost: str,
    expect: Callable[[Table], None] | None = None,
) -> Callable[..., Result]:
    """Return the method of a declaration that offers groups along a line.

    The function has the name of ``method``, and is in its module. ``offer`` offers a
    run, whose table is feasible, groups along a line; the seed is for the mapping to
    it. ``told`` and ``cost`` are what its docstring says of it, and of its time;
    ``expect`` raises an error for tables that it does not take.
    """

    def found(
        table: Table,
        requirement: Requirement,
        *,
        objective: Objective = STARS,
        seed: int = 0,
        display: bool = False,
    ) -> Result:
        if expect is not None:
            expect(table)
        run = Run(table, requirement, objective, display=display, method=method)
        return run.carry_out(lambda: offer(run, seed))

    (form,) = method.requirements
    found.__name__ = found.__qualname__ = method.name
    found.__module__ = method.module
    found.__doc__ = _DOCSTRING.format(
        name=method.name,
        told=textwrap.dedent(told).strip(),
        cost=textwrap.dedent(cost).strip(),
        takes=_TAKES[form],
        refused=_NO_TUPLES if expect is None else _BOUNDARIES,
        requirement="LDiversity" if form == "l" else "KAnonymity",
    )
    return found
