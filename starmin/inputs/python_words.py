"""What calls of Python say of columns, and errors in the words of Python."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from starmin.inputs.option_groups import REQUIREMENT_OPTIONS
from starmin.instances import NotSupportedError, TableError
from starmin.instances.arguments import expect_kind, expect_whole
from starmin.instances.scales.floors import Floors, expect_end
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.numbers import expect_step
from starmin.instances.scales.widths import Width

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


def _whole(what: str, levels: Mapping[str, int] | None) -> dict[str, int]:
    return {
        column: expect_whole(f"{what} of {column}", level, 0)
        for column, level in (levels or {}).items()
    }


def limits_of(
    *,
    missing: Collection[str | None] = MISSING,
    rounding: Mapping[str, float | str] | None = None,
    max_level: Mapping[str, int] | None = None,
    min_level: Mapping[str, int] | None = None,
    top: Mapping[str, float | str] | None = None,
    bottom: Mapping[str, float | str] | None = None,
    width: Mapping[str, tuple[float | None, float | None] | str] | None = None,
    date_format: Mapping[str, str] | None = None,
    sets: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what is told of columns by name, as ``Coding`` holds it.

    ``missing`` is what else than a missing cell stands for a missing value. By column
    of numbers or times ``rounding`` says what ends of ranges are multiples of, as ``5``
    or ``month``, and ``width`` the least and the greatest length of a range. By column
    with a taxonomy ``max_level`` and ``min_level`` are the highest and the least level
    whose nodes are published. By column of numbers ``top`` and ``bottom`` say from
    which on, or up to which, all are published alike, as ``90+`` or ``<=18``. By column
    of text ``date_format`` says how its times are written, in the signs of
    ``strptime``, and ``sets`` what separates the values of a cell.

    Examples
    --------
    >>> told = limits_of(rounding={"age": 5.0}, top={"age": 90.0})
    >>> told["steps"], told["floors"].top
    ({'age': '5'}, {'age': '90'})
    """
    given = {
        "rounding": rounding,
        "max_level": max_level,
        "min_level": min_level,
        "top": top,
        "bottom": bottom,
        "width": width,
        "date_format": date_format,
        "sets": sets,
    }
    for name, told in given.items():
        expect_kind(name, told, (Mapping, type(None)), " (a value by column)")
    for column, sep in (sets or {}).items():
        if not isinstance(sep, str) or not sep:
            raise TableError(
                f"sets: expected what separates the parts of column {column!r}, got "
                f"{sep!r}"
            )
    return {
        "missing": (None, *missing),
        "steps": {c: expect_step(str(step)) for c, step in (rounding or {}).items()},
        "max_levels": _whole("the highest level", max_level),
        "widths": {c: Width.parse(limits) for c, limits in (width or {}).items()},
        "forms": dict(date_format or {}),
        "floors": Floors(
            _whole("the least level", min_level),
            {c: expect_end(end) for c, end in (top or {}).items()},
            {c: expect_end(end) for c, end in (bottom or {}).items()},
        ),
        "sets": dict(sets or {}),
    }
