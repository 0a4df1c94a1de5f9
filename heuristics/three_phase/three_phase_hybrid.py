"""TP+: TP, and its residue regrouped by another heuristic."""

from collections.abc import Callable

import numpy as np

from starmin.heuristics.orders.hilbert_suppression import hilbert_suppression
from starmin.heuristics.three_phase import THREE_PHASE_HYBRID
from starmin.heuristics.three_phase.three_phase import check_three_phase, offer_phases
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s


def three_phase_hybrid(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    inner: Callable[..., Result] = hilbert_suppression,
) -> Result:
    """Approximate star minimisation under l-diversity within ratio l d.

    Never worse than TP, whose guarantees it keeps (tuples: optimal, optimal + l - 1 or
    ratio l, by phase); mostly far better in stars.

    The idea: TP leaves groups without a star and one residue, all of whose rows are
    suppressed in all columns on which any two of them differ. The residue is a table
    that is l-diverse as a whole; any heuristic splits it into groups that differ in
    fewer columns. The better of the two partitions is returned.

    Parameters
    ----------
    table
        With one sensitive column.
    requirement
        Frequency l-diversity; k-anonymity with k <= l may be joined, for it follows.
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
        Another requirement, columns to keep, not one sensitive column.

    Notes
    -----
    The time of TP and of the inner heuristic.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, sections 5.6 and 6.1.

    Examples
    --------
    >>> from starmin.instances import LDiversity
    >>> rows = [["0", "0", "a"], ["0", "1", "b"], ["1", "0", "a"], ["1", "1", "b"]]
    >>> table = Table.from_rows(["p", "q", "s"], rows, qi=["p", "q"], sensitive=["s"])
    >>> result = three_phase_hybrid(table, LDiversity(2))
    >>> result.value, result.stats["three_phase_value"]
    (4, 8)
    """
    check_three_phase(table, requirement, objective)
    run = Run(table, requirement, objective, display=display, method=THREE_PHASE_HYBRID)

    def search() -> None:
        outcome = offer_phases(run)
        run.stats["three_phase_value"] = run.value or 0
        if outcome.residue and not run.closed:
            _regroup_residue(run, outcome.groups, inner)

    return run.carry_out(search)


def _regroup_residue(run: Run, groups: Int32s, inner: Callable[..., Result]) -> None:
    """Offer the groups with the last one, the residue, split by another heuristic."""
    first = int(groups.max())
    rows = np.flatnonzero(groups == first)
    part = inner(run.table.take(rows), run.requirement, objective=run.objective)
    if part.best is not None:
        regrouped = groups.copy()
        regrouped[rows] = first + part.best.groups
        run.offer(Partition(regrouped))
