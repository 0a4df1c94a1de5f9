"""How a release is searched for, and what ``starmin.solve`` returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import OnProgress, control_of, expect_time_limit, warn
from starmin.defences.defences import Defences
from starmin.driver import Driver
from starmin.instances import Control, NonHomogeneous, Partition, Problem, Result, Table
from starmin.instances.arguments import expect_kind, expect_whole
from starmin.instances.runs.cores import limited_to
from starmin.outputs.claims import as_published, claim, shown_bound
from starmin.outputs.recodings import Published, publish
from starmin.process.faults import InternalError


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Result[Any]):
    """A result with what is published of it, whatever the recoding.

    Attributes
    ----------
    problem
        The table and what was asked.

    Examples
    --------
    >>> import starmin
    >>> solution = starmin.solve(starmin.load_instance("hospital"), k=2)
    >>> solution.published.n, solution.release.stars
    (10, 2)
    """

    problem: Problem = field(kw_only=True)

    @property
    def claim(self) -> str:
        """The status, and whose word it is where no certificate proves it."""
        return claim(self, lambda bound: shown_bound(self.problem, bound))

    @classmethod
    def of(cls, found: Result[Any], problem: Problem) -> "Solution":
        """Return the result of a problem, with it."""
        parts = {part.name: getattr(found, part.name) for part in fields(Result)}
        return cls(**parts, problem=problem)

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
        expect_kind("method", self.method, str)
        taken = NonHomogeneous if problem.rowwise else Partition
        expect_kind("initial", self.initial, (taken, type(None)))
        if self.seed is not None:
            expect_whole("seed", self.seed, 0)
        for name in ("workers", "work_limit"):
            if getattr(self, name) is not None:
                expect_whole(name, getattr(self, name), 1)
        if self.display is not None:
            expect_kind("display", self.display, bool)
        others = self.time_limit, self.patience
        if self.work_limit is not None and others != (None, None):
            raise ValueError(
                "Expected no time_limit and no patience beside work_limit."
            )
        control = control_of(self.gap, self.patience, self.on_progress)
        expect_time_limit(self.time_limit)
        return control

    @property
    def options(self) -> dict[str, Any]:
        """What methods are given of it."""
        return {
            "seed": self.seed,
            "initial": self.initial,
            "workers": self.workers,
            "work_limit": self.work_limit,
        }


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
            error.result = Solution.of(as_published(problem, error.result), problem)
            raise
    return Solution.of(as_published(problem, found), problem)
