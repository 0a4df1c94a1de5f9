"""The linear relaxation over pairs and triples, with columns and odd sets added."""

from typing import Any

import numpy as np
from scipy import sparse

from starmin.instances.arrays import Floats
from starmin.models.simplex_matching.odd_sets import matrix_of
from starmin.models.simplex_matching.pairs_and_triples import Groups
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.program import INF, Program, Rows


class Relaxation:
    """A linear program: each row in one group, and odd sets cut by a group at least.

    Of the first ``groups`` a release can be made; later they are the columns so far.
    Not to cut an odd set costs ``penalty``, which keeps the program feasible until the
    groups that are needed have been added, and the prices of odd sets below it.
    ``sets`` is the sparse matrix of odd sets and types; ``uses`` says how often the
    last solution uses each group, and ``prices`` and ``set_prices`` are its dual
    values: of types and of odd sets.
    """

    def __init__(self, groups: Groups, penalty: float) -> None:
        self.groups, self._penalty = groups, penalty
        self.sets = matrix_of([], len(groups.counts))
        self._column = np.arange(len(groups))
        self._columns = len(groups)
        self._solver = LinearSolver(packing_program(groups, groups.counts, self.sets))
        self.uses: Floats = np.zeros(len(groups))
        self.prices: Floats = np.zeros(len(groups.counts))
        self.set_prices: Floats = np.zeros(0)

    def solve(self, time_limit: float) -> bool:
        """Solve it; whether it was solved in time."""
        solution = self._solver.solve(time_limit)
        if solution is None:
            return False
        types = len(self.groups.counts)
        self.uses = solution.x[self._column]
        self.prices = solution.dual[:types]
        self.set_prices = np.maximum(solution.dual[types:], 0)
        return True

    def add_groups(self, groups: Groups) -> None:
        """Add columns that are not among the columns yet."""
        entries = sparse.hstack([groups.incidence(), groups.odd(self.sets)]).tocsr()
        self._solver.add_columns(groups.cost.astype(float), entries)
        self._column = np.append(self._column, self._columns + np.arange(len(groups)))
        self._columns += len(groups)
        self.groups = self.groups.join(groups)

    def add_sets(self, sets: Any) -> None:
        """Add odd sets, and for each a column that stands in for a group."""
        first, number = self.sets.shape[0], sets.shape[0]
        odd = self.groups.odd(sets).tocoo()
        one = np.ones(number)
        columns = self._column[odd.row]
        self._solver.add(Rows(odd.col, columns, odd.data.astype(float), one, one * INF))
        rows = len(self.groups.counts) + first + np.arange(number)
        shape = (number, len(self.groups.counts) + first + number)
        stand_ins = sparse.csr_array((one, (np.arange(number), rows)), shape=shape)
        self._solver.add_columns(self._penalty * one, stand_ins)
        self._columns += number
        self.sets = sparse.vstack([self.sets, sets]).tocsr()


def packing_program(groups: Groups, rows: Any, sets: Any) -> Program:
    """Return the integer program that packs so many rows of each type into groups.

    Its columns are the groups; ``rows`` is by type how many are to be packed, and
    ``sets`` the sparse matrix of odd sets and types.
    """
    entries, odd = groups.incidence().tocoo(), groups.odd(sets).tocoo()
    exact = np.asarray(rows, float)
    least = np.ones(sets.shape[0])
    zero = np.zeros(len(groups))
    return Program(
        groups.cost.astype(float),
        zero,
        np.full(len(groups), INF),
        np.ones(len(groups), bool),
        (
            Rows(entries.col, entries.row, entries.data.astype(float), exact, exact),
            Rows(odd.col, odd.row, odd.data.astype(float), least, INF + least),
        ),
    )
