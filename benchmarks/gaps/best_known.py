"""Raise the best known values and bounds of the problems on named tables.

    python benchmarks/gaps/best_known.py [--seconds 60] [--only WORD] [--page FILE]

Each problem is solved for so many seconds from the best release that is kept; a better
value or bound replaces what is known, and its certificate is kept beside it. ``--page``
writes docs/best_known.md from what is known, and solves nothing.
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import starmin
from starmin.instances import write_atomically
from starmin.instances.catalogue.known import (
    KNOWN,
    BestKnown,
    Counted,
    all_known,
    packed_groups,
    problem_name,
)
from starmin.outputs.best_known_page import page

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
    asked = parser.parse_args()
    if asked.page is not None:
        asked.page.write_text(page())
        return
    for instance, k, l, kind in _problems():
        name = problem_name(instance, k, l, kind)
        if asked.only in name:
            print(name, _raise(instance, k, l, kind, asked.seconds), flush=True)


def _problems() -> Iterator[tuple[str, int, int, Counted]]:
    yield from PROBLEMS
    for known in all_known().values():
        if (known.instance, known.k, known.l, known.kind) not in PROBLEMS:
            yield known.instance, known.k, known.l, known.kind


def _raise(instance: str, k: int, l: int, kind: Counted, seconds: float) -> str:
    """Solve a problem, and keep what is better; a word on it."""
    before = all_known().get(problem_name(instance, k, l, kind))
    if before is not None and before.optimal and before.certificate is not None:
        return f"{before.value:,} is proven"
    table = starmin.load_instance(instance)
    start = None if before is None else before.partition
    found = starmin.solve(
        table,
        k=None if k == 1 else k,
        l=None if l == 1 else l,
        objective=kind,
        time_limit=seconds,
        initial=start,
    )
    record = _record(before, found, table.n)
    if record is not None:
        _keep(instance, {"k": k, "l": l}, kind, record, found.certificate)
    return f"{found.value:,} / {found.certified_bound or 0:,}"


def _record(
    before: BestKnown | None, found: starmin.Solution, rows: int
) -> dict[str, Any] | None:
    """Return what is to be kept; None where nothing is better."""
    assert found.value is not None and found.best is not None
    bound = found.certified_bound or 0
    better = before is None or found.value < before.value
    higher = before is None or (bound, before.certificate is None) > (
        before.bound,
        False,
    )
    if not better and not higher:
        return None
    groups = None if rows > _ROWS else packed_groups(found.best.groups)
    if better or before is None:
        record = {"value": found.value, "found_by": "auto", "groups": groups}
    else:
        kept = before.partition
        record = {
            "value": before.value,
            "found_by": before.found_by,
            "groups": None if kept is None else packed_groups(kept.groups),
        }
    record |= {"bound": bound, "bound_by": found.bound_method, "how": "certificate"}
    if before is not None and not higher:
        record |= {
            "bound": before.bound,
            "bound_by": before.bound_by,
            "how": before.how,
        }
        record["certificate"] = before.proof
    return record


def _keep(
    instance: str,
    asked: dict[str, int],
    kind: str,
    record: dict[str, Any],
    certificate: starmin.Certificate | None,
) -> None:
    """Write the record into the file of its table, and the certificate beside it."""
    slug = re.sub(r"[^a-z0-9]+", "-", instance)
    name = problem_name(instance, asked["k"], asked["l"], kind)
    if "certificate" not in record:
        assert certificate is not None
        proof = re.sub(r"[^a-z0-9]+", "-", name) + ".certificate.json.gz"
        certificate.write(KNOWN / proof)
        record["certificate"] = proof
    path = KNOWN / f"{slug}.json"
    requirement = {letter: n for letter, n in asked.items() if n > 1}
    records = json.loads(path.read_text())["records"] if path.exists() else []
    same = (requirement, kind)
    records = [r for r in records if (r["requirement"], r["objective"]) != same]
    keys = ("value", "found_by", "bound", "bound_by", "how", "groups", "certificate")
    told = {key: record[key] for key in keys}
    records.append({"requirement": requirement, "objective": kind} | told)
    lines = ",\n".join(f"  {json.dumps(each)}" for each in records)
    text = f'{{\n "instance": {json.dumps(instance)},\n "records": [\n{lines}\n ]\n}}\n'
    with write_atomically(path) as file:
        file.write(text.encode())
    all_known.cache_clear()


if __name__ == "__main__":
    main()
