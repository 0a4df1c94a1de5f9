"""Star minimisation under distinct l-diversity: relaxation or prices, then search."""

import math

import numpy as np

from starmin.instances import NotSupportedError, Run
from starmin.instances.arrays import Floats
from starmin.models.distinct.distinct_kernel_search import DistinctKernelSearch
from starmin.models.distinct.distinct_params import DistinctParams
from starmin.models.distinct.distinct_program import distinct_program
from starmin.models.distinct.distinct_reduction import (
    Reduction,
    has_prices,
    smallest_reduction,
)
from starmin.models.distinct.lending_flow import lending_flow
from starmin.models.distinct.placed_row_prices import DistinctPrices
from starmin.models.distinct.price_tree import prove_by_prices
from starmin.models.pattern_program.decode import partition_of_loads
from starmin.models.pattern_program.reduced_cost_fixing import reduced_cost_fixing
from starmin.models.patterns.own_cost import cheapest_pattern_costs
from starmin.models.solvers.dual_bound import note_relaxation
from starmin.models.solvers.linear_solver import LinearSolver

MAX_INCIDENCES = 2_000_000


def solve_distinct(run: Run, seed: int, params: DistinctParams) -> bool:
    """Solve a run's problem, from its incumbent; whether it ended before the time did.

    As few types as can be are placed at first. Those that cannot lend as much as the
    relaxation borrows, or a point found later, are placed as well. In the incidences
    that the relaxation prefers, or prices where it is large, neighbourhoods of the
    release are solved anew, and a kernel is searched concurrently; then the whole
    program, if there is time.

    The run learns releases and bounds; ``seed`` is of the choice of neighbourhoods and
    of the solver. Raises NotSupportedError where there are too many columns, or more
    than two million pairs of a pattern and a row type that is to be placed.
    """
    reduction = smallest_reduction(run)
    if len(reduction.inside) > MAX_INCIDENCES:
        raise NotSupportedError(
            f"Expected at most {MAX_INCIDENCES:,} pairs of a pattern and a row type, "
            f"got {len(reduction.inside):,}."
        )
    if len(reduction.inside) == 0:
        none = np.zeros(0, np.int64)
        loads = reduction.join(none, none)
        run.offer(partition_of_loads(reduction.types, reduction.patterns, loads))
        run.raise_bound(0, "pattern_ilp")
        return run.closed
    priced = has_prices(run.requirement, reduction.types.sensitive.shape[1])
    large = priced and len(reduction.inside) > params.large
    rank = _by_prices if large else _by_relaxation
    found = rank(run, reduction, params)
    if found is None:
        return False
    reduction, least = found
    seconds = params.seconds_for_whole if large else 0.0
    if not run.closed:
        DistinctKernelSearch(
            run, reduction, least, seed, seconds, params.kernel
        ).search()
    return run.closed


def _by_prices(
    run: Run, reduction: Reduction, params: DistinctParams
) -> tuple[Reduction, Floats]:
    """Return the reduction and, by prices, what its incidences cost at least."""
    limit = params.share * run.remaining
    pricing = Run(run.table, run.requirement, run.objective, limit)
    prices = DistinctPrices(pricing, reduction)
    prices.improve(params.tolerance)
    run.learn(pricing)
    least = np.full(len(reduction.patterns.types), -math.inf)
    least[reduction.inside] = prices.least()
    return reduction, least


def _by_relaxation(
    run: Run, reduction: Reduction, params: DistinctParams
) -> tuple[Reduction, Floats] | None:
    """Return the reduction and, by the relaxation, what its incidences cost at least.

    What an incidence costs is the least cost of a release that uses it. The classes
    are placed that the relaxation leaves short. None where the time is up before.
    """
    least = np.full(len(reduction.patterns.types), -math.inf)
    own_costs = cheapest_pattern_costs(reduction.placed_patterns).astype(float)
    prove_by_prices(run, reduction, own_costs)
    for _ in range(params.relaxations):
        began, left = run.elapsed, run.remaining
        program = distinct_program(reduction, run.requirement.core.diversity)
        relaxed = LinearSolver(program.program).solve(left)
        if relaxed is None:
            return None
        whole = program.program
        prove_by_prices(run, reduction, relaxed.dual[: len(reduction.placed_types)])
        note_relaxation(run, whole, relaxed, "pattern_ilp")
        least[reduction.inside] = reduced_cost_fixing(program.base, relaxed, whole)
        _, short = lending_flow(program, relaxed.x, whole=False)
        reduction = reduction.place(short)
        if len(short) == 0 or run.elapsed - began > params.share * left:
            break
    return reduction, least
