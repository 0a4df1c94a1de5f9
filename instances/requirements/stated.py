"""What a user states of the options of requirements."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starmin.instances.option import Option
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table


@dataclass(frozen=True)
class Stated:
    """Values of options by name; what is not there is not stated.

    Attributes
    ----------
    values
        By name of option.
    trees
        Taxonomies of columns, for distances between sensitive values.
    missing
        What stands for a missing value.
    python
        Whether errors name arguments, in the place of options of the command line.
    read
        Reads further tables by their names; None: files.

    Examples
    --------
    >>> size = Option("k", int, "At least K rows.")
    >>> Stated({"k": 5})[size], Stated({})[size]
    (5, None)
    >>> Stated({}).named(size), Stated({}, python=True).named(size, "five")
    ('--k', "k='five'")
    """

    values: Mapping[str, Any]
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    missing: tuple[str | None, ...] = MISSING
    python: bool = False
    read: Callable[[str], Table] | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, option: Option) -> Any:
        return self.values.get(option.name, option.default)

    def tells(self, option: Option) -> bool:
        """Check whether the option has another value than where nothing is stated."""
        return bool(self[option] != option.default)

    def named(self, option: Option | str, value: str = "") -> str:
        """Return an option, or an argument of Python, with its value."""
        name = option if isinstance(option, str) else option.name
        if self.python:
            return f"{name}={value!r}" if value else name
        return f"--{name.replace('_', '-')} {value}".rstrip()
