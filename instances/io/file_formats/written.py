"""What a column is written as by the programs that know numbers, dates and text."""

from datetime import date
from math import isfinite, isinf
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from starmin.instances.io.beside import Beside
from starmin.instances.io.frames import guess
from starmin.instances.tables.table import Table

_MOST = 8.9e307  # greater ones stand for missing values in Stata


class Written(NamedTuple):
    """The cells of a column, by the codes of the table."""

    kind: Literal["number", "time", "text"]  # a time is a date, a time, or both
    # numbers and times, None where one is missing; of numbers, a text is a missing code
    # of Stata, as ``.a``
    cells: list[Any]
    type: Any  # of Arrow

    @classmethod
    def of(cls, table: Table, name: str, beside: Beside, codes: bool) -> "Written":
        """Return what a column is written as.

        Where ``beside`` does not know its type, it is what all its texts are written
        like. ``codes`` says whether missing codes of Stata can stand among numbers.
        """
        texts, typed = table.dictionary(name), beside.typed.get(name)
        text = cls("text", [each or "" for each in texts], pa.string())
        if typed is None or typed.type is None:
            return _guessed([guess(each) for each in texts]) or text
        if _is_number(typed.type) and (codes or typed.plain):
            numbers = [*map(_number, texts, typed.values.to_pylist())]
            known = [n for n in numbers if not isinstance(n, str | None)]
            # Stata has no infinity.
            fine = all(_exact(n) or (isinf(n) and not codes) for n in known)
            return cls("number", numbers, typed.type) if fine else text
        if _is_time(typed.type) and typed.plain:
            return cls("time", typed.values.to_pylist(), typed.type)
        return text


def _guessed(values: list[Any]) -> Written | None:
    """Return values as numbers, or as dates, if all of them are."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {date}:
        return Written("time", values, pa.date32())
    if kinds and kinds <= {int, float}:
        return Written("number", values, pa.float64() if float in kinds else pa.int64())
    return None


def _number(text: str | None, value: Any) -> Any:
    """Return the number that a text stands for; the text, where there is none."""
    if value is None:
        return text
    # Of a number of single precision it is the text that is meant.
    return float(text or 0) if isinstance(value, float) else value


def _exact(number: Any) -> bool:
    """Check whether a double holds a number exactly."""
    most = _MOST if isinstance(number, float) else 2**53
    return isfinite(number) and abs(number) < most


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_time(kind: Any) -> bool:
    if pa.types.is_timestamp(kind):
        return kind.tz is None
    return bool(pa.types.is_date(kind) or pa.types.is_time(kind))
