"""What a user may state: one description for the command line, Python and files."""

import keyword
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    """Something that a user may state.

    Examples
    --------
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
