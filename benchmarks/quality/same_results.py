"""Values and bounds of every method on ten seeded tables, kept or compared.

    python benchmarks/quality/same_results.py --out before.json
    python benchmarks/quality/same_results.py --against before.json

A change that is meant to change no result runs the first on the tree before it and the
second on the tree after it. Methods that were renamed in between are found by their
aliases. No run has a time limit, so that no result hangs on the clock.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import starmin

TABLES = 10
MOST_ROWS = {"exact": 9, "bound": 60, "heuristic": 60}
# Exact methods for tiny tables; the others get MOST_ROWS.
FEWER = {"assignment_mip": 6, "matching_mip": 6, "matching_cp_sat": 6}
OPTIONS: dict[str, dict[str, Any]] = {
    "large_neighbourhood": {"workers": 1},
    "anatomy": {"shuffle_seed": 0},  # else its groups come from the system's entropy
}


def random_table(seed: int, rows: int) -> starmin.Table:
    """Rows with some structure, every second table with as many of either value."""
    rng = np.random.default_rng(seed)
    n = 2 * (rows // 2)
    planted = rng.integers(0, 3, (3, 3))[rng.integers(0, 3, n)]
    noise = rng.integers(0, 4, (n, 3))
    cells = np.where(rng.random((n, 3)) < 0.3, noise, planted)
    values = np.arange(n) % (2 if seed % 2 else 3)
    columns = ["a", "b", "c", "value"]
    lines = [
        ",".join(map(str, [*row, value]))
        for row, value in zip(cells.tolist(), values.tolist(), strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("\n".join([",".join(columns), *lines]) + "\n")
        return starmin.read_table(path, qi=columns[:3], sensitive=["value"])


def problems(method: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requirements and objectives that a method takes, by a name for each."""
    forms = {
        "k": {"k": 2},
        "l": {"l": 2},
        "k+l": {"k": 3, "l": 2},
        "distinct": {"requirement": starmin.DistinctDiversity(2)},
    }
    taken = forms if "any" in method.requirements else method.requirements
    matched = method.recodings == ("nonhomogeneous",)
    for form in forms:
        if form not in taken:
            continue
        for objective in method.objectives:
            options = forms[form] | {"objective": objective}
            if method.name == "factor_cover":
                options["k"] = 3
            if matched:
                options["recoding"] = "nonhomogeneous"
            yield f"{form}, {objective}", options


def results() -> dict[str, list[Any]]:
    """By method, table and problem: value, lower bound and status, or a refusal."""
    found: dict[str, list[Any]] = {}
    for method in starmin.methods():
        rows = FEWER.get(method.name, MOST_ROWS[method.kind])
        for seed in range(TABLES):
            table = random_table(seed, rows)
            for name, options in problems(method):
                key = f"{method.name}, table {seed}, {name}"
                found[key] = outcome(method, table, options)
        print(method.name, file=sys.stderr)
    return found


def outcome(method: Any, table: starmin.Table, options: dict[str, Any]) -> list[Any]:
    """Value, lower bound and status of one run."""
    call = starmin.bound if method.kind == "bound" else starmin.solve
    extra = {} if method.kind == "bound" else {"seed": 0}
    extra |= OPTIONS.get(method.name, {})
    try:
        result = call(table, method=method.name, **options, **extra)
    except starmin.NotSupportedError:
        return ["refused"]
    return [result.value, result.lower_bound, result.status.value]


def renamed(before: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The results before, by today's names."""
    names = {
        alias: method.name for method in starmin.methods() for alias in method.aliases
    }
    parts = {key: key.split(", ", 1) for key in before}
    return {
        f"{names.get(name, name)}, {rest}": before[key]
        for key, (name, rest) in parts.items()
    }


def main() -> int:
    """Write the results, or say where they differ from those before."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    now = results()
    if given.out:
        given.out.write_text(json.dumps(now, indent=0))
    if not given.against:
        return 0
    before = renamed(json.loads(given.against.read_text()))
    different = [key for key in before if now.get(key) != before[key]]
    for key in different:
        print(f"{key}: {before[key]} before, {now.get(key)} now")
    print(f"{len(before)} runs, {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
