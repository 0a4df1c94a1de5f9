"""Rows that stay with their type, the fewest tuples, with names."""

from collections import defaultdict

import numpy as np

from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Table,
    group_by,
    least_diversity,
    least_size,
)
from starmin.instances.arrays import Floats
from starmin.models.exchange.named_model import ModelBuilder, NamedModel, type_lines


def tuple_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``tuple_ilp``, which has it as formulas.

    Parameters
    ----------
    table
        With one sensitive column where l-diversity is required.
    requirement, objective
        k-anonymity, l-diversity by frequency, or both; tuples.

    Raises
    ------
    NotSupportedError
        A kept column, or several sensitive ones.
    """
    if objective.keep:
        raise NotSupportedError("the exported tuple_ilp takes no kept column")
    k, l = least_size(requirement), least_diversity(requirement)
    if l > 1 and len(table.sensitive) != 1:
        raise NotSupportedError("the exported tuple_ilp takes one sensitive column")
    types, model = table.row_types, ModelBuilder()
    counts = _counts(table, l)
    stays: dict[tuple[int, int], int] = {}
    of_type: dict[int, dict[int, int]] = defaultdict(dict)
    of_value: dict[int, dict[int, int]] = defaultdict(dict)
    for (t, v), count in counts.items():
        x = stays[t, v] = model.column(f"x_t{t}_v{v}", upper=count)
        of_type[t][x], of_value[v][x] = 1, 1
    total = table.n
    leaving = model.column("leaving", cost=1, upper=total)
    model.row(
        "all", {leaving: 1, **dict.fromkeys(stays.values(), 1)}, least=total, most=total
    )
    gone = model.column("residue")  # whether any row leaves
    model.row("residue_size", {leaving: 1, gone: -max(k, l)}, least=0)
    model.row("residue_open", {leaving: 1, gone: -total}, most=0)
    for t in range(len(types)):
        size = int(types.counts[t])
        z = model.column(f"z_t{t}")
        model.row(f"size_t{t}", {**of_type[t], z: -k}, least=0)
        model.row(f"open_t{t}", {**of_type[t], z: -size}, most=0)
        if l > 1:
            h = model.column(f"h_t{t}", upper=size // l)
            model.row(f"diverse_t{t}", {**of_type[t], h: -l}, least=0)
            for x in of_type[t]:
                model.row(f"most_{model.columns[x]}", {x: 1, h: -1}, most=0)
    if l > 1:
        high = model.column("h_residue", upper=total // l)
        model.row("diverse_residue", {leaving: 1, high: -l}, least=0)
        for v, xs in of_value.items():
            count = sum(c for (_, value), c in counts.items() if value == v)
            model.row(f"most_v{v}", {**xs, high: 1}, least=count)

    def release(point: Floats) -> Partition:
        left = {pair: round(float(point[x])) for pair, x in stays.items()}
        groups = np.full(table.n, len(types), np.int64)
        values = _values(table, l)
        for row, pair in enumerate(zip(types.inverse.tolist(), values, strict=True)):
            if left[pair] > 0:
                left[pair] -= 1
                groups[row] = pair[0]
        return Partition.from_labels(groups)

    return NamedModel(
        "fewest suppressed tuples",
        model.program(),
        model.columns,
        model.rows,
        [
            "x_tT_vV: how many rows of type T and sensitive value V stay as they are",
            "z_tT: whether any row of type T does; h_tT: the most of one value",
            "leaving: how many rows are published with stars, which form one group",
            *type_lines(table),
        ],
        release,
    )


def _values(table: Table, l: int) -> list[int]:
    """Return the sensitive value of each row; 0 where none counts."""
    if l == 1:
        return [0] * table.n
    values: list[int] = table.column(table.sensitive[0]).tolist()
    return values


def _counts(table: Table, l: int) -> dict[tuple[int, int], int]:
    """Count the rows of each type and value."""
    types, values = table.row_types, np.array(_values(table, l))
    pairs = group_by([types.inverse, values], [len(types), int(values.max()) + 1])
    rows = pairs.first
    return {
        (int(t), int(v)): int(count)
        for t, v, count in zip(
            types.inverse[rows], values[rows], pairs.counts, strict=True
        )
    }
