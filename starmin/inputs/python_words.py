"""What is said of options, in the words of Python: their arguments."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from starmin.inputs.option_groups import REQUIREMENT_OPTIONS
from starmin.instances import NotSupportedError, TableError

# Options that are called otherwise as arguments; others have their own names.
_CALLED = {"hierarchy": "hierarchies", "round": "rounding", "separator": "sep"}
_ALIKE = (
    *("qi", "sensitive", "drop", "unchanged", "weight", "sets", "recoding", "star"),
    *("numeric", "missing", "date-format", "width", "top", "bottom", "min-level"),
    *("max-level", "objective", "loss", "weights", "keep", "original", "within"),
    *("method", "time-limit", "gap", "patience", "seed", "workers", "initial"),
    *("shuffle", "population", "pad", "margin", "decoys", "range-style", "sheet"),
    *("separator", "hierarchy", "round", "encoding", "work-limit", "certificate"),
)


@cache
def _known() -> dict[str, str]:
    """Return the names of arguments by those of options, without hyphens before."""
    words = [*_ALIKE, *(o.flag.removeprefix("--") for o in REQUIREMENT_OPTIONS)]
    return {word: _CALLED.get(word, word.replace("-", "_")) for word in words}


def in_python(line: str) -> str:
    """Return a line that names arguments where it named options.

    Examples
    --------
    >>> in_python("column 'age': expected a number or a missing value (--missing)")
    "column 'age': expected a number or a missing value (missing)"
    >>> in_python("'--' is no value of --date-format age=%d.%m.%Y")
    "'--' is no value of date_format age=%d.%m.%Y"
    """
    return re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda m: _known().get(m[1], m[0]), line)


@contextmanager
def python_words() -> Iterator[None]:
    """Have errors of the block name arguments instead of options.

    Examples
    --------
    >>> with python_words():
    ...     raise TableError("no column 'ag' to round (--round)")
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: no column 'ag' to round (rounding)
    """
    try:
        yield
    except (TableError, NotSupportedError) as error:
        if len(error.args) == 1 and isinstance(error.args[0], str):
            error.args = (in_python(error.args[0]),)
        raise
