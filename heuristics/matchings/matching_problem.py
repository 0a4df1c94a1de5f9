"""The problem of an objective."""

from starmin.heuristics.matchings.mask_arrays import MaskArrays, star_problem
from starmin.heuristics.matchings.range_problem import range_problem
from starmin.instances import Objective, Table


def pose(table: Table, objective: Objective, seed: int = 0) -> MaskArrays:
    """Pose the problem for stars and tuples, or for losses by generalization.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["2"]], qi=["a"])
    >>> [pose(table, Objective(kind)).unit for kind in ("stars", "gcp")]
    [1, 64]
    """
    of = range_problem if objective.by_node else star_problem
    return of(table, objective, seed)
