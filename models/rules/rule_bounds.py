"""Bound problems with rules: by sets that rows must hide, and by prices of items.

The certificates of both are here, too.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from starmin.instances import (
    STARS,
    Certificate,
    Mask,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.tables.row_types import canonical_order
from starmin.models.rules import HITTING_SETS, RULE_PRICES
from starmin.models.rules.price_function import PriceFunction, PriceSteps
from starmin.models.rules.region_forest import Forest, RegionTree
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.set_pool import begin_weaker

if TYPE_CHECKING:
    from starmin.models.rules.set_relaxation import SetRelaxation


# The certificate of a bound by prices of items.

KIND = "rules"


def rule_certificate(
    program: RuleProgram,
    requirement: Requirement,
    per_cost: int,
    prices: Ints,
    bound: int,
    trees: Sequence[RegionTree] = (),
) -> Certificate:
    """Write prices by entry of ``program.choices.item`` as a certificate.

    They are whole numbers, of which ``per_cost`` are a unit of the objective; ``bound``
    is what they prove, with the trees of regions apart from each other that begin with
    them. A row type has its number in canonical order, then terms and prices, as
    docs/reference/certificate.md has it.
    """
    ranks = _ranks(program)
    listed = _priced(program, ranks, np.arange(len(program)), prices, prices != 0)
    data: dict[str, Any] = {"denominator": per_cost, "prices": sorted(listed)}
    if trees:
        data["trees"] = [_written_tree(program, ranks, tree) for tree in trees]
    return Certificate.of(
        program.table, requirement, program.objective, KIND, bound, data
    )


def _written_tree(
    program: RuleProgram, ranks: list[list[int]], tree: RegionTree
) -> list[dict[str, Any]]:
    """Return the nodes of a tree, where an item is closed before it is opened."""
    nodes, ahead = list[dict[str, Any]](), [0]
    leaves = {leaf.number: leaf for leaf in tree.leaves}
    region, items = tree.region, program.choices.item
    while ahead:
        number = ahead.pop()
        if number in tree.splits:
            item, closed, opened = tree.splits[number]
            e = int(tree.local.entries_of(item)[0])
            term = int(program.terms.number[program.choices.term[e]])
            nodes.append({"item": [ranks[program.owner[e]][0], term]})
            ahead += [opened, closed]
            continue
        own = list[list[int]]()
        if (leaf := leaves.get(number)) is not None:
            prices, other = np.zeros((2, len(items)), np.int64)
            prices[region.movable] = leaf.prices
            other[region.movable] = leaf.prices != tree.first
            other[np.isin(items, leaf.closed)] = 0
            own = _priced(program, ranks, region.types, prices, other != 0)
        nodes.append({"prices": own})
    return nodes


def _priced(
    program: RuleProgram, ranks: list[list[int]], types: Ints, prices: Ints, some: Bools
) -> list[list[int]]:
    """Return the prices of some entries: by row type its number, terms and prices."""
    choices, numbers = program.choices, program.terms.number
    listed = list[list[int]]()
    for t in types.tolist():
        part = slice(choices.starts[t], choices.starts[t + 1])
        own = some[part]
        pairs = np.stack([numbers[choices.term[part][own]], prices[part][own]], 1)
        if len(pairs):
            listed += [[rank, *pairs.ravel().tolist()] for rank in ranks[t]]
    return listed


def _ranks(program: RuleProgram) -> list[list[int]]:
    """Return by open type the canonical numbers of its row types."""
    names = [*program.table.qi, *program.core.strata]
    wide = program.table.with_roles(names)
    numbers = np.argsort(canonical_order(wide, wide.row_types))
    ranks: list[list[int]] = [[] for _ in range(len(program))]
    types = np.flatnonzero(~program.reduced.settled)
    for t, place in zip(types.tolist(), program.same.tolist(), strict=True):
        ranks[place].append(int(numbers[t]))
    return ranks


# Each row hides the least that shows no combination too rare in the original.


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
    time_limit, display
        Seconds; progress is printed to stderr.

    Returns
    -------
    Result
        ``lower_bound`` and its certificate; the mask where it satisfies the rules.

    See Also
    --------
    starmin.models.rules.rule_bounds : never lower, where rows that show are counted.

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
        steps = PriceSteps(PriceFunction(program))
        prove(run, steps, method="hitting_sets")
        mask = program.mask(np.repeat(steps.function.codes, program.copies))
        if mask.violation(table, requirement, objective) is None:
            run.offer(mask)

    return run.carry_out(search)


# A bound on rules over combinations by prices of what rows show.

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
    time_limit, display
        Seconds; progress is printed to stderr.
    workers
        Threads; default: one for each core.

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
            raised = raise_prices(run, steps, share)
            if run.remaining > 0 and not run.closed and raised.ended:
                grow_trees(run, steps, run.remaining)

    return run.carry_out(search)


class Raised(NamedTuple):
    """How the prices were raised."""

    ended: bool  # whether no time was missing
    # of rules by classes: the linear relaxation, whose dual values the prices are
    relaxation: "SetRelaxation | None" = None


def raise_prices(run: Run[Mask], steps: PriceSteps, seconds: float) -> Raised:
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
        if not begin_weaker(steps, run.requirement, share, told):
            steps.improve(left(), told)
            return Raised(True)
        # It takes a second to import.
        from starmin.models.rules.set_relaxation import SetRelaxation

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


def prove(
    run: Run[Mask],
    steps: PriceSteps,
    forest: Forest | None = None,
    method: str = RULE_PRICES.name,
) -> None:
    """Tell the run the best bound of prices, with its certificate."""
    function, value, prices, trees = steps.function, steps.value, steps.best, []
    if forest is not None:
        value, prices, trees = forest.value, forest.first, forest.trees
    bound, per_cost = function.bound(value), function.unit.per_cost
    given = function.program, run.requirement, per_cost, prices, bound
    run.raise_bound(bound, method, rule_certificate(*given, trees))
