"""Tests that rules over combinations, and counts of other tools, mean what they say."""

import random
from itertools import product

import numpy as np
import pytest

import starmin
from starmin.instances import (
    Combinations,
    KAnonymity,
    Mask,
    NotSupportedError,
    Population,
    Rules,
    Table,
    TableError,
    write_table,
)
from starmin.instances.releases.mask import why_no_mask
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.mask_check import check_mask, count_by_others
from tests.support.effort import seeds
from tests.support.small_rules import PAIRS, least_by_rules, random_mask, random_problem


def published(table: Table, mask: Mask) -> Table:
    rows = [
        [
            "*" if c in table.qi and mask.starred[i, table.qi.index(c)] else cell
            for c, cell in zip(table.names, row, strict=True)
        ]
        for i, row in enumerate(table.rows())
    ]
    return Table.from_rows(table.names, rows, table.qi, table.sensitive)


@pytest.mark.parametrize("seed", seeds(15))
def test_recount_check_and_brute_force_agree(seed: int) -> None:
    rng = random.Random(seed)
    table, requirement, objective = random_problem(rng)
    best = least_by_rules(table, requirement, objective)
    why = why_no_mask(table, requirement, objective)
    assert (best is None) == (why is not None)
    for _ in range(5):
        mask = random_mask(rng, table, requirement, objective)
        why = mask.violation(table, requirement, objective)
        check = check_mask(published(table, mask), requirement, table)
        assert check.holds == (why is None), (why, check.rare)
        assert check.stars == mask.stars and check.consistent


def test_a_cheaper_mask_than_brute_force_finds_is_none() -> None:
    """All masks of a table, one by one, against the side-by-side search."""
    rng = random.Random(5)
    for _ in range(6):
        table, requirement, objective = random_problem(rng, rows=3, columns=3)
        values = []
        for number in range(1 << table.n * table.d):
            bits = [number >> cell & 1 for cell in range(table.n * table.d)]
            mask = Mask(np.array(bits, bool).reshape(table.n, table.d))
            if mask.violation(table, requirement, objective) is None:
                values.append(mask.value(table, objective))
        assert least_by_rules(table, requirement, objective) == min(
            values, default=None
        )


@pytest.mark.parametrize("seed", seeds(6))
@pytest.mark.parametrize("semantics", ["source", "shown", "classes"])
def test_k_counts_within_strata_beside_rules(semantics, seed, tmp_path):
    """Which are published: a class of two regions is two classes to a reader.

    What is promised is counted here from published cells and nothing else.
    """
    rng = random.Random(seed)
    rows = [[rng.choice("01"), rng.choice("01"), rng.choice("NS")] for _ in range(5)]
    table = Table.from_rows(["a", "b", "region"], rows, ["a", "b"])
    need = rng.choice([2, 2, 3])
    asked = Combinations({1: need}, strata=["region"], semantics=semantics)
    asked = asked & KAnonymity(2)

    def keeps(cells: list[list[str]]) -> bool:
        for row, place in zip(cells, rows, strict=True):
            near = [i for i, other in enumerate(rows) if other[2] == place[2]]
            if sum(cells[i] == row for i in near) < 2:
                return False
            for j, text in enumerate(row):
                counted = rows if semantics == "source" else cells
                if text == "*" and semantics != "classes":
                    continue
                if sum(counted[i][j] == text for i in near) < need:
                    return False
        return True

    least = None
    for stars in product((False, True), repeat=10):
        cells = [
            ["*" if stars[2 * i + j] else row[j] for j in (0, 1)]
            for i, row in enumerate(rows)
        ]
        if keeps(cells) and (least is None or sum(stars) < least):
            least = sum(stars)
    found = starmin.solve(table, requirement=asked, time_limit=300.0)
    assert found.value == least, rows
    check = check_mask(table, asked, table)
    assert check.holds == keeps([row[:2] for row in rows])
    if least is None:
        return
    released = found.published
    assert keeps([list(row[:2]) for row in released.rows()])
    assert check_mask(released, asked, table).holds
    assert found.lower_bound == least
    if found.certificate is not None:
        assert check_certificate(found.certificate, table, asked).accepted
        write_table(table, tmp_path / "t.csv")
        found.certificate.write(tmp_path / "c.json")
        paths = str(tmp_path / "t.csv"), str(tmp_path / "c.json")
        assert checker.check(*paths)[0] is True


def test_what_does_not_fit_is_one_clear_error() -> None:
    table = PAIRS
    with pytest.raises(TableError, match="'age' is no quasi-identifier"):
        Rules([(["age"], 2)]).family(table.qi)
    with pytest.raises(TableError, match="take it out of the quasi-identifiers"):
        why_no_mask(table, Combinations(2, 2, strata=["sex"]))
    people = Population(table.drop(["inc"]))
    with pytest.raises(TableError, match="no column 'inc'"):
        asked = Combinations(1, 2, semantics="source", population=people)
        why_no_mask(table, asked)
    with pytest.raises(TableError, match="row 1, column 'sex' holds 'F'"):
        Population.of(table, "sex")
    with pytest.raises(NotSupportedError, match="Missing cells"):
        why_no_mask(table, Combinations(1, 2, hidden=["l"]) & KAnonymity(2))
    for wrong in (0, {}, {2: 1}, {0: 2}):
        with pytest.raises(ValueError, match="Expected"):
            Combinations(wrong)


def test_classes_of_all_columns_are_k_anonymity() -> None:
    table = PAIRS.take(np.arange(4))
    everything = Rules([(table.qi, 2)], semantics="classes")
    assert least_by_rules(table, KAnonymity(2) & Combinations(1, 2)) == (
        brute_force(table, KAnonymity(2)).value
    )
    assert least_by_rules(table, everything) == (
        brute_force(table, KAnonymity(2)).value
    )


Row = tuple[str, ...]


def agrees(a: Row, b: Row) -> bool:
    """Whether two rows are equal wherever both show a value."""
    return all("*" in (x, y) or x == y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("seed", seeds(67))
def test_counts_are_those_of_the_definitions(seed: int) -> None:
    rng = random.Random(seed)
    n, d, k = rng.randint(1, 9), rng.randint(1, 3), rng.randint(2, 4)
    original = [tuple(rng.choice("01") for _ in range(d)) for _ in range(n)]
    released = [
        tuple("*" if rng.random() < 0.3 else cell for cell in row) for row in original
    ]
    whole = [row for row in released if "*" not in row]
    argus = sum(whole.count(row) <= k - 1 for row in whole)
    wild = sum(sum(agrees(a, b) for b in released) < k for a in released)
    strict = sum("*" in a or whole.count(a) < k for a in released)
    classes = sum(released.count(row) < k for row in released)
    persons = sum(sum(agrees(a, b) for b in released) < k for a in original)
    cells = np.array([[int(cell) for cell in row] for row in original])
    hidden = np.array([[cell == "*" for cell in row] for row in released])
    found = count_by_others(cells, hidden, k, cells)
    counts = argus, wild, strict, classes, persons
    assert tuple(vars(found).values()) == counts
