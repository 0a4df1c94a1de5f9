"""Regular graphs of originals and released rows, with names."""

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
from starmin.models.nonhomogeneous.matching_flow_tree import (
    charged_differences,
    split_regular,
)

MAX_ROWS = 200


def matching_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``matching_mip``, which has it as formulas.

    Parameters
    ----------
    table
        At most 200 rows.
    requirement, objective
        k-anonymity of a non-homogeneous release; stars or tuples.

    Raises
    ------
    NotSupportedError
        More rows.
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
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
        chosen += [(i, i) for i in range(n)]
        originals, records = np.array(chosen).T
        matchings = split_regular(originals, records, n, k)
        return NonHomogeneous.from_matchings(table, matchings)

    return NamedModel(
        "a k-regular graph of originals and released rows",
        model.program(),
        model.columns,
        model.rows,
        [
            "x_I_J: whether original I fits released row J (from 0); each fits its own",
            "z_J_A: whether released row J has a star in column A",
            *(f"column {a}: {name}" for a, name in enumerate(table.qi)),
        ],
        release,
    )
