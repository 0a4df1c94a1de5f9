"""What is told of a search while it works, and by what it may end early."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

logger = logging.getLogger("starmin")
logger.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Progress:
    """A search at one moment: told at each improvement and at each new step.

    Attributes
    ----------
    seconds
        Since the search began.
    value, lower_bound
        The cost of the best release, and what no release costs less than, in the unit
        of ``Result.value``; None before the first. ``anonymize`` tells them as its
        release has them: for ``gcp`` as shares of 1.
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
    gap: float | None = None  # the search ends where the gap is not above this share
    # it ends after so many seconds in which neither value nor bound improved
    patience: float = math.inf
    # called when the result is there: from then on no interrupt need end it
    ended: Callable[[], object] = lambda: None


NO_CONTROL = Control()
