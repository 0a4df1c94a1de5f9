"""What defences cost, and what an audit finds before and after: docs/audit.md.

    python benchmarks/papers/audit_defences.py DATA [--seconds 60] [--audit 60]
        [--rows N] [--only WORD] [--asked k|l]

DATA has ``adult.csv`` and ``census_kdd_9.csv.gz``. Each problem is solved once for so
many seconds; the defences are applied to the release that was found, and each inference
looks at it for so many seconds at most. Lines are those of the tables of the page.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

import starmin
from starmin.defences.defences import NO_DEFENCES, Defences
from starmin.verify.audit.classes import Classes, classes_of
from starmin.verify.audit.closure import closure
from starmin.verify.audit.minimality.minimality import minimality
from starmin.verify.audit.minimality.types_in_classes import types_in_classes
from starmin.verify.audit.type_rule import type_rule
from starmin.verify.cells.cells import PlainCells

SHARES = 0.25, 0.5, 1.0


@dataclass(frozen=True)
class Data:
    """A table, with the quasi-identifiers for k, and those and the other one for l."""

    name: str
    file: str
    qi: str
    diverse: str
    sensitive: str


SEVEN = "sex,age,race,marital-status,education,native-country,workclass"
EIGHT = "age,sex,marital_status,race,class_of_worker,birth_self,occupation_code"
TABLES = (
    Data("adult", "adult.csv", f"{SEVEN},occupation", SEVEN, "occupation"),
    Data(
        "census_kdd_9",
        "census_kdd_9.csv.gz",
        f"{EIGHT},industry_code,education",
        f"{EIGHT},industry_code",
        "education",
    ),
)


def read(folder: Path, data: Data, rows: int | None, diverse: bool) -> starmin.Table:
    """Return a table with its roles, of its first rows."""
    qi = (data.diverse if diverse else data.qi).split(",")
    sensitive = [data.sensitive] if diverse else []
    table = starmin.read_table(folder / data.file, qi, sensitive)
    table = table.drop([c for c in table.names if c not in (*qi, *sensitive)])
    return table if rows is None else table.take(np.arange(min(rows, table.n)))


def classes(found: starmin.Solution) -> Classes:
    """Return the classes of a release, the truth beside them."""
    table = found.problem.table
    plain = dict.fromkeys(table.qi, PlainCells())
    (these,) = classes_of([found.published], plain, table, [table])
    return these


def priced(found: starmin.Solution, before: int) -> str:
    """Return the stars of a release, their price, and the bound without a defence."""
    assert found.value is not None
    price = f"{found.value / before - 1:+.1%}" if before else ""
    return f"{found.value:,} | {price} | {found.lower_bound or 0:,}"


def by_pairs(found: starmin.Solution) -> Iterator[str]:
    """Yield lines for a release by k: before and after padding."""
    for name, defences in (("none", NO_DEFENCES), ("pad", Defences(pad=True))):
        start = process_time()
        after = starmin.Solution.of(
            defences.defend(found.problem, found), found.problem
        )
        used = process_time() - start
        told = closure(classes(after))
        share = told.pinned / max(1, told.hidden)
        yield (
            f"{name} | {priced(after, found.value or 0)} | {told.whole:,} | "
            f"{share:.2%} | {told.false or 0:,} | {used:.1f}"
        )


def by_values(
    found: starmin.Solution, wider: starmin.Solution, l: int, seconds: float
) -> Iterator[str]:
    """Yield lines for a release by l: with each defence, and with a margin of 1."""
    every = [("none", NO_DEFENCES), ("pad", Defences(pad=True))]
    every += [(f"decoys {q}", Defences(decoys=q, promised=l)) for q in SHARES]
    for name, defences in every:
        after = defences.defend(found.problem, found)
        solution = starmin.Solution.of(after, found.problem)
        yield f"{name} | {audited(solution, found.value or 0, l, seconds)}"
    yield f"margin 1 | {audited(wider, found.value or 0, l, seconds)}"


def audited(found: starmin.Solution, before: int, l: int, seconds: float) -> str:
    """Return what is inferred of a release for a promise of l."""
    check = starmin.verify(found.published, l=l, original=found.problem.table)
    assert check.holds
    assert check.consistent
    these = classes(found)
    whole = closure(these).whole
    known = types_in_classes(these, found.problem.table.sensitive[0])
    assert known is not None
    rule, told = type_rule(known, l), minimality(known, 1, l, seconds)
    share = told.more["looked_at"] / these.number
    right = rule.more["right"] or 0
    return (
        f"{priced(found, before)} | {whole:,} | {told.certain:,} | {told.above:,} | "
        f"{told.more['misled']:,} | {told.contradictions:,} | {share:.0%} | "
        f"{rule.more['types']:,} | {right:.1%} | {rule.more['base']:.1%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--seconds", type=float, default=60, help="of each search")
    parser.add_argument("--audit", type=float, default=60, help="seconds of minimality")
    parser.add_argument("--rows", type=int, help="of each table; default: all")
    parser.add_argument("--only", default="", help="a word in the name of the table")
    parser.add_argument("--asked", choices=["k", "l"], help="default: both")
    asked = parser.parse_args()
    some = [data for data in TABLES if asked.only in data.name]
    if asked.asked != "l":
        of_k(some, asked)
    if asked.asked != "k":
        of_l(some, asked)


def of_k(some: list[Data], asked: argparse.Namespace) -> None:
    """Print the lines of k-anonymity."""
    print(
        "| table | k | defence | stars | price | bound | whole | pinned | false | s |"
    )
    for data in some:
        table = read(asked.data, data, asked.rows, diverse=False)
        for k in (2, 3, 5):
            found = starmin.solve(table, k, time_limit=asked.seconds)
            for line in by_pairs(found):
                print(f"| {data.name} | {k} | {line} |", flush=True)


def of_l(some: list[Data], asked: argparse.Namespace) -> None:
    """Print the lines of l-diversity."""
    print(
        "| table | l | defence | stars | price | bound | whole | certain | above | "
        "misled | contradictions | looked at | types | right | base |"
    )
    for data in some:
        table = read(asked.data, data, asked.rows, diverse=True)
        releases = {
            l: starmin.solve(table, l=l, time_limit=asked.seconds) for l in (2, 3, 4)
        }
        for l in (2, 3):
            for line in by_values(releases[l], releases[l + 1], l, asked.audit):
                print(f"| {data.name} | {l} | {line} |", flush=True)


if __name__ == "__main__":
    main()
