"""Tests that a partition costs what a count of its published cells says."""

import numpy as np
import pytest

from starmin.instances import STARS, TUPLES, Objective, Partition, Table, TableError
from tests.seeds import seeds


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
