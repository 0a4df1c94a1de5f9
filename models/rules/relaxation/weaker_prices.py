"""First prices of rules by classes: those of the same rules by rows that show."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import Requirement
from starmin.instances.arrays import Ints
from starmin.instances.requirements.rules.office_rules import CombinationRules
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.price_steps import PriceSteps
from starmin.models.rules.rule_program import RuleProgram

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
    steps: PriceSteps,
    requirement: Requirement,
    seconds: float,
    told: Told,
    pool: Executor | None = None,
    slots: int = 1,
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
    found = PriceSteps(PriceFunction(first, pool, slots))
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
