"""How a settings file says what an option of the command line says of columns."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starmin.instances.errors import TableError

# Options as words of a command line.

_FLAGS = {
    "as_json": "--json",
    "steps": "--round",
    "sep": "--separator",
}  # of parameters named otherwise


def option_words(name: str, value: Any) -> list[str]:
    """Return the option of the parameter ``name``, with its value, as words.

    The value is True for a flag; a list or tuple repeats the option.

    Examples
    --------
    >>> option_words("max_level", "age=2"), option_words("sets", ["a=;", "b=|"])
    (['--max-level', 'age=2'], ['--sets', 'a=;', '--sets', 'b=|'])
    >>> option_words("star", "-")
    ['--star=-']
    """
    flag = _FLAGS.get(name) or "--" + name.replace("_", "-")
    if value is True:
        return [flag]
    if isinstance(value, list | tuple):
        return [word for each in value for word in (flag, str(each))]
    text = str(value)
    if text.startswith("-") and not isinstance(value, Path):
        return [f"{flag}={text}"]
    return [flag, text]


@dataclass(frozen=True)
class ByColumn:
    """A mark of an option: what it says of a column is a key of the column.

    Examples
    --------
    >>> ByColumn("role", ("identifier",)).listed, ByColumn("round").listed
    (True, False)
    """

    key: str  # of the column
    # the values of the key that name the column in the option, which is a list of
    # columns; the first one is written. None: the option has a value by column.
    words: tuple[str | bool, ...] | None = None
    type: Any = str  # of such a value
    kind: str | None = None  # the kind of columns that it is for; None: any
    # reads such a value, and raises TableError for one that is wrong
    check: Callable[[str], object] = str
    is_file: bool = False  # whether it may name a file
    single: bool = False  # whether the option names one column

    @property
    def listed(self) -> bool:
        """Whether the option is a list of columns."""
        return self.words is not None


@dataclass(frozen=True)
class Joined:
    """A mark of an option: given several times it is one text, with this between."""

    between: str = ","


class Listed(Joined):
    """A mark of an option: it is a list of texts, joined by commas."""


def joined_by(marks: Iterable[object]) -> str | None:
    """Return what joins the texts of an option of these marks; None: it has one.

    Examples
    --------
    >>> joined_by([ByColumn("round")]), joined_by([ByColumn("role", single=True)])
    (',', None)
    """
    for mark in marks:
        if isinstance(mark, Joined):
            return mark.between
        if isinstance(mark, ByColumn) and not mark.single:
            return ","
    return None


class FileName:
    """A mark of an option: its value may name a file."""


class Passing:
    """A mark of an option: it is of one call alone, and in no settings file."""


def pairs_of(
    given: Iterable[str],
    option: str,
    form: str = "COLUMN=VALUE",
    parted: Callable[[str], tuple[str, str]] | None = None,
) -> dict[str, str]:
    """Return the values of an option by column, each of which is named once.

    ``given`` are texts ``COLUMN=VALUE``; errors name the ``option`` and the ``form``
    that is expected. ``parted`` parts a text where values may have signs of equality;
    by default it is parted at the last.

    Examples
    --------
    >>> pairs_of(["a=5", "b=c=7"], "--round")
    {'a': '5', 'b=c': '7'}
    """
    found = dict[str, str]()
    for text in given:
        column, value = text.rpartition("=")[::2] if parted is None else parted(text)
        if not column or not value:
            raise TableError(f"{option}: expected {form}, got {text!r}")
        if column in found:
            raise TableError(f"{option}: column {column!r} is named twice")
        found[column] = value
    return found


def column_and_form(given: str) -> tuple[str, str]:
    """Part COLUMN=FORM; both may have further signs of equality.

    Examples
    --------
    >>> column_and_form("a=b=%d=%m=%Y")
    ('a=b', '%d=%m=%Y')
    """
    before, sign, form = given.partition("%")
    column, _, more = before.rpartition("=")
    return column.strip(), f"{more}{sign}{form}".strip()
