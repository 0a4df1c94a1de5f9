"""Methods that call other methods: an interrupt of the inner one ends both."""

from typing import Any

from starmin.instances.runs.result import Limit, Result


def pass_on(found: Result[Any]) -> None:
    """Raise KeyboardInterrupt where a method that was called ended by an interrupt.

    A method turns an interrupt into a limit of its result. A method that called it
    takes from the result what it can use, then stops as if itself were interrupted.

    Examples
    --------
    >>> pass_on(Result(None, None, None, 0.0, limit=Limit.TIME))
    """
    if found.limit is Limit.INTERRUPTED:
        raise KeyboardInterrupt
