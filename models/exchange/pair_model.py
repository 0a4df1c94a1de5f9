"""Pairs of rows with the two sensitive values, with names."""

from collections.abc import Iterator

import numpy as np

from starmin.instances import (
    NotSupportedError,
    Objective,
    Requirement,
    Table,
    least_diversity,
    least_size,
)
from starmin.models.exchange.named_model import NamedModel, partition_model, type_lines
from starmin.models.matching.network import FAR, distances

MOST_PAIRS = 1_000_000


def pair_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the assignment problem of ``bipartite_matching`` as a linear program.

    Parameters
    ----------
    table
        One sensitive column with two values.
    requirement, objective
        2-diversity by frequency; stars.

    Raises
    ------
    NotSupportedError
        Another problem, or more than a million pairs of rows.
    """
    asked = least_diversity(requirement) == 2 and least_size(requirement) <= 2
    if not asked or len(table.sensitive) != 1:
        raise NotSupportedError("Expected 2-diversity of one sensitive column.")
    of_row = table.column(table.sensitive[0])
    values = np.unique(of_row)
    if len(values) != 2:
        raise NotSupportedError(f"Expected two sensitive values, got {len(values)}.")
    left, right = (np.flatnonzero(of_row == value) for value in values)
    if len(left) * len(right) > MOST_PAIRS:
        raise NotSupportedError(f"Expected at most {MOST_PAIRS:,} pairs of rows.")
    types = table.row_types
    codes = types.codes[types.inverse]
    cost = 2 * distances(table, objective, codes[left], codes[right])

    def listed() -> Iterator[tuple[str, tuple[int, ...], int]]:
        for i, j in np.argwhere(cost < FAR).tolist():
            one, other = int(left[i]), int(right[j])
            yield f"x_{one}_{other}", (one, other), int(cost[i, j])

    return partition_model(
        "rows of two sensitive values in pairs",
        ["x_I_J: whether rows I and J (from 0) are a group", *type_lines(table)],
        listed(),
        table.n,
    )
