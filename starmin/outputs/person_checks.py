"""Check a release in which persons or households count, by the ids of its original."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from starmin.instances import Persons, Requirement, Table, TableError
from starmin.instances.releases.ids import (
    why_not_renamed,
    with_ids_of,
    without_ids,
)
from starmin.instances.requirements.requirement import part_of
from starmin.verify.cells.cells import Cells, Inconsistency
from starmin.verify.releases.release_check import ReleaseCheck, check_release


def check_persons(
    released: Table,
    requirement: Requirement,
    original: Table | None,
    star: str = "*",
    cells: Mapping[str, Cells] | None = None,
) -> ReleaseCheck:
    """Recompute whether a release satisfies what is required of persons.

    Persons or households count. Whose row a row is says the original, which has the
    column of ids, and whose rows must stand in the same order; or, where it is None,
    the release, where it has pseudonyms. ``star`` is the symbol of a suppressed cell;
    in other columns than QI it is text. ``cells`` says, of a release by generalization,
    what the cells of QI columns stand for; by default a star stands for all values, any
    other for itself.

    Raises TableError where the release has ids and should not, or lacks pseudonyms, or
    nobody can say whose rows are whose.
    """
    asked = part_of(requirement, Persons)
    assert asked is not None
    _expect_column(released, asked)
    bare = without_ids(released, asked)
    if original is None:
        if not asked.pseudonym:
            raise TableError(
                f"--{asked.unit} {asked.column}: is not published; name --original, "
                "which says whose row is whose"
            )
        return check_release(released, requirement, None, star, cells)
    truth = check_release(bare, None, without_ids(original, asked), star, cells)
    if truth.consistent is None:
        if not asked.pseudonym:
            raise TableError(
                f"{released.name}: its rows are in another order than those of the "
                "original, so that it is not known whose they are; verify it before it "
                "is shuffled"
            )
    elif not truth.consistent:
        return truth
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


def in_release(released: Table, requirement: Requirement, column: str) -> Persons:
    """Return what is required of persons whose pseudonyms are all that is known.

    ``column`` is that of the pseudonyms.
    """
    return Persons(requirement, column, "person", released.qi, True, True)


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
