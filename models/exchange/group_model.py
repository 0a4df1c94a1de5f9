"""Groups that partition the rows: one column for each group, with names."""

import math
from collections.abc import Iterator
from itertools import combinations

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
from starmin.instances.arrays import Ints
from starmin.models.exchange.named_model import NamedModel, partition_model
from starmin.models.patterns.group_nodes import group_nodes

MOST_GROUPS = 200_000


def group_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    r"""Build set partitioning over all groups that cannot be split.

    .. math::
        \min \sum_G cost_G z_G \quad \text{subject to} \quad
        \sum_{G \ni i} z_G = 1 \text{ for each row } i, \quad z_G \in \{0, 1\}.

    A group of 2k rows or more splits into smaller ones that cost no more, so G has k to
    2k - 1 rows; for l-diversity by frequency l to 2l - 1 rows of different values
    (``box_program`` has the proofs, and generates such groups instead of listing them).

    Parameters
    ----------
    table
        A tiny one: 24 rows for k = 2, 18 for k = 3.
    requirement
        k-anonymity, or l-diversity by frequency of one sensitive column.
    objective
        Stars or gcp.

    Raises
    ------
    NotSupportedError
        Another requirement, tuples, or more than 200,000 groups.
    """
    k, l = least_size(requirement), least_diversity(requirement)
    if not requirement.core.exact:
        raise NotSupportedError(f"group_partition does not take {requirement.form}")
    if objective.kind == "tuples" or (l > 1 and (k > l or len(table.sensitive) != 1)):
        raise NotSupportedError(
            "group_partition takes k-anonymity or l-diversity of one sensitive column, "
            "and stars or gcp"
        )
    least = max(k, l)
    sizes = range(least, min(2 * least - 1, table.n) + 1)
    count = sum(math.comb(table.n, size) for size in sizes)
    if count > MOST_GROUPS:
        raise NotSupportedError(
            f"Expected at most {MOST_GROUPS:,} groups, got {count:,}: take fewer rows."
        )

    def listed() -> Iterator[tuple[str, tuple[int, ...], int]]:
        for size in sizes:
            groups = _groups(table, size, l)
            costs = _costs(table, objective, groups).tolist()
            for rows, cost in zip(groups.tolist(), costs, strict=True):
                if cost >= 0:  # else rows that a kept column sets apart
                    yield "z_" + "_".join(map(str, rows)), tuple(rows), size * cost

    return partition_model(
        "groups that partition the rows",
        ["z_I_J_..: whether rows I, J, .. (from 0) are a group"],
        listed(),
        table.n,
    )


def _groups(table: Table, size: int, l: int) -> Ints:
    """List the groups of one size; for l-diversity those without a value twice."""
    rows = np.array(list(combinations(range(table.n), size)), np.int64)
    if l == 1:
        return rows
    values = np.sort(table.column(table.sensitive[0])[rows], axis=1)
    return np.asarray(rows[(np.diff(values, axis=1) > 0).all(axis=1)])


def _costs(table: Table, objective: Objective, groups: Ints) -> Ints:
    """Return what a row of each group pays; -1 where a kept column forbids it."""
    if len(groups) == 0:
        return np.zeros(0, np.int64)
    copies = table.take(groups.ravel())
    of_row = np.repeat(np.arange(len(groups), dtype=np.int32), groups.shape[1])
    nodes = group_nodes(copies, objective, Partition(of_row))
    costs = objective.node_costs(copies, nodes).copy()
    costs[(nodes[:, objective.kept(table)] < 0).any(axis=1)] = -1
    return costs
