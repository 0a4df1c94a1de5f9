"""Tests that the program over boxes is exact, and that its proofs are checked."""

import random
from collections import Counter
from dataclasses import replace
from importlib import import_module
from itertools import chain, combinations, product
from math import inf
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from starmin.instances import (
    Certificate,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Run,
    Scales,
    Table,
)
from starmin.instances.tables.row_types import canonical_order
from starmin.models.boxes.box_program import box_program
from starmin.models.boxes.incumbent import boxes_around
from starmin.models.boxes.master.exact import BoxParams
from starmin.models.boxes.master.master import Duals, Master, Relaxation
from starmin.models.boxes.master.side_constraints import RowSets
from starmin.models.boxes.walk.box_data import GroupRule, box_columns, box_data
from starmin.models.boxes.walk.search import BoxPool, Charges, Groups, find_boxes
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates import paying_ranges
from starmin.verify.certificates.asked import Asked
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.one_file import BoxProblem
from starmin.verify.certificates.paying_ranges import LoopedBoxList
from starmin.verify.checker.box_pieces import NEVER, LineOfTypes, Pieces, places
from starmin.verify.checker.boxes import BoxList, DearRows
from tests.fuzz_boxes import BOUNDS, compare, judge, random_problem
from tests.fuzz_trees import by_standard_library, plain


def test_it_agrees_with_brute_force_and_both_checkers_accept():
    trees = solved = 0
    for seed in range(48):  # ``python -m tests.fuzz_boxes`` takes thousands
        found = compare(seed)
        solved += found is not None
        if found is not None and found.certificate is not None:
            trees += "nodes" in found.certificate.data
            judge(seed, found, 2)
    assert solved > 24 and trees > 4


def test_rounded_prices_do_not_let_the_same_groups_join_without_an_end(monkeypatch):
    """A box that is always worth a little less than 0 is looked at twice at most."""
    worth, joined = Relaxation.worth, list[int]()

    def a_little_less(relaxation, duals):
        found = worth(relaxation, duals)
        return np.where(np.arange(len(found)) == 0, -2 * relaxation.eps, found)

    def add(relaxation, groups, add=Relaxation.add_groups):
        joined.append(len(groups.box))
        assert len(joined) < 5_000
        add(relaxation, groups)

    monkeypatch.setattr(Relaxation, "worth", a_little_less)
    monkeypatch.setattr(Relaxation, "add_groups", add)
    table, requirement, objective = random_problem(3)[:3]
    found = box_program(table, requirement, objective=objective, time_limit=60)
    assert found.best is not None and joined


@pytest.mark.parametrize("seed", [2577, 2683, 2701])
def test_numbers_of_piles_are_split_on_where_those_of_groups_are_whole(
    seed, monkeypatch
):
    bounds = (3, 2, 1), (4, 2, 1), (5, 2, 1), (4, 3, 1), (3, 2, 1)
    monkeypatch.setattr("tests.fuzz_boxes.BOUNDS", bounds)
    found = compare(seed)
    assert any(share == 0 for _, share in found.certificate.data["sets"])
    judge(seed, found, 20)


def ranges(rows, k_of="xy"):
    cells = [[str(cell) for cell in row] for row in rows]
    table = Table.from_rows(list(k_of), cells, list(k_of))
    return table, Objective("gcp", scales=Scales.of(table, list(k_of)))


def test_a_table_of_a_hundred_rows_is_solved_and_certified():
    rng = np.random.default_rng(5)
    rows = np.stack([rng.integers(0, 30, 100), rng.integers(0, 5, 100)], axis=1)
    table, objective = ranges(rows.tolist())
    found = box_program(table, KAnonymity(4), objective=objective, time_limit=60)
    assert found.value == found.lower_bound == found.certified_bound
    check = check_certificate(found.certificate, table, KAnonymity(4), objective)
    assert check.accepted
    proven = by_standard_library(table, plain(found.certificate))
    assert proven == found.value


def test_proofs_that_claim_or_state_more_are_refused():
    seen = 0
    for seed in range(60):
        table, requirement, objective, _ = random_problem(seed)
        params = BoxParams(cuts=0, program_share=0.0)
        found = box_program(table, requirement, objective=objective, params=params)
        proof = found.certificate
        if proof is None or "nodes" not in proof.data:
            continue
        seen += 1
        data = proof.data
        types, share = data["sets"][0]
        for wrong in (
            {"nodes": data["nodes"][:-1]},
            {"nodes": [*data["nodes"], {}]},
            {"sets": [[types, share + 20], *data["sets"][1:]]},
            {"sets": [[[*types, 99], share], *data["sets"][1:]]},
            {"multipliers": [0, 5]},
            {"prices": [price + data["denominator"] for price in data["prices"]]},
            {"prices": data["prices"][1:]},
            {"denominator": 0},
            {"more": 1},
        ):
            lie = replace(proof, data=data | wrong)
            check = check_certificate(lie, table, requirement, objective)
            assert not check.accepted, (seed, wrong)
        lie = replace(proof, bound=proof.bound + 1)
        assert not check_certificate(lie, table, requirement, objective).accepted
    assert seen >= 5


def made(table, types, objective, unit, *asked):
    """What loops read, costs being multiplied by a number."""
    columns = box_columns(table, objective, unit)
    positions = objective.scales_of(table).positions(types.codes)
    return box_data(columns, positions, types, 0, GroupRule.of(*asked, table.n))


def test_the_walk_finds_what_another_one_and_all_groups_say():
    for seed in range(40):
        table, _, objective, rng = random_problem(seed, most=7)
        asked = rng.choice(BOUNDS)
        types = table.sensitive_types if max(asked[1:]) > 1 else table.row_types
        data = made(table, types, objective, 7, *asked)
        row = 7 * max(1, objective.whole(table) // table.n)
        prices = np.array([rng.randint(0, row) for _ in types.counts], np.int64)
        inside = np.array([[rng.random() < 0.6 for _ in prices] for _ in range(3)])
        share = np.array([data.least, rng.randint(1, data.least), 1])
        charge = np.array([rng.randint(0, row) for _ in range(3)], np.int64)
        threshold = rng.randint(-row, 2 * row)
        charges = Charges(inside, share, charge)
        found = find_boxes(data, prices, charges, threshold, 10**6, lambda: None)
        pool = BoxPool(data)
        pool.add(found.lows, found.highs)
        ours = {
            (cost, tuple(np.flatnonzero(fits)), worth)
            for cost, fits, worth in zip(
                pool.cost.tolist(), pool.members(), found.worth.tolist(), strict=True
            )
        }
        assert len(ours) == len(pool)
        assert ours == set(
            by_other_walk(table, types, objective, prices, charges, asked, threshold)
        )
        assert (pool.worth(prices) <= found.worth).all()


@pytest.mark.parametrize("seed", range(20))
def test_boxes_that_are_left_out_lower_what_is_proven(seed):
    """Where more boxes are worth alike than are kept, the cheapest of them stay."""
    rng = np.random.default_rng(seed)
    table, objective = ranges(rng.integers(0, 3, (30, 2)).tolist())
    types = table.row_types
    data = made(table, types, objective, 7, 2, 1, 1)
    pool, row = BoxPool(data), 7 * objective.whole(table) // table.n
    run = Run(table, KAnonymity(2), objective)
    relaxation = Relaxation(pool, RowSets(pool), row, run, types)
    alike = np.full(len(types), row // 2 + seed, np.int64)
    duals = Duals(alike, np.zeros(0, np.int64))
    every = relaxation.find(duals, 0, 10**6)
    whole = relaxation.proven(duals, every.least)
    assert whole < relaxation.base(duals)
    for most in range(1, len(every.worth)):
        found = relaxation.find(duals, 0, most)
        assert len(found.worth) == most
        assert max(found.worth) <= found.threshold <= 0
        assert relaxation.proven(duals, found.least) == whole
        none = found._replace(worth=found.worth[:0])
        assert none.least == found.threshold < 0
        assert relaxation.proven(duals, none.least) >= whole


@pytest.mark.parametrize("seed", [0, 24, 105, 171])
def test_the_walk_leaves_no_box_out_that_later_ranges_make_pay(seed):
    """Rows that a short range needs may be left out of a longer one."""
    rng = random.Random(seed)
    n, d = rng.randint(8, 24), rng.randint(2, 4)
    rows = [[str(rng.randint(0, 6)) for _ in range(d)] for _ in range(n)]
    table, objective = ranges(rows, "abcd"[:d])
    asked, types = (rng.choice([2, 3, 4, 5]), 1, 1), table.row_types
    data = made(table, types, objective, 7, *asked)
    row = 7 * max(1, objective.whole(table) // n)
    prices = np.array([rng.randint(0, row // 2) for _ in types.counts], np.int64)
    none = np.zeros(0, np.int64)
    charges = Charges(np.zeros((0, len(prices)), bool), none, none)
    found = find_boxes(data, prices, charges, 0, 10**6, lambda: None)
    given = table, types, objective, prices, charges, asked, 0, False
    others = Counter(worth for *_, worth in by_other_walk(*given))
    # The checker leaves out boxes at an end of which no row is worth it.
    assert sum(others.values()) > 0 and others <= Counter(found.worth.tolist())


@pytest.mark.parametrize("looped", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_each_group_that_is_worth_little_is_in_a_box_of_the_list(
    seed, looped, monkeypatch
):
    """Groups of all sizes, with any rows, by brute force; ranges by either search."""
    monkeypatch.setattr(paying_ranges, "LOOK", 0)
    rng = random.Random(seed)
    n, d = rng.randint(4, 9), rng.randint(1, 3)
    cells = [[str(rng.choice([0, 1, 2, 3, 5, 9])) for _ in range(d)] for _ in range(n)]
    rows = [[*row, rng.choice("uvw")] for row in cells]
    qi = list("abc"[:d])
    table = Table.from_rows([*qi, "s"], rows, qi, ["s"])
    objective = Objective("gcp", scales=Scales.of(table, qi))
    k, l = rng.choice([(2, 1), (3, 1), (1, 2), (1, 3), (3, 2)])
    types = table.row_types if l == 1 else table.sensitive_types
    least = objective.whole(table) // n
    unit = rng.choice([1, 1, 1 << 70])  # with bits that the loop leaves out
    prices = [rng.randint(0, d * least * unit) for _ in range(len(types))]
    data = {"denominator": unit, "prices": prices, "sets": [], "multipliers": []}
    if l > 1:
        data["sensitive"] = "s"
    asked = Asked(data, table, k, l, 1, objective, 0, None, None)
    pieces = Pieces(BoxProblem(asked), data)
    threshold = rng.randint(0, least) * unit
    listed = LoopedBoxList if looped else BoxList
    boxes = [(cost, types) for cost, types, *_ in listed(pieces, threshold).found]
    every, lines, found = range(len(pieces.order)), pieces.problem.lines, 0
    for some in chain.from_iterable(combinations(every, m) for m in range(1, 5)):
        for piles in product(*(range(1, pieces.copies[t] + 1) for t in some)):
            held = Counter[str]()
            for t, many in zip(some, piles, strict=True):
                held[pieces.value[t] if pieces.value else t] += many
            if sum(piles) < max(k, l) or (
                l > 1 and max(held.values()) * l > sum(piles)
            ):
                continue
            ends = [[column.place[t] for t in some] for column in lines_of(pieces)]
            cost = sum(
                pieces.unit * pieces.problem.units[j] * lines[j].loss(min(e), max(e))
                for j, e in zip(pieces.columns, ends, strict=True)
            )
            worth = sum(
                many * (cost - pieces.prices[t])
                for t, many in zip(some, piles, strict=True)
            )
            if worth < threshold and sum(piles) < 2 * l * -(-k // l):
                assert any(
                    paid <= cost and all(fit >> t & 1 for t in some)
                    for paid, fit in boxes
                )
                found += 1
    assert found or not boxes or l > 1


@pytest.mark.parametrize("seed", range(40))
def test_no_group_of_rows_is_worth_less_than_the_dearest_ones(seed):
    """Of all choices of rows, whatever order their types were added in."""
    rng = random.Random(seed)
    m, most = rng.randint(1, 6), rng.randint(1, 5)
    valued = rng.random() < 0.6
    pieces = SimpleNamespace(
        prices=sorted((rng.randint(0, 9) for _ in range(m)), reverse=True),
        copies=[rng.randint(1, 3) for _ in range(m)],
        value=[rng.choice("uv") for _ in range(m)] if valued else None,
        rows_at_most=(rng.randint(1, most), most, rng.randint(1, 2) if valued else 0),
    )
    fewest, _, height = pieces.rows_at_most
    must = rng.choice([0, 0, 1 << rng.randrange(m), rng.randrange(1 << m)])
    types = rng.sample(range(m), rng.randint(0, m))
    rows = DearRows(pieces, (), must)
    for end in range(2, len(types) + 2, 2):
        known = types[:end]
        rows.add(sorted(known[end - 2 :]))
        for t, cost in product((None, *known), range(11)):
            has = [each for each in range(m) if must >> each & 1 or each == t]
            least, worth = None, rows.worth(cost, t)
            for taken in product(
                *(range(pieces.copies[each] + 1) for each in range(m))
            ):
                others = [n - (each in has) for each, n in enumerate(taken)]
                if min(others) < 0 or not fewest <= sum(taken) <= most:
                    continue
                if any(n for each, n in enumerate(others) if each not in known):
                    continue
                held = Counter[str]()
                for each, n in enumerate(others):
                    # A row that has to be there counts where it was asked for alone.
                    more = n + (each == t and not must >> t & 1)
                    held[pieces.value[each] if valued else ""] += more
                if valued and max(held.values()) > height:
                    continue
                paid = (
                    n * (cost - pieces.prices[each]) for each, n in enumerate(taken)
                )
                own = sum(paid)
                least = own if least is None else min(least, own)
            assert worth == NEVER or least is None or worth <= least
            assert worth < NEVER or least is None


def lines_of(pieces):
    return [
        LineOfTypes(pieces, column, pieces.problem.lines[column])
        for column in pieces.columns
    ]


@pytest.mark.parametrize("most", [10**6, 30])
def test_room_that_grows_changes_nothing(most, monkeypatch):
    """A set for whose parts there is no room is split again, and goes on in pieces."""
    walk = import_module("starmin.models.boxes.walk.search")
    rng = np.random.default_rng(9)
    table, objective = ranges(rng.integers(0, 12, (40, 2)).tolist())
    data = made(table, table.row_types, objective, 7, 3, 1, 1)
    row = 7 * objective.whole(table) // table.n
    prices = rng.integers(0, row // 2, len(table.row_types)).astype(np.int64)
    none = np.zeros(0, np.int64)
    charges = Charges(np.zeros((0, len(prices)), bool), none, none)
    given = data, prices, charges, row // 3, most, lambda: None
    wide = find_boxes(*given)
    monkeypatch.setattr(walk, "_ROOM", 5)
    narrow = find_boxes(*given)
    assert len(wide.worth) > 20
    assert narrow.threshold == wide.threshold
    assert by_worth(narrow) == by_worth(wide)
    looks = []
    monkeypatch.setattr(walk, "_WORK", 1)
    for room in (5, 4_096):  # it pauses within a column
        monkeypatch.setattr(walk, "_ROOM", room)
        paused = find_boxes(*given[:-1], lambda: looks.append(0))
        assert by_worth(paused) == by_worth(wide)
    assert len(looks) > 200


def by_worth(found):
    """Boxes in an order that does not tell when they were found."""
    boxes = found.worth.tolist(), found.lows.tolist(), found.highs.tolist()
    return sorted(zip(*boxes, strict=True))


class Box(NamedTuple):
    """What a row pays in a box, the types that fit, and those that each group has."""

    cost: int
    members: list
    ends: list


def by_other_walk(
    table, types, objective, prices, charges, asked, threshold, groups=True
):
    """The boxes that the checker finds; of each its groups, one by one, if asked."""
    canonical = canonical_order(table, types)
    place = {int(t): i for i, t in enumerate(canonical)}
    data = {
        "denominator": 7,
        "prices": prices[canonical].tolist(),
        "sets": [
            [[place[int(t)] for t in np.flatnonzero(row)], int(share)]
            for row, share in zip(charges.inside, charges.share, strict=True)
        ],
        "multipliers": [n for s, c in enumerate(charges.charge) for n in (s, -int(c))],
    }
    if max(asked[1:]) > 1:
        data["sensitive"] = table.sensitive[0]
    given = Asked(data, table, *asked, objective, 0, None, None)
    pieces = Pieces(BoxProblem(given), data)
    for cost, fitting, must, worth in BoxList(pieces, threshold).found:
        box = Box(cost, places(fitting), places(must))
        members = tuple(sorted(int(canonical[pieces.order[t]]) for t in box.members))
        if groups:
            own = pieces.worth(*box, pieces.prices)
            assert own == cheapest(pieces, box, asked)
            counted = [pieces.coefficient(fitting, must, *s) for s in pieces.sets]
            both = zip(charges.charge.tolist(), counted, strict=True)
            assert worth == own + sum(charge * many for charge, many in both)
            for within, many in zip(pieces.sets, counted, strict=True):
                assert many <= fewest(pieces, box, within, asked)
        yield box.cost, members, worth


def all_groups(pieces, box, asked):
    """All groups of the types of a box that have its ends, and cannot be cut."""
    k, l, distinct = asked
    most = 2 * l * -(-k // l) if distinct == 1 else sum(pieces.copies) + 1
    copies = [range(pieces.copies[t] + 1) for t in box.members]
    for taken in product(*copies):
        chosen = [
            t for t, many in zip(box.members, taken, strict=True) for _ in range(many)
        ]
        if not max(k, 1) <= len(chosen) < most or not set(box.ends) <= set(chosen):
            continue
        held = Counter(pieces.value[t] for t in chosen) if pieces.value else {}
        if l > 1 and max(held.values(), default=0) * l > len(chosen):
            continue
        if len(held) >= distinct or distinct == 1:
            yield chosen


def cheapest(pieces, box, asked):
    prices, every = pieces.prices, all_groups(pieces, box, asked)
    return min((sum(box.cost - prices[t] for t in one) for one in every), default=None)


def fewest(pieces, box, within, asked):
    types, share = within
    every = all_groups(pieces, box, asked)
    rows = (sum(types >> t & 1 for t in one) for one in every)
    return min(rows, default=inf) // share


def test_rows_of_a_group_that_have_none_of_some_values_are_counted():
    """Of m rows m // l have a value at most: by all m, for both who count them."""
    for k, l in product(range(1, 13), range(2, 6)):
        least, pieces = max(k, l), Pieces.__new__(Pieces)
        pieces.problem, pieces.values = SimpleNamespace(l=l), l
        rule = GroupRule.of(k, l, 1, 100)
        for j in range(l):
            fewest = min(m - j * (m // l) for m in range(least, 100))
            assert rule.rows_beyond(j, least) == fewest
            assert pieces.beyond(j, least) == fewest
            assert rule.rows_beyond(j, l) == pieces.beyond(j, l) == l - j


@pytest.fixture
def duplicates():
    """Values 0, 0, 1, 2, 2, 9 and 9 in one column, each of them in two row types."""
    rows = [(x, y) for x in (0, 0, 1, 2, 2, 9, 9) for y in (0, 1)]
    table, objective = ranges(rows)
    data = made(table, table.row_types, objective, 1 << 20, 3, 1, 1)
    return table, objective, data


def test_artificial_columns_cost_more_than_a_row_may_be_worth():
    """A row that only one dear group has is worth all of the group, not one loss."""
    master = Master(np.array([1, 4, 4]), 10)
    starts = np.array([0, 2, 3, 4])
    members, copies = np.array([0, 1, 1, 2], np.int32), np.array([1, 4, 4, 4])
    made = Groups(np.arange(3), starts, members, copies)
    none = np.zeros((0, 3), np.int16)
    master.add_groups(made, np.array([10, 0, 0]), none)
    point = master.solve(inf)
    assert point.artificial == 0 and point.value == 5.0
    assert point.prices[0] - point.prices[1] > 4.0


def test_each_side_from_below_has_an_artificial_column_of_its_own(duplicates):
    table, objective, data = duplicates
    pool = BoxPool(data)
    every = np.arange(len(table.row_types))
    (box,) = boxes_around(pool, [every])
    run = Run(table, KAnonymity(3), objective)
    relaxation = Relaxation(pool, RowSets(pool), 1 << 20, run, table.row_types)
    relaxation.add_groups(pool.fills(np.zeros(len(every), np.int64), np.array([box])))
    relaxation.converge()
    relaxation.add_sets([(every < 2, 3), (every >= 2, 3)])
    relaxation.bound(np.array([1, 2]), relaxation.most)
    point, _, _ = relaxation.converge()  # neither has a group: both are asked for
    assert point.artificial >= 3
    assert point.value > 2 * table.n


def test_a_group_is_there_once_for_each_of_its_boxes(duplicates):
    """Two boxes over one group differ in cuts: else pricing stalls."""
    table, objective, data = duplicates
    pool = BoxPool(data)
    types = table.row_types
    x = types.codes[:, 0]
    near, far = np.flatnonzero(x == x[0]), np.flatnonzero(x != x[-1])
    boxes = boxes_around(pool, [near, far])
    assert len(set(boxes.tolist())) == 2
    run = Run(table, KAnonymity(3), objective)
    relaxation = Relaxation(pool, RowSets(pool), 1 << 20, run, table.row_types)
    start = boxes_around(pool, [np.arange(len(types))])
    relaxation.add_groups(pool.fills(np.zeros(len(types), np.int64), start))
    prices = np.where(x == x[0], 1 << 20, 0).astype(np.int64)
    made = pool.fills(prices, boxes)
    first, second, third = made.starts
    assert set(made.types[first:second]) == set(made.types[second:third])
    relaxation.add_groups(made)
    assert len(relaxation.master.groups().box) == 3
    relaxation.add_sets([(x == x[0], 3)])
    point, _, worth = relaxation.converge()
    assert worth.min() >= -relaxation.eps
    in_boxes = relaxation.master.in_boxes(point.x, len(pool))
    assert in_boxes[boxes[0]] <= 1 + 1e-9


def test_what_it_does_not_take_is_told():
    rows = [["1", "x"], ["2", "z"]] * 4
    table = Table.from_rows("ab", rows, "a", "b")
    with pytest.raises(NotSupportedError, match="takes requirements of the form"):
        box_program(table, EntropyDiversity(2), time_limit=5)
    table, objective = ranges([(i, i % 3) for i in range(50)])
    found = box_program(table, KAnonymity(2), objective=objective, time_limit=0)
    assert found.best is not None and found.lower_bound is None


@pytest.mark.usefixtures("exactly")
def test_losses_of_any_number_of_digits_are_proven():
    rng = random.Random(0)
    for seed in range(4):
        n = rng.randint(6, 9)
        rows = [
            [f"{rng.random() * 10**9:.{4 + i}f}" for i in range(3)] for _ in range(n)
        ]
        table = Table.from_rows(list("xyz"), rows, list("xyz"))
        objective = Objective("gcp", scales=Scales.of(table, list("xyz")))
        assert objective.whole(table) > 2**64
        found = box_program(table, KAnonymity(2 + seed % 2), objective=objective)
        optimum = brute_force(table, KAnonymity(2 + seed % 2), objective).value
        assert found.value == found.lower_bound == found.certified_bound == optimum
        proof = found.certificate, table, KAnonymity(2 + seed % 2), objective
        assert check_certificate(*proof).accepted
        assert by_standard_library(table, plain(found.certificate)) == optimum


def test_a_search_that_ends_early_proves_what_it_says():
    rng = np.random.default_rng(3)
    table, objective = ranges(rng.integers(0, 40, (120, 2)).tolist())
    few = BoxParams(most_left=1, patience=1)
    found = box_program(table, KAnonymity(5), objective=objective, params=few)
    assert found.limit is not None
    assert 0 < found.lower_bound < found.value < 1.1 * found.lower_bound
    assert found.certified_bound == found.lower_bound <= found.value
    proof = found.certificate
    assert isinstance(proof, Certificate)
    assert check_certificate(proof, table, KAnonymity(5), objective).accepted


@pytest.mark.usefixtures("exactly")
@pytest.mark.parametrize(("seed", "k"), [(2, 5), (5, 4), (20, 4), (26, 3)])
def test_large_losses_are_proven_to_the_last_unit(seed, k):
    rng = random.Random(seed)
    pool = [
        [str(rng.randint(0, 8)), f"{rng.uniform(-1000, 1000):.7f}"] for _ in range(13)
    ]
    rows = [rng.choice(pool) for _ in range(60)]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    objective = Objective("gcp", scales=Scales.of(table, ["a", "b"]))
    found = box_program(table, KAnonymity(k), objective=objective, time_limit=20)
    assert found.value == found.lower_bound == found.certified_bound
    proof = found.certificate, table, KAnonymity(k), objective
    assert check_certificate(*proof).accepted


@pytest.mark.parametrize("seed", [1, 9])
def test_fine_losses_are_proven_however_many_rows_a_group_may_have(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(7):
        number = (-1) ** int(rng.integers(2)) * 10 ** int(rng.integers(4, 15))
        rows += [[str(number), f"b{i}", f"s{i}"]] * int(rng.integers(14, 35))
    table = Table.from_rows("abs", rows, qi="ab", sensitive="s")
    objective = Objective("gcp", {"b": 1000}, scales=Scales.of(table, ["a"]))
    for requirement in (
        DistinctDiversity(3) & KAnonymity(3),
        DistinctDiversity(2),
        DistinctDiversity(4),
        DistinctDiversity(3) & LDiversity(2),
    ):
        found = box_program(table, requirement, objective=objective)
        assert found.lower_bound > 0.99 * found.value
        check = check_certificate(found.certificate, table, requirement, objective)
        assert check.accepted, check.why
