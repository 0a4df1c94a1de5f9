"""The pattern program of some row types, all other copies being fixed."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Floats, Indices, Int32s, IntArray, Ints
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    held_values,
    pattern_program,
)
from starmin.models.patterns.patterns import Patterns

# Weights of operators that adapt to what each of them gained of late.


class OperatorWeights:
    """The adaptive weights of a large neighbourhood search.

    The weight of an operator is the running mean of its rewards, and never less than a
    share of the highest weight, so that each operator is tried again.

    ``values`` has the weight of each operator, ``first`` before the first update;
    ``memory`` is the share of a weight that is kept at each update, and ``least`` the
    least weight, as a share of the highest.

    References
    ----------
    Ropke and Pisinger (2006), An adaptive large neighborhood search heuristic for the
    pickup and delivery problem with time windows.

    Examples
    --------
    >>> weights = OperatorWeights(2, memory=0.5, least=0.1)
    >>> weights.update(0, 3.0)
    >>> weights.values.tolist(), weights.share(1)
    ([2.0, 1.0], 0.5)
    """

    def __init__(
        self, operators: int, memory: float, least: float = 0.1, first: float = 1.0
    ) -> None:
        self.values: Floats = np.full(operators, first)
        self.memory, self.least = memory, least

    def add(self, weight: float) -> None:
        """Add an operator with this weight."""
        self.values = np.append(self.values, weight)

    def draw(self, rng: np.random.Generator) -> int:
        """Draw an operator by its weight."""
        shares = self.values / self.values.sum()
        return int(rng.choice(len(self.values), p=shares))

    def update(self, operator: int, reward: float) -> None:
        """Reward an operator for what it gained, for each second or row it took."""
        kept = self.memory * self.values[operator]
        self.values[operator] = kept + (1 - self.memory) * reward
        self.values = np.maximum(self.values, self.least * self.values.max())

    def share(self, operator: int) -> float:
        """Return a weight as a share of the highest one; 1 where all are 0."""
        highest = float(self.values.max())
        return float(self.values[operator]) / highest if highest > 0 else 1.0


# The groups of a release, for destroy operators that give up groups whole.


@dataclass(frozen=True, eq=False)
class WholeGroups:
    """The incidences in use, by group."""

    # types, copies, of: the row type, the copies and the group of each incidence in use
    types: IntArray
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

    def first(self, score: Floats, most: int) -> IntArray:
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


def random_order(codes: Int32s, rng: np.random.Generator) -> Indices:
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


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The program of the row types that move, all other copies being fixed."""

    # that of the free types, with what the fixed copies already give to each pattern
    # moved to its right-hand sides
    program: PatternProgram
    incidences: Ints  # for each incidence of ``program`` its number in the whole
    held: Ints  # fixed copies in each pattern of ``program``
    # for each sensitive column the fixed copies of each value; none where l = 1
    held_values: list[Ints]

    def point(self, whole: Ints) -> Floats:
        """Return the point of ``program`` at the loads of the whole."""
        loads = whole[self.incidences]
        return self.program.point(loads, self.held, self.held_values)

    def loads(self, whole: Ints, point: Floats) -> Ints:
        """Return the loads of the whole with the free types placed as at ``point``."""
        new = whole.copy()
        new[self.incidences] = np.rint(point[: len(self.incidences)]).astype(np.int64)
        return new


def neighbourhood(
    patterns: Patterns, k: int, l: int, loads: Ints, free: Bools, useful: Bools
) -> Neighbourhood:
    r"""Return the program in which only the types marked ``free`` move.

    A pattern that holds L fixed copies, L_v of them with value v, is open already:

    .. math::
        \sum_t x_{pt} \ge k - L, \qquad
        L_v + \sum_{t: v} x_{pt} \le h_p, \quad l h_p \le L + \sum_t x_{pt}.

    Parameters
    ----------
    patterns, k, l
        Of all distinct rows; k and l are 1 where nothing is asked.
    loads, free, useful
        Copies by pair of ``patterns``: a release, but for the free types; which these
        are; and which pairs they may use beside those of ``loads``.
    """
    is_free = free[patterns.types]
    fixed = np.where(is_free, 0, loads)
    inside = np.flatnonzero(is_free & (useful | (loads > 0)))
    alive = np.unique(patterns.pattern[inside])
    held = np.bincount(patterns.pattern, fixed, minlength=len(patterns))
    begun = held[alive], list[Ints]()
    if l > 1:
        counts = held_values(patterns, fixed)
        begun = held[alive], [of_column[alive] for of_column in counts]
    program = pattern_program(patterns.among(free, inside), k, l, begun)
    return Neighbourhood(program, inside, *begun)
