"""What a user states of the options of requirements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from starmin.instances.errors import TableError
from starmin.instances.option import Option
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table

Unit = Literal["household", "person"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class Stated:
    """Values of options by name; what is not there is not stated.

    Examples
    --------
    >>> size = Option("k", int, "At least K rows.")
    >>> Stated({"k": 5})[size], Stated({})[size]
    (5, None)
    >>> Stated({}).named(size), Stated({}, python=True).named(size, "five")
    ('--k', "k='five'")
    """

    values: Mapping[str, Any]  # by name of option
    # taxonomies of columns, for distances between sensitive values
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    missing: tuple[str | None, ...] = MISSING  # what stands for a missing value
    # whether errors name arguments, in the place of options of the command line
    python: bool = False
    # reads further tables by their names; None: files
    read: Callable[[str], Table] | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, option: Option) -> Any:
        return self.values.get(option.name, option.default)

    def tells(self, option: Option) -> bool:
        """Check whether the option has another value than where nothing is stated."""
        return bool(self[option] != option.default)

    def asks(self, options: Sequence[Option]) -> bool:
        """Check whether at least one of some options has such a value."""
        return any(map(self.tells, options))

    @property
    def ids(self) -> tuple[Unit, str] | None:
        """Whose ids count, and their column; None where rows do."""
        each = ((unit, self.values.get(unit)) for unit in UNITS)
        named = [(unit, name) for unit, name in each if name is not None]
        if len(named) > 1:
            raise TableError(
                f"{' and '.join(self.named(unit) for unit, _ in named)}: name one of "
                "them; households are what counts where both are at hand"
            )
        return named[0] if named else None

    def named(self, option: Option | str, value: str = "") -> str:
        """Return an option, or an argument of Python, with its value."""
        name = option if isinstance(option, str) else option.name
        if self.python:
            return f"{name}={value!r}" if value else name
        return f"--{name.replace('_', '-')} {value}".rstrip()
