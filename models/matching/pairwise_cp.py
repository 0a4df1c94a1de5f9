"""Which rows share a group, pair by pair, in CP-SAT: an independent formulation."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Ints
from starmin.models.matching import PAIRWISE_CP
from starmin.models.matching.matching_network import charged_differences
from starmin.models.solvers.cp_sat_search import Watcher, search

MAX_ROWS = 60


def pairwise_cp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Solve tiny tables exactly: stars or tuples, k-anonymity, l-diversity or both.

    The idea: a partition is an equivalence relation. Booleans say for each pair of
    rows whether they share a group; a row must be starred where some row of its group
    differs from it.

    .. math::

        \min \sum_{i,a} w_a z_{ia} \quad \text{subject to} \quad
        & e_{ij} \wedge e_{jh} \Rightarrow e_{ih}, \qquad
          e_{ij} \Rightarrow z_{ia} \wedge z_{ja} \text{ where } i, j
          \text{ differ in } a, \\
        & \sum_j e_{ij} \ge k, \qquad
          l \sum_{j : v(j) = v(i)} e_{ij} \le \sum_j e_{ij},

    :math:`e_{ii}` being 1. For tuples one :math:`z_i` stands for all columns. Pairs
    that differ in a column to be kept share no group.

    Why it is right. The implications make e an equivalence relation. A column that
    is not constant in a group has, for every row of it, a row with another value, so
    every row pays. The most frequent value of a group is that of some row, so it is
    enough that the value of each row is not too frequent.

    The relaxation is weak. It helps that each row pays at least its distance to the
    (k-1)-th nearest row, and to the (l-1)-th nearest one of another value.

    There are no groups in the model, hence no symmetry among their numbers, and
    nothing of it is shared with ``assignment_mip`` or ``pattern_ilp``.

    Parameters
    ----------
    table, requirement, objective
        At most 60 rows; ``KAnonymity``, ``LDiversity`` (frequency form; each sensitive
        column), both; stars or tuples; weights and ``keep`` are honoured.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows.

    See Also
    --------
    starmin.models.matching.assignment_mip.assignment_mip : rows assigned to groups.

    Notes
    -----
    n^2 / 2 booleans, n^3 / 2 clauses. 10 rows take 0.05 s, 20 rows x 5 columns 1 to 20
    seconds.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> pairwise_cp(table, KAnonymity(2)).value
    4
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run(table, requirement, objective, time_limit, display, PAIRWISE_CP)

    def search() -> Limit | None:
        run.offer(Partition.coarsest(table, objective))
        if initial is not None:
            run.offer(initial)
        return Limit.TIME if run.remaining == 0.0 else _Model(run).solve(seed)

    return run.carry_out(search)


class _Model(Watcher):
    """Variables, constraints, objective; and the search."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run
        self.cp = cp_model.CpModel()
        self.pairs: dict[tuple[int, int], Any] = {}
        of_pairs = charged_differences(run.table, run.objective)
        self.differ, self.weights, apart = of_pairs
        self.together = self._make_pairs(apart)
        self._link_triples()
        self._require_groups()
        self._charge_rows()

    def _make_pairs(self, apart: Bools) -> list[list[Any]]:
        """Return for two rows whether they share a group: a boolean or a constant."""
        n = self.run.table.n
        together = [[self.cp.new_constant(1)] * n for _ in range(n)]
        never = self.cp.new_constant(0)
        for i, j in combinations(range(n), 2):
            if not apart[i, j]:
                self.pairs[i, j] = self.cp.new_bool_var("")
            together[i][j] = together[j][i] = self.pairs.get((i, j), never)
        return together

    def _link_triples(self) -> None:
        for i, j, h in combinations(range(self.run.table.n), 3):
            sides = self.together[i][j], self.together[j][h], self.together[i][h]
            for a, b, c in (sides, sides[1:] + sides[:1], sides[2:] + sides[:2]):
                self.cp.add_bool_or(~a, ~b, c)

    def _require_groups(self) -> None:
        table, requirement = self.run.table, self.run.requirement
        k, l = requirement.core.size, requirement.core.diversity
        for i, row in enumerate(self.together):
            if k > 1:
                self.cp.add(sum(row) >= k)
            for column in table.sensitive if l > 1 else ():
                value = table.column(column)
                same = [row[j] for j in np.flatnonzero(value == value[i])]
                self.cp.add(l * sum(same) <= sum(row))

    def _charge_rows(self) -> None:
        differ, weights, costs = self.differ, self.weights, []
        least_costs = list(self._least_costs(differ @ weights))
        self.run.raise_bound(sum(least_costs), "pairwise_cp")
        for i, least in enumerate(least_costs):
            starred = [self.cp.new_bool_var("") for _ in weights]
            for j, a in np.argwhere(differ[i]):
                self.cp.add_implication(self.together[i][j], starred[a])
            costs.append(sum(int(w) * z for w, z in zip(weights, starred, strict=True)))
            self.cp.add(costs[-1] >= least)
        self.cp.minimize(sum(costs))

    def _least_costs(self, distance: Ints) -> Iterator[int]:
        """Yield what each row pays at least for k - 1 others, l - 1 of other values."""
        table, requirement = self.run.table, self.run.requirement
        k, l = requirement.core.size, requirement.core.diversity
        for i, nearest in enumerate(np.sort(distance, axis=1)):
            least = nearest[k - 1]  # the row itself comes first
            for column in table.sensitive if l > 1 else ():
                others = table.column(column) != table.column(column)[i]
                least = max(least, np.sort(distance[i, others])[l - 2])
            yield int(least)

    def solve(self, seed: int) -> Limit | None:
        """Search until it is proven or stopped; offer to the run what is found."""
        if self.run.best is not None:
            groups = self.run.best.groups
            for (i, j), pair in self.pairs.items():
                self.cp.add_hint(pair, bool(groups[i] == groups[j]))
        return search(self.cp, self.run, self, "pairwise_cp", seed)

    def release(self) -> Partition:
        """Return the groups, numbered by their first rows."""
        labels = np.arange(self.run.table.n)
        for (i, j), pair in self.pairs.items():
            if self.boolean_value(pair):
                labels[j] = min(labels[j], i)
        return Partition.from_labels(labels)
