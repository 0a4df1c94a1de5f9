"""How a settings file says what an option of the command line says of columns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ByColumn:
    """A mark of an option: what it says of a column is a key of the column.

    Attributes
    ----------
    key
        Of the column.
    words
        The values of the key that name the column in the option, which is a list of
        columns; the first one is written. None: the option has a value by column.
    type
        Of such a value.
    kind
        The kind of columns that it is for; None: any.
    check
        Reads such a value, and raises TableError for one that is wrong.
    is_file
        Whether it may name a file.
    single
        Whether the option names one column.

    Examples
    --------
    >>> ByColumn("role", ("identifier",)).listed, ByColumn("round").listed
    (True, False)
    """

    key: str
    words: tuple[str | bool, ...] | None = None
    type: Any = str
    kind: str | None = None
    check: Callable[[str], object] = str
    is_file: bool = False
    single: bool = False

    @property
    def listed(self) -> bool:
        """Whether the option is a list of columns."""
        return self.words is not None


class Listed:
    """A mark of an option: it is a list of texts, joined by commas."""


class FileName:
    """A mark of an option: its value may name a file."""


class Passing:
    """A mark of an option: it is of one call alone, and in no settings file."""
