"""One matching of originals and released rows: a flow, with names."""

import numpy as np

from starmin.instances import (
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Table,
    least_size,
)
from starmin.instances.arrays import Floats
from starmin.models.exchange.named_model import ModelBuilder, NamedModel
from starmin.models.matching.network import FAR, distances

MAX_ROWS = 1_000


def matching_flow(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the assignment problem of ``pair_matching``: k = 2 needs one matching.

    Parameters
    ----------
    table
        At most 1,000 rows.
    requirement, objective
        2-anonymity of a non-homogeneous release; stars.

    Raises
    ------
    NotSupportedError
        Another problem, or more rows.
    """
    if least_size(requirement) != 2 or objective.kind != "stars":
        raise NotSupportedError("Expected 2-anonymity and the objective stars.")
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    types, n, model = table.row_types, table.n, ModelBuilder()
    codes = types.codes[types.inverse]
    cost = distances(table, objective, codes, codes)
    np.fill_diagonal(cost, FAR)
    pairs = np.argwhere(cost < FAR).tolist()
    given: list[dict[int, int]] = [{} for _ in range(n)]
    taken: list[dict[int, int]] = [{} for _ in range(n)]
    for i, j in pairs:
        column = model.column(f"x_{i}_{j}", cost=int(cost[i, j]))
        given[i][column] = taken[j][column] = 1
    for row in range(n):
        model.row(f"original_{row}", given[row], least=1, most=1)
        model.row(f"released_{row}", taken[row], least=1, most=1)

    def release(point: Floats) -> NonHomogeneous:
        matching = np.zeros(n, np.int32)
        for column in np.flatnonzero(point > 0.5).tolist():
            matching[pairs[column][0]] = pairs[column][1]
        both = np.stack([np.arange(n, dtype=np.int32), matching])
        return NonHomogeneous.from_matchings(table, both)

    return NamedModel(
        "one matching of originals and released rows",
        model.program(),
        model.columns,
        model.rows,
        ["x_I_J: whether original I fits released row J (from 0), beside its own"],
        release,
    )
