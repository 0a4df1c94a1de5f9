"""Raise the best known values and bounds of the problems on named tables.

    python benchmarks/gaps/best_known.py [--seconds 60] [--only WORD] [--page FILE]
    python benchmarks/gaps/best_known.py --add RELEASE --problem NAME

Each problem is solved for so many seconds from the best release that is kept; a better
value or bound replaces what is known, and its certificate is kept beside it. ``--add``
takes a release that `starmin submit` finds better, by groups of stars. ``--page``
writes docs/reference/best_known.md from what is known, and solves nothing.
"""

import argparse
import base64
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import starmin
from starmin.commands.instances import page
from starmin.instances.arrays import IntArray
from starmin.instances.catalogue.known import (
    FILE,
    KNOWN,
    BestKnown,
    Counted,
    all_known,
    find_known,
    forget,
    problem_name,
)
from starmin.instances.runs.certificate import fingerprint
from starmin.process.steps import write_file

# A table, the requirement as k and l (1: not asked), what is counted.
PROBLEMS: tuple[tuple[str, int, int, Counted], ...] = (
    *(("uniform:n=100,d=4,alphabet=4,seed=1", k, 1, "stars") for k in (2, 3, 5)),
    *(("clustered:n=200,seed=1", k, 1, "stars") for k in (2, 3, 5)),
    *(("census:n=300,seed=1", k, 1, "stars") for k in (2, 3, 5, 10)),
    *(("census:n=300,seed=1", 1, l, "stars") for l in (2, 4)),
    ("census:n=300,seed=1", 3, 2, "stars"),
    ("census:n=300,seed=1", 3, 1, "tuples"),
    *(("census:n=2000,seed=1", k, 1, "stars") for k in (2, 5)),
    ("census:n=2000,seed=1", 1, 3, "stars"),
    *(("survey:n=500,d=8,seed=1", k, 1, "stars") for k in (3, 5)),
    ("vertex-cover", 3, 1, "stars"),
    ("vertex-cover-random:n=20,seed=1", 3, 1, "stars"),
    ("matching", 1, 3, "stars"),
    ("edge-partition", 3, 1, "stars"),
)
_ROWS = 60_000  # of a release that is kept


def main() -> None:
    """Solve the problems, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="for each problem")
    parser.add_argument("--only", default="", help="problems with this in their names")
    parser.add_argument("--page", type=Path, help="write the page, solve nothing")
    parser.add_argument("--add", type=Path, help="a better release of --problem")
    parser.add_argument("--problem", default="", help="the problem of --add")
    asked = parser.parse_args()
    if asked.page is not None:
        asked.page.write_text(page())
        return
    if asked.add is not None:
        _add(asked.add, find_known(asked.problem))
        return
    for instance, k, l, kind in _problems():
        name = problem_name(instance, k, l, kind)
        if asked.only in name:
            print(name, _raise(instance, k, l, kind, asked.seconds), flush=True)


def _add(path: Path, known: BestKnown) -> None:
    """Keep a release of a problem of groups and stars, if it is better and valid."""
    if known.options:
        raise SystemExit("only releases by groups are added so; send the file")
    table = starmin.load_instance(known.instance)
    names = [*table.names]
    released = starmin.read_table(path, qi=table.qi, sensitive=table.sensitive)
    if released.n != table.n or list(released.names) != names:
        raise SystemExit(f"{path}: its rows or columns are not those of {known.name}")
    rows = [released.rows()[r] for r in range(released.n)]
    places = [names.index(column) for column in table.qi]
    order: dict[tuple[object, ...], int] = {}
    labels = [order.setdefault(tuple(r[p] for p in places), len(order)) for r in rows]
    groups = starmin.Partition.from_labels(np.array(labels))
    why = groups.violation(table, known.requirement, known.objective)
    if why is not None:
        raise SystemExit(f"{path}: {why}")
    value = groups.value(table, known.objective)
    if value >= known.value:
        raise SystemExit(f"{path}: {value:,} is no better than {known.value:,}")
    _keep(replace(known, value=value, found_by=path.name, partition=groups))
    print(f"{known.name}: {value:,}; now run the test of the list")


def _problems() -> Iterator[tuple[str, int, int, Counted]]:
    yield from PROBLEMS
    for known in all_known().values():
        problem = known.instance, known.k, known.l, known.kind
        if problem not in PROBLEMS and not known.options:
            yield problem


def _raise(instance: str, k: int, l: int, kind: Counted, seconds: float) -> str:
    """Solve a problem, and keep what is better; a word on it."""
    name = problem_name(instance, k, l, kind)
    before = all_known().get(name)
    if before is not None and before.optimal and before.proof is not None:
        return f"{before.value:,} is proven"
    found = starmin.solve(
        starmin.load_instance(instance),
        k=None if k == 1 else k,
        l=None if l == 1 else l,
        objective=kind,
        time_limit=seconds,
        initial=None if before is None else before.partition,
    )
    assert found.value is not None and found.best is not None
    bound, groups = found.certified_bound or 0, found.best
    proof = re.sub(r"[^a-z0-9]+", "-", name) + ".certificate.json.gz"
    new = BestKnown(
        *(instance, k, l, kind),
        value=found.value,
        found_by="auto",
        bound=bound,
        bound_by=found.bound_method or "none",
        how="certificate",
        partition=groups if len(groups.groups) <= _ROWS else None,
        proof=proof,
        table_hash=fingerprint(starmin.load_instance(instance)),
    )
    best = _best_of(before, new)
    if best is not before:
        if best.proof == proof and found.certificate is not None:
            found.certificate.write(KNOWN / proof)
        _keep(best)
    return f"{found.value:,} / {bound:,}"


def _best_of(before: BestKnown | None, new: BestKnown) -> BestKnown:
    """Return the better release with the better bound; what was there, if none is."""
    if before is None:
        return new
    best = before
    if new.value < before.value:
        best = replace(
            best, value=new.value, found_by=new.found_by, partition=new.partition
        )
    unproven = before.proof is None
    if new.bound > before.bound or (unproven and new.bound == before.bound):
        best = replace(
            best, bound=new.bound, bound_by=new.bound_by, how=new.how, proof=new.proof
        )
    return best


def packed_groups(groups: IntArray) -> str:
    """Write groups as text: compressed numbers of four bytes."""
    plain = np.asarray(groups, "<i4").tobytes()
    return base64.b64encode(zlib.compress(plain, 9)).decode()


def _keep(known: BestKnown) -> None:
    """Write what is known of a problem into the file."""
    content = json.loads(FILE.read_text("utf-8"))
    kept = None if known.partition is None else packed_groups(known.partition.groups)
    numbers = {letter: n for letter, n in (("k", known.k), ("l", known.l)) if n > 1}
    record = {
        "instance": known.instance,
        "requirement": numbers,
        "objective": known.kind,
        "value": known.value,
        "found_by": known.found_by,
        "bound": known.bound,
        "bound_by": known.bound_by,
        "how": known.how,
        "groups": kept,
        "certificate": known.proof,
        "table_sha256": known.table_hash,
    }
    same = ("instance", "requirement", "objective")
    records = [
        each
        for each in content["problems"]
        if "options" in each or any(each[name] != record[name] for name in same)
    ]
    records = sorted([*records, record], key=lambda each: str(each["instance"]))
    lines = ",\n".join(f"  {json.dumps(each)}" for each in records)
    name, version = json.dumps(content["name"]), content["version"] + 1
    head = f'{{\n "name": {name},\n "version": {version},\n "problems": [\n'
    text = f"{head}{lines}\n ]\n}}\n"
    write_file(FILE, text.encode())
    forget()


if __name__ == "__main__":
    main()
