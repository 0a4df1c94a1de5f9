"""A bound on rules over combinations by prices of what rows show."""

import math
from concurrent.futures import Executor
from typing import TYPE_CHECKING, NamedTuple

from starmin.instances import STARS, Mask, Objective, Requirement, Result, Run, Table
from starmin.instances.runs.workers.cores import Threads, cores
from starmin.models.rules import RULE_PRICES
from starmin.models.rules.price_function import PriceFunction, PriceSteps
from starmin.models.rules.relaxation.set_pool import begin_weaker
from starmin.models.rules.rule_certificate import rule_certificate
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.trees.region_forest import Forest

if TYPE_CHECKING:
    from starmin.models.rules.relaxation.set_relaxation import SetRelaxation

_WEAKER_SHARE = 0.15  # of the seconds for prices
_STEPS_SHARE = 0.85  # of the time, the rest for trees


def rule_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    workers: int | None = None,
    display: bool = False,
) -> Result[Mask]:
    r"""Bound the stars of rules from below by prices of combinations.

    A row that shows a combination pays a price for it, and who shows it gets the prices
    back: at least k rows or nobody. So rows that alone would show what too few others
    show are charged for it, or paid for joining them. Any prices prove the bound of
    ``models.rules.price_function``; at prices of 0 it is that of ``hitting_sets``, its
    maximum is the relaxation in which each combination is hidden or shown by enough
    rows, one by one. Prices move along smoothed supergradients; those of rules by
    classes are dual values of that relaxation, whose sets are generated. Then single
    combinations are opened and closed, in regions that do not touch each other, with
    prices of their own in each case; what that gains in each region adds up.

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds.
    workers
        Threads; default: one for each core.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rule_prices(table, Combinations(2, 2)).lower_bound
    2
    """
    run = Run[Mask](
        *(table, requirement, objective, time_limit, display, RULE_PRICES),
        workers=workers,
    )

    def search() -> None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        slots = cores()
        with Threads(slots) as pool:
            steps = PriceSteps(PriceFunction(program, pool, slots))
            share = _STEPS_SHARE * run.remaining
            raised = raise_prices(run, steps, share, pool, slots)
            if run.remaining > 0 and not run.closed and raised.ended:
                grow_trees(run, steps, run.remaining)

    return run.carry_out(search)


class Raised(NamedTuple):
    """How the prices were raised."""

    ended: bool  # whether no time was missing
    # of rules by classes: the linear relaxation, whose dual values the prices are
    relaxation: "SetRelaxation | None" = None


def raise_prices(
    run: Run[Mask],
    steps: PriceSteps,
    seconds: float,
    pool: Executor | None = None,
    slots: int = 1,
) -> Raised:
    """Raise prices for some seconds; the run learns their bound with its certificate.

    Those of rules by classes begin with prices of rules by rows that show. Then they
    are dual values of a linear relaxation: who shares a class is seldom settled by
    prices that move bit by bit, as nearly all rows may join nearly all classes.
    """
    end = run.elapsed + seconds

    def told(bound: int) -> bool:
        run.raise_bound(bound, "rule_prices")
        return run.remaining > 0 and not run.closed

    def left() -> float:
        return min(end - run.elapsed, run.remaining)

    try:
        share = _WEAKER_SHARE * seconds
        if not begin_weaker(steps, run.requirement, share, told, pool, slots):
            steps.improve(left(), told)
            return Raised(True)
        # It takes a second to import.
        from starmin.models.rules.relaxation.set_relaxation import SetRelaxation

        relaxation = SetRelaxation.of(steps.function, steps.best)
        try:
            ended = relaxation.improve(left, told)
        finally:
            steps.begin(relaxation.best)
        return Raised(ended, relaxation)
    finally:
        prove(run, steps)


def grow_trees(run: Run[Mask], steps: PriceSteps, seconds: float) -> Forest:
    """Grow trees from the best prices; the run learns their bound with its certificate.

    Returns the trees; there are none where they would not raise the bound.
    """
    function = steps.function
    forest = Forest(function, steps.best, steps.value)
    end = run.elapsed + seconds

    def told(value: int) -> bool:
        run.raise_bound(function.bound(value), "rule_prices")
        return run.elapsed < end and not run.closed

    try:
        forest.grow(told)
    finally:
        if function.bound(forest.value) > function.bound(steps.value):
            prove(run, steps, forest)
    return forest


def prove(run: Run[Mask], steps: PriceSteps, forest: Forest | None = None) -> None:
    """Tell the run the best bound of prices, with its certificate."""
    function = steps.function
    value = steps.value if forest is None else forest.value
    prices = steps.best if forest is None else forest.first
    bound, per_cost = function.bound(value), function.unit.per_cost
    given = function.program, run.requirement, per_cost, prices, bound
    trees = [] if forest is None else forest.trees
    run.raise_bound(bound, "rule_prices", rule_certificate(*given, trees))
