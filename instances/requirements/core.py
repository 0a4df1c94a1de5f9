"""What bounds and loops know of a requirement: a few numbers."""

from typing import NamedTuple


class Core(NamedTuple):
    """What a requirement asks of every group, as far as numbers say it.

    A group that satisfies the requirement satisfies its core. So a bound for the core
    is one for the requirement. If the core is exact, the converse holds, too.

    Examples
    --------
    >>> Core(size=5) & Core(diversity=2, exact=False)
    Core(size=5, diversity=2, distinct=1, exact=False)
    """

    size: int = 1  # rows of a group, at least
    # no value of a sensitive column is in more than the share 1/diversity of a group
    diversity: int = 1
    distinct: int = 1  # different values of each sensitive column in a group, at least
    exact: bool = True  # whether a group with all this satisfies the requirement

    @property
    def rows(self) -> int:
        """Rows of a group, at least, by all that it needs.

        >>> Core(size=2, distinct=3).rows
        3
        """
        return max(self.size, self.diversity, self.distinct)

    def __and__(self, other: "Core") -> "Core":
        return Core(
            max(self.size, other.size),
            max(self.diversity, other.diversity),
            max(self.distinct, other.distinct),
            self.exact and other.exact,
        )


UNKNOWN = Core(exact=False)
