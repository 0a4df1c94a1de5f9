"""Each row hides the least that shows no combination too rare in the original."""

import math

import numpy as np

from starmin.instances import STARS, Mask, Objective, Requirement, Result, Run, Table
from starmin.models.rules import HITTING_SETS
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.rule_certificate import rule_certificate
from starmin.models.rules.rule_program import RuleProgram


def hitting_sets(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result[Mask]:
    r"""Bound the stars of rules from below by what is too rare to be shown at all.

    A combination that fewer than k rows have is shown by fewer than k rows, whatever
    else is hidden. So each row hides at least a cheapest set of columns that hits each
    such combination of its own:

    .. math:: LB = \sum_t s_t \min \{c(S) : S \text{ shows no rare item}\}.

    Where rules count the original or a population, that is all they ask: the rows
    satisfy them one by one, and the mask of these sets is optimal.

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        ``lower_bound`` and its certificate; the mask where it satisfies the rules.

    See Also
    --------
    starmin.models.rules.rule_prices : never lower, where rows that show are counted.

    Notes
    -----
    Each distinct row tries all sets of the columns that are part of something rare.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> hitting_sets(table, Combinations(2, 2, semantics="source"))
    Result(value=2, lower_bound=2, optimal)
    """
    given = table, requirement, objective, time_limit, display
    run = Run[Mask](*given, HITTING_SETS)

    def search() -> None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        function = PriceFunction(program)
        prices = function.none
        bound = function.bound(function(prices))
        per_cost = function.unit.per_cost
        certificate = rule_certificate(program, requirement, per_cost, prices, bound)
        run.raise_bound(bound, "hitting_sets", certificate)
        mask = program.mask(np.repeat(function.codes, program.copies))
        if mask.violation(table, requirement, objective) is None:
            run.offer(mask)

    return run.carry_out(search)
