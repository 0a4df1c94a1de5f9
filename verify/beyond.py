"""What a checker does not know, or cannot do in its arithmetic or its time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class BeyondError(ValueError):
    """Why a claim can be neither accepted nor refused here.

    Examples
    --------
    >>> raise BeyondError("its kind is not known")
    Traceback (most recent call last):
    ...
    starmin.verify.beyond.BeyondError: its kind is not known
    """


Over = Callable[[], bool]  # whether the time for a check is over
_over: ContextVar[Over | None] = ContextVar("over", default=None)


@contextmanager
def until(over: Over | None) -> Iterator[None]:
    """Have the checks inside, and in threads that they start, end when this says so.

    Examples
    --------
    >>> with until(lambda: True):
    ...     expect_time()
    Traceback (most recent call last):
    ...
    starmin.verify.beyond.BeyondError: the time for its check is over
    """
    token = _over.set(over)
    try:
        yield
    finally:
        _over.reset(token)


def expect_time() -> None:
    """Raise BeyondError where the time for the check is over."""
    over = _over.get()
    if over is not None and over():
        raise BeyondError("the time for its check is over")
