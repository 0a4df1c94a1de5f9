"""What a release says of a table: its rows, spread evenly over what they may be."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances import Scales, Table, TableError, group_by
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.verify.cells.readings import (
    NUMBERS,
    Ends,
    Reading,
    decimal,
    is_open,
    number_of,
)
from starmin.verify.cells.time_cells import reading_of_scale
from starmin.verify.texts import kinds_in_common


@dataclass(frozen=True, eq=False)
class Spread:
    """A distribution over cells: boxes of rows that are published alike.

    A box is a product of ranges of positions. Its rows are spread evenly over the
    values that are there: those that occur in the column of the original, and of a
    taxonomy all leaves. Their sensitive values are those of the group of the box, each
    with its share, whatever the other columns.
    """

    low: Int32s  # low, high: b x d, the least and the greatest position of each box
    high: Int32s
    widths: Floats  # b x d, how many values that is
    mass: Floats  # b, its share of all rows
    group: Ints  # b, its group
    # starts, values, shares: the sensitive codes of group g and their shares are at
    # ``starts[g]`` up to ``starts[g + 1]``
    starts: Ints
    values: Ints
    shares: Floats


def spread_of(
    released: Table,
    original: Table,
    scales: Scales,
    star: str = "*",
    groups: npt.NDArray[np.integer] | None = None,
    weights: Floats | None = None,
) -> Spread:
    """Read a release as a distribution over the cells of its original.

    The release has suppressed or generalized cells in the QI columns of the original,
    and its sensitive columns. Its cells are read against the original, row by row or
    not, and the ``scales`` are those of the original. For a release by permutation
    ``groups`` has the group of each row, 0, 1, .. without gaps; default: rows that are
    published alike are a group. ``weights`` is how many people each row of the release
    stands for; default: one. Raises TableError for a cell that stands for no value of
    the original, or where a column is missing.

    >>> rows = [["1", "x"], ["2", "y"], ["2", "x"]]
    >>> table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
    >>> rows = [["[1-2]", "x"], ["[1-2]", "y"], ["2", "x"]]
    >>> released = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
    >>> spread = spread_of(released, table, Scales.of(table, ["a"]))
    >>> spread.low.tolist(), spread.high.tolist(), spread.widths.tolist()
    ([[0], [1]], [[1], [1]], [[2.0], [1.0]])
    >>> spread.shares.tolist()
    [0.5, 0.5, 1.0]
    """
    for column in (*original.qi, *original.sensitive):
        if column not in released.names:
            raise TableError(f"{released.name}: no column {column!r}")
    cells = [released.column(column) for column in original.qi]
    if groups is None:
        boxes = group_by(cells)
        groups, group = boxes.inverse, np.arange(boxes.size)
    else:
        boxes = group_by([groups, *cells])
        group = groups[boxes.first].astype(np.int64)
    low = np.empty((boxes.size, original.d), np.int32)
    high, widths = low.copy(), np.empty(low.shape)
    for j, (column, scale) in enumerate(zip(original.qi, scales.scales, strict=True)):
        ends = ends_of_cells(released, original, column, scale, star)
        at = cells[j][boxes.first]
        low[:, j], high[:, j] = ends[at].T
        before = np.append(0, np.cumsum(_present(original, column, scale)))
        widths[:, j] = before[high[:, j] + 1] - before[low[:, j]]
    starts, values, shares = _sensitive(released, original, groups, weights)
    mass = boxes.counts / released.n
    if weights is not None:
        mass = np.bincount(boxes.inverse, weights, boxes.size) / weights.sum()
    return Spread(low, high, widths, mass, group, starts, values, shares)


def _present(original: Table, column: str, scale: Scale) -> Bools:
    """Find which positions of a column have a value that may be."""
    if scale.layout.tree is not None:
        return np.ones(scale.size, bool)
    there = np.zeros(scale.size, bool)
    there[scale.positions[np.unique(original.column(column))]] = True
    return there


def ends_of_cells(
    released: Table, original: Table, column: str, scale: Scale, star: str
) -> Int32s:
    """Return for each code of a released column the positions it stands for.

    The release has suppressed or generalized cells in the QI columns of the original;
    these are read against the original, row by row or not. ``column`` is one of the
    quasi-identifiers, and ``scale`` its scale.
    """
    texts = original.dictionary(column)
    known = {
        text: (int(place), int(place))
        for text, place in zip(texts, scale.positions, strict=True)
        if place >= 0
    }
    known[star] = (0, scale.size - 1)
    if (tree := scale.layout.tree) is not None:
        first = tree.last - tree.counts + 1
        known |= {
            label: (int(a), int(b))
            for label, a, b in zip(tree.labels, first, tree.last, strict=True)
        }
    spans: list[Ends] = []
    before = 0  # positions of missing values
    reading: Reading = NUMBERS
    if isinstance(scale, NumericScale):
        before = len(scale.layout.missing)
        there = [texts[code] for code in scale.codes[before:]]
        reading = reading_of_scale(scale, there)
        closed = (number_of(text) if is_open(text) else text for text in there)
        spans = [both for both in map(reading.ends, closed) if both]
    labels = released.dictionary(column)
    ends = np.zeros((len(labels), 2), np.int32)
    for code in np.unique(released.column(column)):
        label = labels[code]
        if (both := reading.ends(label)) is None and is_open(label) and spans:
            at = decimal(number_of(label))
            both = (at, spans[-1][1]) if is_open(label, False) else (spans[0][0], at)
        found = known.get(label) or _between(both, spans, before)
        if found is None:
            raise TableError(
                f"{released.name}: column {column!r}: {label!r} stands for no value "
                f"of {original.name}"
            )
        ends[code] = found
    return ends


def _between(
    ends: Ends | None, spans: Sequence[Ends], before: int
) -> tuple[int, int] | None:
    """Return the positions of the numbers in a range, or equal to a number."""
    if not spans or ends is None:
        return None
    least, greatest = ends
    low = bisect_left(spans, least, key=lambda span: span[0])
    end = bisect_right(spans, greatest, key=lambda span: span[1])
    return (before + low, before + end - 1) if low < end else None


def _sensitive(
    released: Table,
    original: Table,
    groups: npt.NDArray[np.integer],
    weights: Floats | None,
) -> tuple[Ints, Ints, Floats]:
    """Recode the sensitive values of each group as the original, with shares."""
    codes = np.zeros(released.n, np.int64)
    columns = original.sensitive
    if columns:
        # The cells of the original come first in their order: see Truth.of.
        kinds = kinds_in_common([original, released], columns).inverse
        here = np.unique(kinds[: original.n])
        rank = np.full(int(kinds.max()) + 1, len(here))
        rank[here] = np.arange(len(here))
        codes = rank[kinds[original.n :]]
    many = int(groups.max()) + 1
    pairs = group_by([groups, codes])
    group = groups[pairs.first]
    counts = pairs.counts.astype(float)
    if weights is not None:
        counts = np.bincount(pairs.inverse, weights, pairs.size)
    sizes_of = np.maximum(np.bincount(groups, weights, many), 1e-300)
    starts = np.searchsorted(group, np.arange(many + 1))
    return (
        starts.astype(np.int64),
        codes[pairs.first].astype(np.int64),
        counts / sizes_of[group],
    )
