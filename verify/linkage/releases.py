"""Several releases made comparable, and the people they show."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from starmin.instances import IntArray, Table, TableError
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.linkage.matching import Matching, Suppression


def align(releases: Sequence[Table]) -> list[Table]:
    """Return the releases with one dictionary of sensitive values for all of them.

    Raises TableError for fewer than two releases, or where not all have the same one
    sensitive column.

    Examples
    --------
    >>> first, second = align([
    ...     Table.from_rows(["a", "s"], [["0", ill]], qi=["a"], sensitive=["s"])
    ...     for ill in ("flu", "gout")])
    >>> second.dictionary("s"), second.column("s").tolist()
    (('flu', 'gout'), [1])
    """
    if len(releases) < 2:
        raise TableError("Linking needs two releases or more; name them.")
    column = releases[0].sensitive[:1]
    for released in releases:
        if len(released.sensitive) != 1 or released.sensitive != column:
            raise TableError(
                f"{released.name}: expected one sensitive column, the same in all "
                "releases; name it"
            )
    index: dict[str | None, int] = {}
    recodes = [
        np.array([index.setdefault(v, len(index)) for v in values], np.int32)
        for values in (released.dictionary(column[0]) for released in releases)
    ]
    aligned = []
    for released, recode in zip(releases, recodes, strict=True):
        at = released.names.index(column[0])
        codes, dictionaries = released.codes.copy(), list(released.dictionaries)
        codes[at], dictionaries[at] = recode[codes[at]], tuple(index)
        aligned.append(replace(released, codes=codes, dictionaries=tuple(dictionaries)))
    return aligned


def pooled(releases: Sequence[Table]) -> Table:
    """Return the sensitive column of all releases, one below the other.

    What requirements on linked releases that compare with the whole table, such as
    t-closeness, take for the whole table.

    Examples
    --------
    >>> one = Table.from_rows(["a", "s"], [["0", "x"]], qi=["a"], sensitive=["s"])
    >>> pooled([one, one]).rows()
    [('1', 'x'), ('2', 'x')]
    """
    aligned = align(releases)
    (column,) = aligned[0].sensitive
    of_row = np.repeat(np.arange(len(aligned)), [released.n for released in aligned])
    values = np.concatenate([released.column(column) for released in aligned])
    name = "release" if column != "release" else "publication"
    return Table(
        (name, column),
        np.stack([of_row, values]).astype(np.int32),
        (
            tuple(str(i + 1) for i in range(len(aligned))),
            aligned[0].dictionary(column),
        ),
        (name,),
        (column,),
        "linked releases",
    )


def published_in_full(
    releases: Sequence[Table], matchings: Mapping[str, Matching]
) -> Table:
    """Return everybody whose row some release publishes without a star.

    Raises TableError where there is nobody, or some column is not published by
    suppression, so that nothing tells a value from what stands for several.
    """
    qi = tuple(dict.fromkeys(column for released in releases for column in released.qi))
    rows: list[tuple[str | None, ...]] = []
    for released in releases:
        if set(released.qi) != set(qi):
            continue
        whole = np.ones(released.n, bool)
        for column in qi:
            matching = matchings.get(column, Suppression())
            if not isinstance(matching, Suppression):
                raise TableError(f"column {column!r} is generalized; name targets")
            values = np.array(released.dictionary(column), dtype=object)
            whole &= (values != matching.star)[released.column(column)]
        if whole.any():
            people = released.take(np.flatnonzero(whole))
            rows += zip(*(people.cells(column) for column in qi), strict=True)
    if not rows:
        raise TableError("no row is published in full in any release; name targets")
    return Table.from_rows(qi, rows, qi, name="rows published in full")


def as_targets(targets: Table, releases: Sequence[Table]) -> Table:
    """Return the targets with the QI columns of all releases, in a fixed order.

    Raises TableError where the targets lack one of them.
    """
    qi = tuple(dict.fromkeys(column for released in releases for column in released.qi))
    return merge_equal_values(targets).with_roles(qi)


def reveal_classes(
    releases: Sequence[Table], targets: Table, rows: Sequence[IntArray]
) -> tuple[list[Table], Table]:
    """Show releases and targets to someone who knows each target's class.

    Where several classes match, a release hides in which of them a target is. Who
    made it knows, and others may find out, by how it was made or in what order: a
    publisher who wants to be safe against that attacks with this. Each release gets
    one more QI column, the number of the class.

    ``rows`` has for each release the row of each target, from 0.

    Examples
    --------
    >>> from starmin.verify.linkage import attack
    >>> released = Table.from_rows(
    ...     ["a", "s"], [["0", "x"], ["0", "y"], ["*", "y"], ["*", "z"]], ["a"], ["s"])
    >>> person = released.take(np.array([0]))
    >>> attack([released, released], person).after.tolist()
    [3]
    >>> told = reveal_classes([released, released], person, [np.array([0])] * 2)
    >>> attack(*told).after.tolist()
    [2]
    """
    told = []
    for i, (released, at) in enumerate(zip(releases, rows, strict=True), start=1):
        released = merge_equal_values(released)
        classes, column = released.row_types.inverse, f"class in release {i}"
        told.append(_with_class(released, column, classes, classes))
        targets = _with_class(targets, column, classes[at], classes)
    return told, targets


def _with_class(table: Table, column: str, codes: IntArray, classes: IntArray) -> Table:
    return replace(
        table,
        names=(column, *table.names),
        codes=np.concatenate([codes[None].astype(np.int32), table.codes]),
        dictionaries=(
            tuple(str(number) for number in range(int(classes.max()) + 1)),
            *table.dictionaries,
        ),
        qi=(column, *table.qi),
    )
