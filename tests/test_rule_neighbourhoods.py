"""Integer programs choose anew what types show: all stays valid, little is missed."""

import random

import numpy as np
import pytest

from starmin.heuristics.rules import RULE_SEARCH
from starmin.heuristics.rules.neighbourhoods import (
    NearbySets,
    Neighbourhoods,
    grow,
    part_of,
)
from starmin.heuristics.rules.search_params import RuleSearchParams
from starmin.instances import Mask, Run
from starmin.instances.arrays import Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.rule_program import RuleProgram
from tests.least_by_rules import least_by_rules
from tests.small_rules import random_problem

WIDE = RuleSearchParams(near=100.0, size=50)


@pytest.mark.parametrize("semantics", ["shown", "classes"])
def test_from_the_coarsest_mask_the_least_is_found(semantics: str) -> None:
    rng, missed, found = random.Random(3), 0, 0
    for _ in range(150):
        table, requirement, objective = random_problem(rng, semantics)
        best = least_by_rules(table, requirement, objective)
        if best is None:
            continue
        run = Run[Mask](table, requirement, objective, 60.0, False, RULE_SEARCH)
        program = RuleProgram.of(table, requirement, objective)
        codes = np.repeat(program.codes(program.sets - 1), program.copies)
        if not len(program) or len(broken(program, codes)):
            continue
        run.offer(program.mask(codes))  # the run refuses what breaks a rule
        function = PriceFunction(program)
        given = run, function, function.none, codes, WIDE, 1
        Neighbourhoods(*given).search(1, 100)
        assert run.value is not None and run.value >= best
        missed += run.value > best
        found += 1
    assert found >= 15 and missed <= found // 10


def broken(program: RuleProgram, codes: Ints) -> Ints:
    """Count anew who shows what: find the items that some rows show, and too few."""
    owners, choices = (
        np.repeat(np.arange(len(program)), program.copies),
        program.choices,
    )
    shown = np.zeros(len(program.need), np.int64)
    for t, code in zip(owners.tolist(), codes.tolist(), strict=True):
        for e in range(choices.starts[t], choices.starts[t + 1]):
            if choices.item[e] >= 0 and code & choices.care[e] == choices.want[e]:
                shown[choices.item[e]] += 1
    return np.flatnonzero((shown > 0) & (shown < program.need))


@pytest.mark.parametrize("semantics", ["shown", "classes"])
def test_what_types_show_is_a_point_of_their_program(semantics: str) -> None:
    rng, seen = random.Random(5), 0
    for _ in range(150):
        table, requirement, objective = random_problem(rng, semantics)
        program = RuleProgram.of(table, requirement, objective)
        codes = np.repeat(program.codes(program.sets - 1), program.copies)
        if not len(program) or len(broken(program, codes)):
            continue
        function = PriceFunction(program)
        sets, rows = NearbySets.of(function, function.none, 10**6, codes)
        assert rows.sum() == len(codes)
        assert (np.repeat(sets.codes, rows) == codes).all()
        every = np.arange(len(rows))
        shown = sets.shown(every, rows, len(program.need))
        given = sets, rows, shown, program.need
        first = rng.randrange(len(program))
        types = grow(*given, 10**6, np.array([first]), 3, rng.randrange(99))
        assert first in types and (np.diff(types) > 0).all()
        part = part_of(*given, program.copies, types, 3)
        assert part.program.holds(part.start)
        assert (part.rows(part.start) == rows[part.sets]).all()
        cost = int(sets.costs[part.sets] @ rows[part.sets])
        assert part.program.cost @ part.start == cost
        seen += 1
    assert seen >= 15


@pytest.mark.parametrize("semantics", ["shown", "classes"])
def test_rows_that_items_lack_are_mended(semantics: str) -> None:
    rng, seen = random.Random(7), 0
    for _ in range(150):
        problem = table, requirement, objective = random_problem(rng, semantics)
        program = RuleProgram.of(*problem)
        if not len(program) or least_by_rules(*problem) is None:
            continue
        function = PriceFunction(program)
        function.solve_types(function.none)
        codes = np.repeat(function.codes, program.copies)
        if not len(broken(program, codes)):
            continue
        run = Run[Mask](table, requirement, objective, 60.0, False, RULE_SEARCH)
        given = run, function, function.none, codes, WIDE, 0
        parts = Neighbourhoods(*given)
        if parts.mend(1, 60.0):
            assert not len(broken(program, parts.codes))
            mask = program.mask(parts.codes)
            assert mask.violation(table, requirement, objective) is None
            assert run.value == mask.value(table, objective)
            seen += 1
    assert seen >= 5
