"""A release from the linear relaxation: keep what is integral, solve the rest."""

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.neighbourhoods.neighbourhood import neighbourhood
from starmin.models.pattern_program.open_pattern_flow import open_pattern_flow
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.solvers.mip_search import solve_small

_INTEGRAL = 1e-6  # A value so near to a whole number is one.


def round_relaxation(
    program: PatternProgram,
    types: RowTypes,
    point: Floats,
    useful: Bools,
    time_limit: float,
    seed: int = 0,
) -> Ints | None:
    """Return loads of a release near a fractional point, None where none was found.

    The patterns in which the point is fractional give up all their types; what the
    other types have is kept, and the program of the free types is solved (see
    ``starmin.models.neighbourhoods.neighbourhood``). On real tables the relaxation is
    integral but for a few patterns, above all for l-diversity.

    Parameters
    ----------
    program, types
        The pattern program and its distinct rows.
    point
        An optimal point of the relaxation.
    useful
        The pairs that the free types may use.
    time_limit, seed
        Of the search for the free types: seconds, and its random seed.
    """
    patterns = program.patterns
    x = point[: program.incidences]
    fractional = np.abs(x - np.rint(x)) > _INTEGRAL
    bad = np.bincount(patterns.pattern, fractional, minlength=len(patterns)) > 0
    if program.k > 1:
        y = point[program.first_y : program.first_y + len(patterns)]
        bad |= np.abs(y - np.rint(y)) > _INTEGRAL
    free = np.zeros(len(patterns.counts), bool)
    free[patterns.types[bad[patterns.pattern] & (x > _INTEGRAL)]] = True
    loads = np.where(free[patterns.types], 0, np.rint(x)).astype(np.int64)
    if not free.any():
        return loads
    around = neighbourhood(patterns, types, program.k, program.l, loads, free, useful)
    found = solve_small(around.program.program, time_limit, seed=seed)
    return None if found is None else around.loads(loads, found)


def polish(program: PatternProgram, loads: Ints) -> Ints:
    """Return the cheapest loads of the same open patterns (k-anonymity alone)."""
    if program.l > 1 or program.k == 1:
        return loads
    patterns = program.patterns
    is_open = np.bincount(patterns.pattern, loads, minlength=len(patterns)) > 0
    better = open_pattern_flow(patterns, is_open, program.k)
    return loads if better is None else better
