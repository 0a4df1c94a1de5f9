"""How far what a release says is from the truth, in some of the columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np

from starmin.instances import Scales, Table, group_by
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.verify.utility.spread import Spread

# The cells of the original that a release is compared with.


@dataclass(frozen=True, eq=False)
class Truth:
    """A table as rows of positions, with a code for what is sensitive."""

    places: Int32s  # n x d, the positions of the rows on the scales of the QI columns
    sizes: tuple[int, ...]  # how many positions each column has
    # by row: a code of its values in all sensitive columns together; 0 if there is none
    sensitive: Int32s

    @classmethod
    def of(cls, original: Table, scales: Scales) -> "Truth":
        """Return the cells of a table.

        >>> table = Table.from_rows(["a"], [["9"], ["7"], ["9"]], qi=["a"])
        >>> truth = Truth.of(table, Scales.of(table, ["a"]))
        >>> truth.places.tolist(), truth.cells([0])[2].tolist()
        ([[1], [0], [1]], [1, 2])
        """
        scales.check(original)
        codes = np.zeros(original.n, np.int32)
        if original.sensitive:
            codes = original.grouped(original.sensitive).inverse
        sizes = tuple(scale.size for scale in scales.scales)
        return cls(scales.row_positions(original), sizes, codes)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.sensitive)

    @property
    def values(self) -> int:
        """How many codes of sensitive values there are."""
        return int(self.sensitive.max()) + 1

    def cells(self, columns: Sequence[int]) -> tuple[Int32s, Int32s, Ints]:
        """Find the distinct cells in columns: positions, sensitive codes, counts."""
        found = group_by([*(self.places[:, j] for j in columns), self.sensitive])
        at = np.array(columns, np.int64)
        places = np.ascontiguousarray(self.places[np.ix_(found.first, at)])
        return places, self.sensitive[found.first], found.counts


_ROUNDING = 1e-15  # what is left of sums that are 0

DENSE = 4_000_000  # cells of an array that is filled as a whole
LISTED = 20_000_000  # entries of a list of boxes by position, one a box apart
PAIRS = 400_000_000  # of cells and boxes that are looked at one by one


@dataclass(frozen=True)
class Fit:
    """A release against its original."""

    # Kullback-Leibler divergence, in nats: 0 if they agree, infinite if the release
    # rules out a cell that occurs
    kl: float
    # the mean over cells that occur of the error of their count, by that count
    relative_error: float
    cells: int  # how many cells occur
    asked: int  # how many of them were compared: all, or a random sample


def compare(
    spread: Spread,
    truth: Truth,
    columns: Sequence[int] | None = None,
    *,
    pairs: int = PAIRS,
    seed: int = 0,
) -> Fit:
    r"""Compare the counts of all cells in some columns with those a release tells.

    With P the distribution of the table over the cells of these columns and the
    sensitive one, and Q that of the release (``Spread``),

    .. math:: D(P \| Q) = \sum_c P(c) \ln \frac{P(c)}{Q(c)}, \qquad
              \text{mean}_c \frac{|P(c) - Q(c)|}{P(c)}

    over the cells that occur in the table. The ``columns`` are numbers of QI columns;
    by default all, which is the divergence between the table and the release. So many
    ``pairs`` of a cell and a box may be looked at; where there are more, and the cells
    do not fit into an array, cells are sampled, and the divergence is estimated.

    References
    ----------
    D. Kifer, J. Gehrke, Injecting utility into anonymized datasets, SIGMOD 2006. G.
    Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009, section
    7.4.

    Examples
    --------
    >>> from starmin.verify.utility.spread import spread_of
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["2"], ["2"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"]] * 4, qi=["a"])
    >>> scales = Scales.of(table)
    >>> fit = compare(spread_of(released, table, scales), Truth.of(table, scales))
    >>> fit.relative_error == (1 + 1 / 3) / 2, round(fit.kl, 4)
    (True, 0.1308)
    """
    chosen = list(range(len(truth.sizes)) if columns is None else columns)
    places, sensitive, counts = truth.cells(chosen)
    cells = asked = len(counts)
    if (truth.values + 1) * prod(truth.sizes[j] + 1 for j in chosen) <= DENSE:
        told = _array(spread, truth, chosen)[(*places.T, sensitive)]
    else:
        most = max(1000, pairs // max(1, len(spread.mass)))
        if cells > most:
            take = np.random.default_rng(seed).choice(cells, most, replace=False)
            places, sensitive, counts = places[take], sensitive[take], counts[take]
            asked = most
        told = _one_by_one(spread, truth, chosen, places, sensitive)
    real = counts / truth.n
    with np.errstate(divide="ignore"):
        ratio = np.log(real / told)
    kl = float(real @ ratio / real.sum())
    if asked == cells:  # rounding may leave it a little below 0
        kl = max(0.0, kl)
    return Fit(kl, float((abs(real - told) / real).mean()), cells, asked)


def _weights(spread: Spread, columns: Sequence[int]) -> Floats:
    """Return what each box gives each cell in it, all sensitive values together."""
    return np.asarray(spread.mass / spread.widths[:, columns].prod(axis=1))


def _array(spread: Spread, truth: Truth, columns: Sequence[int]) -> Floats:
    """Return what is told of all cells: an axis for each column, one for the value.

    Boxes are added at their corners, and sums along all axes fill them.
    """
    lengths = np.diff(spread.starts)[spread.group]
    box = np.repeat(np.arange(len(spread.mass)), lengths)
    ends = np.cumsum(lengths)
    entry = np.arange(len(box)) - (ends - lengths)[box]
    entry += spread.starts[spread.group][box]
    mass = _weights(spread, columns)[box] * spread.shares[entry]
    shape = (*(truth.sizes[j] + 1 for j in columns), truth.values + 1)
    flat = np.zeros(prod(shape))
    for corner in product((0, 1), repeat=len(columns)):
        at = [
            (spread.high[box, j] + 1) if end else spread.low[box, j]
            for j, end in zip(columns, corner, strict=True)
        ]
        key = np.ravel_multi_index([*at, spread.values[entry]], shape)
        sign = -1.0 if sum(corner) % 2 else 1.0
        flat += np.bincount(key, sign * mass, minlength=len(flat))
    told = flat.reshape(shape)
    for axis in range(len(columns)):
        np.cumsum(told, axis=axis, out=told)
    told[told < _ROUNDING] = 0
    return told


def _one_by_one(
    spread: Spread, truth: Truth, columns: list[int], places: Int32s, sensitive: Int32s
) -> Floats:
    """Return what is told of some cells, box by box."""
    from starmin.verify.utility.fit_loops import (
        BoxIndex,
        WeighedBoxes,
        boxes_at,
        told_at,
    )

    low = np.ascontiguousarray(spread.low[:, columns])
    high = np.ascontiguousarray(spread.high[:, columns])
    # Boxes are looked up by the column in which they are narrowest.
    sizes = np.array([truth.sizes[j] for j in columns])
    narrow = int(np.argmin((high - low + 1).mean(axis=0) / sizes))
    least, most, shift = low[:, narrow], high[:, narrow], 0
    # Positions are joined until the lists of the boxes at each are short enough.
    while (most - least).sum() > LISTED:
        least, most, shift = least >> 1, most >> 1, shift + 1
    listed = boxes_at(least, most, (int(sizes[narrow]) >> shift) + 1)
    shown = spread.group, spread.starts, spread.values, spread.shares
    weighed = WeighedBoxes(low, high, _weights(spread, columns), *shown)
    index = BoxIndex(narrow, shift, *listed)
    told: Floats = told_at(places, sensitive, index, weighed)
    return told


# Count queries over the levels of the data cube: the table against a release.


@dataclass(frozen=True)
class CubeErrors:
    """The errors of all queries of a level."""

    level: int  # how many QI columns the queries group by
    group_bys: int  # how many sets of columns were compared
    kl: float  # the mean Kullback-Leibler divergence of a set of columns
    # the mean over sets of columns of the mean relative error of a count
    relative_error: float


def cube_errors(
    spread: Spread, truth: Truth, level: int, *, most: int = 35
) -> CubeErrors:
    """Answer count queries from a release and from the table.

    The queries of a level are ``SELECT columns, COUNT(*) WHERE sensitive = value GROUP
    BY columns`` for all sets of so many QI columns and all sensitive values.

    ``level`` is from 1 to d. At most ``most`` sets of columns are compared; of more a
    random sample. For the reference see ``compare``.
    """
    sets = list(combinations(range(len(truth.sizes)), level))
    if len(sets) > most:
        chosen = np.random.default_rng(0).choice(len(sets), most, replace=False)
        sets = [sets[at] for at in sorted(chosen.tolist())]
    fits = [compare(spread, truth, some, pairs=PAIRS // 20) for some in sets]
    told, errors = zip(*((fit.kl, fit.relative_error) for fit in fits), strict=True)
    return CubeErrors(level, len(sets), float(np.mean(told)), float(np.mean(errors)))
