"""Rows that stay with their type: the integer program behind ``tuple_ilp``."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import IntArray, RowTypes, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.bounds.residue import UnsuppressedRows, profiles_of, qi_types
from starmin.models.solvers.program import (
    INF,
    Columns,
    Program,
    Rows,
    at_least,
    capped,
    linked,
)


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The rows of a table, or of one class of it, counted."""

    # types, values, counts: for each distinct row by QI and sensitive values: its row
    # type by QI (0, 1, ..; all occur), its q sensitive values, its multiplicity
    types: Int32s
    values: Int32s
    counts: Ints
    heights: Ints  # types x q: how many rows of one value can stay at most
    k: int  # k, l: what every group must satisfy; k = 1 where it asks for no size
    l: int

    @classmethod
    def of(cls, table: Table, types: RowTypes, most: UnsuppressedRows) -> "CountedRows":
        """Count the rows of a table, as the program needs them."""
        if most.l > 1:
            of_type, values = qi_types(table), types.sensitive
        else:
            of_type = np.arange(len(types), dtype=np.int32)
            values = np.zeros((len(types), 1), np.int32)
        # Groups that are l-diverse have l rows at least.
        k = most.k if most.k > most.l else 1
        return cls(of_type, values, types.counts, most.heights, k, most.l)

    @property
    def q(self) -> int:
        """Number of sensitive columns (k-anonymity alone: one without values)."""
        return int(self.heights.shape[1])

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.counts.sum())

    @property
    def most(self) -> Ints:
        """How many copies of each distinct row can stay at most."""
        lowest = self.heights.min(axis=1)
        return np.asarray(np.minimum(self.counts, lowest[self.types]))

    @property
    def is_feasible(self) -> bool:
        """Whether all rows may leave."""
        columns = self.values.T
        highest = max(np.bincount(v, self.counts).max(initial=0) for v in columns)
        return bool(self.n >= max(self.k, self.l * highest))

    @property
    def least_leaving(self) -> int:
        """How many rows must leave a small table: its residue bound."""
        highest = max(residue_heights(self))
        total = self.n - int(self.most.sum())
        return max(total, self.k, self.l * highest) if highest else 0

    def select(self, distinct_rows: Bools | IntArray) -> "CountedRows":
        """Return the problem of some distinct rows; their types are renumbered."""
        used, types = np.unique(self.types[distinct_rows], return_inverse=True)
        return replace(
            self,
            types=types.astype(np.int32),
            values=self.values[distinct_rows],
            counts=self.counts[distinct_rows],
            heights=self.heights[used],
        )


def tuple_program(problem: CountedRows, able: Bools, bound: int) -> Program:
    """Write the program of ``tuple_ilp``; its first columns are the copies that stay.

    Its columns: copies of each distinct row marked in ``able``; heights of each type
    in each sensitive column; the height of the residue in each; with k > 1, whether
    anything stays of each type.
    """
    made, part, k, l = Columns(), problem.select(able), problem.k, problem.l
    low = residue_heights(problem)
    stay = made.add(len(part.counts), -1, part.most, integer=False)
    heights = [made.add(len(part.heights), 0, most) for most in part.heights.T]
    residues = made.add(problem.q, 0, problem.n // l, lower=low)
    rows, one = list[Rows](), np.zeros(len(stay), np.int64)
    for j, h in enumerate(heights):  # l-diversity of what stays of each type
        values, residue = part.values[:, j], residues[j : j + 1]
        pairs = group_by([part.types, values])
        rows.append(capped(h[part.types[pairs.first]], pairs.inverse, stay))
        rows.append(at_least(part.types, stay, h, l))
        # And of the rest. Rare values can leave altogether without exceeding the
        # residue's least height.
        totals = np.bincount(problem.values[:, j], problem.counts)
        often = np.flatnonzero(totals > low[j])
        number = np.full(len(totals), -1)
        number[often] = np.arange(len(often))
        those, each = np.flatnonzero(number[values] >= 0), np.arange(len(often))
        leave = number[values[those]], stay[those], 1
        height = each, np.repeat(residue, len(often)), 1
        rows.append(Rows.of(len(often), totals[often], INF, leave, height))
        rest = (one, stay, 1), (one[:1], residue, l)
        rows.append(Rows.of(1, -INF, problem.n, *rest))
    leaving = problem.n - max(bound, k)
    rows.append(Rows.of(1, -INF, leaving, (one, stay, 1)))
    if k > 1:
        opens = made.add(len(part.heights))
        rows.append(at_least(part.types, stay, opens, k))
        most = part.heights.T
        rows += [linked(h, opens, m) for h, m in zip(heights, most, strict=True)]
    return made.program(rows)


def residue_heights(problem: CountedRows) -> list[int]:
    """Return the least height of the residue in each sensitive column."""
    one = np.zeros(len(problem.heights), np.int32)
    profiles = profiles_of(problem.types, problem.values, problem.counts)
    stays = zip(profiles, problem.heights.T, strict=True)
    return [int(each.most_suppressed(most, one)[0]) for each, most in stays]
