"""Counts as rows of the linear relaxation."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Floats
from starmin.models.branch_and_bound.split_counts import Count
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.solvers.program import INF, Rows


class CountRows(NamedTuple):
    """What a count adds to a program."""

    upper: Floats  # upper bounds of new columns, which cost nothing and are at least 0
    rows: Rows  # the first one is the count itself, not bounded yet


def count_rows(program: PatternProgram, count: Count, first: int) -> CountRows:
    r"""Write a count over the columns of a program, and new ones.

    Rows are a sum of ``x``, and patterns with rows one of ``y``. Where only some types
    of a pattern p count, or there is no ``y``, a new column :math:`z_p` says whether
    it has a row of them:

    .. math::
        x_{pt} \le s_t z_p, \qquad z_p \le \sum_t x_{pt}, \qquad z_p \le y_p

    Parameters
    ----------
    program
        The pattern program.
    count
        What is counted.
    first
        Number of the first new column.
    """
    patterns = program.patterns
    members = count.members(patterns)
    entries = np.flatnonzero(members)
    if not count.groups:
        return CountRows(np.zeros(0), _sum(entries))
    of_entries = patterns.pattern[entries]
    chosen, place = np.unique(of_entries, return_inverse=True)
    if program.k > 1 and _whole(program, members, chosen):
        return CountRows(np.zeros(0), _sum(program.first_y + chosen))
    z = first + np.arange(len(chosen))
    supply = patterns.counts[patterns.types[entries]].astype(float)
    links = 1 + np.arange(len(entries))
    some = 1 + len(entries) + np.arange(len(chosen))
    row = [np.zeros(len(z), np.int64), links, links, some, some[place]]
    column: list[npt.NDArray[np.integer]] = [z, z[place], entries, z, entries]
    value = [np.ones(len(z)), supply, -np.ones(len(links)), -np.ones(len(z))]
    value.append(np.ones(len(entries)))
    if program.k > 1:
        opened = some + len(z)
        row += [opened, opened]
        column += [program.first_y + chosen, z]
        value += [np.ones(len(z)), -np.ones(len(z))]
    height = 1 + len(entries) + (1 + (program.k > 1)) * len(z)
    rows = Rows(
        np.concatenate(row),
        np.concatenate(column),
        np.concatenate(value),
        np.where(np.arange(height) == 0, -INF, 0.0),
        np.full(height, INF),
    )
    return CountRows(np.ones(len(z)), rows)


def _sum(columns: npt.NDArray[np.integer]) -> Rows:
    """Return the row of a sum, free."""
    nothing = np.zeros(len(columns), np.int64)
    ones = np.ones(len(columns))
    return Rows(nothing, columns, ones, np.array([-INF]), np.array([INF]))


def _whole(
    program: PatternProgram, members: Bools, chosen: npt.NDArray[np.integer]
) -> bool:
    """Check whether all types of the chosen patterns count."""
    pattern = program.patterns.pattern
    inside = np.bincount(pattern[members], minlength=len(program.patterns))
    return bool((inside == np.diff(program.patterns.starts))[chosen].all())
