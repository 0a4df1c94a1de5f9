"""Generalization along the Hilbert curve, by extents on it."""

from starmin.heuristics.cuts.along_mapping import offer_along
from starmin.heuristics.mappings import Hilbert
from starmin.heuristics.orders import HILBERT_FAST
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table


def hilbert_fast(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near on a Hilbert curve, by their extents on it.

    No guarantee; ``hilbert`` without a look at the columns once rows are mapped. For
    k-anonymity the sum of the extents is least of all groups on the line, in linear
    time. For l-diversity it is the heuristic of the paper: greedy step, fall-back
    step, look-ahead.

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

    Notes
    -----
    O(n) after a sort, O(n log m) for m sensitive values.

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
    >>> hilbert_fast(table, KAnonymity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, display=display, method=HILBERT_FAST)
    return run.carry_out(lambda: offer_along(run, Hilbert(), "extent", seed))
