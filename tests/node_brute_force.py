"""The cheapest nodes of all cells by trying every choice: the oracle for taxonomies."""

import math
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError, Objective, Requirement, Result, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.verify.certificates.rules.family import ColumnSet, family_of

MAX_CHOICES = 2**18

Values = frozenset[str | None]


class _Option(NamedTuple):
    """What a cell may be published as: the values that it stands for."""

    values: Values
    hidden: bool
    cost: int


def node_brute_force(
    table: Table, requirement: Requirement, objective: Objective
) -> Result:
    """Find the least loss of a tiny table by trying all nodes of all cells.

    Cells are sets of values, written out; which rows fit what another one shows is
    asked for each pair of rows and each column. No levels are used, no row types, no
    bound.

    Parameters
    ----------
    table
        At most 262,144 releases.
    requirement
        Rules over combinations without a population, k-anonymity, or several of them.
    objective
        ``gcp``, of values and taxonomies.

    Returns
    -------
    Result
        Without a release.

    Examples
    --------
    >>> from starmin.instances import Combinations, Scales, Taxonomy
    >>> table = Table.from_rows(["a"], [["cat"], ["dog"], ["rat"]], qi=["a"])
    >>> trees = {"a": Taxonomy.parse("{pet{cat,dog},rat}")}
    >>> loss = Objective("gcp", scales=Scales.of(table, (), trees))
    >>> node_brute_force(table, Combinations(1, 2), loss).value
    7
    """
    started = time.perf_counter()
    objective.check(table)
    family = family_of(requirement, table.qi)
    options = [_options(table, objective, j) for j in range(table.d)]
    sizes = [len(own) for row in zip(*options, strict=True) for own in row]
    if math.prod(sizes) > MAX_CHOICES:
        raise NotSupportedError(f"Expected at most {MAX_CHOICES:,} releases.")
    chosen = np.indices(sizes).reshape(table.n, table.d, -1)
    fine = np.ones(chosen.shape[2], bool)
    for linked in family.linked:
        hides = _hidden(options, chosen)[:, [table.qi.index(c) for c in linked]]
        fine &= (hides.all(axis=1) == hides.any(axis=1)).all(axis=0)
    rows: list[dict[str, str | None]] = [
        dict(zip(table.names, row, strict=True)) for row in table.rows()
    ]
    for asked in family.sets:
        at = [table.qi.index(column) for column in asked.columns]
        fine &= _holds(asked, at, rows, options, chosen, family.hidden)
    seconds = time.perf_counter() - started
    if not fine.any():
        return Result(None, None, None, seconds, reason="no release satisfies it")
    value = int(_costs(options, chosen)[fine].min())
    return Result(None, value, value, seconds, bound_method="node_brute_force")


def _options(table: Table, objective: Objective, j: int) -> list[list[_Option]]:
    """Return for each row what its cell in a column may be published as."""
    column, unit = table.qi[j], objective.units(table)[j]
    scale = objective.scales_of(table).scales[j]
    values = frozenset(table.dictionary(column))
    paths = dict[str | None, list[tuple[Values, int]]]()
    if isinstance(scale, TaxonomyScale):
        tree = scale.taxonomy
        below: dict[str, set[str | None]] = {}
        for path in tree.paths:
            for node in path:
                below.setdefault(node, set()).add(path[0])
        lost = dict(zip(tree.labels, scale.losses.tolist(), strict=True))
        values = frozenset(path[0] for path in tree.paths)
        for path in tree.paths:
            paths[path[0]] = [(frozenset(below[node]), lost[node]) for node in path]
    for value in values:
        paths.setdefault(value, [(frozenset({value}), 0), (values, 1)])
    found = []
    for value in table.cells(column):
        first = paths[value][0]
        own = [_Option(first[0], False, unit * first[1])]
        if column not in objective.keep:
            own += [
                _Option(below_, False, unit * loss)
                for below_, loss in paths[value][1:-1]
                if below_ != values
            ]
            own.append(_Option(values, True, unit * paths[value][-1][1]))
        found.append(own)
    return found


def _hidden(options: Sequence[list[list[_Option]]], chosen: Ints) -> Bools:
    found = np.zeros(chosen.shape, bool)
    for j, column in enumerate(options):
        for r, own in enumerate(column):
            found[r, j] = np.array([option.hidden for option in own])[chosen[r, j]]
    return found


def _costs(options: Sequence[list[list[_Option]]], chosen: Ints) -> Ints:
    total = np.zeros(chosen.shape[2], np.int64)
    for j, column in enumerate(options):
        for r, own in enumerate(column):
            total += np.array([option.cost for option in own])[chosen[r, j]]
    return total


def _holds(
    asked: ColumnSet,
    at: list[int],
    rows: list[dict[str, str | None]],
    options: Sequence[list[list[_Option]]],
    chosen: Ints,
    absent: frozenset[str | None],
) -> Bools:
    """Find the releases in which every row satisfies what is asked of some columns."""
    assert asked.population is None
    missing = [any(row[c] in absent for c in asked.columns) for row in rows]
    hides, fine = _hidden(options, chosen)[:, at], np.ones(chosen.shape[2], bool)
    for r, row in enumerate(rows):
        alike = np.zeros(chosen.shape[2], np.int64)
        for other, another in enumerate(rows):
            if any(another[s] != row[s] for s in asked.strata):
                continue
            if missing[other] and asked.semantics != "classes":
                continue
            fits = np.ones(chosen.shape[2], bool)
            for j in at:
                table = _fitting(options[j][r], options[j][other], asked.semantics)
                fits &= table[chosen[r, j], chosen[other, j]]
            alike += fits
        if asked.semantics == "classes":
            fine &= alike >= asked.k
        elif not missing[r]:
            fine &= hides[r].any(axis=0) | (alike >= asked.k)
    return fine


def _fitting(own: list[_Option], others: list[_Option], semantics: str) -> Bools:
    """Return whether another cell, by its option, counts for this one, by its own."""
    if semantics == "classes":
        return np.array([[a[:2] == b[:2] for b in others] for a in own], bool)
    if semantics == "source":  # whatever the other row shows, its value counts
        others = [others[0]] * len(others)
    return np.array([[b.values <= a.values for b in others] for a in own], bool)
