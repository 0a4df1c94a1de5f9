"""Hand a problem with the options of methods from step to step; measure its size.

Sizes are in the units in which methods say what they need.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from starmin.auto.dispatch import call
from starmin.instances import (
    Mask,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.releases.nested_partition import coarsest_blocks
from starmin.instances.requirements.requirement import MASK
from starmin.instances.runs.method import Method
from starmin.models.distinct.distinct_reduction import to_be_placed
from starmin.models.pattern_variants.outliers import DeletionProblem
from starmin.models.patterns.patterns import looks_at_rows
from starmin.registry import METHODS


class Task(NamedTuple):
    """What is to be solved, and by which options."""

    problem: Problem
    # arguments of methods, by name; None stands for their default
    options: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """That of the problem."""
        return self.problem.table

    @property
    def requirement(self) -> Requirement:
        """That of the problem."""
        return self.problem.requirement

    @property
    def objective(self) -> Objective:
        """That of the problem."""
        return self.problem.objective

    @property
    def seconds(self) -> float:
        """The time limit; infinite where there is none."""
        limit = self.options.get("time_limit")
        return math.inf if limit is None else float(limit)

    @property
    def initial(self) -> Partition | None:
        """The release to start from."""
        return self.options.get("initial")

    def given(self, **options: Any) -> "Task":
        """Return it with some options changed."""
        return self._replace(options={**self.options, **options})

    def telling(self, method: Method, **known: Any) -> "Task":
        """Return it with what a method may be told, where it takes that."""
        takes = method.options()
        return self.given(**{n: known[n] if n in takes else None for n in known})

    def on(self, **changed: Any) -> "Task":
        """Return it on a problem of which a part is changed; nothing is told of it."""
        return self._replace(problem=self.problem.on(**changed))

    def of(self, easier: Problem) -> "Task":
        """Return it on an easier problem, without a release to start from."""
        return self._replace(problem=easier).given(initial=None)

    def run(self) -> Run:
        """Begin a run whose time is that of the options."""
        return Run(self.table, self.requirement, self.objective, self.seconds)

    def begin(self, run: Run[Any]) -> None:
        """Offer a run what takes no search, and the release to start from."""
        if run.requirement.space == MASK:
            run.offer(Mask.coarsest(*run.asked))
            return
        if self.problem.rowwise:
            classes = Partition.coarsest(run.table, run.objective).groups
            k = run.requirement.core.size
            run.offer(NonHomogeneous.coarsest(run.table, k, classes))
        elif run.requirement.may_delete:
            DeletionProblem.of(run).start(run)
        else:
            run.offer(coarsest_blocks(*run.asked))
        if self.initial is not None:
            run.offer(self.initial)

    def takers(self, names: Iterable[str]) -> list[Method]:
        """Select the named methods that are there and take the problem."""
        methods = (METHODS[name] for name in names if name in METHODS)
        asked = self.requirement, self.objective, self.problem.bounded
        return [method for method in methods if method.supports(*asked)]

    def solve(self, method: Method) -> Result[Any]:
        """Call a method with those of the options that it takes.

        Raises NotSupportedError where the method has a limit of its own, as on the
        number of columns, or lacks an option that changes what is done.
        """
        return call(method, self.problem, self.options)

    def attempt(self, method: Method) -> Result[Any] | None:
        """Return what a method finds; None where it has a limit of its own."""
        try:
            return self.solve(method)
        except NotSupportedError:
            return None


Solve = Callable[[Task], Result]


# How large a problem is, in the units in which methods say what they need.


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
