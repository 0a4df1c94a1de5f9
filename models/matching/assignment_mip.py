"""Rows assigned to groups: the textbook mixed-integer program, in pulp."""

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pulp

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
    TableError,
    write_atomically,
)
from starmin.instances.arrays import Int32s
from starmin.models.matching import ASSIGNMENT_MIP
from starmin.models.matching.matching_network import charged_differences
from starmin.models.solvers.pulp_search import installed_solver, pulp_search

MAX_ROWS = 60


def assignment_mip(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: Partition | None = None,
    solver: str = "HiGHS",
    export: Path | None = None,
) -> Result:
    r"""Solve tiny tables exactly: stars or tuples, k-anonymity, l-diversity or both.

    The idea: a group is named after its first row; every row is assigned to itself
    or to an earlier row.

    .. math::

        \min \sum_{i,a} w_a u_{ia} \quad \text{subject to} \quad
        & \sum_{g \le i} x_{ig} = 1, \qquad x_{ig} \le x_{gg}, \qquad
          \sum_i x_{ig} \ge k\, x_{gg}, \\
        & l \sum_{i : v(i) = v} x_{ig} \le \sum_i x_{ig}
          \quad \text{for each sensitive value } v, \\
        & z_{ga} \ge x_{ig} \text{ where } i, g \text{ differ in } a, \qquad
          u_{ia} \ge z_{ga} + x_{ig} - 1,

    x binary, z and u continuous. For tuples a single a stands for all columns. Rows
    that differ in a column to be kept are not assigned to each other.

    Why it is right. :math:`x_{gg} = 1` opens group g. A column is starred in it if
    and only if some row differs from row g there. Naming groups after their first row
    removes the symmetry among their numbers; x being binary, the least z and u are 0
    or 1.

    Parameters
    ----------
    table, requirement, objective
        At most 60 rows; ``KAnonymity``, ``LDiversity`` (frequency form; each sensitive
        column), both; stars or tuples; weights and ``keep`` are honoured.
    solver
        Any that pulp finds installed: HiGHS, CBC, GUROBI, CPLEX_PY, .. HiGHS and Gurobi
        tell a bound, too, where the time ends.
    export
        File for the model, ``.lp`` or ``.mps``; written before it is solved.

    Raises
    ------
    NotSupportedError
        Another requirement, more rows, or a solver that is not installed.
    TableError
        The model cannot be exported to such a file.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp.pattern_ilp :
        the formulation for real tables.
    starmin.models.matching.pairwise_cp.pairwise_cp :
        pairs of rows, an independent model.

    Notes
    -----
    n^2 / 2 binaries, about d n^2 rows; its relaxation is weak: 8 rows take 0.1 s, 10
    rows x 4 columns 3 s, 12 rows 10 s and more.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> assignment_mip(table, KAnonymity(2)).value
    4
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    name = installed_solver(solver)
    run = Run(table, requirement, objective, time_limit, display, ASSIGNMENT_MIP)

    def search() -> Limit | None:
        model = _Model(run)
        if export is not None:
            _export(model.problem, export)
        run.offer(Partition.coarsest(table, objective))
        if initial is not None:
            run.offer(initial)
        return Limit.TIME if run.remaining == 0.0 else model.solve(name)

    return run.carry_out(search)


def _export(problem: pulp.LpProblem, path: Path) -> None:
    """Write the model to a file, as a whole or not at all."""
    writers = {".lp": problem.writeLP, ".mps": problem.writeMPS}
    if path.suffix not in writers:
        raise TableError(f"{path}: expected a file .lp or .mps")
    with tempfile.TemporaryDirectory() as folder, write_atomically(path) as file:
        draft = Path(folder, path.name)
        writers[path.suffix](str(draft))
        file.write(draft.read_bytes())


class _Model:
    """Variables, constraints, objective; and the search."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.problem = pulp.LpProblem("anonymize", pulp.LpMinimize)
        of_pairs = charged_differences(run.table, run.objective)
        self.differ, self.weights, self.apart = of_pairs
        self.x = self._make_assignments()
        self.z = self._make_continuous("z")
        self.u = self._make_continuous("u")
        self._minimise_cost()
        self._assign_each_row()
        self._require_groups()
        self._link_stars()

    def _make_assignments(self) -> dict[tuple[int, int], Any]:
        return {
            (i, g): self.problem.add_variable(f"x_{i}_{g}", cat="Binary")
            for i in range(self.run.table.n)
            for g in range(i + 1)
            if not self.apart[i, g]
        }

    def _make_continuous(self, name: str) -> list[list[Any]]:
        return [
            [
                self.problem.add_variable(f"{name}_{i}_{a}", 0, 1)
                for a in range(len(self.weights))
            ]
            for i in range(self.run.table.n)
        ]

    def _minimise_cost(self) -> None:
        self.problem += pulp.lpSum(
            weight * star
            for row in self.u
            for weight, star in zip(self.weights.tolist(), row, strict=True)
        )

    def _assign_each_row(self) -> None:
        for i in range(self.run.table.n):
            groups = [x for (row, _), x in self.x.items() if row == i]
            self.problem += pulp.lpSum(groups) == 1
        for (i, g), x in self.x.items():
            if i != g:
                self.problem += x <= self.x[g, g]

    def _require_groups(self) -> None:
        table, requirement = self.run.table, self.run.requirement
        k, l = requirement.core.size, requirement.core.diversity
        for g in range(table.n):
            members = {i: x for (i, group), x in self.x.items() if group == g}
            size = pulp.lpSum(members.values())
            if k > 1:
                self.problem += size >= k * self.x[g, g]
            for column in table.sensitive if l > 1 else ():
                for those in _by_value(table.column(column), members):
                    self.problem += l * pulp.lpSum(those) <= size

    def _link_stars(self) -> None:
        for (i, g), x in self.x.items():
            for a, differs in enumerate(self.differ[i, g]):
                self.problem += self.u[i][a] >= self.z[g][a] + x - 1
                if differs:
                    self.problem += self.z[g][a] >= x

    def solve(self, name: str) -> Limit | None:
        """Run the solver; offer what it finds and note what it proves."""
        return pulp_search(self.run, self.problem, name, "assignment_mip", self._offer)

    def _offer(self) -> None:
        chosen = [g for (_, g), x in self.x.items() if round(x.value()) == 1]
        self.run.offer(Partition.from_labels(np.array(chosen)))


def _by_value(values: Int32s, members: dict[int, Any]) -> Iterator[list[Any]]:
    rows = np.array(list(members))
    for value in np.unique(values[rows]):
        yield [members[i] for i in rows[values[rows] == value]]
