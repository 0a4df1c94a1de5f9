"""Rows answer each other along prices, then moves open and close combinations."""

import math

from starmin.heuristics.rules import RULE_SEARCH
from starmin.heuristics.rules.mask_moves import Moves
from starmin.heuristics.rules.search_params import PARAMS, RuleSearchParams
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
from starmin.instances.runs.workers.cores import Threads, cores
from starmin.models.rules.price_function import PriceFunction, PriceSteps
from starmin.models.rules.relaxation.set_pool import weaker
from starmin.models.rules.rule_ilp import close
from starmin.models.rules.rule_prices import grow_trees, raise_prices
from starmin.models.rules.rule_program import RuleProgram

MOVES = 20  # that an integer program counts for, where patience is counted


def rule_search(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    workers: int | None = None,
    display: bool = False,
    stagnation: int = 20_000,
    params: RuleSearchParams = PARAMS,
) -> Result[Mask]:
    r"""Find few stars for rules over combinations, near to the bound of prices.

    Prices are raised first, and trees grown, as in ``rule_prices``; each row shows what
    is cheapest by them. Some combinations are then shown by too few rows. So rows
    *answer* what the others show, one after the other: each takes the set of columns
    whose stars and prices are least, plus a weight for each combination that this
    brings farther from nobody and from enough rows. Weights grow until nothing is left
    to mend; what does not come to be shown by enough rows is closed. Then moves let a
    row that pays much show a cheaper set, open a combination or close one; rows answer,
    and what costs no more is kept (iterated local search). Each thread makes moves of
    its own; from time to time all go on from the best. Where few sets of columns are
    near to the bound, CP-SAT looks among them before, as in ``rule_ilp``; that often
    ends the search with a proof. Of rules by classes the bound is a linear relaxation;
    rows begin with its largest sets of columns, and integer programs of neighbourhoods
    mend what is then shown by too few, where each row that is lacking costs some stars.

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds, of which prices get a share.
    seed
        Of the moves.
    workers
        Threads; default: one for each core.
    display
        Print progress to stderr.
    stagnation
        Stop after so many moves of each thread without a gain; an integer program
        counts for twenty.
    params
        Constants of the search.

    Returns
    -------
    Result
        With the bound of the prices and its certificate.

    See Also
    --------
    starmin.models.rules.rule_prices : the bound alone.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rule_search(table, Combinations(2, 2))
    Result(value=2, lower_bound=2, optimal)
    """
    run = Run[Mask](
        *(table, requirement, objective, time_limit, display, RULE_SEARCH),
        workers=workers,
    )

    def search() -> Limit | None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        slots = cores()
        with Threads(slots) as pool:
            function = PriceFunction(program, pool, slots)
            steps = PriceSteps(function)
            classes = weaker(requirement) is not None
            share = params.class_share if classes else params.price_share
            run.begin("prices")
            raised = raise_prices(run, steps, share * run.remaining, pool, slots)
            prices, first = steps.best, None
            if raised.relaxation is not None and run.remaining > 0 and not run.closed:
                first = raised.relaxation.codes()
            if run.remaining > 0 and not run.closed and raised.ended:
                run.begin("trees")
                share = params.class_tree_share if classes else params.tree_share
                share *= run.remaining
                prices = grow_trees(run, steps, share).prices()
            if not run.closed and raised.ended:
                run.begin("proof")
                close(run, steps, params.sets, params.proof_share * run.elapsed, seed)
            if run.closed:
                return None
            # HiGHS takes a moment to import.
            from starmin.heuristics.rules.neighbourhoods import Neighbourhoods

            if first is not None:
                run.begin("neighbourhoods")
                parts = Neighbourhoods(run, function, prices, first, params, seed)
                if parts.mend(slots, params.mend_share * run.remaining):
                    return parts.search(slots, stagnation // MOVES)
                first = parts.codes
            run.begin("moves")
            moves = Moves(run, function, prices, params, seed, slots, first)
            moves.search(pool, stagnation)
        if run.closed or not len(moves.items):
            return None
        run.begin("neighbourhoods")
        function = PriceFunction(program)
        parts = Neighbourhoods(run, function, prices, moves.best, params, seed)
        return parts.search(slots, stagnation // MOVES)

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )
