"""The pattern formulation without the patterns that no better release uses."""

import math

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Floats
from starmin.models.pattern_ilp.multipliers import TreeUnit
from starmin.models.pattern_program.destroy_operators import offer_rounded
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    pattern_program,
)
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.generated_patterns import patterns_of, union
from starmin.models.pricing.pricing import priced_patterns
from starmin.models.solvers.linear_solver import LinearSolver

MOST_LEFT = 300_000
_TOLERANCES = 1e-3, 1e-4, 1e-5
NEAR = 0.02, 0.005  # of the bound: how near to opening patterns of a first release are
_MOST_NEAR = 60_000
_ROUNDING_SHARE = 0.1  # of the time


def priced_program(run: Run, seed: int) -> tuple[PatternProgram, Floats] | None:
    r"""Write the program of the patterns that a release below the incumbent may use.

    Prices :math:`\lambda` that prove LB rule out each pattern whose best fill is worth
    V - LB or more, V being what the incumbent costs. They are found without a list of
    all patterns (``starmin.models.pricing.boxstep``), and a release near to them is
    made of those that are nearly worth opening. Returns the program, and the prices of
    the types at which all of it was found; None where the patterns are too many. The
    run has the bound of the prices in any case; TimeoutError where its time is up.
    """
    boxes, table = Boxstep(run), run.table
    for tolerance in _TOLERANCES:
        boxes.improve(tolerance)
        for near in NEAR:
            if not run.closed:
                offer_near(boxes, near, seed)
        if run.closed:
            return None
        # A tree has its prices in another unit: twice what rounding changes is added.
        per_cost = PriceUnit.of(table, run.objective).per_cost
        rounded = math.ceil(2 * table.n / TreeUnit.of(run).per_cost) + 2
        slack = max(0, (run.cost + rounded) * per_cost - boxes.value)
        found = _below(boxes, slack, MOST_LEFT)
        if found is not None:
            return pattern_program(found, *boxes.sought.asked), boxes.prices / per_cost
    return None


def _below(boxes: Boxstep, threshold: int, most: int) -> Patterns | None:
    """Return the patterns worth less than a threshold, and those of the incumbent."""
    found = priced_patterns(
        boxes.sought, boxes.prices, threshold=threshold, most_incidences=most
    )
    if found is None or len(found.types) > most:
        return None
    return union(patterns_of(*boxes.sought[:3], boxes.run.release), found)


def offer_near(boxes: Boxstep, near: float, seed: int) -> None:
    """Offer a release of the patterns that are nearly worth opening.

    A pattern may be worth the share ``near`` of the bound; ``boxes`` has the prices.
    """
    run, patterns = boxes.run, _below(boxes, int(near * boxes.value), _MOST_NEAR)
    if patterns is None:
        return
    program = pattern_program(patterns, *boxes.sought.asked)
    solution = LinearSolver(program.program).solve(run.remaining)
    if solution is None:
        return
    useful = np.ones(program.incidences, bool)
    offer_rounded(run, program, solution.x, useful, _ROUNDING_SHARE, seed)
