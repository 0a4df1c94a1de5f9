"""Generalization along the Hilbert curve, by size times extent on it."""

import numpy as np

from starmin.heuristics.line import K_ORDER
from starmin.heuristics.line.rows_on_line import offer_cut
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.arrays import Floats, Ints
from starmin.models.one_dimensional import k_order as program
from starmin.models.one_dimensional.sorted_values import Values


def k_order(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near on a Hilbert curve by their number times their extent.

    The best of consecutive groups on the line; no guarantee for what they lose in the
    table. ``hilbert`` asks the columns what groups lose.

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
    starmin.models.one_dimensional.k_order : the program.

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
    >>> k_order(table, KAnonymity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1, 0]
    """
    run = Run(table, requirement, objective, display=display, method=K_ORDER)
    return run.carry_out(
        lambda: offer_cut(run, lambda x: _by_size(x, requirement.core.size), seed)
    )


def _by_size(values: Values, k: int) -> Ints:
    """Return where groups begin of which sizes times extents add up to the least."""

    def loss(begin: Ints, end: Ints) -> Floats:
        # Differences of whole numbers are exact; as floats they may be rounded.
        extents: Floats = (values[end - 1] - values[begin]).astype(np.float64)
        return (end - begin) * extents

    return program.k_order(loss, len(values), k)
