"""What is counted of the columns of a table before their roles are guessed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from starmin.instances import Table, as_number
from starmin.instances.arrays import Int32s
from starmin.instances.tables.grouping import group_by

_SAMPLE = 20_000  # rows by which most pairs of columns are seen not to tell each other
_READ = 5_000  # texts by which it is seen how a column is written
_ID_SHARE, _ID_ROWS = 0.95, 10  # different values among so many rows, as ids have


@dataclass(frozen=True)
class Facts:
    """What is counted of a column."""

    name: str
    n: int
    distinct: int  # different values, a missing one among them
    missing: int  # rows without one
    alone: int  # rows that no other one looks like, by this column
    texts: tuple[str, ...]  # its values but missing ones, at most some thousands
    numbers: tuple[float, ...] = ()  # the same, where all are numbers
    whole: bool = False
    rising: bool = False  # whether each row has a greater number than the one before
    mean: float = 0.0  # of the numbers, over rows
    follows: tuple[str, ...] = ()  # columns, each of which tells this one's value

    @property
    def looks_like_id(self) -> bool:
        """Whether nearly each row has a value of its own."""
        return self.n >= _ID_ROWS and self.distinct >= _ID_SHARE * self.n

    @property
    def figures(self) -> str:
        """The counts, for a comment."""
        said = f"{self.distinct:,} values" if self.distinct != 1 else "1 value"
        if self.missing:
            said += f", {self.missing:,} rows without one"
        if self.alone and not self.looks_like_id:
            stand = "stands" if self.alone == 1 else "stand"
            said += f", {self.alone:,} of {self.n:,} rows {stand} alone by it"
        return said


def column_facts(table: Table, unknown: Collection[str | None]) -> dict[str, Facts]:
    """Count what there is to be counted of each column, in O(n) for each.

    Which columns tell which is looked for in some rows, and asked of all rows for those
    pairs alone that are left.
    """
    found = {name: _facts(table, name, unknown) for name in table.names}
    step = max(1, table.n // _SAMPLE)
    rest = [c for c in table.names if not found[c].looks_like_id]
    rest = [c for c in rest if found[c].distinct > 1]
    some = {c: np.ascontiguousarray(table.column(c)[::step]) for c in rest}
    fewer = {c: len(np.unique(some[c])) for c in rest}
    for column in rest:
        follows = []
        for other in rest:
            if other == column or found[other].distinct < found[column].distinct:
                continue
            if fewer[other] != _pairs(table, some, other, column):
                continue
            both = {c: table.column(c) for c in (other, column)}
            if step == 1 or found[other].distinct == _pairs(table, both, other, column):
                follows.append(other)
        if follows:
            found[column] = replace(found[column], follows=tuple(follows))
    return found


def _pairs(table: Table, columns: dict[str, Int32s], a: str, b: str) -> int:
    return group_by([columns[a], columns[b]], table.sizes([a, b])).size


def _facts(table: Table, name: str, unknown: Collection[str | None]) -> Facts:
    codes, labels = table.column(name), table.dictionary(name)
    rows = np.bincount(codes, minlength=len(labels))
    used = np.flatnonzero(rows)
    absent = [j for j in used.tolist() if labels[j] is None or labels[j] in unknown]
    known = np.setdiff1d(used, absent) if absent else used
    read: Sequence[int] = known[:: max(1, len(known) // _READ)].tolist()
    texts = tuple(str(labels[j]) for j in read)
    numbers = [as_number(text.replace(",", ".")) for text in texts]
    values = tuple(float(n) for n in numbers if n is not None)
    if len(values) < len(texts):
        values = ()
    rising, mean = False, 0.0
    if values:
        weights = rows[list(read)]
        mean = float(np.average(values, weights=weights))
        if len(known) == len(read) == table.n:
            by_code = np.zeros(len(labels))
            by_code[list(read)] = values
            rising = bool((np.diff(by_code[codes]) > 0).all())
        elif len(known) == table.n:
            first = [as_number(str(labels[j])) for j in codes[:_READ]]
            rising = all(
                a is not None and b is not None and a < b for a, b in pairwise(first)
            )
    return Facts(
        name,
        table.n,
        len(used),
        int(rows[absent].sum()),
        int((rows[used] == 1).sum()),
        texts,
        values,
        bool(values) and all(value == int(value) for value in values),
        rising,
        mean,
    )
