"""Tests that utility equals its definition: rows spread evenly, cell by cell."""

import json
import random
from itertools import combinations, product
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.instances import (
    GeneralizedRelease,
    Partition,
    PermutedRelease,
    Release,
    Scales,
    Table,
    TableError,
    Taxonomy,
)
from starmin.verify.utility import Truth, compare, cube_errors, fit, spread_of

TREE = {"*": "1234", "x": "12", "y": "34"}  # 4 never occurs, but it is a leaf
TAXONOMY = Taxonomy.parse("{x{1,2},y{3,4}}")


def draw(rng: random.Random) -> tuple[Table, Scales, Partition]:
    """Numbers, a taxonomy, a flat column and two sensitive ones, in random groups."""
    n = rng.randint(2, 14)
    rows = [
        [rng.choice(values) for values in ("1248?", "123", "abc", "uv", "pq")]
        for _ in range(n)
    ]
    table = Table.from_rows(
        ["a", "b", "c", "s", "r"], rows, ["a", "b", "c"], ["s", "r"]
    )
    labels = np.array([rng.randrange(1 + n // 3) for _ in range(n)])
    scales = Scales.of(table, ["a"], {"b": TAXONOMY})
    return table, scales, Partition.from_labels(labels)


def stands_for(column: str, cell: str, table: Table) -> list[str]:
    """The values that a published cell may be, by definition."""
    occur = sorted({value or "" for value in table.cells(column)})
    if cell.startswith("["):
        low, high = map(int, cell[1:-1].split("-"))
        numbers = [value for value in occur if value != "?"]
        return [value for value in numbers if low <= int(value) <= high]
    if column == "b":
        return list(TREE.get(cell, cell))
    return occur if cell == "*" else [cell]


Weights = dict[tuple[str, ...], float]


def told(
    table: Table, cells: list[list[str]], groups: list[object], columns: list[int]
) -> Weights:
    """The mass of each cell of some QI columns and the sensitive ones."""
    sensitive = list(zip(table.cells("s"), table.cells("r"), strict=True))
    mass: Weights = {}
    for row, own in zip(cells, groups, strict=True):
        choices = [stands_for(table.qi[j], row[j], table) for j in columns]
        values = [s for s, g in zip(sensitive, groups, strict=True) if g == own]
        each = 1 / table.n / len(values)
        for choice in choices:
            each /= len(choice)
        for at in product(*choices):
            for value in values:
                key = (*at, *map(str, value))
                mass[key] = mass.get(key, 0.0) + each
    return mass


def expected(truth: Weights, guess: Weights) -> tuple[float, float]:
    """Divergence and mean relative error."""
    if any(key not in guess for key in truth):
        return inf, 0.0
    kl = sum(p * log(p / guess[key]) for key, p in truth.items())
    errors = [abs(p - guess[key]) / p for key, p in truth.items()]
    return kl, sum(errors) / len(errors)


@pytest.mark.parametrize("way", ["array", "boxes", "coarse"])
@pytest.mark.parametrize("coding", ["suppression", "generalization", "permutation"])
def test_equals_the_definition(
    coding: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way != "array":
        monkeypatch.setattr(fit, "DENSE", 0)
    if way == "coarse":
        monkeypatch.setattr(fit, "LISTED", 1)
    rng = random.Random(coding)
    for _ in range(40):
        table, scales, partition = draw(rng)
        originals = [[str(v) for v in row[:3]] for row in table.rows()]
        groups: list[object] = partition.groups.tolist()
        if coding == "permutation":
            released = PermutedRelease(table, partition).table
            spread = spread_of(released, table, scales, groups=partition.groups)
            cells = originals
        else:
            release = (
                Release(table, partition)
                if coding == "suppression"
                else GeneralizedRelease(table, partition, scales)
            )
            spread = spread_of(release.published, table, scales)
            cells = [[str(v) for v in row[:3]] for row in release.published.rows()]
            groups = [tuple(row) for row in cells]
        truth = Truth.of(table, scales)
        for level in (1, 2, 3):
            errors = []
            for columns in map(list, combinations(range(3), level)):
                real: Weights = {}
                for row in table.rows():
                    key = (*(str(row[j]) for j in columns), str(row[3]), str(row[4]))
                    real[key] = real.get(key, 0.0) + 1 / table.n
                wanted = expected(real, told(table, cells, groups, columns))
                found = compare(spread, truth, columns)
                assert (found.kl, found.relative_error) == pytest.approx(wanted)
                assert (found.cells, found.asked) == (len(real), len(real))
                errors.append(wanted)
            cube = cube_errors(spread, truth, level)
            assert cube.group_bys == len(errors)
            assert cube.kl == pytest.approx(np.mean([e[0] for e in errors]))
            assert cube.relative_error == pytest.approx(np.mean([e[1] for e in errors]))


def test_a_table_by_hand() -> None:
    rows = [["10", "x"], ["20", "y"], ["20", "y"], ["90", "x"]]
    table = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    scales = Scales.of(table, ["a"])
    rows = [["[10-20]", s] for s in "xyy"] + [["90", "x"]]
    released = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    found = compare(spread_of(released, table, scales), Truth.of(table, scales))
    # Of the three rows in [10-20] half are told to be 10, a third of each to be x.
    assert found.kl == pytest.approx(log(2) / 4 + log(2) / 2)
    assert found.relative_error == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    # Wider ranges of others, and numbers written otherwise, are read, too.
    rows = [["[0-20.0]", s] for s in "xyy"] + [["90.0", "x"]]
    wider = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    again = compare(spread_of(wider, table, scales), Truth.of(table, scales))
    assert again == found


def test_a_release_that_rules_out_what_is_has_infinite_divergence() -> None:
    table = Table.from_rows(["a"], [["1"], ["2"]], ["a"])
    released = Table.from_rows(["a"], [["1"], ["1"]], ["a"])
    scales = Scales.of(table)
    assert (
        compare(spread_of(released, table, scales), Truth.of(table, scales)).kl == inf
    )
    with pytest.raises(TableError, match="'3' stands for no value"):
        spread_of(Table.from_rows(["a"], [["3"]] * 2, ["a"]), table, scales)
    with pytest.raises(TableError, match="no column 'a'"):
        spread_of(Table.from_rows(["b"], [["3"]] * 2, ["b"]), table, scales)


def test_samples_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    rows = [[str(rng.randint(1, 30)) for _ in range(3)] for _ in range(6000)]
    table = Table.from_rows(["a", "b", "c"], rows, ["a", "b", "c"])
    scales = Scales.of(table, ["a", "b", "c"])
    order = np.lexsort([table.column(c) for c in "abc"])
    groups = np.empty(table.n, np.int32)
    groups[order] = np.arange(table.n) // 10
    release = GeneralizedRelease(table, Partition(groups), scales)
    spread, truth = spread_of(release.published, table, scales), Truth.of(table, scales)
    whole = compare(spread, truth)
    monkeypatch.setattr(fit, "DENSE", 0)
    sample = compare(spread, truth, pairs=10**6)
    assert sample.asked < sample.cells == whole.cells == whole.asked
    assert sample.kl == pytest.approx(whole.kl, rel=0.03)
    assert sample.relative_error == pytest.approx(whole.relative_error, rel=0.03)


def test_the_command_measures_what_it_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def verify(line: str) -> dict[str, Any]:
        monkeypatch.setattr("sys.argv", ["starmin", "verify", *line.split()])
        main()
        return dict(json.loads(capsys.readouterr().out or "{}"))

    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("a,s\n10,x\n20,y\n20,y\n90,x\n")
    Path("r.csv").write_text("a,s\n[10-20],x\n[10-20],y\n[10-20],y\n90,x\n")
    roles = "--qi a --sensitive s --numeric a --json --utility"
    found = verify(f"r.csv {roles} --original t.csv")
    assert found["kl"] == pytest.approx(0.75 * log(2))
    Path("p.csv").write_text("a,group\n10,1\n20,1\n20,2\n90,2\n")
    Path("p.csv.sa.csv").write_text("group,s,count\n1,x,1\n1,y,1\n2,x,1\n2,y,1\n")
    line = "p.csv --recoding permutation --json --utility --original t.csv"
    # Told: each value of a with x as often as with y; 20 has y alone.
    assert verify(line)["kl"] == pytest.approx(log(2))
    Path("w.csv").write_text("a,s\n10,x\n20,y\n20,y\n10,x\n")
    assert verify(f"w.csv {roles} --original t.csv")["kl"] is None
    assert verify(f"r.csv {roles}") == {}
