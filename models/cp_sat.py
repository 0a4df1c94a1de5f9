"""Which rows share a group, pair by pair, in CP-SAT: an independent formulation."""

import math
from itertools import combinations
from typing import Any

import numpy as np

from instances import (
    STARS,
    BoolArray,
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
    expect_parts,
    least_diversity,
    least_size,
)

MAX_ROWS = 60


def cp_sat(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Solves tiny tables exactly: stars or tuples, k-anonymity, l-diversity or both.

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

    There are no groups in the model, hence no symmetry among their numbers, and
    nothing of it is shared with ``assignment_mip`` or ``pattern_ilp``.

    Parameters
    ----------
    table
        At most 60 rows.
    requirement
        ``KAnonymity``, ``LDiversity`` (frequency form; each sensitive column), both.
    objective
        Stars or tuples; weights and ``keep`` are honoured.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Live progress on stderr.
    initial
        A valid partition to start from.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows.

    See Also
    --------
    models.assignment_mip.assignment_mip : rows assigned to groups.

    Notes
    -----
    n^2 / 2 booleans, n^3 / 2 clauses. 10 rows take 0.05 s, 20 rows x 5 columns a
    few seconds.

    Examples
    --------
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> cp_sat(table, KAnonymity(2)).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(Partition.coarsest(table, objective.keep))
    if initial is not None:
        run.offer(initial)
    if run.remaining == 0.0:
        return run.result(Limit.TIME)
    model = _Model(run)
    return run.result(model.solve(seed))
