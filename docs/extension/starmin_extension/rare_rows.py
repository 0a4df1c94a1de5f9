"""A bound without a certificate: a row that is not frequent enough has a star."""

import math

from starmin import (
    STARS,
    Method,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    least_size,
)

RARE_ROWS = Method(
    "starmin_extension.rare_rows",
    "bound",
    requirements=("k",),
    objectives=("stars", "tuples"),
    guarantee="none",
    reach="10 million rows",
    source="starmin-extension",
)


def rare_rows(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Bound stars and tuples: rows of fewer than k equal ones pay the cheapest star."""
    run = Run(table, requirement, objective, time_limit, display, RARE_ROWS)

    def search() -> None:
        counts = table.row_types.counts
        rare = int(counts[counts < least_size(requirement)].sum())
        weights = [objective.weights.get(column, 1) for column in table.qi]
        cheapest = 1 if objective.kind == "tuples" else min(weights, default=0)
        run.raise_bound(rare * cheapest, RARE_ROWS.name)

    return run.carry_out(search)
