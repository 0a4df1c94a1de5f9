"""From the arguments of ``starmin.solve`` and ``bound`` to a problem."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

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
from starmin.instances.releases.coding import SUPPRESSION
from starmin.instances.tables.sets import as_sets


class Wanted(NamedTuple):
    """What is required of groups, as the arguments of ``solve`` say it."""

    k: int | None
    l: int | None
    requirement: Requirement | None
    missing_sensitive: str


class IdColumns(NamedTuple):
    """The columns with ids of persons and households, and how rows of one are tied."""

    person: str | None = None
    household: str | None = None
    pseudonym: bool = False
    alike: Sequence[str] | None = None


class Published(NamedTuple):
    """How groups are published, and which columns are ranged or have trees."""

    recoding: str = SUPPRESSION
    numeric: Collection[str] = ()
    taxonomies: Taxonomies | None = None


def posed(
    table: Table,
    wanted: Wanted,
    ids: IdColumns,
    goal: Goal | None,
    published: Published,
    limits: Mapping[str, Any],
) -> Problem:
    """Return the problem of a table as its sets and floors leave it.

    Parameters
    ----------
    table, wanted
        The table and what is required of its groups.
    ids
        Whose rows are whose.
    goal
        Its ``objective``.
    published
        How its groups are published.
    limits
        What ``limits_of`` returns.

    Examples
    --------
    >>> from starmin.inputs.python_words import limits_of
    >>> table = Table.from_rows(["age"], [["17"], ["93"], ["90"]], qi=["age"])
    >>> wanted = Wanted(k=2, l=None, requirement=None, missing_sensitive="value")
    >>> limits = limits_of(top={"age": 90})
    >>> problem = posed(table, wanted, IdColumns(), None, Published(), limits)
    >>> problem.table.rows()
    [('17',), ('90+',), ('90+',)]
    """
    expect_table("table", table)
    table = as_sets(table, limits["sets"], "sets")
    missing = limits["missing"]
    asked = requirement_of(*wanted, missing)
    table = public_only(table, ids.person, ids.household)
    recoding, numeric, trees = published
    coding = coding_of(recoding, table, numeric, trees, goal, **limits)
    before, table = table, coding.floored(table)
    table, asked = counting_ids(table, asked, *ids, missing)
    return Problem(table, asked, objective_of(goal, table, coding), coding, before)
