"""k-anonymity as facility location: patterns are opened, rows are their clients.

    python benchmarks/papers/optimum/facility_location.py [--tables 3]
        [--write FILE.csv]

The view of Chakaravarthy, Pandit and Sabharwal, section 4, on random tables of few
columns and symbols: the greedy cover, local search from it that opens, closes and
swaps patterns as for facility location (each set is priced by a flow), and the optimum
by subsets of patterns and as an integer program. Prints a table in Markdown.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.heuristics.approximation.pattern_cover import pattern_cover
from starmin.instances import STARS, KAnonymity, Table
from starmin.instances.arrays import Bools
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_ilp.pattern_subsets import pattern_subsets
from starmin.models.pattern_program.pattern_program import open_pattern_flow
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns

HEAD = (
    "| columns, symbols, rows, k | patterns | greedy | local search | optimum "
    "| subsets: flows, s | program: s |\n" + "|---" * 7 + "|"
)
# Columns, symbols, rows, k.
CASES = (
    (3, 2, 40, 4),
    (3, 2, 1000, 150),
    (3, 3, 200, 5),
    (4, 2, 200, 6),
    (4, 2, 100, 9),
    (3, 4, 300, 4),
)


def drawn(rng: np.random.Generator, m: int, symbols: int, n: int) -> Table:
    """Independent columns, each with its own distribution."""
    weights = rng.dirichlet(np.full(symbols, 2.0), size=m)
    rows = [[str(rng.choice(symbols, p=each)) for each in weights] for _ in range(n)]
    names = [f"c{j}" for j in range(m)]
    return Table.from_rows(names, rows, qi=names)


def price(patterns: Patterns, is_open: Bools, k: int) -> int | None:
    """What the best release with these patterns open costs."""
    loads = open_pattern_flow(patterns, is_open, k)
    return None if loads is None else int(patterns.cost[patterns.pattern] @ loads)


def local_search(patterns: Patterns, k: int) -> int:
    """Open, close and swap patterns, the first change that gains, until none does."""
    is_open = patterns.starred.all(axis=1)
    value = price(patterns, is_open, k)
    assert value is not None
    places = range(len(is_open))
    changes = [(i,) for i in places] + [(i, j) for i in places for j in places if i < j]
    found = True
    while found:
        found = False
        for change in changes:
            if len(change) == 2 and is_open[change[0]] == is_open[change[1]]:
                continue
            other = is_open.copy()
            other[list(change)] ^= True
            cost = price(patterns, other, k)
            if cost is not None and cost < value:
                is_open, value, found = other, cost, True
    return value


def main() -> None:
    """Print what each finds, and the processor seconds of both exact methods."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=3, help="of each size")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    lines = [HEAD]
    print(HEAD)
    rng = np.random.default_rng(0)
    for m, symbols, n, k in CASES:
        for _ in range(given.tables):
            table = drawn(rng, m, symbols, n)
            patterns = closed_patterns(table, table.row_types, STARS, k)
            greedy = pattern_cover(table, KAnonymity(k)).value
            local = local_search(patterns, k)
            at = time.process_time()
            subsets = pattern_subsets(table, KAnonymity(k), time_limit=60)
            middle = time.process_time()
            program = pattern_ilp(table, KAnonymity(k), time_limit=60)
            end = time.process_time()
            assert program.lower_bound == program.value
            assert subsets.limit is not None or subsets.value == program.value
            took = f"{middle - at:.2f}" if subsets.limit is None else "(60)"
            lines.append(
                f"| {m}, {symbols}, {n}, {k} | {len(patterns)} | {greedy} | {local} "
                f"| {program.value} | {subsets.stats['flows']:,}, {took} "
                f"| {end - middle:.2f} |"
            )
            print(lines[-1], flush=True)
    write_rows(given.write, lines)


if __name__ == "__main__":
    main()
