"""Rows assigned to groups, with names."""

from collections import defaultdict

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
from starmin.models.exchange.named_model import ModelBuilder, NamedModel
from starmin.models.nonhomogeneous.matching_flow_tree import charged_differences

MAX_ROWS = 60


def assignment_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``assignment_mip``, which has it as formulas.

    Parameters
    ----------
    table
        At most 60 rows.
    requirement, objective
        k-anonymity, l-diversity by frequency, or both; stars or tuples.

    Raises
    ------
    NotSupportedError
        More rows.
    """
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    k, l = least_size(requirement), least_diversity(requirement)
    differ, weights, apart = charged_differences(table, objective)
    model, n, columns = ModelBuilder(), table.n, range(len(weights))
    x = {
        (i, g): model.column(f"x_{i}_{g}")
        for i in range(n)
        for g in range(i + 1)
        if not apart[i, g]
    }
    z = [[model.column(f"z_{g}_{a}") for a in columns] for g in range(n)]
    u = [
        [model.column(f"u_{i}_{a}", cost=int(weights[a])) for a in columns]
        for i in range(n)
    ]
    members: dict[int, dict[int, int]] = defaultdict(dict)
    for i in range(n):
        own = {x[i, g]: 1 for g in range(i + 1) if (i, g) in x}
        model.row(f"assigned_{i}", own, least=1, most=1)
    for (i, g), column in x.items():
        members[g][column] = 1
        if i != g:
            model.row(f"named_{i}_{g}", {column: 1, x[g, g]: -1}, most=0)
        for a in columns:
            if differ[i, g, a]:
                model.row(f"star_{i}_{g}_{a}", {z[g][a]: 1, column: -1}, least=0)
            pays = {u[i][a]: 1, z[g][a]: -1, column: -1}
            model.row(f"pays_{i}_{g}_{a}", pays, least=-1)
    for g in range(n):
        sizes = {**members[g], x[g, g]: 1 - max(k, l)}
        model.row(f"size_{g}", sizes, least=0)
    for c, name in enumerate(table.sensitive if l > 1 else ()):
        codes = table.column(name)
        for value in np.unique(codes).tolist():
            for g in range(n):
                terms = {
                    column: l - 1 if codes[i] == value else -1
                    for (i, h), column in x.items()
                    if h == g
                }
                model.row(f"diverse_{c}_{value}_{g}", terms, most=0)

    def release(point: Floats) -> Partition:
        groups = np.zeros(n, np.int64)
        for (i, g), column in x.items():
            if point[column] > 0.5:
                groups[i] = g
        return Partition.from_labels(groups)

    return NamedModel(
        "rows assigned to groups, each named after its first row",
        model.program(),
        model.columns,
        model.rows,
        [
            "x_I_G: whether row I is in the group whose first row is G (from 0)",
            "z_G_A: whether group G has a star in column A",
            "u_I_A: whether row I has; for tuples A is 0 and stands for all columns",
            *(f"column {a}: {name}" for a, name in enumerate(table.qi)),
        ],
        release,
    )
