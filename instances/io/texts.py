"""Texts of typed values, as a table of them has them."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from starmin.instances.errors import TableError
from starmin.instances.io.codes import coded_texts, codes_of
from starmin.instances.io.frames import array_of, arrow_of, is_pandas


def as_texts(values: Iterable[Any], name: str = "values") -> list[str | None]:
    """Return the distinct values of a column as text, as its table writes them.

    Texts stay as they are; else it is a column of a frame, an array, numbers or dates,
    which errors call ``name``. Raises TableError where the values are not of one type
    that has a text form.

    Examples
    --------
    >>> from datetime import date
    >>> as_texts([date(2024, 5, 31), None, date(2024, 5, 31)]), as_texts([2.5, 1e10])
    (['2024-05-31', None], ['2.5', '10000000000'])
    """
    try:
        if is_pandas(values):
            frame: Any = values
            column = arrow_of(frame.to_frame(name="values"), name).column("values")
        elif hasattr(values, "to_arrow"):
            column = values.to_arrow()
        elif isinstance(values, pa.Array | pa.ChunkedArray):
            column = values
        else:
            listed = values if hasattr(values, "dtype") else list(values)
            if all(value is None or isinstance(value, str) for value in listed):
                return list(dict.fromkeys(listed))
            column = array_of(listed)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(f"{name}: no values of one type ({error})") from None
    return codes_of(coded_texts(column, "values", name), "values", name)[1]
