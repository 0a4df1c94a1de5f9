"""A problem with the options of methods, as ``auto`` hands it from step to step."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from starmin.auto.dispatch import call
from starmin.instances import (
    Objective,
    Partition,
    Problem,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.runs.method import Method
from starmin.registry.methods import METHODS


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

    @property
    def of_losses(self) -> bool:
        """Whether losses by generalization are minimised, no stars."""
        return self.objective.by_node

    def given(self, **options: Any) -> "Task":
        """Return it with some options changed."""
        return self._replace(options={**self.options, **options})

    def on(self, **changed: Any) -> "Task":
        """Return it on a problem of which a part is changed; nothing is told of it."""
        changed["source"] = None
        return self._replace(problem=replace(self.problem, **changed))

    def run(self) -> Run:
        """Begin a run whose time is that of the options."""
        return Run(self.table, self.requirement, self.objective, self.seconds)

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


Solve = Callable[[Task], Result]
