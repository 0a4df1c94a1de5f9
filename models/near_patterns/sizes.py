"""For which tables the patterns near the least cost are listed."""

import math

from starmin.instances import KAnonymity, Objective, Requirement, RowTypes, Table
from starmin.models.patterns.patterns import star_pairs

MOST_TYPES = 4_500_000  # whose near patterns are listed at once, at about 2 kB each
MOST_PAIRS = 2**26  # of a set of starred columns and a row type


def takes_near(
    table: Table, types: RowTypes, requirement: Requirement, objective: Objective
) -> bool:
    """Check whether all patterns are too many to list, but the near ones are not."""
    plain = all(isinstance(part, KAnonymity) for part in requirement.parts)
    if not plain or not objective.by_star:
        return False
    return MOST_PAIRS < star_pairs(table, types, objective) < math.inf
