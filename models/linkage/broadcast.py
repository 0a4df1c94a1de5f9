"""Publish a table under classes that were fixed beforehand for all who publish."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from starmin.instances import Table, TableError
from starmin.instances.arrays import Int32s

Cells: TypeAlias = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class BroadcastClasses:
    """The class of each quasi-identifier, as a central agency announces it."""

    qi: tuple[str, ...]  # names of the quasi-identifier's columns
    label: str  # name of the column of classes
    labels: tuple[str, ...]  # the classes, in the order in which they are first named
    of: dict[Cells, int]  # for each quasi-identifier where its class is in ``labels``

    @classmethod
    def from_table(cls, announced: Table) -> "BroadcastClasses":
        """Read a table whose last column is the class, as ``linkage plan`` writes it.

        Raises TableError where there is no quasi-identifier, a row without a class, or
        a quasi-identifier in two classes.
        """
        *qi, label = announced.names
        if not qi:
            raise TableError(
                f"{announced.name}: expected columns of quasi-identifiers, and the "
                "class as the last one"
            )
        numbers: dict[str, int] = {}
        of: dict[Cells, int] = {}
        columns = (announced.cells(name) for name in announced.names)
        for i, (*cells, named) in enumerate(zip(*columns, strict=True), start=1):
            if named is None:
                raise TableError(f"{announced.name}: row {i} has no class; name one")
            number = numbers.setdefault(named, len(numbers))
            if of.setdefault(tuple(cells), number) != number:
                raise TableError(
                    f"{announced.name}: row {i} is in class {named!r} and, above it, "
                    "in another; leave one of them"
                )
        return cls(tuple(qi), label, tuple(numbers), of)

    def of_rows(self, table: Table) -> Int32s:
        """Return for each row of a table where its class is in ``labels``.

        Raises TableError where the table lacks a column, or some row's quasi-identifier
        is in no class.
        """
        if missing := [column for column in self.qi if column not in table.names]:
            raise TableError(
                f"{table.name}: no column {missing[0]!r} as of the classes"
            )
        types = table.with_roles(self.qi).row_types
        dictionaries = [table.dictionary(column) for column in self.qi]
        number = np.empty(len(types), np.int32)
        for i, row in enumerate(types.codes.tolist()):
            cells = tuple(d[code] for d, code in zip(dictionaries, row, strict=True))
            number[i] = self.of.get(cells, -1)
        found = number[types.inverse]
        if (found < 0).any():
            first = int(np.argmax(found < 0))
            cells = tuple(table.cells(column)[first] for column in self.qi)
            more = int((found < 0).sum()) - 1
            raise TableError(
                f"{table.name}: row {first + 1} {cells} and {more} more are in no "
                "class; every quasi-identifier needs one"
            )
        return found


def publish_broadcast(
    table: Table,
    classes: BroadcastClasses,
    numeric: Sequence[str] = (),
    star: str = "*",
) -> Table:
    """Publish each row's class in place of its quasi-identifier (Algorithm 1, step 5).

    The class is a column of its own, which is all that the theorems are about. The
    columns of quasi-identifiers say what a class holds: the value if it is one, else
    ``low-high`` for the ``numeric`` columns and a star for others. They depend on the
    announced classes alone, never on the rows.

    ``table`` has the rows of one data owner, with one sensitive column; the classes
    were announced to all owners.

    Examples
    --------
    >>> announced = Table.from_rows(
    ...     ["age", "class"], [["30", "1"], ["31", "1"], ["40", "2"]], ["age", "class"])
    >>> people = Table.from_rows(
    ...     ["age", "ill"], [["31", "flu"], ["40", "gout"]], ["age"], ["ill"])
    >>> classes = BroadcastClasses.from_table(announced)
    >>> publish_broadcast(people, classes, numeric=["age"]).rows()
    [('1', '30-31', 'flu'), ('2', '40', 'gout')]
    """
    if classes.label in table.names:
        raise TableError(
            f"{table.name}: the column of classes has the name of its column "
            f"{classes.label!r}; name it otherwise in the file of classes"
        )
    if extra := [column for column in table.qi if column not in classes.qi]:
        raise TableError(
            f"{table.name}: quasi-identifier {extra[0]!r} is none of the classes; "
            "drop it or name --qi"
        )
    numbers = classes.of_rows(table)
    members: list[list[Cells]] = [[] for _ in classes.labels]
    for cells, number in classes.of.items():
        members[number].append(cells)
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for j, column in enumerate(classes.qi):
        at = table.names.index(column)
        shown = [_shown({m[j] for m in of}, column in numeric, star) for of in members]
        place = {cell: i for i, cell in enumerate(dict.fromkeys(shown))}
        codes[at] = np.array([place[cell] for cell in shown], np.int32)[numbers]
        dictionaries[at] = tuple(place)
    return replace(
        table,
        names=(classes.label, *table.names),
        codes=np.concatenate([numbers[None], codes]),
        dictionaries=(classes.labels, *dictionaries),
        qi=(classes.label, *classes.qi),
    )


def _shown(values: set[str | None], numeric: bool, star: str) -> str | None:
    """Return the cell that stands for the values of a class in one column."""
    if len(values) == 1:
        return values.pop()
    if not numeric or None in values:
        return star
    try:
        ordered = sorted((value for value in values if value is not None), key=float)
    except ValueError as error:
        raise TableError(f"--numeric: {error}; the column is not numeric") from None
    return f"{ordered[0]}-{ordered[-1]}"
