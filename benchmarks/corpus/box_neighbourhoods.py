"""What boxes solved in neighbourhoods gain after ``auto``, beside other searches.

    python benchmarks/corpus/box_neighbourhoods.py --seconds 6 --write FILE

``auto`` has so many seconds for each problem; from its release on each search has as
many again. Problems are named as in ``problems.py``.
"""

import argparse
import time
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from kept import merge_rows
from problems import problem

import starmin
from starmin.auto import choice
from starmin.auto.task import Task
from starmin.heuristics.large_neighbourhood.box_neighbourhoods import box_neighbourhoods
from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from starmin.instances import NotSupportedError

NAMES = (
    *("ranges/90612/10", "ranges/90612/14", "ranges/90611/28", "ranges/90612/12"),
    *("ranges/90612/32", "diverse/90611/25", "ranges/90612/9", "ranges/90612/44"),
)
SEARCHES = box_neighbourhoods, ruin_and_recreate, large_neighbourhood
HEADER = (
    *("problem", "table", "rows", "asked", "gap"),
    *(search.__name__ for search in SEARCHES),
)


def posed(frame: Any, call: dict[str, Any], seconds: float) -> Task:
    """Return what ``anonymize`` would have ``auto`` solve."""
    found: list[Task] = []

    def keep(task: Task) -> None:
        found.append(task)
        raise NotSupportedError("It is solved by this script.")

    with patch.object(choice, "_choose", keep), suppress(NotSupportedError):
        starmin.anonymize(frame, time_limit=seconds, seed=0, **call)
    return found[0]


def measure(name: str, seconds: float) -> list[str]:
    """Return one line of the table: gains as shares of the value."""
    drawn = problem(name)
    task = posed(drawn.frame, drawn.call, seconds)
    first = choice._choose(task)
    assert first.value is not None and first.lower_bound is not None
    gains = []
    for search in SEARCHES:
        call = partial(search, task.table, task.requirement, objective=task.objective)
        try:
            found = call(time_limit=seconds, seed=1, initial=first.best).value
        except NotSupportedError:
            found = first.value
        assert found is not None
        gains.append(f"{(first.value - found) / first.value:.3%}")
    asked = " ".join(
        f"{one} = {drawn.asked[one]}" for one in "kl" if one in drawn.asked
    )
    columns = f"{len(drawn.asked['qi'])} columns"
    numbers = f"{len(drawn.asked.get('numeric', []))} of numbers"
    gap = (first.value - first.lower_bound) / first.lower_bound
    rows = str(len(drawn.frame))
    said = f"{asked}, {columns}, {numbers}"
    return [name, drawn.table, rows, said, f"{gap:.1%}", *gains]


def main() -> None:
    """Measure one problem after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--write", type=Path, help="keep the rows there")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in asked.names:
        began = time.perf_counter()
        rows.append(measure(name, asked.seconds))
        print(*rows[-1], f"{time.perf_counter() - began:.0f} s", flush=True)
    cells = (map(str, row) for row in rows)
    kept = (dict(zip(HEADER, row, strict=True)) for row in cells)
    merge_rows(asked.write, kept, ("problem",))


if __name__ == "__main__":
    main()
