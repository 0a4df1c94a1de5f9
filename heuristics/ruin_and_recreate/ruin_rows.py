"""The problem of ruin and recreate, whole or in parts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.heuristics.ruin_and_recreate.group_state import GroupState, group_state
from starmin.heuristics.ruin_and_recreate.guide import Guide
from starmin.heuristics.ruin_and_recreate.nearest_types import nearest_types
from starmin.heuristics.ruin_and_recreate.row_losses import Losses, losses_of
from starmin.instances import Partition, RowTypes, Run
from starmin.instances.arrays import Int32s


@dataclass(frozen=True, eq=False)
class RuinRows:
    """Rows, their types, and what they lose together."""

    losses: Losses  # what rows lose together
    # positions, values, types, kinds: by row: its positions in the columns, its
    # sensitive value, its type, and its type with its value under diversity, else its
    # type
    positions: Int32s
    values: Int32s
    types: npt.NDArray[np.integer]
    kinds: npt.NDArray[np.integer]
    # m x K: types that lose little with each type, the nearest first; -1 for none
    near: Int32s
    # k, l: a group has at least k rows, and no value in more than one of l of them
    k: int
    l: int

    @classmethod
    def of(cls, run: Run, neighbours: int, rng: np.random.Generator) -> "RuinRows":
        """Return the problem of a run, with so many neighbours listed for each type.

        ``rng`` chooses the orders in which they are looked for.
        """
        table, objective = run.table, run.objective
        types, losses = table.row_types, losses_of(table, objective)
        positions = objective.scales_of(table).positions(types.codes)
        l = run.requirement.core.diversity
        kinds = table.sensitive_types if l > 1 else types
        own = np.zeros(table.n, np.int32)
        return cls(
            losses,
            np.ascontiguousarray(positions[types.inverse]),
            table.column(table.sensitive[0]) if l > 1 else own,
            types.inverse,
            kinds.inverse,
            nearest_types(losses, positions, neighbours, rng, run.check_time),
            max(run.requirement.core.size, l),
            l,
        )

    def kinds_of(self, run: Run) -> RowTypes:
        """Return the kinds of the rows of a run."""
        return run.table.sensitive_types if self.l > 1 else run.table.row_types

    def state(self, release: Partition, guide: Guide | None) -> GroupState:
        """Return the state of a release."""
        state = group_state(
            self.losses,
            self.positions,
            self.values,
            self.types,
            self.kinds,
            self.near,
            self.k,
            self.l,
            release,
        )
        return state if guide is None else guided(state, guide)

    def part(
        self, rows: npt.NDArray[np.integer], guide: Guide | None
    ) -> tuple["RuinRows", Guide | None]:
        """Return the problem of some rows, and what a guide says of it."""
        present, types = np.unique(self.types[rows], return_inverse=True)
        number = np.full(len(self.near) + 1, -1, np.int32)  # and that of no type
        number[present] = np.arange(len(present))
        kept, kinds = present, types
        if self.l > 1:
            kept, kinds = np.unique(self.kinds[rows], return_inverse=True)
        own = RuinRows(
            self.losses,
            self.positions[rows],
            self.values[rows],
            types,
            kinds,
            number[self.near[present]],
            self.k,
            self.l,
        )
        return own, None if guide is None else guide.of_part(kept)

    def cut(
        self,
        groups: npt.NDArray[np.integer],
        parts: int,
        rng: np.random.Generator,
    ) -> list[npt.NDArray[np.intp]]:
        """Cut the rows in parts of whole groups that are near to one another.

        Groups are put in a random lexicographic order, each by one of its rows;
        ``groups`` has the group of each row.
        """
        _, first, of, sizes = np.unique(
            groups, return_index=True, return_inverse=True, return_counts=True
        )
        columns = rng.permutation(self.positions.shape[1])
        order = np.lexsort(self.positions[first][:, columns].T)
        order = np.roll(order, -int(rng.integers(len(order))))
        ends = np.cumsum(sizes[order])
        part = np.empty(len(order), np.int64)
        part[order] = (ends - 1) * parts // len(groups)
        return [np.flatnonzero(part[of] == p) for p in range(parts)]


def guided(state: GroupState, guide: Guide) -> GroupState:
    """Return a state whose moves go by a guide."""
    return state._replace(
        worth=guide.worth, pattern_starts=guide.starts, pattern_kinds=guide.kinds
    )
