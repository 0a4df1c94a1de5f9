"""Generalization along the reflected Gray code, by what the groups lose."""

from starmin.heuristics.cuts.along_mapping import offer_along
from starmin.heuristics.mappings import Gray
from starmin.heuristics.orders import GRAY_ORDER
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table


def gray_order(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near in the reflected Gray code, by their true loss.

    No guarantee. As ``hilbert``, but rows are sorted, the axes with the fewest places
    first, every other run backwards. Where most columns are flat (stars) or have few
    values, this loses less than the Hilbert curve, which takes all columns as alike.

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
    As ``hilbert``. 50,000 census rows, age and education numeric, five columns flat,
    k = 10: GCP 0.092, 0.182 on the Hilbert curve; all but gender numeric: 0.052 and
    0.042.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "5"], ["9", "1"], ["1", "5"], ["9", "2"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> gray_order(table, KAnonymity(2)).best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, display=display, method=GRAY_ORDER)
    return run.carry_out(lambda: offer_along(run, Gray(), "ncp", seed))
