"""Check a release by permutation, whoever made it, from its two tables alone."""

from dataclasses import replace

import numpy as np

from starmin.instances import Requirement, Table, TableError, group_by
from starmin.instances.arrays import Ints
from starmin.instances.tables.names import counted
from starmin.verify.cells.cells import Inconsistency, as_written, find_inconsistencies
from starmin.verify.nonhomogeneous.anonymity_graph import is_reordered
from starmin.verify.releases.release_check import MAX_ROWS, ReleaseCheck, check_release
from starmin.verify.texts import kinds_in_common, places_in

GROUP, COUNT = "group", "count"


def join_permutation(public: Table, sensitive: Table) -> Table:
    """Return one of the tables that a release by permutation may have been made of.

    Each row gets some of the sensitive values of its group, such that all are dealt
    out. What a requirement asks of groups holds for all such tables or for none.

    ``public`` has the quasi-identifiers, and in the column ``group`` the group of each
    row; ``sensitive`` has the columns ``group`` and ``count``, and between them the
    sensitive values. The QI of the table that is returned is the group, which is what
    rows are told apart by. Raises TableError where a column is missing, a count is no
    whole number above 0, or the values of a group are not as many as its rows.

    >>> public = Table.from_rows(["a", "group"], [["1", "1"], ["2", "1"]], qi=["a"])
    >>> sensitive = Table.from_rows(["group", "ill", "count"],
    ...     [["1", "flu", "1"], ["1", "gout", "1"]], qi=["group"])
    >>> join_permutation(public, sensitive).rows()
    [('1', '1', 'flu'), ('2', '1', 'gout')]
    """
    for table, column in ((public, GROUP), (sensitive, GROUP), (sensitive, COUNT)):
        if column not in table.names:
            raise TableError(f"{table.name}: no column {column!r}")
    columns = [c for c in sensitive.names if c not in (GROUP, COUNT)]
    if not columns:
        raise TableError(f"{sensitive.name}: no column of sensitive values")
    for column in columns:
        if column in public.names:
            raise TableError(f"{public.name}: column {column!r} is sensitive")
    strange = len(public.dictionary(GROUP))
    group = places_in(sensitive, GROUP, public.dictionary(GROUP))
    group[group < 0] = strange
    counts = _counts(sensitive)
    rows = np.bincount(public.column(GROUP), minlength=strange + 1)
    values = np.bincount(group, counts, minlength=strange + 1)
    for code in np.flatnonzero(rows != values):
        labels = public.dictionary(GROUP)
        name = "of no row" if code == strange else repr(labels[code])
        raise TableError(
            f"{sensitive.name}: group {name} has {values[code]:.0f} sensitive values; "
            f"expected {rows[code]}, one for each row of {public.name}"
        )
    dealt = np.repeat(np.arange(sensitive.n), counts)
    dealt = dealt[np.argsort(group[dealt], kind="stable")]
    rows = np.empty(public.n, np.int64)
    rows[np.argsort(public.column(GROUP), kind="stable")] = dealt
    joined = public.beside(sensitive.take(rows), columns)
    return joined.with_roles((GROUP,), columns)


def check_permutation(
    joined: Table, requirement: Requirement | None, original: Table | None = None
) -> ReleaseCheck:
    """Recompute whether a release by permutation satisfies a requirement.

    A class is a group as it is named. No quasi-identifier is suppressed. ``joined`` is
    by ``join_permutation``; without a requirement it is only measured. The rows of
    ``original`` must have these quasi-identifiers in this order, and each group these
    sensitive values. If the order differs, which row is in which group cannot be told,
    and what is compared (``reordered``) is how often each row of quasi-identifiers and
    each row of sensitive values occurs.
    """
    check = replace(check_release(joined, requirement), stars=0, gcp=0.0)
    if original is None:
        return check
    found = tuple(_differences(joined, original))
    public = {c for c in joined.names if c not in joined.sensitive}
    moved = any(difference.column in public for difference in found)
    reordered = moved and _is_reordered(joined, original)
    missing = max(0, original.n - joined.n)
    return replace(
        check, inconsistencies=found, reordered=reordered, missing_rows=missing
    )


def _counts(sensitive: Table) -> Ints:
    texts, codes = sensitive.dictionary(COUNT), sensitive.column(COUNT)
    counts = np.array([_whole(text) for text in texts], np.int64)[codes]
    for row in np.flatnonzero(counts == 0):
        raise TableError(
            f"{sensitive.name}: row {row + 1}, column {COUNT!r}: expected a whole "
            f"number above 0, got {texts[codes[row]]!r}"
        )
    return counts


def _whole(text: str | None) -> int:
    """Return the number that a cell holds, or 0 where it holds none."""
    text = text or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _differences(joined: Table, original: Table) -> list[Inconsistency]:
    public = [c for c in joined.names if c not in (GROUP, *joined.sensitive)]
    for column in (*public, *joined.sensitive):
        if column not in original.names:
            why = f"column {column!r} is not one of the original's"
            return [Inconsistency(None, (), why)]
    if joined.n != original.n:
        why = f"{counted(joined.n, 'row')}; the original has {original.n:,}"
        return [Inconsistency(None, (), why)]
    found = []
    if public:
        found = find_inconsistencies(_part(joined, public), _part(original, public))
    return found or _moved(joined, original)


def _is_reordered(joined: Table, original: Table) -> bool:
    """Check whether the quasi-identifiers and the sensitive values are the original's.

    Each for themselves, as multisets of rows.
    """
    public = [c for c in joined.names if c not in (GROUP, *joined.sensitive)]
    known = set(original.names)
    return all(
        set(columns) <= known
        and is_reordered(_part(joined, columns), _part(original, columns), star="\0")
        for columns in (public, list(joined.sensitive))
        if columns
    )


def _part(table: Table, columns: list[str]) -> Table:
    at = table.positions(columns)
    return replace(
        table,
        names=tuple(columns),
        codes=table.codes[at],
        dictionaries=tuple(table.dictionaries[j] for j in at),
        qi=tuple(columns),
        sensitive=(),
    )


def _moved(joined: Table, original: Table) -> list[Inconsistency]:
    """Check whether some groups have other sensitive values than their rows had."""
    original = as_written(original, joined)
    group = np.tile(joined.column(GROUP), 2)
    values = kinds_in_common([joined, original], joined.sensitive)
    sizes = len(joined.dictionary(GROUP)), values.size
    kinds = group_by([group, values.inverse], sizes)
    surplus = np.bincount(kinds.inverse[: joined.n], minlength=kinds.size)
    surplus -= np.bincount(kinds.inverse[joined.n :], minlength=kinds.size)
    wrong = np.unique(group[kinds.first[surplus != 0]])
    if len(wrong) == 0:
        return []
    rows = np.flatnonzero(np.isin(joined.column(GROUP), wrong))
    first = joined.dictionary(GROUP)[joined.column(GROUP)[rows[0]]]
    why = (
        f"{counted(len(wrong), 'group has', 'groups have')} other sensitive values "
        f"than in the original; the first is {first!r}"
    )
    rows = rows[joined.column(GROUP)[rows] == joined.column(GROUP)[rows[0]]]
    shown = tuple((rows[:MAX_ROWS] + 1).tolist())
    return [Inconsistency(", ".join(joined.sensitive), shown, why)]
