"""Calls of compiled code that an interrupt ends."""

import time
from collections.abc import Callable
from typing import TypeVar

from starmin.instances.runs.workers.cores import Threads

Answer = TypeVar("Answer")
_AGAIN = (
    0.05  # Seconds: a solver that has not yet begun does not hear that it is to stop.
)


def interruptible(call: Callable[[], Answer], stop: Callable[[], object]) -> Answer:
    """Call a function in a thread, so that this one hears of an interrupt at once.

    Parameters
    ----------
    call
        What works in compiled code.
    stop
        Makes it end soon; called again and again until it does.

    Raises
    ------
    KeyboardInterrupt
        An interrupt struck meanwhile; the call has ended.

    Examples
    --------
    >>> interruptible(lambda: 6 * 7, stop=lambda: None)
    42
    """
    with Threads(1) as one:
        answer = one.submit(call)
        try:
            return answer.result()
        except KeyboardInterrupt:
            while not answer.done():
                stop()
                time.sleep(_AGAIN)
            raise
