"""What groups cost that are formed for stars and published by ranges and nodes."""

from dataclasses import replace
from typing import Any

from starmin.instances import GeneralizedRelease, Problem, Result
from starmin.instances.runs.run import LEAST


def as_published(problem: Problem, found: Result[Any]) -> Result[Any]:
    """Count the stars or tuples that generalization has in the end.

    Where groups are formed for stars and published by ranges and nodes, these are
    fewer than were counted, and what was proven of stars alone does not bound them.
    """
    if problem.coding.recoding != "generalization" or problem.published_as_counted:
        return found
    if found.best is None:
        return found
    table, objective = problem.table, problem.objective
    release = GeneralizedRelease(
        table, found.best, problem.coding.scales(table), problem.coding.star
    )
    costs = objective.row_costs(table, release.starred)
    value = int(found.best.sizes @ costs)
    return replace(
        found,
        value=value,
        lower_bound=None if value else 0,
        bound_method=None if value else LEAST,
        certificate=None,
        certificate_checked=None,
    )
