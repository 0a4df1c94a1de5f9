"""The pattern formulation with a pattern for deleted rows."""

import numpy as np

from starmin.instances.arrays import Floats, Ints
from starmin.models.deleted_rows.deletion_problem import DeletionProblem
from starmin.models.pattern_program.pattern_program import pattern_program
from starmin.models.patterns.patterns import Patterns
from starmin.models.solvers.program import Program, Rows


def deletion_program(patterns: Patterns, problem: DeletionProblem) -> Program:
    r"""Return the program of a problem in which rows may be deleted.

    To the columns of ``starmin.models.pattern_program.pattern_program`` come
    :math:`z_t`: so many copies of type t are deleted, and

    .. math::
        \min \sum_{pt} cost_p x_{pt} + c \sum_t z_t \quad \text{subject to} \quad
        \sum_p x_{pt} + z_t = s_t

    beside what makes groups of the others. To be deleted is a pattern that asks for no
    number of rows. In the dual of the relaxation no price is above c.

    Parameters
    ----------
    patterns
        The closed ones that can be groups.
    problem
        What is asked, and the price c.
    """
    types = problem.types
    usual = pattern_program(patterns, types, problem.k, problem.l).program
    many, columns = len(types), len(usual.cost)
    z = columns + np.arange(many)
    dealt = usual.rows[0]
    all_dealt = Rows(
        np.concatenate([dealt.row, np.arange(many)]),
        np.concatenate([dealt.column, z]),
        np.concatenate([dealt.value, np.ones(many)]),
        dealt.lower,
        dealt.upper,
    )
    integer = usual.integer.copy()
    integer[: len(patterns.types)] = True
    return Program(
        np.concatenate([usual.cost, np.full(many, float(problem.price))]),
        np.zeros(columns + many),
        np.concatenate([usual.upper, types.counts.astype(float)]),
        np.concatenate([integer, np.ones(many, bool)]),
        (all_dealt, *usual.rows[1:]),
    )


def loads_of(patterns: Patterns, types: int, point: Floats) -> tuple[Ints, Ints]:
    """Return how many copies each incidence and each deletion has at a point.

    Parameters
    ----------
    patterns
        Those of the program.
    types
        How many row types there are.
    point
        A solution.
    """
    x = np.rint(point[: len(patterns.types)]).astype(np.int64)
    z = np.rint(point[len(point) - types :]).astype(np.int64)
    return x, z
