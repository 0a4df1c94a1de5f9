"""starmin submit: a release against the best that is known of a problem."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from starmin.gaps.job import Job
from starmin.gaps.sweep import FAILS, release_rows
from starmin.inputs import options
from starmin.inputs.spec import Spec
from starmin.instances.catalogue.known import BestKnown, find_known
from starmin.process.faults import NO
from starmin.process.say import answer, show_lines

EXAMPLES = ("starmin submit release.csv --problem census:n=300,seed=1.k5.stars",)

ReleaseFile = Annotated[
    Path,
    typer.Argument(
        metavar="RELEASE",
        help="A release of the problem's table, whoever made it: .csv, .csv.gz or "
        ".parquet.",
        show_default=False,
    ),
]
Problem = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="As `starmin instances best` lists it.", show_default=False
    ),
]


def submit(
    release: ReleaseFile,
    *,
    problem: Problem,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Verify a release, and say whether it beats the best known value of a problem.

    The release is read cell by cell: it must satisfy the requirement and agree with the
    table, and its cost is recounted. The exit code is 1 where it does not count. One
    that is better belongs in the library: send it to the project with the name of the
    method; a bound is checked by `starmin check` and its certificate.
    """
    known = find_known(problem)
    asked = {"k": known.k, "l": known.l}
    words: dict[str, Any] = {name: n for name, n in asked.items() if n > 1}
    spec = Spec.of(f"instance:{known.instance}", words | {"objective": known.kind})
    (row,) = release_rows([release], Job(spec, "auto"))
    valid = row["outcome"] != FAILS
    told = {
        "problem": known.name,
        "release": str(release),
        "valid": valid,
        "why": row.get("why"),
        "value": row.get("value"),
        "best_known": known.value,
        "lower_bound": known.bound,
        "better": valid and row["value"] < known.value,
    }
    if as_json:
        answer(json.dumps(told))
    else:
        show_lines(
            [
                ("problem", f"{known.name}: {known.value:,} by {known.found_by}"),
                ("bound", f"{known.bound:,} by {known.bound_by}"),
                ("release", _said(row, known)),
            ]
        )
    return 0 if valid else NO


def _said(row: dict[str, Any], known: BestKnown) -> str:
    """Say how a release compares with the best one."""
    if row["outcome"] == FAILS:
        return f"does not count: {row['why']}"
    value: int = row["value"]
    counted = f"{value:,} {known.kind}"
    if value < known.value:
        return f"{counted}: better than the best known by {known.value - value:,}"
    if value == known.value:
        proven = ", which is optimal" if known.optimal else ""
        return f"{counted}: as good as the best known{proven}"
    return f"{counted}: {value - known.value:,} more than the best known"
