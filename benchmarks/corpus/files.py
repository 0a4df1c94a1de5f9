"""Frames as files of five kinds, written and read back by other people's libraries."""

from pathlib import Path
from typing import Any

import pandas
import pyreadstat

KINDS = ("csv", "parquet", "sav", "dta", "xlsx")


def write_frame(frame: pandas.DataFrame, path: Path) -> pandas.DataFrame:
    """Write a frame by pandas or pyreadstat; return what these read of the file."""
    kind = path.suffix[1:]
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path, index=False)
    elif kind == "xlsx":
        frame.to_excel(path, index=False)
    else:
        write = pyreadstat.write_sav if kind == "sav" else pyreadstat.write_dta
        write(frame, str(path))
    return read_frame(path)


def read_frame(path: Path) -> pandas.DataFrame:
    """Read a file by pandas or pyreadstat: text as it stands, types as they are."""
    kind = path.suffix[1:]
    if kind == "csv":
        return pandas.read_csv(path, dtype=str, keep_default_na=False)
    if kind == "parquet":
        return pandas.read_parquet(path)
    if kind == "xlsx":
        return pandas.read_excel(
            path, dtype=object, keep_default_na=False, na_values=[""], engine="calamine"
        )
    read = pyreadstat.read_sav if kind == "sav" else pyreadstat.read_dta
    return read(str(path), user_missing=True)[0]


def written_back(given: pandas.DataFrame, path: Path, out: Path) -> str | None:
    """Say which column of a release differs where nothing of it was hidden.

    A column counts as changed if no cell of it can be a star, a range or a node, and it
    is not equal to what was given, its type included.
    """
    found = read_frame(out)
    if list(found.columns) != list(given.columns):
        return f"columns {list(found.columns)}"
    for j, name in enumerate(given.columns):
        one, two = given.iloc[:, j], found.iloc[:, j]
        if _touched(one, two):
            continue
        if one.dtype != two.dtype or not _equal(one, two):
            at = [i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
            first = f"{one.iloc[at[0]]!r} {two.iloc[at[0]]!r}" if at else ""
            return f"{name!r} ({one.dtype}, {two.dtype}) {first}"
    return None


def _touched(one: Any, two: Any) -> bool:
    """Check whether a cell of a column was hidden: it is new, and a star or a range."""
    before = {str(value) for value in one.unique()}
    new = {str(value) for value in two.unique()} - before
    return any(text == "*" or text[:1] in "[{(" for text in new)


def _equal(one: Any, two: Any) -> bool:
    both = zip(one.tolist(), two.tolist(), strict=True)
    return all(a == b or (a != a and b != b) or (a is b) for a, b in both)
