"""A bound on rules over combinations by prices of what rows show."""

import math
from concurrent.futures import Executor

from starmin.instances import STARS, Mask, Objective, Requirement, Result, Run, Table
from starmin.instances.runs.cores import cores
from starmin.instances.runs.threads import Threads
from starmin.models.rules import RULE_PRICES
from starmin.models.rules.certificate import rule_certificate
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.price_steps import PriceSteps
from starmin.models.rules.program import RuleProgram
from starmin.models.rules.weaker_prices import begin_weaker

_WEAKER_SHARE = 0.4  # of the seconds for prices


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
    rows, one by one. Prices move along smoothed supergradients.

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
            raise_prices(run, steps, run.remaining, pool, slots)

    return run.carry_out(search)


def raise_prices(
    run: Run[Mask],
    steps: PriceSteps,
    seconds: float,
    pool: Executor | None = None,
    slots: int = 1,
) -> None:
    """Raise prices for some seconds; the run learns their bound with its certificate.

    Those of rules by classes begin with prices of rules by rows that show.
    """

    def told(bound: int) -> bool:
        run.raise_bound(bound, "rule_prices")
        return run.remaining > 0 and not run.closed

    started = run.elapsed
    try:
        share = _WEAKER_SHARE * seconds
        begin_weaker(steps, run.requirement, share, told, pool, slots)
        steps.improve(seconds - (run.elapsed - started), told)
    finally:
        prove(run, steps)


def prove(run: Run[Mask], steps: PriceSteps) -> None:
    """Tell the run the best bound of prices, with its certificate."""
    function = steps.function
    bound, per_cost = function.bound(steps.value), function.unit.per_cost
    given = function.program, run.requirement, per_cost, steps.best, bound
    run.raise_bound(bound, "rule_prices", rule_certificate(*given))
