"""Releases that anyone made, recounted, as rows beside those of our methods."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from starmin.gaps.job import Job
from starmin.gaps.run_job import Row
from starmin.inputs.roles import Roles
from starmin.inputs.spec import Input
from starmin.inputs.tables.loading import load_release, load_table
from starmin.instances import Objective, Table, TableError
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.verify.cells.cells import Cells, PlainCells, lost_cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.release_check import ReleaseCheck, check_release

RELEASE = "release"
FAILS = "fails"  # a release that does not satisfy what is asked, or does not tell truth


def release_rows(paths: list[Path], job: Job) -> list[Row]:
    """Return a row for each release of a problem, recounted by the checker.

    ``job`` is any run on the problem. The order of the rows of a release may be another
    one. A release that fails the requirement, or does not tell the truth, has no value;
    its row says why. Raises TableError where a file is no release of the table.
    """
    spec, loss = job.spec, vars(job.spec.costs)["loss"]
    if spec.recoding == NONHOMOGENEOUS:
        raise TableError("--releases: expected releases by groups")
    if spec.goal.once or (loss or "ncp") not in ("ncp", "granularity"):
        raise TableError(
            "--releases: are recounted for stars, and for gcp by the losses ncp and "
            "granularity"
        )
    read = spec.input()
    table = load_table(spec.table, read.named)
    roles = replace(read.named, qi=table.qi, sensitive=table.sensitive or None)
    return [_row(path, job, read, roles) for path in paths]


def _row(path: Path, job: Job, read: Input, roles: Roles) -> Row:
    """Return the row of one release."""
    coding, asked = read.coding, read.asked
    released, original = load_release(str(path), job.spec.table, roles, asked.columns)
    assert original is not None
    plain = dict.fromkeys(released.qi, PlainCells(coding.star))
    cells = plain | (read_cells(released, coding, original) if coding.told else {})
    requirement = asked.on(released)
    check = check_release(released, requirement, original, coding.star, cells)
    row = job.row() | {
        "key": f"{job.problem} {path}",
        "method": path.name,
        "kind": RELEASE,
        "seed": None,
        "time_limit": None,
        "n": released.n,
        "d": released.d,
        "stars": check.stars,
        "groups": check.groups,
        "gcp": check.gcp,
    }
    why = _fault(check)
    if why is not None:
        return row | {"outcome": FAILS, "why": why}
    note = {"why": "its rows are in another order"} if check.reordered else {}
    others = vars(job.spec.costs)["loss"] == "granularity"
    value = _value(released, job.spec.goal, cells, others)
    return row | {"outcome": "ok", "value": value} | note


def _fault(check: ReleaseCheck) -> str | None:
    """Return why a release does not count, or None."""
    if check.violations:
        first = check.violations[0]
        return (
            f"{check.violations_total} of {check.groups} classes fail; class "
            f"{first.group}: {first.why}"
        )
    if check.inconsistencies and not check.reordered:
        return f"it differs from the table: {check.inconsistencies[0].why}"
    return None


def _value(
    released: Table, objective: Objective, cells: Mapping[str, Cells], others: bool
) -> float | int:
    """Return its value as that of a result is shown: stars, or a share of 1."""
    lost, whole = Fraction(0), 0
    for column in released.qi:
        weight = objective.weights.get(column, 1)
        alone = released.with_roles([column], released.sensitive)
        lost += weight * lost_cells(alone, cells, others)
        whole += weight * released.n
    return int(lost) if objective.by_star else float(lost / (whole or 1))
