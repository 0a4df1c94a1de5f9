"""Describe what a user may state, and check arguments at the door."""

import keyword
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

# What a user may state: one description for the command line, Python and files.


@dataclass(frozen=True)
class Option:
    """Something that a user may state.

    >>> Option("k_column", str, "Column with group sizes.").flag
    '--k-column'
    """

    # of the argument in Python; ``k_column`` is ``--k-column`` on the command line
    name: str
    type: Any  # of its values: int, float, str, or a Literal of words
    help: str  # what it means, as the command line tells it
    default: Any = None  # its value where nothing is stated
    # what stands for its value in help texts; default: by its type
    metavar: str | None = None
    needs: str | None = None  # the name of an option that it is of no use without
    # whether it names a column, which then is no quasi-identifier by default
    is_column: bool = False
    # whether it may name several columns, with commas between them
    several: bool = False
    joined: str = ""  # what stands between several of its texts, where it has several
    role: str | None = None  # the role that its column has in a settings file
    # whether it names a file, which a settings file names from its own folder
    is_file: bool = False
    # key, key_type: the key of a column that says it in a settings file, and the type
    # of its value: bool where the option lists columns, else it gives a value to each
    key: str | None = None
    key_type: Any = bool

    def __post_init__(self) -> None:
        for name in (self.name, *([] if self.needs is None else [self.needs])):
            fits = isinstance(name, str) and re.fullmatch("[a-z][a-z0-9_]*", name)
            if not fits or keyword.iskeyword(name):
                raise ValueError(
                    "Expected the name of an option as k_column, of small letters, "
                    f"digits and _, got {name!r}."
                )

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--{self.name.replace('_', '-')}"


Kind = TypeVar("Kind")


def nearest(name: object, known: Iterable[str]) -> str:
    """Return what may have been meant by a name that is not known, to be put behind it.

    >>> nearest("agee", ["age", "sex"]), nearest("x", ["age", "sex"])
    (" (nearest: 'age')", '')
    """
    close = get_close_matches(str(name), list(known), 1)
    return f" (nearest: {close[0]!r})" if close else ""


def told_alike(text: str | None, known: Iterable[str]) -> str:
    """Say which text is the same but for blanks or capitals, to be put behind it.

    >>> told_alike("A", ["B", "A "]), told_alike("x", ["A "])
    ("; 'A' stands there as 'A '", '')
    """
    bare = " ".join((text or "").split()).casefold()
    for other in known:
        if bare and " ".join(other.split()).casefold() == bare:
            return f"; {text!r} stands there as {other!r}"
    return ""


def shown(value: object) -> str:
    """Return a value as a message shows it: in one line.

    >>> shown("age"), shown("age\\nsex"), shown(nearest)[:9]
    ("'age'", "'age\\\\nsex'", '<function')
    """
    text = repr(value)
    return f"one of {type(value).__name__}" if "\n" in text else text


def expect_choice(what: str, value: object, known: Collection[str]) -> None:
    """Raise ValueError where a value is none of the names that are known.

    >>> expect_choice("objective", "star", ["stars", "tuples"])
    Traceback (most recent call last):
    ...
    ValueError: Expected objective to be stars or tuples, got 'star' (nearest: 'stars').
    """
    if not isinstance(value, str) or value not in known:
        *most, last = known
        names = f"{', '.join(most)} or {last}" if most else last
        raise ValueError(
            f"Expected {what} to be {names}, got {shown(value)}{nearest(value, known)}."
        )


def expect_function(what: str, value: object) -> None:
    """Raise TypeError unless the value can be called, or is None."""
    if value is not None and not callable(value):
        raise TypeError(f"Expected {what} to be a function, got {shown(value)}.")


def expect_whole(what: str, value: object, least: int | None = None) -> int:
    """Return the value as an int, where it is a whole number of Python or numpy.

    Raises TypeError where it is another thing: text, True, or a float, be it 5.0; and
    ValueError where it is below ``least``.

    >>> expect_whole("k", 5, least=2)
    5
    >>> expect_whole("k", 2.5)
    Traceback (most recent call last):
    ...
    TypeError: Expected k to be a whole number, got 2.5.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"Expected {what} to be a whole number, got {shown(value)}.")
    number = int(value)
    if least is not None and number < least:
        raise ValueError(f"Expected {what} >= {least}, got {what} = {number}.")
    return number


def expect_number(what: str, value: Any) -> None:
    """Raise TypeError unless the value is a number.

    >>> expect_number("alpha", "0.5")
    Traceback (most recent call last):
    ...
    TypeError: Expected alpha to be a number, got '0.5'.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"Expected {what} to be a number, got {shown(value)}.")


def expect_seconds(what: str, value: Any) -> None:
    """Raise TypeError or ValueError unless the value is a number >= 0, or infinite."""
    expect_number(what, value)
    if not value >= 0:  # nor is NaN
        raise ValueError(f"Expected {what} >= 0 seconds, got {shown(value)}.")


def expect_kind(
    what: str, value: object, kind: type[Kind] | tuple[type, ...], hint: str = ""
) -> None:
    """Raise TypeError unless the value is an instance; ``hint`` tells the mend.

    ``what`` names the argument in the message, behind which the hint is put.

    >>> expect_kind("path", 5, str)
    Traceback (most recent call last):
    ...
    TypeError: Expected path to be of type str, got 5 of type int.
    """
    if isinstance(value, kind):
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    names = " or ".join(one.__name__ for one in kinds).replace("NoneType", "None")
    text = repr(value)
    text = f"{text} of type" if len(text) <= 40 and "\n" not in text else "one of"
    raise TypeError(
        f"Expected {what} to be of type {names}, got {text} "
        f"{type(value).__name__}{hint}."
    )


def expect_names(what: str, value: Any) -> tuple[str, ...]:
    """Return the names of columns as a tuple; of None it is empty.

    They may stand in a list, an array, an index or a column of a frame. Raises
    TypeError for a single text, whose letters would be taken for names, and for other
    things.

    >>> import numpy as np
    >>> expect_names("qi", np.array(["age", "sex"]))
    ('age', 'sex')
    >>> expect_names("qi", "age")
    Traceback (most recent call last):
    ...
    TypeError: Expected qi to be a list of column names, got 'age'; write ['age'].
    """
    wanted = f"Expected {what} to be a list of column names, got {shown(value)}"
    if isinstance(value, str):
        raise TypeError(f"{wanted}; write [{value!r}].")
    names = () if value is None else plain(value)
    try:
        names = tuple(names)
    except TypeError:
        raise TypeError(f"{wanted}.") from None
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{wanted}.")
    return tuple(map(str, names))  # a text of numpy is one of Python as well


def plain(value: Any) -> Any:
    """Return an array, or a column of a frame, as a list; what is none as it is.

    >>> import numpy as np
    >>> plain(np.array([2, 5])), plain("age"), plain({"a": 1})
    ([2, 5], 'age', {'a': 1})
    """
    if hasattr(value, "schema") or hasattr(value, "columns"):  # a table
        return value
    for way in ("to_pylist", "to_list", "tolist"):
        if callable(listed := getattr(value, way, None)):
            return listed()
    return value
