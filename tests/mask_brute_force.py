"""The cheapest mask by trying every one: the oracle of all methods for rules."""

import time
from collections import Counter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.by_row.mask import Mask
from starmin.verify.certificates.rules.family import ColumnSet, Family, family_of

MAX_CELLS = 18

Shown: TypeAlias = Bools  # rows x columns x masks
Row = dict[str, str | None]


def mask_brute_force(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> Result[Mask]:
    """Solve a tiny table by trying every mask of at most 18 cells.

    All masks are laid side by side; each rule strikes out those that violate it,
    counted from the cells as text. Nothing else is used: no row types, no bound.

    Parameters
    ----------
    table
        Rows times quasi-identifiers are at most 18.
    requirement
        Rules over combinations, k-anonymity, or several of them.
    objective
        Stars or tuples, with weights and kept columns.

    Examples
    --------
    >>> from starmin.instances.requirements.rules.office_rules import Combinations
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["0", "y"]], qi=["a", "b"])
    >>> mask_brute_force(table, Combinations(2, 2)).value
    2
    """
    started = time.perf_counter()
    if table.n * table.d > MAX_CELLS:
        raise NotSupportedError(f"Expected at most {MAX_CELLS} cells.")
    objective.check(table)
    family = family_of(requirement, table.qi)
    rows: list[Row] = [dict(zip(table.names, r, strict=True)) for r in table.rows()]
    starred = _all_masks(table, family, objective)
    fine = np.ones(starred.shape[2], bool)
    absent = np.array([[r[c] in family.hidden for c in table.qi] for r in rows], bool)
    shown = ~starred & ~absent[:, :, np.newaxis]
    for asked in family.sets:
        fine &= _holds(asked, rows, list(table.qi), shown)
    seconds = time.perf_counter() - started
    if not fine.any():
        return Result[Mask](None, None, None, seconds, reason="no mask satisfies it")
    costs = _costs(starred, table, objective)
    best = int(np.flatnonzero(fine)[np.argmin(costs[fine])])
    value = int(costs[best])
    mask = Mask(np.ascontiguousarray(starred[:, :, best]))
    return Result(mask, value, value, seconds, bound_method="mask_brute_force")


def _all_masks(table: Table, family: Family, objective: Objective) -> Shown:
    """Return all masks that star linked columns together, and none to be kept."""
    n, d = table.n, table.d
    numbers = np.arange(1 << (n * d))
    starred = np.array([numbers >> cell & 1 for cell in range(n * d)], bool)
    starred = starred.reshape(n, d, -1)
    fine = ~starred[:, [c in objective.keep for c in table.qi]].any(axis=(0, 1))
    for linked in family.joined:
        at = [table.qi.index(column) for column in linked]
        cells = zip(*(table.cells(column) for column in linked), strict=True)
        absent = np.array([[text in family.hidden for text in row] for row in cells])
        among = starred[:, at]
        some, every = among.any(axis=1), among | absent[:, :, np.newaxis]
        fine &= (every.all(axis=1) | ~some).all(axis=0)
        if {*linked} & {*objective.keep}:
            fine &= ~some.any(axis=0)
    return starred[:, :, fine]


def _costs(
    starred: Shown, table: Table, objective: Objective
) -> npt.NDArray[np.integer]:
    if objective.once:
        return np.asarray(starred.any(axis=1).sum(axis=0))
    weights = [objective.weights.get(column, 1) for column in table.qi]
    return np.asarray(np.tensordot(weights, starred.sum(axis=0), 1))


def _holds(asked: ColumnSet, rows: list[Row], qi: list[str], shown: Shown) -> Bools:
    """Find the masks in which every row satisfies what is asked of some columns."""
    at = [qi.index(column) for column in asked.columns]
    keys = [tuple(row[c] for c in (*asked.strata, *asked.columns)) for row in rows]
    showing: Bools = np.all(shown[:, at], axis=1)
    fine = np.ones(shown.shape[2], bool)
    if asked.semantics == "source":
        counts = Counter(keys)
        if asked.population is not None:
            counts = _people(asked)
        for r, key in enumerate(keys):
            if counts[key] < asked.k:
                fine &= ~showing[r]
        return fine
    for r, key in enumerate(keys):
        if asked.semantics == "shown":
            alike = showing[[other == key for other in keys]].sum(axis=0)
            fine &= ~showing[r] | (alike >= asked.k)
            continue
        alike = np.zeros(shown.shape[2], np.int64)
        for other in range(len(rows)):
            if any(rows[other][s] != rows[r][s] for s in asked.strata):
                continue
            same = np.ones(shown.shape[2], bool)
            for column, j in zip(asked.columns, at, strict=True):
                equal = rows[other][column] == rows[r][column]
                same &= (shown[other, j] == shown[r, j]) & (equal | ~shown[r, j])
            alike += same
        fine &= alike >= asked.k
    return fine


def _people(asked: ColumnSet) -> Counter[tuple[str | None, ...]]:
    people: Counter[tuple[str | None, ...]] = Counter()
    assert asked.population is not None
    table = asked.population
    weights = [1] * len(table.codes[0]) if table.counts is None else table.counts
    cells = [table.cells(column) for column in asked.columns]
    for key, weight in zip(zip(*cells, strict=True), weights, strict=True):
        people[key] += int(weight)
    return people
