"""Tests that partitions and releases cost and star what a recount says."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    TUPLES,
    NotSupportedError,
    Objective,
    Partition,
    Release,
    Table,
    TableError,
    read_table,
    write_table,
)
from starmin.instances.releases.objective_kinds import OBJECTIVES, ObjectiveName
from starmin.instances.scales.node_losses import LOSS_RULES, Rule
from tests.support.effort import seeds


def random_table(seed: int, n: int | None = None) -> tuple[Table, np.random.Generator]:
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(1, 40)), int(rng.integers(1, 6))
    cells = rng.integers(0, rng.integers(1, 4), (n, d)).astype(str).tolist()
    names = [f"c{j}" for j in range(d)]
    return Table.from_rows(names, cells, qi=names), rng


def random_partition(table: Table, rng: np.random.Generator) -> Partition:
    return Partition.from_labels(rng.integers(0, rng.integers(1, 9), table.n))


def naive_starred(table: Table, groups: list[int]) -> list[list[bool]]:
    rows = table.rows()
    return [
        [
            len({row[j] for row, g in zip(rows, groups, strict=True) if g == group}) > 1
            for j in map(table.names.index, table.qi)
        ]
        for group in range(max(groups) + 1)
    ]


@pytest.mark.parametrize("seed", seeds(20))
def test_value_is_a_count_of_starred_cells(seed: int) -> None:
    table, rng = random_table(seed)
    partition = random_partition(table, rng)
    groups = partition.groups.tolist()
    starred = naive_starred(table, groups)
    assert partition.starred(table).tolist() == starred
    weights = {c: int(rng.integers(0, 5)) for c in table.qi[::2]}
    cost = [weights.get(c, 1) for c in table.qi]
    assert partition.value(table) == sum(sum(starred[g]) for g in groups)
    assert partition.value(table, TUPLES) == sum(any(starred[g]) for g in groups)
    assert partition.suppressed_tuples(table) == partition.value(table, TUPLES)
    assert partition.value(table, Objective(weights=weights)) == sum(
        w for g in groups for w, star in zip(cost, starred[g], strict=True) if star
    )
    assert partition.sizes.tolist() == [groups.count(g) for g in range(partition.size)]


def test_value_of_a_large_table() -> None:
    table, rng = random_table(5, n=150_000)
    partition = random_partition(table, rng)
    starred = naive_starred(table, partition.groups.tolist())
    assert partition.starred(table).tolist() == starred
    assert partition.value(table, STARS) == int(
        partition.sizes @ np.sum(starred, axis=1)
    )


def test_only_qi_columns_count() -> None:
    rows = [["x", "0", "p"], ["y", "0", "q"]]
    table = Table.from_rows(["o", "a", "s"], rows, qi=["a"], sensitive=["s"])
    assert Partition.single(table).value(table) == 0


@pytest.mark.parametrize("seed", seeds(15))
def test_loads_send_every_copy(seed: int) -> None:
    table, rng = random_table(seed)
    types = table.row_types
    wanted = rng.integers(0, 4, table.n)  # any dealing of the rows to four groups
    pairs, copies = np.unique(
        np.stack([wanted, types.inverse]), axis=1, return_counts=True
    )
    order = rng.permutation(len(copies))
    group, type_ = pairs[:, order]
    partition = Partition.from_loads(types, group, type_, copies[order])
    for label, name in enumerate(np.unique(wanted)):
        sent = np.bincount(
            types.inverse[partition.groups == label], minlength=len(types)
        )
        asked = np.bincount(types.inverse[wanted == name], minlength=len(types))
        assert sent.tolist() == asked.tolist()
    copies[0] += 1
    with pytest.raises(ValueError, match=r"Expected \d+ copies of type"):
        Partition.from_loads(types, *pairs, copies)


def test_groups_are_numbered_without_gaps() -> None:
    assert Partition.from_labels(np.array([7, -1, 7])).groups.tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="got no row in 1"):
        Partition(np.array([0, 2], np.int32))
    with pytest.raises(ValueError, match="negative"):
        Partition(np.array([0, -1], np.int32))


def test_objectives_refuse_what_they_cannot_mean() -> None:
    table, _ = random_table(0)
    with pytest.raises(
        ValueError, match="Expected weights from 0 to 1000000, got c0 = -1"
    ):
        Objective(weights={"c0": -1})
    with pytest.raises(ValueError, match="not for the objective 'tuples'"):
        Objective("tuples", weights={"c0": 2})
    with pytest.raises(
        TableError, match="'x' has a weight but is not a quasi-identifier"
    ):
        Objective(weights={"x": 2}).check(table)
    with pytest.raises(
        TableError, match="'x' is to be kept but is not a quasi-identifier"
    ):
        Objective(keep=("x",)).check(table)


@pytest.mark.parametrize("seed", seeds(15))
def test_cells_are_starred_where_their_group_differs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    cells: list[list[str | None]] = rng.integers(0, 3, (n, 4)).astype(str).tolist()
    cells[0][1] = None
    names = ["other", "a", "s", "b"]
    table = Table.from_rows(names, cells, qi=["b", "a"], sensitive=["s"])
    partition = Partition.from_labels(rng.integers(0, 6, n))
    release = Release(table, partition, star="?")
    groups = partition.groups.tolist()
    expected = [list(row) for row in cells]
    for j in (1, 3):
        for i, group in enumerate(groups):
            values = {
                row[j] for row, g in zip(cells, groups, strict=True) if g == group
            }
            if len(values) > 1:
                expected[i][j] = "?"
    published = release.published
    assert [list(row) for row in published.rows()] == expected
    assert published.names == table.names
    assert [list(row) for row in table.rows()] == cells
    assert release.stars == sum(row.count("?") for row in expected)
    assert release.suppressed_tuples == sum("?" in row for row in expected)
    assert release.stars == partition.value(table)


def test_the_star_symbol_must_not_be_a_cell() -> None:
    rows = [["x", "*"], ["y", "1"], ["*", "*"]]
    table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"], name="people")
    with pytest.raises(TableError) as refusal:
        Release(table, Partition.single(table))
    assert str(refusal.value) == (
        "people: row 3, column 'a' holds the star symbol '*'; "
        "choose another one (--star)"
    )
    assert Release(table, Partition.single(table), star="#").stars == 3
    # A star in the dictionary of a part of the table that does not use it is no cell.
    part = table.take(np.array([0, 1]))
    assert Release(part, Partition.single(part)).published.cells("a") == ["*", "*"]


def test_a_partition_of_other_rows_is_refused() -> None:
    table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
    with pytest.raises(ValueError, match="for each of 2 rows, got 3"):
        Release(table, Partition(np.zeros(3, np.int32)))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_release_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, ending: str
) -> None:
    rows = [["x", "1"], ["y", "1"], ["z", "007"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    release = Release(table, Partition.from_labels(np.array([0, 0, 1])))
    path = tmp_path_factory.mktemp("release") / f"x{ending}"
    write_table(release.published, path)
    assert read_table(path).rows() == [("*", "1"), ("*", "1"), ("z", "007")]


ROWS = [["0", "x", "p"], ["0", "y", "q"], ["1", "y", "r"]]
TABLE = Table.from_rows("abc", ROWS, qi="abc")
STARRED = np.array([[s >> j & 1 for j in range(3)] for s in range(8)], bool)


def test_every_word_that_is_typed_is_declared():
    assert list(OBJECTIVES) == list(get_args(ObjectiveName))
    assert list(LOSS_RULES) == list(get_args(Rule))


def test_a_row_pays_no_more_than_the_cap(monkeypatch):
    stars = Objective().row_costs(TABLE, STARRED)
    assert stars.tolist() == STARRED.sum(axis=1).tolist()
    for cap in (1, 2, 3):
        capped = replace(OBJECTIVES["tuples"], cap=cap)
        monkeypatch.setitem(OBJECTIVES, "tuples", capped)
        objective = Objective("tuples")
        costs = objective.row_costs(TABLE, STARRED)
        assert costs.tolist() == [min(cost, cap) for cost in stars.tolist()]
        assert objective.whole(TABLE) == TABLE.n * cap


def test_where_a_row_pays_once_one_column_stands_for_all():
    for kind in ("stars", "tuples"):
        objective = Objective(kind)
        charged, weights = objective.charged(TABLE, STARRED)
        assert (charged @ weights).tolist() == (
            objective.row_costs(TABLE, STARRED).tolist()
        )


def test_a_cap_that_loops_do_not_know_is_refused(monkeypatch):
    assert Objective("tuples").once and not Objective().once
    capped = replace(OBJECTIVES["tuples"], cap=2)
    monkeypatch.setitem(OBJECTIVES, "tuples", capped)
    with pytest.raises(NotSupportedError, match="without a cap of 2 a row"):
        _ = Objective("tuples").once
