"""Methods that put the rows on a line and cut it: one function, and a name for each."""

import textwrap
from collections.abc import Callable

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.runs.method import Method

_DOCSTRING = """{told}

Parameters
----------
table, requirement
    {takes}.
    Rows that differ in columns to be kept are never grouped.
objective
    ``gcp`` with any scales, or stars.
seed
    Draws the sample of ``idistance``; the Hilbert curve and the Gray code are not
    drawn at random.

Raises
------
NotSupportedError
    {refused}

Notes
-----
{cost}

References
----------
G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.

Examples
--------
>>> from starmin.instances import {requirement}, Objective, Scales, Table
>>> rows = [["1", "5", "a"], ["9", "1", "b"], ["2", "5", "b"], ["9", "2", "a"]]
>>> table = Table.from_rows(["p", "q", "s"], rows, ["p", "q"], ["s"])
>>> gcp = Objective("gcp", scales=Scales.of(table, ["p", "q"]))
>>> {name}(table, {requirement}(2), objective=gcp).best.groups.tolist()
[0, 1, 0, 1]
"""

_TAKES = {
    "any": "Any",
    "k": "k-anonymity",
    "l": "l-diversity by frequency, l a whole number; one sensitive column",
}
_NO_TUPLES = "The objective is to suppress few tuples."
_BOUNDARIES = (
    "Several sensitive columns, or more rows and values than the program ends for."
)


def preset(
    method: Method,
    offer: Callable[[Run, int], None],
    told: str,
    cost: str,
    expect: Callable[[Table], None] | None = None,
) -> Callable[..., Result]:
    """Return the method of a declaration that offers groups along a line.

    Parameters
    ----------
    method
        Its declaration; the function has its name, and is in its module.
    offer
        Offers a run, whose table is feasible, groups along a line; the seed is for the
        mapping to it.
    told, cost
        What its docstring says, and how long it takes.
    expect
        Raises an error for tables that it does not take.
    """

    def found(
        table: Table,
        requirement: Requirement,
        *,
        objective: Objective = STARS,
        seed: int = 0,
        display: bool = False,
    ) -> Result:
        if expect is not None:
            expect(table)
        run = Run(table, requirement, objective, display=display, method=method)
        return run.carry_out(lambda: offer(run, seed))

    (form,) = method.requirements
    found.__name__ = found.__qualname__ = method.name
    found.__module__ = method.module
    found.__doc__ = _DOCSTRING.format(
        name=method.name,
        told=textwrap.dedent(told).strip(),
        cost=textwrap.dedent(cost).strip(),
        takes=_TAKES[form],
        refused=_NO_TUPLES if expect is None else _BOUNDARIES,
        requirement="LDiversity" if form == "l" else "KAnonymity",
    )
    return found
