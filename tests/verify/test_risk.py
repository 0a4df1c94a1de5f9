"""The risk of a table: each figure against its definition in plain Python."""

import json
import math
import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas
import pytest

import starmin
from starmin import Table, TableError
from starmin.cli.app import main
from starmin.verify.risk.table_risk import individual_risk, special_uniques


def _random_rows(rng: random.Random) -> tuple[list[str], list[list[str]]]:
    d = rng.randint(1, 5)
    names = [f"c{j}" for j in range(d)]
    most = [rng.randint(1, 4) for _ in names]
    n = rng.randint(1, 14)
    return names, [[str(rng.randrange(m)) for m in most] for _ in range(n)]


def _minimal_sets(rows: list[list[str]], at: int, most: int) -> list[tuple[int, ...]]:
    """List the minimal unique sets of a row by their definition."""
    d = len(rows[0])
    unique = [
        chosen
        for size in range(1, most + 1)
        for chosen in combinations(range(d), size)
        if sum(all(r[j] == rows[at][j] for j in chosen) for r in rows) == 1
    ]
    return [s for s in unique if not any(set(t) < set(s) for t in unique)]


@pytest.mark.parametrize("seed", range(10))
def test_special_uniques_and_their_scores_are_those_of_the_definition(
    seed: int,
) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        names, rows = _random_rows(rng)
        d, most = len(names), rng.randint(1, len(names))
        table = Table.from_rows(names, rows, qi=names)
        columns = [table.column(c) for c in names]
        found = special_uniques(columns, table.qi_cardinalities, most)
        sets = [_minimal_sets(rows, at, most) for at in range(len(rows))]
        by_size = Counter(len(s) for each in sets for s in each)
        by_column = Counter(j for each in sets for s in each for j in s)
        assert found.by_size == tuple(by_size[s] for s in range(1, most + 1))
        assert found.by_column == tuple(by_column[j] for j in range(d))
        top = min(most, max(d - 1, 1))
        scores = [
            sum(math.prod(d - i for i in range(len(s), top + 1)) for s in each)
            for each in sets
        ]
        assert found.scores.tolist() == scores


@pytest.mark.parametrize("seed", range(10))
def test_columns_and_classes_are_counted_as_they_are_defined(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(50):
        names, rows = _random_rows(rng)
        found = starmin.risk(Table.from_rows(names, rows, qi=names))
        sizes = Counter(map(tuple, rows))
        assert found.classes.uniques == sum(m == 1 for m in sizes.values())
        assert found.classes.smallest == min(sizes.values())
        assert found.classes.average == len(sizes) / len(rows)
        assert found.classes.below(3) == sum(m for m in sizes.values() if m < 3)
        assert found.measures["k"] == min(sizes.values())
        for column in found.columns:
            if column.looks_like_id:
                continue
            j = names.index(column.name)
            others = [
                names.index(c.name)
                for c in found.columns
                if not c.looks_like_id and c.name != column.name
            ]
            values = Counter(row[j] for row in rows)
            assert column.distinct == len(values)
            entropy = sum(
                m / len(rows) * math.log2(len(rows) / m) for m in values.values()
            )
            assert column.entropy == pytest.approx(entropy, abs=1e-9)
            assert column.alone == _unique_in(rows, [(j,)])
            pairs = [(j, i) for i in others]
            assert column.pairs == _unique_in(rows, pairs)
            triples = [(j, *two) for two in combinations(others, 2)]
            assert column.triples == _unique_in(rows, [*pairs, *triples])
            tells = {
                names[i]
                for i in others
                if len({(r[i], r[j]) for r in rows}) == len({r[i] for r in rows})
            }
            assert set(column.follows) == (tells if len(values) > 1 else set())


def _unique_in(rows: list[list[str]], sets: list[tuple[int, ...]]) -> float:
    """Return the share of rows that are unique on one of the sets of columns."""
    found = set()
    for chosen in sets:
        many = Counter(tuple(r[j] for j in chosen) for r in rows)
        found |= {
            at for at, r in enumerate(rows) if many[tuple(r[j] for j in chosen)] == 1
        }
    return len(found) / len(rows)


def test_individual_risk_is_the_mean_of_one_over_people() -> None:
    rng = random.Random(3)
    sizes = [rng.randint(1, 12) for _ in range(500)]
    people = [f * rng.uniform(1.0, 9.0) for f in sizes]
    found = individual_risk(np.array(sizes), np.array(people))
    for f, total, risk in zip(sizes, people, found, strict=True):
        assert risk == pytest.approx(_mean_of_reciprocals(f, f / total), rel=1e-9)
    assert individual_risk(np.array([3]), np.array([2.0]))[0] == pytest.approx(1 / 3)


def _mean_of_reciprocals(f: int, p: float) -> float:
    """Sum 1/F over the negative binomial, term by term."""
    total, term, many = 0.0, p**f, f
    while many < f + 20 or term > 1e-18:
        total += term / many
        term *= (1 - p) * many / (many - f + 1)
        many += 1
    return total


def test_a_population_says_how_many_look_so() -> None:
    people = pandas.DataFrame({"sex": list("ffffmmm"), "age": [1, 1, 1, 2, 1, 1, 2]})
    sample = pandas.DataFrame({"age": [1, 1, 2, 3], "sex": ["f", "f", "m", "m"]})
    found = starmin.risk(sample, population=people)
    assert found.population is not None
    assert found.population.expected == float(Fraction(2, 3) + 1 + 1)
    assert found.population.fewer == 1  # (3, m), whom the population lacks
    with pytest.raises(TableError, match="no column 'age'"):
        starmin.risk(sample, population=people[["sex"]])


def test_weights_are_people() -> None:
    frame = pandas.DataFrame({"sex": ["f", "m", "m"], "w": ["10", "2.5", "3.5"]})
    found = starmin.risk(frame, weight="w")
    assert found.qi == ("sex",)
    assert found.population is not None
    expected = individual_risk(np.array([1, 2]), np.array([10.0, 6.0]))
    assert sorted(found.population.risks) == pytest.approx(sorted(expected))
    frame.loc[1, "w"] = "no"
    with pytest.raises(TableError, match="row 2: column 'w': expected a weight"):
        starmin.risk(frame, weight="w")


# What pycanon 1.3.6 says of them, their cells read as text (pip install pycanon):
#     a.k_anonymity(d, qi), a.l_diversity(d, qi, [sa]),
#     a.entropy_l_diversity(d, qi, [sa]), a.alpha_k_anonymity(d, qi, [sa])[0],
#     a.t_closeness(d, qi, [sa])
# where `from pycanon import anonymity as a` and d is pandas.read_csv(.., dtype=str) of
# the table as a file.
OF_PYCANON = [
    ("hospital", ["gender"], "disease", (4, 3, 2, 0.5, 0.3)),
    ("hospital", ["age"], "disease", (2, 2, 1, 2 / 3, 0.5)),
    (
        "murakami-uno",
        ["gender", "zip1"],
        "income",
        (3, 3, 2, 1 / 3, 0.5714285714285713),
    ),
    (
        *("census:n=120", ["gender", "race"], "work_class"),
        (1, 1, 1, 1.0, 0.5583333333333333),
    ),
]


@pytest.mark.parametrize(("name", "qi", "sensitive", "expected"), OF_PYCANON)
def test_measures_are_those_of_pycanon(
    name: str, qi: list[str], sensitive: str, expected: tuple[float, ...]
) -> None:
    table = starmin.load_instance(name).with_roles(qi, [sensitive])
    held = starmin.risk(table).measures
    entropy, share = math.floor(held["entropy_l"] or 0), 1 / (held["l"] or 1)
    found = held["k"], held["distinct_l"], entropy, share, held["t"]
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_command_says_what_python_says_and_writes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "risk.html"
    words = ["starmin", "risk", "instance:hospital", "--json", "--cost", "2"]
    monkeypatch.setattr(sys, "argv", [*words, "--report", str(page)])
    assert main() == 0
    content = json.loads(capsys.readouterr().out)
    found = starmin.risk(starmin.load_instance("hospital")).as_json()
    assert {key: content[key] for key in found} == json.loads(json.dumps(found))
    assert content["cost"]["points"][0]["value"] >= content["uniques"]
    text = page.read_text("utf-8")
    assert "2 look like no other" in text
    assert "What k-anonymity would cost" in text
