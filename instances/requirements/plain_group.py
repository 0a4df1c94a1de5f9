"""A group in plain Python, which the definitions of requirements are asked of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Values: TypeAlias = Sequence[str | None]


@dataclass(frozen=True)
class PlainGroup:
    """Some rows of a table, without anything that methods compute of them.

    Examples
    --------
    >>> group = PlainGroup.of([0, 2], {"s": ["flu", "gout", "flu"]}, {})
    >>> group.size, group.sensitive
    (2, (('flu', 'flu'),))
    """

    size: int  # how many rows there are; or persons, where these count
    # of each sensitive column the values in these rows; where persons count, each value
    # of a person once
    sensitive: tuple[Values, ...]
    rows: tuple[int, ...] = ()  # the numbers of the rows
    # of other columns the cells of the whole table
    columns: Mapping[str, Values] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: Sequence[int],
        sensitive: Mapping[str, Values],
        columns: Mapping[str, Values],
    ) -> "PlainGroup":
        """Take some rows of a table whose columns are given.

        ``rows`` are their numbers; ``sensitive`` and ``columns`` have all cells of the
        sensitive columns, and of all others that may be asked.
        """
        values = tuple(tuple(cells[r] for r in rows) for cells in sensitive.values())
        return cls(len(rows), values, tuple(rows), columns)
