"""For which tables the patterns near the least cost are listed."""

from instances import KAnonymity, Objective, Requirement, RowTypes, Table

MOST_COLUMNS = 12
MOST_TYPES = 4_500_000  # whose near patterns are listed at once, at about 2 kB each
MOST_PAIRS = 2**26  # of a set of starred columns and a row type


def takes_near(
    table: Table, types: RowTypes, requirement: Requirement, objective: Objective
) -> bool:
    """Check whether all patterns are too many to list, but the near ones are not."""
    columns = int((~objective.kept(table)).sum())
    plain = all(isinstance(part, KAnonymity) for part in requirement.parts)
    pairs = len(types) << min(columns, 40)
    few = columns <= MOST_COLUMNS and objective.kind == "stars"
    return plain and few and pairs > MOST_PAIRS
