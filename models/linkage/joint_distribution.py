"""The joint distribution P(q, s) of quasi-identifiers and sensitive values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from starmin.instances import Table, TableError, group_by
from starmin.instances.arrays import Floats, Ints

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

    def by_class(self, classes: npt.NDArray[np.integer]) -> Ints:
        """Return the weights P(C, s) of the classes 0, 1, .. of each q, classes x a."""
        sums = np.zeros((int(classes.max()) + 1, self.weights.shape[1]), np.int64)
        np.add.at(sums, classes, self.weights)
        return sums

    def masses(self, classes: npt.NDArray[np.integer]) -> Floats:
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
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    return ranks
