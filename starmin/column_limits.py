"""What is told of columns beside ranges and trees: limits, floors, forms of cells."""

from collections.abc import Collection, Mapping
from typing import Any

from starmin.instances import TableError
from starmin.instances.arguments import expect_kind
from starmin.instances.scales.floors import Floors, expect_end
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.numbers import expect_step
from starmin.instances.scales.widths import Width


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

    Parameters
    ----------
    missing
        What else than a missing cell stands for a missing value.
    rounding, width
        By column of numbers or times: what ends of ranges are multiples of, as ``5`` or
        ``month``; and the least and the greatest length of a range.
    max_level, min_level
        By column with a taxonomy: the highest and the least level whose nodes are
        published.
    top, bottom
        By column of numbers: from which on, or up to which, all are published alike, as
        ``90+`` or ``<=18``.
    date_format, sets
        By column of text: how its times are written, in the signs of ``strptime``; or
        what separates the values of a cell.

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
        "max_levels": dict(max_level or {}),
        "widths": {c: Width.parse(limits) for c, limits in (width or {}).items()},
        "forms": dict(date_format or {}),
        "floors": Floors(
            dict(min_level or {}),
            {c: expect_end(end) for c, end in (top or {}).items()},
            {c: expect_end(end) for c, end in (bottom or {}).items()},
        ),
        "sets": dict(sets or {}),
    }
