"""Names of columns in one text, joined by commas as cells of a CSV file are."""

import csv
import io
from collections.abc import Iterable

from starmin.instances.errors import TableError


def split_names(names: str, option: str, strip: bool = False) -> tuple[str, ...]:
    """Split column names at commas; one that holds a comma is quoted.

    ``option`` is what the text was named by, for an error; ``strip`` takes blanks
    around names away. Raises TableError for an empty name or a line break outside of
    quotes.

    Examples
    --------
    >>> split_names('age,"city, state"', "--qi")
    ('age', 'city, state')
    """
    text = io.StringIO(names, newline="")
    try:
        lines = [*csv.reader(text, strict=True, skipinitialspace=strip)]
    except csv.Error:  # a quote that is not closed
        lines = [[""]]
    columns = tuple(lines[0]) if lines else ()
    if strip:
        columns = tuple(name.strip() for name in columns)
    if "" in columns or len(lines) > 1:  # or a line break outside of quotes
        raise TableError(f"{option}: expected column names joined by commas")
    return columns


def join_names(names: Iterable[str]) -> str:
    """Join names by commas, so that ``split_names`` takes them apart.

    Examples
    --------
    >>> join_names(["age", "city, state"])
    'age,"city, state"'
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerow(names)  # signs of the end of a line are quoted
    return text.getvalue().removesuffix("\r\n")
