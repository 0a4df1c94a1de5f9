"""How large a problem is, in the units in which methods say what they need."""

from functools import cached_property

from starmin.auto.task import Task
from starmin.instances.runs.method import Method
from starmin.models.distinct.distinct_reduction import to_be_placed
from starmin.models.patterns.patterns import looks_at_rows


class Size:
    """Of a problem: rows, row types, pairs of these, and of these and patterns."""

    def __init__(self, task: Task) -> None:
        core = task.requirement.core
        self.rows = task.table.n
        self.diverse, self.distinct = core.diversity > 1, core.distinct > 1
        self._task = task

    @cached_property
    def pairs(self) -> float:
        """Of a row type and a pattern, in the pattern formulation, at most."""
        table, requirement = self._task.table, self._task.requirement
        types = table.sensitive_types if table.sensitive else table.row_types
        size = len(types)
        if self.distinct:
            size = int(to_be_placed(types, requirement).sum())
        return size * float(self._task.objective.vectors_above(table))

    @cached_property
    def types(self) -> int:
        """Types of rows; under l-diversity by sensitive value."""
        table = self._task.table
        return len(table.sensitive_types if self.diverse else table.row_types)

    @property
    def group(self) -> int:
        """Rows that a group has at least."""
        return self._task.requirement.core.rows

    @property
    def couples(self) -> float:
        """Pairs of two row types."""
        return self.types**2 / 2

    @property
    def cells(self) -> int:
        """Of the quasi-identifiers of all row types."""
        return self.types * self._task.table.d

    @property
    def comparisons(self) -> float:
        """Of the cells of all pairs of two row types."""
        return self.couples * self._task.table.d

    @cached_property
    def by_rows(self) -> bool:
        """Whether vectors of nodes are too many to walk over: rows prove bounds."""
        task = self._task
        if task.objective.once or task.table.counts is not None:
            return False
        return looks_at_rows(task.table, self.types, task.objective)

    def seconds_of(self, method: Method, must: bool = False) -> float:
        """Return how long a method takes to be of use, as its declaration says."""
        needs = [need for need in method.needs if need.must or not must]
        seconds = (need.seconds(getattr(self, need.unit)) for need in needs)
        return max(seconds, default=0.0)
