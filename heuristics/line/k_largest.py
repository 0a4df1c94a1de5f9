"""Generalization along the Hilbert curve, by the largest extent on it."""

from starmin.heuristics.line import K_LARGEST
from starmin.heuristics.line.rows_on_line import offer_cut
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.models.one_dimensional import k_largest as program


def k_largest(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near on a Hilbert curve by the largest extent on it.

    The largest extent of the groups on the line is the least of all; no guarantee for
    what they lose in the table.

    Parameters
    ----------
    table, requirement
        k-anonymity. Rows that differ in columns to be kept are never grouped.
    objective
        ``gcp`` with any scales, or stars.
    seed
        Changes nothing: the curve is not drawn at random.

    Raises
    ------
    NotSupportedError
        The objective is to suppress few tuples.

    See Also
    --------
    starmin.models.one_dimensional.k_largest : the program.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [["1"], ["9"], ["2"], ["8"], ["5"]]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> k_largest(table, KAnonymity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1, 0]
    """
    run = Run(table, requirement, objective, display=display, method=K_LARGEST)
    k = requirement.core.size
    return run.carry_out(
        lambda: offer_cut(run, lambda values: program.k_largest(values, k), seed)
    )
