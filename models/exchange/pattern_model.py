"""The pattern formulation, with names."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from starmin.instances import (
    Objective,
    Requirement,
    RowTypes,
    Table,
    least_diversity,
    least_size,
)
from starmin.models.exchange.named_model import NamedModel, as_float, type_lines
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    partition_of,
    pattern_program,
)
from starmin.models.patterns.closed_listing import closed_patterns

MOST_PAIRS = 1_000_000


def pattern_model(
    table: Table, requirement: Requirement, objective: Objective
) -> NamedModel:
    """Build the pattern formulation (``PatternProgram`` has it as formulas).

    Parameters
    ----------
    table, requirement, objective
        k-anonymity, l-diversity by frequency, or both; stars or gcp.

    Raises
    ------
    NotSupportedError
        More than a million pairs of a distinct row and a pattern.
    """
    k, l = least_size(requirement), least_diversity(requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(
        table, types, objective, k, l, most_incidences=MOST_PAIRS
    )
    made = pattern_program(patterns, types, k, l)
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
            *_pattern_lines(table, types, made),
            *([] if l > 1 else type_lines(table)),
        ],
        lambda point: partition_of(types, made, point),
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


def _pattern_lines(
    table: Table, types: RowTypes, made: PatternProgram
) -> Iterator[str]:
    """Say what each pattern publishes: a value, or a star for all else."""
    patterns = made.patterns
    of_one = types.codes[patterns.types[patterns.starts[:-1]]]
    for p, (codes, hidden) in enumerate(zip(of_one, patterns.starred, strict=True)):
        cells = ", ".join(
            f"{c}={'*' if star else table.dictionary(c)[int(code)] or ''}"
            for c, code, star in zip(table.qi, codes, hidden, strict=True)
        )
        yield f"p{p}: {cells}; costs {patterns.cost[p]} a row"
