"""Whether vectors of nodes are too many to walk over, so that rows prove bounds."""

from starmin.instances import Objective, Run, Table
from starmin.models.price_unit import is_fine

_MOST_PAIRS = 2**36  # of a vector of nodes and a row type
_MOST_WALKED = 2**44  # likewise, of which prices rule out most before they are met


def has_too_many_nodes(run: Run) -> bool:
    """Return whether groups are to be looked for among rows, not among nodes: gcp."""
    table, diverse = run.table, run.requirement.core.diversity > 1
    types = table.sensitive_types if diverse else table.row_types
    pairs = run.objective.vectors_above(table) * len(types)
    return run.objective.by_node and pairs > _MOST_PAIRS


def looks_at_rows(table: Table, types: int, objective: Objective) -> bool:
    """Return whether bounds of losses are to come from rows alone.

    There are more vectors of nodes than a walk passes over in time; fewer where losses
    are so fine that none is made.

    Parameters
    ----------
    table, objective
        The problem, gcp.
    types
        Row types.
    """
    pairs = objective.vectors_above(table) * types
    return pairs > _MOST_WALKED or (pairs > _MOST_PAIRS and is_fine(objective, table))
