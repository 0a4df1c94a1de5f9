"""A lower bound on releases that are nested within an earlier one."""

import math

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import Within
from starmin.models.within import WITHIN_PRICES
from starmin.models.within.atoms import Atoms
from starmin.models.within.listing import list_patterns
from starmin.models.within.prices import WithinPrices

TOLERANCE = 1e-4


def within_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Bounds releases whose classes are unions of classes of an earlier release.

    Prices of the rows of each class are improved by a subgradient method, as those of
    distinct rows are in ``starmin.models.bounds.lagrangian``; a class is chosen whole,
    so that the cheapest choice for a pattern is a small knapsack.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``Within``.
    time_limit
        Seconds; the best bound until then is returned.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many patterns.

    Examples
    --------
    >>> import numpy as np
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> nested = nested_within(table, KAnonymity(3), np.array([0, 0, 1, 1]))
    >>> within_prices(*nested).lower_bound
    8
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_PRICES)
    asked = of_kind(requirement, Within)
    assert asked is not None

    def search() -> None:
        atoms = Atoms.of(table, objective)
        given = objective, asked.least, run.check_time
        prices = WithinPrices(run, atoms, list_patterns(table, atoms, *given))
        prices.improve(TOLERANCE)
        run.stats["iterations"] = prices.iterations
        run.check_time()

    return run.carry_out(search)
