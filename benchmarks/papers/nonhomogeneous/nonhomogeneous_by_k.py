"""Two phases for all k at once: the tables of Murakami and Uno, block by block.

    python benchmarks/papers/nonhomogeneous/nonhomogeneous_by_k.py --out FOLDER
        [--tables census-100k,normal10-1m] [--most 3] [--unsorted]
        [--methods ring,two_phase] [--write docs/data]

The first phase for k = 10 has those for k = 3 to 9 in it: candidates are the same (130
for a record, whatever k is), and layers are matched one after the other. So graph and
layers are made once, and the second phase is run for each k: what it finds is what
``two_phase`` finds with ``TwoPhaseParams(wanted=130, wanted_per_layer=0)``, block by
block. Seconds of a k are processor seconds of all that it needs by itself.

Tables are cut into blocks of 100,000 rows, sorted first, or as they are with
``--unsorted``. ``--most N`` measures N blocks at equal distances; ``--methods`` takes
``two_phase_to_the_end``, ``first_phase`` and ``own_star_set``, the paper's lower bound
of a whole table, and of these blocks in it, for all k at once. Rings are measured on
the same rows. Each release is checked by code that shares none with the methods. Lines
are appended to ``FOLDER/blocks.csv`` and not repeated; ``--write`` keeps their sums,
and puts them into the tables of the page.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from nonhomogeneous import BLOCK, KINDS, SIZES
from nonhomogeneous_sums import fill, sums

from starmin.heuristics.nonhomogeneous.blocks import block_rows
from starmin.heuristics.nonhomogeneous.layers import first_graph, match_layer
from starmin.heuristics.nonhomogeneous.mask_prices import pose
from starmin.heuristics.nonhomogeneous.near_edges import FREE
from starmin.heuristics.nonhomogeneous.ring import release_of, ring
from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, second_phase
from starmin.instances import STARS, KAnonymity, NonHomogeneous, Table, group_by
from starmin.instances import NonHomogeneousRelease as Release
from starmin.instances.arrays import Int32s
from starmin.verify.nonhomogeneous.matcher import check_matchings

SETTINGS = {
    "first_phase": TwoPhaseParams(wanted=130, wanted_per_layer=0, steps=0),
    "two_phase": TwoPhaseParams(wanted=130, wanted_per_layer=0),
    "two_phase_to_the_end": TwoPhaseParams(
        wanted=130, wanted_per_layer=0, to_the_end=True
    ),
}
OF_BLOCKS = "own_star_set_of_blocks"
COLUMNS = ("table", "rows", "block", "of", "n", "k", "method", "stars", "cpu")
KEPT = ("table", "rows", "k", "method", "blocks", "of", "gcp", "cpu")
Row = dict[str, Any]
Rows = Int32s


def measured(block: Table, ks: list[int], methods: list[str]) -> Iterator[Row]:
    """Yield what each method finds in a block, for each k."""
    for k in ks if "ring" in methods else ():
        began = time.process_time()
        found = ring(block, KAnonymity(k)).best
        yield figures(block, k, "ring", found, time.process_time() - began)
    settings = {name: SETTINGS[name] for name in SETTINGS if name in methods}
    if not settings:
        return
    began = time.process_time()
    problem = pose(block, STARS, 0)
    graph = first_graph(problem, max(ks), 130, seed=0)
    mates = np.full((max(ks) - 1, problem.n), FREE, np.int32)
    for layer in range(max(ks) - 1):
        match_layer(problem, graph, mates, layer)
        k = layer + 2
        first = time.process_time() - began
        for name in settings if k in ks else ():
            worked = time.process_time()
            layers = mates[: k - 1].copy()
            layers = second_phase(problem, graph, layers, 0, settings[name])
            spent = time.process_time() - worked
            yield figures(block, k, name, release_of(block, layers), first + spent)
        began = time.process_time() - first  # what the second phase took is left out


def bounds(table: Table, ks: list[int], blocks: dict[int, Rows]) -> Iterator[Row]:
    """Yield the paper's own lower bound for each k, by one pass over the star sets.

    That of a block is what its rows pay in the whole table.
    """
    began = time.process_time()
    types = table.row_types
    pays = {k: np.full(len(types), table.d, np.int8) for k in ks}
    waits = {k: np.ones(len(types), bool) for k in ks}
    for starred in sorted(range(1 << table.d), key=int.bit_count):
        kept = [a for a in range(table.d) if not starred >> a & 1]
        if not kept or not any(wait.any() for wait in waits.values()):
            break
        cardinalities = [table.qi_cardinalities[a] for a in kept]
        groups = group_by([types.codes[:, a] for a in kept], cardinalities)
        sizes = np.bincount(groups.inverse, types.counts)[groups.inverse]
        for k, wait in waits.items():
            found = wait & (sizes >= k)
            pays[k][found] = starred.bit_count()
            wait &= ~found
    cpu = round(time.process_time() - began, 2)
    for k in ks:
        told = {"k": k, "method": "own_star_set", "cpu": cpu}
        yield {"n": table.n, "stars": int(pays[k] @ types.counts), **told}
        for block, rows in blocks.items():
            told = {"k": k, "method": OF_BLOCKS, "cpu": 0.0, "block": block}
            stars = int(pays[k][types.inverse[rows]].sum(dtype=np.int64))
            yield {"n": len(rows), "stars": stars, **told}


def figures(
    block: Table, k: int, method: str, found: NonHomogeneous | None, cpu: float
) -> Row:
    """Return a line, once the release is checked."""
    assert found is not None and found.matchings is not None
    published = Release(block, found).published
    why = check_matchings(published, block, found.matchings)
    assert why is None and len(found.matchings) >= k, why
    stars = found.value(block, STARS)
    return {"k": k, "method": method, "stars": stars, "cpu": round(cpu, 2)}


def chosen(count: int, most: int) -> list[int]:
    """Return blocks at equal distances: all, or so many."""
    if not most or most >= count:
        return list(range(count))
    return [(2 * i + 1) * count // (2 * most) for i in range(most)]


def measure(name: str, given: argparse.Namespace, store: Path) -> None:
    """Measure the blocks of a table that the store lacks."""
    ks = [int(k) for k in given.k.split(",")]
    methods = given.methods.split(",")
    how = "unsorted" if given.unsorted else "sorted"
    kind, _, size = name.partition("-")
    count = -(-SIZES[size] // BLOCK)
    known = {
        (row["table"], row["rows"], row["block"], int(row["k"]), row["method"])
        for row in read(store)
    }
    if "own_star_set" in methods:
        if any((name, how, "all", k, "own_star_set") not in known for k in ks):
            table = KINDS[kind](SIZES[size])
            every = block_rows(table, STARS, max(ks), BLOCK, not given.unsorted)
            some = chosen(count, given.most) if given.most else []
            for row in bounds(table, ks, {block: every[block] for block in some}):
                of = count if "block" in row else 1
                append(
                    store, {"table": name, "rows": how, "block": "all", "of": of} | row
                )
        methods = [method for method in methods if method != "own_star_set"]
    todo = [
        block
        for block in chosen(count, given.most)
        if any((name, how, str(block), k, m) not in known for k in ks for m in methods)
    ]
    if not todo:
        return
    table = KINDS[kind](SIZES[size])
    rows = block_rows(table, STARS, max(ks), BLOCK, not given.unsorted)
    for block in todo:
        part = table.take(rows[block])
        where = {"table": name, "rows": how, "block": block, "of": count, "n": part.n}
        for row in measured(part, ks, methods):
            if (name, how, str(block), row["k"], row["method"]) not in known:
                append(store, where | row)
                print(*(where | row).values(), flush=True)


def read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, row: Row) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def summed(rows: list[dict[str, str]]) -> Iterator[Row]:
    """Yield the cells that stars hide and the seconds, of the blocks there are."""
    for (name, how, k, method), each in sums(rows).items():
        cells = name, how, k, method, each.blocks, each.of
        cells += f"{each.gcp:.5f}", f"{each.cpu:.1f}"
        yield dict(zip(KEPT, cells, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tables", default="census-100k,normal10-100k,normal15-100k")
    parser.add_argument("--k", default="3,4,5,6,7,8,9,10")
    parser.add_argument("--methods", default="ring,two_phase")
    parser.add_argument("--most", type=int, default=0, help="blocks; 0: all")
    parser.add_argument("--unsorted", action="store_true")
    parser.add_argument("--write", type=Path, help="the folder of the CSV files")
    given = parser.parse_args()
    store = given.out / "blocks.csv"
    warm = KINDS["census"](500)
    list(measured(warm, [3, 4], ["ring", *SETTINGS]))
    for name in filter(None, given.tables.split(",")):
        measure(name, given, store)
    if given.write:
        kept = given.write / "nonhomogeneous_blocks.csv"
        with kept.open("w", newline="") as file:
            writer = csv.DictWriter(file, KEPT, lineterminator="\n")
            writer.writeheader()
            writer.writerows(summed(read(store)))
        fill(read(store), given.write)


if __name__ == "__main__":
    main()
