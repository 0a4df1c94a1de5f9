"""What a user is warned of before a release is relied on, whichever way was taken in.

The command line says these lines on stderr, Python warns of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from starmin.auto.dispatch import ignored_by
from starmin.inputs.tables.identifiers import identifiers
from starmin.inputs.tables.person_ids import repeated_ids
from starmin.instances import Problem


def cautions(
    problem: Problem, method: str, options: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a line for each column like an id, and for each option without effect.

    Parameters
    ----------
    problem
        What was asked.
    method
        A name in the registry, or ``auto``.
    options
        Those that the user gave, by name: a time limit and a seed may be ignored.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> table = Table.from_rows(["age"], [["30"], ["41"]], qi=["age"])
    >>> list(cautions(Problem(table, KAnonymity(2)), "forest", {"seed": 3}))
    ['forest takes no seed (nothing in it is random)']
    """
    yield from identifiers(problem.table, problem.ranged)
    yield from repeated_ids(problem.table, problem.requirement)
    if line := ignored_by(method, options):
        yield line
