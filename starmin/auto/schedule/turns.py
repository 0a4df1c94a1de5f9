"""Turns that methods have at a problem: for which, and for how long."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from starmin.auto.task import Task
from starmin.models.bounds.many_nodes import looks_at_rows
from starmin.models.distinct.distinct_reduction import to_be_placed

SLICE = 1.5  # seconds that a first slice in a contest has at least
Goal = Literal["stars", "losses", "tuples"]


class Size:
    """What turns depend on: a problem and its time, not what was found.

    Parameters
    ----------
    task
        The problem, with its time limit.

    Attributes
    ----------
    goal
        What is minimised.
    rows
        How many the table has.
    least
        The larger one of k and l.
    diverse, distinct
        Whether groups need sensitive values that are few of each, or different.
    """

    def __init__(self, task: Task) -> None:
        core = task.requirement.core
        self.rows, self.least = task.table.n, max(core.size, core.diversity)
        self.diverse, self.distinct = core.diversity > 1, core.distinct > 1
        self.goal: Goal = "losses" if task.of_losses else "stars"
        if task.objective.once:
            self.goal = "tuples"
        self._task, self._seconds = task, max(task.seconds, 1e-9)

    @cached_property
    def pairs(self) -> float:
        """Of a row type and a pattern, in the pattern formulation, at most."""
        table, requirement = self._task.table, self._task.requirement
        types = table.sensitive_types if table.sensitive else table.row_types
        size = len(types)
        if self.distinct:
            size = int(to_be_placed(types, requirement).sum())
        return size * float(self._task.objective.vectors_above(table))

    @cached_property
    def types(self) -> int:
        """Types of rows; under l-diversity by sensitive value."""
        table = self._task.table
        return len(table.sensitive_types if self.diverse else table.row_types)

    @cached_property
    def by_rows(self) -> bool:
        """Whether vectors of nodes are too many to walk over: rows prove bounds."""
        task = self._task
        if self.goal != "losses" or task.table.counts is not None:
            return False
        return looks_at_rows(task.table, self.types, task.objective)

    def amount(self, unit: str) -> float:
        """Return how many of a unit the problem has: rows, types, pairs, couples."""
        if unit == "couples":
            return self.types**2 / 2
        return float(getattr(self, unit))

    def pace(self, unit: str) -> float:
        """Return how many of a unit there are for each second of the time."""
        return self.amount(unit) / self._seconds


@dataclass(frozen=True)
class Pace:
    """Bounds on what there is of a unit for each second of the time."""

    unit: str
    most: float = math.inf
    more_than: float = -1.0


@dataclass(frozen=True)
class Where:
    """For which problems a turn is; what is not said is as it may be.

    Attributes
    ----------
    goal
        What is minimised.
    rows, types
        The fewest and the most rows; likewise types of rows.
    alike
        The fewest rows of a type, on average.
    least
        The larger one of k and l.
    diverse, distinct
        Whether groups need sensitive values that are few of each, or different.
    pace
        How large it may be for its time.
    """

    goal: Goal | None = None
    rows: tuple[int, float] = (0, math.inf)
    types: tuple[int, float] = (0, math.inf)
    alike: float = 0
    least: int | None = None
    diverse: bool | None = None
    distinct: bool | None = None
    pace: Pace | None = None

    def holds(self, size: Size) -> bool:
        """Check whether a problem is one of these."""
        for unit, (fewest, most) in (("rows", self.rows), ("types", self.types)):
            # Types are counted where they are asked for.
            if (fewest, most) != (0, math.inf) and not (
                fewest <= size.amount(unit) <= most
            ):
                return False
        for name in ("goal", "least", "diverse", "distinct"):
            if getattr(self, name) not in (None, getattr(size, name)):
                return False
        if self.alike and size.rows < self.alike * size.types:
            return False
        if self.pace is None:
            return True
        return self.pace.more_than < size.pace(self.pace.unit) <= self.pace.most


@dataclass(frozen=True)
class Growth:
    """Further turns, each twice as long as the one before, until a bound is near.

    Attributes
    ----------
    gap
        They go on while release and bound are farther apart than this share.
    share
        Of the time, that all of them take at most.
    """

    gap: float
    share: float


def _nothing() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Turn:
    """A turn of some methods, one after the other.

    Attributes
    ----------
    methods
        By name. Those that do not take the problem are passed over.
    where
        For which problems; one of these is enough.
    share
        What each may take of the time that is left then.
    per
        And no more than a second for so many of a unit, ``("pairs", 4000)``; in a
        contest this holds for the first slices.
    most
        And no more seconds than this.
    starts
        Whether they are for problems without a release to start from alone.
    stars
        Whether they search for few stars, whatever is minimised.
    once
        Whether those that had a turn are passed over.
    growth
        Further turns, where one was too short.
    waits
        What share of its turn waits for a bound beside the search.
    contest
        Whether its methods alternate until the time is up: after one slice each, the
        next one goes to whose last slice gained most a second, in release and bound.
    ends
        Whether the first that takes the problem is the last but for turns that come
        after it.
    after
        Whether it comes after the last, where that has left time. Bounds are asked
        where nothing is proven.
    given
        Options of the methods.
    """

    methods: tuple[str, ...]
    where: tuple[Where, ...] = (Where(),)
    share: float = 1.0
    per: tuple[str, float] | None = None
    most: float = math.inf
    starts: bool = False
    stars: bool = False
    once: bool = False
    growth: Growth | None = None
    waits: float = 0.0
    contest: bool = False
    ends: bool = False
    after: bool = False
    given: Callable[[], Mapping[str, Any]] = _nothing

    def fits(self, size: Size) -> bool:
        """Check whether it is for a problem."""
        return any(where.holds(size) for where in self.where)

    def first(self, size: Size) -> float:
        """Return how long the first slice in a contest is at most."""
        if self.per is None:
            return math.inf
        unit, number = self.per
        return max(SLICE, size.amount(unit) / number)

    def seconds(self, size: Size, left: float) -> float:
        """Return how long one of its methods may work, where so much time is left."""
        seconds = min(self.share * left, self.most)
        if self.per is not None and not self.contest:
            unit, number = self.per
            seconds = min(seconds, size.amount(unit) / number)
        return seconds
