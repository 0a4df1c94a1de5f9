"""Pairs of rows with the two sensitive values, with names."""

import numpy as np

from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Table,
    least_diversity,
    least_size,
)
from starmin.instances.arrays import Floats
from starmin.models.exchange.named_model import ModelBuilder, NamedModel, type_lines
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
    model = ModelBuilder()
    given: list[dict[int, int]] = [{} for _ in range(table.n)]
    pairs = []
    for i, j in np.argwhere(cost < FAR).tolist():
        one, other = int(left[i]), int(right[j])
        column = model.column(f"x_{one}_{other}", cost=int(cost[i, j]))
        given[one][column] = given[other][column] = 1
        pairs.append((one, other))
    for row, terms in enumerate(given):
        model.row(f"row_{row}", terms, least=1, most=1)

    def release(point: Floats) -> Partition:
        groups = np.zeros(table.n, np.int64)
        for column in np.flatnonzero(point > 0.5).tolist():
            groups[list(pairs[column])] = column
        return Partition.from_labels(groups)

    return NamedModel(
        "rows of two sensitive values in pairs",
        model.program(),
        model.columns,
        model.rows,
        ["x_I_J: whether rows I and J (from 0) are a group", *type_lines(table)],
        release,
    )
