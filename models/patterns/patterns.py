"""Closed suppression patterns of a table: the columns of every pattern model."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import (
    NotSupportedError,
    Objective,
    Partition,
    RowTypes,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.models.price_unit import PriceUnit, is_fine


class Sought(NamedTuple):
    """What patterns are looked for: of which rows, and what a group of them needs."""

    table: Table
    types: RowTypes  # by QI, or by QI and sensitive values for l-diversity
    objective: Objective
    k: int = 1  # k, l: 1 where nothing is asked for
    l: int = 1
    # called now and then; it may raise to end a search
    check: Callable[[], None] = lambda: None

    @classmethod
    def of(cls, run: Run) -> "Sought":
        """Return what a run asks for, whose time ends the search."""
        core, table = run.requirement.core, run.table
        types = table.sensitive_types if core.diversity > 1 else table.row_types
        k, l = core.size, core.diversity
        return cls(table, types, run.objective, k, l, run.check_time)

    @property
    def asked(self) -> tuple[int, int]:
        """What is asked of a group: k and l."""
        return self.k, self.l


# What the groups of a partition are published as, and equal vectors of nodes.


def group_nodes(table: Table, objective: Objective, partition: Partition) -> Int32s:
    """Return the smallest nodes that cover each group, g x d: what it is published as.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> group_nodes(table, STARS, Partition.single(table)).tolist()
    [[-1, 0]]
    """
    scales = objective.scales_of(table)
    ranges = scales.ranges(table, partition.groups, partition.size, partition.rows)
    return scales.nodes(*ranges)


def numbers_of(nodes: Int32s) -> Ints:
    """Return for each row of nodes a number, equal for equal rows.

    Examples
    --------
    >>> numbers_of(np.array([[-1, 5], [0, 5], [-1, 5]], np.int32)).tolist()
    [0, 1, 0]
    """
    if len(nodes) == 0:
        return np.zeros(0, np.int64)
    shifted = nodes.astype(np.int64) - nodes.min(axis=0)
    return group_by(list(shifted.T)).inverse.astype(np.int64)


def numbers_of_both(some: "Patterns", others: "Patterns") -> tuple[Ints, Ints]:
    """Return numbers of two lists of patterns, equal for the same patterns."""
    numbers = numbers_of(np.concatenate([some.nodes, others.nodes]))
    return numbers[: len(some)], numbers[len(some) :]


def marked(size: int, places: npt.ArrayLike) -> Bools:
    """Return so many booleans, true at these places.

    Examples
    --------
    >>> marked(3, [2, 0]).tolist()
    [True, False, True]
    """
    found = np.zeros(size, bool)
    found[np.asarray(places, np.intp)] = True
    return found


def places_in(starts: IntArray, lengths: Ints) -> Ints:
    """Return the places of runs that begin there and have these lengths.

    Examples
    --------
    >>> places_in(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    first = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    return np.asarray(first + np.arange(len(first)), np.int64)


def cover(positions: IntArray, members: Int32s) -> Int32s:
    """Return types whose smallest common pattern is the one of these members.

    Those with the least and the greatest position in each column; ``positions`` is
    m x d.
    """
    own = positions[members]
    ends = np.unique([own.argmin(axis=0), own.argmax(axis=0)])
    return np.asarray(members[ends], np.int32)


# Whether patterns are too many to list, or even to walk over.

_MOST_PAIRS = 2**36  # of a vector of nodes and a row type
_MOST_WALKED = 2**44  # likewise, of which prices rule out most before they are met

_MOST_LISTED = 2**26  # likewise, where columns are kept or starred
_LISTED_PER_SECOND = 1_000_000  # of the time, so that a fifth of it is enough to list
_SET = 400  # A set of columns takes as long as so many pairs.
_MOST_LISTED_NODES = 2**22


def is_wide(
    table: Table, types: RowTypes, objective: Objective, seconds: float = math.inf
) -> bool:
    """Return whether all closed patterns are too many to list in so many seconds."""
    vectors = objective.vectors_above(table)
    if objective.by_node:
        return vectors * len(types) > _MOST_LISTED_NODES
    most = min(_MOST_LISTED, _LISTED_PER_SECOND * seconds)
    return vectors * (len(types) + _SET) > most


def has_too_many_nodes(run: Run) -> bool:
    """Return whether groups are to be looked for among rows, not among nodes."""
    pairs = run.objective.vectors_above(run.table) * len(Sought.of(run).types)
    most = _MOST_PAIRS if run.objective.by_node else _MOST_WALKED
    return pairs > most


def looks_at_rows(table: Table, types: int, objective: Objective) -> bool:
    """Return whether bounds are to come from rows alone.

    There are more vectors of nodes than a walk passes over in time; fewer where losses
    are so fine that none is made. ``types`` is the number of row types.
    """
    pairs = objective.vectors_above(table) * types
    return pairs > _MOST_WALKED or (pairs > _MOST_PAIRS and is_fine(objective, table))


MOST_COLUMNS = 12  # that may be starred, where near patterns are listed
MOST_INCIDENCES = 30_000_000  # pairs of a pattern and a row type in a list


class TooManyPairsError(NotSupportedError):
    """A list of patterns would have more pairs with row types than it may have."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns (a node for each column, as a value or a star) and who fits.

    The row types that agree with pattern p on its kept columns are
    ``types[starts[p]:starts[p + 1]]``, in any order.
    """

    # P x d, what each pattern publishes, numbered as ``instances.Scale.nodes`` does: a
    # single value by its position, at least 0, all else by a negative number
    nodes: Int32s
    cost: Ints  # what a row pays that is released as the pattern
    starts: Ints
    types: Int32s
    row_types: RowTypes  # the m of which these are, with their multiplicities
    unit: PriceUnit  # what prices of these are whole numbers of

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def counts(self) -> Ints:
        """Multiplicities s(t) of the row types."""
        return self.row_types.counts

    @property
    def starred(self) -> Bools:
        """P x d, in which columns each pattern publishes no single value."""
        return np.asarray(self.nodes < 0)

    @cached_property
    def pattern(self) -> Int32s:
        """The pattern of each incidence, beside ``types``."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def support(self) -> Ints:
        """Rows that could be released as each pattern."""
        return np.add.reduceat(self.counts[self.types], self.starts[:-1])

    @property
    def star(self) -> float:
        """A unit of costs: what a column adds on average to the costliest pattern."""
        return float(self.cost.max()) / self.nodes.shape[1] or 1.0

    def select(self, keep: Bools) -> "Patterns":
        """Select the patterns marked in ``keep``."""
        lengths = np.diff(self.starts)
        return self._some(keep, lengths, self.types[np.repeat(keep, lengths)])

    def among(self, chosen: Bools, inside: Ints) -> "Patterns":
        """Select incidences of the types ``chosen``; patterns and types are renumbered.

        ``inside`` are the incidences, in order.
        """
        part, number = self.thin(inside), np.cumsum(chosen, dtype=np.int32) - 1
        types = self.row_types
        left = replace(
            types,
            codes=types.codes[chosen],
            sensitive=types.sensitive[chosen],
            counts=types.counts[chosen],
        )
        return replace(part, types=number[part.types], row_types=left)

    def thin(self, keep: Bools | Ints) -> "Patterns":
        """Select incidences, and the patterns that have some.

        ``keep`` marks them, or has their numbers in order.
        """
        lengths = np.bincount(self.pattern[keep], minlength=len(self))
        return self._some(lengths > 0, lengths, self.types[keep])

    def _some(self, keep: Bools, lengths: Ints, types: Int32s) -> "Patterns":
        """Return the patterns marked in ``keep``, with so many of these types each."""
        starts = np.concatenate([[0], np.cumsum(lengths[keep])])
        given = self.nodes[keep], self.cost[keep], starts, types
        return Patterns(*given, self.row_types, self.unit)


def threshold(values: npt.NDArray[np.number], count: int) -> float:
    """Return the value that ``count`` of ``values`` lie before; infinite if none does.

    >>> threshold(np.array([5, 3, 9]), 2), threshold(np.array([5, 3, 9]), 3)
    (9.0, inf)
    """
    if count >= len(values):
        return math.inf
    return float(np.partition(values, count)[count])


def expect_no_tuples(objective: Objective) -> None:
    """Raise NotSupportedError for tuples."""
    if objective.once:
        raise NotSupportedError("Expected objective 'stars' or 'gcp', got 'tuples'.")


def expect_stars(objective: Objective) -> None:
    """Raise NotSupportedError for another objective than stars."""
    if not objective.by_star:
        raise NotSupportedError(f"Expected objective 'stars', got {objective.kind!r}.")


def star_pairs(table: Table, types: RowTypes, objective: Objective) -> float:
    """Count the pairs of a set of starred columns and a row type.

    Infinite where more columns may be starred than near patterns are listed for.
    """
    columns = int((~objective.kept(table)).sum())
    return len(types) << columns if columns <= MOST_COLUMNS else math.inf
