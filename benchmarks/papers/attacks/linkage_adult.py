"""Two 2-diverse releases of overlapping halves of Adult, and what linking reveals.

    python benchmarks/papers/attacks/linkage_adult.py adult.csv [--write FILE.csv]

The file has the columns sex, race, marital-status, education, workclass and
occupation of the UCI Adult table (30,162 complete rows). The first release is of the
first half of the rows, the second of the half that begins after the first quarter, so
that a quarter of all people is in both. Each half is made 2-diverse with the fewest
stars that the pattern program finds in the time limit.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from kept import write_rows

from starmin.instances import LDiversity, Release, Table, read_table, write_table
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.linkage import Linkage, attack, reveal_classes
from starmin.verify.releases.release_check import check_release

QI = ("sex", "race", "marital-status", "education", "workclass")


def solve(half: Table, l: int, time_limit: float, name: str) -> Table:
    """Publish one half."""
    found = pattern_ilp(half, LDiversity(l), time_limit=time_limit)
    assert found.best is not None
    released = Release(half, found.best).published
    check = check_release(released, LDiversity(l), half)
    assert check.holds and check.consistent
    print(
        f"{name}: {half.n:,} rows, {found.value:,} stars, bound "
        f"{found.lower_bound:,}, {check.groups:,} classes, at least "
        f"{check.distinct_l} values in each ({found.runtime:.0f} s)"
    )
    return released


def report(linkage: Linkage, who: str, known: str) -> list[str]:
    """Print diversity before and after linkage, over the people in both releases."""
    lines: list[str] = []
    found = linkage.as_json(5)
    first, second = found["before"]
    print(f"\n{who}")
    print("                     least   mean   exposed")
    exposed = [int(linkage.persons[row == 1].sum()) for row in linkage.before]
    rows = (first, second, found["after"])
    names = ("first release", "second release", "linked")
    for name, spread, count in zip(
        names, rows, [*exposed, found["exposed_total"]], strict=True
    ):
        print(f"  {name:<16} {spread['least']:>8} {spread['mean']:>6.2f} {count:>9,}")
        mean = f"{spread['mean']:.2f}"
        lines.append(f"| {known} | {name} | {spread['least']} | {mean} | {count:,} |")
    histogram = {n: people for n, people in found["diversity"].items() if n <= 6}
    print("  people by linked diversity:", histogram)
    for person in found["exposed"]:
        known = ", ".join(str(person["target"][column]) for column in QI)
        print(f"  {known}: {person['value']} (before: {person['before']})")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve both halves, link them, print the figures."""
    parser = argparse.ArgumentParser(description="Linked releases of Adult.")
    parser.add_argument("adult", type=Path)
    parser.add_argument("--l", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=60, help="for each half")
    parser.add_argument("--out", type=Path, help="folder for the releases")
    parser.add_argument("--write", type=Path, help="a CSV file of the counts")
    asked = parser.parse_args(arguments)
    table = read_table(asked.adult, QI, ["occupation"])
    table = table.drop(table.other)
    quarter = table.n // 4
    spans = [np.arange(2 * quarter), np.arange(quarter, 3 * quarter)]
    releases = [
        solve(table.take(span), asked.l, asked.time_limit, f"release {i}")
        for i, span in enumerate(spans, start=1)
    ]
    common = np.arange(quarter, 2 * quarter)
    people = table.take(common)
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
        for i, released in enumerate(releases, start=1):
            write_table(released, asked.out / f"release{i}.csv")
        write_table(people, asked.out / "people.csv")
    who = "quasi-identifiers"
    lines = ["| known | release | least | mean | people exposed |", "|---" * 5 + "|"]
    linked = attack(releases, people)
    lines += report(linked, "known: quasi-identifiers, and being in both", who)
    told = reveal_classes(releases, people, [common, common - quarter])
    linked = attack(*told)
    lines += report(linked, "known: also the class in each release", f"{who} and class")
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
