"""Several sensitive columns, or distinct values beside shares, over groups in boxes."""

from collections import Counter
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from starmin.instances import KAnonymity, LDiversity, Objective, Run, Scales, Table
from starmin.instances.requirements.requirement import Core
from starmin.models.boxes.box_program import box_program
from starmin.models.boxes.box_search import BoxSearch
from starmin.models.boxes.master.exact import DEFAULTS
from starmin.models.boxes.master.separation import find_sets
from starmin.models.boxes.master.side_constraints import Joint, most_groups
from starmin.models.boxes.walk.box_data import GroupRule
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker.box_pieces import Pieces
from starmin.verify.checker.reading import RefusalError
from tests.fuzz_boxes import compare, joint_problem, judge
from tests.fuzz_trees import by_standard_library, plain

# Seeds whose proofs count rows of a box in splits, or are edited to 84 of 78.
ROWS_ARE_SPLIT = 112, 124, 140


def test_it_agrees_with_brute_force_and_both_checkers_accept():
    trees, kinds = 0, Counter()
    for seed in (*range(36), *ROWS_ARE_SPLIT):  # ``fuzz_boxes --jointly``: thousands
        found = compare(seed, joint_problem)
        if found is not None and found.certificate is not None:
            data = found.certificate.data
            assert isinstance(data["sensitive"], list)
            kinds.update(one[1] for one in data["sets"] if len(one) == 3)
            trees += "nodes" in data
            tries = 60 if seed in ROWS_ARE_SPLIT else 2
            judge(seed, found, tries, joint_problem)
    assert trees > 4
    assert {*kinds} == {"rows", "share", "values"}


def test_what_is_said_of_rows_is_refused_where_it_is_not_so():
    seen = 0
    for seed in range(200):
        if seen == 4:
            break
        table, requirement, objective, _ = joint_problem(seed)
        proof = box_program(table, requirement, objective=objective).certificate
        sets = [] if proof is None else proof.data["sets"]
        said = [s for s, one in enumerate(sets) if len(one) == 3 and one[1] != "rows"]
        if not said or "nodes" not in proof.data:
            continue
        seen += 1
        s, nodes = said[0], proof.data["nodes"]
        types, kind, counted = sets[s]
        every = list(range(len(proof.data["prices"])))
        # A lower side of what has none, at any leaf; what nobody counts; and a share
        # of types with several values.
        for wrong in (
            {"nodes": [{**nodes[0], "sets": [s, 1]}, *nodes[1:]]},
            {"nodes": [{"split": [s, 0]}, {}, {}]},
            {"multipliers": [s, -1]},
            {"sets": [[types, "none", counted], *sets[1:]] if s == 0 else [[0]]},
            {"sets": [*sets[:s], [every, "share", every], *sets[s + 1 :]]},
            {"sets": [*sets[:s], [[*types, 99], kind, counted], *sets[s + 1 :]]},
            {"sensitive": proof.data["sensitive"][0]},
            {"sensitive": []},
            {"sensitive": ["none"]},
        ):
            lie = replace(proof, data=proof.data | wrong)
            check = check_certificate(lie, table, requirement, objective)
            assert not check.accepted, (seed, wrong)
            alone = by_standard_library(table, plain(lie), objective.scales)
            assert alone is None or alone < proof.bound, (seed, wrong)
    assert seen == 4


def test_what_groups_have_of_values_holds_for_all_valid_groups():
    """Of six rows with two sensitive values: all groups, and all sets of types."""
    columns = [[0, 0, 1, 1, 2, 0], [0, 1, 0, 2, 2, 1]]
    every, refused = range(6), 0
    for l, distinct in ((2, 1), (1, 2), (1, 3), (2, 3)):
        rule = [
            group
            for taken in product([False, True], repeat=6)
            if (group := [t for t in every if taken[t]])
            and all(is_valid([c[t] for t in group], l, distinct) for c in columns)
        ]
        assert rule
        for taken in product([False, True], repeat=6):
            counted = [t for t in every if taken[t]]
            for kind in ("share", "values") if l > 1 else ("values",):
                pieces = Pieces.__new__(Pieces)
                pieces.problem = SimpleNamespace(l=l, distinct=distinct)
                pieces.bit, pieces.columns_of = every, columns
                pieces.sets, pieces.tallies = [], {}
                try:
                    pieces.tally([*every], kind, counted)
                except RefusalError:
                    refused += 1
                    continue
                _, _, (one, other, beside) = pieces.tallies[0]
                for group in rule:
                    rows = sum(one if taken[t] else other for t in group)
                    assert rows + beside <= 0
    assert refused > 10


def is_valid(values, l, distinct):
    most = max(Counter(values).values())
    return most * l <= len(values) and len(set(values)) >= distinct


def test_groups_that_are_not_cut_have_all_sizes_that_they_may_have():
    for k, l, held in product(range(1, 8), range(2, 5), range(1, 6)):
        rule, pieces = GroupRule.of(k, l, 1, 30, held), Pieces.__new__(Pieces)
        pieces.problem, pieces.least = SimpleNamespace(l=l, n=30), max(k, l)
        pieces.uncut, pieces.value, pieces.copies = True, ["x"], [held]
        assert rule.classes() == pieces.piece_sizes()
        allowed = {
            (size, many)
            for least, most, height in rule.classes()
            for size in range(least, most + 1)
            for many in range(1, min(height, held) + 1)
        }
        assert allowed == {
            (size, many)
            for size in range(max(k, l), 31)
            for many in range(1, held + 1)
            if many * l <= size
        }


@pytest.mark.parametrize("asked", [Core(size=5), Core(diversity=2), Core(distinct=3)])
def test_one_column_is_left_to_its_rule(asked):
    table = Table.from_rows(["a", "s"], [["1", "x"], ["2", "y"]] * 3, ["a"], ["s"])
    assert Joint.of(table.sensitive_types, asked) is None


def test_a_table_of_forty_rows_and_two_columns_is_solved_and_certified():
    rng = np.random.default_rng(8)
    rows = [[str(x) for x in row] for row in rng.integers(0, [9, 5, 4, 3], (40, 4))]
    table = Table.from_rows(list("abst"), rows, list("ab"), list("st"))
    objective = Objective("gcp", scales=Scales.of(table, list("ab")))
    requirement = KAnonymity(4) & LDiversity(2)
    found = box_program(table, requirement, objective=objective, time_limit=60)
    assert found.value == found.lower_bound == found.certified_bound
    proof = found.certificate, table, requirement, objective
    assert check_certificate(*proof).accepted
    assert by_standard_library(table, plain(found.certificate)) == found.value
    small = table.take(np.arange(10))
    optimum = brute_force(small, requirement, objective).value
    own = box_program(small, requirement, objective=objective)
    assert own.value == own.certified_bound == optimum


@pytest.mark.parametrize("diverse", [False, True])
def test_they_have_more_groups_than_rows_for(diverse):
    rng, found = np.random.default_rng(3), 0
    for _ in range(20):
        rows = rng.integers(0, 4, (40, 3)).astype(str).tolist()
        names, qi = ["n", "f", "s"], ["n", "f"]
        table = Table.from_rows(names, rows, qi, sensitive="s" if diverse else ())
        losses = Objective("gcp", scales=Scales.of(table, ["n"]))
        asked = LDiversity(2) if diverse else KAnonymity(3)
        search = BoxSearch(Run(table, asked, losses), 0, DEFAULTS)
        data, types = search.relaxation.data, len(search.types)
        members = rng.random((15, types)) < 0.3
        bits = np.zeros((15, types // 64 + 1), np.int64)
        for box, type_ in np.argwhere(members):
            bits[box, type_ >> 6] |= np.int64(1) << np.int64(type_ & 63)
        y = (6.0 if diverse else 2.0) * rng.random(15)
        for inside in find_sets(data, bits, y, 10):
            groups = y[~members[:, ~inside].any(axis=1)].sum()
            assert groups > most_groups(data, inside, data.least)
            found += 1
    assert found > 20


def test_far_boxes_do_not_join():
    """Sets of their own are found, and not their unions."""
    rows = [[str(x), "a"] for x in range(4)] + [[str(x), "b"] for x in range(4)]
    table = Table.from_rows(["n", "f"], rows, ["n", "f"])
    losses = Objective("gcp", scales=Scales.of(table, ["n"]))
    data = BoxSearch(Run(table, KAnonymity(3), losses), 0, DEFAULTS).relaxation.data
    bits = np.array([[0b0111], [0b1110], [0b01110000], [0b11100000]], np.int64)
    sets = find_sets(data, bits, np.array([0.7, 0.7, 0.6, 0.6]), 10)
    assert [np.flatnonzero(inside).tolist() for inside in sets] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]
