"""Models of partitions, with names: by patterns, groups, tuples, and assignment."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

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
from starmin.instances.arrays import Floats, Ints
from starmin.models.exchange.named_model import (
    ModelBuilder,
    NamedModel,
    as_float,
    partition_model,
    type_lines,
)
from starmin.models.matching.matching_network import charged_differences
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    partition_of,
    pattern_program,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import group_nodes

# Rows assigned to groups, with names.

MAX_ROWS = 60


def assignment_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``assignment_mip``, which has it as formulas.

    NotSupportedError where there are more than 60 rows.
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

    return model.named(
        "rows assigned to groups, each named after its first row",
        [
            "x_I_G: whether row I is in the group whose first row is G (from 0)",
            "z_G_A: whether group G has a star in column A",
            "u_I_A: whether row I has; for tuples A is 0 and stands for all columns",
            *(f"column {a}: {name}" for a, name in enumerate(table.qi)),
        ],
        release,
    )


# Groups that partition the rows: one column for each group, with names.

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

    NotSupportedError for another requirement, tuples, or more than 200,000 groups:
    those of 24 rows for k = 2, of 18 for k = 3.
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


# The pattern formulation, with names.

MOST_PAIRS = 1_000_000


def pattern_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the pattern formulation (``PatternProgram`` has it as formulas).

    NotSupportedError for more than a million pairs of a distinct row and a pattern.
    """
    k, l = least_size(requirement), least_diversity(requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(
        table, types, objective, k, l, most_incidences=MOST_PAIRS
    )
    made = pattern_program(patterns, k, l)
    as_float(int(patterns.cost.max(initial=0)) * table.n)
    whole = np.ones(len(made.program.cost), bool)
    made = replace(made, program=replace(made.program, integer=whole))
    return NamedModel(
        "fewest stars, or least loss, by patterns",
        made.program,
        list(_columns(made)),
        list(_rows(made)),
        [
            "x_pP_tT: how many rows of row type T are published as pattern P",
            "h_cC_pP: the most rows of one value of sensitive column C in pattern P",
            "y_pP: whether pattern P is open",
            *_pattern_lines(table, made),
            *([] if l > 1 else type_lines(table)),
        ],
        lambda point: partition_of(made, point),
    )


def _columns(made: PatternProgram) -> Iterator[str]:
    patterns = made.patterns
    for p, t in zip(patterns.pattern.tolist(), patterns.types.tolist(), strict=True):
        yield f"x_p{p}_t{t}"
    every = range(len(patterns))
    for c in range(made.heights // max(1, len(patterns))):
        yield from (f"h_c{c}_p{p}" for p in every)
    if made.k > 1:
        yield from (f"y_p{p}" for p in every)


def _rows(made: PatternProgram) -> Iterator[str]:
    """Name the rows of each block in the order of ``pattern_program``."""
    blocks = ["type"]
    for c in range(made.heights // max(1, len(made.patterns))):
        blocks += [f"total_c{c}", f"value_c{c}"]
    if made.k > 1:
        blocks += ["size", "open"]
    for name, block in zip(blocks, made.program.rows, strict=True):
        yield from (f"{name}_{number}" for number in range(len(block.lower)))


def _pattern_lines(table: Table, made: PatternProgram) -> Iterator[str]:
    """Say what each pattern publishes: a value, or a star for all else."""
    patterns = made.patterns
    of_one = made.types.codes[patterns.types[patterns.starts[:-1]]]
    for p, (codes, hidden) in enumerate(zip(of_one, patterns.starred, strict=True)):
        cells = ", ".join(
            f"{c}={'*' if star else table.dictionary(c)[int(code)] or ''}"
            for c, code, star in zip(table.qi, codes, hidden, strict=True)
        )
        yield f"p{p}: {cells}; costs {patterns.cost[p]} a row"


# Rows that stay with their type, the fewest tuples, with names.


def tuple_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the program of ``tuple_ilp``, which has it as formulas.

    NotSupportedError for a kept column, or l-diversity of several sensitive ones.
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

    return model.named(
        "fewest suppressed tuples",
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
    pairs = group_by([types.inverse, values])
    rows = pairs.first
    return {
        (int(t), int(v)): int(count)
        for t, v, count in zip(
            types.inverse[rows], values[rows], pairs.counts, strict=True
        )
    }
