"""The groups of a release, for destroy operators that give up groups whole."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.patterns.patterns import Patterns


@dataclass(frozen=True, eq=False)
class WholeGroups:
    """The incidences in use, by group."""

    # types, copies, of: the row type, the copies and the group of each incidence in use
    types: npt.NDArray[np.integer]
    copies: Ints
    of: Ints
    # what a row of each group pays beyond its worth on average, divided by the standard
    # deviation of that over the groups
    excess: Floats

    @classmethod
    def of_loads(cls, patterns: Patterns, loads: Ints, excess: Floats) -> "WholeGroups":
        """Return the groups of a release.

        ``loads`` are its copies, and ``excess`` is what a row pays beyond its worth,
        both by incidence.
        """
        used = np.flatnonzero(loads)
        _, of = np.unique(patterns.pattern[used], return_inverse=True)
        each = _means(of, loads[used], excess[used])
        deviation = float(each.std()) or 1.0
        return cls(patterns.types[used], loads[used], of, each / deviation)

    def mean(self, values: npt.NDArray[np.number]) -> Floats:
        """Return the mean over the rows of each group of values by incidence in use."""
        return _means(self.of, self.copies, values)

    def first(self, score: Floats, most: int) -> npt.NDArray[np.integer]:
        """Return the types of the groups with the lowest score, ``most`` at most.

        Groups are taken whole; those with more types are passed over.
        """
        score = np.where(np.bincount(self.of) > most, np.inf, score)
        order = np.argsort(score[self.of], kind="stable")
        types, of = self.types[order], self.of[order]
        new = np.zeros(len(types), np.int64)
        new[np.unique(types, return_index=True)[1]] = 1
        outside = (np.cumsum(new) > most) | np.isinf(score[of])
        return types[~np.isin(of, of[outside])]


def _means(of: Ints, copies: Ints, values: npt.NDArray[np.number]) -> Floats:
    return np.asarray(np.bincount(of, copies * values) / np.bincount(of, copies))


def random_order(codes: Int32s, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Sort the types by a random order of the columns, and start at a random type.

    Examples
    --------
    >>> codes = np.array([[2, 2], [0, 0], [1, 1]], np.int32)
    >>> order = random_order(codes, np.random.default_rng(0)).tolist()
    >>> order[order.index(1) :] + order[: order.index(1)]
    [1, 2, 0]
    """
    order = np.lexsort(codes[:, rng.permutation(codes.shape[1])].T)
    return np.roll(order, -int(rng.integers(len(order))))
