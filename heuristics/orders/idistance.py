"""Generalization along iDistance, by what the groups lose."""

from starmin.heuristics.cuts.along_mapping import offer_along
from starmin.heuristics.mappings import IDistance
from starmin.heuristics.orders import IDISTANCE
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table


def idistance(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near by iDistance, by their true loss.

    No guarantee. As ``hilbert``, but rows are mapped to the nearest of 512 centres,
    found by k-means in a sample, and lie there by their distance from it.

    Parameters
    ----------
    table, requirement
        Any. Rows that differ in columns to be kept are never grouped.
    objective
        ``gcp`` with any scales, or stars.
    seed
        Draws the sample.

    Raises
    ------
    NotSupportedError
        The objective is to suppress few tuples.

    Notes
    -----
    As ``hilbert``, and 512 distances for each distinct row.

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
    >>> idistance(table, KAnonymity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, display=display, method=IDISTANCE)
    return run.carry_out(lambda: offer_along(run, IDistance(), "ncp", seed))
