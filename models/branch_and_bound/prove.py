"""Prove a release optimal by a tree that anyone can re-check."""

import math

import numpy as np

from instances import RowTypes, Run
from models.branch_and_bound.fills import Ints
from models.branch_and_bound.multipliers import UNIT, most_price
from models.branch_and_bound.search import (
    DEFAULTS,
    TreeParams,
    TreeSearch,
    not_excluded,
)
from models.branch_and_bound.tree_certificate import tree_certificate
from models.patterns.pattern_program import PatternProgram, pattern_program
from models.solvers.program import Floats


def prove(
    run: Run,
    program: PatternProgram,
    types: RowTypes,
    duals: Floats,
    seconds: float = math.inf,
    params: TreeParams = DEFAULTS,
) -> bool:
    """Search a tree that proves the incumbent of a run optimal, or better releases.

    First the duals rule out incidences that every release which costs less than the
    incumbent does without, then what is left is searched. The run learns the bound of
    the tree with its certificate, also where the time ends before. Where costs are so
    large that sums might wrap, nothing is done.

    Parameters
    ----------
    run
        It has an incumbent.
    program, types
        The pattern program of its table, and the row types.
    duals
        Prices of the types, near the optimum of the relaxation.
    seconds
        How long to search at most; the time limit of the run holds as well.
    params
        Constants that steer the search.

    Returns
    -------
    Whether the incumbent is proven optimal.
    """
    assert run.value is not None
    if most_price(run) == 0:
        return False
    patterns = program.patterns
    prices: Ints = np.rint(duals * UNIT).astype(np.int64)
    alive = not_excluded(program, prices, (run.value - 1) * UNIT + 1)
    left = patterns.thin(alive)
    covered = len(np.unique(left.types)) == len(types)
    if not covered:  # the smallest program in which no row type is without a pattern
        alive |= ~np.isin(patterns.types, left.types)
        left = patterns.thin(alive)
    numbers = np.unique(patterns.pattern[alive]).astype(np.int64)
    search = TreeSearch(
        run, pattern_program(left, types, program.k, program.l), types, params
    )
    run.stats["tree_incidences"] = int(alive.sum())
    try:
        return search.search(seconds)
    finally:
        run.stats["tree_nodes"] = search.nodes
        certificate = tree_certificate(run, types, patterns, numbers, prices, search)
        if certificate is not None:
            run.raise_bound(search.bound, "branch_and_bound", certificate)
