"""Tell of a search while it works, also in lines of text, and let it end early."""

import logging
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

logger = logging.getLogger("starmin")
logger.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Progress:
    """A search at one moment: told at each improvement and at each new step.

    Attributes
    ----------
    value, lower_bound
        The cost of the best release, and what no release costs less than, in the unit
        of ``Result.value``; None before the first. Calls as ``starmin.solve`` tell them
        as what they return does: for ``gcp`` as shares of 1.
    gap
        ``(value - lower_bound) / lower_bound``, where both are known.
    running
        The method or the step that is at work.

    Examples
    --------
    >>> Progress(1.5, 105, 100, 0.05, "pattern_ilp").gap
    0.05
    """

    seconds: float
    value: int | None
    lower_bound: int | None
    gap: float | None
    running: str


Listener = Callable[[Progress], object]


@dataclass(frozen=True)
class Control:
    """Who is told of a search, and when it ends before its time."""

    # called with each ``Progress``, one call at a time, in the thread that made it; one
    # that returns a true value ends the search
    listeners: tuple[Listener, ...] = ()
    # the search ends where the gap is not above this share; 0: by itself, where it is
    # exact and its proofs are written, unless it ``closes``
    gap: float | None = None
    # it ends after so many seconds in which neither value nor bound improved
    patience: float = math.inf
    # called when the result is there: from then on no interrupt need end it
    ended: Callable[[], object] = lambda: None
    closes: bool = False  # whether all is over at once where release and bound meet


NO_CONTROL = Control()


# The progress of a search as lines of text.

Shown = Callable[[int | None], float | int | None]


def savable(value: float | None, bound: float | None) -> str:
    """Write which share of a value any other release saves at most, rounded up.

    >>> savable(105, 100), savable(600, 1), savable(3, 0), savable(3, None)
    ('4.77%', '99.84%', '100.00%', '-')
    """
    if value is None or bound is None:
        return "-"
    share = (value - max(bound, 0)) / value if value > 0 else 0.0
    return f"{min(1e4, math.ceil(1e4 * share - 1e-9)) / 100:.2f}%"


def cells(now: Progress, shown: Shown) -> tuple[str, str, str]:
    """Write value, bound and what could be saved; a dash for what is not known yet.

    ``shown`` turns a cost into the number that people read
    (``starmin.instances.releases.objective.Objective.shown``).

    >>> cells(Progress(1.5, 105, 100, 0.05, "pattern_ilp"), lambda cost: cost)
    ('105', '100', '4.77%')
    """
    value, bound = now.value, now.lower_bound
    return _cost(shown(value)), _cost(shown(bound)), savable(value, bound)


def _cost(cost: float | int | None) -> str:
    if isinstance(cost, float):
        return f"{cost:.6f}"
    return "-" if cost is None else str(cost)


class ProgressLines:
    """Prints a line for each improvement and each new step, under a header.

    ``shown`` turns a cost into the number that people read
    (``starmin.instances.releases.objective.Objective.shown``); ``stream`` is stderr by
    default. ``named``: the method or the step that is at work is told as well.
    """

    def __init__(
        self, shown: Shown, stream: TextIO | None = None, named: bool = False
    ) -> None:
        self._shown, self._stream, self._named = shown, stream, named
        self._last: tuple[tuple[str, str, str], str] | None = None

    def __call__(self, now: Progress) -> None:
        """Print a line, unless it says what the last one said."""
        said = cells(now, self._shown), f"  {now.running}" if self._named else ""
        stream = self._stream or sys.stderr
        if (now.value, now.lower_bound) == (None, None) or said == self._last:
            return
        if self._last is None:
            head = f"{'time':>8} {'value':>12} {'bound':>12} {'savable':>9}"
            print(head + "  running" * self._named, file=stream)
        self._last = said
        (value, bound, part), running = said
        line = f"{now.seconds:7.1f}s {value:>12} {bound:>12} {part:>9}{running}"
        print(line.rstrip(), file=stream, flush=True)
