"""Star minimisation in wide tables: patterns are generated, never listed in full."""

import math
from dataclasses import dataclass, field

import numpy as np

from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.runs.checkpoint import begin_at
from starmin.models.lagrangian_relaxation.price_bound import lagrangian_fixing
from starmin.models.pattern_ilp import COLUMN_GENERATION
from starmin.models.pattern_ilp.priced_program import NEAR, offer_near
from starmin.models.pattern_program.kernel_search import Strengthened, kernel_search
from starmin.models.pattern_program.pattern_program import pattern_program
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import Patterns, expect_no_tuples
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.generated_patterns import patterns_of, union
from starmin.models.pricing.pricing import priced_patterns
from starmin.models.pricing.pricing_search import MOST_COLUMNS
from starmin.models.solvers.linear_solver import LinearSolver, note_relaxation
from starmin.models.solvers.mip_search import KernelSearchParams


@dataclass(frozen=True)
class ColumnGenerationParams:
    """Constants that steer the column generation."""

    # the prices are improved until a round gains less than this share of the bound;
    # after each of these the patterns that are left are counted
    tolerances: tuple[float, ...] = (1e-3, 1e-5)
    # steps of prices below each ceiling; default: those of the subgradient method
    steps: int | None = None
    most_left: int = 300_000  # incidences that branch and bound is given at most
    # so many times ``most_left`` incidences may be listed before those that are too
    # expensive are left out
    listed: int = 8
    # the kernel search among those that are left
    kernel: KernelSearchParams = field(default_factory=KernelSearchParams)


def column_generation(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    params: ColumnGenerationParams = ColumnGenerationParams(),
) -> Result:
    r"""Solve star minimisation exactly if few patterns matter; bound it in any case.

    The formulation is that of ``starmin.models.pattern_ilp.pattern_ilp``, for tables
    whose 2^d group-bys do not fit in memory. (1) Prices of the distinct rows are raised
    below a ceiling that follows them; only the patterns that count below the ceiling
    are ever listed, and still every bound holds against all patterns
    (``starmin.models.pricing.boxstep``), whenever it is stopped. (2) With the
    incumbent's value V and the bound LB of the prices, a better release uses only
    patterns whose pricing problem has a value below

    .. math:: V - 1 - LB(\lambda),

    and of their members those for which the bound through the pair is below V
    (``starmin.models.lagrangian_relaxation.price_bound``). Where these are few,
    branch and bound over them proves the optimum.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
    initial
        A good release: what it costs decides how much is left for branch and bound.
        Without one, searches that begin at all rows in one group must find it; for
        losses, a release of patterns that are nearly worth opening.

    Returns
    -------
    Result
        With a certificate of the bound of the prices.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more than 62 columns.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp :
        lists all patterns; for up to some 10 columns.
    starmin.heuristics.annealing.pattern_annealing : a good release of a wide table.

    Notes
    -----
    The bound comes within a few per mille of the linear relaxation: 27,253 rows by 16
    columns (22,847 types, k = 5) in a minute or two.

    References
    ----------
    Desaulniers, Desrosiers and Solomon (2005), Column generation.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = column_generation(table, KAnonymity(2))
    >>> result.value, result.status.value
    (4, 'optimal')
    """
    if table.d > MOST_COLUMNS:
        raise NotSupportedError(
            f"Expected at most {MOST_COLUMNS} columns, got {table.d}."
        )
    expect_no_tuples(objective)
    run = Run(table, requirement, objective, time_limit, display, COLUMN_GENERATION)

    def search() -> Limit | None:
        begin_at(run, initial)
        if _solve(run_with_prices(run), seed, params):
            return None
        return Limit.ITERATIONS if run.remaining else Limit.TIME

    return run.carry_out(search)


def _solve(run: Run, seed: int, params: ColumnGenerationParams) -> bool:
    """Find prices, then search the patterns they leave; whether that was solved."""
    boxes = Boxstep(run, steps=params.steps)
    for tolerance in params.tolerances:
        boxes.improve(tolerance)
        for near in NEAR if run.objective.by_node and not run.closed else ():
            offer_near(boxes, near, seed)
        if run.closed:
            return True
        left = _left(run, boxes, params)
        if left is not None:
            return _finish(run, left, boxes, seed, params)
    return False


def _left(run: Run, boxes: Boxstep, params: ColumnGenerationParams) -> Patterns | None:
    """Return the patterns a better release can use; None if they are too many."""
    per_cost = PriceUnit.of(run.table, run.objective).per_cost
    threshold = (run.cost - 1) * per_cost - boxes.value + 1
    patterns = priced_patterns(
        *(boxes.sought, boxes.prices),
        threshold=max(0, threshold),
        most_incidences=params.listed * params.most_left,
    )
    if patterns is None:
        return None
    least = lagrangian_fixing(patterns, boxes.prices, *boxes.sought.asked)
    keep = np.asarray(least <= (run.cost - 1) * per_cost, bool)
    return patterns.thin(keep) if keep.sum() <= params.most_left else None


def _finish(
    run: Run, left: Patterns, boxes: Boxstep, seed: int, params: ColumnGenerationParams
) -> bool:
    """Search what is left, and the incumbent's patterns, by branch and bound."""
    table, types, _, k, l, _ = boxes.sought
    if len(np.unique(left.types)) < len(types):
        run.raise_bound(run.cost, "pattern_ilp")
        return True
    left = union(patterns_of(table, types, run.objective, run.release), left)
    program = pattern_program(left, k, l)
    solution = LinearSolver(program.program).solve(run.remaining)
    if solution is None:
        return False
    note_relaxation(run, program.program, solution, "pattern_ilp")
    least = lagrangian_fixing(left, boxes.prices, k, l)
    rank = least / left.unit.per_cost
    problem = Strengthened(run, program, (), rank, rank, seed)
    return run.closed or kernel_search(problem, params.kernel)
