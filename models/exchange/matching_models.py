"""Models of matchings, with names: originals and released rows, or pairs of rows."""

from collections.abc import Iterator

import numpy as np

from starmin.instances import (
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Table,
    least_diversity,
    least_size,
)
from starmin.instances.arrays import Floats
from starmin.models.exchange.named_model import (
    ModelBuilder,
    NamedModel,
    partition_model,
    type_lines,
)
from starmin.models.matching.matching_network import FAR, charged_differences, distances
from starmin.models.nonhomogeneous.matching_flow_tree import release_of_pairs

# One matching of originals and released rows: a flow, with names.

_MOST_OF_MATCHING = 1_000


def matching_flow(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the assignment problem of ``pair_matching``: k = 2 needs one matching.

    NotSupportedError for another problem than 2-anonymity and stars, or more than 1,000
    rows.
    """
    if least_size(requirement) != 2 or objective.kind != "stars":
        raise NotSupportedError("Expected 2-anonymity and the objective stars.")
    if table.n > _MOST_OF_MATCHING:
        raise NotSupportedError(
            f"Expected at most {_MOST_OF_MATCHING} rows, got {table.n}."
        )
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

    return model.named(
        "one matching of originals and released rows",
        ["x_I_J: whether original I fits released row J (from 0), beside its own"],
        release,
    )


# Regular graphs of originals and released rows, with names.

_MOST_OF_GRAPHS = 200


def matching_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``matching_mip``, which has it as formulas.

    NotSupportedError where there are more than 200 rows.
    """
    if table.n > _MOST_OF_GRAPHS:
        raise NotSupportedError(
            f"Expected at most {_MOST_OF_GRAPHS} rows, got {table.n}."
        )
    k, n, model = least_size(requirement), table.n, ModelBuilder()
    differ, weights, apart = charged_differences(table, objective)
    np.fill_diagonal(apart, True)
    pairs = np.argwhere(~apart).tolist()
    x = {(i, j): model.column(f"x_{i}_{j}") for i, j in pairs}
    z = [
        [model.column(f"z_{j}_{a}", cost=int(w)) for a, w in enumerate(weights)]
        for j in range(n)
    ]
    for (i, j), column in x.items():
        for a in np.flatnonzero(differ[i, j]).tolist():
            model.row(f"star_{i}_{j}_{a}", {z[j][a]: 1, column: -1}, least=0)
    for row in range(n):
        given = {column: 1 for (i, _), column in x.items() if i == row}
        taken = {column: 1 for (_, j), column in x.items() if j == row}
        model.row(f"original_{row}", given, least=k - 1, most=k - 1)
        model.row(f"released_{row}", taken, least=k - 1, most=k - 1)

    def release(point: Floats) -> NonHomogeneous:
        chosen = [pair for pair, column in x.items() if point[column] > 0.5]
        return release_of_pairs(table, chosen, k)

    return model.named(
        "a k-regular graph of originals and released rows",
        [
            "x_I_J: whether original I fits released row J (from 0); each fits its own",
            "z_J_A: whether released row J has a star in column A",
            *(f"column {a}: {name}" for a, name in enumerate(table.qi)),
        ],
        release,
    )


# Pairs of rows with the two sensitive values, with names.

MOST_PAIRS = 1_000_000


def pair_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the assignment problem of ``bipartite_matching`` as a linear program.

    NotSupportedError for another problem than 2-diversity by frequency of one sensitive
    column with two values, or more than a million pairs of rows.
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
