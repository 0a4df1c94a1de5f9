"""Whether patterns are too many to list, or even to walk over."""

import math

from starmin.instances import Objective, RowTypes, Run, Table
from starmin.models.price_unit import is_fine

_MOST_PAIRS = 2**36  # of a vector of nodes and a row type
_MOST_WALKED = 2**44  # likewise, of which prices rule out most before they are met

_MOST_LISTED = 2**26  # likewise, where columns are kept or starred
_LISTED_PER_SECOND = 1_000_000  # of the time, so that a fifth of it is enough to list
_SET = 400  # A set of columns takes as long as so many pairs.
_MOST_LISTED_NODES = 2**22


def is_wide(
    table: Table, types: RowTypes, objective: Objective, seconds: float = math.inf
) -> bool:
    """Return whether all closed patterns are too many to list in so many seconds."""
    vectors = objective.vectors_above(table)
    if objective.by_node:
        return vectors * len(types) > _MOST_LISTED_NODES
    most = min(_MOST_LISTED, _LISTED_PER_SECOND * seconds)
    return vectors * (len(types) + _SET) > most


def has_too_many_nodes(run: Run) -> bool:
    """Return whether groups are to be looked for among rows, not among nodes."""
    table, diverse = run.table, run.requirement.core.diversity > 1
    types = table.sensitive_types if diverse else table.row_types
    pairs = run.objective.vectors_above(table) * len(types)
    most = _MOST_PAIRS if run.objective.by_node else _MOST_WALKED
    return pairs > most


def looks_at_rows(table: Table, types: int, objective: Objective) -> bool:
    """Return whether bounds are to come from rows alone.

    There are more vectors of nodes than a walk passes over in time; fewer where losses
    are so fine that none is made. ``types`` is the number of row types.
    """
    pairs = objective.vectors_above(table) * types
    return pairs > _MOST_WALKED or (pairs > _MOST_PAIRS and is_fine(objective, table))
