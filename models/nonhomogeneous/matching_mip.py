"""Non-homogeneous k-anonymity as a mixed-integer program, in pulp."""

import math

import numpy as np
import pulp

from starmin.instances import (
    STARS,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.matching.matching_network import charged_differences
from starmin.models.nonhomogeneous import MATCHING_MIP
from starmin.models.nonhomogeneous.degree_prices import start_model
from starmin.models.nonhomogeneous.matching_flow_tree import release_of_pairs
from starmin.models.solvers.pulp_search import installed_solver, pulp_search

MAX_ROWS = 200


def matching_mip(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: NonHomogeneous | None = None,
    solver: str = "HiGHS",
) -> Result[NonHomogeneous]:
    r"""Solve non-homogeneous k-anonymity exactly on tiny tables.

    The idea: choose the pairs of a k-regular graph of originals and released rows.

    .. math::

        \min \sum_{j,a} w_a z_{ja} \quad \text{subject to} \quad
        \sum_j x_{ij} = k - 1, \quad \sum_i x_{ij} = k - 1, \quad
        z_{ja} \ge x_{ij} \text{ where } i, j \text{ differ in } a,

    over the pairs of different rows, x binary and z continuous. For tuples a single a
    stands for all columns. Rows that differ in a column to be kept are no pair.

    Why it is right. A k-regular bipartite graph is k perfect matchings that share no
    pair, by König. That every row is matched to itself is no loss: take k matchings
    :math:`P_1, .., P_k` as maps of originals to released rows, and give what was
    matched to released row :math:`j = P_k(i)` to released row i instead. The maps
    :math:`P_k^{-1} P_m` share no pair either, the last of them is the identity, and
    released row i now pays for columns on which i differs from an original matched to
    j: one of the two differs from j there, and both were matched to j, which paid for
    that column too.

    Parameters
    ----------
    table, requirement, objective
        At most 200 rows; ``KAnonymity``; stars or tuples; weights and ``keep`` are
        honoured.
    time_limit, display
        Wall-clock seconds; the best release and, where the solver tells it (HiGHS,
        Gurobi), the bound are returned. Progress is shown on stderr.
    initial
        A release with matchings, returned if nothing better is found.
    solver
        Any that pulp finds installed: HiGHS, CBC, GUROBI, CPLEX_PY, ..

    Raises
    ------
    NotSupportedError
        Another requirement, more rows, or a solver that is not installed.

    See Also
    --------
    starmin.models.nonhomogeneous.matching_cp_sat.matching_cp_sat : the same for CP-SAT.
    starmin.models.nonhomogeneous.pair_matching.pair_matching : k = 2, large tables.

    Notes
    -----
    n^2 binaries, d n^2 rows. 12 rows x 8 columns (census, k = 3, 4) take 1 to
    2 s, 16 rows 3 to 4 s.

    References
    ----------
    Murakami and Uno (2018), formulas (4)-(6); Doka et al. (2015) for the program.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> matching_mip(table, KAnonymity(2)).value
    4
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    name = installed_solver(solver)
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, MATCHING_MIP
    )

    def search() -> Limit | None:
        if not start_model(run, initial):
            return Limit.TIME
        problem, x = _program(run, requirement.core.size)

        def offer() -> None:
            pairs = [pair for pair, each in x.items() if round(each.value()) == 1]
            run.offer(release_of_pairs(table, pairs, requirement.core.size))

        return pulp_search(run, problem, name, "matching_mip", offer)

    return run.carry_out(search)


def _program(
    run: Run[NonHomogeneous], k: int
) -> tuple[pulp.LpProblem, dict[tuple[int, int], pulp.LpVariable]]:
    """Return the program, and the variable of each pair."""
    problem = pulp.LpProblem("match", pulp.LpMinimize)
    differ, weights, apart = charged_differences(run.table, run.objective)
    np.fill_diagonal(apart, True)
    x = {
        (i, j): problem.add_variable(f"x_{i}_{j}", cat="Binary")
        for i, j in np.argwhere(~apart).tolist()
    }
    columns, rows = range(len(weights)), range(run.table.n)
    z = [[problem.add_variable(f"z_{j}_{a}", 0, 1) for a in columns] for j in rows]
    problem += pulp.lpSum(
        weight * star
        for record in z
        for weight, star in zip(weights.tolist(), record, strict=True)
    )
    for (i, j), pair in x.items():
        for a in np.flatnonzero(differ[i, j]).tolist():
            problem += z[j][a] >= pair
    for row in rows:
        for end in range(2):
            own = [pair for ends, pair in x.items() if ends[end] == row]
            problem += pulp.lpSum(own) == k - 1
    return problem, x
