"""TP+: TP, and its residue regrouped by another heuristic."""

from collections.abc import Callable

import numpy as np

from heuristics.orders.hilbert_suppression import hilbert_suppression
from heuristics.three_phase.three_phase import check_three_phase, run_phases
from instances import STARS, Objective, Partition, Requirement, Result, Run, Table


def three_phase_hybrid(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    inner: Callable[..., Result] = hilbert_suppression,
) -> Result:
    """Approximates star minimisation under l-diversity within ratio l d.

    Never worse than TP, whose guarantees it keeps (tuples: optimal, optimal + l - 1 or
    ratio l, by phase); mostly far better in stars.

    The idea: TP leaves groups without a star and one residue, all of whose rows are
    suppressed in all columns on which any two of them differ. The residue is a table
    that is l-diverse as a whole; any heuristic splits it into groups that differ in
    fewer columns. The better of the two partitions is returned.

    Parameters
    ----------
    table, requirement
        As for ``three_phase``.
    objective
        Stars or tuples; no column can be kept.
    inner
        The heuristic for the rows of the residue: called as ``inner(table,
        requirement, objective=objective)``. Default: ``hilbert_suppression``,
        as in the paper.

    Returns
    -------
    Result
        ``stats``: as for ``three_phase``, and ``three_phase_value``, the value of TP.

    Raises
    ------
    NotSupportedError
        As for ``three_phase``.

    Notes
    -----
    The time of TP and of the inner heuristic.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, sections 5.6 and 6.1.

    Examples
    --------
    >>> from instances import LDiversity
    >>> rows = [["0", "0", "a"], ["0", "1", "b"], ["1", "0", "a"], ["1", "1", "b"]]
    >>> table = Table.from_rows(["p", "q", "s"], rows, qi=["p", "q"], sensitive=["s"])
    >>> result = three_phase_hybrid(table, LDiversity(2))
    >>> result.value, result.stats["three_phase_value"]
    (4, 8)
    """
    l = check_three_phase(table, requirement, objective)
    run = Run(table, requirement, objective, display=display)
    if no := run.infeasible():
        return no
    outcome = run_phases(table, l)
    run.raise_bound(outcome.objective_bound(table, objective), "residue")
    run.offer(Partition(outcome.groups))
    stats = outcome.stats() | {"three_phase_value": run.value or 0}
    if outcome.residue and not run.closed:
        first = int(outcome.groups.max())
        rows = np.flatnonzero(outcome.groups == first)
        part = inner(table.take(rows), requirement, objective=objective)
        if part.best is not None:
            groups = outcome.groups.copy()
            groups[rows] = first + part.best.groups
            run.offer(Partition(groups))
    return run.result(stats=stats)
