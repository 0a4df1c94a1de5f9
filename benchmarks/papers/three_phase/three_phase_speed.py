"""How fast TP, TP+, Hilbert and Mondrian are, as ratios measured in one run.

    python benchmarks/papers/three_phase/three_phase_speed.py [--most 10]
        [--write FILE.csv]

TP on 600,000 census rows by 7 QI columns is compared with the time that polars takes to
group the same eight columns of text and count (second calls, one process, fastest of
three); then TP by rows, up to ``--most`` millions, and the other methods.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars
from kept import write_rows

from starmin.heuristics.approximation.three_phase import three_phase, three_phase_hybrid
from starmin.heuristics.orders.suppression import (
    hilbert_suppression,
    lexicographic_suppression,
)
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Requirement,
    Result,
    Table,
    to_frame,
)
from starmin.instances.catalogue.generators import census

L = LDiversity(4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=10, help="million rows")
    parser.add_argument("--write", type=Path, help="a CSV file of what it prints")
    asked = parser.parse_args()
    most, lines = asked.most, ["| what | seconds |", "|---|---|"]
    theirs, ours = against_polars(census(600_000))
    lines.append(f"| TP, 600,000 rows by 7 columns, l = 4 | {ours:.3f} |")
    lines.append(
        f"| polars, `group_by` of the same columns, and count | {theirs:.3f} |"
    )
    print(f"\n{'rows':>12} {'TP, s':>8} {'s per million':>14}")
    for millions in (m for m in (0.6, 2, 5, 10) if m <= most):
        table = census(round(millions * 1e6))
        seconds, _ = timed(three_phase, table, L)
        print(f"{table.n:12,} {seconds:8.2f} {seconds / millions:14.3f}")
        lines.append(f"| TP, {table.n:,} rows, l = 4 | {seconds:.2f} |")
    print(f"\n{'method':28} {'rows':>10} {'asked':>6} {'s':>8} {'stars':>10}")
    lines.append(show(three_phase_hybrid, census(600_000), L))
    table = census(1_000_000)
    lines += [
        show(method, table, requirement)
        for requirement in (KAnonymity(10), LDiversity(6))
        for method in (hilbert_suppression, lexicographic_suppression, mondrian)
    ]
    write_rows(asked.write, lines)


def against_polars(table: Table) -> tuple[float, float]:
    frame: Any = to_frame(table, "polars")

    def group() -> None:
        frame.group_by(frame.columns).agg(polars.len())

    group()
    timed(three_phase, table, L)
    theirs = min(stopwatch(group) for _ in range(3))
    ours = min(timed(three_phase, table, L)[0] for _ in range(3))
    print(f"{table.n:,} rows by {table.d} QI columns and the sensitive one")
    print(f"polars group_by of text: {theirs:.3f} s; TP: {ours:.3f} s", end="; ")
    print(f"ratio {ours / theirs:.2f} (at most 1 is asked)")
    return theirs, ours


def timed(
    method: Callable[..., Result], table: Table, requirement: Requirement
) -> tuple[float, Result]:
    """Seconds and result on a copy of the table, without cached row types."""
    fresh = replace(table)
    started = time.perf_counter()
    result = method(fresh, requirement)
    return time.perf_counter() - started, result


def stopwatch(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def show(method: Callable[..., Result], table: Table, requirement: Requirement) -> str:
    """Print how fast a method is; return it as a line of a table."""
    timed(method, table.take(np.arange(2000)), requirement)
    seconds, result = timed(method, table, requirement)
    asked = ", ".join(f"{k}={v}" for k, v in requirement.as_json().items())
    print(
        f"{method.__name__:28} {table.n:10,} {asked:>6} {seconds:8.2f} "
        f"{result.value:10,}"
    )
    how = asked.replace("=", " = ")
    return f"| `{method.__name__}`, {table.n:,} rows, {how} | {seconds:.2f} |"


if __name__ == "__main__":
    main()
