"""What ``starmin.risk`` does: from a table or a frame to the risk in it."""

from collections.abc import Collection, Sequence
from typing import Any

from starmin.frames.frame_problem import in_roles
from starmin.frames.shown import ShownRisk
from starmin.inputs.notices import identifiers, repeated_ids
from starmin.instances import Table
from starmin.instances.arguments import expect_whole
from starmin.instances.scales.missing import MISSING
from starmin.verify.risk.table_risk import Risk, risk_of


def risk(
    table: Table | Any,
    *,
    qi: Sequence[str] | None = None,
    sensitive: str | Sequence[str] | None = None,
    drop: Collection[str] = (),
    weight: str | None = None,
    population: Table | Any | None = None,
    most: int = 3,
    missing: Collection[str | None] = MISSING,
) -> Risk:
    """Measure how well people are found in a table before anything is hidden.

    Parameters
    ----------
    table
        A table, or a data frame.
    qi, sensitive, drop
        The columns, as for ``anonymize``; a table has its own.
    weight
        A column of sampling weights: how many people each row stands for.
    population
        A table or frame of all people, among its columns the quasi-identifiers, in
        the same words.
    most
        Columns of the largest special uniques: 1 or more.
    missing
        Texts that stand for no value.

    Returns
    -------
    Risk
        Class sizes, prosecutor, journalist and marketer risk, special uniques, and
        all columns ranked by what they tell. It shows itself: ``plot()`` draws the
        classes by their size.

    Raises
    ------
    TableError
        No such column, or a weight that is no positive number.

    Notes
    -----
    Exact. A million rows by eight columns take about 10 s, mostly for the special
    uniques of three columns and the columns' ranks; a column more, a third more.

    Examples
    --------
    >>> rows = [["f", "30"], ["f", "40"], ["m", "30"], ["m", "30"]]
    >>> people = Table.from_rows(["sex", "age"], rows, qi=["sex", "age"])
    >>> found = risk(people)
    >>> found.classes.uniques, found.classes.average, found.columns[0].name
    (2, 0.75, 'age')
    """
    expect_whole("most", most, 1)
    roles = {"qi": qi, "sensitive": sensitive, "drop": drop, "weight": weight}
    _, people = in_roles(table, roles, "table")
    known = None
    if population is not None:
        _, known = in_roles(population, {}, "population")
    found = risk_of(
        people,
        weight=weight,
        population=known,
        most=most,
        missing=[*missing],
        notes=[*identifiers(people), *repeated_ids(people)],
    )
    return ShownRisk(**vars(found))
