"""Contiguous classes of quasi-identifiers that each hold l likely values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from starmin.instances import Table, TableError, group_by
from starmin.instances.arrays import Floats, Int32s, IntArray, Ints

# The joint distribution P(q, s) of quasi-identifiers and sensitive values.

_SCALE = 2**48


@dataclass(frozen=True, eq=False)
class JointDistribution:
    """P(q, s) over quasi-identifiers q in a fixed total order, as whole weights.

    Masses of classes are sums of whole numbers, so that a class reaches a threshold or
    does not, whatever the order of summation.

    Examples
    --------
    >>> joint = JointDistribution.uniform(4, 2)
    >>> joint.weights.tolist()
    [[1, 1], [1, 1], [1, 1], [1, 1]]
    >>> joint.by_class(np.array([0, 0, 0, 1])).tolist()
    [[3, 3], [1, 1]]
    """

    # |Q| x a, whole numbers >= 0: P(q, s) = ``weights[q, s] / weights.sum()``
    weights: Ints
    # for each q its cells, one for each name in ``qi``
    quasi_identifiers: tuple[tuple[str | None, ...], ...]
    sensitive_values: tuple[str | None, ...]  # the a sensitive values
    qi: tuple[str, ...] = ("q",)  # names of the quasi-identifier's columns

    def __post_init__(self) -> None:
        shape = (len(self.quasi_identifiers), len(self.sensitive_values))
        if self.weights.shape != shape:
            raise ValueError(f"Expected weights of shape {shape}, got another.")
        if (self.weights < 0).any() or not self.weights.any():
            raise ValueError("Expected weights >= 0, not all of them 0.")
        if float(self.weights.sum()) * self.weights.shape[1] >= 2**62:
            raise ValueError("Expected weights that add up to less than 2^62 / a.")

    @classmethod
    def from_masses(cls, masses: npt.ArrayLike) -> "JointDistribution":
        """Take masses in floating point, rounded to multiples of 2^-48 of their sum."""
        given = np.asarray(masses, np.float64)
        if given.ndim != 2 or not np.isfinite(given).all() or (given < 0).any():
            raise ValueError("Expected a matrix of masses >= 0.")
        if given.sum() <= 0:
            raise ValueError("Expected masses that are not all 0.")
        weights = np.rint(given / given.sum() * _SCALE).astype(np.int64)
        return cls(weights, _numbers(given.shape[0]), _names(given.shape[1]))

    @classmethod
    def uniform(cls, size: int, values: int) -> "JointDistribution":
        """Make every pair of ``size`` quasi-identifiers and ``values`` values alike."""
        return cls(np.ones((size, values), np.int64), _numbers(size), _names(values))

    @classmethod
    def geometric(cls, size: int, values: int, ratio: float) -> "JointDistribution":
        """Make q uniform and P(s = j) proportional to ``ratio**j``, independently."""
        if not 0 < ratio <= 1:
            raise ValueError(f"Expected 0 < ratio <= 1, got {ratio}.")
        return cls.from_masses(np.tile(ratio ** np.arange(values), (size, 1)))

    @classmethod
    def from_table(
        cls, table: Table, numeric: Sequence[str] = ()
    ) -> "JointDistribution":
        """Take the empirical distribution of a table with one sensitive column.

        Quasi-identifiers are ordered lexicographically, column by column: as numbers in
        the columns of ``numeric``, else as text. Raises TableError where there is not
        one sensitive column, or a cell of a numeric column is no number.
        """
        if len(table.sensitive) != 1:
            raise TableError(
                f"{table.name}: expected one sensitive column, "
                f"got {len(table.sensitive)}; name one"
            )
        types = table.sensitive_types
        ranks = [
            _ranks(table, column, column in numeric)[types.codes[:, j]]
            for j, column in enumerate(table.qi)
        ]
        groups = group_by(ranks, table.qi_cardinalities)
        values = table.dictionary(table.sensitive[0])
        weights = np.zeros((groups.size, len(values)), np.int64)
        np.add.at(weights, (groups.inverse, types.sensitive[:, 0]), types.counts)
        dictionaries = [table.dictionary(column) for column in table.qi]
        cells = tuple(
            tuple(d[code] for d, code in zip(dictionaries, row, strict=True))
            for row in types.codes[groups.first]
        )
        return cls(weights, cells, values, table.qi)

    @cached_property
    def total(self) -> int:
        """Return what the weights add up to."""
        return int(self.weights.sum())

    @property
    def size(self) -> int:
        """Number of quasi-identifiers."""
        return len(self.weights)

    @cached_property
    def sorted_marginal(self) -> Floats:
        """Return P_S, the largest mass first."""
        marginal = np.sort(self.weights.sum(axis=0))[::-1] / self.total
        return np.asarray(marginal, np.float64)

    def by_class(self, classes: IntArray) -> Ints:
        """Return the weights P(C, s) of the classes 0, 1, .. of each q, classes x a."""
        sums = np.zeros((int(classes.max()) + 1, self.weights.shape[1]), np.int64)
        np.add.at(sums, classes, self.weights)
        return sums

    def masses(self, classes: IntArray) -> Floats:
        """Return the masses P(C, s), classes x a."""
        return np.asarray(self.by_class(classes) / self.total, np.float64)


def _numbers(size: int) -> tuple[tuple[str | None, ...], ...]:
    return tuple((str(q),) for q in range(size))


def _names(values: int) -> tuple[str | None, ...]:
    return tuple(f"s{s}" for s in range(values))


def _ranks(table: Table, column: str, numeric: bool) -> Ints:
    """Rank each of a column's values in its order, missing cells first."""
    values = table.dictionary(column)
    if numeric:
        try:
            keys = np.array([-np.inf if v is None else float(v) for v in values])
        except ValueError as error:
            raise TableError(
                f"{table.name}: column {column!r}: {error}; it is not numeric"
            ) from None
        order = np.argsort(keys, kind="stable")
    else:
        texts = [(v is not None, v or "") for v in values]
        order = np.array(sorted(range(len(values)), key=texts.__getitem__), np.intp)
    return np.argsort(order)


_SLACK = 1e-9


def greedy_classes(joint: JointDistribution, l: int, gamma: float) -> Int32s:
    """Partition ordered quasi-identifiers into the most contiguous classes. Exact.

    A class C is *admissible* if ``P(C, s) >= gamma`` for at least l sensitive values s,
    compared with relative slack 1e-9, since a float seldom is the fraction that was
    meant. The sweep closes a class at the first quasi-identifier that makes it
    admissible; what remains at the end joins the last class (Greedy-Generalize,
    Algorithm 2). Returns for each quasi-identifier the number of its class, 0, 1, ..;
    raises ValueError where even all of them together are not admissible.

    No contiguous admissible partition has more classes: by induction its i-th class
    ends no earlier than the sweep's, because masses of intervals only grow (Proposition
    4.6).

    Notes
    -----
    O(a log |Q|) for each class, after cumulative sums.

    References
    ----------
    Rameshwar, Tandon: (l, delta)-Diversity: Linkage-Robustness via a Composition
    Theorem, 2025, section 4.3.

    Examples
    --------
    >>> greedy_classes(JointDistribution.uniform(7, 3), l=2, gamma=0.14).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    threshold = threshold_of(joint, l, gamma)
    return _labels(Sweep(joint, l).ends(threshold), joint.size)


def least_masses(joint: JointDistribution, l: int, classes: IntArray) -> Floats:
    """Return each class's l-th largest P(C, s): admissible where it is >= gamma."""
    weights = joint.by_class(classes)
    if l > weights.shape[1]:
        return np.zeros(len(weights))
    ranked = np.sort(weights, axis=1)[:, ::-1]
    return np.asarray(ranked[:, l - 1] / joint.total, np.float64)


def threshold_of(joint: JointDistribution, l: int, gamma: float) -> int:
    """Return the least weight that counts as mass ``gamma``; check l and gamma."""
    check_l(joint, l)
    if not gamma > 0:
        raise ValueError(f"Expected gamma > 0, got {gamma}.")
    most = float(joint.sorted_marginal[l - 1])
    if gamma * (1 - _SLACK) > most:
        raise ValueError(
            f"Expected gamma <= {most:.6g}, the probability of the {l}-th most "
            f"likely sensitive value, got {gamma:.6g}."
        )
    return max(1, math.ceil(gamma * joint.total * (1 - _SLACK)))


def check_l(joint: JointDistribution, l: int) -> None:
    """Raise ValueError where there are fewer than l sensitive values."""
    values = joint.weights.shape[1]
    if not 1 <= l <= values:
        raise ValueError(f"Expected 1 <= l <= {values} (sensitive values), got {l}.")


class Sweep:
    """The sweep of Greedy-Generalize, for one distribution and many thresholds."""

    def __init__(self, joint: JointDistribution, l: int) -> None:
        self.l = l
        size, values = joint.weights.shape
        self._cumulative = np.zeros((size + 1, values), np.int64)
        np.cumsum(joint.weights, axis=0, out=self._cumulative[1:])
        # One sorted array for all values: value s lives in [s * step, (s + 1) * step).
        step = joint.total + 1
        self._offsets = np.arange(values, dtype=np.int64) * step
        self._keys = (self._cumulative + self._offsets).T.ravel()
        self._size = size

    def ends(self, threshold: int) -> Ints:
        """Return where each class ends (exclusive); the remainder is not joined yet."""
        ends: list[int] = []
        begin = 0
        firsts = np.arange(len(self._offsets)) * (self._size + 1)
        limits = self._offsets + self._cumulative[-1]
        while True:
            wanted = self._cumulative[begin] + self._offsets + threshold
            reached = np.searchsorted(self._keys, wanted) - firsts
            reached[wanted > limits] = self._size + 1
            end = int(np.partition(reached, self.l - 1)[self.l - 1])
            if end > self._size:
                return np.array(ends, np.int64)
            ends.append(end)
            begin = end

    def least(self, ends: Ints) -> int:
        """Return the least l-th largest weight of the classes, the remainder joined."""
        borders = np.append(0, ends)
        borders[-1] = self._size
        weights = np.diff(self._cumulative[borders], axis=0)
        at = weights.shape[1] - self.l
        return int(np.partition(weights, at, axis=1)[:, at].min())

    def highest_threshold(self, classes: int, most: int) -> int:
        """Find the highest threshold, up to ``most``, that gives that many classes.

        0 if none does. By bisection over the whole numbers; each success jumps to
        the least weight its classes really have, at which they remain admissible.
        """
        low, high = 0, most + 1
        while high - low > 1:
            middle = (low + high) // 2
            ends = self.ends(middle)
            if len(ends) >= classes:
                low = min(max(middle, self.least(ends)), high - 1)
            else:
                high = middle
        return low


def _labels(ends: Ints, size: int) -> Int32s:
    borders = np.append(0, ends)
    borders[-1] = size
    return np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(borders))
