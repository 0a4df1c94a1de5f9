"""Generalization along the Hilbert curve, by what the groups lose."""

from starmin.heuristics.cuts.along_mapping import offer_along
from starmin.heuristics.mappings import Hilbert
from starmin.heuristics.orders import HILBERT
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table


def hilbert(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near on a Hilbert curve, by their true loss.

    No guarantee. Rows are mapped to their places on the curve; numbers fill their
    axis in proportion, the leaves of a taxonomy in their order. For k-anonymity groups
    of consecutive rows are optimal among these, by dynamic programming over their
    sizes times NCP. For l-diversity the best of three greedy heuristics along the
    curve is kept: the one of the paper, and two that choose rows by NCP.

    Parameters
    ----------
    table, requirement
        Any. Rows that differ in columns to be kept are never grouped.
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
    hilbert_fast : by extents on the curve; for l-diversity the heuristic of the paper.
    gray_order : better where columns are flat.

    Notes
    -----
    O(n k d) after a sort, O(n m d) for m sensitive values.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.scales.scales import Scales
    >>> rows = [["1", "5"], ["9", "1"], ["2", "5"], ["9", "2"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["p", "q"]))
    >>> hilbert(table, KAnonymity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, display=display, method=HILBERT)
    return run.carry_out(lambda: offer_along(run, Hilbert(), "ncp", seed))
