"""Cuts for the pattern formulation: how many groups a set of rows can fill."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.solvers.program import INF, Rows


class GroupCut(NamedTuple):
    r"""A group-count cut: the set T of row types and the set I of patterns.

    Let T be a set of row types with S rows in all, q = S div k and r = k - S mod k.
    Any set I of patterns then satisfies

    .. math::
        \sum_{p \in I} y_p \le q + \frac1r \sum_{p \in I} \sum_{t \notin T} x_{pt}.

    For if q + j of them are open, j >= 1, they hold k (q + j) rows, at most S of
    them from T: at least k j - S mod k = k (j - 1) + r >= j r are imported. (It is
    the mixed-integer rounding of the sum of the size rows of I and the assignment
    rows of T.) The relaxation likes to open a fraction of several patterns on rows
    that cannot fill them all; these cuts forbid it.

    With l-diversity k stands for the larger of both: a pattern that is open has so many
    rows.
    """

    types: Ints
    patterns: Ints


def cut_rows(program: PatternProgram, cuts: list[GroupCut]) -> Rows:
    """Write cuts as rows over the columns of a program.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> from starmin.models.pattern_program.pattern_program import pattern_program
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> program = pattern_program(patterns, table.row_types, k=2)
    >>> cut = GroupCut(np.array([0, 1]), np.array([0]))
    >>> rows = cut_rows(program, [cut])  # y[0] - x[0, 2] / 2 <= 1
    >>> rows.column.tolist(), rows.value.tolist(), rows.upper.tolist()
    ([3, 2], [1.0, -0.5], [1.0])
    """
    patterns, k = program.patterns, program.least_size
    row, column, value, upper = [], [], [], []
    for number, cut in enumerate(cuts):
        inside = np.zeros(len(patterns.counts), bool)
        inside[cut.types] = True
        chosen = np.zeros(len(patterns), bool)
        chosen[cut.patterns] = True
        total = int(patterns.counts[inside].sum())
        imported = np.flatnonzero(chosen[patterns.pattern] & ~inside[patterns.types])
        share = np.full(len(imported), -1 / (k - total % k))
        row.append(np.full(len(cut.patterns) + len(imported), number))
        column.append(np.concatenate([program.first_y + cut.patterns, imported]))
        value.append(np.concatenate([np.ones(len(cut.patterns)), share]))
        upper.append(float(total // k))
    return Rows(
        np.concatenate(row),
        np.concatenate(column),
        np.concatenate(value),
        np.full(len(cuts), -INF),
        np.array(upper),
    )
