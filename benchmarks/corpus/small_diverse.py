"""Small public tables with sensitive columns: how many ``auto`` solves and certifies.

    python benchmarks/corpus/small_diverse.py --l 2 --sensitive 1 --count 10 --limit 60

Tables of 20 to 100 rows are drawn, each once, with two to five columns that others may
know, at least one of them as ranges, and sensitive columns that an l-diverse release
may have.
"""

import argparse
import random
import time
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas
from problems import _ranges, _sensitive, _table

import starmin

ROWS, COLUMNS = (20, 100), (2, 5)
_TRIES = 4_000


class Drawn(NamedTuple):
    """A table, and what is asked of it."""

    table: str
    frame: pandas.DataFrame
    call: dict[str, Any]


def problems(seed: str, l: int, sensitive: int, count: int) -> Iterator[Drawn]:
    """Draw so many tables by a text."""
    seen: set[str] = set()
    for number in range(1, _TRIES):
        rng = random.Random(f"{seed} {number}")
        table, frame = _table(rng)
        if not ROWS[0] <= len(frame) <= ROWS[1] or table in seen:
            continue
        drawn = _ranges(rng, frame)
        if drawn is None or not COLUMNS[0] <= len(drawn[0]["qi"]) <= COLUMNS[1]:
            continue
        named: list[str] = []
        for _ in range(sensitive):
            column = _sensitive(rng, frame, drawn[0]["qi"] + named, l)
            named += [] if column is None else [column]
        if len(named) < sensitive:
            continue
        seen.add(table)
        call = {key: value for key, value in drawn[0].items() if key != "k"}
        yield Drawn(table, frame, call | {"l": l, "sensitive": named})
        if len(seen) == count:
            return


def main() -> None:
    """Solve them one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--l", type=int, default=2)
    parser.add_argument("--seed", default="0", help="a text")
    parser.add_argument("--sensitive", type=int, default=1, help="columns")
    parser.add_argument("--count", type=int, default=10, help="tables")
    parser.add_argument("--limit", type=float, default=60, help="seconds")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    drawn = problems(asked.seed, asked.l, asked.sensitive, asked.count)
    for table, frame, call in drawn:
        begun = time.process_time()
        found = starmin.anonymize(frame, time_limit=asked.limit, seed=0, **call)
        seconds = time.process_time() - begun
        print(
            f"{table} {len(frame)} rows, {', '.join(call['sensitive'])}: "
            f"{found.value} {found.certified_bound} {found.status} {seconds:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
