"""A problem with its options, as the rules of ``auto`` hand it from step to step."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from starmin.auto.dispatch import call
from starmin.instances import Objective, Partition, Requirement, Result, Run, Table
from starmin.instances.runs.method import Method
from starmin.registry.methods import METHODS


class Problem(NamedTuple):
    """What is to be solved, and by which options.

    Parameters
    ----------
    table, requirement, objective
        The problem.
    options
        Arguments of methods, by name; None stands for their default.
    """

    table: Table
    requirement: Requirement
    objective: Objective
    options: Mapping[str, Any]

    @property
    def seconds(self) -> float:
        """The time limit; infinite where there is none."""
        return float(self.options.get("time_limit", math.inf))

    @property
    def initial(self) -> Partition | None:
        """The release to start from."""
        return self.options.get("initial")

    @property
    def of_losses(self) -> bool:
        """Whether losses by generalization are minimised, no stars."""
        return self.objective.kind == "gcp"

    def given(self, **options: Any) -> "Problem":
        """Return it with some options changed."""
        return self._replace(options={**self.options, **options})

    def run(self) -> Run:
        """Begin a run whose time is that of the options."""
        return Run(self.table, self.requirement, self.objective, self.seconds)

    def takers(self, names: Iterable[str]) -> list[Method]:
        """Select the named methods that are there and take the problem."""
        methods = (METHODS[name] for name in names if name in METHODS)
        asked = self.requirement, self.objective
        return [method for method in methods if method.supports(*asked)]

    def solve(self, method: Method) -> Result:
        """Call a method with those of the options that it takes.

        Raises
        ------
        NotSupportedError
            The method has a limit of its own, as on the number of columns, or lacks an
            option that changes what is done.
        """
        return call(method, *self)
