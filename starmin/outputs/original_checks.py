"""Check a release by its original: persons by their ids, and what deleted rows cost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from starmin.instances import Coding, Objective, Persons, Requirement, Table, TableError
from starmin.instances.releases.ids import why_not_renamed, with_ids_of, without_ids
from starmin.instances.releases.partial_partition import (
    expect_deletable,
    expect_stars,
    price_of,
)
from starmin.instances.requirements.deleted_rows import ROW, DeletedRows, number
from starmin.instances.requirements.requirement import of_kind, part_of
from starmin.verify.cells.cells import Cells, Inconsistency
from starmin.verify.releases.release_check import ReleaseCheck, check_release


def check_persons(
    released: Table,
    requirement: Requirement,
    original: Table | None,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
) -> ReleaseCheck:
    """Recompute whether a release satisfies what is required of persons, or households.

    Whose row a row is says the original, which has the column of ids, and whose rows
    must stand in the same order; or, where it is None, the release, where it has
    pseudonyms. ``star`` and ``cells`` are as in ``check_release``.

    Raises TableError where the release has ids and should not, or lacks pseudonyms, or
    its order does not say whose rows are whose.
    """
    asked = part_of(requirement, Persons)
    assert asked is not None
    _expect_column(released, asked)
    bare = without_ids(released, asked)
    if original is None:
        return check_release(released, requirement, None, star, cells)
    truth = check_release(bare, None, without_ids(original, asked), star, cells)
    if truth.consistent is False:
        return truth
    if truth.consistent is None and not asked.pseudonym:
        raise TableError(
            f"{released.name}: its rows are in another order than those of the "
            "original, so that it is not known whose they are; verify it before it is "
            "shuffled"
        )
    why = None
    if asked.pseudonym:
        why = why_not_renamed(released, original, asked.column)
    if truth.consistent and why is None:
        both = [with_ids_of(each, original, asked) for each in (released, original)]
        return check_release(both[0], requirement, both[1], star, cells)
    check = check_release(released, requirement, None, star, cells)
    persons = [_one_row_each(each, asked, released.qi) for each in (released, original)]
    fits = check_release(persons[0], None, persons[1], star, cells)
    if fits.consistent or fits.reordered:
        return replace(check, inconsistencies=truth.inconsistencies, reordered=True)
    wrong = Inconsistency(asked.column, (), why or "ids and pseudonyms have other rows")
    return replace(check, inconsistencies=(wrong,))


def _one_row_each(table: Table, asked: Persons, qi: Sequence[str]) -> Table:
    """Return a row for each id: quasi-identifiers, and what else its rows have."""
    others = [c for c in table.names if c not in (*qi, asked.column)]
    rows: dict[str | None, list[tuple[str | None, ...]]] = {}
    first: dict[str | None, list[str | None]] = {}
    columns = [table.cells(column) for column in (asked.column, *qi, *sorted(others))]
    for who, *cells in zip(*columns, strict=True):
        first.setdefault(who, cells[: len(qi)])
        rows.setdefault(who, []).append(tuple(cells[len(qi) :]))
    told = [[*first[who], repr(sorted(map(repr, rows[who])))] for who in rows]
    return Table.from_rows([*qi, asked.column], told, qi)


def _expect_column(released: Table, asked: Persons) -> None:
    """Raise TableError where ids are published, or pseudonyms are not."""
    there = asked.column in released.names
    if there and not asked.pseudonym:
        raise TableError(
            f"{released.name}: it has the column {asked.column!r}: --{asked.unit} does "
            "not publish it; with --pseudonym it is numbered anew"
        )
    if not there and asked.pseudonym:
        raise TableError(
            f"{released.name}: no column {asked.column!r} of pseudonyms; leave "
            "--pseudonym out if it is not published"
        )


def value_of(
    released: Table,
    asked: Requirement | None,
    original: Table | None,
    objective: Objective,
    coding: Coding,
) -> int | float | None:
    """Return what a release costs where rows may be deleted, else None.

    It is by suppression; for gcp the result is a share of 1. Nothing is counted where
    ``original``, the table it was made of, is None. Raises TableError where rows cannot
    be deleted in this problem.

    >>> from starmin.instances import KAnonymity, STARS
    >>> rows = [["0", "x"], ["1", "x"], ["2", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> released = Table.from_rows(["a", "b"], [["*", "x"]] * 2, qi=["a", "b"])
    >>> value_of(released, DeletedRows(KAnonymity(2)), table, STARS, Coding())
    4
    """
    deletable = of_kind(asked, DeletedRows)
    if deletable is None:
        return None
    expect_stars(coding)
    there = released if original is None else original
    objective.check(there)
    expect_deletable(there, deletable, objective)
    if original is None:
        return None
    missing = original.n - released.n
    weights = {c: objective.weights.get(c, 1) for c in released.qi}
    stars = {c: released.text_counts(c).get(coding.star, 0) for c in weights}
    cost = sum(weight * stars[column] for column, weight in weights.items())
    if not objective.by_node:
        return cost + missing * price_of(deletable, original, objective)
    row = sum(weights.values())
    price = row * (1 if deletable.price == ROW else number(deletable.price))
    return float(Fraction(cost + missing * price) / max(1, original.n * row))
