"""Numbers of things, and names of columns, in words."""

from collections.abc import Sequence

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NAMED = 6  # columns in a sentence, at most
_LISTED = 20  # columns in a list, at most


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write so many things; ``things`` is the plural, an s appended if it is not named.

    Examples
    --------
    >>> counted(1, "row"), counted(12_000, "row"), counted(0, "class", "classes")
    ('1 row', '12,000 rows', '0 classes')
    """
    many = things or f"{thing}s"
    return f"{number:,} {thing if number == 1 else many}"


def some_of(columns: Sequence[str]) -> str:
    """Name a few columns, or say how many there are.

    Examples
    --------
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

    Examples
    --------
    >>> listed(["age", "sex"]), listed([f"x{j}" for j in range(6000)])[-20:]
    ('age, sex', '9, .. (6,000 in all)')
    """
    if len(columns) <= _LISTED:
        return ", ".join(columns)
    return f"{', '.join(columns[:_LISTED])}, .. ({len(columns):,} in all)"


def number_word(number: int) -> str:
    """Write a small number as a word.

    Examples
    --------
    >>> number_word(4), number_word(1200)
    ('four', '1,200')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def ordinal(number: int) -> str:
    """Write a number as a place in an order.

    Examples
    --------
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

    Examples
    --------
    >>> one_of(["ncp", "granularity", "stars"])
    'ncp, granularity, or stars'
    """
    *first, last = things
    return f"{', '.join(first)}, or {last}" if first else last
