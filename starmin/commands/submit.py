"""starmin submit: a release against the best that is known of a problem."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple

from starmin.commands.instances import told_value
from starmin.gaps.job import Job, spec_of
from starmin.gaps.sweep import FAILS, release_rows
from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.instances import TableError
from starmin.instances.catalogue.known import BestKnown, all_known, find_known
from starmin.outputs.recodings import CHECKS, Claim
from starmin.process.faults import NO
from starmin.process.say import answer_in

EXAMPLES = ("starmin submit release.csv --problem census:n=300,seed=1.k5.stars",)


def submit(
    release: Annotated[
        Path,
        argument(
            "RELEASE",
            "A release of the problem's table, whoever made it: a file "
            f"{options.READABLE}.",
        ),
    ],
    *,
    problem: Annotated[str, option("NAME", "As `starmin instances best` lists it.")],
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Verify a release, and say whether it beats the best known value of a problem.

    The release is read cell by cell: it must satisfy the requirement and agree with the
    table, and its cost is recounted. The exit code is 1 where it does not count; where
    it is a release of another problem of the list, that is said. One that is better
    belongs in the list: the last line names the file and the test that checks it.
    """
    known = find_known(problem)
    other: BestKnown | None = None
    try:
        found = _recounted(release, known)
    except TableError:
        if (other := _other(release, known)) is None:
            raise
        found = Found(None, "its columns or rows are those of another table")
    if found.value is None and other is None:
        other = _other(release, known)
    better = found.value is not None and found.value < known.value
    told = {
        "problem": known.name,
        "cite": known.cited,
        "release": str(release),
        "valid": found.value is not None,
        "why": found.why,
        "other_problem": None if other is None else other.name,
        "value": found.value,
        "best_known": known.value,
        "lower_bound": known.bound,
        "better": better,
    }
    best, bound = (told_value(known, each) for each in (known.value, known.bound))
    lines = [
        ("problem", f"{known.name}: {best} by {known.found_by}"),
        ("bound", f"{bound} by {known.bound_by}"),
        ("release", _said(found, known)),
    ]
    if other is not None:
        lines.append(("but", f"it is a release of another problem: {other.name}"))
    if better:
        lines.append(("next", _NEXT.format(release, known.name)))
    answer_in(as_json, told, lines)
    return NO if found.value is None else 0


_NEXT = (
    "python benchmarks/gaps/best_known.py --add {} --problem {} writes it into "
    "instances/best_known/best_known.json, which "
    "tests/instances/tables/test_best_known.py checks; propose both to the project"
)


class Found(NamedTuple):
    """What a release costs; None, and why, where it does not count."""

    value: float | None
    why: str | None


def _recounted(release: Path, known: BestKnown) -> Found:
    """Recount a release of a problem, cell by cell.

    Raises TableError where it has other columns, or cannot be read.
    """
    spec = spec_of(known)
    if known.group not in ("rules", "non-homogeneous"):
        (row,) = release_rows([release], Job(spec, "auto"))
        fails = row["outcome"] == FAILS
        return Found(None if fails else row["value"], row.get("why"))
    read = spec.input()
    claim = Claim(str(release), spec.table, read.named, read.asked, read.coding, None)
    check = CHECKS[spec.recoding](claim).check
    if not check.consistent:
        return Found(None, "it differs from the table")
    if check.holds:
        return Found(check.stars, None)
    return Found(None, "a group or a combination is too small")


def _other(release: Path, known: BestKnown) -> BestKnown | None:
    """Return another problem of the list that a release is one of, the strictest."""
    found = list[BestKnown]()
    for each in all_known().values():
        if each.name != known.name and each.kept:
            with suppress(TableError):
                value = _recounted(release, each).value
                found += [] if value is None else [each]
    return max(found, key=lambda each: (each.k, each.l, each.value), default=None)


def _said(found: Found, known: BestKnown) -> str:
    """Say how a release compares with the best one."""
    if found.value is None:
        return f"does not count: {found.why}"
    value = found.value
    lost = "of the information lost" if known.kind == "gcp" else known.kind
    counted = f"{told_value(known, value)} {lost}"
    if value < known.value:
        less = told_value(known, known.value - value)
        return f"{counted}: better than the best known by {less}"
    if value == known.value:
        proven = ", which is optimal" if known.optimal else ""
        return f"{counted}: as good as the best known{proven}"
    return (
        f"{counted}: {told_value(known, value - known.value)} more than the best known"
    )
