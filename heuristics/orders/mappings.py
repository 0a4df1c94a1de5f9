"""Map rows to one dimension, so that similar rows are near each other.

``Hilbert``, ``IDistance``, ``Lexicographic`` and ``Gray`` are the mappings;
``column_ranks`` orders the values of columns.
"""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Table, as_number
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.scale import FlatScale

Order = Literal["value", "frequency"]


def column_ranks(table: Table, order: Order = "value") -> list[Int32s]:
    """Return for each quasi-identifier the place 0, 1, .. of each of its codes.

    By value: by number where all values that occur are numbers, else as text; or by
    frequency, the most frequent first.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["10"], ["9"], ["9"]], qi=["a"])
    >>> column_ranks(table)[0].tolist(), column_ranks(table, "frequency")[0].tolist()
    ([1, 0], [1, 0])
    """
    return [_ranks(table, column, order) for column in table.qi]


def _ranks(table: Table, column: str, order: Order = "value") -> Int32s:
    """Return the place 0, 1, .. of each code of a column."""
    texts = [value or "" for value in table.dictionary(column)]
    counts = np.bincount(table.column(column), minlength=len(texts))
    numbers = None if order == "frequency" else _numbers(texts, counts > 0)
    if order == "frequency":
        first = np.argsort(-counts, kind="stable")
    elif numbers is None:
        first = np.array(sorted(range(len(texts)), key=texts.__getitem__))
    else:
        first = np.argsort(numbers, kind="stable")
        if (np.diff(numbers[first]) == 0).any():
            by_both = [*zip(numbers.tolist(), texts, strict=True)]
            first = np.array(sorted(range(len(texts)), key=by_both.__getitem__))
    places = np.empty(len(texts), np.int32)
    places[first] = np.arange(len(texts))
    return places


def _numbers(texts: list[str], occurs: Bools) -> Floats | None:
    """Return values as numbers; None if one that occurs is no number.

    Others that do not occur are 0.
    """
    given = zip(texts, occurs.tolist(), strict=True)
    try:
        found = [
            float(text) if here else as_number(text) or 0.0 for text, here in given
        ]
    except ValueError:
        return None
    numbers = np.array(found)
    return numbers if np.isfinite(numbers).all() else None


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct points, by places on axes."""

    places: Int32s  # m x d: on each axis one of the places 0, 1, .. of ``sizes``
    sizes: tuple[int, ...]  # how many places each axis has
    units: Floats  # m x d, from 0 to 1: numbers in proportion, other places evenly
    counts: Ints  # how many rows stand at each point

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Points":
        """Return the row types of a table; columns that may change have an axis each.

        A column to be kept has no axis. Leaves of taxonomies are in their order,
        numbers in theirs, the values of columns without a scale by number or text.
        """
        scales = objective.scales_of(table)
        codes = table.row_types.codes
        places, sizes, units = [], [], []
        for j in np.flatnonzero(~objective.kept(table)):
            scale = scales.scales[j]
            flat = isinstance(scale, FlatScale)
            ranks = _ranks(table, table.qi[j]) if flat else scale.positions
            place = ranks[codes[:, j]]
            places.append(place)
            sizes.append(scale.size)
            units.append(scale.layout.places[place] / scale.layout.span)
        m, d = len(codes), len(sizes)
        return cls(
            np.stack(places, axis=1) if d else np.zeros((m, 0), np.int32),
            tuple(sizes),
            np.stack(units, axis=1) if d else np.zeros((m, 0)),
            table.row_types.counts,
        )


class Line(NamedTuple):
    """Points as a mapping puts them on a line."""

    order: Ints  # the points, first to last
    values: Ints | Floats  # in this order their numbers, ascending

    @classmethod
    def of(cls, values: Ints | Floats) -> "Line":
        """Sort points by their numbers; equal ones stay in order."""
        order = np.argsort(values, kind="stable").astype(np.int64)
        return cls(order, values[order])

    def ranks(self) -> Ints:
        """Return for each point its place in the order."""
        ranks = np.empty(len(self.order), np.int64)
        ranks[self.order] = np.arange(len(self.order))
        return ranks


class Mapping(Protocol):
    """What puts points on a line; a new mapping is a new class with this one method."""

    def __call__(self, points: Points, seed: int) -> Line:
        """Return the points on the line; ``seed`` is for what is random."""
        ...


@dataclass(frozen=True)
class Lexicographic:
    """Points sorted by axes, those with the fewest places first.

    Their numbers are their places in this order.

    Examples
    --------
    >>> corners = np.array([[1, 0], [0, 2], [0, 1]], np.int32)
    >>> points = Points(corners, (2, 3), corners / [1, 2], np.ones(3, np.int64))
    >>> Lexicographic()(points, seed=0)
    Line(order=array([2, 1, 0]), values=array([0, 1, 2]))
    """

    def __call__(self, points: Points, seed: int) -> Line:
        axes = np.argsort(points.sizes, kind="stable")
        return sorted_line(points.places[:, axes])


def sorted_line(digits: np.ndarray) -> Line:
    """Sort points by their digits, the first column the highest; equal ones stay."""
    m, d = digits.shape
    order = np.lexsort(digits.T[::-1]) if d else np.arange(m)
    return Line(order.astype(np.int64), np.arange(m, dtype=np.int64))


@dataclass(frozen=True)
class Gray:
    """Points in the order of the reflected Gray code with a digit for each axis.

    As ``Lexicographic``, but an axis is run through backwards where the number of
    the digits before is odd, so that consecutive cells differ by one in one axis: a
    snake through the grid.

    Examples
    --------
    >>> grid = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32)
    >>> points = Points(grid, (2, 2), grid.astype(float), np.ones(4, np.int64))
    >>> Gray()(points, seed=0).order.tolist()
    [0, 1, 3, 2]
    """

    def __call__(self, points: Points, seed: int) -> Line:
        axes = np.argsort(points.sizes, kind="stable")
        digits = points.places[:, axes]
        odd = np.zeros(len(digits), bool)
        for j, axis in enumerate(axes):
            size = points.sizes[axis]
            digits[odd, j] = size - 1 - digits[odd, j]
            # The number goes on as number * size + digit.
            odd = (odd & (size % 2 == 1)) ^ (digits[:, j] % 2 == 1)
        return sorted_line(digits)


_WORD = 64  # Bits of a word of a key.
_KEPT = 62  # Bits of a key that are kept as its number, which is signed.


@dataclass(frozen=True)
class Hilbert:
    """The place on a Hilbert curve through a grid that all axes fill.

    The grid has 2^bits cells on each axis, ``bits`` from 1 to 62; None: enough for the
    axis with the most places, up to 62.

    Keys may be as long as they need be. Where they have more than 62 bits the points
    are in the order of the whole keys, and their numbers are the first 62 bits.

    Examples
    --------
    >>> corners = np.array([[0, 0], [1, 1], [0, 1]], np.int32)
    >>> points = Points(corners, (2, 2), corners.astype(float), np.ones(3, np.int64))
    >>> Hilbert()(points, seed=0)
    Line(order=array([0, 2, 1]), values=array([0, 1, 2]))
    """

    bits: int | None = None

    def __call__(self, points: Points, seed: int) -> Line:
        # Methods without compiled loops load this package; they need no numba.
        from starmin.heuristics.orders.hilbert_curve import hilbert_keys, key_order

        m, d = points.places.shape
        if d == 0:
            return Line(np.arange(m), np.zeros(m, np.int64))
        bits = self.bits or min(_KEPT, max(1, (max(points.sizes) - 1).bit_length()))
        keys = hilbert_keys(_cells(points, bits), bits)
        order = key_order(keys)
        spare = max(0, min(d * bits, _WORD) - _KEPT)
        return Line(order, (keys[order, 0] >> np.uint64(spare)).astype(np.int64))


def _cells(points: Points, bits: int) -> npt.NDArray[np.integer]:
    """Return coordinates on the grid: numbers in proportion, other places evenly."""
    top = (1 << bits) - 1
    cells = np.minimum(points.units * float(1 << bits), float(top)).astype(np.int64)
    return np.asarray(np.minimum(cells, top))


_CELLS = 8_000_000  # So many distances are computed at once: 64 MB.


@dataclass(frozen=True)
class IDistance:
    """Each point at its nearest centre, by its distance to it.

    Centres are found by k-means in a random sample of the rows and follow each other as
    on the Hilbert curve. The stretches of two centres do not overlap: each is as long
    as the space is wide.

    O(m d) for each centre and m points. The sample is drawn by ``seed``.

    H. V. Jagadish, B. C. Ooi, K.-L. Tan, C. Yu, R. Zhang, iDistance: an adaptive
    B+-tree based indexing method for nearest neighbor search, ACM TODS 30(2), 2005.

    Examples
    --------
    >>> places = np.array([[0], [9], [1], [8]], np.int32)
    >>> points = Points(places, (10,), places / 9, np.ones(4, np.int64))
    >>> np.sort(IDistance(centres=2)(points, seed=0).order[:2]).tolist()
    [0, 2]
    """

    centres: int = 512  # number of centres; 512 in the paper
    # share of the rows drawn as the sample; 0.1 in the paper; at least ten rows for
    # each centre are drawn, if there are as many
    share: float = 0.1
    rounds: int = 10  # rounds of k-means at most

    def __call__(self, points: Points, seed: int) -> Line:
        centres = self._centres(points, seed)
        along = Hilbert(bits=16)(replace(points, units=centres), seed=0)
        centres = np.asarray(centres[along.order])
        nearest, distance = nearest_centres(points.units, centres)
        return Line.of(nearest * (1.0 + np.sqrt(points.units.shape[1])) + distance)

    def _centres(self, points: Points, seed: int) -> Floats:
        """Find centres by k-means in the sample, from some of its points drawn."""
        rng = np.random.default_rng(seed)
        n = int(points.counts.sum())
        wanted = min(n, max(round(self.share * n), 10 * self.centres))
        rows = rng.choice(n, wanted, replace=False)
        point = np.searchsorted(np.cumsum(points.counts), rows, side="right")
        sample, weight = np.unique(point, return_counts=True)
        many = min(self.centres, len(sample))
        centres: Floats = points.units[rng.choice(sample, many, replace=False)]
        where = points.units[sample]
        before = np.full(len(sample), -1)
        for _ in range(self.rounds):
            nearest, _ = nearest_centres(where, centres)
            if np.array_equal(nearest, before):
                break
            before = nearest
            load = np.bincount(nearest, weight, many)
            for axis in range(where.shape[1]):
                sums = np.bincount(nearest, weight * where[:, axis], many)
                centres[load > 0, axis] = sums[load > 0] / load[load > 0]
        return centres


def nearest_centres(units: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Find for each point the number of its nearest centre, and how far it is."""
    nearest = np.empty(len(units), np.int64)
    distance = np.empty(len(units))
    square = (centres**2).sum(axis=1) / 2
    block = max(1, _CELLS // max(1, len(centres)))
    for low in range(0, len(units), block):
        part = units[low : low + block]
        nearest[low : low + block] = np.argmin(square - part @ centres.T, axis=1)
        away = part - centres[nearest[low : low + block]]
        distance[low : low + block] = np.sqrt((away**2).sum(axis=1))
    return nearest, distance
