"""Tell errors that nobody but us can mend in a line; number how commands end.

Beside these numbers, 0: done.
"""

from pathlib import Path
from traceback import extract_tb
from typing import Any

NO = 1  # the answer is no
BAD_INPUT = 2
UNKNOWN = 3  # a proof can be neither accepted nor refused
BUG = 70  # of ours: neither an answer nor bad input
INTERRUPTED = 130


_OURS = "a bug of starmin, please report it"


class InternalError(Exception):
    """A bug of starmin, told after a release was found: that is not lost.

    ``why`` says what is wrong. ``result`` is the best that was found until then, as the
    call would have returned it, without a bound: nothing is proven of it.
    """

    def __init__(self, why: str, result: Any) -> None:
        super().__init__(f"{_OURS}: {why}")
        self.why, self.result = why, result


def told(error: BaseException) -> str:
    """Tell an error in a line: what refuses by itself, or a bug and where it is.

    >>> told(OSError("No space left on device"))
    'No space left on device'
    >>> told(KeyError("age"))
    "a bug of starmin, please report it: KeyError: 'age'"
    """
    # Half a second to import.
    from starmin.instances import NotSupportedError, TableError

    said = " ".join(str(error).split())
    if isinstance(error, TableError | NotSupportedError | OSError | InternalError):
        return said
    if isinstance(error, MemoryError):
        return "memory ran out"
    return f"{_OURS}: {described(error)}"


def described(error: BaseException) -> str:
    """Return the type of an error, what it says, and where in our sources it struck."""
    said = " ".join(str(error).split())
    home = Path(__file__).parents[2]
    place = ""
    for frame in extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(home) and ".venv" not in file.parts:
            place = f" ({file.relative_to(home)}, line {frame.lineno})"
    return f"{type(error).__name__}: {said}{place}"
