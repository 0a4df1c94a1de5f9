"""The road of every search: one clock, one interrupt flag, one end."""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Self

from starmin.auto.choice import bound_by, solve_by
from starmin.auto.dispatch import AUTO, ignored
from starmin.defences.defences import Defences
from starmin.extensions import register_installed
from starmin.inputs.notices import identifiers, read_so, repeated_ids
from starmin.instances import Control, NotSupportedError, Problem, Result, Status
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.runs.progress import NO_CONTROL
from starmin.process.clock import Clock, seconds_of
from starmin.process.faults import BUG, INTERRUPTED, InternalError
from starmin.process.interrupts import Interrupts, hearing
from starmin.process.say import Form, show_progress
from starmin.process.steps import Steps


class Driver(ExitStack):
    """Carries out what was asked; entered by every command and call that searches.

    A command has the time of its process, writes what it found after a bug or an
    interrupt, and ends with a number. A call has the time from here on, and raises.

    ``time_limit`` is in seconds, for all together; None stands for the default of the
    method, a name in the registry or ``auto``. ``control`` says who is told of searches
    besides, and when they end before their time. ``clock`` is that of the command;
    None: of a call, it starts now. ``quiet`` shows nothing of the progress; None: show
    it of what takes longer than two seconds, in a terminal or a notebook. ``progress``
    is the form in which a command shows it.

    >>> from starmin.instances import KAnonymity, Table
    >>> table = Table.from_rows(["age"], [["30"], ["30"], ["41"]], qi=["age"])
    >>> with Driver("forest") as driver:
    ...     found = driver.solve(Problem(table, KAnonymity(2)), {})
    >>> found.value, driver.code(no=found.best is None)
    (3, 0)
    """

    steps: Steps  # what follows a search; those that failed are told in the end
    interrupts: Interrupts  # how many there were

    def __init__(
        self,
        method: str = AUTO,
        time_limit: float | None = None,
        control: Control = NO_CONTROL,
        *,
        clock: Clock | None = None,
        quiet: bool | None = True,
        progress: Form = "lines",
    ) -> None:
        super().__init__()
        register_installed()
        self._form = progress
        self.method, self.time_limit, self.quiet = method, time_limit, quiet
        self.clock = Clock() if clock is None else clock
        self._commanded = clock is not None
        self._by_work = False
        self._control = control

    def __enter__(self) -> Self:
        self.steps = self.enter_context(Steps())
        self.interrupts = self.enter_context(hearing(self._commanded))
        return self

    @property
    def control(self) -> Control:
        """What ends a search early, for searches of several problems."""
        return replace(self._control, ended=self.interrupts.defer)

    def left(self, cells: int = 0) -> float:
        """Return the seconds that are left for searches, less what writing takes."""
        return self.clock.left(seconds_of(self.method, self.time_limit), cells)

    def solve(
        self,
        problem: Problem,
        options: Mapping[str, Any],
        cells: int = 0,
        defences: Defences | None = None,
    ) -> Result[Any]:
        """Search for a release; what was found is kept, whatever ends the search.

        Options are arguments of the method, by name; None stands for its default.
        ``cells`` is how many are gone through after the search: to write them, to
        report on them. ``defences`` hide more after it; None: nothing. Raises
        InternalError in a call, where a bug struck after a release was found.
        """
        cells *= 1 + (defences is not None and defences.later)
        return self._carry_out(solve_by, problem, options, cells, defences)

    def bound(self, problem: Problem, options: Mapping[str, Any]) -> Result[Any]:
        """Bound all releases from below; parameters and errors are those of solve."""
        return self._carry_out(bound_by, problem, options, 0, None)

    def _carry_out(
        self,
        search: Callable[..., Result[Any]],
        problem: Problem,
        options: Mapping[str, Any],
        cells: int,
        defences: Defences | None,
    ) -> Result[Any]:
        self._by_work = options.get("work_limit") is not None
        # What ends by work is the same on a machine that is slow.
        left = math.inf if self._by_work else self.left(cells)
        given = {**options, "time_limit": left}
        with show_progress(problem.shown, self.quiet, left, self._form) as shown:
            heard = self._control.listeners + shown
            control = replace(self.control, listeners=heard)
            bug = None
            try:
                found = search(self.method, problem, given, control)
            except InternalError as error:
                found, bug = error.result, error
            self.interrupts.defer()
            if defences is not None:
                try:
                    found = defences.defend(problem, found)
                except InternalError as error:
                    found, bug = error.result, error
        if bug is None:
            return found
        bug.result = found
        if not self._commanded:
            raise bug
        self.steps.fail(str(bug))
        return found

    def certify(self, problem: Problem, found: Result[Any]) -> Result[Any]:
        """Add a certificate, if a bound that gives one takes the problem."""
        done = found.certificate is not None or found.reason is not None
        ranged = problem.coding.recoding == GENERALIZATION
        if done or self._by_work or (ranged and not problem.published_as_counted):
            return found
        left = self.clock.left(seconds_of(AUTO, self.time_limit))
        try:
            bound = bound_by(AUTO, problem, {"time_limit": left})
        except NotSupportedError:
            return found
        proven = replace(
            found,
            certificate=bound.certificate,
            certificate_checked=bound.certificate_checked,
        )
        if (bound.lower_bound or 0) <= (found.lower_bound or 0):
            return proven
        better = replace(
            proven, lower_bound=bound.lower_bound, bound_method=bound.bound_method
        )
        return (
            replace(better, limit=None) if better.status is Status.OPTIMAL else better
        )

    def cautions(self, problem: Problem, options: Mapping[str, Any]) -> Iterator[str]:
        """Yield a line for each column like an id, and for what is read or left unread.

        The command line says these lines on stderr, Python warns of them. ``options``
        are those that the user gave, by name: a time limit and a seed may be ignored.

        >>> from starmin.instances import KAnonymity, Table
        >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
        >>> with Driver("forest") as driver:
        ...     list(driver.cautions(Problem(table, KAnonymity(2)), {"seed": 3}))
        ['forest takes no seed (nothing in it is random)']
        """
        yield from identifiers(problem.table, problem.ranged)
        yield from repeated_ids(problem.table, problem.requirement)
        yield from read_so(problem)
        told = {**options, "time_limit": self.time_limit}
        if line := ignored(self.method, told):
            yield line

    def code(self, no: bool = False) -> int:
        """Return the number that the command ends with; ``no``: that is the answer."""
        if self.steps.failed:
            return BUG
        return INTERRUPTED if self.interrupts.count else int(no)
