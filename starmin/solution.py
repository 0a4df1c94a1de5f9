"""What ``starmin.solve`` returns: a result that knows its problem and its release."""

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from starmin.instances import Problem, Result, Table
from starmin.outputs.claims import claim, shown_bound
from starmin.outputs.recodings import Published, publish


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Result[Any]):
    """A result with what is published of it, whatever the recoding.

    Attributes
    ----------
    problem
        The table and what was asked.

    Examples
    --------
    >>> import starmin
    >>> solution = starmin.solve(starmin.load_instance("hospital"), k=2)
    >>> solution.published.n, solution.release.stars
    (10, 2)
    """

    problem: Problem = field(kw_only=True)

    @property
    def claim(self) -> str:
        """The status, and whose word it is where no certificate proves it."""
        return claim(self, lambda bound: shown_bound(self.problem, bound))

    @classmethod
    def of(cls, found: Result[Any], problem: Problem) -> "Solution":
        """Return the result of a problem, with it."""
        parts = {part.name: getattr(found, part.name) for part in fields(Result)}
        return cls(**parts, problem=problem)

    @cached_property
    def release(self) -> Published | None:
        """What is published, by the recoding that was asked for; None for a bound."""
        if self.best is None:
            return None
        return publish(self.problem.public, self.best, self.problem.coding)

    @cached_property
    def published(self) -> Table | None:
        """The table to publish; that of sensitive values is in ``release.tables()``."""
        return None if self.release is None else self.release.tables()[""]
