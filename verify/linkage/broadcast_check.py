"""Check a release that was published under classes announced beforehand."""

from collections import defaultdict
from dataclasses import dataclass

from starmin.instances import Table
from starmin.verify.linkage.matching import Generalization


@dataclass(frozen=True)
class BroadcastCheck:
    """What a release shows of the announced classes."""

    classes: int  # how many were announced
    # fewest different sensitive values of a class; 0 where a class has no row
    least: int
    # classes with fewer than l of them, in the order of their announcement
    failing: tuple[str, ...]
    why: str | None  # the first row that is not as announced, or None

    @property
    def holds(self) -> bool:
        """Every row is as announced, and every class has l values."""
        return self.why is None and not self.failing


def check_broadcast(
    published: Table, original: Table, announced: Table, l: int, star: str = "*"
) -> BroadcastCheck:
    """Check a release row by row against its table and the announced classes.

    Each row must show the class that was announced for its quasi-identifier, cells
    that may stand for it, and its own sensitive value. Every announced class must
    show l different sensitive values; one without rows shows none.

    The release is in the order of the table, and one of its columns is the class. The
    original has one sensitive column. ``announced`` has the quasi-identifiers, and
    their class as the last column.

    Examples
    --------
    >>> announced = Table.from_rows(["a", "class"], [["0", "A"], ["1", "B"]], ["a"])
    >>> people = Table.from_rows(["a", "s"], [["0", "x"], ["0", "y"]], ["a"], ["s"])
    >>> rows = [["A", "0", "x"], ["A", "*", "y"]]
    >>> shown = Table.from_rows(["class", "a", "s"], rows, ["class", "a"], ["s"])
    >>> check_broadcast(shown, people, announced, l=2).failing
    ('B',)
    """
    *qi, label = announced.names
    (sensitive,) = original.sensitive
    promised: dict[tuple[str | None, ...], str | None] = {}
    values: dict[str | None, set[str | None]] = {}
    for row in zip(*(announced.cells(name) for name in announced.names), strict=True):
        promised[row[:-1]] = row[-1]
        values.setdefault(row[-1], set())
    fits = {column: _fits(published, original, column, star) for column in qi}
    truth = zip(*(original.cells(c) for c in (*qi, sensitive)), strict=True)
    told = zip(*(published.cells(c) for c in (*qi, sensitive, label)), strict=True)
    why = None
    if published.n != original.n:
        why = f"{published.n} rows of {original.n}"
    for i, (true, shown) in enumerate(zip(truth, told, strict=False), start=1):
        values.setdefault(shown[-1], set()).add(shown[-2])
        if why is None:
            if promised.get(true[:-1]) != shown[-1]:
                why = f"row {i}: class {shown[-1]!r} was not announced for it"
            elif true[-1] != shown[-2]:
                why = f"row {i}: {sensitive} is {true[-1]!r}, not {shown[-2]!r}"
            elif wrong := [
                c
                for c, v, s in zip(qi, true, shown, strict=False)
                if s not in fits[c][v]
            ]:
                why = f"row {i}: its {wrong[0]} does not stand for that of the table"
    least = min(len(found) for found in values.values())
    failing = tuple(str(name) for name, found in values.items() if len(found) < l)
    return BroadcastCheck(len(values), least, failing, why)


def _fits(
    published: Table, original: Table, column: str, star: str
) -> dict[str | None, set[str | None]]:
    """Return for each value of a column the published cells that may stand for it."""
    values, cells = original.dictionary(column), published.dictionary(column)
    found: dict[str | None, set[str | None]] = defaultdict(set)
    pairs = Generalization(star=star).pairs(values, cells)
    for value, cell in zip(*(at.tolist() for at in pairs), strict=True):
        found[values[value]].add(cells[cell])
    return found
