"""One run of a method: its clock, incumbent, bound and live progress."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Generic

from starmin.instances.errors import NotSupportedError
from starmin.instances.problem import why_infeasible
from starmin.instances.releases.mask import why_no_mask
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.release import deleted_rows
from starmin.instances.requirements.requirement import MASK, Requirement
from starmin.instances.runs import search_control
from starmin.instances.runs.background_call import ended_on_return
from starmin.instances.runs.certificate import Certificate
from starmin.instances.runs.cores import limited_to, wait_for_turn
from starmin.instances.runs.method import Method
from starmin.instances.runs.progress import Progress, ProgressLines
from starmin.instances.runs.result import Best, Limit, Result, gap_of, is_near
from starmin.instances.runs.watch import ending_gap, tolerance_of, watched
from starmin.instances.tables.table import Table

LEAST = "no release costs less than 0"


class Run(Generic[Best]):
    """What every method keeps while it works, and the Result it makes of it.

    Raises NotSupportedError: the method does not take the problem.

    Parameters
    ----------
    time_limit
        Wall-clock seconds.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    method
        What runs, where that shall be asked whether it takes the problem.
    workers
        How many cores it may use; None: as many as whoever called it.

    Attributes
    ----------
    best, value
        The incumbent and its cost; None before the first.
    lower_bound, bound_method, certificate, spares
        The highest bound proven, what proved it, the best certificate, and others for
        where its check takes too long.
    stats
        Figures of the run, for reports.

    Examples
    --------
    >>> from starmin.instances.requirements.k_anonymity import KAnonymity
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> run = Run(table, KAnonymity(2))
    >>> from starmin.instances.releases.partition import Partition
    >>> run.offer(Partition.single(table))
    True
    >>> run.raise_bound(2, "by hand")
    >>> run.result().status.value
    'optimal'
    """

    def __init__(
        self,
        table: Table,
        requirement: Requirement,
        objective: Objective = STARS,
        time_limit: float = math.inf,
        display: bool = False,
        method: Method | None = None,
        workers: int | None = None,
    ) -> None:
        if method is not None:
            method.expect(requirement, objective)
            if table.counts is not None and not method.counted:
                raise NotSupportedError(
                    f"{method.name} takes no counted table: it looks at rows."
                )
        objective.check(table)
        self.table = table
        self.requirement = requirement
        self.objective = objective
        self.time_limit = time_limit
        self.workers = workers
        self.best: Best | None = None
        self.value: int | None = None
        self.lower_bound: int | None = None
        self.bound_method: str | None = None
        self.certificate: Certificate | None = None
        self.spares: list[Certificate] = []
        self.stats: dict[str, float | int | str] = {}
        self._started = search_control.now()
        self._method = "" if method is None else method.name
        self._lines: ProgressLines | None = None
        if display:
            self._lines = ProgressLines(
                lambda cost: objective.shown(table, cost), named=True
            )
        self._ends = ending_gap(objective)
        self._watch = watched()
        if self._watch is not None:
            self._watch.add(self)

    @property
    def asked(self) -> tuple[Table, Requirement, Objective]:
        """What is asked of it: the table, the requirement and the objective."""
        return self.table, self.requirement, self.objective

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return search_control.now() - self._started

    @property
    def remaining(self) -> float:
        """Seconds left, never negative; none once all is to stop."""
        wait_for_turn()
        if search_control.stopping():
            return 0.0
        left = self.time_limit - self.elapsed
        if (gate := search_control.gate_here()) is not None:
            left = min(left, gate.end - time.perf_counter())
        return max(0.0, left)

    def check_time(self) -> None:
        """Raise TimeoutError where no time is left.

        Raises KeyboardInterrupt: all is to stop.
        """
        left = self.remaining
        if search_control.stopping():
            raise KeyboardInterrupt
        if not left:
            raise TimeoutError

    def pace(self) -> search_control.Pace:
        """Return what begins no step that may end after the time."""
        return search_control.Pace(self.check_time, lambda: self.remaining)

    @property
    def closed(self) -> bool:
        """Whether value and bound are as near as is asked: nothing is left to do."""
        return self.lower_bound is not None and self.is_enough(self.lower_bound)

    def is_enough(self, bound: int) -> bool:
        """Check whether a bound is as near to the best value as is asked."""
        return is_near(self.value, bound, self._ends)

    def infeasible(self) -> Result[Best] | None:
        """Return the Result for a table that has no release, or None."""
        why = why_no_mask if self.requirement.space == MASK else why_infeasible
        reason = why(*self.asked)
        if reason is None:
            return None
        return Result[Best](None, None, None, self.elapsed, reason=reason)

    def carry_out(
        self,
        search: Callable[[], Limit | None],
        otherwise: Callable[[], object] = lambda: None,
    ) -> Result[Best]:
        """Run an algorithm in the frame that all methods share.

        The table is checked for feasibility; the end of the time and an interrupt end
        the algorithm and become limits of the result; what it offered to this run, and
        the bounds it raised, are kept in any case.

        ``search`` offers releases and bounds to this run and returns why it stopped,
        None where it was done. It may raise TimeoutError, as ``check_time`` does.
        ``otherwise`` offers a release quickly, where it was stopped before its first.

        Examples
        --------
        >>> from starmin.instances.requirements.k_anonymity import KAnonymity
        >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
        >>> run = Run(table, KAnonymity(2), time_limit=0)
        >>> run.carry_out(run.check_time).limit
        <Limit.TIME: 'time'>
        """
        if no := self.infeasible():
            return no
        with ended_on_return(), limited_to(self.workers):
            try:
                limit = search()
            except TimeoutError:
                limit = Limit.TIME
            except KeyboardInterrupt:
                limit = Limit.INTERRUPTED
        if limit is not None and self.best is None:
            otherwise()
        return self.result(limit)

    def offer(self, release: Best) -> bool:
        """Take a release as the incumbent if it costs less; whether it did.

        Its cost is recounted from the cells. One with rows is better than one without.
        Raises ValueError: it violates the requirement, or stars a column that is to be
        kept; ArithmeticError: it costs less than the bound: whoever proved that is
        wrong.
        """
        if why := release.violation(*self.asked):
            raise ValueError(f"Expected a valid release, but {why}.")
        value = release.value(self.table, self.objective)
        ties = value == self.value and deleted_rows(release) < self.table.n
        if not (self.value is None or value < self.value or (ties and self.empty)):
            return False
        self.best, self.value = release, value
        self._expect_agreement()
        self._tell()
        if value == 0:
            self.raise_bound(0, LEAST)
        return True

    @property
    def release(self) -> Best:
        """The incumbent, where there is one."""
        assert self.best is not None
        return self.best

    @property
    def cost(self) -> int:
        """What the incumbent costs, where there is one."""
        assert self.value is not None
        return self.value

    @property
    def empty(self) -> bool:
        """Whether the best release has no row at all: it is none to be published."""
        return self.best is not None and deleted_rows(self.best) == self.table.n

    def hear(self) -> bool:
        """Take the best release of who searches beside; whether it costs less."""
        return self._watch is not None and self._watch.tell(self)

    def raise_bound(
        self, bound: int, method: str, certificate: Certificate | None = None
    ) -> None:
        """Note that no release costs less than ``bound``, as ``method`` proved.

        The certificate with the highest bound is kept. Raises ArithmeticError: a
        release costs less: whoever proved the bound is wrong.
        """
        held = self.certificate
        if certificate and (held is None or certificate.bound > held.bound):
            self.certificate = certificate
        if self.lower_bound is not None and bound <= self.lower_bound:
            return
        self.lower_bound, self.bound_method = bound, method
        self._expect_agreement()
        self._tell()

    def _expect_agreement(self) -> None:
        """Raise ArithmeticError where a release costs less than the lower bound."""
        if self.value is None or self.lower_bound is None:
            return
        if self.value < self.lower_bound:
            raise ArithmeticError(
                f"{self.bound_method} proved that no release costs less than "
                f"{self.lower_bound}, but one costs {self.value}."
            )

    def learn(self, found: "Run[Any] | Result[Any]") -> None:
        """Take the bound that was found for the same problem, with its certificate."""
        if found.lower_bound is not None and found.bound_method is not None:
            self.raise_bound(found.lower_bound, found.bound_method, found.certificate)

    def result(
        self,
        limit: Limit | None = None,
        stats: Mapping[str, float | int | str] | None = None,
    ) -> Result[Best]:
        """Make the Result; a limit that struck after the gap closed is none.

        A search that was interrupted, or that ended because all is to stop, has all
        others end, too.
        """
        if limit is Limit.INTERRUPTED and not search_control.stopping():
            search_control.ask_to_stop()
        elif limit is not None and search_control.stopping():
            limit = Limit.INTERRUPTED
        return Result(
            self.best,
            self.value,
            self.lower_bound,
            self.elapsed,
            limit=None if self.closed else limit,
            bound_method=self.bound_method,
            certificate=self.certificate,
            spares=tuple(self.spares),
            stats=self.stats | dict(stats or {}),
            tolerance=tolerance_of(self.objective),
        )

    def begin(self, step: str) -> None:
        """Tell whoever watches which step of the search begins."""
        if self._watch is not None:
            self._watch.begin(step)

    def _tell(self) -> None:
        """Tell whoever watches, and print, what is known by now."""
        if self._watch is not None:
            self._watch.hear(self)
        if self._lines is not None:
            gap = gap_of(self.value, self.lower_bound)
            self._lines(
                Progress(self.elapsed, self.value, self.lower_bound, gap, self._method)
            )
