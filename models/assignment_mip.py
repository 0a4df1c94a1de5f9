"""The textbook group-assignment program, in pulp: tiny tables, any solver."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pulp

from instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    check_writable,
    expect_parts,
    least_diversity,
    least_size,
)


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
    r"""Solves tiny tables exactly: stars or tuples, k-anonymity, l-diversity or both.

    Rows are assigned to groups, group g being named by its first row: ``x[i, g]``
    says that row :math:`i \ge g` is in it, ``x[g, g]`` that there is such a group;
    ``z[g, a]`` that column a is starred there, ``c[i]`` what row i pays.

    .. math::
        \min \sum_i c_i \quad
        & \sum_{g \le i} x_{ig} = 1, \quad x_{ig} \le x_{gg} \\
        & \sum_i x_{ig} \ge k\, x_{gg}, \quad
          l \sum_{i: SA_i = v} x_{ig} \le \sum_i x_{ig} \\
        & z_{ga} \ge x_{ig} \quad \text{if row i differs from row g in column a} \\
        & c_i \ge \sum_a w_a z_{ga} - W (1 - x_{ig}), \quad W = \sum_a w_a

    For tuples :math:`c_i \ge z_{ga} + x_{ig} - 1` for every a. Rows that differ from
    each other differ from the first one of the group, so ``z`` needs no more rows;
    that the first row names the group breaks the symmetry between groups.

    Parameters
    ----------
    table, requirement, objective
        The problem; weights, kept columns and several sensitive columns too.
    time_limit
        Wall-clock seconds.
    display
        Print progress to stderr.
    initial
        A release to compare with; the solver starts on its own.
    solver
        Any that pulp finds installed: ``HiGHS``, ``PULP_CBC_CMD`` (or ``CBC``),
        ``GUROBI``, ``CPLEX_PY``, ..
    export
        Also write the program to this file, ``.lp`` or ``.mps``.

    Raises
    ------
    NotSupportedError
        Another requirement, or a solver that is not there.
    TableError
        The file to export to cannot be written.

    See Also
    --------
    models.pattern_ilp, models.tuple_ilp : for real tables.

    Notes
    -----
    n^2 binaries and a weak relaxation: ten rows take about a second, twenty can take
    minutes.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> assignment_mip(table, KAnonymity(2)).value
    2
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    backend = _backend(solver)
    if export is not None:
        _check_export(export)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    formulation = _Formulation(run)
    if export is not None:
        _export(formulation.problem, export)
    if run.remaining == 0:
        return run.result(Limit.TIME)
    backend.timeLimit = run.remaining if math.isfinite(time_limit) else None
    try:
        formulation.problem.solve(backend)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    problem = formulation.problem
    if problem.sol_status in (
        pulp.LpSolutionOptimal,
        pulp.LpSolutionIntegerFeasible,
    ):
        run.offer(formulation.partition())
    if problem.sol_status != pulp.LpSolutionOptimal:
        return run.result(Limit.TIME)
    bound = math.ceil(pulp.value(problem.objective) - 1e-6)
    run.raise_bound(bound, f"assignment_mip ({solver})")
    return run.result()


def _backend(name: str) -> Any:
    installed = pulp.listSolvers(onlyAvailable=True)
    wanted = {"CBC": "PULP_CBC_CMD", "GUROBI": "GUROBI", "CPLEX": "CPLEX_PY"}
    known = {each.lower(): each for each in installed}
    found = known.get(wanted.get(name.upper(), name).lower())
    if found is None:
        raise NotSupportedError(
            f"Expected an installed solver, got {name!r}; these are: "
            f"{', '.join(installed)}."
        )
    options = {"gapRel": 0.0} if found in ("HiGHS", "PULP_CBC_CMD") else {}
    return pulp.getSolver(found, msg=False, **options)


def _check_export(path: Path) -> None:
    if path.suffix not in (".lp", ".mps"):
        raise NotSupportedError(f"Expected a file .lp or .mps, got {path}.")
    check_writable(path)


def _export(problem: Any, path: Path) -> None:
    write = problem.writeLP if path.suffix == ".lp" else problem.writeMPS
    write(str(path))


class _Formulation:
    """The program and its variables."""

    def __init__(self, run: Run) -> None:
        self.run, table = run, run.table
        self.problem = pulp.LpProblem("group_assignment", pulp.LpMinimize)
        self.codes = np.stack([table.column(c) for c in table.qi], axis=1)
        self.pairs = [(i, g) for i in range(table.n) for g in range(i + 1)]
        self.x = self.problem.add_variable_dicts("x", self.pairs, cat=pulp.LpBinary)
        self.starred = [(g, a) for g in range(table.n) for a in range(table.d)]
        self.z = self.problem.add_variable_dicts("z", self.starred, 0, 1)
        self.c = self.problem.add_variable_dicts("c", range(table.n), 0)
        self.problem += pulp.lpSum(self.c.values())
        self._assign()
        self._private()
        self._star()
        self._pay()

    def _assign(self) -> None:
        for i in range(self.run.table.n):
            self.problem += pulp.lpSum(self.x[i, g] for g in range(i + 1)) == 1
            for g in range(i):
                self.problem += self.x[i, g] <= self.x[g, g]

    def _private(self) -> None:
        table = self.run.table
        k = least_size(self.run.requirement)
        l = least_diversity(self.run.requirement)
        for g in range(table.n):
            rows = range(g, table.n)
            size = pulp.lpSum(self.x[i, g] for i in rows)
            self.problem += size >= k * self.x[g, g]
            for column in table.sensitive if l > 1 else ():
                values = table.column(column)
                for value in np.unique(values):
                    alike = [self.x[i, g] for i in rows if values[i] == value]
                    self.problem += l * pulp.lpSum(alike) <= size

    def _star(self) -> None:
        kept = self.run.objective.kept(self.run.table)
        for i, g in self.pairs:
            for a in np.flatnonzero(self.codes[i] != self.codes[g]):
                if kept[a]:
                    self.problem += self.x[i, g] == 0
                else:
                    self.problem += self.z[g, int(a)] >= self.x[i, g]

    def _pay(self) -> None:
        table, objective = self.run.table, self.run.objective
        weights = [int(w) for w in objective.column_weights(table)]
        for i, g in self.pairs:
            stars = [self.z[g, a] for a in range(table.d)]
            if objective.kind == "tuples":
                for star in stars:
                    self.problem += self.c[i] >= star + self.x[i, g] - 1
                continue
            paid = pulp.lpDot(weights, stars)
            self.problem += self.c[i] >= paid - sum(weights) * (1 - self.x[i, g])

    def partition(self) -> Partition:
        """The groups of the solution."""
        labels = np.zeros(self.run.table.n, np.int64)
        for (i, g), variable in self.x.items():
            if variable.value() is not None and variable.value() > 0.5:
                labels[i] = g
        return Partition.from_labels(labels)
