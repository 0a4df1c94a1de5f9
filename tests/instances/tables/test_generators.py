"""Tests that generated tables repeat, have the promised shape, and are fast."""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from starmin.instances import KAnonymity, LDiversity, Table, TableError, why_infeasible
from starmin.instances.catalogue.catalogue import correlated
from starmin.instances.catalogue.generators import (
    census,
    clustered,
    normal,
    survey,
    uniform,
)
from starmin.instances.tables.random_orders import SLOTS, Bits, wheel
from tests.support.effort import lines_of

GENERATORS: list[tuple[Callable[..., Table], dict[str, Any], str]] = [
    (uniform, {"n": 1001, "d": 4, "alphabet": 6, "sensitive": 3}, "d5bdaefcbc30c614"),
    (clustered, {"n": 1001, "d": 4, "alphabet": 6, "sensitive": 3}, "eb996b11e2d0ca7a"),
    (normal, {"n": 1001, "d": 4, "tenths": 15}, "190001a809aa3aeb"),
    (census, {"n": 1001}, "3f241fa48becef2f"),
    (survey, {"n": 1001, "d": 4, "classes": 3}, "7703f16b53201c86"),
]


def digest(table: Table) -> str:
    content = np.ascontiguousarray(table.codes, "<i4").tobytes()
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.mark.parametrize(("generate", "arguments", "fixed"), GENERATORS)
def test_a_seed_gives_the_same_table_everywhere(
    generate: Callable[..., Table], arguments: dict[str, Any], fixed: str
) -> None:
    assert digest(generate(**arguments, seed=7)) == fixed
    assert digest(generate(**arguments, seed=8)) != fixed


def test_draws_are_even() -> None:
    counts = np.bincount(Bits(1).draw(1_000_000) >> 8, minlength=256)
    assert abs(counts - 1_000_000 / 256).max() < 400  # 6 standard deviations
    assert len(Bits(1).draw(3)) == 3


def test_wheels_are_fair_to_within_a_slot() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        weights = rng.integers(0, 1000, int(rng.integers(1, 300)))
        weights[0] += 1
        slots = np.bincount(wheel(weights), minlength=len(weights))
        assert slots.sum() == SLOTS
        assert np.abs(slots - SLOTS * weights / weights.sum()).max() < 1


def test_uniform_cells_are_uniform_and_independent() -> None:
    table = uniform(90_000, d=2, alphabet=3, sensitive=4, seed=2)
    assert (table.qi, table.sensitive) == (("q1", "q2"), ("s",))
    assert len(table.dictionary("s")) == 4
    counts = table.row_types.counts
    assert len(counts) == 9
    assert abs(counts - 10_000).max() < 600  # 6 standard deviations


def test_clusters_are_noisy_copies() -> None:
    table = clustered(50_000, d=6, alphabet=50, centres=10, noise=20, seed=3)
    counts = np.sort(table.row_types.counts)
    # A centre of 5,000 rows keeps 0.8 + 0.2 / 50 of its cells, about 0.27 of its rows.
    assert (counts[-10:] > 1000).all()
    assert counts[-11] < 500
    assert len(clustered(500, noise=0, centres=1).row_types) == 1


def test_answers_depend_on_each_other_through_classes_alone() -> None:
    table = survey(seed=4)
    assert (table.n, table.d, table.sensitive) == (20_000, 16, ())
    shares = table.codes.mean(axis=1)
    assert shares.min() > 0 and shares.max() < 1
    dependent = np.corrcoef(table.codes) - np.eye(16)
    assert abs(dependent).max() > 0.3
    # Of one class they are independent: 6 standard deviations.
    alone = np.corrcoef(survey(90_000, classes=1, seed=4).codes) - np.eye(16)
    assert abs(alone).max() < 0.02


@pytest.mark.parametrize("sensitive", ["occupation", "income"])
def test_census_has_the_cardinalities_of_the_papers(sensitive: str) -> None:
    table = census(200_000, sensitive, seed=5)
    sizes = {c: len(np.unique(table.column(c))) for c in table.names}
    assert sizes == {
        "age": 79,
        "gender": 2,
        "race": 9,
        "marital_status": 6,
        "birth_place": 56,
        "education": 17,
        "work_class": 9,
        sensitive: 50,
    }
    assert sizes == {c: len(table.dictionary(c)) for c in table.names}
    assert (table.d, table.sensitive) == (7, (sensitive,))
    # The papers ask for l up to 10.
    assert why_infeasible(table, KAnonymity(10) & LDiversity(10)) is None


def test_census_is_skewed_and_its_columns_depend_on_each_other() -> None:
    table = census(100_000, "income", seed=5)
    assert np.bincount(table.column("race")).max() > 70_000
    pair = np.corrcoef(table.column("education"), table.column("income"))[0, 1]
    assert pair > 0.2
    independent = table.codes.copy()
    for j, column in enumerate(independent):
        independent[j] = np.random.default_rng(j).permutation(column)
    shuffled = Table(table.names, independent, table.dictionaries, table.qi)
    assert len(table.row_types) < 0.95 * len(shuffled.row_types)


def test_occupation_may_be_a_qi_column() -> None:
    table = census(100, "none")
    assert (table.d, table.qi[-1], table.sensitive) == (8, "occupation", ())


def test_two_million_persons_are_no_more_work_than_two() -> None:
    census(2, seed=1)  # what the first call imports and compiles is not counted
    table, lines = lines_of(lambda: census(2_000_000, seed=1))
    assert table.codes.nbytes == 2_000_000 * 8 * 4
    assert lines == lines_of(lambda: census(2, seed=1))[1]


@pytest.mark.parametrize(
    ("generate", "arguments", "message"),
    [
        (uniform, {"n": 0}, "Expected 1 <= n <= 100000000, got n = 0."),
        (uniform, {"d": 0}, "got d = 0"),
        (uniform, {"alphabet": 65_537}, "Expected 1 <= alphabet <= 65536"),
        (uniform, {"sensitive": -1}, "Expected 0 <= sensitive <= 65536"),
        (uniform, {"seed": -1}, "Expected 0 <= seed"),
        (clustered, {"centres": 0}, "Expected 1 <= centres"),
        (clustered, {"noise": 101}, "Expected 0 <= noise <= 100"),
        (survey, {"classes": 0}, "Expected 1 <= classes <= 1000"),
        (census, {"n": 10**9}, "got n = 1000000000"),
        (census, {"sensitive": "age"}, "Expected sensitive = occupation, income or"),
    ],
)
def test_parameters_out_of_range_are_refused(
    generate: Callable[..., Table], arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(TableError) as refusal:
        generate(**arguments)
    assert message in str(refusal.value)


def test_sensitive_digits_are_as_correlated_as_asked() -> None:
    for correlation in (0, 30, 100):
        table = correlated(20_000, correlation, seed=5)
        digits = table.codes[:4]
        share = np.mean(np.array([1, 3, 7, 9]) @ digits % 10 == table.codes[4])
        # Of the rows that are drawn anew one in ten agrees by chance.
        expected = correlation / 100 + (1 - correlation / 100) / 10
        assert abs(share - expected) < 0.01
        assert np.bincount(table.codes[4]).min() > 1800
