"""What defences cost, and what an audit finds before and after.

    python benchmarks/papers/attacks/audit_defences.py DATA --out FOLDER [--seconds 60]
        [--audit 60] [--rows N] [--only WORD] [--asked k|l|within] [--at N]
        [--defence NAME ..] [--write docs/data]

DATA has ``adult.csv`` and ``census_kdd_9.csv.gz``. Each problem is solved once for so
many seconds; what was found is kept in FOLDER, and taken from there when asked again,
so that lines can be made one by one. The defences are applied to the release that was
found, and each inference looks at it for so many seconds at most. ``--write`` keeps the
lines in ``defences_k.csv`` and ``defences_l.csv``, beside those that are there.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from kept import merge_rows

import starmin
from starmin.defences.defences import Defences
from starmin.instances import KAnonymity, LDiversity, Partition, Problem, Result
from starmin.verify.audit.classes import (
    Classes,
    classes_of,
    type_rule,
    types_in_classes,
)
from starmin.verify.audit.hidden_cells import closure
from starmin.verify.audit.minimality_attack import minimality
from starmin.verify.cells.cells import PlainCells

SHARES = 0.25, 0.5, 1.0


@dataclass(frozen=True)
class Data:
    """A table, with the quasi-identifiers for k, and those and the other one for l."""

    title: str
    name: str
    file: str
    qi: str
    diverse: str
    sensitive: str


SEVEN = "sex,age,race,marital-status,education,native-country,workclass"
EIGHT = "age,sex,marital_status,race,class_of_worker,birth_self,occupation_code"
TABLES = (
    Data("Adult", "adult", "adult.csv", f"{SEVEN},occupation", SEVEN, "occupation"),
    Data(
        "Census",
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


def solved(
    data: Data, table: starmin.Table, asked: argparse.Namespace, k: int = 1, l: int = 1
) -> starmin.Solution:
    """Return a release, searched for once, with its bound."""
    name = f"{data.name}_{f'l{l}' if l > 1 else f'k{k}'}_{table.n}.npz"
    path = asked.out / name
    problem = Problem(table, LDiversity(l) if l > 1 else KAnonymity(k))
    if not path.exists():
        now = starmin.solve(
            table, requirement=problem.requirement, time_limit=asked.seconds
        )
        assert isinstance(now.best, Partition)
        bound = now.units.lower_bound or 0
        np.savez_compressed(path, groups=now.best.groups, bound=bound)
    with np.load(path) as kept:
        best, bound = Partition(kept["groups"]), int(kept["bound"])
    value = best.value(table, problem.objective)
    return starmin.Solution(Result(best, value, bound, 0.0), problem)


def classes(found: starmin.Solution) -> Classes:
    """Return the classes of a release, the truth beside them."""
    table = found.problem.table
    plain = dict.fromkeys(table.qi, PlainCells())
    (these,) = classes_of([found.published], plain, table, [table])
    return these


def priced(value: int, before: int) -> str:
    """Return the stars of a release, and their price."""
    return f"{value:,} ({value / before - 1:+.1%})".replace("%", " %")


def of_k(some: list[Data], asked: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Yield lines of k-anonymity, before and after padding."""
    for data in some:
        table = read(asked.data, data, asked.rows, diverse=False)
        for k in wanted(asked, (2, 3, 5)):
            found = solved(data, table, asked, k)
            padded = Defences(pad=True).defend(found.problem, found.units)
            after = starmin.Solution(padded, found.problem)
            told = [closure(classes(each)) for each in (found, after)]
            shares = [each.pinned / max(1, each.hidden) for each in told]
            assert found.value is not None
            assert after.value is not None
            assert not any(each.false for each in told)
            assert told[1].whole == 0
            yield {
                "table": title(data, table, asked),
                "k": str(k),
                "stars": f"{found.value:,}",
                "with `--pad`": priced(after.value, found.value),
                "bound": f"{found.lower_bound or 0:,}",
                "rows known in full": f"{told[0].whole:,}",
                "pinned before, after": ", ".join(f"{100 * s:.2f} %" for s in shares),
            }


def of_l(some: list[Data], asked: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Yield lines of l-diversity: with each defence, and with a margin of 1."""
    every = {"none": Defences(), "pad": Defences(pad=True)}
    for data in some:
        table = read(asked.data, data, asked.rows, diverse=True)
        for l in wanted(asked, (2, 3)):
            found, wider = (solved(data, table, asked, l=each) for each in (l, l + 1))
            of_decoys = {f"decoys {q}": Defences(decoys=q, promised=l) for q in SHARES}
            for name in asked.defence or (*every, *of_decoys, "margin 1"):
                if name == "margin 1":
                    after = wider
                else:
                    defended = (every | of_decoys)[name].defend(
                        found.problem, found.units
                    )
                    after = starmin.Solution(defended, found.problem)
                assert found.value is not None
                assert after.value is not None
                price = priced(after.value, found.value)
                yield {
                    "table": title(data, table, asked),
                    "l": str(l),
                    "defence": name,
                    "stars": f"{found.value:,}" if name == "none" else price,
                    "bound": f"{after.lower_bound or 0:,}",
                } | audited(after, l, asked.audit)


def audited(found: starmin.Solution, l: int, seconds: float) -> dict[str, str]:
    """Return what is inferred of a release for a promise of l, by column."""
    check = starmin.verify(found.published, l=l, original=found.problem.table)
    assert check.holds
    assert check.consistent
    these = classes(found)
    known = types_in_classes(these, found.problem.table.sensitive[0])
    assert known is not None
    rule, told = type_rule(known, l), minimality(known, 1, l, seconds)
    counts = {
        "known in full": closure(these).whole,
        "certain": told.certain,
        "above 1/l": told.above,
        "misled": told.more["misled"],
        "contradictions": told.contradictions,
    }
    right, base = (100 * (rule.more[word] or 0) for word in ("right", "base"))
    return {column: f"{number:,}" for column, number in counts.items()} | {
        "looked at": f"{100 * (told.more['looked_at'] or 0) / these.number:.0f} %",
        "type rule right": (
            f"{right:.1f} % of {rule.more['types']:,}, base {base:.1f} %"
        ),
    }


def title(data: Data, table: starmin.Table, asked: argparse.Namespace) -> str:
    """Return what a line calls a table, with its rows if these are not all."""
    return data.title if asked.rows is None else f"{data.title}, {table.n:,} rows"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--out", type=Path, required=True, help="for releases")
    parser.add_argument("--seconds", type=float, default=60, help="of each search")
    parser.add_argument("--audit", type=float, default=60, help="seconds of minimality")
    parser.add_argument("--rows", type=int, help="of each table; default: all")
    parser.add_argument("--only", default="", help="a word in the name of the table")
    parser.add_argument("--asked", choices=["k", "l", "within"], help="default: all")
    parser.add_argument("--defence", nargs="*", help="for l; default: all")
    parser.add_argument("--at", type=int, help="one k or l; default: all")
    parser.add_argument("--write", type=Path, help="the folder that keeps the lines")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    some = [data for data in TABLES if asked.only in data.name]
    keys = {"k": ("table", "k"), "l": ("table", "l", "defence")}
    for name, lines in (("k", of_k), ("l", of_l)):
        if asked.asked in (None, name):
            path = asked.write and asked.write / f"defences_{name}.csv"
            for row in lines(some, asked):
                told = [f"{column} {text}" for column, text in row.items()]
                print("; ".join(told), flush=True)
                merge_rows(path, [row], keys[name])
    if asked.asked in (None, "within"):
        of_within(some, asked)


def wanted(asked: argparse.Namespace, every: tuple[int, ...]) -> list[int]:
    """Return which of several numbers are asked for."""
    return [each for each in every if asked.at in (None, each)]


def of_within(some: list[Data], asked: argparse.Namespace) -> None:
    """Print the lines of releases for k = 5 that are nested within others."""
    print("| table | k | within k | its stars | stars | bound | gap | s | without it |")
    for data in some:
        table = read(asked.data, data, asked.rows, diverse=False)
        alone = solved(data, table, asked, 5)
        for k in wanted(asked, (3, 2)):
            earlier = solved(data, table, asked, k)
            start = process_time()
            found = starmin.solve(
                table, 5, within=earlier.published, time_limit=asked.seconds
            )
            used = process_time() - start
            assert found.gap is not None
            print(
                f"| {data.name} | 5 | {k} | {earlier.value:,} | {found.value:,} | "
                f"{found.lower_bound:,} | {found.gap:.2%} | {used:.0f} | "
                f"{alone.value:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
