"""All closed patterns of a table, listed."""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

from instances import BoolArray, NotSupportedError, Objective, RowTypes, Table, group_by
from models.patterns.patterns import Patterns

MAX_COLUMNS = 20


def closed_patterns(
    table: Table,
    types: RowTypes,
    objective: Objective,
    least_support: int = 1,
    least_values: int = 1,
    check: Callable[[], None] = lambda: None,
    most_incidences: float = math.inf,
) -> Patterns:
    """Return all closed patterns with enough support.

    Of the patterns with the same supporting set of types only the one with the fewest
    stars is listed: it is *closed*, no starred column being constant on its types. By
    the exchange argument no optimal release needs another one.

    Parameters
    ----------
    table
        The table; ``types`` are its row types, by QI or by QI and sensitive values.
    objective
        Gives the cost of a pattern and the columns that must not be starred.
    least_support
        k: patterns that fewer rows fit cannot be a group.
    least_values
        l: patterns with fewer different values in some sensitive column cannot be
        l-diverse.
    check
        Called before each group-by; it may raise to end the enumeration.
    most_incidences
        Most pairs of a pattern and a row type that the caller can use.

    Raises
    ------
    NotSupportedError
        More than 20 QI columns may be starred: 2^20 group-bys. Or there are more
        pairs than ``most_incidences``.

    Notes
    -----
    One group-by of the m types for each of the 2^d sets of kept columns.

    Examples
    --------
    >>> from instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> patterns.starred.tolist(), patterns.cost.tolist()
    ([[True, False]], [1])
    """
    if objective.kind == "gcp":
        from models.patterns.node_patterns import closed_node_patterns

        k, l = least_support, least_values
        return closed_node_patterns(
            table, types, objective, k, l, check, most_incidences
        )
    parts, incidences = [], 0
    for starred in star_sets(table, objective):
        check()
        parts.append(_patterns_of(table, types, starred, least_support, least_values))
        incidences += len(parts[-1][2])
        if incidences > most_incidences:
            raise NotSupportedError(
                f"Expected at most {most_incidences:,} pairs of a pattern and a row "
                "type, got more; large_neighbourhood takes them."
            )
    masks = np.concatenate([np.tile(mask, (len(s), 1)) for mask, s, _ in parts])
    lengths = np.concatenate([sizes for _, sizes, _ in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    members = np.concatenate([members for _, _, members in parts])
    cost = objective.row_costs(table, masks)
    nodes = np.where(masks, np.int32(-1), types.codes[members[starts[:-1]]])
    return Patterns(nodes, cost, starts, members, types.counts)


def star_sets(
    table: Table, objective: Objective, most_columns: int = MAX_COLUMNS
) -> list[BoolArray]:
    """Return all sets of columns that may be starred, the smallest first.

    Raises
    ------
    NotSupportedError
        More than ``most_columns`` columns may be starred.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> [each.tolist() for each in star_sets(table, Objective(keep=["a"]))]
    [[False, False], [False, True]]
    """
    columns = np.flatnonzero(~objective.kept(table))
    if len(columns) > most_columns:
        raise NotSupportedError(
            f"Expected at most {most_columns} columns that may be starred, "
            f"got {len(columns)}."
        )
    sets = []
    for size in range(len(columns) + 1):
        for chosen in combinations(columns, size):
            starred = np.zeros(table.d, bool)
            starred[list(chosen)] = True
            sets.append(starred)
    return sets


def _patterns_of(
    table: Table,
    types: RowTypes,
    starred: BoolArray,
    least_support: int,
    least_values: int,
) -> tuple[BoolArray, npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the closed patterns that star exactly these columns: sizes and members."""
    kept = np.flatnonzero(~starred)
    zeros = np.zeros(len(types), np.int32)
    groups = group_by(
        [types.codes[:, j] for j in kept] or [zeros],
        [table.qi_cardinalities[j] for j in kept] or [1],
    )
    good = np.bincount(groups.inverse, types.counts) >= least_support
    order = np.argsort(groups.inverse, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(groups.counts)[:-1]])
    for j in map(int, np.flatnonzero(starred)):
        codes = types.codes[order, j]
        good &= np.minimum.reduceat(codes, starts) < np.maximum.reduceat(codes, starts)
    if least_values > 1:
        for j in range(types.sensitive.shape[1]):
            values = types.sensitive[:, j]
            pairs = group_by(
                [groups.inverse, values], [groups.size, int(values.max()) + 1]
            )
            distinct = np.bincount(groups.inverse[pairs.first])
            good &= distinct >= least_values
    return starred, groups.counts[good], order[np.repeat(good, groups.counts)]
