"""The least stars for rules over combinations, by CP-SAT on what prices leave."""

import math

from starmin.instances import (
    STARS,
    Limit,
    Mask,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.rules import RULE_ILP
from starmin.models.rules.price_function import NearSets, PriceFunction, PriceSteps
from starmin.models.rules.rule_prices import raise_prices
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.solvers.cp_sat_search import search as search_by_cp_sat

MOST_SETS = 500_000
_PRICE_SHARE = 0.3  # of the time
_FIRST_SLACK = 0.25  # in mean costs of a star


def rule_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
) -> Result[Mask]:
    r"""Solve rules over combinations exactly on small tables.

    The program of ``models.rules.rule_program`` says how many rows of each type show
    which columns, and which combinations are shown at all. Prices, as in
    ``rule_prices``, give a bound L. A mask that costs L + s or less has only sets whose
    reduced cost, by these prices, is s or less: each row with another one would bring
    it above. So CP-SAT solves the program over the sets within s, s is doubled until
    that has a solution, and then widened once, to what a cheaper mask could have:

    .. math:: OPT \ge \min(OPT_s,\ \lfloor L + s \rfloor + 1).

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds.
    seed
        For the solver's random choices.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        The certificate is that of the prices, whose bound may be below the optimum.

    See Also
    --------
    starmin.heuristics.rules.rule_search : finds masks of large tables.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rule_ilp(table, Combinations(2, 2))
    Result(value=2, lower_bound=2, optimal)
    """
    run = Run[Mask](table, requirement, objective, time_limit, display, RULE_ILP)

    def search() -> Limit | None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        function = PriceFunction(program)
        steps = PriceSteps(function)
        raise_prices(run, steps, _PRICE_SHARE * run.remaining)
        if close(run, steps, MOST_SETS, math.inf, seed):
            return None
        return Limit.MEMORY if run.remaining > 0 else Limit.TIME

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )


def close(
    run: Run[Mask], steps: PriceSteps, most: int, seconds: float, seed: int
) -> bool:
    """Solve the program over more and more sets, until no other can be cheaper.

    Returns whether that ended, not for the time (``seconds``) or because the sets were
    too many (``most``). The run learns what is found; ``steps`` has the prices.
    """
    # It takes a second to import.
    from starmin.models.rules.integer_program import IntegerProgram, PricedSets

    function = steps.function
    unit, proven, end = function.unit.per_cost, steps.value, run.elapsed + seconds
    slack = round(_FIRST_SLACK * function.program.mean_star_cost * unit)

    def check_time() -> None:
        run.check_time()
        if run.elapsed > end:
            raise TimeoutError

    while not run.closed:
        if run.value is not None:
            slack = min(slack, (run.value - 1) * unit - proven)
        # A mask of these sets at just that cost is optimal: the budget allows for it.
        ceiling = (proven + slack) // unit + 1
        try:
            sets = NearSets.of(function, steps.best, slack, most, check_time)
            if sets is None:
                return False
            priced = PricedSets(function, steps.best, proven, sets, slack + unit)
            program = IntegerProgram(priced, ceiling, check_time)
        except TimeoutError:
            return False
        left = end - run.elapsed
        search_by_cp_sat(program.model, run, program, "rule_ilp", seed, seconds=left)
        if run.remaining <= 0 or run.elapsed > end:
            return run.closed
        slack = 2 * slack + 1
    return True
