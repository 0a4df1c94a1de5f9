"""Tests that what the checker of one file leaves out could not have paid."""

import random

import pytest

from starmin.instances import (
    Certificate,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Scales,
    Table,
)
from starmin.verify.checker.box_pieces import Pieces
from starmin.verify.checker.boxes import DearRows
from starmin.verify.checker.statement import Statement
from tests.fuzz_trees import plain


def statement(seed, asked, **more):
    """A small table of numbers, its certificate with any prices, and the pieces."""
    rng = random.Random(seed)
    rows = [[str(rng.randint(0, 4)), "uvwuvwuv"[row]] for row in range(8)]
    table = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    goal = Objective("gcp", scales=Scales.of(table, ["a"]))
    data = {"denominator": 1, "prices": [], "sets": [], "multipliers": [], **more}
    content = plain(Certificate.of(table, asked, goal, "boxes", 0, data))
    problem = Statement(["a", "s"], rows, content, {})
    content["data"]["prices"] = [rng.randint(-20, 60) for _ in problem.types]
    return rng, Pieces(problem, content["data"])


@pytest.mark.parametrize(
    "asked",
    [KAnonymity(2), KAnonymity(3), LDiversity(2), DistinctDiversity(2)],
    ids=["k=2", "k=3", "l=2", "distinct"],
)
def test_no_group_is_worth_less_than_the_dearest_rows(asked):
    compared = 0
    for seed in range(12):
        more = {} if isinstance(asked, KAnonymity) else {"sensitive": ["s"]}
        rng, pieces = statement(seed, asked, **more)
        every = range(len(pieces.order))
        for _ in range(40):
            types = sorted(rng.sample(every, rng.randint(1, len(every))))
            must = rng.sample(types, rng.randint(0, min(2, len(types))))
            rows = DearRows(pieces, types, sum(1 << t for t in must))
            cost = rng.randint(-10, 60)
            exact = pieces.worth(cost, types, sorted(must), pieces.prices)
            if exact is not None:
                assert rows.worth(cost) <= exact
            for t in types:
                known = sorted({*must, t})
                exact = pieces.worth(cost, types, known, pieces.prices)
                if exact is not None:
                    assert rows.worth_with(cost, t) <= exact
                    compared += 1
    assert compared > 500


def test_what_a_set_counts_holds_of_every_group_inside():
    compared = 0
    for seed in range(12):
        rng, pieces = statement(seed, DistinctDiversity(3), sensitive=["s"])
        every = range(len(pieces.order))
        for _ in range(30):
            inside = sorted(rng.sample(every, rng.randint(3, len(every))))
            some = rng.sample(inside, rng.randint(0, len(inside)))
            pieces.tally(
                [pieces.order[t] for t in inside],
                "values",
                [pieces.order[t] for t in some],
            )
            _, _, (of_some, of_others, of_group) = pieces.tallies[len(pieces.sets) - 1]
            group = rng.sample(inside, rng.randint(3, len(inside)))
            if len({pieces.columns_of[0][t] for t in group}) >= 3:
                counted = len({*group} & {*some})
                others = len(group) - counted
                assert of_some * counted + of_others * others + of_group <= 0
                compared += 1
    assert compared > 100
