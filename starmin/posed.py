"""From the arguments of ``starmin.solve`` and ``bound`` to a problem."""

from collections.abc import Collection, Mapping
from typing import Any

from starmin.call_arguments import (
    Goal,
    Taxonomies,
    coding_of,
    counting_ids,
    expect_table,
    objective_of,
    public_only,
    requirement_of,
)
from starmin.instances import Problem, Requirement, Table
from starmin.instances.tables.sets import as_sets


def posed(
    table: Table,
    k: int | None,
    l: int | None,
    requirement: Requirement | None,
    missing_sensitive: str,
    ids: tuple[str | None, str | None, bool],
    goal: Goal | None,
    recoding: str,
    numeric: Collection[str],
    taxonomies: Taxonomies | None,
    limits: Mapping[str, Any],
) -> Problem:
    """Return the problem of a table as its sets and floors leave it.

    Parameters
    ----------
    table, k, l, requirement, missing_sensitive
        The table and what is required of its groups.
    recoding, numeric, taxonomies
        How groups are published, and which columns are ranged or have trees.
    ids
        Its ``person``, ``household`` and ``pseudonym``.
    goal
        Its ``objective``.
    limits
        What ``limits_of`` returns.

    Examples
    --------
    >>> from starmin.limits import limits_of
    >>> table = Table.from_rows(["age"], [["17"], ["93"], ["90"]], qi=["age"])
    >>> told = ((None, None, False), None, "suppression", (), None)
    >>> limits = limits_of(top={"age": 90})
    >>> problem = posed(table, 2, None, None, "value", *told, limits)
    >>> problem.table.rows()
    [('17',), ('90+',), ('90+',)]
    """
    expect_table("table", table)
    table = as_sets(table, limits["sets"], "sets")
    missing = limits["missing"]
    asked = requirement_of(k, l, requirement, missing_sensitive, missing)
    table = public_only(table, *ids[:2])
    coding = coding_of(recoding, table, numeric, taxonomies, goal, **limits)
    table = coding.floored(table)
    table, asked = counting_ids(table, asked, *ids)
    return Problem(table, asked, objective_of(goal, table, coding), coding)
