"""Lists of column names, as the command line gives them."""

import csv

from starmin.instances import TableError


def split(names: str, option: str) -> tuple[str, ...]:
    """Split column names at commas; one that holds a comma is quoted.

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
