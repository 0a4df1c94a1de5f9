"""What long phases call between their steps."""

from collections.abc import Callable

Check = Callable[[], None]


def never() -> None:
    """Do not stop: there is no limit.

    Examples
    --------
    >>> never()
    """
