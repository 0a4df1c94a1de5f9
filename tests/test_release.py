"""Tests that a release stars what differs in a group and nothing else."""

import numpy as np
import pytest

from starmin.instances import (
    Partition,
    Release,
    Table,
    TableError,
    read_table,
    write_table,
)
from tests.seeds import seeds


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
