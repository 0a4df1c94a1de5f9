"""Lists of column names and of numbers, as the command line gives them."""

import csv

from instances import TableError


def split(names: str, option: str) -> tuple[str, ...]:
    """Column names joined by commas; one that holds a comma is quoted.

    Examples
    --------
    >>> split('age,"city, state"', "--qi")
    ('age', 'city, state')
    """
    try:
        columns = tuple(next(csv.reader([names], strict=True), ()))
    except csv.Error:  # a quote that is not closed, a line break outside of quotes
        columns = ("",)
    if "" in columns:
        raise TableError(f"{option}: expected column names joined by commas")
    return columns


def whole_numbers(text: str | None, option: str, least: int = 1) -> list[int]:
    """Parse whole numbers joined by commas, each of them once; none for None.

    Examples
    --------
    >>> whole_numbers("5,2,5", "--k")
    [5, 2]
    """
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(
        part.isascii() and part.isdecimal() and int(part) >= least for part in parts
    ):
        raise TableError(
            f"{option}: expected whole numbers >= {least} joined by commas, got "
            f"{text!r}"
        )
    return list(dict.fromkeys(map(int, parts)))
