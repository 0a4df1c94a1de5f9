"""How a release is searched for, and what ``starmin.solve`` returns."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import OnProgress, warn
from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.instances import (
    Certificate,
    Control,
    Limit,
    NonHomogeneous,
    Partition,
    Problem,
    Progress,
    Result,
    Status,
    Table,
    arguments,
)
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.result import result_text
from starmin.outputs.claims import as_published, claim, shown_bound
from starmin.outputs.recodings import Published, publish
from starmin.process.faults import InternalError


class Worth(ABC):
    """What was found, in the unit that people read: of a solution, and of a frame."""

    @property
    @abstractmethod
    def _made(self) -> "Solution":
        """The solution that this is, or is of."""

    @property
    def best(self) -> Any:
        """The groups, or the stars of each row, as ``initial`` takes them; or None."""
        return self._made.units.best

    @property
    def value(self) -> int | float | None:
        """What the release costs: stars, tuples, or for ``gcp`` a share of 1."""
        return self._made.problem.shown(self._made.units.value)

    @property
    def lower_bound(self) -> int | float | None:
        """No release costs less; None where nothing was proven."""
        return self._made.problem.shown(self._made.units.lower_bound)

    @property
    def certified_bound(self) -> int | float | None:
        """The part of the bound that the certificate proves to anyone."""
        return self._made.problem.shown(self._made.units.certified_bound)

    @property
    def certificate_checked(self) -> bool | None:
        """Whether it was accepted here; False: no time, None: there is none."""
        return self._made.units.certificate_checked

    @property
    def claim(self) -> str:
        """The status, and whose word it is where no certificate proves it."""
        made = self._made
        return claim(made.units, lambda bound: shown_bound(made.problem, bound))

    @property
    def gap(self) -> float | None:
        """By how much the value may be too large, as a share of the bound."""
        return self._made.units.gap

    @property
    def reason(self) -> str | None:
        """Why there can be no release, or None."""
        return self._made.units.reason


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Worth):
    """What was found of a problem, in the unit that people read.

    Losses are shares of 1, stars and tuples whole numbers. Where losses are compared to
    the last digit, ``units`` is asked.

    Attributes
    ----------
    units
        What the method returned: ``value``, ``lower_bound`` and ``certified_bound`` are
        whole numbers, of the common denominator of all losses.
    problem
        The table and what was asked.

    Examples
    --------
    >>> import starmin
    >>> solution = starmin.solve(starmin.load_instance("hospital"), k=2)
    >>> solution.published.n, solution.release.stars
    (10, 2)
    >>> cells = [["30"], ["31"], ["50"], ["70"]]
    >>> table = starmin.Table.from_rows(["age"], cells, qi=["age"])
    >>> ranged = starmin.solve(table, k=2, numeric=["age"])
    >>> ranged.value, ranged.units.value, ranged.units.status.value
    (0.2625, 42, 'optimal')
    """

    units: Result[Any]
    problem: Problem

    @property
    def _made(self) -> "Solution":
        return self

    def __repr__(self) -> str:
        return result_text(self, self.claim)

    @property
    def tolerance(self) -> float:
        """The largest gap that is called optimal: 1e-6 for losses, else 0."""
        return self.units.tolerance

    @property
    def status(self) -> Status:
        """What was proven."""
        return self.units.status

    @property
    def limit(self) -> Limit | None:
        """Why the search stopped early, or None."""
        return self.units.limit

    @property
    def bound_method(self) -> str | None:
        """What proved ``lower_bound``."""
        return self.units.bound_method

    @property
    def certificate(self) -> Certificate | None:
        """What proves ``certified_bound`` to anyone, without a solver."""
        return self.units.certificate

    @property
    def runtime(self) -> float:
        """Seconds of the search."""
        return self.units.runtime

    @property
    def stats(self) -> Mapping[str, float | int | str]:
        """Figures of the run, for reports."""
        return self.units.stats

    @property
    def defences(self) -> Mapping[str, Any]:
        """What was hidden after the search beyond what was asked, by defence."""
        return self.units.defences

    @cached_property
    def release(self) -> Published | None:
        """What is published, by the recoding that was asked for; None for a bound."""
        if self.best is None:
            return None
        return publish(self.problem.public, self.best, self.problem.coding)

    @cached_property
    def published(self) -> Table | None:
        """The table to publish; that of sensitive values is in ``release.tables()``."""
        return None if self.release is None else self.release.tables()[""]


@dataclass(frozen=True, kw_only=True)
class Search:
    """How a release is searched for: arguments of ``solve``."""

    method: str = AUTO  # its name, or ``auto``
    time_limit: float | None = None  # seconds that end the search
    gap: float | None = None  # small enough to end the search
    # seconds without a better value or bound that end the search
    patience: float | None = None
    on_progress: OnProgress | None = None  # what is told of each improvement
    seed: int | None = None  # of whatever is random
    workers: int | None = None  # how many cores are used
    work_limit: int | None = None  # units of work that end the search
    display: bool | None = None  # whether progress is shown
    initial: Partition | NonHomogeneous | None = None  # a release to start from

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Search":
        """Return what arguments tell of the search, by name."""
        named = {f.name: told[f.name] for f in fields(cls) if f.name in told}
        if hasattr(named.get("initial"), "best"):  # an earlier result
            named["initial"] = named["initial"].best
        return cls(**named)

    def expect(self, problem: Problem) -> Control:
        """Check the arguments; return what ends the search early, and who hears."""
        arguments.expect_kind("method", self.method, str)
        taken = NonHomogeneous if problem.rowwise else Partition
        arguments.expect_kind("initial", self.initial, (taken, type(None)))
        for name, least in (("seed", 0), ("workers", 1), ("work_limit", 1)):
            if getattr(self, name) is not None:
                arguments.expect_whole(name, getattr(self, name), least)
        if self.display is not None:
            arguments.expect_kind("display", self.display, bool)
        others = self.time_limit, self.patience
        if self.work_limit is not None and others != (None, None):
            raise ValueError(
                "Expected no time_limit and no patience beside work_limit."
            )
        if self.gap is not None:
            arguments.expect_number("gap", self.gap)
            if not self.gap >= 0:  # nor is NaN
                raise ValueError(f"Expected gap >= 0, got {self.gap!r}.")
        arguments.expect_function("on_progress", self.on_progress)
        for name in ("patience", "time_limit"):
            if getattr(self, name) is not None:
                arguments.expect_seconds(name, getattr(self, name))
        hears = self.on_progress
        return Control(
            () if hears is None else (_as_read(problem, hears),),
            self.gap,
            math.inf if self.patience is None else float(self.patience),
        )

    @property
    def options(self) -> dict[str, Any]:
        """What methods are given of it."""
        names = "seed", "initial", "workers", "work_limit"
        return {name: getattr(self, name) for name in names}


def _as_read(problem: Problem, hears: OnProgress) -> OnProgress:
    """Return a listener that hears value and bound in the unit that people read."""

    def hear(now: Progress) -> object:
        told: dict[str, Any] = {"value": problem.shown(now.value)}
        told["lower_bound"] = problem.shown(now.lower_bound)
        return hears(replace(now, **told))

    return hear


def solve_problem(
    problem: Problem,
    search: Search,
    options: Mapping[str, Any],
    defences: Defences | None = None,
) -> Solution:
    """Find the cheapest release of a problem.

    The problem is checked; options are further arguments of the method. ``defences``
    are what is hidden in addition; None: nothing.
    """
    if defences is not None:
        defences.expect(problem)
    how = search.method, search.time_limit, search.expect(problem)
    options = {**options, **search.options}
    quiet = None if search.display is None else not search.display
    with limited_to(search.workers), Driver(*how, quiet=quiet) as driver:
        warn(driver.cautions(problem, options))
        try:
            found = driver.solve(problem, options, defences=defences)
        except InternalError as error:
            error.result = Solution(as_published(problem, error.result), problem)
            raise
    return Solution(as_published(problem, found), problem)
