"""How columns hang together before and after: pairs, and cells of two-way tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Floats
from starmin.report.release.correlation import correlations
from starmin.report.release.crossed import counted, may_cross, told
from starmin.report.release.distributions import Distribution
from starmin.report.release.worth import name_of, sensitive_values
from starmin.verify.utility import Spread

MOST_COLUMNS = 12  # of which pairs are looked at: the first ones
_SHOWN = 10  # cells
_CORRELATION, _CRAMER = "correlation", "Cramér's V"


@dataclass(frozen=True)
class Pair:
    """Two columns, before and after."""

    names: tuple[str, str]  # of the columns
    measure: str  # what is measured
    before: float  # from the original
    after: float | None  # from the release; None where nothing is told

    @property
    def change(self) -> float:
        """How much it has changed; what is not told has lost all."""
        return abs((self.after or 0.0) - self.before)


@dataclass(frozen=True)
class CrossCell:
    """A cell of a two-way table."""

    where: str  # columns and values, as text
    # before, after: its share of the rows, and of those that tell both columns
    before: float
    after: float


def relations(
    table: Table,
    coding: Coding,
    spread: Spread,
    columns: Sequence[Distribution],
    weights: Floats | None = None,
) -> tuple[list[Pair], list[CrossCell]]:
    """Measure all pairs of the first columns, and all cells of their tables.

    Parameters
    ----------
    table, coding
        The original, and how it was published.
    spread
        What the release says.
    columns
        The distributions of the quasi-identifiers.
    weights
        How many people each row stands for; default: one.

    Returns
    -------
    pairs, cells
        The most changed first.

    Examples
    --------
    >>> from starmin.report.release.distributions import distributions
    >>> from starmin.verify.utility import spread_of
    >>> rows = [["x", "1"], ["x", "1"], ["y", "2"], ["y", "1"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rows = [["x", "1"], ["x", "1"], ["y", "*"], ["y", "*"]]
    >>> released = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> coding = Coding()
    >>> spread = spread_of(released, table, coding.scales(table))
    >>> columns = distributions(table, spread, coding.scales(table))
    >>> (pair,), cells = relations(table, coding, spread, columns)
    >>> pair.measure, round(pair.before, 3), pair.after
    ("Cramér's V", 0.577, 0.0)
    >>> cells[0]
    CrossCell(where='a = x, b = 1', before=0.5, after=1.0)
    """
    scales, pairs, cells = coding.scales(table), [], []
    for a, b in combinations(range(min(len(columns), MOST_COLUMNS)), 2):
        one, other = columns[a], columns[b]
        if one.numbers is not None and other.numbers is not None:
            both = correlations(table, coding, spread, columns, (a, b), weights)
            if both is not None:
                pairs.append(Pair((one.name, other.name), _CORRELATION, *both))
    names = sensitive_values(table)
    for a, other_at, heads in _crossed(table, columns, names):
        before = counted(table, scales, a, other_at, weights)
        after = told(table, spread, scales, a, other_at)
        second = table.sensitive[0] if other_at is None else columns[other_at].name
        then, now = _cramer(before), _cramer(after)
        if then is not None and not _numbers(columns, a, other_at):
            pairs.append(Pair((columns[a].name, second), _CRAMER, then, now))
        if after.sum() > 1e-9:
            cells += _cells(columns[a], second, heads, before, after)
    pairs.sort(key=lambda pair: -pair.change)
    cells.sort(key=lambda cell: -abs(cell.after - cell.before))
    return pairs, cells[:_SHOWN]


def _numbers(columns: Sequence[Distribution], a: int, b: int | None) -> bool:
    """Check whether both columns have numbers, whose correlation is told."""
    return (
        b is not None
        and columns[a].numbers is not None
        and columns[b].numbers is not None
    )


def _crossed(
    table: Table, columns: Sequence[Distribution], names: Sequence[str | None]
) -> Iterator[tuple[int, int | None, Sequence[str | None]]]:
    """Yield the pairs whose tables can be read, with the values of the second."""
    places = [j for j, c in enumerate(columns[:MOST_COLUMNS]) if may_cross(c)]
    for a, b in combinations(places, 2):
        yield a, b, columns[b].values
    if len(table.sensitive) == 1 and 2 <= len(names) <= 60:
        for a in places:
            yield a, None, names


def _cells(
    one: Distribution,
    second: str,
    heads: Sequence[str | None],
    before: Floats,
    after: Floats,
) -> list[CrossCell]:
    """Return the most changed cells of a table."""
    then, now = before / before.sum(), after / after.sum()
    order = np.argsort(-np.abs(now - then), axis=None, kind="stable")[:_SHOWN]
    return [
        CrossCell(
            f"{one.name} = {name_of(one.values[i])}, {second} = {name_of(heads[j])}",
            float(then[i, j]),
            float(now[i, j]),
        )
        for i, j in zip(*np.unravel_index(order, then.shape), strict=True)
    ]


def _cramer(counts: Floats) -> float | None:
    """Return how far a table is from that of independent columns, from 0 to 1."""
    if not counts.sum() > 1e-9 or min(counts.shape) < 2:
        return None
    joint = counts / counts.sum()
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = apart > 0
    square = ((joint - apart)[there] ** 2 / apart[there]).sum()
    return float(np.sqrt(square / (min(counts.shape) - 1)))
