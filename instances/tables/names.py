"""Name columns and numbers of things: in files, in lists, and in words."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError

# Numbers of things, and names of columns, in words.

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NAMED = 6  # columns in a sentence, at most
_LISTED = 20  # columns in a list, at most


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write so many things; ``things`` is the plural, an s appended if it is not named.

    >>> counted(1, "row"), counted(12_000, "row"), counted(0, "class", "classes")
    ('1 row', '12,000 rows', '0 classes')
    """
    many = things or f"{thing}s"
    return f"{number:,} {thing if number == 1 else many}"


def some_of(columns: Sequence[str]) -> str:
    """Name a few columns, or say how many there are.

    >>> some_of(["age"]), some_of(["age", "sex", "zip"]), some_of(list("abcdefgh"))
    ('age', 'age, sex and zip', 'a, b, c, d and 4 other columns')
    """
    if len(columns) > _NAMED:
        rest = len(columns) - _NAMED + 2
        return f"{', '.join(columns[: _NAMED - 2])} and {rest} other columns"
    *first, last = columns or ["no column"]
    return f"{', '.join(first)} and {last}" if first else last


def listed(columns: Sequence[str]) -> str:
    """List columns, the first ones alone where they are many.

    >>> listed(["age", "sex"]), listed([f"x{j}" for j in range(6000)])[-20:]
    ('age, sex', '9, .. (6,000 in all)')
    """
    if len(columns) <= _LISTED:
        return ", ".join(columns)
    return f"{', '.join(columns[:_LISTED])}, .. ({len(columns):,} in all)"


def number_word(number: int) -> str:
    """Write a small number as a word.

    >>> number_word(4), number_word(1200)
    ('four', '1,200')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def ordinal(number: int) -> str:
    """Write a number as a place in an order.

    >>> ordinal(2), ordinal(11), ordinal(23)
    ('2nd', '11th', '23rd')
    """
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if number % 100 in (11, 12, 13) else endings.get(number % 10, "th")
    return f"{number}{ending}"


def any_of(columns: Sequence[str]) -> str:
    """Name sensitive columns, one of which is meant."""
    return " or ".join(columns) or "sensitive value"


def one_of(things: Sequence[str]) -> str:
    """Name several things, of which one is chosen.

    >>> one_of(["ncp", "granularity", "stars"])
    'ncp, granularity, or stars'
    """
    *first, last = things
    return f"{', '.join(first)}, or {last}" if first else last


# Names of columns: those of a file, and those that are asked for and are not there.


def expect_columns(
    name: str, asked: Iterable[str], there: Sequence[str], purpose: str = ""
) -> None:
    """Raise TableError where columns are not there, with all of them and the mend.

    ``name`` is what to call the table, and ``there`` are its columns; one may be
    ``asked`` for twice. ``purpose`` is what they were asked for, if that helps.

    >>> expect_columns("may.csv", ["age", "sex", "zipp"], ["age", "zip"])
    Traceback (most recent call last):
    ...
    starmin.instances.errors.TableError: may.csv: no columns 'sex', 'zipp' (nearest: \
'zip'); its columns: age, zip; rename columns there, or ask for others
    """
    known = frozenset(there)
    absent = [column for column in dict.fromkeys(asked) if column not in known]
    if not absent:
        return
    told = [f"{column!r}{nearest(column, there)}" for column in absent[:_LISTED]]
    more = f", .. ({len(absent):,} in all)" if len(absent) > _LISTED else ""
    raise TableError(
        f"{name}: no column{'s' * (len(absent) > 1)} {', '.join(told)}{more}"
        f"{purpose and f' {purpose}'}; its columns: {listed(there)}; "
        f"rename {'a column' if len(absent) == 1 else 'columns'} there, or ask for "
        f"{'another' if len(absent) == 1 else 'others'}"
    )


# What pandas calls a first column without a name, as it and R write one.
UNNAMED = "Unnamed: 0"


def expect_different(where: Path | str, names: Sequence[str]) -> None:
    """Raise TableError where the name of a column is empty, or two are equal."""
    if "" not in names and len(set(names)) == len(names):
        return
    count = Counter(names)
    for place, name in enumerate(names, start=1):
        if not name:
            raise TableError(f"{where}: column {place} has an empty name; name it")
        if count[name] > 1:
            raise TableError(f"{where}: two columns are named {name!r}; rename one")


def named(path: Path, names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the names of columns, and lines that say which one was given.

    The first of several columns may be without a name: R and pandas write the names of
    rows so. Raises TableError where another name is empty, two are equal, or one holds
    a NUL byte.

    >>> named(Path("a.csv"), ["", "age"])[0]
    ['Unnamed: 0', 'age']
    """
    found, lines = list(names), tuple[str, ...]()
    if len(found) > 1 and not found[0] and UNNAMED not in found:
        found[0] = UNNAMED
        lines = (
            f"{path}: the first column has no name and is called {UNNAMED!r}; "
            f"--drop '{UNNAMED}' leaves it out",
        )
    expect_different(path, found)
    for place, name in enumerate(found, start=1):
        if "\0" in name:
            raise TableError(
                f"{path}: the name of column {place} holds a NUL byte; remove it"
            )
    return found, lines


# Names of columns in one text, joined by commas as cells of a CSV file are.


def split_names(names: str, option: str, strip: bool = False) -> tuple[str, ...]:
    """Split column names at commas; one that holds a comma is quoted.

    ``option`` is what the text was named by, for an error; ``strip`` takes blanks
    around names away. Raises TableError for an empty name or a line break outside of
    quotes.

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

    >>> join_names(["age", "city, state"])
    'age,"city, state"'
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerow(names)  # signs of the end of a line are quoted
    return text.getvalue().removesuffix("\r\n")
