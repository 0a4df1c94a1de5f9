"""Some sets of each open type, and the items that each set shows."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import Requirement
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.models.rules.choices import Choices
from starmin.models.rules.price_function import NearSets, PriceFunction, PriceSteps
from starmin.models.rules.rule_program import RuleProgram

# First prices of rules by classes: those of the same rules by rows that show.

Told = Callable[[int], bool]
_Key = tuple[int, tuple[int, ...], int]  # type of the table, columns and k of a rule


def weaker(requirement: Requirement) -> Requirement | None:
    """Return the rules by classes as rules by rows that show; None where none are.

    Who is published like k rows shows what k rows show, so each release that satisfies
    the rules by classes satisfies these.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> weaker(Combinations(2, 5, semantics="classes")) == Combinations(2, 5)
    True
    """
    parts = [
        replace(part, semantics="shown")
        if isinstance(part, CombinationRules) and part.semantics == "classes"
        else part
        for part in requirement.parts
    ]
    if parts == list(requirement.parts):
        return None
    asked: Requirement = reduce(and_, parts)
    return asked


def begin_weaker(
    steps: PriceSteps, requirement: Requirement, seconds: float, told: Told
) -> bool:
    """Let prices of rules by classes begin with those of rules by rows that show.

    A row that publishes the values of a rule's columns shows their item in both. So the
    prices have the same bound there, or a higher one, where more is rare. Returns
    whether there are rules by classes.
    """
    asked = weaker(requirement)
    if asked is None:
        return False
    program = steps.function.program
    first = RuleProgram.of(program.table, asked, program.objective)
    found = PriceSteps(PriceFunction(first, *steps.function.threads))
    found.improve(seconds, told)
    steps.begin(_moved(first, found, program, steps.function.unit.per_cost))
    return True


def _moved(
    first: RuleProgram, found: PriceSteps, program: RuleProgram, per_cost: int
) -> Ints:
    """Return prices of one program at the entries of another one."""
    known: dict[_Key, int] = {}
    types = np.flatnonzero(~first.reduced.settled)
    for t, place in zip(types.tolist(), first.same.tolist(), strict=True):
        for e in range(*first.choices.starts[place : place + 2].tolist()):
            price = int(found.best[e])
            if price and first.terms.state[first.choices.term[e]] == 0:
                known[_key(first, t, e)] = price
    prices = np.zeros(len(program.choices.item), np.int64)
    states = program.terms.state[program.choices.term]
    for e in np.flatnonzero(states == 0).tolist():
        t = int(program.choices.types[program.owner[e]])
        prices[e] = known.get(_key(program, t, e), 0)
    return prices * per_cost // found.function.unit.per_cost


def _key(program: RuleProgram, t: int, e: int) -> _Key:
    rule = program.core.rules[program.terms.rule[program.choices.term[e]]]
    return t, rule.columns, rule.k


MOST_SETS = 300_000  # Each has dozens of items, which are listed at once.


class SetPool:
    """Sets that open types may show: at least one of each type, none twice.

    By set, in order of types, ``types`` has its type, ``codes`` the bits that it hides,
    and ``costs`` what a row pays. ``sets`` are the first ones; prices are in the unit
    of the function.
    """

    def __init__(self, function: PriceFunction, sets: NearSets) -> None:
        self.function, self.program = function, function.program
        self.types, self.codes = _types(sets), sets.codes
        program = self.program
        self.costs = program.costs_of(self.codes, program.choices.types[self.types])

    def pairs(self, marked: Bools) -> tuple[Ints, Ints]:
        """Return the sets that show marked items, and by which entries."""
        return shown_by(self.program.choices, self.types, self.codes, marked)

    def cheapest(self, prices: Ints) -> tuple[Ints, Ints]:
        """Return by type what its cheapest set costs a row, and what that hides.

        Costs are those of open columns alone, as in ``function.values``.
        """
        values = paid_for(self.function, self.types, self.codes, self.costs, prices)
        order = np.lexsort((values, self.types))
        first = order[np.searchsorted(self.types, np.arange(len(self.program)))]
        base = self.program.base_costs * self.function.unit.per_cost
        return values[first] - base, self.codes[first]

    def add_cheaper(self, prices: Ints, slack: int, most: int, marked: Bools) -> int:
        """Add sets that cost less than all of their type here; return how many.

        Those are added that cost at most ``slack`` above the least of all sets of a
        type; less where they are too many. Of the sets that show one item of ``marked``
        whose price is below 0, the ``most`` cheapest ones are added: many more could
        get the price than are needed.
        """
        function, program = self.function, self.program
        function.solve_types(prices)
        least, _ = self.cheapest(prices)
        cheaper = np.minimum(least - function.values - 1, slack)
        near = list_near(function, prices, cheaper)
        types = _types(near)
        costs = program.costs_of(near.codes, program.choices.types[types])
        over = near.over - (least - function.values)[types]
        order = np.argsort(over, kind="stable")
        given = types[order], near.codes[order], marked
        sets, entries = shown_by(program.choices, *given)
        paid = prices[entries] < 0
        starts = np.searchsorted(sets[paid], np.arange(len(order) + 1))
        items = program.choices.item[entries[paid]]
        chosen = order[_choose(starts, items, most, len(program.need))]
        self.types = np.concatenate([self.types, types[chosen]])
        self.codes = np.concatenate([self.codes, near.codes[chosen]])
        self.costs = np.concatenate([self.costs, costs[chosen]])
        by_type = np.argsort(self.types, kind="stable")
        self.types, self.codes = self.types[by_type], self.codes[by_type]
        self.costs = self.costs[by_type]
        return len(chosen)


def list_near(
    function: PriceFunction, prices: Ints, slack: Ints, most: int = MOST_SETS
) -> NearSets:
    """List sets by reduced cost: within a slack by type, or less where it is too many.

    Of each type whose slack is not below 0 at least one set is listed.
    """
    while (near := NearSets.of(function, prices, slack, most)) is None:
        if slack.max() <= 0:
            asked = slack >= 0
            starts = np.concatenate([[0], np.cumsum(asked)])
            return NearSets(
                starts, function.codes[asked], np.zeros(starts[-1], np.int64)
            )
        slack = np.where(slack > 0, slack // 2, slack)
    return near


def shown_by(
    choices: Choices, types: Ints, codes: Ints, marked: Bools
) -> tuple[Ints, Ints]:
    """Return which of some sets show marked items, and by which entries."""
    given, pairs = (choices, types, codes, marked), np.zeros((2, 0), np.int64)
    pairs = np.zeros((2, _list_pairs(*given, pairs)), np.int64)
    _list_pairs(*given, pairs)
    return pairs[0], pairs[1]


def _types(sets: NearSets) -> Ints:
    return np.repeat(np.arange(len(sets.starts) - 1), np.diff(sets.starts))


def paid_for(
    function: PriceFunction, types: Ints, codes: Ints, costs: Ints, prices: Ints
) -> Ints:
    """Return what a row pays for each of some sets, prices included."""
    values = costs * function.unit.per_cost
    _add_prices(function.program.choices, types, codes, prices, values)
    return values


@compiled
def _add_prices(
    choices: Choices, types: Ints, codes: Ints, prices: Ints, values: Ints
) -> None:
    starts, care, want = choices.starts, choices.care, choices.want
    for s in range(len(types)):
        for e in range(starts[types[s]], starts[types[s] + 1]):
            if codes[s] & care[e] == want[e]:
                values[s] += prices[e]


@compiled
def _list_pairs(
    choices: Choices, types: Ints, codes: Ints, marked: Bools, pairs: Ints
) -> int:
    """Count the items that sets show, or write them if there is room."""
    starts, item, found = choices.starts, choices.item, 0
    care, want = choices.care, choices.want
    for s in range(len(types)):
        for e in range(starts[types[s]], starts[types[s] + 1]):
            if item[e] < 0 or not marked[item[e]] or codes[s] & care[e] != want[e]:
                continue
            if pairs.shape[1]:
                pairs[0, found], pairs[1, found] = s, e
            found += 1
    return found


@compiled
def _choose(starts: Ints, items: Ints, most: int, count: int) -> Bools:
    """Choose sets in order; each shows an item that few of those before it show."""
    chosen, seen = np.zeros(len(starts) - 1, np.bool_), np.zeros(count, np.int64)
    for s in range(len(chosen)):
        own = items[starts[s] : starts[s + 1]]
        chosen[s] = len(own) == 0
        for i in own:
            if seen[i] < most:
                chosen[s] = True
        if chosen[s]:
            for i in own:
                seen[i] += 1
    return chosen
