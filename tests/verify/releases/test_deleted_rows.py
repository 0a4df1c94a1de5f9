"""Tests that a release with deleted rows is compared in what is there, and counted."""

import random

import networkx
import numpy as np
import pytest

from starmin.instances import Coding, KAnonymity, Table, Taxonomy, write_table
from starmin.instances.streams.source import Source
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.release_check import check_release
from starmin.verify.releases.streamed import check_streamed_release
from tests.support.effort import seeds

Rows = list[list[str | None]]
NAMES = ("age", "job", "sex", "note")
JOBS = Taxonomy.parse("{office{clerk,boss},field{farmer,fisher}}")
ABOVE = {leaf: (leaf, *above) for leaf, above in JOBS.ancestors.items()}


def table_of(rows: Rows) -> Table:
    """A table whose first three columns are quasi-identifiers."""
    return Table.from_rows(NAMES, rows, NAMES[:3])


def covers(row: list[str | None], old: list[str | None]) -> bool:
    """Whether a released row may stand for one of the original, by its cells."""
    age, job, sex, note = row
    if age not in ("*", old[0]):
        if age is None or age[0] != "[":
            return False
        low, high = age[1:-1].split("-")
        if not int(low) <= int(old[0] or -1) <= int(high):
            return False
    return job in ABOVE[str(old[1])] and sex in ("*", old[2]) and note == old[3]


def in_order(rows: Rows, original: Rows) -> bool:
    """Whether some rows of the original, in order, fit: by all pairs of prefixes."""
    fits = np.zeros((len(rows) + 1, len(original) + 1), bool)
    fits[0] = True
    for i, row in enumerate(rows):
        for j, old in enumerate(original):
            fits[i + 1, j + 1] = fits[i + 1, j] or (fits[i, j] and covers(row, old))
    return bool(fits[-1, -1])


def in_any_order(rows: Rows, original: Rows) -> int:
    """How many rows can have an original of their own."""
    pairs = networkx.Graph()
    pairs.add_nodes_from(("now", i) for i in range(len(rows)))
    pairs.add_edges_from(
        (("now", i), ("then", j))
        for i, row in enumerate(rows)
        for j, old in enumerate(original)
        if covers(row, old)
    )
    left = {("now", i) for i in range(len(rows))}
    return len(networkx.bipartite.maximum_matching(pairs, left)) // 2


def generalized(rng: random.Random, row: list[str | None]) -> list[str | None]:
    """A row whose cells may cover more than its own."""
    age, job, sex, note = row
    low, high = sorted((int(age or 0) - rng.randint(0, 9), int(age or 0) + 5))
    return [
        rng.choice([age, "*", f"[{max(0, low)}-{high}]"]),
        rng.choice(ABOVE[str(job)]),
        rng.choice([sex, sex, "*"]),
        note,
    ]


@pytest.mark.parametrize("seed", seeds(33))
def test_what_is_there_agrees_if_brute_force_says_so(seed):
    rng = random.Random(seed)
    original: Rows = [
        [str(rng.randint(20, 24)), rng.choice([*ABOVE]), rng.choice("mf"), "n"]
        for _ in range(rng.randint(2, 9))
    ]
    kept = sorted(rng.sample(range(len(original)), rng.randint(1, len(original) - 1)))
    rows = [generalized(rng, original[row]) for row in kept]
    if rng.random() < 0.4:
        rng.shuffle(rows)
    if rng.random() < 0.4:
        lie = rng.randrange(4)
        rng.choice(rows)[lie] = ["[25-29]", "boss", "d", "m"][lie]
    released, source = table_of(rows), table_of(original)
    cells = read_cells(
        released,
        Coding("generalization", numeric=("age",), trees={"job": JOBS}),
        source,
    )
    check = check_release(released, KAnonymity(2), source, cells=cells)
    ordered, matched = in_order(rows, original), in_any_order(rows, original)
    assert check.missing_rows == len(original) - len(rows)
    assert check.consistent is (
        True if ordered else None if matched == len(rows) else False
    )
    assert check.reordered == (not ordered and matched == len(rows))
    if ordered:
        assert check.kept is not None and (np.diff(check.kept) > 0).all()
        pairs = zip(rows, check.kept, strict=True)
        assert all(covers(row, original[at]) for row, at in pairs)
    elif not check.reordered:
        (difference,) = check.inconsistencies or ()
        none = [
            i + 1 for i, row in enumerate(rows) if not in_any_order([row], original)
        ]
        assert difference.rows == tuple(none)
        assert f"and {matched} can stand for rows of it" in difference.why


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("seed", range(10))
def test_batches_say_what_whole_files_say(seed, ending, tmp_path):
    """In several files of other lengths, too; but of the order nothing is asked."""
    rng = random.Random(seed)
    rows: Rows = [
        [rng.choice("12"), rng.choice("abc"), rng.choice("mf"), str(i % 50)]
        for i in range(rng.randint(50, 200))
    ]
    kept = sorted(rng.sample(range(len(rows)), len(rows) - rng.randint(1, 9)))
    released = [[rng.choice([rows[i][0], "*"]), *rows[i][1:]] for i in kept]
    if seed % 3 == 1:
        rng.choice(released)[3] = "x"
    if seed % 3 == 2:
        released.reverse()
    whole = check_release(table_of(released), None, table_of(rows))
    for name, each in (("now", released), ("then", rows)):
        (tmp_path / name).mkdir()
        for part in range(3):
            table = table_of(each[part * len(each) // 3 : (part + 1) * len(each) // 3])
            write_table(table, tmp_path / name / f"{part}.{ending}")
    now, then = (Source.of(tmp_path / name) for name in ("now", "then"))
    counted = table_of(released)
    check = check_streamed_release(counted, None, now, then)
    assert check.missing_rows == whole.missing_rows == len(rows) - len(released)
    assert bool(check.consistent) == bool(whole.consistent) == (seed % 3 == 0)


def test_rows_are_neither_added_nor_counted_twice():
    rows: Rows = [["1", "clerk", "m", "n"], ["2", "boss", "m", "n"]]
    check = check_release(table_of([*rows, rows[0]]), None, table_of(rows))
    assert (check.consistent, check.missing_rows) == (False, 0)
    twice = check_release(table_of([rows[0]] * 2), None, table_of([*rows, rows[1]]))
    assert (twice.consistent, twice.missing_rows) == (False, 1)
    assert twice.inconsistencies is not None
    assert "2 rows; the original has 3, and 1 can" in twice.inconsistencies[0].why


def test_many_rows_are_compared_at_once():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 1000, (50_000, 4)).astype(str).tolist()
    kept = np.flatnonzero(rng.random(50_000) < 0.9)
    check = check_release(table_of([rows[i] for i in kept]), None, table_of(rows))
    assert (check.consistent, check.missing_rows) == (True, 50_000 - len(kept))
    assert check.kept is not None and check.kept.tolist() == kept.tolist()
